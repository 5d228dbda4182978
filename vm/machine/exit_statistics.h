/* exit_statistics.h - what OCAMLRUNPARAM=v=0x400 and --gc-stats print at the end of a program. */
#ifndef BACTRIAN_VM_MACHINE_EXIT_STATISTICS_H
#define BACTRIAN_VM_MACHINE_EXIT_STATISTICS_H

#include <stdio.h>

struct domain;

/* Prints the counters to err if OCAMLRUNPARAM asked for them. Called at a normal end: exit, or the
 * last instruction. GC: never. */
void vm_print_exit_statistics(struct domain *d, FILE *err);

/* Prints a readable summary: collections, promotion, memory, pauses. Needs: gc_measure_pauses at
 * the start. GC: never. */
void vm_print_gc_summary(struct domain *d, FILE *err);

#endif
