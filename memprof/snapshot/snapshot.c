/* snapshot.c - see snapshot.h: the file, and the order of its records.
 *
 *     START, names of exceptions and variables, roots, blocks and ephemerons, contents, sampled
 *     blocks, names of fields, types, labels, HEAP, END; strings and locations before their use
 *
 * All of it is written right after everything was marked. */
#include "memprof/snapshot/snapshot.h"

#include "gc/heap.h"
#include "gc/stats.h"
#include "memprof/recorder/origin.h"
#include "memprof/recorder/recorder.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/base/os.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Needs: everything was marked. False: out of memory. */
static bool write_heap(struct domain *d, bool values, struct mp_writer *w,
                       struct mp_record_heap *total) {
    struct mp_names names = {.vm = d->vm, .writer = w};
    struct mp_shapes *shapes = malloc(sizeof *shapes);
    if (shapes == NULL) return false;
    struct mp_named named = {
        .d = d, .names = &names, .variables.vm = d->vm, .types = mp_types_create(d->vm)};
    *shapes = (struct mp_shapes){.d = d, .names = &names, .named = &named, .total = total};
    mp_snapshot_name_exceptions(&named);
    mp_snapshot_roots(&named);
    mp_snapshot_blocks(shapes);
    bool complete = !values || mp_snapshot_contents(d, w);
    mp_snapshot_samples(&named);
    mp_snapshot_name_closures(&named);
    mp_snapshot_name_modules(&named);
    mp_snapshot_name_objects(&named);
    mp_snapshot_types(&named);
    mp_snapshot_labels(&named);
    mp_named_free(&named);
    mp_names_clear(&names);
    free(shapes);
    return complete;
}

static size_t external_words(const struct domain *d) {
    const struct gc_stats now = gc_stats_read(&d->gc);
    return now.in_use_words - now.live_words - now.young_words;
}

/* A moment of the heap: everything was marked. */
struct moment {
    uint64_t began_ns, marked_ns;
    uint64_t ended_ns;                /* the program goes on; 0: when all is written */
    uint64_t external_bytes, process; /* process: the program's, not the writer's */
};

static struct moment mark(struct domain *d) {
    struct moment m = {.began_ns = vm_now_ns(), .process = (uint64_t)getpid()};
    gc_mark_everything(&d->gc);
    m.marked_ns = vm_now_ns();
    m.external_bytes = 8 * external_words(d);
    return m;
}

/* False: out of memory. Failures of the file stay in the writer. */
static bool write_file(struct domain *d, const struct mp_snapshot_options *options,
                       const struct moment *moment, struct mp_writer *w,
                       struct mp_record_heap *total) {
    struct mp_record_start start = {.rate = 1,
                                    .pid = moment->process,
                                    .flags = MP_SNAPSHOT | (options->values ? MP_VALUES : 0),
                                    .program = mp_text_of(options->program),
                                    .recorder = mp_text_of("bactrian " BACTRIAN_VERSION)};
    *total = (struct mp_record_heap){.marking_ns = moment->marked_ns - moment->began_ns,
                                     .external_bytes = moment->external_bytes};
    if (!mp_write_origin(w, d->vm, &start) || !write_heap(d, options->values, w, total))
        return false;
    const uint64_t now = vm_now_ns(), ended = moment->ended_ns != 0 ? moment->ended_ns : now;
    total->duration_ns = ended - moment->began_ns;
    total->elapsed = (now - moment->began_ns) / 1000;
    mp_write_heap(w, total);
    mp_write_end(w, &(struct mp_record_end){.overhead_ns = now - moment->began_ns});
    mp_writer_flush(w);
    return true;
}

