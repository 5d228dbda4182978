/* heap.h - the views of heap snapshots. Their requests have no model: they load request->path.
 * report_view_leaks has one, and may load a snapshot, request->other_path. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_HEAP_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_HEAP_H

#include "memprof/report/view/views.h"

/* What is in the heap, which roots and blocks hold it, and where most of it accumulates. */
report_view report_view_heap;
/* How the roots lead to the blocks of the kind that request->operand names. */
report_view report_view_why;
/* Blocks that were never freed, and what holds them, as the run's own snapshot says if
 * request->other_path is NULL. */
report_view report_view_leaks;

#endif
