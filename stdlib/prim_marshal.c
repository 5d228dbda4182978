/* prim_marshal.c - Marshal, output_value and input_value: marshalled values to and from channels,
 * strings and bytes.
 *
 * C memory is only held where nothing can raise. Channels are used through their `try` functions,
 * which may run signal handlers and re-enter this file: the memory held meanwhile is local. Memory
 * held while the result is allocated, which may raise Out_of_memory but runs no OCaml code, belongs
 * to struct prim_state: the next use frees it. */
#include "stdlib/channel.h"
#include "stdlib/customs.h"
#include "stdlib/prim.h"
#include "stdlib/state.h"
#include "vm/code/version.h"
#include "vm/marshal/writer.h"
#include "vm/stack/limits.h"
#include "vm/thread/pending.h"

#include <stdlib.h>

/* A value is read from a channel in steps that grow from this. */
enum { FIRST_STEP_BYTES = 1 << 20 };

/* The state of d's machine, after freeing its memory. */
static struct marshal_state *free_marshal_state(struct domain *d) {
    struct marshal_state *m = &prim_state(d)->marshal;
    vm_arena_free(&m->scratch);
    free(m->input);
    gc_external_uncharge(d->gc.heap, m->input_bytes);
    m->input = NULL;
    m->input_bytes = 0;
    return m;
}

static bool compresses(struct domain *d) {
    return prim_state(d)->marshal.compression || d->vm->version->compresses_at_once;
}

static unsigned flags_of_list(struct domain *d, value list) {
    unsigned flags = 0;
    while (is_block(list) && wosize_of(list) == 2) {
        uintptr_t flag = is_int(field(list, 0)) ? (uintptr_t)int_of_val(field(list, 0)) : 4;
        if (flag < 4) flags |= 1u << flag;
        list = field(list, 1);
    }
    return compresses(d) ? flags : flags & ~(unsigned)VM_MARSHAL_COMPRESSED;
}

/* The library of OCaml 5.1.1 calls it only if it will compress or read what is compressed. */
value prim_zstd_initialize(struct domain *d, value unit) {
    prim_state(d)->marshal.compression = true;
    return val_of_int(1);
}

/* ---- Writing. ---- */

/* Frees w->scratch and raises the exception of a failure. */
static _Noreturn void raise_failure(struct domain *d, const struct vm_marshal_writer *w) {
    ASSERT(w->failure != VM_MARSHAL_WRITTEN);
    enum vm_marshal_failure failure = w->failure;
    const char *text = w->text;
    value exn = w->exn;
    vm_arena_free(w->scratch);
    if (failure == VM_MARSHAL_RAISED) vm_raise(d, exn);
    if (failure == VM_MARSHAL_NO_MEMORY) vm_raise_out_of_memory(d);
    if (failure == VM_MARSHAL_STOPPED) {
        vm_stop_if_requested(d);
        vm_stop_without_fuel(d);
    }
    if (failure == VM_MARSHAL_TOO_BIG) vm_failwith(d, "output_value: %s", text);
    vm_invalid_argument(d, "output_value: %s", text);
}

/* Writes *v, a root, into scratch, whose memory is counted; retries once after a full cycle if
 * there is too little. */
static void write_value(struct domain *d, struct vm_marshal_writer *w, const value *v,
                        unsigned flags, struct vm_arena *scratch) {
    ASSERT(scratch->heap == NULL || scratch->heap == d->gc.heap);
    scratch->heap = d->gc.heap;
    bool written = vm_marshal_write(w, d, &customs_writers, *v, flags, scratch);
    bool again = !written && w->failure == VM_MARSHAL_NO_MEMORY;
    if (again) vm_arena_free(scratch);
    if (again && gc_external_charge(&d->gc, w->scratch_bytes)) {
        gc_external_uncharge(d->gc.heap, w->scratch_bytes);
        written = vm_marshal_write(w, d, &customs_writers, *v, flags, scratch);
    }
    if (!written) raise_failure(d, w);
    vm_charge_work(d, 8 * w->data_bytes);
}

