/* record.c - `prof record` and MEMTRACE: starts the machine's recorder, and says what came of it.
 * */
#include "memprof/format/plain.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_RATE  1e-4
#define TEST_RATE     1e-3 /* budgets are for sure answers */
#define MEMTRACE_RATE 1e-5 /* as Memtrace has it */

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void warn(const char *path, int problem) {
    cli_fail(0, path, "%s: recording stops here, the program goes on", strerror(problem));
}

/* Whether the program is linked with the library that reads MEMTRACE itself. */
static bool has_memtrace(const struct vm_image *image) {
    const struct vm_section *units = vm_image_section(image, "CRCS");
    return units != NULL && memmem(units->bytes, units->length, "Memtrace", 8) != NULL;
}

/* MEMTRACE and MEMTRACE_RATE ask for a recording, as they do of programs that use Memtrace. A child
 * process would write to the same file, so it doesn't see them. False: after a message. */
static bool read_environment(const struct vm_image *image, struct mp_recorder_options *options,
                             bool *quiet) {
    const char *path = cli_is_privileged() ? NULL : getenv("MEMTRACE");
    const char *rate = getenv("MEMTRACE_RATE");
    if (path == NULL || path[0] == 0 || has_memtrace(image)) return true;
    options->rate = MEMTRACE_RATE;
    if (rate != NULL && rate[0] != 0 && !cli_parse_rate(rate, &options->rate)) {
        cli_fail(STATUS_REFUSED, "MEMTRACE_RATE",
                 "not a number above 0, at most 1: correct it or unset it");
        return false;
    }
    options->path = strdup(path);
    *quiet = true;
    unsetenv("MEMTRACE");
    return true;
}

static bool name_default_file(struct mp_recorder_options *options) {
    char *path;
    if (asprintf(&path, "%s.%d.bprof", base_of(options->program), (int)getpid()) < 0) return false;
    options->path = path;
    return true;
}

int cli_start_recording(struct cli_options *options, struct vm *vm, const char *shown) {
    struct mp_recorder_options *recorder = &options->recorder;
    bool testing = options->verb == VERB_PROF_TEST;
    bool asked = testing || options->verb == VERB_PROF_RECORD;
    recorder->program = shown;
    recorder->recorder = "bactrian " BACTRIAN_VERSION;
    recorder->warn = warn;
    if (asked) recorder->path = options->output == NULL ? NULL : strdup(options->output);
    else if (!read_environment(vm->image, recorder, &options->quiet)) return STATUS_REFUSED;
    else if (recorder->path == NULL) return 0;
    if (!cli_has_profiler()) return STATUS_REFUSED;
    if (testing && recorder->path == NULL && !cli_name_test_file(options)) return STATUS_REFUSED;
    if (recorder->path == NULL && !name_default_file(recorder))
        return cli_fail(STATUS_REFUSED, shown, "no memory");
    if (recorder->rate == 0) recorder->rate = testing ? TEST_RATE : DEFAULT_RATE;
    recorder->progress = !options->quiet && isatty(STDERR_FILENO);
    if (mp_recorder_start(vm, recorder) != NULL) return 0;
    return cli_fail(STATUS_REFUSED, recorder->path, "%s: the profile could not be written there",
                    strerror(errno));
}

void cli_show_next(const char *path) {
    fputs("bactrian: next: bactrian prof summary ", stderr);
    mp_put_plain(stderr, path, '?');
    fputc('\n', stderr);
}

static void print_summary(const struct mp_recorder_options *options,
                          const struct mp_recording *done) {
    double seconds = (double)done->elapsed_ns / 1e9, overhead = (double)done->overhead_ns / 1e9;
    if (options->progress) fputs("\r\033[K", stderr);
    fputs("bactrian: ", stderr);
    mp_put_plain(stderr, done->path, '?');
    fprintf(stderr, ": %" PRIu64 " samples in %.2f s, %.1f KB; recording took %.3f s",
            done->samples, seconds, (double)done->file_bytes / 1024, overhead);
    if (seconds > 0) fprintf(stderr, " (%.1f %%)", 100 * overhead / seconds);
    if (done->lost_samples > 0)
        fprintf(stderr, "; %" PRIu64 " samples lost for lack of memory", done->lost_samples);
    fputc('\n', stderr);
    cli_show_next(done->path);
}

int cli_finish_recording(struct cli_options *options, struct vm *vm, struct vm_result result,
                         int status) {
    static const enum mp_outcome outcomes[] = {[VM_RETURNED] = MP_RETURNED,
                                               [VM_EXITED] = MP_EXITED,
                                               [VM_UNCAUGHT] = MP_UNCAUGHT,
                                               [VM_STOPPED] = MP_EXITED};
    struct mp_recorder *recorder = mp_recorder_of(vm);
    struct mp_recording done;
    if (recorder == NULL) return status;
    mp_recorder_finish(recorder, outcomes[result.outcome], (unsigned)status, &done);
    if (options->verb == VERB_PROF_TEST) status = cli_check_budgets(options, &done, status);
    else if (!options->quiet && !done.silent && !done.failed)
        print_summary(&options->recorder, &done);
    free((char *)options->recorder.path);
    options->recorder.path = NULL;
    return status;
}
