/* stack.h - VM stacks and the watermark that spares deep ones. Private to vm/.
 *
 * After a minor collection no word of the stack points into the young area. A word can only change again
 * once the frame it is in, or a handler's, is active; so one return address, the watermark, is replaced by
 * code that tells when control passes it: words above need no visit by the next minor collection.
 *
 * S4  Words at and above d->watermark hold no young pointers. d->watermark == d->stack_high: there is no mark;
 *     else d->watermark[0] is vm->watermark_code and d->watermark_return is the address it stands for. */
#ifndef BACTRIAN_VM_STACK_H
#define BACTRIAN_VM_STACK_H

#include "vm/vm.h"

/* Reserves a stack of max_words for d. False: the system refuses. */
bool vm_stack_create(struct domain *d, size_t max_words);
void vm_stack_destroy(struct domain *d);
/* Scanner of the stack and the domain's registers (gc/roots.h); context: the domain. */
void vm_stack_scan(void *context, struct gc_visitor *visitor);

#endif
