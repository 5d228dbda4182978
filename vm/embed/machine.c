/* machine.c - the life of an embedder's machine: options, opening, running, closing.
 *
 * The machine copies everything it needs from the options, except contexts. */
#include "memprof/memprof.h"
#include "stdlib/channel.h"
#include "stdlib/state.h"
#include "vm/base/status.h"
#include "vm/embed/embed_internal.h"
#include "vm/engine/callback.h"
#include "vm/image/image.h"
#include "vm/machine/machine.h"
#include "vm/stack/backtrace.h"

#include <stdlib.h>

enum { MAX_CALL_ARGUMENTS = 32 };

const char *bactrian_version(void) { return BACTRIAN_VERSION; }

/* ---- Streams and messages. ---- */

static void connect_streams(const struct bactrian_options *options, struct vm_options *vm) {
    vm->streams[0] = (struct vm_stream){.context = options->input.context,
                                        .read = options->input.read};
    vm->streams[1] = (struct vm_stream){.context = options->output.context,
                                        .write = options->output.write};
    vm->streams[2] = (struct vm_stream){.context = options->errors.context,
                                        .write = options->errors.write};
}

/* The target of the stdio file that the machine writes its messages to. */
static ssize_t write_message(void *context, const char *text, size_t n) {
    struct bactrian *m = context;
    if (m->message != NULL) m->message(m->message_context, text, n);
    return (ssize_t)n;
}

/* ---- Options. ---- */

static void free_texts(char **texts) {
    for (char **t = texts; t != NULL && *t != NULL; t++) free(*t);
    free(texts);
}

/* A copy of first (if not NULL) followed by a NULL-terminated list; NULL: out of memory. */
static char **copy_texts(const char *first, const char *const *list) {
    size_t n = 0, count = 0;
    while (list != NULL && list[n] != NULL) n++;
    char **copy = calloc(n + 2, sizeof *copy);
    if (copy == NULL) return NULL;
    bool whole = true;
    if (first != NULL) whole = (copy[count++] = strdup(first)) != NULL;
    for (size_t i = 0; whole && i < n; i++) whole = (copy[count++] = strdup(list[i])) != NULL;
    if (whole) return copy;
    free_texts(copy);
    return NULL;
}

static bool copy_options(struct bactrian *m, const struct bactrian_options *options,
                         const char *path) {
    static const cookie_io_functions_t messages = {.write = write_message};
    const char *name = options->name != NULL ? options->name : path != NULL ? path : "bactrian";
    const char *library = options->standard_library;
    m->message = options->message;
    m->message_context = options->message_context;
    m->name = strdup(name);
    m->standard_library = strdup(library == NULL ? BACTRIAN_STANDARD_LIBRARY : library);
    m->argv = copy_texts(name, options->arguments);
    m->stub_folders = copy_texts(NULL, options->stub_folders);
    m->err = fopencookie(m, "w", messages);
    return m->name != NULL && m->standard_library != NULL && m->argv != NULL &&
           m->stub_folders != NULL && m->err != NULL;
}

/* False: *error names the word that is not a capability, or can't be allowed this way. */
static bool read_policy(struct bactrian *m, const struct bactrian_options *options,
                        struct bactrian_error *error) {
    const char *word, *what;
    if (options->pure) vm_policy_pure(&m->policy);
    vm_policy_change(&m->policy, "signals", false, &word, &what);
    if ((options->denied == NULL ||
         vm_policy_change(&m->policy, options->denied, false, &word, &what)) &&
        (options->allowed == NULL ||
         vm_policy_change(&m->policy, options->allowed, true, &word, &what)))
        return true;
    snprintf(error->text, sizeof error->text, "%s '%.*s'", what, (int)strcspn(word, ","), word);
    return false;
}

