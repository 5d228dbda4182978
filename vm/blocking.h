/* blocking.h - C code that waits for the system, or works long, without the machine.
 *
 * BL1  Between enter and leave the calling thread touches neither the heap nor the machine's state:
 *      another thread of the program may run. */
#ifndef BACTRIAN_VM_BLOCKING_H
#define BACTRIAN_VM_BLOCKING_H

struct domain;

/* Lets go of the machine. Signals that came before are the caller's to look at. GC: never. */
void vm_enter_blocking(struct domain *d);
/* Takes the machine back; errno is kept. A signal that came meanwhile is due at the next safe
 * point. GC: never in this thread. */
void vm_leave_blocking(struct domain *d);

#endif
