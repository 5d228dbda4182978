/* recorder_internal.h - the recorder's state: what its parts share. */
#ifndef BACTRIAN_MEMPROF_RECORDER_RECORDER_INTERNAL_H
#define BACTRIAN_MEMPROF_RECORDER_RECORDER_INTERNAL_H

#include "gc/containers.h"
#include "memprof/format/writer.h"
#include "memprof/recorder/names.h"
#include "memprof/recorder/recorder.h"
#include "memprof/recorder/root_names.h"
#include "memprof/sampling/sampler.h"
#include "memprof/sampling/tracker.h"
#include "vm/marshal/variables.h"

#include <pthread.h>
#include <stdatomic.h>

/* The numbers of the nodes of call stacks that were made last, by caller and location: an open hash
 * table of numbers. A program may have many millions of nodes, of which most are never met again:
 * when the table is full, all are forgotten. A forgotten node that is met again gets a second
 * number, and readers take both for one. */
struct mp_nodes {
    uint32_t *slots; /* numbers; 0: free */
    size_t slot_count, used;
    uint32_t first; /* the lowest number that is not forgotten */
    struct mp_node {
        uint32_t caller, location;
    } * of; /* by number - first */
    size_t capacity;
};

/* What the file has defined: strings, locations and nodes of call stacks.
 *
 * RI1  path[i].node is the node of the frames path[0..i].gpc, for i < depth. */
struct mp_interned {
    struct mp_names names;
    struct mp_nodes nodes;
    uint32_t node_count;
    struct mp_frame {
        uint64_t gpc;
        uint32_t node;
    } * path; /* of the last call stack, outermost frame first */
    size_t depth, capacity;
    uint64_t version;              /* of that call stack (vm/stack/callstack.h); 0: none */
    uint32_t node, location;       /* of its innermost frame; 0: unknown */
    bool cut;                      /* its outermost frames are missing: --max-depth */
    struct VECTOR(uint64_t) fresh; /* locations of the nodes that are new */
    struct VECTOR(uint64_t) inner; /* frames of suspended fibers, innermost first */
    struct word_map chains;        /* the node and location of continuations, by their fibers */
    uint16_t *tags;                /* of each location, 1 + the tag written last; 0: none yet */
    size_t tag_capacity;
};

/* Exact counts of what is allocated at each site (sites.c).
 *
 * RI2  touched lists once each index of at whose counts are not zero. */
struct mp_sites {
    struct mp_stream stream;
    struct mp_lane lane;
    struct mp_site_count {
        uint64_t words, blocks;
    } * at; /* 1 + gpc; 0: no OCaml code was running */
    size_t capacity;
    struct VECTOR(uint64_t) touched;
};

/* Ticks of CPU time that no record has yet (ticks.c). */
struct mp_ticker {
    pthread_t thread;
    bool runs;
    _Atomic bool ends, in_pause;
    _Atomic uint32_t running, collecting;
};

/* What the program counts, by name. Strings are of this file; 0: not defined in it yet. */
enum { MP_MOST_NAMES = 64 };
struct mp_named_counts {
    struct mp_named_count {
        char *name;
        size_t length;
        uint32_t string;
        uint64_t pending; /* no record has them yet */
    } at[MP_MOST_NAMES];
    size_t count;
    uint64_t written_ns;
};

/* What holds promoted blocks (held.c). */
struct mp_held {
    struct mp_record_held by; /* without its list */
    uint64_t id;
    const value *field; /* of the major block `owner`; NULL: another root */
    value owner;
};
struct mp_holders {
    struct VECTOR(struct mp_held) held; /* of the collection that runs */
    struct mp_frames frames;            /* likewise */
    /* For each slot of the remembered set, the address of the instruction that filled it, 0:
     * unknown; those that are not listed are of the last instruction. */
    struct VECTOR(uintptr_t) stores;
    uintptr_t last_instruction;
    struct vm_variables variables;
    struct word_map words; /* names of words of frames */
    /* Fields that led to what was promoted, until they lead elsewhere, or their block is dead. */
    struct VECTOR(struct mp_edge {
        value owner; /* the major block; block: what the field leads to */
        const value *field;
        value block;
        uint64_t id;
    }) edges;
    struct word_map kept; /* 1 + ids of those to which the field of a dead block leads */
};

enum { MP_ACTIVITY_DEPTH = 8 };

enum { COUNTERS_EVERY_NS = 10000000 };
#define SECOND_NS ((uint64_t)1000000000)

