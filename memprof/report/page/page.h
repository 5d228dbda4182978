/* page.h - the HTML report. */
#ifndef BACTRIAN_MEMPROF_REPORT_PAGE_PAGE_H
#define BACTRIAN_MEMPROF_REPORT_PAGE_PAGE_H

#include "memprof/report/view/views.h"

/* Writes a self-contained page that holds the samples and computes every selection itself; with the
 * request's other profile, a page that compares both. */
report_writer report_write_html;

/* Appends the request's profile, compressed; the form is drawn in pack.c. Of a profile with too
 * many samples only some hits are kept, each with the same probability. Returns 0, or -1 and the
 * request's *error. */
int report_pack(const struct report_request *request, struct report_buffer *out);
/* Appends the sources of the request's profile, compressed, if they are to be embedded; the form is
 * described in sources.c. Returns as report_pack does. */
int report_pack_sources(const struct report_request *request, struct report_buffer *out);
/* Appends the request's growth, advice and, of its snapshot, holders, compressed; the form is
 * described in reports.c. Returns as report_pack does. */
int report_pack_reports(const struct report_request *request, struct report_buffer *out);
/* Appends bytes in zlib's format. Returns as report_pack does. */
int report_deflate(struct report_buffer *out, const void *bytes, size_t length,
                   struct report_error *error);

#endif
