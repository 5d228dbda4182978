/* repl_prims.c - the primitives of stdlib/ml/bactrian_repl.ml, which exist only in the REPL. */
#include "gc/assert.h"
#include "gc/stats.h"
#include "memprof/memprof.h"
#include "memprof/recorder/recorder.h"
#include "memprof/report/command/command.h"
#include "stdlib/channel.h"
#include "vm/base/os.h"
#include "vm/cli/cli.h"
#include "vm/cli/prompt/phrase.h"
#include "vm/cli/prompt/repl.h"
#include "vm/engine/callback.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/thread/pending.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cli_repl *repl_of(struct domain *d) {
    ASSERT(d->vm->options.embedder != NULL);
    return d->vm->options.embedder;
}

/* ---- Phrases. ---- */

static value repl_is_terminal(struct domain *d, value unit) {
    return val_of_int(editor_is_possible());
}

/* Makes the toplevel believe that the terminal is dumb, or ends that. The setting of colours, which
 * it has read from OCAML_COLOR, is not inherited by the session's programs. */
static value repl_pretend_dumb(struct domain *d, value start) {
    struct cli_repl *repl = repl_of(d);
    if (start == VAL_TRUE) {
        const char *term = getenv("TERM");
        repl->term = term == NULL ? NULL : strdup(term);
        setenv("TERM", "dumb", 1);
        return VAL_UNIT;
    }
    if (repl->term != NULL) setenv("TERM", repl->term, 1);
    if (repl->chose_colour) unsetenv("OCAML_COLOR");
    free(repl->term);
    return VAL_UNIT;
}

/* The completer gets the phrase that the cursor is in. It returns how many bytes of the word are
 * typed, and a list of pairs of words and notes. An exception means no candidates. */
static void repl_complete(void *context, const char *before, struct editor_candidates *candidates) {
    struct cli_repl *repl = context;
    struct domain *d = repl->domain;
    for (size_t length; phrase_first(before, &length) == PHRASE_ENDED;) before += length;
    vm_leave_blocking(d);
    value text = copy_string(d, before);
    value answer = vm_callback_exn(d, repl->complete, 1, &text);
    if (!is_exn_result(answer)) {
        intptr_t typed = int_of_val(field(answer, 0));
        if (typed >= 0 && (size_t)typed <= strlen(before)) candidates->typed = (size_t)typed;
        for (value at = field(answer, 1); is_block(at); at = field(at, 1)) {
            value pair = field(at, 0);
            editor_add_candidate(candidates, string_bytes(field(pair, 0)),
                                 string_bytes(field(pair, 1)));
        }
    }
    vm_enter_blocking(d);
}

/* Reads the next text; false: there is none. Ctrl-C acts as the signal. Needs: the completer is a
 * root. GC: may run. */
static bool read_text(struct domain *d, struct cli_repl *repl, const char *prompt) {
    enum editor_result result;
    free(repl->typed);
    repl->typed = NULL;
    repl->taken = 0;
    do {
        char *shown = strdup(prompt), *typed;
        if (shown == NULL) vm_raise_out_of_memory(d);
        vm_enter_blocking(d);
        result = editor_read(repl->editor, shown, &typed);
        if (result == EDITOR_INTERRUPTED) raise(SIGINT);
        vm_leave_blocking(d);
        free(shown);
        repl->typed = typed;
        if (result != EDITOR_READ) vm_process_pending(d); /* raises Sys.Break */
    } while (result == EDITOR_SIGNALLED || result == EDITOR_INTERRUPTED);
    return result == EDITOR_READ;
}

/* Returns a phrase with a newline after it, "" at the end of input. A text may have several
 * phrases, which the toplevel gets one by one: it would forget what follows the first. */
static value repl_read(struct domain *d, value prompt, value completer) {
    struct cli_repl *repl = repl_of(d);
    struct editor_language ocaml = {repl, repl_complete, phrase_is_whole, phrase_classify};
    enum phrase_state state;
    size_t length = 0;
    if (repl->editor == NULL) repl->editor = editor_open("repl.history", &ocaml);
    if (repl->editor == NULL) vm_raise_out_of_memory(d);
    repl->domain = d;
    repl->complete = completer;
    GC_ROOT(&d->gc, &prompt, &repl->complete);
    while (repl->typed == NULL ||
           (state = phrase_first(repl->typed + repl->taken, &length)) == PHRASE_BLANK)
        if (!read_text(d, repl, string_bytes(prompt))) return new_string(d, 0);
    const char *end = state == PHRASE_LINE ? ";;\n" : "\n";
    size_t blanks = strspn(repl->typed + repl->taken,
                           " \t\n"); /* lines are counted from the rest */
    repl->taken += blanks;
    length -= blanks;
    value text = new_string(d, length + strlen(end));
    memcpy((char *)string_bytes(text), repl->typed + repl->taken, length);
    memcpy((char *)string_bytes(text) + length, end, strlen(end));
    repl->taken += length;
    return text;
}

