/* exitstats.h - the statistics that OCAMLRUNPARAM=v=0x400 prints when a program ends. */
#ifndef BACTRIAN_VM_EXITSTATS_H
#define BACTRIAN_VM_EXITSTATS_H

#include <stdio.h>

struct domain;

/* Prints them to err if the program asked for them. Called where a program ends normally: by exit,
 * or behind its last instruction. GC: never. */
void vm_print_exit_statistics(struct domain *d, FILE *err);

#endif