static void output_chunks(struct domain *d, value channel, const struct vm_marshal_writer *w) {
    GC_ROOT(&d->gc, &channel);
    struct channel *to = channel_of(channel);
    struct channel_failure failure;
    ASSERT(to->output);
    vm_lock(d, &to->lock);
    bool ok = channel_try_write(d, to, w->header, w->header_bytes, &failure);
    for (const struct vm_marshal_chunk *c = &w->first; ok && c != NULL; c = c->next)
        ok = channel_try_write(d, to, c->bytes, c->used, &failure);
    if (ok && to->unbuffered && d->vm->version->output_value_flushes)
        ok = channel_flush(d, to, &failure);
    vm_unlock(d, &to->lock);
    vm_arena_free(w->scratch);
    if (!ok) channel_raise(d, &failure);
}

value prim_output_value(struct domain *d, value channel, value v, value flags) {
    struct vm_arena scratch = {0};
    struct vm_marshal_writer w;
    channel_for_output(d, channel); /* raises while no memory is held */
    GC_ROOT(&d->gc, &channel, &v);
    write_value(d, &w, &v, flags_of_list(d, flags), &scratch);
    output_chunks(d, channel, &w);
    return VAL_UNIT;
}

value prim_output_value_to_bytes(struct domain *d, value v, value flags) {
    struct marshal_state *m = free_marshal_state(d);
    struct vm_marshal_writer w;
    GC_ROOT(&d->gc, &v);
    write_value(d, &w, &v, flags_of_list(d, flags) | VM_MARSHAL_BORROW, &m->scratch);
    value result = new_string(d, w.header_bytes + w.data_bytes);
    vm_marshal_copy(&w, (uint8_t *)string_bytes(result));
    free_marshal_state(d);
    return result;
}

value prim_output_value_to_buffer(struct domain *d, value buffer, value start, value length,
                                  value v, value flags) {
    if (!prim_in_bounds(int_of_val(start), int_of_val(length), string_length(buffer)))
        vm_raise_bound_error(d);
    struct vm_arena scratch = {0};
    struct vm_marshal_writer w;
    GC_ROOT(&d->gc, &buffer, &v);
    unsigned bits = flags_of_list(d, flags) & ~(unsigned)VM_MARSHAL_COMPRESSED;
    write_value(d, &w, &v, bits, &scratch);
    uint64_t total = w.header_bytes + w.data_bytes;
    bool fits = total <= (uint64_t)int_of_val(length);
    if (fits) vm_marshal_copy(&w, (uint8_t *)string_bytes(buffer) + int_of_val(start));
    vm_arena_free(&scratch);
    if (!fits) vm_failwith(d, "Marshal.to_buffer: buffer overflow");
    return val_of_int((intptr_t)total);
}

/* ---- Reading. ---- */

/* Makes room in the minor heap for a small value: a program that only reads would never collect
 * otherwise. Runs a full cycle if the table of a large value's objects exceeds the limit. GC: may
 * run. */
static void make_heap_room(struct domain *d, const struct vm_marshal_header *head) {
    struct gc_domain *g = &d->gc;
    bool plausible = head->objects <= head->data_bytes;
    size_t table = plausible ? head->objects * sizeof(value) : 0;
    if (gc_external_charge(g, table)) gc_external_uncharge(g->heap, table);
    if (head->words <= MAX_YOUNG_WOSIZE + 1 && g->young_ptr - g->young_start < 8 * head->words)
        gc_minor_for(g, GC_FOR_ALLOCATION);
}

static value read_value(struct domain *d, const struct vm_marshal_header *head,
                        const uint8_t *bytes, const char *function) {
    struct marshal_state *m = &prim_state(d)->marshal;
    const struct vm_marshal_read_options options = {
        .find_custom = customs_find_reader, .context = d, .function = function, .closures = true};
    struct vm_marshal_read_fault fault;
    value result;
    m->refused_why[0] = '\0';
    vm_charge_work(d, 8 * head->data_bytes);
    bool ok = vm_marshal_read(d, head, bytes, &options, &result, &fault);
    free_marshal_state(d);
    if (!ok && m->refused_why[0] != '\0') vm_failwith(d, "%s", m->refused_why);
    if (!ok && fault.exn != 0) vm_raise(d, fault.exn);
    if (!ok) vm_failwith(d, "%s", fault.text);
    return vm_poll_keeping(d, result);
}

