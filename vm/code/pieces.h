/* pieces.h - the verifier's states of a program's toplevel code, kept so that it can be prepared in
 * pieces.
 *
 *     groups   | pc, bits, first | ...    the words where its instructions start, 64 by 64
 *     heights  | height | ...             of these instructions, some with VM_PIECE_HELD
 *
 * The code at word 0, the program's main function, initialises one module after the other: in a
 * large program it is as long as all the functions together that a short run calls, and it runs
 * once. So the engine decodes a piece of it at a time, when control gets there, in the memory of
 * the piece before.
 *
 * PC1  A piece begins where no control frame is open; no jump crosses its beginning, forwards or
 *      backwards. So control never returns to an earlier piece. */
#ifndef BACTRIAN_VM_CODE_PIECES_H
#define BACTRIAN_VM_CODE_PIECES_H

#include "gc/containers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm_verifier;

enum {
    VM_PIECE_ROWS = IF_SMALL_TABLES(4, 1024), /* of a piece, at least, except the last one */
    VM_WHOLE_ROWS = IF_SMALL_TABLES(4, 8192), /* code of as many is not divided */
    VM_PIECE_HELD = 0x8000,                   /* no piece begins there */
};

struct vm_pieces {
    struct vm_piece_group {
        uint64_t bits;
        uint32_t pc, first; /* of the first word; number of the first instruction */
    } * groups;
    uint16_t *heights;
    uint32_t group_count, count;
    uint32_t from, next; /* numbers of the instructions with which the piece that was made last and
                            the one after it begin */
    size_t capacity;     /* decoded words in the place of the piece that was made last */
};

/* Keeps the states of the verified code at word 0. NULL: it is short, or the height of a frame or
 * its control frames do not fit, or there is no memory. GC: never. */
struct vm_pieces *vm_pieces_create(struct vm_verifier *v);
void vm_pieces_free(struct vm_pieces *pieces);

/* A walk over the instructions, from one of them on, up to 64 words of code at a time. */
struct vm_piece_walk {
    const struct vm_pieces *pieces;
    uint64_t bits; /* a bit for each of the words where an instruction starts */
    uint32_t pc;   /* of the first word */
    uint32_t group;
    const uint16_t *heights; /* one for each bit that is set */
};
void vm_piece_walk_start(struct vm_piece_walk *out, const struct vm_pieces *pieces, uint32_t from);
/* Advances to the next words; false: there are none. GC: never. */
bool vm_piece_walk_next(struct vm_piece_walk *walk);

#endif
