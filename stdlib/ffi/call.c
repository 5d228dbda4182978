/* call.c - calling C functions.
 *
 *     values:  | call | pending exception | memory of the result | argument 0 | argument 1 | ...
 *     words:   argument i as a C value          addresses: of word i, for libffi
 *
 * Values are rooted while the C function runs: it may call back. Arguments are converted before
 * anything can collect. A string in the minor heap could move, so C gets a copy, at most 2 KB, on
 * the C stack or from malloc; other strings are passed directly. */
#include "stdlib/ffi/ffi.h"
#include "stdlib/prim.h"
#include "stdlib/state.h"
#include "vm/code/checks.h"
#include "vm/thread/pending.h"
#include "vm/thread/thread.h"

#include <errno.h>
#include <stdlib.h>

enum { IN_CALL, IN_PENDING, IN_MEMORY, IN_ARGUMENTS };
enum { CALL_PREPARED, CALL_ADDRESS, CALL_LIBRARY, CALL_NAME, CALL_BLOCKING, CALL_FIELDS };
enum {
    SCRATCH_BYTES = 256, /* for copies of strings, on the C stack */
    MAX_NESTING = 1000   /* of foreign calls in callbacks: about 3 KB of stack each */
};

static _Thread_local struct ffi_frame *innermost_frame;
static _Thread_local int foreign_errno;

struct ffi_frame *ffi_innermost_frame(void) {
    return innermost_frame;
}
void ffi_set_innermost_frame(struct ffi_frame *frame) { innermost_frame = frame; }

/* Temporary objects of a call. */
struct temporaries {
    struct ffi_callback *callbacks;
    void *copies;          /* blocks from malloc, linked by their first words */
    uint64_t copied_bytes; /* bit i: argument i is Bytes, and C has a copy */
    size_t used;
    _Alignas(16) char scratch[SCRATCH_BYTES];
};

/* ---- Arguments. ---- */

static char *scratch_alloc(struct temporaries *temporary, size_t bytes) {
    size_t rounded = (bytes + 7) & ~(size_t)7;
    ASSERT(temporary->used <= SCRATCH_BYTES);
    if (rounded <= SCRATCH_BYTES - temporary->used) {
        temporary->used += rounded;
        return temporary->scratch + temporary->used - rounded;
    }
    void **copy = malloc(sizeof *copy + rounded);
    if (copy == NULL) return NULL;
    *copy = temporary->copies;
    temporary->copies = copy;
    return (char *)(copy + 1);
}

static enum ffi_problem take_string(struct domain *d, struct temporaries *temporary, size_t i,
                                    unsigned code, value v, union ffi_word *to) {
    if (code == FFI_STRING_OPT) {
        to->p = NULL;
        if (v == VAL_NONE) return FFI_BAD_NONE;
        if (is_int(v) || tag_of(v) != 0) return FFI_BAD_KIND;
        v = field(v, 0);
    }
    if (is_int(v) || tag_of(v) != TAG_STRING) return FFI_BAD_KIND;
    to->p = string_bytes(v);
    if (!gc_is_young(&d->gc, v)) return FFI_BAD_NONE;
    size_t bytes = string_length(v) + 1;
    char *copy = scratch_alloc(temporary, bytes);
    if (copy == NULL) return FFI_BAD_NO_MEMORY;
    memcpy(copy, string_bytes(v), bytes);
    to->p = copy;
    if (code == FFI_BYTES) temporary->copied_bytes |= (uint64_t)1 << i;
    return FFI_BAD_NONE;
}

static enum ffi_problem take_closure(struct domain *d, struct temporaries *temporary, value typ,
                                     value f, union ffi_word *to) {
    if (!is_closure(f)) return FFI_BAD_KIND;
    struct ffi_callback *callback = ffi_callback_new(d, field(typ, 0), f);
    if (callback == NULL) return FFI_BAD_NO_MEMORY;
    callback->temporary = temporary->callbacks;
    temporary->callbacks = callback;
    to->p = callback->code;
    return FFI_BAD_NONE;
}

