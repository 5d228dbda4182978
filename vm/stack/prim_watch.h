/* prim_watch.h - builds with assertions watch each call of a primitive by the loop and abort with
 * the primitive's name when it has an effect that its row denies (vm/code/prim.h), or a result of
 * another kind. In other builds these functions are empty.
 *
 * What a primitive could do counts where it can be seen without having happened: one that polls, or
 * that releases the runtime lock, has PRIM_CALLS whether or not anything was pending. */
#ifndef BACTRIAN_VM_STACK_PRIM_WATCH_H
#define BACTRIAN_VM_STACK_PRIM_WATCH_H

#include "gc/value.h"

struct domain;
struct vm_prim;
struct vm_prim_watch;

#ifdef BACTRIAN_ASSERTIONS
/* The loop of the innermost activation calls that primitive, which has returned result. */
void vm_watch_call(struct domain *d, const struct vm_prim *row);
void vm_watch_return(struct domain *d, value result);
/* An exception ended the call, if there is one. */
void vm_watch_raised(struct vm_prim_watch *watch);
/* OCaml code may run now. */
void vm_watch_ocaml(struct domain *d);
#else
static inline void vm_watch_call(struct domain *d, const struct vm_prim *row) {}
static inline void vm_watch_return(struct domain *d, value result) {}
static inline void vm_watch_raised(struct vm_prim_watch *watch) {}
static inline void vm_watch_ocaml(struct domain *d) {}
#endif

#endif
