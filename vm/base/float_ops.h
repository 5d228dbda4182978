/* float_ops.h - sums and products of floats. Of two NaNs the result is the first, as in ocamlrun:
 * programs print a NaN's sign, and a C compiler may exchange the operands of + and *. */
#ifndef BACTRIAN_VM_BASE_FLOAT_OPS_H
#define BACTRIAN_VM_BASE_FLOAT_OPS_H

#ifdef __x86_64__
#define IN_THIS_ORDER(instruction, operator) __asm__(instruction " %1, %0" : "+x"(a) : "xm"(b));
#else
#define IN_THIS_ORDER(instruction, operator) a = a operator b;
#endif

/* a + b. */
static inline double float_add(double a, double b) {
    IN_THIS_ORDER("addsd", +)
    return a;
}
/* a * b. */
static inline double float_multiply(double a, double b) {
    IN_THIS_ORDER("mulsd", *)
    return a;
}
#undef IN_THIS_ORDER

#endif
