/* inlining.h - calls whose callee is compiled in place of the call: a small function without loops,
 * handlers and calls of OCaml functions, all of whose rows have one predecessor.
 *
 * The callee's frame is put on the virtual stack, its return frame too, so that an exit
 * reconstructs both frames, and the loop returns to the caller's cell as from any call. What is not
 * needed by an exit or a call of C is never stored.
 *
 * NV4  In an inlined function the current closure is the value `env`, and R_ENV is the caller's;
 *      after a call of C both frames are in memory, and R_ENV is the current closure, as in a
 *      function that was called. Rows, labels and heights are those of c->body, and heights include
 *      the caller's frame. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_INLINING_H
#define BACTRIAN_VM_ENGINE_NATIVE_INLINING_H

#include "vm/engine/native/compiler.h"

/* Finds the calls that can be inlined: sets c->bodies, their rows' `inlined` and c->more_words.
 * Needs: native_find_callees. GC: never. */
void native_find_inlined(struct native_compiler *c);
void native_free_bodies(struct native_compiler *c);
/* Makes the rows of a body the current ones. */
void native_enter_body(struct native_compiler *c, uint32_t body);
/* The call of the current row, with n arguments, whose callee is A. False: it is not inlined, and
 * nothing is done. */
bool native_inline(struct native_compiler *c, uint32_t n, bool is_tail_call);
/* Before a call of C: in an inlined function, writes both frames (NV4). */
void native_write_frame(struct native_compiler *c);
/* RETURN in an inlined function. */
void native_return_inlined(struct native_compiler *c);
/* Late code: the return point of the call of another function than the inlined one. */
void native_put_late_return(struct native_compiler *c, const struct native_late *late);

#endif
