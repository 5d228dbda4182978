/* snapshot.c - `prof snapshot`: when to write what the heap holds, and where. */
#include "memprof/format/printable.h"
#include "memprof/snapshot/snapshot.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void report_quietly(const struct mp_snapshot_options *options, const char *path,
                           const struct mp_record_heap *total, uint64_t file_bytes, int problem) {
    if (problem != 0) cli_refuse_output(path, problem);
}

static void report(const struct mp_snapshot_options *options, const char *path,
                   const struct mp_record_heap *total, uint64_t file_bytes, int problem) {
    report_quietly(options, path, total, file_bytes, problem);
    if (problem != 0) return;
    fputs("bactrian: ", stderr);
    mp_put_printable(stderr, path, '?');
    fprintf(stderr,
            ": %" PRIu64
            " blocks, %.1f MB, in a file of %.1f KB; the program was paused for %.3f s, "
            "%.3f s of it for marking\nbactrian: next: bactrian prof heap ",
            total->blocks, (double)total->words * 8e-6, (double)file_bytes / 1024,
            (double)total->duration_ns / 1e9, (double)total->marking_ns / 1e9);
    mp_put_printable(stderr, path, '?');
    fputc('\n', stderr);
}

int cli_prepare_snapshots(const struct cli_options *options) {
    bool wanted = options->heap_file != NULL || options->verb == VERB_PROF_SNAPSHOT;
    if (wanted || !options->snapshot.values) return 0;
    return cli_fail(STATUS_REFUSED, NULL, "--values is about a snapshot: add --snapshot FILE");
}

int cli_start_snapshots(struct cli_options *options, struct vm *vm, const char *shown) {
    struct mp_snapshot_options *s = &options->snapshot;
    const char *file = options->output;
    if (options->heap_file != NULL) file = options->heap_file;
    else if (options->verb != VERB_PROF_SNAPSHOT) return 0;
    if (!cli_has_profiler()) return STATUS_REFUSED;
    if (s->at_heap_words == 0 && s->on_signal == 0) s->at_exit = true;
    s->program = shown;
    s->report = options->quiet ? report_quietly : report;
    s->replace = options->force ? MP_REPLACE_ANY : MP_REPLACE_OUTPUT;
    s->path = file == NULL ? cli_name_after_program(shown, "heap") : strdup(file);
    if (s->path == NULL) return cli_fail(STATUS_REFUSED, shown, "out of memory");
    if (file == NULL) s->replace = MP_REPLACE_NONE;
    if (mp_snapshots_start(vm, s)) return 0;
    if (errno != EBUSY) return cli_fail(STATUS_REFUSED, shown, "out of memory");
    return cli_fail(STATUS_REFUSED, NULL,
                    "--on: the signal is ignored here, or has a handler: "
                    "choose another one, such as USR2");
}

void cli_finish_snapshots(struct cli_options *options, struct vm *vm) {
    if (options->snapshot.path == NULL) return;
    if (mp_snapshots_finish(vm) == 0 && !options->snapshot.at_exit && !options->quiet)
        cli_fail(0, NULL, "no snapshot was taken: %s",
                 options->snapshot.on_signal != 0 ? "the signal did not come"
                                                  : "the heap stayed smaller");
    free((char *)options->snapshot.path);
    options->snapshot.path = NULL;
}
