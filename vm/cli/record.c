/* record.c - `prof record`, `prof test` and MEMTRACE: record a run, say where the profile is, or
 * check it against budgets. */
#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "memprof/report/command/command.h"
#include "vm/cli/cli.h"
#include "vm/image/image.h"
#include "vm/machine/machine.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEST_RATE     1e-3 /* a budget needs a precise answer */
#define MEMTRACE_RATE 1e-5 /* Memtrace's default */

/* ---- Starting. ---- */

static void warn(struct vm *vm, const char *path, int problem) {
    cli_fail(0, path, "%s: recording stops here, the program continues", strerror(problem));
}

/* Whether the program is linked with Memtrace, which reads MEMTRACE itself. */
static bool has_memtrace(const struct vm_image *image) {
    const struct vm_section *units = vm_image_section(image, "CRCS");
    return units != NULL && memmem(units->bytes, units->length, "Memtrace", 8) != NULL;
}

/* MEMTRACE and MEMTRACE_RATE request a recording. A child process would write to the same file, so
 * MEMTRACE is removed from the environment. False: after a message. */
static bool read_environment(const struct vm_image *image, struct mp_recorder_options *options,
                             bool *quiet) {
    const char *path = cli_is_privileged() ? NULL : getenv("MEMTRACE");
    const char *rate = getenv("MEMTRACE_RATE");
    if (path == NULL || path[0] == 0 || has_memtrace(image)) return true;
    options->rate = MEMTRACE_RATE;
    if (rate != NULL && rate[0] != 0 && !cli_parse_rate(rate, &options->rate)) {
        cli_fail(STATUS_REFUSED, NULL,
                 "MEMTRACE_RATE: expected a number above 0, at most 1, got \"%s\"", rate);
        return false;
    }
    options->path = strdup(path);
    if (options->path == NULL) {
        cli_fail(STATUS_REFUSED, path, "out of memory");
        return false;
    }
    *quiet = true;
    unsetenv("MEMTRACE");
    return true;
}

char *cli_name_after_program(const char *program, const char *extension) {
    const char *slash = strrchr(program, '/');
    const char *base = slash == NULL ? program : slash + 1;
    if (base[0] == '-') base = "script"; /* of -e, or standard input; not to look like an option */
    const char *dot = strrchr(base, '.');
    size_t n = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);
    char *path;
    return asprintf(&path, "%.*s.%s", (int)n, base, extension) < 0 ? NULL : path;
}

/* False: out of memory. */
static bool name_default_file(struct mp_recorder_options *options) {
    options->path = cli_name_after_program(options->program, "prof");
    options->replace = MP_REPLACE_NONE;
    return options->path != NULL;
}

/* Makes a temporary file for the recording of `prof test`. False: after a message, or when out of
 * memory. */
static bool make_temporary_file(struct mp_recorder_options *options) {
    char *path;
    if (asprintf(&path, "%s/bactrian-test-XXXXXX", cli_temporary_folder()) < 0) return false;
    int fd = mkstemp(path);
    if (fd < 0) {
        cli_fail(0, path, "%s: name a file for the recording with -o FILE", strerror(errno));
        free(path);
        return false;
    }
    close(fd);
    options->path = path;
    return true;
}

static char *farewell(const char *path) {
    char *text;
    for (const char *c = path; *c != 0; c++)
        if ((unsigned char)*c < ' ' || *c == 127) path = "FILE";
    if (asprintf(&text, "bactrian: %s has what was recorded; next: bactrian prof summary %s\n",
                 path, path) < 0)
        return NULL;
    return text;
}

/* False: after a message. */
static bool baseline_is_usable(const struct cli_options *options) {
    if (options->baseline == NULL && options->markdown != NULL)
        cli_fail(0, NULL, "--markdown: give a --baseline to compare with");
    else if (options->baseline == NULL || access(options->baseline, R_OK) == 0) return true;
    else cli_fail(0, options->baseline, "%s: check --baseline", strerror(errno));
    return false;
}

