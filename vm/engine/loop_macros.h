/* loop_macros.h - the vocabulary of the loop's bodies. Private to vm/engine/loop.c, which explains
 * the registers.
 *
 * REQUIRE, ARGUMENTS_OK, SLOW_ALLOC, COUNT and COUNT_PRIM are defined there, by the kind of loop
 * that is compiled. */
#ifndef BACTRIAN_VM_ENGINE_LOOP_MACROS_H
#define BACTRIAN_VM_ENGINE_LOOP_MACROS_H

#include "gc/assert.h"
#include "vm/code/code.h"
#include "vm/engine/loop.h"
#include "vm/stack/frame_layout.h"

#define INSTR(name) op_##name : COUNT(OP_##name)
#define INNER(name) in_##name : COUNT(ENGINE_##name)
/* A body that jumps to or is the target of another one: only the other one is counted. */
#define UNCOUNTED(name) in_##name:
/* An instruction, an internal one, with the body that bodies.h gives. */
#define STRAIGHT(name) \
    INSTR(name) { DO_##name NEXT(0); }
#define STRAIGHT_INNER(name) \
    INNER(name) { DO_##name NEXT(0); }
#define NEXT(words)        \
    do {                   \
        pc += (words);     \
        goto *(void *)*pc; \
    } while (0)
#define ADVANCE(words) pc += (words);
/* Statements, then on to the next instruction, that many words further. */
#define STEP(words, ...) {__VA_ARGS__} ADVANCE(words)
#define GOTO(target)                      \
    do {                                  \
        pc = (const uintptr_t *)(target); \
        goto *(void *)*pc;                \
    } while (0)

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* The exits of bodies to code that they share (end of loop.c). The stack, A and pc are as before
 * the instruction, except where stated otherwise. */
/* raise: type_error, zero_divide, unhandled; or convert: bad_argument */
#define FAIL(error)       goto error
#define RAW_ACCESS()      goto raw_access          /* the instruction, of another kind of block */
#define CALL_INSTEAD(n)   goto in_C_CALL_TESTED##n /* an INLINED primitive: call its C function */
#define DO_INSTEAD(name)  goto in_##name           /* another instruction with the same words */
#define APPLY_RESULT()    goto apply_result        /* RETURN: A to the extra arguments */
#define ENTER_ENV()       goto enter_env           /* call E, its arguments are on the stack */
#define GOTO_SLOW_ENTRY() goto slow_enter          /* the same, after a poll and a stack check */
#define CALL_BEGUN()      goto call_begun          /* a slow path has pushed a call: make it */
#define CALL_HANDLER()    goto call_handler        /* a switch of fibers made a call: make it */
#define UNWIND()          goto unwind              /* A is the exception */

/* Ends this run of the loop, with the result A. */
#define LEAVE_LOOP()      \
    do {                  \
        d->stack.sp = sp; \
        return accu;      \
    } while (0)
/* Resumes the fiber of handle A. If that fails, what precedes it in the body is done again. */
#define RESUME_FIBER(outside, extra)                                  \
    while (UNLIKELY(!vm_fiber_resume(d, accu, (outside), (extra)))) { \
        SAVE();                                                       \
        vm_effect_make_room(d, accu);                                 \
        RESTORE();                                                    \
    }
/* A fiber has ended: calls its handler. */
#define END_FIBER(handler)                                 \
    do {                                                   \
        accu = (handler);                                  \
        pc = (const uintptr_t *)d->vm->fiber_code.address; \
        CALL_HANDLER();                                    \
    } while (0)
/* Continues where machine code left: at an instruction, or with the call of E. */
#define CONTINUE_FROM(at)                                      \
    do {                                                       \
        sp = (at).sp, accu = (at).accu, env = (at).env;        \
        extra_args = (at).extra_args;                          \
        if ((at).pc == NULL) {                                 \
            pc = (const uintptr_t *)d->vm->leave_code.address; \
            ENTER_ENV();                                       \
        }                                                      \
        GOTO((at).pc);                                         \
    } while (0)
/* Runs pending actions. */
#define POLL()                              \
    if (UNLIKELY(d->gc.action_requested)) { \
        SAVE_ACCU();                        \
        vm_slow_poll(d);                    \
        RESTORE_ACCU();                     \
    }
#define RECORD_BACKTRACE(reraise)               \
    if (UNLIKELY(d->backtrace_active)) {        \
        SAVE_ACCU();                            \
        vm_slow_record_backtrace(d, (reraise)); \
        RESTORE_ACCU();                         \
    }

/* Saves the loop's registers on the stack (S2, E2), and restores them. */
#define SAVE()                                              \
    do {                                                    \
        sp -= SAVED_WORDS;                                  \
        ASSERT(sp >= d->stack.low); /* S1 */                \
        sp[0] = env, sp[1] = (value)pc, sp[2] = extra_args; \
        d->stack.sp = sp;                                   \
    } while (0)
#define RESTORE() (sp = d->stack.sp + SAVED_WORDS, env = sp[-SAVED_WORDS])
/* SAVE before a primitive is called. */
#define SAVE_FOR_PRIMITIVE()                       \
    do {                                           \
        SAVE();                                    \
        ASSERT(vm_slow_row_says(d, OP_PRIMITIVE)); \
    } while (0)
#define SAVE_ACCU()     \
    do {                \
        d->accu = accu; \
        SAVE();         \
    } while (0)
#define RESTORE_ACCU() (accu = d->accu, FORGET_ACCU())
/* d->accu is a root: it must not keep its old content alive. */
#define FORGET_ACCU() (RESTORE(), d->accu = VAL_UNIT)

/* The function of closure c. functions_odd is 16 bytes before the table: code is 2 * index + 1, a
 * row has 32 bytes. */
#define CALLEE(c)                                                                              \
    (ASSERT(is_int(field((c), 0)) && function_of_closure(c) < d->vm->function_count), /* C1 */ \
     (const struct vm_function *)(functions_odd + 16 * (uintptr_t)field((c), 0)))
/* Whether a call has to take the slow path first: one test for the stack limit, polls and
 * signals. */
#define NEEDS_SLOW_ENTRY(callee) \
    UNLIKELY((uintptr_t)sp - (callee)->frame_bytes < d->gc.mutator_limit)
/* Enters closure c with extra_args + 1 arguments on the stack. */
#define ENTER(c)                                          \
    do {                                                  \
        env = (c);                                        \
        const struct vm_function *callee_ = CALLEE(env);  \
        if (NEEDS_SLOW_ENTRY(callee_)) GOTO_SLOW_ENTRY(); \
        GOTO(callee_->entry);                             \
    } while (0)
/* The same with n arguments, and with n - 1 more than extra_args says: where the function takes
 * just these, its GRAB is skipped. */
#define ENTER_WITH(c, n)                                  \
    do {                                                  \
        env = (c);                                        \
        const struct vm_function *callee_ = CALLEE(env);  \
        extra_args = val_of_int((n)-1);                   \
        if (NEEDS_SLOW_ENTRY(callee_)) GOTO_SLOW_ENTRY(); \
        if (callee_->grabs != (n)) GOTO(callee_->entry);  \
        extra_args = val_of_int(0);                       \
        GOTO(entry_exact(callee_));                       \
    } while (0)
#define ENTER_WITH_MORE(c, n)                                                                    \
    do {                                                                                         \
        env = (c);                                                                               \
        const struct vm_function *callee_ = CALLEE(env);                                         \
        if (NEEDS_SLOW_ENTRY(callee_) || callee_->grabs != (n) || extra_args != val_of_int(0)) { \
            extra_args += 2 * ((n)-1);                                                           \
            ENTER_ENV();                                                                         \
        }                                                                                        \
        GOTO(entry_exact(callee_));                                                              \
    } while (0)
/* Pops the return frame at sp. */
#define RETURN_TO_FRAME()                       \
    do {                                        \
        pc = (const uintptr_t *)sp[0];          \
        ASSERT(is_int((value)pc[-1])); /* E1 */ \
        env = sp[1];                            \
        extra_args = sp[2];                     \
        sp += 3;                                \
        goto *(void *)*pc;                      \
    } while (0)

/* A young block of n words, as `block`, its fields still to be set. The instruction must not have
 * changed anything yet, since it may be re-executed. */
#define ALLOC(n, header_word)                                       \
    value block;                                                    \
    do {                                                            \
        uintptr_t p_ = d->gc.young_ptr - 8 * ((n) + 1);             \
        if (UNLIKELY(p_ < d->gc.young_limit)) {                     \
            SAVE_ACCU();                                            \
            block = SLOW_ALLOC(d, (n), tag_of_header(header_word)); \
            if (block == 0) CALL_BEGUN();                           \
            RESTORE_ACCU();                                         \
        } else {                                                    \
            d->gc.young_ptr = p_;                                   \
            *(header *)p_ = (header_word);                          \
            block = (value)(p_ + 8);                                \
        }                                                           \
    } while (0)
#define ALLOC_DOUBLE(x)                      \
    double x_ = (x);                         \
    ALLOC(1, make_header(1, TAG_DOUBLE, 0)); \
    set_double_field(block, 0, x_);          \
    accu = block

#define OPERAND(i)      ((intptr_t)pc[i])
#define PRIM_OPERAND(i) ((const struct vm_linked_prim *)pc[i])
#define PUSH_RETURN(at, n)          \
    do {                            \
        sp[n] = (value)(pc + (at)); \
        sp[(n) + 1] = env;          \
        sp[(n) + 2] = extra_args;   \
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

/* Loads and stores of fields, tested: first for the most common blocks, then exactly. */
#define LOAD_FIELD(b, i, leave)                                          \
    do {                                                                 \
        value b_ = (b);                                                  \
        uintptr_t i_ = (i);                                              \
        REQUIRE_OR(has_field_quick(b_, i_) || has_field(b_, i_), leave); \
        accu = field(b_, i_);                                            \
    } while (0)
#define REQUIRE_MUTABLE_FIELD(b, i) \
    REQUIRE_OR(has_mutable_field_quick((b), (i)) || has_mutable_field((b), (i)), RAW_ACCESS())
#define STORE_FIELD(i)                     \
    do {                                   \
        uintptr_t i_ = (i);                \
        REQUIRE_MUTABLE_FIELD(accu, i_);   \
        gc_store(&d->gc, accu, i_, *sp++); \
        accu = VAL_UNIT;                   \
    } while (0)
#define REQUIRE_CLOSURE(v) REQUIRE(!NOT_CLOSURE(v))

#define STRAIGHT2(a, b)       STRAIGHT(a) STRAIGHT(b)
#define STRAIGHT3(a, b, c)    STRAIGHT2(a, b) STRAIGHT(c)
#define STRAIGHT4(a, b, c, d) STRAIGHT2(a, b) STRAIGHT2(c, d)

#define BY_8(row)        row(0) row(1) row(2) row(3) row(4) row(5) row(6) row(7)
#define BY_4(row)        row(0) row(1) row(2) row(3)
#define FROM_1_TO_4(row) row(1) row(2) row(3) row(4)

#endif