/* Markings of the recorder's own (pauses.c). Words, of the last one or of the most. */
struct mp_exact {
    bool wanted, running;
    uint64_t most_kept; /* by any marking */
    uint64_t in_use;    /* at the highest maximum that was marked */
    uint64_t kept;      /* by the last one of the recorder's */
    uint64_t allocated; /* until that one */
};

/* RI3  The recorder and its file are changed in a section (in_section) or by a signal handler
 *      (in_handler), one at a time: a handler that finds a section leaves its request to it. */
struct mp_recorder {
    struct domain *d;
    struct mp_sampler *sampler;
    struct mp_tracker *tracker;
    struct mp_recorder_options options;
    struct mp_writer *writer;
    int fd;                          /* of the file; -1: none */
    struct mp_output output;         /* its path */
    char *farewell;                  /* NULL: nothing */
    char *snapshot_path, *part_path; /* part_path: of a snapshot that is being written */
    volatile uint32_t *own_process;  /* RC3: 0 in a child process */
    bool silent;                     /* nothing more is recorded */
    bool failed;
    int problem; /* why, an errno */
    struct mp_interned interned;
    struct mp_sites sites;
    uint64_t lost_sites;           /* allocations that could not be counted */
    uint32_t last_stack;           /* of the last sample */
    struct mp_thread last_thread;  /* of the last sample; 0: there was none */
    unsigned last_tag;             /* of the last sample; any, while last_stack is 0 */
    struct mp_counters counters;   /* as last written */
    uint64_t start_ns, process_ns; /* of the recording; the process's time when it began */
    struct mp_times entered;       /* when the section that runs began */
    uint64_t entered_ticks;        /* when that was read */
    bool time_unwritten;           /* no record has that time yet */
    uint64_t last_us;              /* the time of the last record */
    uint64_t flushed_ns, counted_ns, shown_ns, weighed_ns;
    uint64_t shown_words; /* allocated until then */
    uint64_t ended_ns;    /* of the program; 0: it runs */
    struct mp_times overhead;
    struct mp_times reading; /* what reading the clocks adds to a section's times */
    struct mp_times rare;    /* when a section's first new location was interned; 0: none was */
    unsigned hits_to_skip, warm_up_hits; /* until one is measured; measured at the start */
    uint64_t chunks_before;              /* written before the section that runs */
    unsigned activity_depth;
    uint64_t activity_ns[MP_ACTIVITY_DEPTH];
    struct {
        struct mp_times began, overhead; /* overhead: until it began */
        uint64_t promoted_before;        /* words promoted until then */
    } pause;
    unsigned cause; /* of pauses, as last written */
    struct mp_exact exact;
    struct mp_ticker ticker;
    struct mp_named_counts named;
    struct mp_holders holders;
    void (*other_poll)(void *state); /* vm_profiler.poll without the recorder */
    struct {
        uint64_t began_ns;  /* 0: there is none that is not recorded yet */
        uint64_t allocated; /* words, in the major heap and outside, until it began */
        uint64_t words;     /* that it kept, once it has ended */
    } marking;
    uint64_t most_words; /* in use, as last written */
    unsigned open_phases;
    struct {
        uint64_t times, dead, live; /* weights of the last time: keep.c */
    } thinned;
    bool finished, closed;           /* a record `finish`, a record `end` was written */
    _Atomic bool in_section;         /* RI3 */
    _Atomic bool in_handler;         /* RI3 */
    _Atomic bool snapshot_requested; /* by SIGUSR1 */
    _Atomic int killed_by;           /* the fatal signal that came */
    uint64_t handled;                /* signals that have a handler of ours, a bit each */
};

/* A section begins and ends (RI3); in between the recorder may be changed. False: nothing is to be
 * recorded. weight: the number of sections for which this one's time is counted; 0: its time is not
 * overhead. */
bool mp_recorder_enter(struct mp_recorder *r);
void mp_recorder_leave(struct mp_recorder *r, unsigned weight);

/* Collector's activities, as mp_tracker_events.activity. */
void mp_on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                    size_t words);
/* At a poll, with live_exact: marks everything, if a new maximum was reached. GC: may run. */
void mp_exact_poll(struct mp_recorder *r);
/* At a poll, with keep_bytes: writes the file again with fewer samples, if it is too large. GC:
 * never. */
void mp_keep_poll(struct mp_recorder *r);
/* Writes the resident memory of the process. */
void mp_resident_write(struct mp_recorder *r);
/* Starts the thread that takes ticks, ends it; in a child process there is none. Writes the ticks
 * since the last time, at a poll: in a section of its own. GC: never. */
