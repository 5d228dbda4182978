/* sliced_scan.h - scans the first items of a list in slices while the list grows at its end. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_SLICED_SCAN_H
#define BACTRIAN_MEMPROF_SAMPLING_SLICED_SCAN_H

#include "gc/assert.h"

#include <stddef.h>
#include <string.h>

/* A scan of the first `end` items that removes some of them and compacts the rest:
 *
 *     0        kept        next         end            count
 *     | kept   | a gap     | unscanned  | newer        |        all 0: no scan is in progress
 */
struct mp_sliced_scan {
    size_t kept, next, end;
};

/* Closes the gap after the last item was scanned. */
static inline void mp_sliced_scan_end(struct mp_sliced_scan *scan, void *items, size_t *count,
                                      size_t item_bytes) {
    char *at = items;
    ASSERT(scan->kept <= scan->next && scan->next == scan->end && scan->end <= *count);
    memmove(at + scan->kept * item_bytes, at + scan->end * item_bytes,
            (*count - scan->end) * item_bytes);
    *count -= scan->end - scan->kept;
    *scan = (struct mp_sliced_scan){.end = 0};
}

#endif