int cli_prepare_recording(struct cli_options *options) {
    const char *other = options->recorder.keep_bytes != 0 ? "--keep"
                        : options->vm.fuel != 0           ? "--fuel"
                        : options->vm.debugger != NULL    ? "a debugger"
                                                          : NULL;
    if (!options->recorder.promoted) return 0;
    if (other != NULL)
        return cli_fail(STATUS_REFUSED, NULL, "--promoted: it cannot be combined with %s", other);
    mp_recorder_prepare(&options->vm);
    return 0;
}

static int start(struct cli_options *options, struct vm *vm, const char *shown) {
    struct mp_recorder_options *recorder = &options->recorder;
    bool testing = options->verb == VERB_PROF_TEST;
    bool asked = testing || options->verb == VERB_PROF_RECORD;
    recorder->program = shown;
    recorder->recorder = "bactrian " BACTRIAN_VERSION;
    recorder->parameters = getenv("OCAMLRUNPARAM");
    recorder->warn = warn;
    if (options->verb == VERB_PROF_RECORD && !options->quiet) recorder->farewell = farewell;
    recorder->replace = options->force ? MP_REPLACE_ANY : MP_REPLACE_OUTPUT;
    if (!asked && !read_environment(vm->image, recorder, &options->quiet)) return STATUS_REFUSED;
    if (asked && options->output != NULL) {
        recorder->path = strdup(options->output);
        if (recorder->path == NULL) return cli_fail(STATUS_REFUSED, shown, "out of memory");
    }
    if (!asked && recorder->path == NULL) return 0;
    if (!cli_has_profiler()) return STATUS_REFUSED;
    if (testing && !baseline_is_usable(options)) return STATUS_REFUSED;
    if (testing && recorder->path == NULL && !make_temporary_file(recorder)) return STATUS_REFUSED;
    if (recorder->path == NULL && !name_default_file(recorder))
        return cli_fail(STATUS_REFUSED, shown, "out of memory");
    if (recorder->rate == 0) recorder->rate = testing ? TEST_RATE : CLI_DEFAULT_RATE;
    ASSERT(recorder->rate > 0 && recorder->rate <= 1);
    recorder->progress = !options->quiet && isatty(STDERR_FILENO);
    if (mp_recorder_start(vm, recorder) != NULL) return 0;
    if (errno == ESPIPE && recorder->keep_bytes != 0)
        return cli_fail(STATUS_REFUSED, recorder->path,
                        "--keep rewrites the recording: give a regular file");
    return cli_refuse_output(recorder->path, errno);
}

static void forget_path(struct mp_recorder_options *recorder) {
    free((char *)recorder->path);
    recorder->path = NULL;
}

int cli_start_recording(struct cli_options *options, struct vm *vm, const char *shown) {
    int status = start(options, vm, shown);
    if (status != 0) forget_path(&options->recorder);
    return status;
}

void cli_abandon_recording(struct vm *vm) {
    struct mp_recorder *recorder = mp_recorder_of(vm);
    struct mp_recording done;
    if (recorder != NULL) mp_recorder_finish(recorder, MP_EXITED, STATUS_REFUSED, &done);
}

/* ---- The end of the run. ---- */

static void print_next_command(const char *path) {
    fputs("bactrian: next: bactrian prof summary ", stderr);
    mp_put_printable(stderr, path, '?');
    fputc('\n', stderr);
}

static void print_share(const char *of, uint64_t part, uint64_t whole) {
    fprintf(stderr, "%.3f s%s", (double)part / 1e9, of);
    if (whole > 0) fprintf(stderr, " (%.1f %%)", 100 * (double)part / (double)whole);
}