enum read_result { READ_DONE, READ_ENDED, READ_FAILED, READ_NO_MEMORY };

/* Reads n bytes of a channel into new memory, which grows with the input. *out, whose n bytes are
 * counted, is NULL unless all arrived; *failure is set with READ_FAILED. */
static enum read_result read_bytes(struct domain *d, const value *channel, uint64_t n,
                                   uint8_t **out, struct channel_failure *failure) {
    enum read_result result = READ_NO_MEMORY;
    size_t capacity = n < FIRST_STEP_BYTES ? n : FIRST_STEP_BYTES, got = 0, part;
    uint8_t *bytes = NULL, *larger = gc_external_realloc(&d->gc, NULL, 0, capacity);
    while (larger != NULL) {
        bytes = larger;
        result = READ_FAILED;
        struct channel *c = channel_of(*channel);
        if (!channel_try_read(d, c, bytes + got, capacity - got, &part, failure)) break;
        got += part;
        result = got == n ? READ_DONE : READ_ENDED;
        if (got < capacity || got == n) break;
        size_t old = capacity;
        capacity = n - old < old ? n : 2 * old;
        result = READ_NO_MEMORY;
        larger = gc_external_realloc(&d->gc, bytes, old, capacity);
        if (larger == NULL) capacity = old;
    }
    *out = result == READ_DONE ? bytes : NULL;
    if (result == READ_DONE || bytes == NULL) return result;
    free(bytes);
    gc_external_uncharge(d->gc.heap, capacity);
    return result;
}

static _Noreturn void refuse_compressed(struct domain *d, const char *function) {
    vm_failwith(d, "%s: compressed object, cannot decompress", function);
}

/* Raises if a header, which is complete, was refused. */
static void check_header(struct domain *d, enum vm_marshal_header_result result,
                         const struct vm_marshal_header *head, const char *function) {
    bool known = !head->compressed || d->vm->version->has_compression;
    ASSERT(result != VM_MARSHAL_HEADER_SHORT);
    if (known && result == VM_MARSHAL_HEADER_TOO_LARGE)
        vm_failwith(d, "%s: object too large to be read back on this platform", function);
    if (!known || result != VM_MARSHAL_HEADER_OK) vm_failwith(d, "%s: bad object", function);
}

/* The same of a value that is to be read: bad numbers of a compressed one count only if it could be
 * unpacked. */
static void check_value_header(struct domain *d, enum vm_marshal_header_result result,
                               const struct vm_marshal_header *head, const char *function) {
    bool refused = head->compressed && d->vm->version->has_compression && !compresses(d);
    if (result == VM_MARSHAL_HEADER_BAD && refused) refuse_compressed(d, function);
    check_header(d, result, head, function);
}

/* Memory for the data of a compressed value, counted. GC: may run. */
static uint8_t *new_data(struct domain *d, const struct vm_marshal_header *head,
                         const char *function) {
    if (!compresses(d)) refuse_compressed(d, function);
    if (!vm_marshal_may_unpack(head)) vm_failwith(d, "%s: decompression error", function);
    uint8_t *data = gc_external_realloc(&d->gc, NULL, 0, head->data_bytes);
    if (data == NULL) vm_raise_out_of_memory(d);
    return data;
}

/* Unpacks a compressed value into data, which becomes the state's input, in place of the stored
 * bytes if they were. */
static void unpack(struct domain *d, const struct vm_marshal_header *head, const uint8_t *stored,
                   uint8_t *data, const char *function) {
    bool good = vm_marshal_unpack(head, stored, data);
    struct marshal_state *m = free_marshal_state(d);
    vm_charge_work(d, 8 * head->data_bytes);
    m->input = data;
    m->input_bytes = head->data_bytes;
    if (!good) vm_failwith(d, "%s: decompression error", function);
}

