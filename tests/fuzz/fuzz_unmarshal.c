/* fuzz_unmarshal.c - libFuzzer target: any bytes to the readers of marshalled data.
 *
 * The first byte of the input selects what is done with the rest:
 *   bit 0  a matching header is put before it, which a fuzzer would rarely find: the data's length,
 *          and counts of objects and words from bytes 1, 2 and 3
 *   bit 1  sharing off (with bit 0): no objects
 *   bit 2  the data is compressed (with bit 0)
 *   bit 3  the machine is of OCaml 5.3, otherwise of 4.13
 * The value is read into an arena, as DATA of an image, and with all options into the heap; the
 * result is hashed, written, read again, and the heap is verified (U1, U2, U3). */
#include "stdlib/customs.h"
#include "stdlib/prim.h"
#include "stdlib/state.h"
#include "tests/fuzz/marshal_header.h"
#include "tests/fuzz/target.h"
#include "vm/code/version.h"
#include "vm/machine/machine.h"
#include "vm/marshal/reader.h"
#include "vm/marshal/writer.h"

#include <stdlib.h>
#include <zstd.h>

enum { MAX_UNPACKED_BYTES = 1 << 20 };

static struct vm *new_machine(enum vm_version_id version) {
    struct vm_options options = {.gc = {.minor_words = 4096}};
    struct vm_error error;
    struct vm *vm = vm_create(&options, &vm_versions[version], &prim_library, &error);
    if (vm == NULL) abort();
    return vm;
}

/* Reads into the heap; 0 if they are refused. */
static value read_all(struct domain *d, const uint8_t *bytes, size_t n) {
    struct vm_marshal_header head;
    struct vm_marshal_read_fault fault;
    struct vm_marshal_read_options options = {customs_find_reader, d, "input_value", true};
    value v;
    if (vm_marshal_read_header(bytes, n, &head) != VM_MARSHAL_HEADER_OK) return 0;
    if (head.stored_bytes > n - head.header_bytes) return 0;
    bytes += head.header_bytes;
    if (!head.compressed) return vm_marshal_read(d, &head, bytes, &options, &v, &fault) ? v : 0;
    if (!vm_marshal_may_unpack(&head) || head.data_bytes > MAX_UNPACKED_BYTES) return 0;
    uint8_t *data = malloc(head.data_bytes + 1);
    if (data == NULL) return 0;
    bool ok = vm_marshal_unpack(&head, bytes, data) &&
              vm_marshal_read(d, &head, data, &options, &v, &fault);
    free(data);
    return ok ? v : 0;
}

/* Writes v and reads that back: the same value must come out. */
static void go_round(struct domain *d, value v, unsigned flags) {
    struct vm_arena scratch = {0};
    struct vm_marshal_writer *w = malloc(sizeof *w);
    GC_ROOT(&d->gc, &v);
    prim_hash(d, val_of_int(100), val_of_int(200), val_of_int(0), v);
    if (w != NULL && vm_marshal_write(w, d, &customs_writers, v, flags, &scratch)) {
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
    if (v != 0) go_round(d, v, VM_MARSHAL_CLOSURES);
    v = read_all(d, bytes, n);
    if (v != 0) go_round(d, v, VM_MARSHAL_CLOSURES | VM_MARSHAL_COMPRESSED);
    gc_verify(&d->gc, "after unmarshalling");
}

/* The bytes of a value with this data and these numbers in its header; NULL: out of memory. */
static uint8_t *with_header(const uint8_t *data, size_t n, uint32_t objects, uint32_t words,
                            size_t *length) {
    uint8_t *bytes = malloc(VM_MARSHAL_SMALL_HEADER + n);
    if (bytes == NULL) return NULL;
    put_marshal_header(bytes, n, objects, words);
    memcpy(bytes + VM_MARSHAL_SMALL_HEADER, data, n);
    *length = VM_MARSHAL_SMALL_HEADER + n;
    return bytes;
}

/* The same, compressed. */
static uint8_t *compressed(const uint8_t *data, size_t n, uint32_t objects, uint32_t words,
                           size_t *length) {
    size_t bound = ZSTD_compressBound(n);
    uint8_t *bytes = malloc(VM_MARSHAL_MAX_HEADER + bound);
    if (bytes == NULL) return NULL;
    uint8_t *frame = bytes + COMPRESSED_HEADER;
    size_t stored = ZSTD_compress(frame, bound, data, n, 1);
    put_compressed_header(bytes, (uint32_t)stored, (uint32_t)n, objects, words);
    *length = COMPRESSED_HEADER + stored;
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct vm *vms[2]; /* for all inputs: what one leaves in the heap affects the next */
    if (size < 4 || size > 1 << 16) return 0;
    struct vm **vm = &vms[data[0] >> 3 & 1];
    if (*vm == NULL) *vm = new_machine(vm == vms ? OCAML_4_13 : OCAML_5_3);
    struct domain *d = (*vm)->domain;
    if (!(data[0] & 1)) {
        read_three_ways(d, data + 1, size - 1);
        return 0;
    }
    uint32_t objects = data[0] & 2 ? 0 : data[2], words = data[3] + 256u * data[1];
    size_t n;
    uint8_t *value_bytes = data[0] & 4 ? compressed(data + 4, size - 4, objects, words, &n)
                                       : with_header(data + 4, size - 4, objects, words, &n);
    if (value_bytes != NULL) read_three_ways(d, value_bytes, n);
    free(value_bytes);
    return 0;
}
