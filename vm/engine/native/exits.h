/* exits.h - side exits: how the loop's state is reconstructed from that of machine code.
 *
 * An exit is a position in one array of words:
 *
 *     the decoded instruction, a word of the area | sp - R_BASE, words | n | taken | n moves
 *     a move: slot << 16 | kind << 12 | operand       slot: from sp on, or EXIT_SLOT_A, _ENV;
 *             with EXIT_CONTENT: field 0 of the block in the slot
 *
 * Machine code jumps to the stub `exit` with the position in R_TEMP; the stub stores the registers
 * and `leave` (run.c) does the moves. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_EXITS_H
#define BACTRIAN_VM_ENGINE_NATIVE_EXITS_H

#include <stddef.h>
#include <stdint.h>

struct native_compiler;
enum native_condition;

enum { EXIT_SLOT_A = 0xffff, EXIT_SLOT_ENV = 0xfffe, EXIT_CONTENT = 1 << 15 };
enum exit_head { EXIT_DECODED, EXIT_SP, EXIT_MOVES, EXIT_TAKEN, EXIT_HEAD_WORDS };
enum exit_kind {
    EXIT_REGISTER,
    EXIT_XMM,      /* a number: native_number << 4 | register; two words follow: the frame word for
                      its allocation */
    EXIT_SMALL,    /* a constant: the operand, less 2048 */
    EXIT_CONSTANT, /* two words follow */
    EXIT_SLOT,     /* of the slot whose number follows in a word */
};

struct native_exits {
    uint32_t *words;
    size_t count, capacity;
};

/* The words of the exit at w, of which head and moves are complete. */
size_t native_exit_words(const uint32_t *w);
/* The kind of a move and its words. */
static inline enum exit_kind kind_of_move(const uint32_t *w) { return w[0] >> 12 & 7; }
unsigned words_of_move(const uint32_t *w);

/* An exit that describes the current state: before the current row. */
uint32_t native_describe_exit(struct native_compiler *c);
/* With --jit-stress: counts a guard; returns the site of a jump that is taken at every N-th one,
 * with the flags pushed on the C stack. NULL: without that option. Preserves registers and
 * flags. */
uint8_t *native_count_test(struct native_compiler *c);
/* The guard that follows also takes that exit if it is the N-th (--jit-stress). */
void native_force_exit(struct native_compiler *c, uint32_t exit);
/* Leaves if the condition holds, or always. */
void native_exit_if(struct native_compiler *c, enum native_condition condition);
void native_exit_always(struct native_compiler *c);
/* Leaves to the loop, which executes the row; c->reachable becomes false. */
void native_leave(struct native_compiler *c);

#endif
