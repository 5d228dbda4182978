/* reader_closures.c - closures: only those of code that this machine has, for functions that expect
 * the environment that is stored with them (U3). */
#include "vm/code/code.h"
#include "vm/code/verify.h"
#include "vm/image/policy.h"
#include "vm/marshal/reader_internal.h"

#include <stdio.h>

enum { CODE_POINTER_BYTES = 21 };

static void add_partial(struct vm_marshal_reader *r, struct partial partial) {
    if (r->partial_count == r->partial_capacity &&
        !reader_grow(r, (void **)&r->partials, &r->partial_capacity, r->partial_count,
                     sizeof partial))
        return;
    r->partials[r->partial_count++] = partial;
}

static value fail_unknown_module(struct vm_marshal_reader *r, const uint8_t *digest) {
    char text[72] = "unknown code module ";
    for (int i = 0; i < 16; i++) sprintf(text + 20 + 2 * i, "%02X", digest[i]);
    return vm_marshal_fail(r, text, "no code with this digest");
}

value reader_lone_code_pointer(struct vm_marshal_reader *r) {
    const uint8_t *digest = vm_marshal_get_bytes(r, 16);
    uint32_t fragment;
    if (digest != NULL && r->d != NULL && vm_code_with_digest(r->d->vm, digest, &fragment) == NULL)
        return fail_unknown_module(r, digest);
    return vm_marshal_fail(r, NULL, "a code pointer outside of a closure");
}

/* Reads the code pointer of function index (of count) of a closure block of wosize words: it must
 * name a function that expects this environment. Returns the contents of the code field. v: the
 * block, or 0 before it is made. */
static value read_code_pointer(struct vm_marshal_reader *r, value v, size_t wosize, uint32_t index,
                               uint32_t count) {
    char text[120];
    const char *flag = vm_policy_refusal(r->d->vm, CAP_CLOSURES);
    if (flag != NULL) {
        snprintf(text, sizeof text, "functions are refused by %s", flag);
        return vm_marshal_fail(r, text, "a function, which the machine's policy refuses");
    }
    if (vm_marshal_get_uint(r, 1) != CODE_CODE_POINTER)
        return vm_marshal_fail(r, NULL, "a closure without code");
    uint64_t offset = vm_marshal_get_uint(r, 4);
    const uint8_t *digest = vm_marshal_get_bytes(r, 16);
    if (digest == NULL) return 0;
    uint32_t fragment, pc = (uint32_t)(offset / 4);
    struct vm_code *code = vm_code_with_digest(r->d->vm, digest, &fragment);
    if (code == NULL) return fail_unknown_module(r, digest);
    uint32_t function = offset % 4 != 0 || pc >= code->word_count
                            ? 0
                            : vm_function_at(r->d->vm, fragment, pc);
    if (function == 0) return vm_marshal_fail(r, NULL, "no function at this code offset");
    const struct vm_entry *entry = vm_entry_at(code->verifier, vm_find_entry(code->verifier, pc));
    bool fits;
    if (entry->pc == pc) {
        fits = entry->functions == count && entry->index == index &&
               entry->variables == wosize - (3 * (size_t)count - 1);
    } else {
        fits = count == 1 && wosize >= 4 && wosize - 3 < entry->arity;
        if (fits && v != 0) add_partial(r, (struct partial){v, fragment, entry->pc});
    }
    if (!fits) vm_marshal_fail(r, NULL, "a closure whose environment isn't what its code expects");
    return val_of_int(function);
}

/* Reads the part of a closure block before its environment, which consists of code pointers and
 * integers only, into v, or nowhere if v is 0. Returns how many words it has; 0 after a failure. */
static size_t read_closure_head(struct vm_marshal_reader *r, value v, size_t wosize) {
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = 3 * (size_t)i;
        value infix = i == 0 ? 0 : reader_integer(r);
        /* The closinfo, which holds the number of functions, comes after the code pointer, whose
         * check needs that number. */
        const uint8_t *code = r->at;
        vm_marshal_get_bytes(r, CODE_POINTER_BYTES);
        value info = reader_integer(r);
        if (i == 0) count = (uint32_t)((start_env_of(info) + 1) / 3);
        size_t head = 3 * (size_t)count - 1;
        if (!r->failed && (head > wosize || info != make_closinfo(0, head - at) ||
                           (i > 0 && infix != (value)make_header(at, TAG_INFIX, 0))))
            vm_marshal_fail(r, NULL, "a closure of unknown shape");
        if (r->failed) return 0;
        const uint8_t *after = r->at;
        r->at = code;
        value function = read_code_pointer(r, v, wosize, i, count);
        if (r->failed) return 0;
        ASSERT(r->at == code + CODE_POINTER_BYTES && function != val_of_int(0)); /* U3 */
        r->at = after;
        if (v == 0) continue;
        if (i > 0) field(v, at - 1) = infix;
        field(v, at) = function;
        field(v, at + 1) = info;
    }
    return 3 * (size_t)count - 1;
}

value reader_closure(struct vm_marshal_reader *r, size_t wosize) {
    /* The block is made after its head was checked, so that the heap never has a bad one (U3). */
    const uint8_t *start = r->at;
    if (read_closure_head(r, 0, wosize) == 0) return 0;
    value v = reader_block(r, wosize, TAG_CLOSURE);
    if (v == 0) return 0;
    reader_number(r, v);
    if (!r->failed) r->at = start; /* a refused value stays at its end */
    size_t head = read_closure_head(r, v, wosize);
    reader_leave_fields(r, v, head);
    return v;
}

void reader_check_partials(struct vm_marshal_reader *r) {
    for (size_t i = 0; i < r->partial_count && !r->failed; i++) {
        const struct partial *p = &r->partials[i];
        value saved = field(p->closure, 2);
        const struct vm_function *f = NULL;
        if (is_block(saved) && (tag_of(saved) == TAG_CLOSURE || tag_of(saved) == TAG_INFIX))
            f = &r->d->vm->functions[function_of_closure(saved)];
        if (f == NULL || f->fragment != p->fragment || f->pc != p->pc)
            vm_marshal_fail(r, NULL, "a partial application of something else");
    }
}

value reader_infix(struct vm_marshal_reader *r, uint64_t offset) {
    enum item_kind kind = r->at < r->end ? reader_kind(*r->at) : ITEM_NONE;
    value v = kind == ITEM_BLOCK || kind == ITEM_SHARED ? reader_item(r) : 0;
    size_t at = offset / 8;
    if (r->failed) return 0;
    if (v == 0 || tag_of(v) != TAG_CLOSURE || offset % 8 != 0 || at < 3 ||
        at >= start_env_of(field(v, 1)) || at % 3 != 0)
        return vm_marshal_fail(r, NULL, "an infix pointer to no function");
    return v + (value)offset;
}