void mp_ticker_start(struct mp_recorder *r);
void mp_ticker_stop(struct mp_recorder *r);
void mp_ticker_forget(struct mp_recorder *r);
void mp_ticks_write(struct mp_recorder *r);
/* Writes the current counters, and what the program has counted. */
void mp_counters_write(struct mp_recorder *r);
/* Writes what the program has counted. Async-signal-safe. Forgets it, in a child process. */
void mp_named_counts_write(struct mp_recorder *r);
void mp_named_counts_clear(struct mp_recorder *r);
/* Writes the recording's cost and its end. Async-signal-safe. */
void mp_end_write(struct mp_recorder *r, uint64_t elapsed);

/* Microseconds from the last record that has a time to the one that is about to be written. */
uint64_t mp_recorder_elapsed(struct mp_recorder *r);
/* Now, with the thread's CPU time; the process's CPU time, in nanoseconds. Both are
 * async-signal-safe. */
struct mp_times mp_times_now(void);
uint64_t mp_process_ns(void);

/* A call stack in the file, and the location of its innermost frame; 0: unknown. */
struct mp_site_of_stack {
    uint32_t node, location;
};
/* The machine's call stack. Defines its new parts in the file. */
struct mp_site_of_stack mp_intern_stack(struct mp_recorder *r);
/* That of the continuation in which `fiber` is about to be suspended (vm_profiler.fiber_suspended
 * has the arguments). */
struct mp_site_of_stack mp_intern_suspended(struct mp_recorder *r, const struct vm_fiber *fiber,
                                            const struct vm_fiber *inner);
/* The fiber has left its continuation. */
void mp_forget_suspended(struct mp_recorder *r, const struct vm_fiber *fiber);
/* The number of the location of a pc; defines it in the file if it is new. */
uint32_t mp_intern_location(struct mp_recorder *r, uint64_t gpc);
/* The number of a string, new each time. */
uint32_t mp_intern_text(struct mp_recorder *r, const char *text, size_t length);
void mp_interned_clear(struct mp_interned *t);
/* The file is another one, with as many strings, locations and nodes, of which nothing is known. */
void mp_interned_forget(struct mp_interned *t, uint32_t strings, uint32_t locations,
                        uint32_t nodes);

/* RC3: this is a child process, which gets a file of its own or is not recorded. */
void mp_recorder_become_child(struct mp_recorder *r);
/* Whether anything is to be recorded; in a child process, after the function above. */
static inline bool mp_recorder_is_recording(struct mp_recorder *r) {
    if (__builtin_expect(*r->own_process == 0, 0) && !r->silent) mp_recorder_become_child(r);
    return !r->silent && !r->failed;
}
/* Samples that could not be recorded. */
uint64_t mp_recorder_lost(const struct mp_recorder *r);

/* Writes the tag of the blocks of a location, if it is new. */
void mp_record_tag(struct mp_recorder *r, uint32_t location, unsigned tag);

/* With --promoted: finds what holds the blocks that the minor collection which begins will promote;
 * writes that, before their PROMOTIONS; forgets everything. GC: never. */
void mp_held_find(struct mp_recorder *r);
void mp_held_write(struct mp_recorder *r);
/* When marking has ended: which fields' blocks are dead. */
void mp_held_marked(struct mp_recorder *r);
/* Whether a field of a dead block led to a block, which is dead, to the end. Forgets the block. */
bool mp_held_to_the_end(struct mp_recorder *r, uint64_t id);
void mp_held_clear(struct mp_holders *h);

/* Exact counts: starts (false: too many streams), writes those since the last time, forgets these,
 * ends. */
bool mp_sites_start(struct mp_recorder *r);
void mp_sites_write(struct mp_recorder *r);
void mp_sites_forget(struct mp_recorder *r);
void mp_sites_stop(struct mp_recorder *r);

/* Signals: SIGUSR1 writes a snapshot; fatal ones, and exit() from C, close the file first. They
 * serve only one recorder of the process. */
void mp_recorder_handle_signals(struct mp_recorder *r);
void mp_recorder_restore_signals(struct mp_recorder *r);
/* Serves the requests of signals, if RI3 allows it now. Async-signal-safe. */
void mp_recorder_serve_signals(struct mp_recorder *r);
/* A handler is in the recorder: begins the section when it has left. False: nothing is to be
 * recorded now. */
bool mp_recorder_wait_for_handler(struct mp_recorder *r);

#endif
