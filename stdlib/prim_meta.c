/* prim_meta.c - primitives of toplevels, Dynlink and Callback: the global table, code made at run
 * time, tracing, libraries of C code, named values. */
#include "stdlib/bigarray.h"
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/code/code.h"
#include "vm/code/opcodes.h"
#include "vm/engine/callback.h"
#include "vm/engine/debugger.h"
#include "vm/engine/patches.h"
#include "vm/image/dll.h"
#include "vm/image/image.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/reader.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/watermarks.h"

#include <stdlib.h>

/* The global table grows by at least this number of slots, so that it is not moved for every
 * phrase. */
enum { GLOBALS_STEP = 256 };
#define MAX_CODE_BYTES ((size_t)UINT32_MAX)

value prim_get_global_data(struct domain *d, value unit) { return d->vm->global_data; }

value prim_realloc_global(struct domain *d, value size) {
    uintptr_t old = wosize_of(d->vm->global_data), wanted = (uintptr_t)int_of_val(size);
    if (wanted < old) return VAL_UNIT;
    if (wanted > MAX_WOSIZE / 2) vm_raise_out_of_memory(d);
    uintptr_t n = (wanted / GLOBALS_STEP + 1) * GLOBALS_STEP;
    value table = gc_alloc_major(&d->gc, n, 0);
    for (uintptr_t i = 0; i < n; i++)
        gc_init_field(&d->gc, table, i, i < old ? field(d->vm->global_data, i) : VAL_UNIT);
    vm_set_global_data(d->vm, table);
    return VAL_UNIT;
}

/* ---- Sections of the executable. ---- */

/* An executable has no table of sections: a toplevel then reads its own file. */
value prim_get_section_table(struct domain *d, value unit) { vm_raise_not_found(d); }

/* The marshalled value in a section; none if there is no such section. */
static value read_section(struct domain *d, const char *name, value none) {
    const struct vm_section *section = vm_image_section(d->vm->image, name);
    struct vm_error error;
    value v;
    if (section == NULL || section->length == 0) return none;
    if (vm_marshal_read_section(d, section->bytes, section->length, &v, &error) != VM_OK)
        vm_failwith(d, "Dynlink: error reading %s", name);
    return v;
}

static value prim_names(struct domain *d) {
    value list = VAL_UNIT;
    GC_ROOT(&d->gc, &list);
    for (uint32_t i = d->vm->prim_count; i > 0; i--) {
        value name = copy_string(d, d->vm->prims[i - 1].name);
        list = new_pair(d, name, list);
    }
    return list;
}

/* The folders of libraries, each NUL-terminated, as far as they fit. */
struct folder_names {
    char *at; /* NULL: only their length is wanted */
    size_t used, capacity;
};

static bool add_folder(void *context, const char *folder, size_t length) {
    struct folder_names *names = context;
    if (names->at == NULL) names->capacity += length + 1;
    if (names->at == NULL || length >= names->capacity - names->used) return false;
    memcpy(names->at + names->used, folder, length);
    names->at[names->used + length] = '\0';
    names->used += length + 1;
    return false;
}

/* Visiting the folders holds a file open, so nothing is allocated meanwhile. */
static value folder_list(struct domain *d) {
    struct folder_names names = {0};
    vm_dll_folders(d->vm, add_folder, &names);
    value buffer = new_string(d, names.capacity), list = VAL_UNIT;
    GC_ROOT(&d->gc, &buffer, &list);
    names.at = string_bytes(buffer);
    vm_dll_folders(d->vm, add_folder, &names);
    for (size_t end = names.used, start; end > 0; end = start) {
        for (start = end - 1; start > 0 && string_bytes(buffer)[start - 1] != '\0';) start--;
        value name = new_string(d, end - 1 - start);
        memcpy(string_bytes(name), string_bytes(buffer) + start, end - 1 - start);
        list = new_pair(d, name, list);
    }
    return list;
}

