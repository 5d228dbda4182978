/* raise.h - raising OCaml exceptions from C.
 *
 * Each entry into the loop has one setjmp. Raising is a longjmp to the innermost one, which
 * restores the local roots and continues at the innermost trap frame. None of these functions
 * returns. GC: may run, for all that take a text. */
#ifndef BACTRIAN_VM_STACK_RAISE_H
#define BACTRIAN_VM_STACK_RAISE_H

#include "gc/value.h"

struct domain;

/* Slots of the global table that hold the predefined exceptions. */
enum vm_exception {
    EXN_OUT_OF_MEMORY,
    EXN_SYS_ERROR,
    EXN_FAILURE,
    EXN_INVALID_ARGUMENT,
    EXN_END_OF_FILE,
    EXN_DIVISION_BY_ZERO,
    EXN_NOT_FOUND,
    EXN_MATCH_FAILURE,
    EXN_STACK_OVERFLOW,
    EXN_SYS_BLOCKED_IO,
    EXN_ASSERT_FAILURE,
    EXN_UNDEFINED_RECURSIVE_MODULE,
    EXN_COUNT
};

/* Raises exn, after running pending actions, whose exception replaces it. They run without the
 * locks that C code took since it was called. */
_Noreturn void vm_raise(struct domain *d, value exn);
/* A predefined exception without argument: Not_found, End_of_file, ... */
_Noreturn void vm_raise_constant(struct domain *d, enum vm_exception which);
/* An exception of constructor tag (a predefined one's global, say) with one argument. */
_Noreturn void vm_raise_with_arg(struct domain *d, value tag, value argument);
_Noreturn void vm_raise_with_text(struct domain *d, enum vm_exception which, const char *text);
/* printf-like texts of at most 1,000 bytes. */
_Noreturn void vm_failwith(struct domain *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void vm_invalid_argument(struct domain *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void vm_raise_not_found(struct domain *d);
_Noreturn void vm_raise_end_of_file(struct domain *d);
_Noreturn void vm_raise_zero_divide(struct domain *d);
_Noreturn void vm_raise_stack_overflow(struct domain *d);
_Noreturn void vm_raise_out_of_memory(struct domain *d);
_Noreturn void vm_raise_bound_error(struct domain *d); /* Invalid_argument "index out of bounds" */
/* Sys_error with the text of errno, after "ARG: " if argument is a string (VAL_UNIT: none). */
_Noreturn void vm_raise_sys_error(struct domain *d, int error_number, value argument);
/* Raises Sys_error "SUBJECT: refused by FLAG". GC: may run. */
_Noreturn void vm_raise_refused(struct domain *d, const char *subject, const char *flag);
/* Invalid_argument: a primitive got an argument of another kind than it takes (vm/code/kinds.h). */
_Noreturn void vm_raise_wrong_kind(struct domain *d, const char *primitive, const char *kinds);
/* Runs f(d, context), C code that may raise. Returns its result, or the exception as exn_result.
 * GC: may run. */
value vm_protect_exn(struct domain *d, value (*f)(struct domain *d, void *context), void *context);
/* The exception of a callback's result, if it is one; else returns the value. */
value vm_value_or_raise(struct domain *d, value result);

#endif
