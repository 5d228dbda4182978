/* recorder_internal.h - the recorder's state: what its parts share. */
#ifndef BACTRIAN_MEMPROF_RECORDER_RECORDER_INTERNAL_H
#define BACTRIAN_MEMPROF_RECORDER_RECORDER_INTERNAL_H

#include "memprof/format/writer.h"
#include "memprof/recorder/recorder.h"
#include "memprof/sampling/sampler.h"
#include "memprof/sampling/tracker.h"

#include <stdatomic.h>

/* From keys to numbers; 0 is no key and no number. */
struct mp_map {
    struct mp_map_slot {
        uint64_t key;
        uint32_t number;
    } * slots;
    size_t count, capacity; /* capacity: a power of two */
};

/* What the file has been told of: numbers of locations and of nodes of call stacks.
 *
 * RI1  nodes[i] is the node of the frames gpcs[0..i], for i < depth. */
struct mp_interned {
    struct mp_map locations; /* by gpc */
    struct mp_map strings;   /* by the text's hash */
    struct mp_map node_of;   /* by caller and location */
    uint32_t location_count, string_count, node_count;
    uint64_t *gpcs;
    uint32_t *nodes;
    size_t depth, capacity;
    uint64_t
        version; /* of the call stack that the path was made of (vm/stack/callstack.h); 0: none */
    uint32_t node, location; /* of its innermost frame; 0: unknown */
    uint16_t *tags;          /* of each location, 1 + what the file was told last; 0: nothing yet */
    size_t tag_capacity;
    bool cut;        /* the outermost frames are missing from gpcs: --max-depth */
    uint64_t *fresh; /* locations of the nodes that are new */
};

/* Exact counts of what is allocated at each place (recorder_sites.c).
 *
 * RI2  touched lists once each index of at whose counts are not zero. */
struct mp_sites {
    struct mp_stream stream;
    struct mp_lane lane;
    struct mp_site_count {
        uint64_t words, blocks;
    } * at; /* 1 + gpc; 0: no OCaml code was running */
    size_t capacity;
    uint64_t *touched;
    size_t touched_count, touched_capacity;
};

enum { MP_ACTIVITY_DEPTH = 8 };

struct mp_recorder {
    struct domain *d;
    struct mp_sampler *sampler;
    struct mp_tracker *tracker;
    struct mp_recorder_options options;
    struct mp_writer *writer;
    int fd;
    char *path, *snapshot_path, *part_path; /* part_path: of a snapshot that is being written */
    volatile uint32_t *alive;               /* RC3: 0 in a child process */
    bool silent;                            /* nothing is recorded any more */
    bool failed;
    struct mp_interned interned;
    struct mp_sites sites;
    uint64_t lost_sites;           /* allocations that could not be counted */
    uint32_t last_stack;           /* of the sample before */
    unsigned last_tag;             /* the same; any, while last_stack is 0 */
    struct mp_counters counters;   /* as last written */
    uint64_t start_ns, entered_ns; /* of the recording; of the function that runs */
    uint64_t entered_ticks;        /* when entered_ns was read */
    bool time_is_news;             /* no record has said entered_ns yet */
    uint64_t last_us;              /* of the record before */
    uint64_t flushed_ns, counted_ns, shown_ns;
    uint64_t ended_ns; /* of the program; 0: it goes on */
    uint64_t overhead_ns;
    unsigned hits_to_pass, warm_up_hits; /* until one is measured; that were measured at first */
    uint64_t chunks_before;              /* that were written before the function that runs */
    unsigned activity_depth;
    uint64_t activity_ns[MP_ACTIVITY_DEPTH];
    uint64_t promoted_before; /* promoted words when the pause began */
    unsigned open_phases;
    bool debug_read;           /* debugging information was looked for */
    bool finished, closed;     /* a record `finish`, a record `end` was written */
    _Atomic bool inside;       /* a function of the recorder runs */
    _Atomic bool held;         /* a handler does what signals asked for: who comes in waits */
    _Atomic bool snapshot_due; /* SIGUSR1 asked for one */
    _Atomic int killed_by;     /* the deadly signal that came */
    uint64_t handled;          /* signals whose disposition is ours, a bit each */
};

/* Microseconds from the last record that has a time to the one that is about to be written. */
uint64_t mp_recorder_elapsed(struct mp_recorder *r);
/* Now, in nanoseconds; async-signal-safe. */
uint64_t mp_now_ns(void);

/* The node of the machine's call stack, whose location is interned.location, or 0 if it is unknown;
 * defines in the file what is new of it. */
uint32_t mp_intern_stack(struct mp_recorder *r);
/* The number of a place's location; defines it in the file if it is new. */
uint32_t mp_intern_location(struct mp_recorder *r, uint64_t gpc);
/* The number of a string, new each time. */
uint32_t mp_intern_text(struct mp_recorder *r, const char *text, size_t length);
void mp_interned_clear(struct mp_interned *t);

/* RC3: this is a child process, which gets a file of its own or falls silent. */
void mp_recorder_become_child(struct mp_recorder *r);
/* Whether anything is to be recorded. In a child process, makes its file first, or falls silent. */
static inline bool mp_recorder_is_recording(struct mp_recorder *r) {
    if (__builtin_expect(*r->alive == 0, 0) && !r->silent) mp_recorder_become_child(r);
    return !r->silent && !r->failed;
}
/* What was sampled and could not be recorded. */
uint64_t mp_recorder_lost(const struct mp_recorder *r);

/* Tells the file the tag of the blocks of a location, if that is news. */
void mp_note_tag(struct mp_recorder *r, uint32_t location, unsigned tag);

/* Exact counts: starts, writes what came since the last time, forgets that, ends. */
void mp_sites_start(struct mp_recorder *r);
void mp_sites_write(struct mp_recorder *r);
void mp_sites_forget(struct mp_recorder *r);
void mp_sites_stop(struct mp_recorder *r);

/* Signals: SIGUSR1 writes a snapshot; deadly ones, and exit() from C, close the file first. Only
 * one recorder of the process hears them. */
void mp_recorder_listen(struct mp_recorder *r);
void mp_recorder_deafen(struct mp_recorder *r);
/* Does what signals asked for, if no function of the recorder runs and no handler does it.
 * Async-signal-safe. */
void mp_recorder_serve_signals(struct mp_recorder *r);
/* Held is true: comes in when it is not any more. False: nothing is to be recorded now. */
bool mp_recorder_wait_to_come_in(struct mp_recorder *r);

#endif