static struct vm_options machine_options(struct bactrian *m,
                                         const struct bactrian_options *options) {
    struct vm_options vm = {
        .gc = {.minor_words = options->minor_heap_bytes / sizeof(value),
               .max_heap_words = options->max_heap_bytes / sizeof(value),
               .adaptive_minor = options->minor_heap_bytes == 0},
        .max_stack_words = options->max_stack_bytes / sizeof(value),
        .max_stack_holds = options->max_stack_bytes != 0,
        .fuel = options->fuel,
        .max_output_bytes = options->max_output_bytes,
        .policy = &m->policy,
        .unchecked = options->unchecked,
        .verify_all = true,
        .backtrace = options->backtrace,
        .cleanup_at_exit = true, /* the process goes on */
        .executable_name = m->name,
        .profiler_rows = m->rows,
        .profiler_row_count = m->primitive_count + mp_prim_row_count,
        .argv = m->argv,
        .abi = &embed_abi,
        .dlls = {.dirs = (const char *const *)m->stub_folders,
                 .standard_library = m->standard_library},
        .end_context = m,
        .err = m->err,
    };
    while (m->stub_folders[vm.dlls.dir_count] != NULL) vm.dlls.dir_count++;
    connect_streams(options, &vm);
    return vm;
}

/* ---- Opening. ---- */

struct opening {
    struct vm_options options;
    struct vm_error error;
    bool loaded;
};

static void load(struct bactrian *m, void *context) {
    struct opening *o = context;
    m->vm = vm_create(&o->options, m->image.version, &prim_library, &o->error);
    if (m->vm == NULL) return;
    gc_add_scanner(m->vm->domain->gc.heap, "the application's handles", embed_scan, m);
    o->loaded = vm_load(m->vm, &m->image, &o->error) == VM_OK;
}

static struct bactrian *new_machine(void) {
    struct bactrian *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    m->usable = true;
    m->all.pending = m->exception = VAL_UNIT;
    m->scope = &m->all;
    return m;
}

static struct bactrian *give_up(struct bactrian *m, struct bactrian_error *error,
                                const char *what) {
    if (what != NULL) snprintf(error->text, sizeof error->text, "%s", what);
    bactrian_close(m);
    return NULL;
}

static struct bactrian *refuse_image(struct bactrian *m, struct bactrian_error *error,
                                     const struct vm_error *why) {
    snprintf(error->text, sizeof error->text, "%s (%s)", vm_status_text(why->status), why->detail);
    return give_up(m, error, NULL);
}

/* Loads m's image, which is open. */
static struct bactrian *finish_opening(struct bactrian *m, const char *path,
                                       const struct bactrian_options *options,
                                       struct bactrian_error *error) {
    static const struct bactrian_options defaults;
    if (options == NULL) options = &defaults;
    if (!copy_options(m, options, path)) return give_up(m, error, "out of memory");
    if (!read_policy(m, options, error)) return give_up(m, error, NULL);
    const char *wrong = embed_make_primitives(m, options);
    if (wrong != NULL) return give_up(m, error, wrong);
    struct opening o = {.options = machine_options(m, options)};
    if (!embed_guard(m, load, &o)) return give_up(m, error, m->text);
    return o.loaded ? m : refuse_image(m, error, &o.error);
}

/* Opens the file at path or (NULL) the image in memory. */
static struct bactrian *open_machine(const char *path, const void *image, size_t length,
                                     const struct bactrian_options *options,
                                     struct bactrian_error *error) {
    struct vm_error why;
    struct bactrian *m = new_machine();
    if (m == NULL) return give_up(m, error, "out of memory");
    enum vm_status status = path != NULL ? vm_image_open(path, &m->image, &why)
                                         : vm_image_from_memory(image, length, &m->image, &why);
    if (status != VM_OK) return refuse_image(m, error, &why);
    return finish_opening(m, path, options, error);
}

struct bactrian *bactrian_open(const char *path, const struct bactrian_options *options,
                               struct bactrian_error *error) {
    return open_machine(path, NULL, 0, options, error);
}

struct bactrian *bactrian_open_memory(const void *image, size_t length,
                                      const struct bactrian_options *options,
                                      struct bactrian_error *error) {
    return open_machine(NULL, image, length, options, error);
}

/* ---- Running. ---- */