/* [SYMB, CRCS or [], the primitives' names, the folders of libraries], of the file as it was when
 * it was opened. */
value prim_dynlink_get_bytecode_sections(struct domain *d, value unit) {
    value symbols = read_section(d, "SYMB", 0), crcs = VAL_UNIT, names = VAL_UNIT,
          folders = VAL_UNIT;
    if (symbols == 0) vm_failwith(d, "Dynlink: error reading SYMB");
    GC_ROOT(&d->gc, &symbols, &crcs, &names, &folders);
    crcs = read_section(d, "CRCS", VAL_UNIT);
    names = prim_names(d);
    folders = folder_list(d);
    value sections = new_small(d, 4, 0);
    field(sections, 0) = symbols;
    field(sections, 1) = crcs;
    field(sections, 2) = names;
    field(sections, 3) = folders;
    return sections;
}

/* ---- Code. ---- */

/* Memory for code, charged to the heap's limit; code is never freed. bytes: a multiple of 4. */
static uint32_t *new_code(struct domain *d, size_t bytes) {
    if (bytes % 4 != 0 || bytes / 4 > UINT32_MAX / 2) vm_invalid_argument(d, "caml_reify_bytecode");
    uint32_t *words = gc_external_realloc(&d->gc, NULL, 0, bytes);
    if (words == NULL) vm_raise_out_of_memory(d);
    return words;
}

/* The words of an array of byte chunks, concatenated. */
static uint32_t *join_chunks(struct domain *d, value chunks, uint32_t *word_count) {
    size_t bytes = 0;
    for (uintptr_t i = 0; i < wosize_of(chunks); i++) {
        value chunk = has_field(chunks, i) ? field(chunks, i) : VAL_UNIT;
        if (!is_string(chunk)) vm_invalid_argument(d, "caml_reify_bytecode");
        bytes += string_length(chunk);
    }
    /* The same string may be a chunk many times. */
    GC_ROOT(&d->gc, &chunks);
    uint32_t *words = new_code(d, bytes);
    char *to = (char *)words;
    for (uintptr_t i = 0; i < wosize_of(chunks); i++) {
        memcpy(to, string_bytes(field(chunks, i)), string_length(field(chunks, i)));
        to += string_length(field(chunks, i));
    }
    ASSERT(to == (char *)words + bytes);
    *word_count = (uint32_t)(bytes / 4);
    return words;
}

/* The words of a bigarray, then RETURN 1, which the compilers of 5.2 leave out. */
static uint32_t *copy_code(struct domain *d, value code, uint32_t *word_count) {
    size_t bytes = bigarray_bytes(bigarray_of(code));
    if (bytes > MAX_CODE_BYTES) vm_invalid_argument(d, "caml_reify_bytecode");
    GC_ROOT(&d->gc, &code);
    uint32_t *words = new_code(d, bytes + 8);
    memcpy(words, bigarray_of(code)->data, bytes);
    words[bytes / 4] = OP_RETURN;
    words[bytes / 4 + 1] = 1;
    *word_count = (uint32_t)(bytes / 4 + 2);
    return words;
}

static void set_digest(struct vm_code *code, value digest) {
    bool given = has_field(digest, 0) && is_string(field(digest, 0)) &&
                 string_length(field(digest, 0)) == 16;
    if (!given) return;
    memcpy(code->digest, string_bytes(field(digest, 0)), 16);
    code->digest_known = code->digest_given = true;
}

/* Adds a fragment and frees words. Its handle is an abstract block [fragment, unused], as long as
 * OCaml's. */