static inline enum ffi_problem take_argument(struct domain *d, struct temporaries *temporary,
                                             const struct ffi_slot *slot, size_t i,
                                             const value *values, union ffi_word *to) {
    ASSERT(i < FFI_MAX_ARGUMENTS);
    value v = values[IN_ARGUMENTS + i];
    if (slot->code < FFI_STRING || slot->code == FFI_POINTER || slot->code == FFI_STRUCT)
        return ffi_take(slot, v, to);
    if (slot->code != FFI_CLOSURE) return take_string(d, temporary, i, slot->code, v, to);
    value prepared = field(values[IN_CALL], CALL_PREPARED);
    return take_closure(d, temporary, field(field(prepared, FFI_PREPARED_ARGUMENTS), i), v, to);
}

/* Copies Bytes back that C may have changed, and frees the temporary objects. GC: never. */
static void clean_up(struct temporaries *temporary, const value *values,
                     const union ffi_word *words) {
    for (uint64_t rest = temporary->copied_bytes; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctzll(rest);
        value v = values[IN_ARGUMENTS + i];
        memcpy(string_bytes(v), words[i].p, string_length(v));
    }
    while (temporary->copies != NULL) {
        void *next = *(void **)temporary->copies;
        free(temporary->copies);
        temporary->copies = next;
    }
    while (temporary->callbacks != NULL) {
        struct ffi_callback *next = temporary->callbacks->temporary;
        ffi_callback_free(temporary->callbacks);
        temporary->callbacks = next;
    }
}

static _Noreturn void refuse_argument(struct domain *d, value call, size_t i,
                                      enum ffi_problem problem) {
    vm_invalid_argument(d, "%s: argument %zu: %s", string_bytes(field(call, CALL_NAME)), i + 1,
                        ffi_problem_text(problem));
}

/* ---- The call. ---- */

/* The signature of a value call. Fails: raises if it is not one, or its library is closed. */
static struct ffi_signature *signature_of_call(struct domain *d, value call) {
    bool block = is_block(call) && tag_of(call) == 0 && wosize_of(call) >= CALL_FIELDS;
    struct ffi_signature *signature = block ? ffi_signature_of(field(call, CALL_PREPARED)) : NULL;
    if (signature == NULL || !is_int(field(call, CALL_ADDRESS)) ||
        !vm_kind_accepts(d, 's', field(call, CALL_NAME)))
        vm_invalid_argument(d, "Ffi: not a C function");
    const char *name = prim_c_string(d, field(call, CALL_NAME));
    if (!ffi_library_is_open(field(call, CALL_LIBRARY)))
        vm_invalid_argument(d, "%s: its library is closed", name);
    if (field(call, CALL_ADDRESS) == val_of_int(0))
        vm_invalid_argument(d, "%s: a null function pointer", name);
    if (innermost_frame != NULL && innermost_frame->depth == MAX_NESTING)
        vm_raise_stack_overflow(d);
    return signature;
}

/* Runs the C function with what is in addresses. Returns whether a callback raised. */
static bool run(struct domain *d, struct ffi_signature *signature, value *values, void *result,
                void **addresses) {
    struct ffi_frame frame = {
        .outer = innermost_frame,
        .d = d,
        .pending = &values[IN_PENDING],
        .blocking = bool_of_val(field(values[IN_CALL], CALL_BLOCKING)),
        .depth = innermost_frame == NULL ? 1 : innermost_frame->depth + 1,
    };
    void (*function)(void) = (void (*)(void))int_of_val(field(values[IN_CALL], CALL_ADDRESS));
    innermost_frame = &frame;
    if (frame.blocking) vm_enter_blocking(d);
    errno = 0;
    ffi_call(&signature->cif, function, result, addresses);
    foreign_errno = errno;
    if (frame.blocking) vm_leave_blocking(d);
    ASSERT(innermost_frame == &frame); /* FF3 */
    innermost_frame = frame.outer;
    return frame.raised;
}

static value result_of(struct domain *d, const struct ffi_signature *signature, const value *values,
                       const void *result) {
    if (signature->result.code == FFI_NOTHING) return VAL_UNIT;
    value prepared = field(values[IN_CALL], CALL_PREPARED);
    return ffi_give(d, signature->result.code, field(prepared, FFI_PREPARED_RESULT), result,
                    values[IN_MEMORY]);
}

