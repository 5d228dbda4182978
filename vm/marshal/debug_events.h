/* debug_events.h - a table of debug events: what is kept of those that the compiler wrote. Private
 * to vm/.
 *
 * DI1  The events of each part of a table are sorted by pc, then line, start and end column.
 * DI3  Each text is kept once, and stays where it is as long as the table lives. */
#ifndef BACTRIAN_VM_MARSHAL_DEBUG_EVENTS_H
#define BACTRIAN_VM_MARSHAL_DEBUG_EVENTS_H

#include "gc/value.h"
#include "vm/base/arena.h"

enum vm_event_kind { VM_EVENT_BEFORE, VM_EVENT_AFTER, VM_EVENT_PSEUDO };

struct vm_debug_event {
    uint32_t pc;                       /* words from the start of the code */
    uint32_t kind;                     /* enum vm_event_kind */
    int32_t line, start, end;          /* columns count from the start of the first line */
    uint32_t file, definition, module; /* numbers of texts */
};

/* Starts as {0}; owns everything in it. */
struct vm_debugevents {
    struct vm_debug_event *events;
    size_t count, capacity;
    const char **texts; /* by number */
    uint32_t text_count, text_capacity;
    uint32_t *buckets; /* open addressing: text number + 1, 0: free */
    uint32_t bucket_count;
    struct vm_debug_met *met; /* while a list is added: texts by address */
    size_t met_count, met_capacity;
    struct vm_arena arena; /* the texts' bytes */
};

/* Adds a list of events of code that starts at that byte, at most as many as are left of *limit, as
 * a part of its own: sorted, without regard to those before. Nothing in there is trusted: every
 * field's shape is tested. GC: never.  Fails: false, and the table is as before: they are
 * ill-formed, or there is no memory. */
bool vm_debugevents_add(struct vm_debugevents *t, value list, uint64_t start, size_t *limit);
/* Makes one sorted part of the whole table. GC: never. */
void vm_debugevents_merge(struct vm_debugevents *t);
/* The event of a pc (DI2 in debuginfo.h) among count sorted ones; NULL: there is none.
 * GC: never. */
const struct vm_debug_event *vm_debugevents_find(const struct vm_debug_event *events, size_t count,
                                                 uint32_t pc);
void vm_debugevents_free(struct vm_debugevents *t);

#endif