static value reify(struct domain *d, uint32_t *words, uint32_t word_count, value events,
                   value digest) {
    struct vm_error error;
    uint32_t index, global_count = (uint32_t)wosize_of(d->vm->global_data);
    struct vm_words kept;
    enum vm_status status = VM_NO_MEMORY;
    if (vm_words_make(&kept, words, word_count))
        status = vm_code_add(d->vm, &kept, global_count, true, &index, &error);
    free(words);
    if (status != VM_OK) gc_external_uncharge(d->gc.heap, 4 * (size_t)word_count);
    if (status == VM_NO_MEMORY) vm_raise_out_of_memory(d);
    if (status != VM_OK)
        vm_failwith(d, "caml_reify_bytecode: %s (%s)", vm_status_text(status), error.detail);
    ASSERT(index < d->vm->code_count);
    struct vm_code *code = d->vm->codes[index];
    set_digest(code, digest);
    code->debug = vm_debuginfo_of_events(events);
    if (is_block(events)) vm_debug_stop(d, DEBUG_EVENTS_ADDED, events);
    vm_debug_stop(d, DEBUG_CODE_LOADED, val_of_int(index));

    value closure = new_small(d, 2, TAG_CLOSURE);
    field(closure, 0) = val_of_int(code->main_function);
    field(closure, 1) = make_closinfo(0, 2);
    GC_ROOT(&d->gc, &closure);
    value handle = new_small(d, 2, TAG_ABSTRACT);
    field(handle, 0) = val_of_int(index);
    field(handle, 1) = VAL_UNIT;
    return new_pair(d, handle, closure);
}

value prim_reify_bytecode(struct domain *d, value chunks, value events, value digest) {
    uint32_t word_count;
    GC_ROOT(&d->gc, &events, &digest);
    uint32_t *words = join_chunks(d, chunks, &word_count);
    return reify(d, words, word_count, events, digest);
}

value prim_reify_bigarray(struct domain *d, value code, value events, value digest) {
    uint32_t word_count;
    GC_ROOT(&d->gc, &events, &digest);
    uint32_t *words = copy_code(d, code, &word_count);
    return reify(d, words, word_count, events, digest);
}

value prim_static_release_bytecode(struct domain *d, value handle) {
    value index = tag_of(handle) == TAG_ABSTRACT && wosize_of(handle) == 2 ? field(handle, 0) : 0;
    if (is_block(index) || index < 0 || int_of_val(index) >= d->vm->code_count)
        vm_invalid_argument(d, "caml_static_release_bytecode");
    vm_debug_stop(d, DEBUG_CODE_UNLOADED, index);
    vm_patches_forget(d->vm, (uint32_t)int_of_val(index));
    vm_code_release(d->vm, (uint32_t)int_of_val(index));
    return VAL_UNIT;
}

/* Unit for the main program: if its closure were called, the program would run recursively. */
value prim_get_current_environment(struct domain *d, value unit) {
    value env = d->stack.sp[0];
    bool is_main = d->vm->functions[function_of_closure(env)].kind == FUNCTION_MAIN;
    return is_main ? VAL_UNIT : env;
}

/* OCaml's wrapper of a traced function calls this last and returns the result. Inserts a call of
 * the traced code between the wrapper's frame and its caller's: the wrapper "returns" into the
 * traced function, which returns to the caller.
 *
 *     sp  [saved][wrapper's frame, h words][return frame of the wrapper's caller]
 *  -> sp  [saved][wrapper's frame, h words][traced_code, env, 0][code][argument][return frame] */
