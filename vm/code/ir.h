/* ir.h - the intermediate form of one function: a row for each instruction that control reaches, by
 * ascending pc. Threaded code and machine code are made from it. It is made on demand, often in the
 * memory of another one.
 *
 *     row  op       pc  height  operands        flags
 *      0   RESTART  10  1                       LEADER
 *      1   GRAB     11  2       1               LEADER
 *      2   ACC0     13  2       0
 *      3   BEQ      14  2       7, row 6
 *      4   PUSHACC2 17  2       2               LEADER
 *
 * IR1  Rows ascend by pc, and the row after an instruction that may continue with the next one is
 *      that instruction.
 * IR2  A row's height is the verifier's, and at most the function's frame_words.
 * IR3  A label is the index of a row, which is a LEADER; a function is the pc of its entry. */
#ifndef BACTRIAN_VM_CODE_IR_H
#define BACTRIAN_VM_CODE_IR_H

#include "gc/containers.h"
#include "vm/code/opcodes.h"

#include <stddef.h>

struct vm_code;

enum {
    IR_LEADER = 1,  /* first of a basic block: reached not only from the row before */
    IR_RETURNS = 2, /* control returns to the function here: after a call, in a handler */
    IR_LOOP = 4,    /* a jump leads from here or from a later row to here or to an earlier one */
    IR_HEAD = 8,    /* a jump leads from here or from a later row to here */
    IR_BODY = 16,   /* the function's first instruction, after GRAB */
};

struct vm_ir_row {
    uint32_t pc, height;  /* height: before the instruction */
    uint32_t operands[2]; /* as many as the long form has: SHORT ones have the fixed operand first.
                             SWITCH: numbers of constants and tags. CLOSUREREC: of functions and
                             variables. These two have their labels in vm_ir.labels, ... */
    uint32_t labels;      /* ... from this one on */
    uint8_t op, flags;
};

struct vm_ir {
    struct vm_ir_row *rows;
    size_t count, capacity;
    struct vm_ir_labels VECTOR(uint32_t) labels;
    bool loops; /* some row is IR_LOOP */
};

/* Makes the form of the verified function of an entry; it begins with the RESTART, where there is
 * one. *out is all zeros or another form, whose memory this one takes over. GC: never.  Fails: when
 * out of memory, fatally. */
void vm_ir_make(struct vm_ir *out, const struct vm_code *code, uint32_t entry);
/* Makes the form of a piece of the code at word 0 (vm/code/pieces.h), which begins with that
 * instruction. Returns the number of the instruction with which the next piece begins: the last row
 * stands for it and is a STOP; 0: there is no next piece. GC, fails: as above. */
uint32_t vm_ir_make_piece(struct vm_ir *out, const struct vm_code *code, uint32_t from);
void vm_ir_free(struct vm_ir *ir);
/* The labels of a row: *n of them. */
const uint32_t *vm_ir_labels(const struct vm_ir *ir, const struct vm_ir_row *row, uint32_t *n);

#endif
