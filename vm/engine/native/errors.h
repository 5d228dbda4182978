/* errors.h - exceptions that instructions raise themselves: from machine code to the handler,
 * without an exit. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_ERRORS_H
#define BACTRIAN_VM_ENGINE_NATIVE_ERRORS_H

#include "vm/engine/native/compiler.h"

/* The current instruction raises the exception if the condition holds. For a division, R_TEMP is
 * then 0, or -1: that exits. */
void native_raise_if(struct native_compiler *c, enum native_condition condition,
                     enum native_error error);
/* Late code. */
void native_put_error(struct native_compiler *c, const struct native_late *late);
void native_put_error_stubs(struct emitter *e, struct vm_native *n);

#endif
