/* debug_events.h - the table of debug events, which is filled from values and from marshalled
 * lists. Private to vm/marshal; debuginfo.h has its invariants. */
#ifndef BACTRIAN_VM_MARSHAL_DEBUG_EVENTS_H
#define BACTRIAN_VM_MARSHAL_DEBUG_EVENTS_H

#include "gc/containers.h"
#include "gc/value.h"
#include "vm/base/arena.h"
#include "vm/base/status.h"
#include "vm/marshal/debuginfo.h"

/* Starts as {0}. */
struct debug_events {
    struct VECTOR(struct vm_debug_event) table;
    struct vm_arena texts;
    bool no_memory; /* for an event */
};

/* Adds the events of a list (at most *limit, as it may be cyclic), sorted (DI1); start: the first
 * byte of their code. False: an event is ill-formed, or no_memory; none was added. GC: never. */
bool debug_events_add_list(struct debug_events *t, value list, uint64_t start, size_t *limit);
/* The same for a marshalled list of n bytes. GC: never. Fails: VM_BAD_MARSHAL, VM_NO_MEMORY. */
enum vm_status debug_events_add_marshalled(struct debug_events *t, const uint8_t *bytes, size_t n,
                                           uint64_t start, struct vm_error *error);
/* Sorts events (DI1). */
void debug_events_sort(struct vm_debug_event *events, size_t count);
void debug_events_free(struct debug_events *t);

#endif
