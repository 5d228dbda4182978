/* debug_events.h - debug events: tables of them, which are filled from values and from marshalled
 * lists, and marshalled lists whose events are read one at a time. Private to vm/marshal;
 * debuginfo.h has its invariants. */
#ifndef BACTRIAN_VM_MARSHAL_DEBUG_EVENTS_H
#define BACTRIAN_VM_MARSHAL_DEBUG_EVENTS_H

#include "gc/containers.h"
#include "gc/value.h"
#include "vm/base/arena.h"
#include "vm/base/status.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/scan.h"

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
/* The order of DI1, as qsort has it. */
int debug_events_order(const void *a, const void *b);
void debug_events_free(struct debug_events *t);

/* A marshalled list: the positions of its events, which are read on demand (DI5). Starts as {0}. */
struct debug_list {
    struct marshal_scan scan;
    struct debug_rows VECTOR(struct debug_row {
        uint32_t pc;
        uint32_t noted; /* the noted place of the event's fields */
    }) rows;
    struct word_map texts; /* those that were kept, by 1 + the object's number */
    uint64_t start;        /* the first byte of the code */
};

/* Makes bytes of a list available, which may replace others. */
typedef enum vm_status debug_fetch(void *context, const uint8_t *bytes, size_t n,
                                   struct vm_error *error);

/* Finds the events of a list of n bytes, which are there. GC: never, as below. Fails:
 * VM_BAD_MARSHAL, VM_NO_MEMORY; the list is empty then. */
enum vm_status debug_list_open(struct debug_list *l, const uint8_t *bytes, size_t n, uint64_t start,
                               struct vm_error *error);
/* Reads an event; t keeps its texts. fetch: NULL if all bytes are there. Fails: as above. */
enum vm_status debug_list_event(struct debug_list *l, size_t row, struct debug_events *t,
                                debug_fetch *fetch, void *context, struct vm_debug_event *out,
                                struct vm_error *error);
void debug_list_free(struct debug_list *l);

#endif
