/* text.c - numbers and locations as text. */
#include "memprof/report/model/text.h"

#include "gc/assert.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 32 };

static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};

/* Three digits, a decimal prefix, the unit. */
static void write_prefixed(char *out, double n, const char *unit) {
    size_t i = 0;
    while (i + 1 < sizeof prefixes / sizeof *prefixes && fabs(n) >= 999.5) {
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
    if (!isfinite(bytes)) snprintf(out, SIZE, "-");
    else write_prefixed(out, bytes, "B");
}

static void write_commas(char *out, bool negative, unsigned long long n) {
    char digits[32];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", n);
    ASSERT(length + length / 3 + negative < SIZE);
    if (negative) *out++ = '-';
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) *out++ = ',';
        *out++ = digits[i];
    }
    *out = 0;
}

void report_write_whole(char out[32], unsigned long long n) { write_commas(out, false, n); }

void report_write_count(char out[32], double count) {
    if (!isfinite(count)) snprintf(out, SIZE, "-");
    else if (fabs(count) > 1e15) write_prefixed(out, count, "");
    else write_commas(out, rint(count) < 0, llabs(llrint(count)));
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

const char *report_name_of(const struct report_model *model, uint32_t location) {
    ASSERT(location < model->locations.count);
    const char *name = model->names.at[model->locations.at[location].function];
    return name[0] != 0 ? name : "(unnamed)";
}

/* "" if it is unknown; OCaml's compilers write "_none_" then. */
static const char *file_of(const struct report_model *model, const struct report_location *l) {
    const char *file = model->names.at[l->file];
    return strcmp(file, "_none_") == 0 ? "" : file;
}

bool report_is_nameless(const struct report_model *model, uint32_t location) {
    const struct report_location *l = &model->locations.at[location];
    return l->function == 0 && file_of(model, l)[0] == 0;
}

char *report_location_text(const struct report_model *model, uint32_t location) {
    const struct report_location *l = &model->locations.at[location];
    const char *name = report_name_of(model, location), *file = file_of(model, l);
    if (report_is_nameless(model, location)) return report_copy("(no debugging information)");
    if (file[0] == 0) return report_copy(name);
    if (l->line < 0) return report_format("%s (%s)", name, file);
    if (l->start < 0) return report_format("%s (%s:%d)", name, file, l->line);
    if (l->end < 0) return report_format("%s (%s:%d:%d)", name, file, l->line, l->start);
    return report_format("%s (%s:%d:%d-%d)", name, file, l->line, l->start, l->end);
}

char *report_function_text(const struct report_model *model, uint32_t location) {
    const struct report_location *l = &model->locations.at[location];
    const char *file = file_of(model, l);
    if (report_is_nameless(model, location)) return report_copy("(no debugging information)");
    if (file[0] == 0) return report_copy(report_name_of(model, location));
    return report_format("%s (%s)", report_name_of(model, location), file);
}

char *report_module_text(const struct report_model *model, uint32_t location) {
    const struct report_location *l = &model->locations.at[location];
    const char *file = file_of(model, l), *slash = strrchr(file, '/');
    if (report_is_nameless(model, location)) return report_copy("(no debugging information)");
    if (file[0] == 0) { /* the module of Module.function */
        const char *function = model->names.at[l->function];
        return report_format("%.*s", (int)strcspn(function, "."), function);
    }
    char *name = report_copy(slash != NULL ? slash + 1 : file);
    char *dot = strchr(name, '.');
    if (dot != NULL) *dot = 0;
    name[0] = toupper((unsigned char)name[0]);
    return name;
}

const char *report_gc_text(unsigned kind) {
    ASSERT(kind < REPORT_GC_KINDS);
    return kind == REPORT_GC_LAST    ? "the recorder's last collection"
           : kind == REPORT_GC_EXACT ? "the recorder's markings"
                                     : mp_gc_phase_name(kind);
}

char *report_tag_text(int tag) {
    static const char *const texts[] = {"lazy value",        "closure",  "object", "infix closure",
                                        "forced lazy value", "abstract", "string", "float",
                                        "float array",       "custom"};
    enum { FIRST = 246 };
    ASSERT(tag < 256);
    if (tag < 0) return report_copy("(not recorded)");
    if (tag < FIRST) return report_format("block, tag %d", tag);
    return report_copy(texts[tag - FIRST]);
}

char *report_domain_text(struct mp_thread thread) {
    if (thread.domain == 0) return report_copy("(not recorded)");
    return report_format("domain %llu", (unsigned long long)thread.domain - 1);
}

char *report_thread_text(struct mp_thread thread) {
    if (thread.domain == 0 && thread.number == 0) return report_copy("(not recorded)");
    char *domain = report_domain_text(thread), *text;
    if (thread.number == 0) text = report_format("%s, (thread not recorded)", domain);
    else text = report_format("%s, thread %llu", domain, (unsigned long long)thread.number - 1);
    free(domain);
    return text;
}
