/* root_names.h - what a root is part of: a frame, a shared library. */
#ifndef BACTRIAN_MEMPROF_RECORDER_ROOT_NAMES_H
#define BACTRIAN_MEMPROF_RECORDER_ROOT_NAMES_H

#include "gc/containers.h"
#include "vm/stack/frames.h"

/* The frames of the running thread, by base. */
struct mp_frames VECTOR(struct vm_frame);

/* Lists those that begin before `end` on the stack, or in buffers of fibers; none when out of
 * memory. GC: never, like all below. */
void mp_frames_list(struct mp_frames *frames, struct domain *d, const value *end);
void mp_frames_free(struct mp_frames *frames);
/* The frame among whose words a slot lies; NULL: none. */
const struct vm_frame *mp_frames_with(const struct mp_frames *frames, const value *slot);
/* The innermost frame that begins at a slot or beyond it, on the stack or in the same buffer; NULL:
 * none. */
const struct vm_frame *mp_frames_after(const struct mp_frames *frames, const value *slot);

/* The base name of the shared library that an address lies in; "": none, or Bactrian itself. */
const char *mp_library_of(const void *address);

#endif
