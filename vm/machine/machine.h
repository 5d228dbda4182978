/* machine.h - a machine's life: vm_create, vm_load, vm_run, vm_destroy.
 *
 * Nothing here prints, exits or installs a signal handler by itself; vm_run returns how the program
 * ended and the caller acts on it. */
#ifndef BACTRIAN_VM_MACHINE_MACHINE_H
#define BACTRIAN_VM_MACHINE_MACHINE_H

#include "vm/base/status.h"
#include "vm/code/prim.h"
#include "vm/code/version.h"
#include "vm/image/image.h"
#include "vm/state/domain.h"
#include "vm/state/options.h"

enum vm_outcome { VM_RETURNED, VM_EXITED, VM_UNCAUGHT, VM_STOPPED /* vm->limits.stopped */ };
struct vm_result {
    enum vm_outcome outcome;
    int exit_status; /* VM_EXITED */
    value exn;       /* VM_UNCAUGHT; rooted in vm->domain->exn */
};

/* A new machine for that version. Fails: NULL and *error. GC: never. */
struct vm *vm_create(const struct vm_options *options, const struct vm_version *version,
                     const struct vm_library *library, struct vm_error *error);
/* Links, verifies and loads an opened image, which the machine owns from then on. GC: never. */
enum vm_status vm_load(struct vm *vm, struct vm_image *image, struct vm_error *error);
/* Runs the program. Needs: vm_load. GC: may run. */
struct vm_result vm_run(struct vm *vm);
/* Runs f(d, context), C code that may raise and run OCaml code, from a primitive or while no
 * program runs. *out: f's result, a value or exn_result. An exit or a stop ends only f.
 * VM_UNCAUGHT: f raised, or returned an exn_result. GC: may run. */
struct vm_result vm_perform(struct vm *vm, value (*f)(struct domain *d, void *context),
                            void *context, value *out);
/* Frees the machine. False: other threads still exist, possibly in a system call, so the memory is
 * not freed. */
bool vm_destroy(struct vm *vm);

/* Ends the program from within a primitive (caml_sys_exit): vm_run returns VM_EXITED. */
__attribute__((noreturn)) void vm_exit(struct domain *d, int status);

/* ---- uncaught.c ---- */

/* Does what OCaml does for an uncaught exception: calls the handler registered by module Printexc,
 * or else runs the at_exit functions and prints exception and backtrace. Returns the exit
 * status: 2, or that of a call of exit meanwhile.
 * Needs: vm_run has returned VM_UNCAUGHT. GC: may run, and any OCaml code. */
int vm_report_uncaught(struct vm *vm, value exn);

/* The same while the program runs, which continues. GC: may run, and any OCaml code. */
void vm_report_exception(struct domain *d, value exn);

/* Formats exn without running OCaml code, truncated to size - 1 bytes. GC: never. */
void vm_format_exception(struct vm *vm, value exn, char *text, size_t size);

/* ---- exit_statistics.c: OCAMLRUNPARAM=v=0x400 and --gc-stats ---- */

/* Prints the counters to err if OCAMLRUNPARAM requests them. Called at a normal end: exit, or the
 * last instruction. GC: never. */
void vm_print_exit_statistics(struct domain *d, FILE *err);

/* Prints a readable summary: collections, promotion, memory, pauses. Needs: gc_measure_pauses at
 * the start. GC: never. */
void vm_print_gc_summary(struct domain *d, FILE *err);

#endif
