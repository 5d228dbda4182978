/* decode.h - decodes an instruction of machine code: the reverse of emit_x86_64.c, for the
 * verifier (check_code.h). It knows the encodings that encodings.def lists, and refuses others. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_DECODE_H
#define BACTRIAN_VM_ENGINE_NATIVE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum native_kind {
    KIND_PLAIN,
    KIND_NOP,
    KIND_CONSTANT,     /* reg := constant */
    KIND_CODE_ADDRESS, /* reg := the address of code, or of a table, at that distance */
    KIND_JUMP,
    KIND_JUMP_IF, /* reg: the condition */
    KIND_JUMP_MEMORY,
    KIND_JUMP_REGISTER,
    KIND_CALL, /* the C stack is as before, after it */
    KIND_CALL_REGISTER,
    KIND_RETURN,
    KIND_PUSH,
    KIND_POP,
};

struct native_decoded {
    uint8_t length;   /* bytes */
    uint8_t prefixes; /* bytes of padding among them, at the start */
    uint8_t kind;
    uint8_t reg;      /* of those kinds */
    uint8_t row;      /* of encodings.def */
    uint16_t changes; /* registers of integers, a bit each; what calls change is not among them */
    int64_t constant; /* or the distance, from the next instruction */
};

/* Decodes the instruction at `at`. False: the bytes before `end` are none that is listed. GC:
 * never. */
bool native_decode(const uint8_t *at, const uint8_t *end, struct native_decoded *out);
/* The number of rows of encodings.def. */
size_t native_encoding_count(void);

#endif
