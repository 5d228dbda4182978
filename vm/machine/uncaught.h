/* uncaught.h - the end of a program that an exception leaves. */
#ifndef BACTRIAN_VM_MACHINE_UNCAUGHT_H
#define BACTRIAN_VM_MACHINE_UNCAUGHT_H

#include "gc/value.h"

#include <stdio.h>

struct vm;

/* Does what OCaml does for an uncaught exception: lets the handler that module Printexc registers
 * print it, or else runs what is registered for the end of the program and prints exception and
 * backtrace to err. Returns the exit status, 2; if the program calls exit on the way, that one.
 * Needs: vm_run has returned VM_UNCAUGHT. GC: may run, and any OCaml code. */
int vm_report_uncaught(struct vm *vm, value exn, FILE *err);

/* Writes exn as the machine prints it, without OCaml code, cut to size - 1 bytes. GC: never. */
void vm_format_exception(struct vm *vm, value exn, char *text, size_t size);

#endif
