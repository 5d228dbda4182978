/* prim_meta.c - what a toplevel and Dynlink need: the global table, code made at run time,
 * tracing. */
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/code/code.h"
#include "vm/marshal/debuginfo.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"

#include <stdlib.h>

/* Slots that a growing global table gains at least, so that not every phrase moves it. */
enum { GLOBALS_STEP = 256 };

value prim_get_global_data(struct domain *d, value unit) { return d->vm->global_data; }

value prim_realloc_global(struct domain *d, value size) {
    uintptr_t old = wosize_of(d->vm->global_data), wanted = (uintptr_t)int_of_val(size);
    if (wanted < old) return VAL_UNIT;
    if (wanted > MAX_WOSIZE / 2) vm_raise_out_of_memory(d);
    uintptr_t n = (wanted / GLOBALS_STEP + 1) * GLOBALS_STEP;
    value table = gc_alloc_major(&d->gc, n, 0);
    for (uintptr_t i = 0; i < n; i++)
        gc_init_field(&d->gc, table, i, i < old ? field(d->vm->global_data, i) : VAL_UNIT);
    d->vm->global_data = table;
    return VAL_UNIT;
}

/* Ordinary executables keep no table of sections: a toplevel then reads its own file. */
value prim_get_section_table(struct domain *d, value unit) { vm_raise_not_found(d); }

/* The words of an array of byte chunks, one after the other. */
static uint32_t *join_chunks(struct domain *d, value chunks, uint32_t *word_count) {
    size_t bytes = 0;
    for (uintptr_t i = 0; i < wosize_of(chunks); i++) {
        value chunk = has_field(chunks, i) ? field(chunks, i) : VAL_UNIT;
        if (!is_string(chunk)) vm_invalid_argument(d, "caml_reify_bytecode");
        bytes += string_length(chunk);
    }
    if (bytes % 4 != 0 || bytes / 4 > UINT32_MAX / 2) vm_invalid_argument(d, "caml_reify_bytecode");
    /* Chunks may be one string many times over; code is kept for good. */
    GC_ROOT(&d->gc, &chunks);
    bool room = gc_external_take(&d->gc, bytes);
    uint32_t *words = room ? malloc(bytes + 4) : NULL;
    if (room && words == NULL) gc_external_give(d->gc.heap, bytes);
    if (words == NULL) vm_raise_out_of_memory(d);
    char *to = (char *)words;
    for (uintptr_t i = 0; i < wosize_of(chunks); i++) {
        memcpy(to, string_bytes(field(chunks, i)), string_length(field(chunks, i)));
        to += string_length(field(chunks, i));
    }
    *word_count = (uint32_t)(bytes / 4);
    return words;
}

/* The handle of a fragment: an abstract block [fragment, unused], as long as OCaml's. */
value prim_reify_bytecode(struct domain *d, value chunks, value events, value digest) {
    struct vm_error error;
    uint32_t word_count, index;
    GC_ROOT(&d->gc, &events, &digest);
    uint32_t *words = join_chunks(d, chunks, &word_count);
    uint32_t global_count = (uint32_t)wosize_of(d->vm->global_data);
    enum vm_status status = vm_code_add(d->vm, words, word_count, global_count, true, &index,
                                        &error);
    free(words);
    if (status != VM_OK) gc_external_give(d->gc.heap, 4 * (size_t)word_count);
    if (status != VM_OK)
        vm_failwith(d, "caml_reify_bytecode: %s (%s)", vm_status_text(status), error.detail);
    struct vm_code *code = d->vm->codes[index];
    if (has_field(digest, 0) && is_string(field(digest, 0)) &&
        string_length(field(digest, 0)) == 16) {
        memcpy(code->digest, string_bytes(field(digest, 0)), 16);
        code->digest_known = code->digest_given = true;
    }
    code->debug = vm_debuginfo_of_events(events);

    value closure = VAL_UNIT, handle = VAL_UNIT;
    {
        GC_ROOT(&d->gc, &closure, &handle);
        closure = new_small(d, 2, TAG_CLOSURE);
        field(closure, 0) = val_of_int(code->main_function);
        field(closure, 1) = make_closinfo(0, 2);
        handle = new_small(d, 2, TAG_ABSTRACT);
        field(handle, 0) = val_of_int(index);
        field(handle, 1) = VAL_UNIT;
        value pair = new_pair(d, handle, closure);
        return pair;
    }
}

value prim_static_release_bytecode(struct domain *d, value handle) {
    value index = tag_of(handle) == TAG_ABSTRACT && wosize_of(handle) == 2 ? field(handle, 0) : 0;
    if (is_block(index) || index < 0 || int_of_val(index) >= d->vm->code_count)
        vm_invalid_argument(d, "caml_static_release_bytecode");
    vm_code_release(d->vm, (uint32_t)int_of_val(index));
    return VAL_UNIT;
}

/* The main program's own closure is nobody's: whoever called it would run it inside itself. */
value prim_get_current_environment(struct domain *d, value unit) {
    value env = d->stack.sp[0];
    bool is_main = d->vm->functions[function_of_closure(env)].kind == FUNCTION_MAIN;
    return is_main ? VAL_UNIT : env;
}

/* Called from OCaml's wrapper around a traced function, whose last act is to return this call's
 * result: slips a call of the traced code between the wrapper's frame and its caller's, so that
 * the wrapper "returns" into the traced function, which then returns to the caller.
 *
 *     sp  [stopped][wrapper's frame, h words][return frame of the wrapper's caller]
 *  -> sp  [stopped][wrapper's frame, h words][traced_code, env, 0][code][argument][return frame
 *  ...] */
value prim_invoke_traced_function(struct domain *d, value code, value env, value argument) {
    struct vm_frame frame;
    intptr_t index = int_of_val(nativeint_of_val(code));
    if (prim_checked(d) && !(is_closure(env) && prim_code_fits(d->vm, env, nativeint_of_val(code))))
        prim_refuse(d, "invoke_traced_function");
    if (!vm_frames_first(d, &frame)) vm_invalid_argument(d, "caml_invoke_traced_function");
    /* A wrapper does this once: the margin of the stack has room for one. */
    value *behind = frame.base + frame.height;
    if (vm_true_return(d, behind) == d->vm->traced_code)
        vm_invalid_argument(d, "caml_invoke_traced_function");
    enum { SLIPPED = 5 };
    size_t moved = frame.height + SAVED_WORDS;
    /* A handler in the frame would not be found where it is moved to. */
    if (d->stack.trap != 0 && d->stack.high - d->stack.trap < d->stack.sp + moved)
        vm_invalid_argument(d, "caml_invoke_traced_function");
    value *to = d->stack.sp - SLIPPED;
    memmove(to, d->stack.sp, moved * sizeof(value));
    value *slipped = to + moved;
    slipped[0] = (value)d->vm->traced_code;
    slipped[1] = env;
    slipped[2] = val_of_int(0);
    slipped[3] = val_of_int(index);
    slipped[4] = argument;
    d->stack.sp = to;
    return VAL_UNIT;
}