/* Runs the at_exit functions. Their exceptions are ignored and must not change the backtrace. */
static value run_at_exit(struct domain *d, void *unused) {
    const value *at_exit = vm_named_value(d->vm, "Pervasives.do_at_exit");
    if (at_exit == NULL) return VAL_UNIT;
    bool active = d->backtrace_active;
    size_t count = vm_backtrace_count(d);
    vm_backtrace_switch(d, false);
    vm_callback1_exn(d, *at_exit, VAL_UNIT);
    vm_backtrace_switch(d, active);
    d->backtrace->count = count;
    vm_backtrace_publish(d);
    return VAL_UNIT;
}

enum bactrian_outcome bactrian_run(struct bactrian *m) {
    value ignored;
    if (embed_state(m) != BACTRIAN_OK) return embed_state(m);
    if (m->has_run || m->inside)
        return embed_fail(m, BACTRIAN_REFUSED, "the program has run already");
    m->has_run = true;
    enum bactrian_outcome outcome = embed_perform(m, NULL, NULL, &ignored);
    if (outcome != BACTRIAN_EXCEPTION) return outcome;
    char text[sizeof m->text];
    ASSERT(!m->inside);
    memcpy(text, m->text, sizeof text);
    enum bactrian_outcome end = embed_perform(m, run_at_exit, NULL, &ignored);
    if (end == BACTRIAN_STOPPED || end == BACTRIAN_BROKEN) return end;
    memcpy(m->text, text, sizeof text);
    return BACTRIAN_EXCEPTION;
}

struct call {
    value function, arguments[MAX_CALL_ARGUMENTS];
    int count;
};

static value perform_call(struct domain *d, void *context) {
    const struct call *c = context;
    return vm_callback_exn(d, c->function, c->count, c->arguments);
}

enum bactrian_outcome bactrian_call(struct bactrian *m, const struct bactrian_value *function,
                                    int count, struct bactrian_value *const *arguments,
                                    struct bactrian_value **result) {
    struct call c = {.count = count};
    value returned;
    if (result != NULL) *result = NULL;
    if (embed_state(m) != BACTRIAN_OK) return embed_state(m);
    if (!embed_value(m, function, &c.function)) return BACTRIAN_REFUSED;
    if (bactrian_kind(function) != BACTRIAN_FUNCTION)
        return embed_fail(m, BACTRIAN_REFUSED, "the value called is not a function");
    if (count < 1 || count > MAX_CALL_ARGUMENTS)
        return embed_fail(m, BACTRIAN_REFUSED, "%d arguments: expected 1 to %d", count,
                          MAX_CALL_ARGUMENTS);
    for (int i = 0; i < count; i++)
        if (!embed_value(m, arguments[i], &c.arguments[i])) return BACTRIAN_REFUSED;
    enum bactrian_outcome outcome = embed_perform(m, perform_call, &c, &returned);
    if (outcome != BACTRIAN_OK || result == NULL) return outcome;
    *result = embed_handle(m, returned);
    return *result == NULL ? BACTRIAN_REFUSED : BACTRIAN_OK;
}

static void flush(struct bactrian *m, void *unused) {
    channels_flush_quietly(m->vm->library_state);
}

void bactrian_flush(struct bactrian *m) {
    if (m->usable && !m->inside && !m->broken) embed_guard(m, flush, NULL);
}

/* ---- Closing. ---- */

static void destroy(struct bactrian *m, void *gone) {
    if (m->broken) m->vm->options.cleanup_at_exit = false; /* a collection may be incomplete */
    if (!m->broken) {
        embed_end_profiles(m);
        flush(m, NULL);
    }
    *(bool *)gone = vm_destroy(m->vm);
}

static void free_machine(struct bactrian *m) {
    embed_free_handles(m);
    embed_free_primitives(m);
    vm_policy_free(&m->policy);
    if (m->err != NULL) fclose(m->err);
    free(m->name);
    free(m->standard_library);
    free_texts(m->argv);
    free_texts(m->stub_folders);
    free(m);
}

void bactrian_close(struct bactrian *m) {
    bool gone = true;
    if (m == NULL || !m->usable || m->inside) return;
    ASSERT(!m->holds_stub_lock && m->unwinding == BACTRIAN_OK);
    if (m->vm == NULL) vm_image_close(&m->image);
    else embed_guard(m, destroy, &gone);
    if (gone) free_machine(m);
}
