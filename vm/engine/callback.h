/* callback.h - calling OCaml functions from C. GC: may run, and any OCaml code. */
#ifndef BACTRIAN_VM_ENGINE_CALLBACK_H
#define BACTRIAN_VM_ENGINE_CALLBACK_H

#include "gc/value.h"

struct domain;
struct vm;

/* Applies closure f to n >= 1 arguments (args need not be rooted). The result is a value, or an
 * exception as exn_result: test is_exn_result. */
value vm_callback_exn(struct domain *d, value f, int n, const value *args);
value vm_callback1_exn(struct domain *d, value f, value a);
/* A sequence of calls. next gets the result of the previous call (0: there was none). It returns
 * VAL_TRUE after it has set the next closure and its argument; or ends the sequence with VAL_FALSE,
 * or with an exception as exn_result. GC: may run. */
struct vm_calls {
    value (*next)(void *context, struct domain *d, value result, value *closure, value *argument);
    void *context;
};
/* Makes these calls one after the other in one run of the loop. VAL_UNIT, or the exception that
 * ended it, of a call or of next, as exn_result. */
value vm_callbacks_exn(struct domain *d, const struct vm_calls *calls);
/* One call; if it ends with an exception, that is raised. */
value vm_callback(struct domain *d, value f, value a);
value vm_callback2(struct domain *d, value f, value a, value b);
value vm_callback3(struct domain *d, value f, value a, value b, value c);

/* Named values (Callback.register). The slot is a root whose address never changes; NULL if
 * unknown. */
void vm_register_named_value(struct domain *d, const char *name, value v);
const value *vm_named_value(const struct vm *vm, const char *name);
/* Calls visit for each. GC: as visit. */
void vm_named_values_visit(const struct vm *vm, void (*visit)(const value *slot, char *name));
void vm_named_values_free(struct vm *vm);

#endif
