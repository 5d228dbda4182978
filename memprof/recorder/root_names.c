/* root_names.c - see root_names.h. */
#include "memprof/recorder/root_names.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int by_base(const void *a, const void *b) {
    const struct vm_frame *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

void mp_frames_list(struct mp_frames *frames, struct domain *d, const value *end) {
    struct vm_frame frame;
    bool lost = false;
    frames->count = 0;
    for (bool more = vm_frames_first(d, &frame); more && !lost; more = vm_frames_next(d, &frame)) {
        if (frame.fiber == NULL && frame.base >= end) break;
        lost = !vector_push(frames, frame, 256, NULL);
    }
    if (lost) frames->count = 0;
    if (frames->count > 1) qsort(frames->items, frames->count, sizeof *frames->items, by_base);
}

void mp_frames_free(struct mp_frames *frames) {
    free(frames->items);
    *frames = (struct mp_frames){.count = 0};
}

const struct vm_frame *mp_frames_with(const struct mp_frames *frames, const value *slot) {
    const struct vm_frame *items = frames->items;
    size_t n = sorted_prefix(frames->count, i, items[i].base <= slot);
    return n > 0 && slot < items[n - 1].base + items[n - 1].height ? &items[n - 1] : NULL;
}

const struct vm_frame *mp_frames_after(const struct mp_frames *frames, const value *slot) {
    const struct vm_frame *items = frames->items;
    size_t n = sorted_prefix(frames->count, i, items[i].base < slot);
    return n < frames->count ? &items[n] : NULL;
}

const char *mp_library_of(const void *address) {
    Dl_info found, own;
    if (dladdr(address, &found) == 0 || found.dli_fname == NULL) return "";
    if (dladdr((const void *)mp_library_of, &own) != 0 && own.dli_fbase == found.dli_fbase)
        return "";
    const char *slash = strrchr(found.dli_fname, '/');
    return slash == NULL ? found.dli_fname : slash + 1;
}
