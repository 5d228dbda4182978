/* snapshot.c - see snapshot.h: the file, and the order of its records.
 *
 *     START, names of variables, roots, blocks and ephemerons, sampled blocks, names of fields,
 *     HEAP, END; strings and locations before their use
 *
 * All of it is written in one pause, right after everything was marked. */
#include "memprof/snapshot/snapshot.h"

#include "gc/heap.h"
#include "gc/stats.h"
#include "memprof/recorder/origin.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Needs: everything was marked. False: out of memory. */
static bool write_heap(struct domain *d, struct mp_writer *w, struct mp_record_heap *total) {
    struct mp_names names = {.vm = d->vm, .writer = w};
    struct mp_shapes *shapes = malloc(sizeof *shapes);
    if (shapes == NULL) return false;
    struct mp_named named = {.d = d, .names = &names, .variables.vm = d->vm};
    *shapes = (struct mp_shapes){.d = d, .names = &names, .named = &named, .total = total};
    mp_snapshot_roots(&named);
    mp_snapshot_blocks(shapes);
    mp_snapshot_samples(&named);
    mp_snapshot_name_closures(&named);
    mp_snapshot_name_modules(&named);
    mp_named_free(&named);
    mp_names_clear(&names);
    free(shapes);
    return true;
}

static size_t external_words(const struct domain *d) {
    const struct gc_stats now = gc_stats_read(&d->gc);
    return now.in_use_words - now.live_words - now.young_words;
}

/* False: out of memory. Failures of the file stay in the writer. */
static bool write_file(struct domain *d, const struct mp_snapshot_options *options,
                       struct mp_writer *w, struct mp_record_heap *total) {
    const uint64_t began = now_ns();
    struct mp_record_start start = {.rate = 1,
                                    .flags = MP_SNAPSHOT,
                                    .program = mp_text_of(options->program),
                                    .recorder = mp_text_of("bactrian " BACTRIAN_VERSION)};
    gc_mark_everything(&d->gc);
    *total = (struct mp_record_heap){.marking_ns = now_ns() - began,
                                     .external_bytes = 8 * external_words(d)};
    if (!mp_write_origin(w, d->vm, &start) || !write_heap(d, w, total)) return false;
    total->duration_ns = now_ns() - began;
    total->elapsed = total->duration_ns / 1000;
    mp_write_heap(w, total);
    mp_write_end(w, &(struct mp_record_end){.overhead_ns = total->duration_ns});
    mp_writer_flush(w);
    return true;
}

int mp_snapshot_write(struct domain *d, const struct mp_snapshot_options *options,
                      enum mp_replace replace, char *path, struct mp_record_heap *total,
                      uint64_t *file_bytes) {
    struct mp_output output;
    int problem = mp_output_open(&output, options->path, MP_FILE_MAGIC "*", replace);
    snprintf(path, 4096, "%s", mp_output_shown(&output, options->path));
    if (problem != 0) {
        mp_output_free(&output);
        return problem;
    }
    struct mp_writer *w = mp_writer_create(output.fd);
    if (w == NULL) problem = errno;
    else if (!write_file(d, options, w, total)) problem = ENOMEM;
    else problem = mp_writer_problem(w);
    if (w != NULL) *file_bytes = mp_writer_file_bytes(w);
    mp_writer_free(w);
    close(output.fd);
    if (problem == 0) problem = mp_output_publish(&output);
    if (problem != 0) mp_output_discard(&output); /* HS2 */
    mp_output_free(&output);
    return problem;
}
