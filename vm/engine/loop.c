/* loop.c - the interpreter loop: one body for each instruction, dispatched by direct threading over
 * decoded code (loop.h).
 *
 * Registers: pc (the instruction being executed), sp, accu (A), env (E), extra_args (X: arguments
 * beyond the first that are on the stack). Everything else lives in the domain. A body that may
 * collect, raise or run OCaml code first saves the loop's registers (SAVE), calls a function, and
 * restores them (RESTORE).
 *
 * The instructions here cannot be part of a fused form (engine.def); bodies.h has the bodies of
 * those that can.
 *
 * Compiled three times: checked (vm/README.md, What checked mode relies on), unchecked, and checked
 * with counters. In checked mode a body checks the kinds of heap values, which the verifier can't
 * know; REQUIRE is empty otherwise. */
#include "vm/engine/loop.h"

#include "vm/code/checks.h"
#include "vm/code/code.h"
#include "vm/code/kinds.h"
#include "vm/code/opcodes.h"
#include "vm/code/prim.h"
#include "vm/engine/effects.h"
#include "vm/engine/native/native.h"
#include "vm/engine/prepare.h"
#include "vm/engine/slow.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/fiber.h"
#include "vm/stack/prim_watch.h"
#include "vm/stack/raise.h"
#include "vm/stack/reexecute.h"
#include "vm/stack/watermarks.h"

#if defined(LOOP_UNCHECKED)
#define LOOP_NAME vm_run_unchecked
#define REQUIRE_OR(condition, leave)
#define NOT_CLOSURE(v)        false
#define ARGUMENTS_OK(prim, n) true
#define HAS_FIELD(v, i)       true
#else
#define REQUIRE_OR(condition, leave) \
    if (UNLIKELY(!(condition))) leave
#define NOT_CLOSURE(v)        (!is_closure_block(v) && !is_closure(v))
#define ARGUMENTS_OK(prim, n) vm_arguments_ok(d, prim, n, accu, sp)
#define HAS_FIELD(v, i)       has_field_quick((v), (i))
#if defined(LOOP_COUNTING)
#define LOOP_NAME vm_run_counting
#else
#define LOOP_NAME vm_run_checked
#endif
#endif

#ifdef LOOP_COUNTING
#define SLOW_ALLOC vm_slow_alloc /* a re-executed instruction would be counted twice */
#define COUNT(op)                                                  \
    if (UNLIKELY((*d->vm->limits.fuel_left)-- == 0) &&             \
        !vm_slow_count(d, op, resume_at(pc), sp, extra_args))      \
        FAIL(out_of_fuel);                                         \
    if (vm_may_store(op) && UNLIKELY(d->vm->options.trace_stores)) \
        vm_slow_trace_store(d, op, resume_at(pc), sp, extra_args); \
    d->vm->op_counts[op]++;
#define COUNT_PRIM(p)  d->vm->prim_counts[(p)-d->vm->prims]++;
#define TRACE_UNWIND() vm_slow_unwind(d, accu)
#else
#define SLOW_ALLOC vm_slow_alloc_or_reexecute
#define COUNT(op)
#define COUNT_PRIM(p)
#define TRACE_UNWIND()
#endif

#define REQUIRE(condition) REQUIRE_OR(condition, FAIL(type_error))

#include "vm/engine/bodies.h"
#include <vm/fixed_operands.inc>

