/* sliced_scan.h - scans the first items of a list in slices while the list grows at its end. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_SLICED_SCAN_H
#define BACTRIAN_MEMPROF_SAMPLING_SLICED_SCAN_H

#include <stddef.h>
#include <string.h>

/* A pass over the first `end` items, which closes ranks over those that it takes out:
 *
 *     0        kept        next         end            count
 *     | stay     | a gap     | to come    | newer        |        all 0: no pass is under way
 */
struct mp_sliced_scan {
    size_t kept, next, end;
};

/* Closes the gap when there is nothing to come: the list is whole again. */
static inline void mp_sliced_scan_end(struct mp_sliced_scan *pass, void *items, size_t *count,
                                      size_t item_bytes) {
    char *at = items;
    memmove(at + pass->kept * item_bytes, at + pass->end * item_bytes,
            (*count - pass->end) * item_bytes);
    *count -= pass->end - pass->kept;
    *pass = (struct mp_sliced_scan){.end = 0};
}

#endif