/* moment: NULL: now. watch: NULL: none. */
static int write_moment(struct domain *d, const struct mp_snapshot_options *options,
                        enum mp_replace replace, const struct moment *moment,
                        struct mp_stall_watch *watch, char *path, struct mp_record_heap *total,
                        uint64_t *file_bytes) {
    struct mp_output output = {.fd = -1};
    path[0] = 0;
    if (watch != NULL) {
        *watch = (struct mp_stall_watch){.options = options, .path = path, .output = &output};
        mp_stall_watch_start(watch);
    }
    int problem = mp_output_open(&output, options->path, MP_FILE_MAGIC "*", replace);
    snprintf(path, 4096, "%s", mp_output_shown(&output, options->path));
    if (problem != 0) {
        mp_output_free(&output);
        return problem;
    }
    if (options->values) mp_output_make_private(&output);
    struct moment now = {0};
    if (moment == NULL) now = mark(d);
    struct mp_writer *w = mp_writer_create(output.fd);
    if (w == NULL) problem = errno;
    else if (!write_file(d, options, moment == NULL ? &now : moment, w, total)) problem = ENOMEM;
    else problem = mp_writer_problem(w);
    if (w != NULL) *file_bytes = mp_writer_file_bytes(w);
    mp_writer_free(w);
    close(output.fd);
    if (problem == 0) problem = mp_output_publish(&output);
    if (problem != 0) mp_output_discard(&output); /* HS2 */
    mp_output_free(&output);
    return problem;
}

/* Notes the file in the recording, if there is one. */
static void note(struct domain *d, const char *name) {
    struct mp_recorder *r = mp_recorder_of(d->vm);
    if (r != NULL && name != NULL && name[0] == '/') mp_recorder_add_snapshot(r, name);
}

int mp_snapshot_write(struct domain *d, const struct mp_snapshot_options *options,
                      enum mp_replace replace, char *path, struct mp_record_heap *total,
                      uint64_t *file_bytes) {
    char whole[PATH_MAX];
    int problem = write_moment(d, options, replace, NULL, NULL, path, total, file_bytes);
    if (problem == 0) note(d, options->named != NULL ? options->named : realpath(path, whole));
    return problem;
}

/* ---- In a child process. ---- */

/* The number after a word at the start of a line in a file of /proc; 0: not known. */
static uint64_t number_in(const char *path, const char *word) {
    char line[256];
    unsigned long long number = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    while (number == 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, word, strlen(word)) == 0) sscanf(line + strlen(word), "%llu", &number);
    fclose(file);
    return number;
}

/* The program may change its whole heap meanwhile, and the child needs tables: one and a half times
 * the heap must be free. */
static bool has_memory(const struct domain *d) {
    const struct gc_stats now = gc_stats_read(&d->gc);
    const uint64_t heap_kb = now.heap_words * sizeof(value) / 1024;
    return number_in("/proc/meminfo", "MemAvailable:") > heap_kb + heap_kb / 2;
}

int mp_snapshot_fork(struct domain *d, const struct mp_snapshot_options *options,
                     enum mp_replace replace) {
    char path[4096];
    struct mp_record_heap total;
    uint64_t file_bytes = 0;
    struct mp_stall_watch watch;
    if (!has_memory(d) || !mp_other_threads_wait() ||
        (mp_recorder_of(d->vm) != NULL && options->named == NULL))
        return 0;
    const bool threads = number_in("/proc/self/status", "Threads:") != 1;
    struct moment moment = mark(d);
    if (threads && !mp_other_threads_wait()) return 0;
    /* Without a signal at its end: the program's own waits do not see such a child. */
    const long child = syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
    if (child > 0) note(d, options->named);
    if (child != 0) return child > 0 ? (int)child : 0;
    moment.ended_ns = vm_now_ns();
    int problem = write_moment(d, options, replace, &moment, threads ? &watch : NULL, path, &total,
                               &file_bytes);
    options->report(options, path, problem == 0 ? &total : NULL, file_bytes, problem);
    _exit(problem != 0);
}

bool mp_snapshot_ended(int child) { return waitpid(child, NULL, __WCLONE | WNOHANG) != 0; }

bool mp_snapshot_wait(int child) {
    int status;
    while (waitpid(child, &status, __WCLONE) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
