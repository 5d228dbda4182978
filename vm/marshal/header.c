/* header.c - decodes the headers of marshalled values. */
#include "vm/marshal/header.h"

#include "vm/marshal/codes.h"

/* The other bits have no meaning yet. */
static size_t compressed_length(const uint8_t *bytes) { return bytes[4] & 0x3F; }

size_t vm_marshal_header_length(const uint8_t *bytes) {
    switch (marshal_load(bytes, 4)) {
    case VM_MARSHAL_MAGIC_BIG: return VM_MARSHAL_BIG_HEADER;
    case VM_MARSHAL_MAGIC_COMPRESSED: {
        size_t length = compressed_length(bytes);
        return length < VM_MARSHAL_HEADER_START ? VM_MARSHAL_HEADER_START : length;
    }
    default: return VM_MARSHAL_SMALL_HEADER;
    }
}

/* Numbers of 7 bits a byte, the first ones first; all but the last byte have the highest bit. */
struct vlqs {
    const uint8_t *at, *end;
    enum vm_marshal_header_result result;
};

static uint64_t next_vlq(struct vlqs *s) {
    uint64_t n = 0;
    for (;;) {
        if (s->at == s->end) {
            s->result = VM_MARSHAL_HEADER_BAD;
            return 0;
        }
        if (n >> 57 != 0 && s->result == VM_MARSHAL_HEADER_OK)
            s->result = VM_MARSHAL_HEADER_TOO_LARGE;
        n = n << 7 | (*s->at & 0x7F);
        if ((*s->at++ & 0x80) == 0) return n;
    }
}

/* As in OCaml, numbers may go beyond the length that the header has, and the data begins there,
 * even if that is within the numbers. */
static enum vm_marshal_header_result read_compressed(const uint8_t *bytes, size_t n,
                                                     struct vm_marshal_header *out) {
    struct vlqs s = {bytes + VM_MARSHAL_HEADER_START, bytes + n, VM_MARSHAL_HEADER_OK};
    out->compressed = true;
    out->header_bytes = (uint32_t)compressed_length(bytes);
    out->stored_bytes = next_vlq(&s);
    out->data_bytes = next_vlq(&s);
    out->objects = next_vlq(&s);
    struct vlqs words_32 = s;
    next_vlq(&words_32); /* may be too large */
    s.at = words_32.at;
    out->words = next_vlq(&s);
    return s.result;
}

enum vm_marshal_header_result vm_marshal_read_header(const uint8_t *bytes, size_t n,
                                                     struct vm_marshal_header *out) {
    if (n < VM_MARSHAL_HEADER_START) return VM_MARSHAL_HEADER_SHORT;
    size_t length = vm_marshal_header_length(bytes);
    if (n < length) return VM_MARSHAL_HEADER_SHORT;
    uint32_t magic = (uint32_t)marshal_load(bytes, 4);
    *out = (struct vm_marshal_header){.header_bytes = (uint32_t)length};
    if (magic == VM_MARSHAL_MAGIC_COMPRESSED) return read_compressed(bytes, n, out);
    if (magic != VM_MARSHAL_MAGIC_SMALL && magic != VM_MARSHAL_MAGIC_BIG)
        return VM_MARSHAL_HEADER_BAD;
    bool small = magic == VM_MARSHAL_MAGIC_SMALL;
    out->data_bytes = small ? marshal_load(bytes + 4, 4) : marshal_load(bytes + 8, 8);
    out->stored_bytes = out->data_bytes;
    out->objects = small ? marshal_load(bytes + 8, 4) : marshal_load(bytes + 16, 8);
    out->words = small ? marshal_load(bytes + 16, 4) : marshal_load(bytes + 24, 8);
    return VM_MARSHAL_HEADER_OK;
}
