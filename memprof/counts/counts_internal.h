/* counts_internal.h - the state of counting.
 *
 * A row is a line of mlmon.out: first the sources, of which 0 is <unknown>, 1 <gc> and i + 1 the
 * function with id i; then the names, since several sources may have the same one. */
#ifndef BACTRIAN_MEMPROF_COUNTS_COUNTS_INTERNAL_H
#define BACTRIAN_MEMPROF_COUNTS_COUNTS_INTERNAL_H

#include "gc/containers.h"
#include "memprof/counts/counts.h"
#include "memprof/sampling/sampler.h"

#include <signal.h>
#include <sys/types.h>
#include <time.h>

enum { SOURCE_UNKNOWN, SOURCE_GC, SOURCE_FIRST };

/* How long a source or name was on the stack, in events. */
struct mp_counts_share {
    uint64_t events, gc_events;
};

struct mp_count_set {
    struct mp_count_set *next;
    uint64_t id; /* unique in this machine, never reused */
    uint64_t total, total_gc;
    uint64_t *own;                           /* events by source */
    struct mp_counts_share *sources, *names; /* with stacks, by number; closed intervals */
    uint32_t source_capacity, name_capacity;
    uint32_t base; /* frames on the stack when it became current: MU2 */
};

/* A source or name that is on the stack now, and since when. */
struct mp_counts_open {
    uint32_t occurrences;
    struct mp_counts_share since;
};

struct mp_counts_call {
    uint32_t callee; /* a source */
    uint32_t next;   /* call of the same caller, plus 1; 0: none */
};

struct mp_counts_name {
    char *text; /* NAME, or NAME<TAB>FILE: LINE */
    uint32_t number;
};

/* A set that was current before the running withData. */
struct mp_saved_set {
    uint64_t id;
    uint32_t base;
};

/* Ticks still to be counted for the stack. */
enum { PENDING_TICKS = 32 };
struct mp_counts_tick {
    uint32_t function, ticks;
    bool gc;
};

struct mp_counts {
    struct domain *d;
    struct mp_sampler *sampler;
    struct mp_stream stream; /* for collections, and with MP_COUNTS_ALLOC every word */
    struct mp_lane lane;
    enum mp_counts_kind kind;
    bool stacks;
    uint32_t magic;
    pid_t pid;  /* MU3 */
    char *path; /* of mlmon.out, absolute: the program may change its working directory */
    struct mp_count_set *sets, *volatile current;
    uint64_t last_id;
    struct VECTOR(struct mp_saved_set) saved;

    /* The stack as it was at the last event (MU2). */
    struct VECTOR(uint32_t) shadow; /* function ids, outermost first */
    struct mp_counts_open *open_sources, *open_names;
    struct mp_counts_share clock; /* the event clock: events of all sets so far */

    /* The sources file. */
    uint32_t source_count, name_count, name_capacity;
    uint32_t *name_of;           /* by source */
    const char **names;          /* by number */
    uint32_t *first_source;      /* by name: one of its sources, plus 1 */
    uint32_t *next_source;       /* by source: another one of its name, plus 1; 0: none */
    void *name_tree;             /* of tsearch: names by text */
    struct word_map known_calls; /* by caller plus 1, and callee */
    struct VECTOR(struct mp_counts_call) calls;
    uint32_t *first_call;  /* by source: the first of its calls, plus 1 */
    uint32_t *last_caller; /* by source: its last recorded caller, plus 1 */

    timer_t timer;
    bool timer_runs;
    volatile unsigned collecting; /* > 0: the collector runs */
    struct mp_counts_tick pending[PENDING_TICKS];
    volatile unsigned pending_count;
    _Atomic uint32_t late_ticks; /* not counted yet */
    _Atomic unsigned lock;       /* MU4: 0 when free */
};

/* With the lock held: counts pending ticks for the shadow stack as it is. */
void mp_counts_credit_ticks(struct mp_counts *c);

/* ---- sources.c ---- */
/* Creates a set without counts (NULL: out of memory), and frees one that is in no list. */
struct mp_count_set *mp_count_set_create(struct mp_counts *c);
void mp_count_set_release(struct mp_count_set *set);
/* Describes new functions, and makes room for them in all tables. False: out of memory. */
bool mp_counts_describe(struct mp_counts *c);
/* Records a call of one function by another. */
void mp_counts_record_call(struct mp_counts *c, uint32_t caller, uint32_t callee);
void mp_counts_free_sources(struct mp_counts *c);
static inline uint32_t mp_source_of_function(uint32_t function) {
    return function == 0 ? SOURCE_UNKNOWN : function + 1;
}
/* The same; SOURCE_UNKNOWN if the function is not described yet. */
static inline uint32_t mp_known_source(const struct mp_counts *c, uint32_t function) {
    uint32_t source = mp_source_of_function(function);
    return source < c->source_count ? source : SOURCE_UNKNOWN;
}
/* Adds the events of an open interval up to now. */
static inline void mp_counts_add_interval(const struct mp_counts *c,
                                          const struct mp_counts_open *open,
                                          struct mp_counts_share *share) {
    share->events += c->clock.events - open->since.events;
    share->gc_events += c->clock.gc_events - open->since.gc_events;
}

/* ---- mlmon.c: async-signal-safe ---- */
/* Writes a set to path, and the names to the sources file beside it. Returns 0 or an errno. */
int mp_counts_write(const struct mp_counts *c, const struct mp_count_set *set, const char *path);

/* ---- signals.c ---- */
/* Starts ticks of the CPU clock. False: the system has no such timer (errno). */
bool mp_counts_start_ticks(struct mp_counts *c);
/* Installs handlers by which fatal signals, and exit() from C, write mlmon.out first: that of one
 * machine only. */
void mp_counts_handle_signals(struct mp_counts *c);
void mp_counts_restore_signals(struct mp_counts *c);
/* MU4: the lock, to change tables and counts or to read them; it does not nest. mp_counts_unlock
 * ends the process if a fatal signal came meanwhile. */
void mp_counts_lock(struct mp_counts *c);
void mp_counts_unlock(struct mp_counts *c);
void mp_counts_lock_for_reading(struct mp_counts *c);
void mp_counts_unlock_after_reading(struct mp_counts *c);

#endif
