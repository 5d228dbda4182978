/* text.c - numbers, moments and places as people read them. */
#include "memprof/report/view/text.h"

#include "memprof/report/model/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 32 };

/* Three digits and a prefix of a thousand. */
static void write_prefixed(char *out, double n, const char *const *prefixes, size_t count,
                           const char *unit) {
    size_t i = 0;
    while (i + 1 < count && fabs(n) >= 999.5) {
        n /= 1000;
        i++;
    }
    int decimals = i == 0 || fabs(n) >= 99.95 ? 0 : fabs(n) >= 9.995 ? 1 : 2;
    if (i == 0 && fabs(n) < 9.995 && n != floor(n)) decimals = 1;
    snprintf(out, SIZE, "%.*f %s%s", decimals, n, prefixes[i], unit);
    size_t length = strlen(out);
    if (out[length - 1] == ' ') out[length - 1] = 0;
}

void report_write_bytes(char out[32], double bytes) {
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    if (!isfinite(bytes)) snprintf(out, SIZE, "-");
    else write_prefixed(out, bytes, prefixes, 6, "B");
}

void report_write_large(char out[32], double count) {
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    if (!isfinite(count)) snprintf(out, SIZE, "-");
    else write_prefixed(out, count, prefixes, 6, "");
}

void report_write_count(char out[32], double count) {
    char digits[32];
    if (!isfinite(count) || fabs(count) > 1e15) {
        report_write_large(out, count);
        return;
    }
    snprintf(digits, sizeof digits, "%.0f", count);
    size_t n = strlen(digits), at = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && digits[i - 1] != '-' && (n - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = 0;
}

void report_write_share(char out[32], double share) {
    if (!isfinite(share)) snprintf(out, SIZE, "-");
    else snprintf(out, SIZE, "%.1f %%", 100 * share);
}

void report_write_seconds(char out[32], double s) {
    double a = fabs(s);
    if (!isfinite(s)) snprintf(out, SIZE, "-");
    else if (s == 0) snprintf(out, SIZE, "0 s");
    else if (a < 1e-6) snprintf(out, SIZE, "%.0f ns", s * 1e9);
    else if (a < 1e-3) snprintf(out, SIZE, "%.*f us", a < 1e-5 ? 1 : 0, s * 1e6);
    else if (a < 1) snprintf(out, SIZE, "%.*f ms", a < 1e-2 ? 2 : a < 1e-1 ? 1 : 0, s * 1e3);
    else if (a < 600) snprintf(out, SIZE, "%.2f s", s);
    else if (a < 36000) snprintf(out, SIZE, "%.1f min", s / 60);
    else snprintf(out, SIZE, "%.1f h", s / 3600);
}

static const char *name_of(const struct report_model *model, uint32_t location) {
    const char *name = model->names[model->locations[location].function];
    return name[0] != 0 ? name : "(unnamed)";
}

static bool is_unknown(const struct report_model *model, const struct report_location *l) {
    const char *file = model->names[l->file];
    return (l->file == 0 && l->function == 0) || strcmp(file, "_none_") == 0;
}

char *report_location_text(const struct report_model *model, uint32_t location) {
    const struct report_location *l = &model->locations[location];
    const char *name = name_of(model, location), *file = model->names[l->file];
    if (is_unknown(model, l)) return report_copy("(no debugging information)");
    if (file[0] == 0) return report_copy(name);
    if (l->line < 0) return report_format("%s (%s)", name, file);
    if (l->start < 0) return report_format("%s (%s:%d)", name, file, l->line);
    if (l->end < 0) return report_format("%s (%s:%d:%d)", name, file, l->line, l->start);
    return report_format("%s (%s:%d:%d-%d)", name, file, l->line, l->start, l->end);
}

char *report_function_text(const struct report_model *model, uint32_t location) {
    const struct report_location *l = &model->locations[location];
    const char *file = model->names[l->file];
    if (is_unknown(model, l)) return report_copy("(no debugging information)");
    if (file[0] == 0) return report_copy(name_of(model, location));
    return report_format("%s (%s)", name_of(model, location), file);
}

char *report_module_text(const struct report_model *model, uint32_t location) {
    const char *file = model->names[model->locations[location].file];
    const char *slash = strrchr(file, '/');
    if (file[0] == 0 || strcmp(file, "_none_") == 0)
        return report_copy("(no debugging information)");
    char *name = report_copy(slash != NULL ? slash + 1 : file);
    char *dot = strchr(name, '.');
    if (dot != NULL) *dot = 0;
    name[0] = toupper((unsigned char)name[0]);
    return name;
}

char *report_tag_text(int tag) {
    static const char *const texts[] = {"lazy value",        "closure",  "object", "infix closure",
                                        "forced lazy value", "abstract", "string", "float",
                                        "float array",       "custom"};
    enum { FIRST = 246 };
    if (tag < 0) return report_copy("(not recorded)");
    if (tag < FIRST) return report_format("block, tag %d", tag);
    return report_copy(texts[tag - FIRST]);
}
