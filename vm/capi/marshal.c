/* marshal.c - marshalling for stubs: of values to and from memory, and the parts that the serialize
 * and deserialize functions of their custom blocks write and read, with the writer or reader that
 * struct marshal_state names while one of them runs. */
#include "stdlib/customs.h"
#include "stdlib/prim.h"
#include "stdlib/state.h"
#include "vm/capi/capi_internal.h"
#include "vm/marshal/reader.h"
#include "vm/marshal/writer.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"

/* ---- Whole values. ---- */

intptr_t caml_output_value_to_block(value v, value flags, char *to, intptr_t room) {
    struct domain *d = self();
    value data = prim_output_value_to_bytes(d, v, flags);
    intptr_t length = (intptr_t)string_length(data);
    if (length > room) vm_failwith(d, "Marshal.to_buffer: buffer overflow");
    memcpy(to, string_bytes(data), (size_t)length);
    return length;
}

void caml_output_value_to_malloc(value v, value flags, char **out, intptr_t *length) {
    value data = prim_output_value_to_bytes(self(), v, flags);
    *length = (intptr_t)string_length(data);
    *out = must(malloc((size_t)*length));
    memcpy(*out, string_bytes(data), (size_t)*length);
}

/* Bytes that become a string. */
struct copy {
    const char *bytes;
    size_t n;
};
static value copy_input(struct domain *d, void *context) {
    const struct copy *c = context;
    return copy_bytes(d, c->bytes, c->n);
}

value caml_input_value_from_block(const char *bytes, intptr_t length) {
    struct domain *d = self();
    value data = copy_bytes(d, bytes, (size_t)length);
    return prim_input_value_from_bytes(d, data, val_of_int(0));
}

/* Frees the bytes, whose length their header says. */
value caml_input_value_from_malloc(char *bytes, intptr_t start) {
    struct domain *d = self();
    struct vm_marshal_header head;
    const uint8_t *at = (const uint8_t *)bytes + start;
    if (vm_marshal_read_header(at, VM_MARSHAL_MAX_HEADER, &head) != VM_MARSHAL_HEADER_OK) {
        free(bytes);
        vm_failwith(d, "input_value_from_malloc: bad object");
    }
    size_t length = head.header_bytes + head.stored_bytes;
    struct copy copy = {bytes + start, length};
    value data = vm_protect_exn(d, copy_input, &copy);
    free(bytes);
    data = vm_value_or_raise(d, data);
    return prim_input_value_from_bytes(d, data, val_of_int(0));
}

/* ---- Parts. ---- */

static struct vm_marshal_writer *writer(void) { return prim_state(self())->marshal.writer; }
static struct vm_marshal_reader *reader(void) { return prim_state(self())->marshal.reader; }

static void put(uint64_t x, unsigned bytes) { vm_marshal_put_uint(writer(), x, bytes); }
static uint64_t get(unsigned bytes) { return vm_marshal_get_uint(reader(), bytes); }

void caml_serialize_int_1(int n) { put((uint64_t)n, 1); }
void caml_serialize_int_2(int n) { put((uint64_t)n, 2); }
void caml_serialize_int_4(int32_t n) { put((uint64_t)n, 4); }
void caml_serialize_int_8(int64_t n) { put((uint64_t)n, 8); }

void caml_serialize_block_1(const void *from, intptr_t n) {
    vm_marshal_put_bytes(writer(), from, (size_t)n);
}

/* n numbers of `bytes` bytes each, big-endian in the external representation. */
static void put_numbers(const char *from, intptr_t n, unsigned bytes) {
    for (; n > 0; n--, from += bytes) {
        uint64_t x = 0;
        memcpy(&x, from, bytes);
        put(x, bytes);
    }
}
void caml_serialize_block_2(const void *from, intptr_t n) { put_numbers(from, n, 2); }
void caml_serialize_block_4(const void *from, intptr_t n) { put_numbers(from, n, 4); }
void caml_serialize_block_8(const void *from, intptr_t n) { put_numbers(from, n, 8); }
/* Only doubles are little-endian. */
void caml_serialize_block_float_8(const void *from, intptr_t n) {
    caml_serialize_block_1(from, 8 * n);
}
void caml_serialize_float_4(float x) { put_numbers((const char *)&x, 1, 4); }
void caml_serialize_float_8(double x) { caml_serialize_block_float_8(&x, 1); }

int caml_deserialize_uint_1(void) { return (int)get(1); }
int caml_deserialize_sint_1(void) { return (int8_t)get(1); }
int caml_deserialize_uint_2(void) { return (int)get(2); }
int caml_deserialize_sint_2(void) { return (int16_t)get(2); }
uint32_t caml_deserialize_uint_4(void) { return (uint32_t)get(4); }
int32_t caml_deserialize_sint_4(void) { return (int32_t)get(4); }
uint64_t caml_deserialize_uint_8(void) { return get(8); }
int64_t caml_deserialize_sint_8(void) { return (int64_t)get(8); }

/* Truncated data reads as zeros; it is refused when the function returns. */
static void get_numbers(char *to, intptr_t n, unsigned bytes) {
    for (; n > 0; n--, to += bytes) {
        uint64_t x = get(bytes);
        memcpy(to, &x, bytes);
    }
}
void caml_deserialize_block_1(void *to, intptr_t n) { get_numbers(to, n, 1); }
void caml_deserialize_block_2(void *to, intptr_t n) { get_numbers(to, n, 2); }
void caml_deserialize_block_4(void *to, intptr_t n) { get_numbers(to, n, 4); }
void caml_deserialize_block_8(void *to, intptr_t n) { get_numbers(to, n, 8); }
void caml_deserialize_block_float_8(void *to, intptr_t n) { get_numbers(to, 8 * n, 1); }

float caml_deserialize_float_4(void) {
    float x;
    get_numbers((char *)&x, 1, 4);
    return x;
}
double caml_deserialize_float_8(void) {
    double x;
    caml_deserialize_block_float_8(&x, 1);
    return x;
}

_Noreturn void caml_deserialize_error(const char *text) { customs_refuse(self(), text); }
