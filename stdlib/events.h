/* events.h - runtime events of OCaml 5: rings of what the collector and the program do, in a file
 * that other processes map.
 *
 *     PID.events   | header | ring headers | rings, one a domain | names of the program's events |
 *
 * An item of a ring is a header word (its length in words, its type and number), a time stamp, and
 * up to 1,021 words of contents. A writer makes room by moving the ring's head over the oldest
 * items; readers, which follow at their own pace, notice that. The layout is that of OCaml 5, whose
 * module Runtime_events reads these files.
 *
 * EV1  head <= tail <= head + the words of a ring, and items fill [head, tail).
 * EV2  Events are written by the thread that holds the runtime lock.
 * EV3  The file is only written to, since the program may overwrite it; of what it holds, lengths
 *      of items alone are read, and not trusted. */
#ifndef BACTRIAN_STDLIB_EVENTS_H
#define BACTRIAN_STDLIB_EVENTS_H

#include "stdlib/state.h"

struct events;

/* OCaml's numbers: runtime_phase, runtime_counter and lifecycle of module Runtime_events. */
enum event_phase {
    EV_EXPLICIT_GC_SET,
    EV_EXPLICIT_GC_STAT,
    EV_EXPLICIT_GC_MINOR,
    EV_EXPLICIT_GC_MAJOR,
    EV_EXPLICIT_GC_FULL_MAJOR,
    EV_EXPLICIT_GC_COMPACT,
    EV_MAJOR,
    EV_MAJOR_SWEEP,
    EV_MAJOR_MARK = 10,
    EV_MINOR,
    EV_EXPLICIT_GC_MAJOR_SLICE = 16,
    EV_MAJOR_FINISH_MARKING = 22,
    EV_MAJOR_SLICE = 27,
    EV_MAJOR_FINISH_CYCLE,
    EV_STW_LEADER = 35,
    EV_COMPACT = 44,
    EV_COMPACT_EVACUATE,
    EV_COMPACT_FORWARD,
    EV_COMPACT_RELEASE
};
enum event_counter {
    EV_C_FORCE_MINOR_SET_MINOR_HEAP_SIZE = 2,
    EV_C_MINOR_PROMOTED = 4,
    EV_C_MINOR_ALLOCATED,
    EV_C_MAJOR_HEAP_POOL_WORDS = 11,
    EV_C_MAJOR_HEAP_POOL_LIVE_WORDS,
    EV_C_MAJOR_HEAP_LARGE_WORDS,
    EV_C_MAJOR_HEAP_POOL_FRAG_WORDS,
    EV_C_MAJOR_HEAP_POOL_LIVE_BLOCKS,
    EV_C_MAJOR_HEAP_LARGE_BLOCKS
};
enum event_lifecycle {
    EV_RING_START,
    EV_RING_STOP,
    EV_RING_PAUSE,
    EV_RING_RESUME,
    EV_FORK_PARENT,
    EV_FORK_CHILD,
    EV_DOMAIN_SPAWN,
    EV_DOMAIN_TERMINATE
};
/* What the program's events carry: the constructors of Runtime_events.Type that have no arguments,
 * and items in the ring. */
enum event_type { EVENT_UNIT, EVENT_INT, EVENT_SPAN };
enum event_item { ITEM_UNIT, ITEM_INT, ITEM_SPAN_BEGIN, ITEM_SPAN_END, ITEM_BYTES };

enum { EVENT_BUFFER_BYTES = 1024 }; /* what the program's functions may write */

/* Creates the file, unless it exists, in the folder that OCAML_RUNTIME_EVENTS_DIR names, or here.
 * Fails: raises where the policy refuses that, or ends the process, as OCaml does. GC: never. */
void events_start(struct domain *d);
/* The same if OCAML_RUNTIME_EVENTS_START requests it and the policy grants it. GC: never. */
void events_start_if_asked(struct domain *d);
void events_pause(struct domain *d);
void events_resume(struct domain *d);
/* Whether events are written. */
bool events_are_active(struct domain *d);
/* The path of the file; NULL: events were not started. */
const char *events_path(struct domain *d);
/* Unmaps the file, and removes it unless OCAML_RUNTIME_EVENTS_PRESERVE is set. GC: never. */
void events_end(struct prim_state *state);
/* In a child process: creates a file of its own if the parent had one. GC: never. */
void events_after_fork(struct domain *d);

/* Writes an event, if events are active. GC: never, for all of them. */
void events_begin(struct domain *d, enum event_phase phase);
void events_finish(struct domain *d, enum event_phase phase);
void events_count(struct domain *d, enum event_counter counter, uint64_t n);
void events_lifecycle(struct domain *d, enum event_lifecycle what, uint64_t n);
/* The running domain begins or ends. */
void events_domain_changed(struct domain *d, bool begins);
/* One of the program's: n words of contents. */
void events_write(struct domain *d, enum event_item type, unsigned number, const void *words,
                  size_t n);
/* The next number for an event of the program, whose name readers find in the file; -1: no more.
 * `events` is the list of all, which is kept. */
int events_register(struct domain *d, const char *name);
/* The registered events: a list. A root. */
value *events_registered(struct domain *d);

#endif
