/* html.c - a self-contained HTML report: page.html with its style and scripts, which embed.py
 * joins, and the profile in base64.
 *
 *   ...head, styles...  @DATA@  ...scripts...
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

int report_write_html(const struct report_request *request, FILE *out) {
    static const char data[] = "@DATA@";
    struct report_buffer packed = {0};
    const unsigned char *rest = memmem(page, sizeof page, data, strlen(data));
    ASSERT(rest != NULL);
    if (report_pack(request, &packed) != 0) return -1;
    fwrite(page, 1, rest - page, out);
    write_base64(&packed, out);
    rest += strlen(data);
    fwrite(rest, 1, page + sizeof page - rest, out);
    free(packed.data);
    return 0;
}
