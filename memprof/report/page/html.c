/* html.c - a self-contained HTML report: page.html with its style and scripts, which embed.py
 * joins, and the profile in base64; a later profile to compare it with and the sources, or nothing;
 * and reports.
 *
 *   ...head, styles...  @DATA@ ... @AFTER@ ... @SOURCES@ ... @REPORTS@  ...scripts...
 *
 * The page has text of a profile only in its data, so no name can end an element. */
#include "gc/assert.h"
#include "memprof/report/page/page.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 4 };

static const unsigned char page[] = {
#include <page.inc>
};

static void write_base64(const struct report_buffer *in, FILE *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < in->length; i += 3) {
        size_t n = in->length - i;
        unsigned bits = in->data[i] << 16 | (n > 1 ? in->data[i + 1] << 8 : 0) |
                        (n > 2 ? in->data[i + 2] : 0);
        putc(digits[bits >> 18], out);
        putc(digits[bits >> 12 & 63], out);
        putc(n > 1 ? digits[bits >> 6 & 63] : '=', out);
        putc(n > 2 ? digits[bits & 63] : '=', out);
    }
}

/* Writes the page up to a marker, and a profile in its place. Returns what follows the marker. */
static const unsigned char *write_part(const unsigned char *from, const char *marker,
                                       const struct report_buffer *packed, FILE *out) {
    const unsigned char *at = memmem(from, page + sizeof page - from, marker, strlen(marker));
    ASSERT(at != NULL);
    fwrite(from, 1, at - from, out);
    write_base64(packed, out);
    return at + strlen(marker);
}

/* Packs the profile, the later one, the sources and the reports. Returns as report_pack does. */
static int pack_all(const struct report_request *request, struct report_buffer packed[PARTS]) {
    struct report_request after = *request;
    after.model = request->other;
    after.path = request->other_path;
    if (request->source != NULL && !request->embed_source)
        return report_fail(request->error, "--source", "add --embed-source",
                           "the page holds no sources");
    if (request->embed_source && after.model != NULL)
        return report_fail(request->error, "--embed-source", "leave it out, or give one profile",
                           "the sources of two profiles may differ");
    if (report_pack(request, &packed[0]) != 0) return -1;
    if (after.model != NULL && report_pack(&after, &packed[1]) != 0) return -1;
    if (request->embed_source && report_pack_sources(request, &packed[2]) != 0) return -1;
    return report_pack_reports(request, &packed[3]);
}

int report_write_html(const struct report_request *request, FILE *out) {
    static const char *const markers[PARTS] = {"@DATA@", "@AFTER@", "@SOURCES@", "@REPORTS@"};
    struct report_buffer packed[PARTS] = {{0}};
    const unsigned char *rest = page;
    int status = pack_all(request, packed);
    for (int i = 0; status == 0 && i < PARTS; i++)
        rest = write_part(rest, markers[i], &packed[i], out);
    if (status == 0) fwrite(rest, 1, page + sizeof page - rest, out);
    for (int i = 0; i < PARTS; i++) free(packed[i].data);
    return status;
}
