/* arity.h - calls with fewer or more arguments than the function takes. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_ARITY_H
#define BACTRIAN_VM_ENGINE_NATIVE_ARITY_H

#include <stdint.h>

struct emitter;
struct vm;
struct vm_native;

/* `takes` in the entry of a RESTART, the code of partial applications; its address is then the
 * number of bytes of stack that the call needs. */
enum { TAKES_RESTART = 1 << 24 };
/* Words of a return frame's code. */
enum { NATIVE_REST_WORDS = 6 };

/* Makes the return frames that apply a result to the arguments that follow them. */
void native_put_apply_rest(struct vm *vm, struct vm_native *n);
/* Emits the stubs: stubs.other_arity, and those to which these frames return. Needs: the other
 * stubs. */
void native_put_arity_stubs(struct emitter *e, struct vm_native *n);

#endif