/* Calls values[IN_CALL] with n arguments. words, addresses: room for n. */
static value apply(struct domain *d, value *values, size_t n, union ffi_word *words,
                   void **addresses) {
    struct ffi_signature *signature = signature_of_call(d, values[IN_CALL]);
    if (n != signature->count + signature->takes_unit)
        vm_invalid_argument(d, "%s: wrong number of arguments",
                            string_bytes(field(values[IN_CALL], CALL_NAME)));
    struct gc_local_roots roots = {d->gc.local_roots, 1, (intptr_t)(IN_ARGUMENTS + n), {values}};
    d->gc.local_roots = &roots;
    if (bool_of_val(field(values[IN_CALL], CALL_BLOCKING))) vm_threads_start(d);
    union ffi_word small;
    void *result = &small;
    if (signature->result.code == FFI_STRUCT) {
        values[IN_MEMORY] = ffi_memory_new(d, signature->result.bytes);
        result = ffi_memory_of(values[IN_MEMORY])->base;
    }
    struct temporaries temporary;
    temporary.callbacks = NULL;
    temporary.copies = NULL;
    temporary.copied_bytes = 0;
    temporary.used = 0;
    enum ffi_problem problem = FFI_BAD_NONE;
    size_t i;
    for (i = 0; i < signature->count; i++) {
        const struct ffi_slot *slot = &signature->arguments[i];
        problem = take_argument(d, &temporary, slot, i, values, &words[i]);
        if (problem != FFI_BAD_NONE) break;
        addresses[i] = slot->code == FFI_STRUCT ? words[i].p : &words[i];
    }
    bool raised = problem == FFI_BAD_NONE && run(d, signature, values, result, addresses);
    clean_up(&temporary, values, words);
    if (problem != FFI_BAD_NONE) refuse_argument(d, values[IN_CALL], i, problem);
    if (raised) vm_raise(d, values[IN_PENDING]);
    value v = result_of(d, signature, values, result);
    ASSERT(d->gc.local_roots == &roots);
    d->gc.local_roots = roots.next;
    return v;
}

enum { MAX_FAST_ARGUMENTS = 4 };

static inline value apply_few(struct domain *d, value *values, size_t n) {
    union ffi_word words[MAX_FAST_ARGUMENTS];
    void *addresses[MAX_FAST_ARGUMENTS];
    return apply(d, values, n, words, addresses);
}

value prim_ffi_call_1(struct domain *d, value call, value a) {
    value values[] = {call, VAL_UNIT, VAL_UNIT, a};
    return apply_few(d, values, 1);
}
value prim_ffi_call_2(struct domain *d, value call, value a, value b) {
    value values[] = {call, VAL_UNIT, VAL_UNIT, a, b};
    return apply_few(d, values, 2);
}
value prim_ffi_call_3(struct domain *d, value call, value a, value b, value c) {
    value values[] = {call, VAL_UNIT, VAL_UNIT, a, b, c};
    return apply_few(d, values, 3);
}
value prim_ffi_call_4(struct domain *d, value call, value a, value b, value c, value e) {
    value values[] = {call, VAL_UNIT, VAL_UNIT, a, b, c, e};
    return apply_few(d, values, 4);
}

/* The arguments as a list, the last one first. */
value prim_ffi_call_list(struct domain *d, value call, value list) {
    value values[IN_ARGUMENTS + FFI_MAX_ARGUMENTS] = {call, VAL_UNIT, VAL_UNIT};
    union ffi_word words[FFI_MAX_ARGUMENTS];
    void *addresses[FFI_MAX_ARGUMENTS];
    size_t n = 0;
    for (value l = list; is_block(l); l = field(l, 1)) n++;
    if (n > FFI_MAX_ARGUMENTS) vm_invalid_argument(d, "Ffi: more than %d arguments", 64);
    size_t i = n;
    for (value l = list; is_block(l); l = field(l, 1)) values[IN_ARGUMENTS + --i] = field(l, 0);
    return apply(d, values, n, words, addresses);
}

value prim_ffi_errno(struct domain *d, value unit) { return val_of_int(foreign_errno); }

value prim_ffi_error_text(struct domain *d, value number) {
    char text[256];
    return copy_string(d, strerror_r((int)int_of_val(number), text, sizeof text));
}
