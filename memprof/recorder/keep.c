/* keep.c - `prof record --keep`: bounds the file. When it has grown to three fifths of the limit it
 * is written again (thin.h) at a poll, to at most three tenths, and replaced: both together stay
 * below the limit.
 *
 * Samples that are dead are thinned first, and those that may be live only when the others have
 * become very few; a sample that has been thinned as a live one may die later and is then thinned
 * further. What is recorded from then on has weight 1 again. */
#include "memprof/recorder/recorder_internal.h"
#include "memprof/recorder/thin.h"
#include "vm/base/os.h"
#include "vm/state/domain.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEAD_SHARE = 256, /* dead samples are thinned to that share of the live ones' rate, at most */
    MOST_ATTEMPTS = 40,
    BYTES_PER_EVENT = 400, /* of the limit, for each event of a kind that is not about samples */
    LEAST_EVENTS = 200,
};

static bool is_due(const struct mp_recorder *r) {
    return mp_writer_file_bytes(r->writer) >= r->options.keep_bytes / 5 * 3;
}

/* The next weights to try. */
static void thin_more(struct mp_thinning *how) {
    if (how->dead < how->live * DEAD_SHARE) how->dead *= 2;
    else if (how->live < MP_WEIGHT_MAX / DEAD_SHARE) how->live *= 2, how->dead *= 2;
}

/* What to try first: as if all samples took the same space, and the dead ones had the weight of the
 * last time. */
static struct mp_thinning first_guess(const struct mp_recorder *r, const struct mp_thin_input *in) {
    const uint64_t keep = r->options.keep_bytes, events = keep / BYTES_PER_EVENT;
    const bool first = r->thinned.times == 0;
    /* Samples get new numbers each time: so each time has random numbers of its own. */
    struct mp_thinning how = {.dead = first ? 2 : r->thinned.dead,
                              .live = first ? 1 : r->thinned.live,
                              .seed = r->options.seed + (r->thinned.times << 32),
                              .events = events > LEAST_EVENTS ? events : LEAST_EVENTS};
    const double wanted = (double)in->samples * ((double)keep * 0.3 / (double)in->length);
    const double live = (double)(in->samples - in->dead) / (double)how.live;
    const double dead = (double)in->dead * (double)how.dead / 2;
    while (live + dead / (double)how.dead > wanted && how.dead < how.live * DEAD_SHARE)
        how.dead *= 2;
    return how;
}

/* A file that is written beside the old one. */
struct attempt {
    struct mp_output output;
    int fd;
    struct mp_writer *writer;
    struct mp_thin_end end;
};

static void discard(struct attempt *a) {
    mp_writer_free(a->writer);
    if (a->fd >= 0) close(a->fd);
    mp_output_discard(&a->output);
    mp_output_free(&a->output);
    mp_set_free(&a->end.kept);
    *a = (struct attempt){.fd = -1};
}

/* Whether a file that another process named still has its name: it may have been moved, and another
 * one be there. */
static bool has_its_name(const struct mp_recorder *r) {
    struct stat open, named;
    if (r->options.descriptor == 0) return true;
    return fstat(r->fd, &open) == 0 && stat(r->output.path, &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/* Returns 0 or an errno. */
static int try(const struct mp_recorder *r, const struct mp_thin_input *in,
               const struct mp_thinning *how, struct attempt *a) {
    *a = (struct attempt){.fd = -1};
    int problem = mp_output_open(&a->output, r->output.path, MP_FILE_MAGIC "*", MP_REPLACE_OUTPUT);
    if (problem != 0) return problem;
    a->fd = vm_move_high(a->output.fd);
    a->writer = mp_writer_create(a->fd);
    if (a->writer == NULL) return errno;
    if (!mp_thin_write(in, how, a->writer, &a->end)) return ENOMEM;
    return mp_writer_problem(a->writer);
}

/* Writes files until one is small enough. Returns 0 or an errno. */
static int write_thinned(const struct mp_recorder *r, const struct mp_thin_input *in,
                         struct mp_thinning *how, struct attempt *a) {
    const uint64_t most = r->options.keep_bytes / 10 * 3;
    for (int i = 0; i < MOST_ATTEMPTS; i++, thin_more(how)) {
        int problem = try(r, in, how, a);
        if (problem != 0) return problem;
        if (mp_writer_file_bytes(a->writer) <= most) return mp_output_publish(&a->output);
        discard(a);
    }
    return EFBIG;
}

static uint32_t number_of(void *context, uint64_t id) {
    return mp_set_rank(&((const struct mp_thin_end *)context)->kept, id);
}

/* The recording goes on in the new file (TH1). */
static void adopt(struct mp_recorder *r, struct attempt *a) {
    struct mp_thin_end *end = &a->end;
    close(r->fd);
    mp_writer_free(r->writer);
    mp_output_free(&r->output);
    r->fd = a->fd;
    r->writer = a->writer;
    r->output = a->output;
    mp_interned_forget(&r->interned, end->strings, end->locations, end->nodes);
    r->interned.names.writer = r->writer;
    for (size_t i = 0; i < r->named.count; i++) {
        struct mp_named_count *n = &r->named.at[i];
        n->string = mp_intern_text(r, n->name, n->length);
    }
    r->last_stack = end->last_stack;
    r->last_tag = UINT32_MAX;
    r->last_thread = end->last_thread;
    r->last_us = end->us;
    r->time_unwritten = true;
    r->counters = end->counters;
    r->cause = end->cause;
    r->chunks_before = mp_writer_chunks(r->writer);
    mp_tracker_renumber(r->tracker, end->kept.count, number_of, end);
    mp_set_free(&end->kept);
}

/* Returns 0 or an errno. */
static int thin(struct mp_recorder *r) {
    struct attempt a = {.fd = -1};
    if (!has_its_name(r)) return ENOENT;
    struct mp_thin_input in = {.length = mp_writer_file_bytes(r->writer)};
    void *bytes = mmap(NULL, in.length, PROT_READ, MAP_PRIVATE, r->fd, 0);
    if (bytes == MAP_FAILED) return errno;
    in.bytes = bytes;
    int problem = mp_thin_survey(&in) ? 0 : ENOMEM;
    struct mp_thinning how = first_guess(r, &in);
    if (problem == 0) problem = write_thinned(r, &in, &how, &a);
    mp_thin_input_free(&in);
    munmap(bytes, in.length);
    if (problem != 0) {
        discard(&a);
        return problem;
    }
    r->thinned.times++;
    r->thinned.dead = how.dead;
    r->thinned.live = how.live;
    adopt(r, &a);
    return 0;
}

void mp_keep_poll(struct mp_recorder *r) {
    if (r->options.keep_bytes == 0 || r->ended_ns != 0 || mp_tracker_is_examining(r->tracker))
        return;
    if (!mp_recorder_enter(r)) return;
    int problem = 0;
    if (is_due(r)) {
        mp_writer_flush(r->writer);
        problem = mp_writer_problem(r->writer) == 0 ? thin(r) : 0;
    }
    if (problem != 0) {
        r->failed = true; /* RC2 */
        r->problem = problem;
        if (r->options.warn != NULL) r->options.warn(r->d->vm, r->options.path, problem);
    }
    mp_recorder_leave(r, problem == 0);
}
