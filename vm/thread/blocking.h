/* blocking.h - C code that waits for the system, or works long, without the machine.
 *
 * BL1  Between enter and leave the calling thread touches neither the heap nor the machine's state:
 *      another thread of the program may run, and collect. */
#ifndef BACTRIAN_VM_THREAD_BLOCKING_H
#define BACTRIAN_VM_THREAD_BLOCKING_H

struct domain;

/* Lets go of the machine; errno is kept. Signals that came before are the caller's to look at.
 * A machine without threads has nobody to let in. Needs: the calling thread has the machine.
 * GC: never in this thread. */
void vm_enter_blocking(struct domain *d);
/* Takes the machine back, when no other thread has it; errno is kept. A signal that came meanwhile
 * is due at the next safe point. Needs: the calling thread is one of the machine's
 * (vm/thread/thread.h). Fails: does not return where another thread ended the program meanwhile.
 * GC: never in this thread. */
void vm_leave_blocking(struct domain *d);

#endif
