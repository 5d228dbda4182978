/* exit_statistics.h - the statistics that OCAMLRUNPARAM=v=0x400 and --gc-stats print when a program
 * ends.
 */
#ifndef BACTRIAN_VM_MACHINE_EXIT_STATISTICS_H
#define BACTRIAN_VM_MACHINE_EXIT_STATISTICS_H

#include <stdio.h>

struct domain;

/* Prints them to err if the program asked for them. Called where a program ends normally: by exit,
 * or behind its last instruction. GC: never. */
void vm_print_exit_statistics(struct domain *d, FILE *err);

/* Prints a summary for people: collections, promotion, memory, pauses. Needs: gc_measure_pauses
 * when the program began. GC: never. */
void vm_print_gc_summary(struct domain *d, FILE *err);

#endif
