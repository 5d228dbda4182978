/* page.h - the self-contained HTML report. */
#ifndef BACTRIAN_MEMPROF_REPORT_PAGE_PAGE_H
#define BACTRIAN_MEMPROF_REPORT_PAGE_PAGE_H

#include "memprof/report/view/views.h"

/* Writes the HTML report of the selected part of a profile. */
report_writer report_write_html;

#endif
