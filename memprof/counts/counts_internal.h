/* counts_internal.h - the state of units: what their parts share.
 *
 * A row is a line of mlmon.out: first the sources, of which 0 is <unknown>, 1 <gc> and p + 1 the
 * function of place p; then the names, since several sources may have the same one. */
#ifndef BACTRIAN_MEMPROF_COUNTS_COUNTS_INTERNAL_H
#define BACTRIAN_MEMPROF_COUNTS_COUNTS_INTERNAL_H

#include "memprof/counts/counts.h"
#include "memprof/sampling/sampler.h"

#include <signal.h>
#include <sys/types.h>
#include <time.h>

enum { SOURCE_UNKNOWN, SOURCE_GC, SOURCE_FIRST };

/* How long something was on the stack, in events. */
struct mp_counts_share {
    uint64_t events, gc_events;
};

struct mp_unit {
    struct mp_unit *next;
    uint64_t id; /* unlike any other unit's of this machine, ever */
    uint64_t total, total_gc;
    uint64_t *own;                           /* events by source */
    struct mp_counts_share *sources, *names; /* with stacks, by number; closed intervals */
    uint32_t source_capacity, name_capacity;
    uint32_t base; /* frames that were on the stack when it became current: MU2 */
};

/* A source or name that is on the stack now, and since when. */
struct mp_counts_open {
    uint32_t occurrences;
    struct mp_counts_share since;
};

struct mp_counts_edge {
    uint32_t caller, callee; /* places */
    struct mp_counts_edge *next;
};

struct mp_counts_name {
    char *text; /* NAME, or NAME<TAB>FILE: LINE */
    uint32_t number;
};

/* Units that withData has set aside. */
struct mp_counts_aside {
    uint64_t id;
    uint32_t base;
};

/* Ticks that are still to be counted for the stack. */
enum { PENDING_TICKS = 32 };
struct mp_counts_tick {
    uint32_t place, ticks;
    bool gc;
};

struct mp_counts {
    struct domain *d;
    struct mp_sampler *sampler;
    struct mp_stream stream; /* hears of collections; takes every word for MP_COUNTS_ALLOC */
    struct mp_lane lane;
    enum mp_counts_kind kind;
    bool stacks;
    uint32_t magic;
    pid_t pid; /* MU3 */
    char *path, *sources_path;
    struct mp_unit *units, *volatile current;
    uint64_t last_id;
    struct mp_counts_aside *aside;
    uint32_t aside_count, aside_capacity;

    /* The stack as it was at the last event (MU2). */
    uint32_t *shadow; /* places, outermost first */
    uint32_t shadow_count, shadow_capacity;
    struct mp_counts_open *open_sources, *open_names;
    struct mp_counts_share clock; /* events of all units so far */

    /* What the sources file says. */
    uint32_t source_count, name_count, name_capacity;
    uint32_t *name_of;             /* by source */
    const char **names;            /* by number */
    uint32_t *first_source;        /* by name: one of its sources, plus 1 */
    uint32_t *next_source;         /* by source: another one of its name, plus 1; 0: none */
    void *name_tree, *edge_tree;   /* of tsearch: names by text, edges by both ends */
    struct mp_counts_edge **calls; /* by source: the first of its calls */
    uint32_t *last_caller;         /* by source: whose call of it was noted last, plus 1 */

    timer_t timer;
    bool timer_runs;
    volatile unsigned collecting; /* > 0: the collector runs */
    struct mp_counts_tick pending[PENDING_TICKS];
    volatile unsigned pending_count;
    _Atomic uint32_t late_ticks; /* not counted yet */
    _Atomic unsigned turn;       /* MU4: 0 when it is nobody's */
};

/* ---- units.c ---- */
struct mp_unit *mp_unit_find(const struct mp_counts *u, uint64_t id); /* NULL: freed */
/* Needs: not the current one. */
void mp_unit_free(struct mp_counts *u, struct mp_unit *unit);
/* Makes unit current, setting the one before aside. Returns how many are aside, -1: no memory. */
int mp_counts_enter(struct mp_counts *u, struct mp_unit *unit);
/* Makes current again what became the last of so many set aside. False: it was freed. */
bool mp_counts_leave(struct mp_counts *u, uint32_t aside_count);
/* Counts pending ticks for the stack as it is known. */
void mp_counts_settle(struct mp_counts *u);

/* ---- units_names.c ---- */
/* A unit without counts; NULL: no memory. And the end of one that is in no list. */
struct mp_unit *mp_unit_create(struct mp_counts *u);
void mp_unit_release(struct mp_unit *unit);
/* Describes the functions that are new; all tables have room for them then. False: no memory. */
bool mp_counts_describe(struct mp_counts *u);
/* Notes that caller called callee. */
void mp_counts_note_call(struct mp_counts *u, uint32_t caller, uint32_t callee);
void mp_counts_free_names(struct mp_counts *u);
static inline uint32_t mp_source_of_place(uint32_t place) {
    return place == 0 ? SOURCE_UNKNOWN : place + 1;
}

/* ---- units_write.c: async-signal-safe ---- */
/* Writes a unit to path and the names to sources_path. Returns 0 or an errno. */
int mp_counts_write(const struct mp_counts *u, const struct mp_unit *unit, const char *path,
                    const char *sources_path);

/* ---- units_signals.c ---- */
/* Ticks of the CPU clock begin. False: the system has no such timer for us (errno). */
bool mp_counts_start_ticks(struct mp_counts *u);
/* Deadly signals, and exit() from C, write mlmon.out first. Only one machine's hear them. */
void mp_counts_listen(struct mp_counts *u);
void mp_counts_deafen(struct mp_counts *u);
/* MU4: a turn, to change tables and counts or to read them; not nested. Ends by a deadly signal
 * that came in a turn of the first kind. */
void mp_counts_begin(struct mp_counts *u);
void mp_counts_end(struct mp_counts *u);
void mp_counts_begin_reading(struct mp_counts *u);
void mp_counts_end_reading(struct mp_counts *u);

#endif
