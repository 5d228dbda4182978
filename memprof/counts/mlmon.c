/* mlmon.c - writes mlmon.out and the sources file, in MLton's layout.
 *
 * A fatal signal's handler may run this: it makes system calls and allocates nothing. Intervals of
 * the stack that are open count as if they ended now. */
#include "memprof/counts/counts_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

struct output {
    int fd, problem;
    size_t used;
    char bytes[4096];
};

static void drain(struct output *o) {
    for (size_t done = 0; done < o->used && o->problem == 0;) {
        ssize_t n = write(o->fd, o->bytes + done, o->used - done);
        if (n >= 0) done += (size_t)n;
        else if (errno != EINTR) o->problem = errno;
    }
    o->used = 0;
}

static void put_bytes(struct output *o, const char *bytes, size_t n) {
    while (n > 0) {
        size_t some = sizeof o->bytes - o->used;
        ASSERT(some > 0);
        if (some > n) some = n;
        memcpy(o->bytes + o->used, bytes, some);
        o->used += some, bytes += some, n -= some;
        if (o->used == sizeof o->bytes) drain(o);
    }
}

static void put_text(struct output *o, const char *text) { put_bytes(o, text, strlen(text)); }

/* separator: follows the number; 0: none. */
static void put_number(struct output *o, uint64_t n, char separator) {
    char digits[21];
    size_t at = sizeof digits;
    if (separator != 0) digits[--at] = separator;
    do digits[--at] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    put_bytes(o, digits + at, sizeof digits - at);
}

static void put_magic(struct output *o, uint32_t magic) {
    put_text(o, "0x");
    for (int shift = 28; shift >= 0; shift -= 4)
        put_bytes(o, &"0123456789abcdef"[magic >> shift & 15], 1);
    put_text(o, "\n");
}

static bool open_output(struct output *o, const char *path) {
    o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    o->problem = o->fd < 0 ? errno : 0;
    o->used = 0;
    return o->fd >= 0;
}

static int close_output(struct output *o) {
    drain(o);
    if (close(o->fd) != 0 && o->problem == 0) o->problem = errno;
    return o->problem;
}

/* ---- mlmon.out ---- */

static uint64_t own_events(const struct mp_count_set *set, uint32_t source) {
    if (source == SOURCE_GC) return set->total_gc;
    return source < set->source_capacity ? set->own[source] : 0;
}

/* A line of counts. closed: the intervals of its source or name that have ended, NULL if there are
 * none; open: the one that has not, in the current set. */
static void put_row(struct output *o, const struct mp_counts *c, const struct mp_count_set *set,
                    uint64_t own, bool of_collector, const struct mp_counts_share *closed,
                    const struct mp_counts_open *open) {
    struct mp_counts_share share = {0, 0};
    put_number(o, own, c->stacks ? ' ' : '\n');
    if (!c->stacks) return;
    if (of_collector) share.gc_events = set->total_gc;
    else if (closed != NULL) share = *closed;
    if (closed != NULL && set == c->current && open->occurrences > 0)
        mp_counts_add_interval(c, open, &share);
    put_number(o, share.events, ' ');
    put_number(o, share.gc_events, '\n');
}

static void put_source(struct output *o, const struct mp_counts *c, const struct mp_count_set *set,
                       uint32_t i) {
    bool has_share = c->stacks && i < set->source_capacity;
    put_row(o, c, set, own_events(set, i), i == SOURCE_GC, has_share ? &set->sources[i] : NULL,
            &c->open_sources[i]);
}

static void put_name(struct output *o, const struct mp_counts *c, const struct mp_count_set *set,
                     uint32_t number) {
    bool has_share = c->stacks && number < set->name_capacity;
    uint64_t own = 0;
    for (uint32_t i = c->first_source[number]; i != 0; i = c->next_source[i - 1])
        own += own_events(set, i - 1);
    put_row(o, c, set, own, number == c->name_of[SOURCE_GC], has_share ? &set->names[number] : NULL,
            &c->open_names[number]);
}

static const char *const kinds[] = {
    [MP_COUNTS_TIME] = "time\n", [MP_COUNTS_ALLOC] = "alloc\n", [MP_COUNTS_COUNT] = "count\n"};

static int write_counts(const struct mp_counts *c, const struct mp_count_set *set,
                        const char *path) {
    struct output o;
    if (!open_output(&o, path)) return o.problem;
    put_text(&o, "MLton prof\n");
    put_text(&o, kinds[c->kind]);
    put_text(&o, c->stacks ? "stack\n" : "current\n");
    put_magic(&o, c->magic);
    put_number(&o, set->total, ' ');
    put_number(&o, set->total_gc, '\n');
    put_number(&o, c->source_count, '\n');
    for (uint32_t i = 0; i < c->source_count; i++) put_source(&o, c, set, i);
    put_number(&o, c->name_count, '\n');
    for (uint32_t i = 0; i < c->name_count; i++) put_name(&o, c, set, i);
    return close_output(&o);
}

/* ---- The sources file. Its i-th list of calls is that of source i. ---- */

static void put_calls(struct output *o, const struct mp_counts *c, uint32_t source) {
    const char *blank = "";
    for (uint32_t i = c->first_call[source]; i != 0; i = c->calls.items[i - 1].next) {
        put_text(o, blank);
        put_number(o, c->calls.items[i - 1].callee, 0);
        blank = " ";
    }
    put_text(o, "\n");
}

static int write_sources(const struct mp_counts *c, const char *path) {
    struct output o;
    if (!open_output(&o, path)) return o.problem;
    put_magic(&o, c->magic);
    put_number(&o, c->name_count, '\n');
    for (uint32_t i = 0; i < c->name_count; i++) {
        put_text(&o, c->names[i]);
        put_text(&o, "\n");
    }
    put_number(&o, c->source_count, '\n');
    for (uint32_t i = 0; i < c->source_count; i++) {
        put_number(&o, c->name_of[i], ' ');
        put_number(&o, i, '\n');
    }
    put_number(&o, c->source_count, '\n');
    for (uint32_t i = 0; i < c->source_count; i++) put_calls(&o, c, i);
    return close_output(&o);
}

int mp_counts_write(const struct mp_counts *c, const struct mp_count_set *set, const char *path) {
    char sources_path[PATH_MAX];
    if (strlen(path) + sizeof MP_COUNTS_SOURCES > sizeof sources_path) return ENAMETOOLONG;
    strcpy(stpcpy(sources_path, path), MP_COUNTS_SOURCES);
    int problem = write_counts(c, set, path);
    return problem != 0 ? problem : write_sources(c, sources_path);
}
