/* native.h - the compiler to machine code: the interface for the loop and the preparation of
 * functions.
 *
 *     decoded code   HOT count | row's words ...        counts entries, loop iterations
 *                    NATIVE address | row's words ...   the row's machine code exists, at the entry
 *                    NATIVE_LOOP address | ...          or at a loop header
 *     cells          machine address | frame word | NATIVE_RETURN     (one for each return point)
 *
 * N3  Frames of machine code are the loop's, word for word; the extra arguments (X) of a function
 *     that runs as machine code are 0: at its entry they are put into a frame of their own; a loop
 *     that runs with some stays in the interpreter.
 * N4  A return address or handler that machine code pushes is the third word of a cell; its frame
 *     word is E1's, and the cells of a function are decoded code (vm/code/decoded.h) whose rows
 *     are those of the return points.
 * N5  An exit leaves the stack, A, E and X as the loop would have them before the instruction to
 *     which it leads, which the loop then executes. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_NATIVE_H
#define BACTRIAN_VM_ENGINE_NATIVE_NATIVE_H

#include "gc/value.h"
#include "vm/state/vm.h"

/* The loop's registers at a change of tier. */
struct vm_native_state {
    value *sp;
    value accu, env, extra_args;
    const uintptr_t *pc; /* the loop goes on here; NULL: it calls env, whose arguments are on the
                            stack */
};

/* Words of HOT and NATIVE before a row. */
enum { VM_NATIVE_WORDS = 2 };

/* Enables counting of calls and loops, if the machine's options select machine code; else
 * vm->native stays NULL. Memory for code is mapped when the first function is compiled; if the
 * system refuses it, everything runs in the loop. GC: never. */
void vm_native_create(struct vm *vm);
void vm_native_destroy(struct vm *vm);
/* The number of entries or loop iterations after which a function is compiled. GC: never. */
uintptr_t vm_native_threshold(const struct vm *vm);
/* Whether HOT is inserted before loop headers and, unless the function runs only once, after its
 * GRAB. GC: never. */
bool vm_native_counts(const struct vm *vm);
/* The HOT at that word has counted down to zero in a function that runs with the closure env:
 * compiles the function and replaces its HOT words by NATIVE or COLD. GC: never. Fails: when out of
 * memory, fatally. */
void vm_native_compile(struct vm *vm, uintptr_t *hot, value env);
/* Prepares a function and compiles it, as --jit=all does at its first call. Needs: it was not
 * called; --jit=all. False: the verifier has refused it (vm->refused). GC: never.  Fails: when out
 * of memory, fatally. */
bool vm_native_compile_early(struct vm *vm, uint32_t index);
/* Runs machine code until it leaves to the loop. Raises only from primitives. GC: may run. */
void vm_native_run(struct domain *d, uintptr_t address, struct vm_native_state *state);
/* For a function that is entered with more arguments than it takes: inserts a frame that applies
 * its result to them. False: there are too many, nothing is changed. GC: never. */
bool vm_native_spread(struct domain *d, struct vm_native_state *state);
/* The code of a closure is about to be replaced: machine code expects the old one where it calls
 * the closure, and in calls of a function of itself. GC: never. */
void vm_native_replace_code(struct domain *d, value closure);

/* For --gc-stats: compiled functions, the number of exits, and the most frequent ones. GC:
 * never. */
void vm_native_print_summary(struct vm *vm, FILE *err);

#endif
