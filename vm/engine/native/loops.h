/* loops.h - innermost loops without calls: chooses the variables that have registers at their
 * labels.
 *
 * A pin is the register that holds the value of a slot at each label of the loop, and the facts
 * about that value. Each edge to a label establishes it (labels.c) and guards the facts; if they do
 * not hold, the code exits. The slot itself is in memory there if the loop does not assign it.
 * The contents of references that the loop assigns have pins, too. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_LOOPS_H
#define BACTRIAN_VM_ENGINE_NATIVE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

struct native_compiler;

struct native_pin {
    uint32_t made; /* the row that makes a number */
    uint16_t slot;
    int8_t reg;        /* an xmm register, of a number */
    uint16_t facts;    /* FACT_INT, one of FACT_NUMBERS (unboxed), or of an array; 0: any value */
    uint8_t reference; /* + 1, whose content it is; 0: the slot's */
    bool assigned;
};
/* Contents that are not written have no other place than their registers. */
enum { MOST_REGISTER_PINS = 5, MOST_CONTENT_PINS = 3, MOST_NUMBER_PINS = 8 };
struct native_loop {
    uint32_t count;
    struct native_pin pins[MOST_REGISTER_PINS + MOST_NUMBER_PINS];
};

/* Sets c->loops and the rows' loop. GC: never. */
void native_find_loops(struct native_compiler *c);
/* Gives a row of its own to the function's entry, as a loop whose variables are its arguments, and
 * to all rows of a function without calls and loops. False: no argument is used. */
bool native_pin_arguments(struct native_compiler *c);
/* The loop of a row, or NULL. */
const struct native_loop *native_loop_of(const struct native_compiler *c, uint32_t row);

#endif
