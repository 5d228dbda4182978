/* float_ops.h - sums and products of floats. Of two NaNs the result is the first, as in ocamlrun:
 * programs print a NaN's sign, and a C compiler may exchange the operands of + and *. */
#ifndef BACTRIAN_VM_BASE_FLOAT_OPS_H
#define BACTRIAN_VM_BASE_FLOAT_OPS_H

#ifdef __x86_64__
#define IN_THIS_ORDER(name, operator) __asm__(name "sd %1, %0" : "+x"(a) : "xm"(b));
#elif defined __aarch64__
#define IN_THIS_ORDER(name, operator) __asm__("f" name " %d0, %d0, %d1" : "+w"(a) : "w"(b));
#else
#define IN_THIS_ORDER(name, operator) a = a operator b;
#endif

/* a + b. */
static inline double float_add(double a, double b) {
    IN_THIS_ORDER("add", +)
    return a;
}
/* a * b. */
static inline double float_multiply(double a, double b) {
    IN_THIS_ORDER("mul", *)
    return a;
}
#undef IN_THIS_ORDER

#endif
