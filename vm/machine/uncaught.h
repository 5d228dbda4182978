/* uncaught.h - reports an uncaught exception. */
#ifndef BACTRIAN_VM_MACHINE_UNCAUGHT_H
#define BACTRIAN_VM_MACHINE_UNCAUGHT_H

#include "gc/value.h"

#include <stddef.h>

struct domain;
struct vm;

/* Does what OCaml does for an uncaught exception: calls the handler registered by module Printexc,
 * or else runs the at_exit functions and prints exception and backtrace. Returns the exit
 * status: 2, or that of a call of exit meanwhile.
 * Needs: vm_run has returned VM_UNCAUGHT. GC: may run, and any OCaml code. */
int vm_report_uncaught(struct vm *vm, value exn);

/* The same while the program runs, which goes on. GC: may run, and any OCaml code. */
void vm_report_exception(struct domain *d, value exn);

/* Formats exn without running OCaml code, cut to size - 1 bytes. GC: never. */
void vm_format_exception(struct vm *vm, value exn, char *text, size_t size);

#endif
