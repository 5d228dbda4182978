/* primitives.c - primitives that the embedder implements in C, and their exceptions.
 *
 * The machine calls a primitive as f(domain, a, b, ...), or with 6 arguments or more as f(domain,
 * arguments, n), without a context. So each primitive is a libffi closure, which supplies it. */
#include "memprof/memprof.h"
#include "vm/base/os.h"
#include "vm/embed/embed_internal.h"
#include "vm/machine/machine.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

#include <ffi.h>
#include <stdlib.h>

enum { MAX_ARGUMENTS = 32, MAX_DIRECT = 5 };

struct primitive {
    struct bactrian *machine;
    char *name, *kinds;
    bactrian_function *function;
    void *context;
    ffi_closure *closure;
    ffi_cif cif;
    ffi_type *types[1 + MAX_DIRECT];
};

/* ---- Raising. ---- */

struct bactrian_value *bactrian_raise(struct bactrian *m, const struct bactrian_value *exception) {
    value exn;
    if (embed_value(m, exception, &exn)) {
        m->scope->raises = true;
        m->scope->pending = exn;
    }
    return NULL;
}

static value make_failure(struct domain *d, void *text) {
    value message = copy_string(d, text);
    return new_pair(d, field(d->vm->global_data, EXN_FAILURE), message);
}

struct bactrian_value *bactrian_fail(struct bactrian *m, const char *text) {
    value exn;
    if (embed_perform(m, make_failure, (void *)text, &exn) != BACTRIAN_OK) return NULL;
    m->scope->raises = true;
    m->scope->pending = exn;
    return NULL;
}

/* ---- Calls. ---- */

/* Runs the embedder's function. Returns whether it raises *result. */
static bool call_function(struct primitive *p, int n, const value *arguments, value *result) {
    struct bactrian *m = p->machine;
    struct bactrian_value *handles[MAX_ARGUMENTS];
    struct scope *scope = embed_open_scope(m);
    bool made = scope != NULL;
    for (int i = 0; made && i < n; i++) made = (handles[i] = embed_handle(m, arguments[i])) != NULL;
    if (!made) {
        if (scope != NULL) embed_close_scope(m, scope);
        vm_raise_out_of_memory(m->vm->domain);
    }
    ASSERT(m->inside && !m->usable); /* EM1 */
    m->usable = true;
    struct bactrian_value *returned = p->function(m, p->context, n, handles);
    bool raises = returned == NULL && scope->raises;
    if (raises) *result = scope->pending;
    else if (returned == NULL || !embed_value(m, returned, result)) *result = VAL_UNIT;
    m->usable = false;
    embed_close_scope(m, scope);
    return raises;
}

/* The loop checks the kinds of up to five arguments; these are those of more, in an array. */
static void check_kinds(struct domain *d, const struct primitive *p, const value *arguments) {
    for (int i = 0; p->kinds[i] != 0 && !d->vm->options.unchecked; i++)
        if (!vm_kind_accepts(d, p->kinds[i], arguments[i]))
            vm_raise_wrong_kind(d, p->name, p->kinds);
}

/* libffi calls this. */
static void enter_primitive(ffi_cif *cif, void *result, void **arguments, void *context) {
    struct primitive *p = context;
    struct bactrian *m = p->machine;
    struct domain *d = *(struct domain **)arguments[0];
    value direct[MAX_DIRECT], outcome;
    int n = (int)strlen(p->kinds);
    bool is_direct = n <= MAX_DIRECT;
    ASSERT(d->vm == m->vm && n >= 1 && n <= MAX_ARGUMENTS);
    ASSERT(is_direct || *(int *)arguments[2] == n);
    if (!is_direct) check_kinds(d, p, *(value **)arguments[1]);
    for (int i = 0; is_direct && i < n; i++) direct[i] = *(value *)arguments[i + 1];
    bool raises = call_function(p, n, is_direct ? direct : *(value **)arguments[1], &outcome);
    if (m->broken) vm_fatal("%s", m->text);
    if (m->unwinding != BACTRIAN_OK) vm_exit(d, m->vm->exit_status);
    if (raises) vm_raise(d, outcome);
    *(value *)result = outcome;
}

/* ---- Creating them. ---- */

static bool prepare(struct primitive *p) {
    size_t n = strlen(p->kinds);
    bool is_direct = n <= MAX_DIRECT;
    unsigned parameters = is_direct ? 1 + (unsigned)n : 3;
    for (unsigned i = 0; i < parameters; i++) p->types[i] = &ffi_type_pointer;
    if (!is_direct) p->types[2] = &ffi_type_sint;
    void *code;
    p->closure = ffi_closure_alloc(sizeof *p->closure, &code);
    if (p->closure == NULL ||
        ffi_prep_cif(&p->cif, FFI_DEFAULT_ABI, parameters, &ffi_type_pointer, p->types) != FFI_OK ||
        ffi_prep_closure_loc(p->closure, &p->cif, enter_primitive, p, code) != FFI_OK)
        return false;
    p->machine->rows[p - p->machine->primitives] = (struct vm_prim){
        .name = p->name,
        .function = code,
        .kinds = p->kinds,
        .result = 'v',
        .capability = CAP_PURE,
        .flags = PRIM_CALLS,
    };
    return true;
}

static bool is_sound(const struct bactrian_primitive *p) {
    size_t n = p->kinds == NULL ? 0 : strlen(p->kinds);
    return p->name != NULL && p->function != NULL && n >= 1 && n <= MAX_ARGUMENTS &&
           strspn(p->kinds, "visfojlnkAa") == n;
}

const char *embed_make_primitives(struct bactrian *m, const struct bactrian_options *options) {
    size_t n = options->primitive_count;
    for (size_t i = 0; i < n; i++)
        if (!is_sound(&options->primitives[i]))
            return "a primitive needs a name, valid kinds and a function";
    m->primitives = calloc(n + 1, sizeof *m->primitives);
    m->rows = calloc(n + mp_prim_row_count, sizeof *m->rows);
    if (m->primitives == NULL || m->rows == NULL) return "out of memory";
    memcpy(m->rows + n, mp_prim_rows, mp_prim_row_count * sizeof *m->rows);
    for (size_t i = 0; i < n; i++) {
        const struct bactrian_primitive *given = &options->primitives[i];
        struct primitive *p = &m->primitives[i];
        m->primitive_count++;
        *p = (struct primitive){.machine = m,
                                .name = strdup(given->name),
                                .kinds = strdup(given->kinds),
                                .function = given->function,
                                .context = given->context};
        if (p->name == NULL || p->kinds == NULL || !prepare(p)) return "out of memory";
    }
    return NULL;
}

void embed_free_primitives(struct bactrian *m) {
    for (size_t i = 0; i < m->primitive_count; i++) {
        struct primitive *p = &m->primitives[i];
        if (p->closure != NULL) ffi_closure_free(p->closure);
        free(p->name);
        free(p->kinds);
    }
    free(m->primitives);
    free(m->rows);
}