value LOOP_NAME(struct domain *d, enum vm_run_start start, value closure,
                intptr_t first_extra_args) {
    static const void *const labels[ENGINE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) [OP_##name] = &&op_##name,
#include "vm/code/opcodes.def"
#undef OP
#define INTERNAL(name, meaning)                  [ENGINE_##name] = &&in_##name,
#define FORM(name)                               [ENGINE_##name] = &&in_##name,
#define SPECIAL(name, instruction, operand)      [ENGINE_##name] = &&in_##name,
#define INLINED(name, primitive, arity, meaning) [ENGINE_##name] = &&in_##name,
#include "vm/code/engine.def"
    };
    if (start == RUN_LABELS) return (value)labels;

    const uintptr_t *pc = (const uintptr_t *)d->vm->leave_code.address;
    value *sp = d->stack.sp;
    value accu = VAL_UNIT, env = closure;
    const char *const functions_odd = (const char *)d->vm->functions - 16;
    value extra_args = val_of_int(first_extra_args); /* tagged, as frames keep it */

    if (start == RUN_RAISE) goto raise_from_c;
    ENTER(closure);

    /* ---- the stack and the accumulator ---- */
#define ROW(n) STRAIGHT(ACC##n) STRAIGHT(PUSHACC##n)
    BY_8(ROW)
#undef ROW
    STRAIGHT4(ACC, PUSH, PUSHACC, POP)
    STRAIGHT(ASSIGN)
#define ROW(n) STRAIGHT(ENVACC##n) STRAIGHT(PUSHENVACC##n)
    FROM_1_TO_4(ROW)
#undef ROW
    STRAIGHT2(ENVACC, PUSHENVACC)

    /* ---- calls and returns ---- */
    INSTR(PUSH_RETADDR) { /* words: frame word, then a BRANCH to the label: the return point */
        sp -= 3;
        PUSH_RETURN(2, 0);
        NEXT(4);
    }
    INSTR(APPLY) { /* operand: the extra arguments, tagged */
        REQUIRE_CLOSURE(accu);
        extra_args = OPERAND(1);
        ENTER(accu);
    }
    STRAIGHT3(APPLY1, APPLY2, APPLY3)
    INSTR(APPTERM) {
        REQUIRE_CLOSURE(accu);
        intptr_t n = OPERAND(1);
        value *to = sp + pc[2] - n;
        for (intptr_t i = n - 1; i >= 0; i--) to[i] = sp[i];
        sp = to;
        extra_args += 2 * (n - 1);
        ENTER(accu);
    }
    STRAIGHT4(APPTERM1, APPTERM2, APPTERM3, RETURN)
    INSTR(RESTART) {
        intptr_t n = (intptr_t)wosize_of(env) - 3;
        sp -= n;
        for (intptr_t i = 0; i < n; i++) sp[i] = field(env, i + 3);
        env = field(env, 2);
        extra_args += 2 * n;
        NEXT(1);
    }
    /* Operands: twice the number of arguments beyond the first, to compare with the tagged
     * extra_args; the function of the RESTART before it. */
    INSTR(GRAB) {
        if (extra_args > OPERAND(1)) {
            extra_args -= OPERAND(1);
            NEXT(GRAB_WORDS);
        }
        SAVE();
        accu = vm_slow_grab(d, OPERAND(2), int_of_val(extra_args));
        RESTORE();
        sp += int_of_val(extra_args) + 1;
        RETURN_TO_FRAME();
    }

    /* ---- closures ---- */
    INSTR(CLOSURE) {
        intptr_t n = OPERAND(1);
        if (UNLIKELY(n > MAX_YOUNG_WOSIZE - 2)) DO_INSTEAD(LARGE_CLOSURE);
        ALLOC(2 + n, make_header(2 + n, TAG_CLOSURE, 0));
        field(block, 0) = OPERAND(2);
        field(block, 1) = make_closinfo(0, 2);
        if (n > 0) field(block, 2) = accu;
        for (; n > 1; n--) field(block, 1 + n) = sp[n - 2];
        accu = block;
        sp += OPERAND(1) > 0 ? OPERAND(1) - 1 : 0;
        NEXT(3);
    }
    UNCOUNTED(LARGE_CLOSURE) {
        SAVE_ACCU();
        accu = vm_slow_closure(d, pc[1], OPERAND(2), sp + SAVED_WORDS);
        FORGET_ACCU();
        sp += OPERAND(1) - 1;
        NEXT(3);
    }
    INSTR(CLOSUREREC) {
        SAVE_ACCU();
        accu = vm_slow_closurerec(d, pc + 1, sp + SAVED_WORDS);
        FORGET_ACCU();
        sp += OPERAND(2) > 0 ? OPERAND(2) - 1 : 0;
        for (intptr_t i = 0; i < OPERAND(1); i++) PUSH(accu + 24 * i);
        NEXT(3 + OPERAND(1));
    }
#define ROW(name) STRAIGHT(OFFSETCLOSURE##name) STRAIGHT(PUSHOFFSETCLOSURE##name)
    ROW(M3)
    ROW(0)
    ROW(3)
    ROW()
#undef ROW

    /* ---- globals and atoms ---- */
    STRAIGHT4(GETGLOBAL, PUSHGETGLOBAL, GETGLOBALFIELD, PUSHGETGLOBALFIELD)
    INSTR(SETGLOBAL) {
        gc_store(&d->gc, d->vm->global_data, pc[1], accu);
        accu = VAL_UNIT;
        NEXT(2);
    }
    STRAIGHT4(ATOM0, ATOM, PUSHATOM0, PUSHATOM)

    /* ---- blocks; tags are operands as headers ---- */
    STRAIGHT3(MAKEBLOCK1, MAKEBLOCK2, MAKEBLOCK3)
    INSTR(MAKEBLOCK) {
        intptr_t n = OPERAND(1);
        if (UNLIKELY(n > MAX_YOUNG_WOSIZE)) DO_INSTEAD(LARGE_BLOCK);
        ALLOC(n, pc[2]);
        field(block, 0) = accu;
        for (intptr_t i = 1; i < n; i++) field(block, i) = sp[i - 1];
        accu = block;
        sp += n - 1;
        NEXT(3);
    }
    UNCOUNTED(LARGE_BLOCK) {
        SAVE_ACCU();
        accu = vm_slow_make_block(d, pc[1], tag_of_header(pc[2]), sp + SAVED_WORDS);
        FORGET_ACCU();
        sp += OPERAND(1) - 1;
        NEXT(3);
    }
    INSTR(MAKEFLOATBLOCK) {
        REQUIRE(all_doubles(accu, sp, OPERAND(1) - 1));
        SAVE_ACCU();
        value made = vm_slow_make_float_block(d, pc[1], sp + SAVED_WORDS);
        FORGET_ACCU();
        accu = made;
        sp += OPERAND(1) - 1;
        NEXT(2);
    }
#define ROW(n) STRAIGHT(GETFIELD##n) STRAIGHT(SETFIELD##n)
    BY_4(ROW)
#undef ROW
    STRAIGHT4(GETFIELD, SETFIELD, GETFLOATFIELD, SETFLOATFIELD)
    STRAIGHT3(VECTLENGTH, GETVECTITEM, SETVECTITEM)
    STRAIGHT2(GETBYTESCHAR, GETSTRINGCHAR)
    INSTR(SETBYTESCHAR) {
        REQUIRE_OR(has_byte(accu, sp[0]) && is_int(sp[1]), RAW_ACCESS());
        ((unsigned char *)accu)[int_of_val(sp[0])] = (unsigned char)int_of_val(sp[1]);
        sp += 2;
        accu = VAL_UNIT;
        NEXT(1);
    }

    /* ---- branches ---- */
    INSTR(BRANCH) { GOTO(pc[1]); }
    STRAIGHT3(BRANCHIF, BRANCHIFNOT, SWITCH)
    INSTR(BOOLNOT) {
        REQUIRE(is_int(accu));
        accu = VAL_FALSE + VAL_TRUE - accu;
        NEXT(1);
    }

    /* ---- exceptions and polls ---- */
    INSTR(PUSHTRAP) {
        sp -= 4;
        sp[0] = (value)pc[1];
        sp[1] = val_of_int((intptr_t)d->stack.trap);
        sp[2] = env;
        sp[3] = extra_args;
        d->stack.trap = (uintptr_t)(d->stack.high - sp);
        NEXT(2);
    }
    INSTR(POPTRAP) {
        POLL()
        ASSERT(sp == d->stack.high - d->stack.trap); /* S3 */
        d->stack.trap = (uintptr_t)int_of_val(sp[1]);
        sp += 4;
        NEXT(1);
    }
    INSTR(RAISE) {
        RECORD_BACKTRACE(false)
        UNWIND();
    }
    INSTR(RERAISE) {
        RECORD_BACKTRACE(true)
        UNWIND();
    }
    INSTR(RAISE_NOTRACE) {
    unwind:
        TRACE_UNWIND();
        if (d->stack.trap == 0) {
            if (!vm_in_fiber(d)) return exn_result(accu);
            d->stack.sp = sp;
            value handler = vm_fiber_raised(d, accu);
            if (handler != 0) END_FIBER(handler);
        }
        sp = d->stack.high - d->stack.trap;
        ASSERT((uintptr_t)int_of_val(sp[1]) < d->stack.trap); /* S3 */
        if (UNLIKELY(sp > d->stack.lowest_watermark)) {
            d->stack.sp = sp;
            vm_watermarks_unwound(d, sp);
        }
        pc = (const uintptr_t *)sp[0];
        d->stack.trap = (uintptr_t)int_of_val(sp[1]);
        env = sp[2];
        extra_args = sp[3];
        sp += 4;
        NEXT(0);
    }
    STRAIGHT(CHECK_SIGNALS)

    /* ---- primitives: sp[0 .. 2] are the saved registers, the stacked arguments follow ---- */
#define C_CALL(n, body)                                      \
    INSTR(C_CALL##n) {                                       \
        const struct vm_linked_prim *prim = PRIM_OPERAND(1); \
        COUNT_PRIM(prim);                                    \
        SAVE_FOR_PRIMITIVE();                                \
        vm_watch_call(d, prim->row);                         \
        accu = ((prim##n *)prim->function)body;              \
        vm_watch_return(d, accu);                            \
        RESTORE();                                           \
        sp += n - 1;                                         \
        NEXT(2);                                             \
    }
    C_CALL(1, (d, accu))
    C_CALL(2, (d, accu, sp[3]))
    C_CALL(3, (d, accu, sp[3], sp[4]))
    C_CALL(4, (d, accu, sp[3], sp[4], sp[5]))
    C_CALL(5, (d, accu, sp[3], sp[4], sp[5], sp[6]))
#undef C_CALL
    INSTR(C_CALLN) { /* an embedder's primitive: vm/embed/primitives.c checks its arguments */
        intptr_t n = OPERAND(1);
        PUSH(accu);
        COUNT_PRIM(PRIM_OPERAND(2));
        SAVE_FOR_PRIMITIVE();
        vm_watch_call(d, PRIM_OPERAND(2)->row);
        accu = ((primn *)PRIM_OPERAND(2)->function)(d, sp + SAVED_WORDS, (int)n);
        vm_watch_return(d, accu);
        RESTORE();
        sp += n;
        NEXT(3);
    }
#define ROW(n)                                                               \
    UNCOUNTED(C_CALL_TESTED##n) {                                            \
        if (UNLIKELY(!ARGUMENTS_OK(PRIM_OPERAND(1), n))) FAIL(bad_argument); \
        goto op_C_CALL##n;                                                   \
    }
    FROM_1_TO_4(ROW)
    ROW(5)
#undef ROW
#define C_CALL(n, body)                                      \
    INNER(C_CALL_STUB##n) {                                  \
        const struct vm_linked_prim *prim = PRIM_OPERAND(1); \
        COUNT_PRIM(prim);                                    \
        SAVE_FOR_PRIMITIVE();                                \
        accu = ((stub##n *)prim->function)body;              \
        RESTORE();                                           \
        sp += n - 1;                                         \
        NEXT(2);                                             \
    }
    C_CALL(1, (accu))
    C_CALL(2, (accu, sp[3]))
    C_CALL(3, (accu, sp[3], sp[4]))
    C_CALL(4, (accu, sp[3], sp[4], sp[5]))
    C_CALL(5, (accu, sp[3], sp[4], sp[5], sp[6]))
#undef C_CALL
    INNER(C_CALL_STUBN) {
        intptr_t n = OPERAND(1);
        PUSH(accu);
        COUNT_PRIM(PRIM_OPERAND(2));
        SAVE_FOR_PRIMITIVE();
        accu = ((stubn *)PRIM_OPERAND(2)->function)(sp + SAVED_WORDS, (int)n);
        RESTORE();
        sp += n;
        NEXT(3);
    }
    INNER(C_CALL_MISSING) {
        SAVE_FOR_PRIMITIVE();
        vm_slow_missing_primitive(d, PRIM_OPERAND(1));
    }

    /* ---- integers ---- */
#define ROW(n) STRAIGHT(CONST##n) STRAIGHT(PUSHCONST##n)
    BY_4(ROW)
#undef ROW
    STRAIGHT2(CONSTINT, PUSHCONSTINT)
    INSTR(NEGINT) {
        REQUIRE(is_int(accu));
        accu = 2 - accu;
        NEXT(1);
    }
    STRAIGHT4(ADDINT, SUBINT, MULINT, ANDINT)
    STRAIGHT4(ORINT, XORINT, LSLINT, LSRINT)
    STRAIGHT(ASRINT)
    INSTR(DIVINT) {
        REQUIRE(both_ints(accu, sp[0]));
        intptr_t divisor = int_of_val(*sp);
        if (divisor == 0) FAIL(zero_divide);
        sp++;
        accu = val_of_int(divisor == -1 ? -int_of_val(accu) : int_of_val(accu) / divisor);
        NEXT(1);
    }
    INSTR(MODINT) {
        REQUIRE(both_ints(accu, sp[0]));
        intptr_t divisor = int_of_val(*sp);
        if (divisor == 0) FAIL(zero_divide);
        sp++;
        accu = val_of_int(divisor == -1 ? 0 : int_of_val(accu) % divisor);
        NEXT(1);
    }
    STRAIGHT2(OFFSETINT, OFFSETREF)
    INSTR(ISINT) {
        accu = val_of_bool(is_int(accu));
        NEXT(1);
    }
    STRAIGHT4(EQ, NEQ, LTINT, LEINT)
    STRAIGHT4(GTINT, GEINT, ULTINT, UGEINT)
    STRAIGHT4(BEQ, BNEQ, BLTINT, BLEINT)
    STRAIGHT4(BGTINT, BGEINT, BULTINT, BUGEINT)

    /* ---- objects ---- */
    INSTR(GETMETHOD) {
        REQUIRE(has_field(sp[0], 0) && is_int(accu) &&
                has_field(field(sp[0], 0), int_of_val(accu)));
        accu = field(field(sp[0], 0), int_of_val(accu));
        NEXT(1);
    }
    INSTR(GETPUBMET) { /* operands: the tag; its index in the last object's method table */
        value table = HAS_FIELD(accu, 0) ? field(accu, 0) : VAL_UNIT;
        if (HAS_FIELD(table, pc[2]) && pc[2] <= (uintptr_t)field(table, 0) &&
            field(table, pc[2]) == OPERAND(1)) {
            PUSH(accu);
            accu = field(table, pc[2] - 1);
            NEXT(3);
        }
        value method = vm_slow_public_method(accu, OPERAND(1), (uintptr_t *)&pc[2]);
        if (UNLIKELY(method == 0)) FAIL(type_error);
        PUSH(accu);
        accu = method;
        NEXT(3);
    }
    INSTR(GETDYNMET) {
        value method = vm_slow_public_method(sp[0], accu, NULL);
        if (UNLIKELY(method == 0)) FAIL(type_error);
        accu = method;
        NEXT(1);
    }

    /* ---- effects (vm/stack/fiber.h) ---- */
    INSTR(PERFORM) { /* operands: the continuation's header, what vm_fiber_perform stores in
                      * its second field, the frame word */
        if (UNLIKELY(!vm_fiber_fits(d, sp))) {
            if (!vm_in_fiber(d)) FAIL(unhandled);
            SAVE_ACCU();
            vm_fiber_reserve(d);
            RESTORE_ACCU();
        }
        ALLOC(wosize_of_header(pc[1]), pc[1]);
        sp -= 3;
        PUSH_RETURN(4, 0);
        d->stack.sp = sp;
        accu = vm_fiber_perform(d, accu, block, pc);
        CALL_HANDLER();
    }
    INSTR(RESUME) { /* operands: the number of its arguments, the frame word */
        value function = sp[0], argument = sp[1], *outside = sp + pc[1] - 3;
        if (NOT_CLOSURE(function)) FAIL(not_resumable);
        RESUME_FIBER(outside, val_of_int(0));
        outside[0] = (value)(pc + 3), outside[1] = env, outside[2] = extra_args;
        sp = d->stack.sp;
        PUSH(argument);
        accu = function;
        ENTER_WITH(accu, 1);
    }
    INSTR(RESUMETERM) {
        value function = sp[0], argument = sp[1];
        if (NOT_CLOSURE(function)) FAIL(not_resumable);
        RESUME_FIBER(sp + pc[1], extra_args);
        sp = d->stack.sp;
        PUSH(argument);
        accu = function;
        ENTER_WITH(accu, 1);
    }
    INSTR(REPERFORMTERM) {
        SAVE();
        accu = vm_effect_reperform(d, accu, pc[1]);
        CALL_HANDLER();
    }
    INNER(FIBER_RETURNED) { /* the boundary's return frame is popped */
        d->stack.sp = sp - 3;
        value handler = vm_fiber_returned(d, accu);
        if (handler != 0) END_FIBER(handler);
        sp = d->stack.sp;
        RETURN_TO_FRAME();
    }

    /* ---- the end ---- */
    INSTR(STOP) { LEAVE_LOOP(); }
    INNER(LEAVE) { LEAVE_LOOP(); }

    /* ---- internal instructions ---- */
    INNER(PREPARE) {
        SAVE();
        vm_slow_prepare(d, CALLEE(env));
        RESTORE();
        accu = env; /* as at every entry: dead, but a later allocation may keep it */
        GOTO(CALLEE(env)->entry);
    }
    INNER(NEXT_PIECE) { GOTO(vm_next_piece(d)); }
    INNER(NO_CODE) { /* function 0: closures of Obj.new_block, or of a let rec not yet filled in */
        FAIL(type_error);
    }
    INNER(WATERMARK) { /* the return frame is popped: push it again while the watermark moves */
        sp -= 3;
        struct vm_resume return_to = vm_watermark_returned(d, sp);
        sp += 3;
        GOTO(return_to.address);
    }
    INNER(ENTER_TRACED) { /* E: the closure; on the stack: its function's index, the argument */
        const struct vm_function *callee = &d->vm->functions[int_of_val(*sp++)];
        if (callee->decoded == 0) {
            SAVE();
            vm_slow_prepare(d, callee);
            RESTORE();
        }
        if (NEEDS_SLOW_ENTRY(callee)) {
            SAVE();
            vm_slow_enter(d, callee);
            RESTORE();
        }
        GOTO(callee->entry);
    }

    INNER(NEXT_CALL) { /* E holds the batch of pending calls */
        d->stack.sp = sp;
        value end = vm_slow_next_call(d, env, accu);
        if (end == 0) CALL_BEGUN();
        return end;
    }
    INNER(REEXECUTE_ENDED) { /* E is the instruction's A; sp: the call's trap frame */
        const struct vm_profiler *profiler = &d->vm->profiler;
        d->accu = env;
        d->stack.sp = sp;
        profiler->reexecute_ended(profiler->state, d, accu);
        RESTORE_ACCU();
        pc = (const uintptr_t *)sp[1 - SAVED_WORDS];
        extra_args = sp[2 - SAVED_WORDS];
        NEXT(0);
    }
    INNER(REEXECUTE_FAILED) { /* the trap frame was popped */
        sp -= 4;
        sp[1] = val_of_int((intptr_t)d->stack.trap), sp[2] = env, sp[3] = extra_args;
        d->stack.sp = sp;
        vm_slow_reexecute_failed(d, accu);
    }

    INNER(HOT) { /* operand: counts down to compilation; of the next two: machine code's address */
        uintptr_t *words = (uintptr_t *)pc;
        if (--words[1] != 0) NEXT(2);
        vm_native_compile(d->vm, words, env);
        NEXT(0);
    }
    INNER(NATIVE) {
        struct vm_native_state at = {sp, accu, env, extra_args, pc};
        if (extra_args != val_of_int(0) && !vm_native_spread(d, &at)) NEXT(2);
        vm_native_run(d, pc[1], &at);
        CONTINUE_FROM(at);
    }
    INNER(NATIVE_LOOP) {
        if (extra_args != val_of_int(0)) NEXT(2);
        struct vm_native_state at = {sp, accu, env, extra_args, pc};
        vm_native_run(d, pc[1], &at);
        CONTINUE_FROM(at);
    }
    INNER(COLD) { NEXT(2); }
    INNER(NOT_APPLICABLE) {
        extra_args = (value)pc[1];
        FAIL(not_applicable);
    }
    INNER(NATIVE_RETURN) {
        struct vm_native_state at = {sp, accu, env, extra_args, pc};
        vm_native_run(d, pc[-2], &at);
        CONTINUE_FROM(at);
    }
    INNER(ENTERED) {
        if (d->vm->function_ids.last_caller[pc[1]] != d->function_id) {
            SAVE();
            vm_slow_entered(d, (uint32_t)pc[1]);
            RESTORE();
        }
        d->function_id = (uint32_t)pc[1];
        NEXT(2);
    }
    INNER(RESUMED) {
        d->function_id = (uint32_t)pc[1];
        NEXT(2);
    }

    /* ---- fused forms and inlined primitives ---- */
#define FUSED2(a, b) \
    INNER(a##__##b) { DO_##a DO_##b NEXT(0); }
#define FUSED3(a, b, c) \
    INNER(a##__##b##__##c) { DO_##a DO_##b DO_##c NEXT(0); }
#define FUSED4(a, b, c, e) \
    INNER(a##__##b##__##c##__##e) { DO_##a DO_##b DO_##c DO_##e NEXT(0); }
#define CALL2(a, b) \
    INNER(a##__##b) { DO_HOLD_##a DO_HELD_##b NEXT(0); }
#define CALL3(a, b, c) \
    INNER(a##__##b##__##c) { DO_##a DO_HOLD_##b DO_HELD_##c NEXT(0); }
#define CALL4(a, b, c, e) \
    INNER(a##__##b##__##c##__##e) { DO_##a DO_##b DO_HOLD_##c DO_HELD_##e NEXT(0); }
#define SPECIAL(name, instruction, operand)      STRAIGHT_INNER(name)
#define INLINED(name, primitive, arity, meaning) STRAIGHT_INNER(name)
#include "vm/code/engine.def"

    /* Floats in flat arrays, for the primitives that take arrays of any kind. */
    UNCOUNTED(FLOAT_ARRAY_GET) {
        if (!float_array_has_item(accu, sp[0])) CALL_INSTEAD(2);
        DO_FLOATARRAY_GET
        NEXT(0);
    }
    UNCOUNTED(FLOAT_ARRAY_SET) {
        if (!float_array_has_item(accu, sp[0]) || !is_double(sp[1])) CALL_INSTEAD(3);
        DO_FLOATARRAY_SET
        NEXT(0);
    }

    /* ---- slow exits shared by the bodies ---- */
apply_result: /* applies a function's result to the arguments that it did not take */
    sp += pc[1];
    if (UNLIKELY(NOT_CLOSURE(accu))) FAIL(not_applicable);
    extra_args -= 2;
enter_env:
    ENTER(accu);
slow_enter:
    SAVE();
    vm_slow_enter(d, CALLEE(env));
    RESTORE();
    accu = env; /* as at every entry: dead, but a later allocation may keep it */
    GOTO(CALLEE(env)->entry);
call_handler: /* A is a fiber's handler; on the stack: extra_args, then its arguments */
    sp = d->stack.sp;
    extra_args = *sp++;
    ENTER(accu);
call_begun: /* the call's return frame and argument are pushed; its function is d->accu */
    sp = d->stack.sp;
    accu = d->accu;
    d->accu = VAL_UNIT;
    ENTER_WITH(accu, 1);
#if !defined(LOOP_UNCHECKED)
raw_access: /* the instruction expects a block of another kind */
    SAVE_ACCU();
    pc += vm_slow_raw_access(d);
    RESTORE_ACCU();
    NEXT(0);
#endif
zero_divide:
    SAVE();
    vm_backtrace_note_division(d);
    vm_raise_zero_divide(d);
type_error:
    SAVE();
    vm_slow_type_error(d);
not_applicable: /* a function's result; sp is at the arguments that it did not take */
    SAVE();
    vm_slow_not_applicable(d);
not_resumable: /* the function to run in the fiber of handle A is not a closure */
    SAVE();
    vm_effect_refuse(d, accu);
unhandled:
    SAVE();
    vm_raise_unhandled(d, accu);
#if defined(LOOP_COUNTING)
out_of_fuel:
    SAVE();
    vm_slow_out_of_fuel(d);
#endif
bad_argument: /* the primitive expects a value of another kind */
    SAVE_ACCU();
    vm_slow_convert_arguments(d, PRIM_OPERAND(1));
    RESTORE_ACCU();
    switch (PRIM_OPERAND(1)->arity) {
#define ROW(n) \
    case n: goto op_C_CALL##n;
        FROM_1_TO_4(ROW)
#undef ROW
    default: goto op_C_CALL5;
    }
raise_from_c: /* RUN_RAISE: C code raised d->exn; the registers saved for it are dropped */
    sp = d->stack.sp;
    accu = d->exn;
    d->exn = VAL_UNIT;
    if (d->backtrace_active) {
        d->accu = accu;
        vm_slow_record_backtrace(d, false);
        accu = d->accu;
    }
    UNWIND();

    /* ---- what a debugger puts in place of other instructions (vm/engine/patches.h) ---- */
#if defined(LOOP_COUNTING)
#define PATCH(name, slow)     \
    INSTR(name) {             \
        SAVE_ACCU();          \
        void *body = slow(d); \
        RESTORE_ACCU();       \
        goto *body;           \
    }
    PATCH(EVENT, vm_slow_event)
    PATCH(BREAK, vm_slow_break)
#undef PATCH
#else
    INSTR(EVENT)
    INSTR(BREAK)
#endif
    INNER(IMPOSSIBLE) { __builtin_trap(); }
}