/* Forgets the phrases that the toplevel has not taken. */
static value repl_forget(struct domain *d, value unit) {
    struct cli_repl *repl = repl_of(d);
    free(repl->typed);
    repl->typed = NULL;
    return VAL_UNIT;
}

/* Puts as much of a text as there is room for in front of what a channel reads next. Returns the
 * number of bytes. */
static value repl_unread(struct domain *d, value channel, value text) {
    GC_ROOT(&d->gc, &channel, &text);
    struct channel *c = channel_of(channel);
    vm_lock(d, &c->lock);
    size_t available = (size_t)(c->max - c->curr), length = string_length(text);
    size_t room = c->fd == -1 ? 0 : CHANNEL_BUFFER_BYTES - available;
    size_t n = length < room ? length : room;
    if (n > 0) {
        memmove(c->buffer + n, c->curr, available);
        memcpy(c->buffer, string_bytes(text), n);
        c->curr = c->buffer;
        c->max = c->buffer + n + available;
        c->offset += (int64_t)n;
    }
    vm_unlock(d, &c->lock);
    return val_of_int((intptr_t)n);
}

static value repl_version(struct domain *d, value unit) { return copy_string(d, BACTRIAN_VERSION); }

/* A line for each of the packages and those that they need: its folder, a tab, its archives. */
static value repl_packages(struct domain *d, value packages) {
    enum { FIXED = 7 };
    const char *words[FIXED] = {
        "ocamlfind", "query", "-recursive", "-predicates", "byte,toploop,mt,mt_posix",
        "-format",   "%d\t%A"};
    size_t n = wosize_of(packages);
    const char **all = calloc(FIXED + n + 1, sizeof *all);
    char *ocamlfind = cli_find_tool(repl_of(d)->options, words[0]), *text = NULL;
    int status = STATUS_NOT_FOUND;
    bool found = ocamlfind != NULL && access(ocamlfind, X_OK) == 0;
    if (all != NULL && found) {
        memcpy(all, words, sizeof words);
        for (size_t i = 0; i < n; i++) all[FIXED + i] = string_bytes(field(packages, i));
        status = cli_output_of(NULL, ocamlfind, all, true, &text);
    }
    free(ocamlfind);
    free(all);
    if (!found) vm_failwith(d, "needs ocamlfind: install it (Debian: ocaml-findlib)");
    if (text == NULL) vm_failwith(d, "nothing was loaded (ocamlfind: status %d)", status);
    value lines = copy_string(d, text);
    free(text);
    return lines;
}

static value repl_library(struct domain *d, value unit) {
    struct cli_repl *repl = d->vm->options.embedder;
    return copy_string(d, repl->library);
}

/* ---- Recordings. ---- */

/* Creates the temporary folder on first use; false: see errno. */
static bool make_folder(struct cli_repl *repl) {
    char *folder = NULL, *profile = NULL;
    if (repl->folder != NULL) return true;
    errno = ENOMEM;
    if (asprintf(&folder, "%s/bactrian-repl-XXXXXX", cli_temporary_folder()) < 0) return false;
    if (mkdtemp(folder) == NULL || asprintf(&profile, "%s/now", folder) < 0) {
        free(folder); /* keeps errno */
        return false;
    }
    repl->folder = folder;
    repl->profile = profile;
    return true;
}

static void warn(struct vm *vm, const char *path, int problem) {
    cli_fail(0, path, "%s: recording stops here, the session continues", strerror(problem));
}

/* The recording of a directive, not one that a phrase started. */
static struct mp_recorder *recorder_of_session(struct domain *d) {
    struct mp_recorder *r = mp_recorder_of(d->vm);
    return r == NULL || mp_recorder_started_by(r) != MP_BY_COMMAND ? NULL : r;
}

/* Starts recording at this rate; `what` is the program's name in the profile. */
static value repl_start(struct domain *d, value rate, value what) {
    struct cli_repl *repl = repl_of(d);
    if (mp_recorder_of(d->vm) != NULL) vm_failwith(d, "a recording is already running");
    GC_ROOT(&d->gc, &rate, &what);
    gc_full_major_cycle(&d->gc); /* so that the pauses belong to the recorded phrases */
    struct mp_recorder_options options = {
        .rate = double_of_val(rate),
        .program = string_bytes(what),
        .recorder = "bactrian " BACTRIAN_VERSION,
        .warn = warn,
    };
    if (!make_folder(repl)) vm_failwith(d, "no temporary folder: %s", strerror(errno));
    options.path = repl->profile;
    if (mp_recorder_start(d->vm, &options) == NULL)
        vm_failwith(d, "%s: %s", repl->profile, mp_output_problem(errno));
    repl->recorded = true;
    repl->before = gc_stats_read(&d->gc);
    repl->started_ns = vm_now_ns();
    return VAL_UNIT;
}

