/* fuzz_unmarshal.c - libFuzzer target: any bytes to the readers of marshalled data.
 *
 * The first byte of the input selects what is done with the rest:
 *   bit 0  a matching header is put before it, which a fuzzer would rarely find: the data's length,
 *          and counts of objects and words from bytes 1, 2 and 3
 *   bit 1  sharing off (with bit 0): no objects
 * The value is read into an arena, as DATA of an image, and with all options into the heap; the
 * result is hashed, written, read again, and the heap is verified (U1, U2, U3). */
#include "vm/code/version.h"
#include "vm/machine/machine.h"
#include "stdlib/customs.h"
#include "vm/marshal/writer.h"
#include "stdlib/prim.h"
#include "stdlib/prims.h"
#include "tests/fuzz/marshal_header.h"
#include "tests/fuzz/target.h"
#include "vm/marshal/reader.h"

#include <stdlib.h>

static struct vm *new_machine(void) {
    struct vm_options options = {.gc = {.minor_words = 4096}};
    struct vm_error error;
    struct vm *vm = vm_create(&options, &vm_versions[OCAML_4_13], &prim_library, &error);
    if (vm == NULL) abort();
    return vm;
}

/* Reads into the heap; 0 if they are refused. */
static value read_all(struct domain *d, const uint8_t *bytes, size_t n) {
    struct vm_marshal_header head;
    struct vm_marshal_read_fault fault;
    struct vm_marshal_read_options options = {customs_find_reader, d, true};
    value v;
    if (vm_marshal_read_header(bytes, n, &head) != VM_MARSHAL_HEADER_OK) return 0;
    if (head.data_bytes > n - head.header_bytes) return 0;
    bool ok = vm_marshal_read(d, &head, bytes + head.header_bytes, &options, &v, &fault);
    return ok ? v : 0;
}

/* Writes v and reads that back: the same value must come out. */
static void go_round(struct domain *d, value v) {
    struct vm_arena scratch = {0};
    struct vm_marshal_writer *w = malloc(sizeof *w);
    GC_ROOT(&d->gc, &v);
    prim_hash(d, val_of_int(100), val_of_int(200), val_of_int(0), v);
    if (w != NULL && vm_marshal_write(w, d, &customs_writers, v, VM_MARSHAL_CLOSURES, &scratch)) {
        size_t n = w->header_bytes + w->data_bytes;
        uint8_t *bytes = malloc(n);
        if (bytes == NULL) abort();
        vm_marshal_copy(w, bytes);
        if (read_all(d, bytes, n) == 0) abort();
        free(bytes);
    }
    vm_arena_free(&scratch);
    free(w);
    gc_full_major_cycle(&d->gc);
}

static void read_three_ways(struct domain *d, const uint8_t *bytes, size_t n) {
    struct vm_error error;
    struct vm_arena arena = {0};
    size_t used;
    value v;
    if (vm_marshal_read_arena(bytes, n, &arena, &v, &used, &error) == VM_OK && used > n) abort();
    vm_arena_free(&arena);
    vm_marshal_read_image_data(d, bytes, n, &v, &error);
    v = read_all(d, bytes, n);
    if (v != 0) go_round(d, v);
    gc_verify(&d->gc, "after unmarshalling");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct vm *vm; /* one for all inputs: what one leaves in the heap affects the next */
    if (size < 4 || size > 1 << 16) return 0;
    if (vm == NULL) vm = new_machine();
    struct domain *d = vm->domain;
    if (!(data[0] & 1)) {
        read_three_ways(d, data + 1, size - 1);
        return 0;
    }
    size_t n = size - 4;
    uint8_t *value_bytes = malloc(VM_MARSHAL_SMALL_HEADER + n);
    if (value_bytes == NULL) return 0;
    put_marshal_header(value_bytes, n, data[0] & 2 ? 0 : data[2], data[3] + 256u * data[1]);
    memcpy(value_bytes + VM_MARSHAL_SMALL_HEADER, data + 4, n);
    read_three_ways(d, value_bytes, VM_MARSHAL_SMALL_HEADER + n);
    free(value_bytes);
    return 0;
}