value prim_invoke_traced_function(struct domain *d, value code, value env, value argument) {
    struct vm_frame frame;
    intptr_t index = int_of_val(nativeint_of_val(code));
    if (prim_checked(d) && !(is_closure(env) && prim_code_fits(d->vm, env, nativeint_of_val(code))))
        prim_refuse(d, "invoke_traced_function");
    if (!vm_frames_first(d, &frame)) vm_invalid_argument(d, "caml_invoke_traced_function");
    /* A wrapper does this only once: the margin of the stack has room for one call. */
    value *after = frame.base + frame.height;
    if (same_resume(vm_true_return(d, after), d->vm->traced_code))
        vm_invalid_argument(d, "caml_invoke_traced_function");
    enum { INSERTED_WORDS = 5 };
    size_t moved = frame.height + SAVED_WORDS;
    /* A handler in the frame would not be found after the move. */
    if (d->stack.trap != 0 && d->stack.high - d->stack.trap < d->stack.sp + moved)
        vm_invalid_argument(d, "caml_invoke_traced_function");
    ASSERT(moved <= (size_t)(d->stack.high - d->stack.sp));
    value *to = d->stack.sp - INSERTED_WORDS;
    memmove(to, d->stack.sp, moved * sizeof(value));
    value *inserted = to + moved;
    inserted[0] = word_of_resume(d->vm->traced_code);
    inserted[1] = env;
    inserted[2] = val_of_int(0);
    inserted[3] = val_of_int(index);
    inserted[4] = argument;
    d->stack.sp = to;
    return VAL_UNIT;
}

/* ---- Libraries of C code. A handle, of a library or of a symbol in one, is an abstract block of
 * one word, an address. A program can make such blocks: vm/image/dll.c looks the address up in its
 * lists before it dereferences it. ---- */

static value new_handle(struct domain *d, const void *what) {
    value handle = new_small(d, 1, TAG_ABSTRACT);
    field(handle, 0) = (value)what;
    return handle;
}

/* The address in a handle, or NULL. */
static const void *address_in(value handle) {
    bool good = is_block(handle) && tag_of(handle) == TAG_ABSTRACT && wosize_of(handle) == 1;
    return good ? (const void *)field(handle, 0) : NULL;
}

value prim_dynlink_open(struct domain *d, value name) {
    const char *why;
    struct vm_dll *dll = vm_dll_open(d->vm, prim_c_string(d, name), &why);
    if (dll == NULL) vm_failwith(d, "%s", why);
    return new_handle(d, dll);
}

/* mode: whether the library's code may run; it is opened in the same way either way. */
value prim_dynlink_open_lib(struct domain *d, value mode, value name) {
    return prim_dynlink_open(d, name);
}

/* A library stays open (DL1), as it does under ocamlrun. */
value prim_dynlink_close_lib(struct domain *d, value handle) { return VAL_UNIT; }

value prim_dynlink_lookup_symbol(struct domain *d, value handle, value name) {
    const struct vm_dll_symbol *symbol = vm_dll_symbol(d->vm, address_in(handle),
                                                       prim_c_string(d, name));
    return symbol == NULL ? VAL_UNIT : new_handle(d, symbol);
}

value prim_dynlink_add_primitive(struct domain *d, value handle) {
    int32_t number = vm_dll_add_primitive(d->vm, address_in(handle));
    if (number < 0) vm_failwith(d, "caml_dynlink_add_primitive: no symbol, or the table is full");
    return val_of_int(number);
}

value prim_dynlink_get_current_libs(struct domain *d, value unit) {
    size_t n = 0;
    while (vm_dll_at(d->vm, n) != NULL) n++;
    value libraries = new_block(d, n, 0);
    GC_ROOT(&d->gc, &libraries);
    for (size_t i = 0; i < n; i++) {
        value handle = new_handle(d, vm_dll_at(d->vm, i));
        gc_store(&d->gc, libraries, i, handle);
    }
    return libraries;
}

/* ---- Named values ---- */

/* The memory of a named value, without its name. */
enum { NAMED_VALUE_BYTES = 100 };

value prim_register_named_value(struct domain *d, value name, value v) {
    /* A named value is never freed. */
    bool is_new = vm_named_value(d->vm, prim_c_string(d, name)) == NULL;
    GC_ROOT(&d->gc, &name, &v);
    bool room = !is_new || gc_external_charge(&d->gc, NAMED_VALUE_BYTES + string_length(name));
    if (!room) vm_raise_out_of_memory(d);
    vm_register_named_value(d, string_bytes(name), v);
    return VAL_UNIT;
}