static void read_header(struct domain *d, const value *channel, struct vm_marshal_header *head) {
    uint8_t bytes[VM_MARSHAL_MAX_HEADER];
    size_t n = channel_read(d, channel_of(*channel), bytes, VM_MARSHAL_HEADER_START);
    if (n == 0) vm_raise_end_of_file(d);
    if (n == VM_MARSHAL_HEADER_START)
        n += channel_read(d, channel_of(*channel), bytes + n, vm_marshal_header_length(bytes) - n);
    enum vm_marshal_header_result result = vm_marshal_read_header(bytes, n, head);
    if (result == VM_MARSHAL_HEADER_SHORT) vm_failwith(d, "input_value: truncated object");
    check_value_header(d, result, head, "input_value");
}

value prim_input_value(struct domain *d, value channel) {
    GC_ROOT(&d->gc, &channel);
    struct vm_marshal_header head;
    vm_lock(d, &channel_for_input(d, channel)->lock);
    read_header(d, &channel, &head);
    struct channel_failure failure;
    uint8_t *bytes;
    enum read_result result = read_bytes(d, &channel, head.stored_bytes, &bytes, &failure);
    vm_unlock(d, &channel_of(channel)->lock);
    if (result == READ_FAILED) channel_raise(d, &failure);
    if (result == READ_NO_MEMORY) vm_raise_out_of_memory(d);
    if (result == READ_ENDED) vm_failwith(d, "input_value: truncated object");
    struct marshal_state *m = free_marshal_state(d);
    ASSERT(m->input == NULL && m->input_bytes == 0);
    m->input = bytes;
    m->input_bytes = head.stored_bytes;
    if (head.compressed) unpack(d, &head, bytes, new_data(d, &head, "input_value"), "input_value");
    make_heap_room(d, &head);
    return read_value(d, &head, m->input, "input_value");
}

value prim_input_value_from_bytes(struct domain *d, value s, value start) {
    const char *function = "input_val_from_string";
    size_t length = string_length(s);
    intptr_t from = int_of_val(start);
    if (from < 0 || (size_t)from > length) vm_failwith(d, "%s: bad length", function);
    const uint8_t *bytes = (const uint8_t *)string_bytes(s) + from;
    struct vm_marshal_header head;
    enum vm_marshal_header_result result = vm_marshal_read_header(bytes, length - (size_t)from,
                                                                  &head);
    if (result == VM_MARSHAL_HEADER_SHORT) vm_failwith(d, "%s: bad length", function);
    check_value_header(d, result, &head, function);
    if (head.stored_bytes > length - (size_t)from - head.header_bytes)
        vm_failwith(d, "%s: bad length", function);
    struct marshal_state *m = free_marshal_state(d);
    GC_ROOT(&d->gc, &s);
    uint8_t *data = head.compressed ? new_data(d, &head, function) : NULL;
    size_t offset = (size_t)from + head.header_bytes;
    if (data != NULL) unpack(d, &head, (const uint8_t *)string_bytes(s) + offset, data, function);
    make_heap_room(d, &head);
    bytes = data != NULL ? m->input : (const uint8_t *)string_bytes(s) + offset;
    return read_value(d, &head, bytes, function);
}

/* The length of the marshalled value at start, without a small header. Only its first 16 bytes need
 * to be there. */
value prim_marshal_data_size(struct domain *d, value s, value start) {
    if (!prim_in_bounds(int_of_val(start), 16, string_length(s))) vm_raise_bound_error(d);
    uint8_t bytes[VM_MARSHAL_MAX_HEADER] = {0};
    size_t left = string_length(s) - (size_t)int_of_val(start);
    memcpy(bytes, string_bytes(s) + int_of_val(start), left < sizeof bytes ? left : sizeof bytes);
    struct vm_marshal_header head;
    check_header(d, vm_marshal_read_header(bytes, sizeof bytes, &head), &head, "Marshal.data_size");
    uint64_t size = head.header_bytes + head.stored_bytes - d->vm->version->marshal_data_header;
    return val_of_int((intptr_t)size);
}