static void print_summary(const struct mp_recorder_options *options,
                          const struct mp_recording *done) {
    const double seconds = (double)done->elapsed_ns / 1e9;
    if (options->progress) fputs("\r\033[K", stderr);
    fputs("bactrian: ", stderr);
    mp_put_printable(stderr, done->path, '?');
    fprintf(stderr, ": %" PRIu64 " samples in %.2f s, %.1f KB; recording took ", done->samples,
            seconds, (double)done->file_bytes / 1024);
    print_share("", done->overhead.wall_ns, done->elapsed_ns);
    fputs(", ", stderr);
    print_share(" of CPU time", done->overhead.processor_ns, done->processor_ns);
    if (done->lost_samples > 0)
        fprintf(stderr, "; %" PRIu64 " samples lost for lack of memory", done->lost_samples);
    fputc('\n', stderr);
    print_next_command(done->path);
}

/* `prof test`: returns status, STATUS_OVER_BUDGET, or after a message STATUS_REFUSED. */
static int check_budgets(const struct cli_options *options, const struct mp_recording *done,
                         int status) {
    struct report_error error = {"", "", ""};
    int exceeded = -1;
    if (done->silent) return status; /* a child process */
    if (done->failed) cli_fail(0, done->path, "the recording failed: no budget was checked");
    else {
        const struct report_budgets budgets = {
            .live = options->max_live,
            .alloc = options->max_alloc,
            .leaked = options->max_leak,
            .ignore = options->ignore,
        };
        fflush(stdout);
        exceeded = report_check_budgets(done->path, &budgets, !options->quiet, stderr, &error);
        if (exceeded < 0) cli_report_failed(&error);
    }
    if (exceeded >= 0 && options->baseline != NULL) {
        const struct report_baseline baseline = {
            .path = options->baseline,
            .markdown = options->markdown,
            .replace = options->force ? MP_REPLACE_ANY : MP_REPLACE_OUTPUT,
            .tolerance = options->tolerance,
        };
        int grown = report_check_baseline(done->path, &baseline, !options->quiet, stderr, &error);
        if (grown < 0) cli_report_failed(&error);
        exceeded = grown < 0 ? -1 : exceeded + grown;
    }
    if (options->output == NULL) unlink(done->path);
    else if (exceeded > 0) print_next_command(done->path);
    return exceeded < 0 ? STATUS_REFUSED : exceeded > 0 ? STATUS_OVER_BUDGET : status;
}

/* Writes the HTML report beside the profile, with the snapshot if there is one, and shows it in the
 * browser. */
static void open_page(const char *path, const char *snapshot) {
    struct report_error error = {"", "", ""};
    char *page;
    if (asprintf(&page, "%s.html", path) < 0) return;
    char *words[] = {"html", (char *)path, "-o", page, NULL, (char *)snapshot, NULL};
    if (snapshot != NULL && access(snapshot, R_OK) == 0) words[4] = "--snapshot";
    char *opener[] = {"xdg-open", page, NULL};
    fflush(stdout);
    if (report_run_on(NULL, NULL, words, stdout, false, 0, &error) < 0) {
        cli_report_failed(&error);
    } else {
        int problem = posix_spawnp(&(pid_t){0}, opener[0], NULL, NULL, opener, environ);
        if (problem != 0)
            cli_fail(0, opener[0], "%s: open %s in a browser", strerror(problem), page);
    }
    free(page);
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
    ASSERT((size_t)result.outcome < sizeof outcomes / sizeof outcomes[0]);
    signal(SIGUSR1, SIG_IGN); /* a request for a snapshot comes too late, and must not end us */
    bool by_command = mp_recorder_started_by(recorder) == MP_BY_COMMAND;
    mp_recorder_finish(recorder, outcomes[result.outcome], (unsigned)status, &done);
    if (!by_command) return status;
    if (options->verb == VERB_PROF_TEST) status = check_budgets(options, &done, status);
    else if (!options->quiet && !done.silent && !done.failed)
        print_summary(&options->recorder, &done);
    if (options->open_page && !done.silent && !done.failed)
        open_page(done.path, options->heap_file);
    forget_path(&options->recorder);
    return status;
}
