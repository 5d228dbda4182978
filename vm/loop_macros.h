/* loop_macros.h - the vocabulary of the loop's bodies. Private to vm/interp.c, which explains the
 * registers.
 *
 * REQUIRE, CHECK_ARGUMENTS, COUNT and COUNT_PRIM are defined there, by the kind of loop that is
 * compiled. */
#ifndef BACTRIAN_VM_LOOP_MACROS_H
#define BACTRIAN_VM_LOOP_MACROS_H

#include "vm/engine.h"

#define INSTR(name) op_##name : COUNT(OP_##name)
#define INNER(name) in_##name : COUNT(ENGINE_##name)
#define NEXT(words)        \
    do {                   \
        pc += (words);     \
        goto *(void *)*pc; \
    } while (0)
#define GOTO(target)                      \
    do {                                  \
        pc = (const uintptr_t *)(target); \
        goto *(void *)*pc;                \
    } while (0)

/* Leaves the loop's state behind (S2, E2), and takes it up again. */
#define SAVE()                                                                            \
    (sp -= STOPPED_WORDS, sp[0] = env, sp[1] = (value)pc, sp[2] = val_of_int(extra_args), \
     d->sp = sp)
#define RESTORE()      (sp = d->sp + STOPPED_WORDS, env = sp[-STOPPED_WORDS])
#define SAVE_ACCU()    (d->accu = accu, SAVE())
#define RESTORE_ACCU() (accu = d->accu, FORGET_ACCU())
/* d->accu is a root: what it held must not stay alive because of that. */
#define FORGET_ACCU() (RESTORE(), d->accu = VAL_UNIT)

/* Enters closure c with extra_args + 1 arguments on the stack: one test for stack, poll and
 * signals. */
#define ENTER(c)                                                                            \
    do {                                                                                    \
        env = (c);                                                                          \
        callee = &functions[function_of_closure(env)];                                      \
        if (__builtin_expect((uintptr_t)sp - callee->frame_bytes < d->gc.mutator_limit, 0)) \
            goto slow_enter;                                                                \
        GOTO(callee->entry);                                                                \
    } while (0)

/* A young block of n words, as `block`, its fields still to be set. */
#define ALLOC(n, header_word)                                          \
    value block;                                                       \
    do {                                                               \
        uintptr_t p_ = d->gc.young_ptr - 8 * ((n) + 1);                \
        if (__builtin_expect(p_ < d->gc.young_limit, 0)) {             \
            SAVE_ACCU();                                               \
            block = vm_slow_alloc(d, (n), tag_of_header(header_word)); \
            RESTORE_ACCU();                                            \
        } else {                                                       \
            d->gc.young_ptr = p_;                                      \
            *(header *)p_ = (header_word);                             \
            block = (value)(p_ + 8);                                   \
        }                                                              \
    } while (0)
#define ALLOC_DOUBLE(x)                      \
    double x_ = (x);                         \
    ALLOC(1, make_header(1, TAG_DOUBLE, 0)); \
    set_double_field(block, 0, x_);          \
    accu = block

#define OPERAND(i)      ((intptr_t)pc[i])
#define PRIM_OPERAND(i) ((const struct vm_linked_prim *)pc[i])
#define PUSH_RETURN(at, n)                    \
    do {                                      \
        sp[n] = (value)(pc + (at));           \
        sp[(n) + 1] = env;                    \
        sp[(n) + 2] = val_of_int(extra_args); \
    } while (0)
#define PUSH(v) (*--sp = (v))

typedef value prim1(struct domain *, value);
typedef value prim2(struct domain *, value, value);
typedef value prim3(struct domain *, value, value, value);
typedef value prim4(struct domain *, value, value, value, value);
typedef value prim5(struct domain *, value, value, value, value, value);
typedef value primn(struct domain *, value *, int);
typedef value stub1(value);
typedef value stub2(value, value);
typedef value stub3(value, value, value);
typedef value stub4(value, value, value, value);
typedef value stub5(value, value, value, value, value);
typedef value stubn(value *, int);

/* Loads and stores of fields, tested. */
#define LOAD_FIELD(b, i)             \
    do {                             \
        value b_ = (b);              \
        REQUIRE(has_field(b_, (i))); \
        accu = field(b_, (i));       \
    } while (0)
#define STORE_FIELD(i)                         \
    do {                                       \
        REQUIRE(has_mutable_field(accu, (i))); \
        gc_store(&d->gc, accu, (i), *sp++);    \
        accu = VAL_UNIT;                       \
    } while (0)
/* In the expressions a is the left operand and b the right one. */
#define INT_BINARY(name, expression)     \
    INSTR(name) {                        \
        REQUIRE(both_ints(accu, sp[0])); \
        value a = accu, b = *sp++;       \
        accu = (expression);             \
        NEXT(1);                         \
    }
#define COMPARE_BINARY(name, condition) \
    INSTR(name) {                       \
        value a = accu, b = *sp++;      \
        accu = val_of_bool(condition);  \
        NEXT(1);                        \
    }
#define COMPARE_BRANCH(name, condition) \
    INSTR(name) {                       \
        value a = OPERAND(1), b = accu; \
        if (condition) GOTO(pc[2]);     \
        NEXT(3);                        \
    }
#define FUSED_COMPARE(name, condition)      \
    INNER(name##_BRANCHIFNOT) {             \
        value a = accu, b = *sp++;          \
        accu = val_of_bool(condition);      \
        if (accu == VAL_FALSE) GOTO(pc[1]); \
        NEXT(2);                            \
    }
#define INLINE_INT_COMPARE(name, result)                                   \
    INNER(name) {                                                          \
        if (__builtin_expect(!both_ints(accu, sp[0]), 0)) goto op_C_CALL2; \
        value a = accu, b = *sp++;                                         \
        accu = (result);                                                   \
        NEXT(2);                                                           \
    }
#define INLINE_FLOAT(name, expression)                                                  \
    INNER(name) {                                                                       \
        if (__builtin_expect(!(is_double(accu) && is_double(*sp)), 0)) goto op_C_CALL2; \
        double a = double_of_val(accu), b = double_of_val(*sp);                         \
        ALLOC_DOUBLE(expression);                                                       \
        sp++;                                                                           \
        NEXT(2);                                                                        \
    }
#define INLINE_FLOAT_COMPARE(name, condition)                                             \
    INNER(name) {                                                                         \
        if (__builtin_expect(!(is_double(accu) && is_double(sp[0])), 0)) goto op_C_CALL2; \
        double a = double_of_val(accu), b = double_of_val(*sp++);                         \
        accu = val_of_bool(condition);                                                    \
        NEXT(2);                                                                          \
    }

#define BY_8(row)        row(0) row(1) row(2) row(3) row(4) row(5) row(6) row(7)
#define BY_4(row)        row(0) row(1) row(2) row(3)
#define FROM_1_TO_4(row) row(1) row(2) row(3) row(4)

#endif
