/* html.c - a self-contained HTML report: page.html with its style and scripts, which embed.py
 * joins, and the profile in base64; a later profile to compare it with, or nothing.
 *
 *   ...head, styles...  @DATA@ ... @AFTER@  ...scripts...
 *
 * Nothing of a profile is in the page but inside the data, so no name can end an element. */
#include "gc/assert.h"
#include "memprof/report/page/page.h"

#include <stdlib.h>
#include <string.h>

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

int report_write_html(const struct report_request *request, FILE *out) {
    struct report_request after = *request;
    struct report_buffer packed[2] = {{0}};
    after.model = request->other;
    after.path = request->other_path;
    int status = report_pack(request, &packed[0]);
    if (status == 0 && after.model != NULL) status = report_pack(&after, &packed[1]);
    if (status == 0) {
        const unsigned char *rest = write_part(page, "@DATA@", &packed[0], out);
        rest = write_part(rest, "@AFTER@", &packed[1], out);
        fwrite(rest, 1, page + sizeof page - rest, out);
    }
    report_free(packed[0].data, packed[1].data);
    return status;
}