/* Ends the recording. Returns a record of figures, which bactrian_repl.ml declares. */
static value repl_stop(struct domain *d, value unit) {
    struct mp_recorder *recorder = recorder_of_session(d);
    if (recorder == NULL) vm_failwith(d, "no recording is running");
    const struct gc_stats *before = &repl_of(d)->before;
    struct mp_recording done;
    uint64_t elapsed_ns = vm_now_ns() - repl_of(d)->started_ns;
    struct gc_stats after = gc_stats_read(&d->gc);
    mp_recorder_finish(recorder, MP_RETURNED, 0, &done);
    size_t promoted = after.promoted_words - before->promoted_words;
    size_t words = after.minor_words - before->minor_words + after.major_words -
                   before->major_words - promoted;
    const double figures[] = {
        (double)elapsed_ns / 1e9,
        (double)done.samples,
        (double)done.lost_samples,
        (double)words,
        (double)promoted,
        (double)(after.minor_collections - before->minor_collections),
        (double)(after.major_collections - before->major_collections),
    };
    value array = new_block(d, sizeof figures / sizeof(double), TAG_DOUBLE_ARRAY);
    memcpy((double *)array, figures, sizeof figures);
    return array;
}

static value repl_is_recording(struct domain *d, value unit) {
    return val_of_int(recorder_of_session(d) != NULL);
}

/* Writes all samples so far to the file. Returns the seconds since the start. */
static value repl_flush(struct domain *d, value unit) {
    struct mp_recorder *recorder = recorder_of_session(d);
    if (recorder == NULL) vm_failwith(d, "no recording is running");
    return copy_double(d, (double)mp_recorder_flush(recorder) / 1e9);
}

/* The file of the last recording. */
static value repl_profile(struct domain *d, value unit) {
    if (!repl_of(d)->recorded) vm_failwith(d, "there is no recording yet");
    return copy_string(d, repl_of(d)->profile);
}

/* `prof`: words are a verb, options and files. Returns the output. */
static value repl_report(struct domain *d, value words) {
    struct report_error error = {"", "", ""};
    char *text = NULL;
    size_t length = 0, n = wosize_of(words);
    char **arguments = calloc(n + 1, sizeof *arguments);
    FILE *out = arguments == NULL ? NULL : open_memstream(&text, &length);
    if (out == NULL) free(arguments);
    if (out == NULL) vm_raise_out_of_memory(d);
    for (size_t i = 0; i < n; i++) arguments[i] = (char *)string_bytes(field(words, i));
    int status = report_run_on(NULL, NULL, arguments, out, cli_wants_color(),
                               cli_terminal_columns(), &error);
    bool whole = vm_close_text(out, &text);
    free(arguments);
    if (status < 0 || !whole) free(text);
    if (status < 0)
        vm_failwith(d, "%s%s%s: %s", error.subject, error.subject[0] != 0 ? ": " : "", error.what,
                    error.advice);
    if (!whole) vm_raise_out_of_memory(d);
    value shown = copy_bytes(d, text, length);
    free(text);
    return shown;
}

/* ---- Their table. ---- */

static const struct vm_prim own_rows[] = {
    {"bactrian_repl_is_terminal", repl_is_terminal, "v", 'i', CAP_STDIO, PRIM_LEAF},
    {"bactrian_repl_read", repl_read, "sk", 's', CAP_STDIO, PRIM_CALLS},
    {"bactrian_repl_pretend_dumb", repl_pretend_dumb, "i", 'u', CAP_ENV, PRIM_LEAF},
    {"bactrian_repl_forget", repl_forget, "v", 'u', CAP_STDIO, PRIM_LEAF},
    {"bactrian_repl_unread", repl_unread, "cs", 'i', CAP_STDIO, PRIM_CALLS},
    {"bactrian_repl_version", repl_version, "v", 's', CAP_STDIO, PRIM_ALLOCATES},
    {"bactrian_repl_packages", repl_packages, "a", 's', CAP_PROC, PRIM_ALLOCATES},
    {"bactrian_repl_library", repl_library, "v", 's', CAP_STDIO, PRIM_ALLOCATES},
    {"bactrian_repl_start", repl_start, "fs", 'u', CAP_GC, PRIM_ALLOCATES},
    {"bactrian_repl_stop", repl_stop, "v", 'A', CAP_GC, PRIM_ALLOCATES},
    {"bactrian_repl_is_recording", repl_is_recording, "v", 'i', CAP_GC, PRIM_LEAF},
    {"bactrian_repl_flush", repl_flush, "v", 'f', CAP_GC, PRIM_ALLOCATES},
    {"bactrian_repl_profile", repl_profile, "v", 's', CAP_GC, PRIM_ALLOCATES},
    {"bactrian_repl_report", repl_report, "a", 's', CAP_FS_WRITE, PRIM_ALLOCATES},
};

bool cli_repl_add_prims(struct cli_repl *repl) {
    enum { OWN = sizeof own_rows / sizeof own_rows[0] };
    repl->row_count = mp_prim_row_count + OWN;
    repl->rows = malloc(repl->row_count * sizeof *repl->rows);
    if (repl->rows == NULL) return false;
    memcpy(repl->rows, mp_prim_rows, mp_prim_row_count * sizeof *repl->rows);
    memcpy(repl->rows + mp_prim_row_count, own_rows, sizeof own_rows);
    return true;
}
