/* interp.c - the loop: one body for each instruction, direct-threaded over decoded code (engine.h).
 *
 * Registers: pc (the instruction being executed), sp, accu (A), env (E), extra_args (X: arguments
 * beyond the first that are on the stack). Everything else lives in the domain. A body that may
 * collect, raise or run OCaml code first leaves the loop's state behind (SAVE), calls a function,
 * and takes it up again (RESTORE).
 *
 * Compiled three times: checked (robustness of D10), unchecked, and checked with counters. In
 * checked mode a body tests what the verifier can't know, the kinds of heap values; REQUIRE is
 * empty otherwise. */
#include "vm/engine.h"

#include "vm/checks.h"
#include "vm/kinds.h"

#if defined(LOOP_UNCHECKED)
#define LOOP_NAME vm_run_unchecked
#define REQUIRE(condition)
#define CHECK_ARGUMENTS(prim, last)
#else
#define REQUIRE(condition) \
    if (__builtin_expect(!(condition), 0)) goto type_error
#define CHECK_ARGUMENTS(prim, last) \
    if (__builtin_expect(!vm_arguments_ok(d, prim, accu, sp), 0)) goto bad_argument
#if defined(LOOP_COUNTING)
#define LOOP_NAME vm_run_counting
#else
#define LOOP_NAME vm_run_checked
#endif
#endif

#ifdef LOOP_COUNTING
#define COUNT(op)     d->vm->op_counts[op]++;
#define COUNT_PRIM(p) d->vm->prim_counts[(p)-d->vm->prims]++;
#else
#define COUNT(op)
#define COUNT_PRIM(p)
#endif

#include "vm/loop_macros.h"

value LOOP_NAME(struct domain *d, enum vm_run_start start, value closure,
                intptr_t first_extra_args) {
    static const void *const labels[ENGINE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) [OP_##name] = &&op_##name,
#include "vm/opcodes.def"
#undef OP
#define INTERNAL(name, meaning)                  [ENGINE_##name] = &&in_##name,
#define FUSED(name, first, second, meaning)      [ENGINE_##name] = &&in_##name,
#define INLINED(name, primitive, arity, meaning) [ENGINE_##name] = &&in_##name,
#include "vm/engine.def"
#undef INTERNAL
#undef FUSED
#undef INLINED
    };
    if (start == RUN_LABELS) return (value)labels;

    const uintptr_t *pc = d->vm->leave_code;
    value *sp = d->sp;
    value accu = VAL_UNIT, env = closure;
    const struct vm_function *const functions = d->vm->functions, *callee;
    intptr_t extra_args = first_extra_args;

    if (start == RUN_RAISE) goto raise_from_c;
    ENTER(closure);

    /* ---- the stack and the accumulator ---- */
#define ROW(n)          \
    INSTR(ACC##n) {     \
        accu = sp[n];   \
        NEXT(1);        \
    }                   \
    INSTR(PUSHACC##n) { \
        PUSH(accu);     \
        accu = sp[n];   \
        NEXT(1);        \
    }
    BY_8(ROW)
#undef ROW
    INSTR(ACC) {
        accu = sp[pc[1]];
        NEXT(2);
    }
    INSTR(PUSH) {
        PUSH(accu);
        NEXT(1);
    }
    INSTR(PUSHACC) {
        PUSH(accu);
        accu = sp[pc[1]];
        NEXT(2);
    }
    INSTR(POP) {
        sp += pc[1];
        NEXT(2);
    }
    INSTR(ASSIGN) {
        sp[pc[1]] = accu;
        accu = VAL_UNIT;
        NEXT(2);
    }
#define ROW(n)                \
    INSTR(ENVACC##n) {        \
        accu = field(env, n); \
        NEXT(1);              \
    }                         \
    INSTR(PUSHENVACC##n) {    \
        PUSH(accu);           \
        accu = field(env, n); \
        NEXT(1);              \
    }
    FROM_1_TO_4(ROW)
#undef ROW
    INSTR(ENVACC) {
        accu = field(env, OPERAND(1));
        NEXT(2);
    }
    INSTR(PUSHENVACC) {
        PUSH(accu);
        accu = field(env, OPERAND(1));
        NEXT(2);
    }

    /* ---- calls and returns ---- */
    INSTR(PUSH_RETADDR) { /* words: frame word, then a BRANCH to the label: the return point */
        sp -= 3;
        PUSH_RETURN(2, 0);
        NEXT(4);
    }
    INSTR(APPLY) {
        REQUIRE(is_closure(accu));
        extra_args = OPERAND(1) - 1;
        ENTER(accu);
    }
    INSTR(APPLY1) {
        REQUIRE(is_closure(accu));
        value a = sp[0];
        sp -= 3;
        sp[0] = a;
        PUSH_RETURN(2, 1);
        extra_args = 0;
        ENTER(accu);
    }
    INSTR(APPLY2) {
        REQUIRE(is_closure(accu));
        value a = sp[0], b = sp[1];
        sp -= 3;
        sp[0] = a, sp[1] = b;
        PUSH_RETURN(2, 2);
        extra_args = 1;
        ENTER(accu);
    }
    INSTR(APPLY3) {
        REQUIRE(is_closure(accu));
        value a = sp[0], b = sp[1], c = sp[2];
        sp -= 3;
        sp[0] = a, sp[1] = b, sp[2] = c;
        PUSH_RETURN(2, 3);
        extra_args = 2;
        ENTER(accu);
    }
    INSTR(APPTERM) {
        REQUIRE(is_closure(accu));
        intptr_t n = OPERAND(1);
        value *to = sp + pc[2] - n;
        for (intptr_t i = n - 1; i >= 0; i--) to[i] = sp[i];
        sp = to;
        extra_args += n - 1;
        ENTER(accu);
    }
    INSTR(APPTERM1) {
        REQUIRE(is_closure(accu));
        value a = sp[0];
        sp += OPERAND(1) - 1;
        sp[0] = a;
        ENTER(accu);
    }
    INSTR(APPTERM2) {
        REQUIRE(is_closure(accu));
        value a = sp[0], b = sp[1];
        sp += OPERAND(1) - 2;
        sp[0] = a, sp[1] = b;
        extra_args += 1;
        ENTER(accu);
    }
    INSTR(APPTERM3) {
        REQUIRE(is_closure(accu));
        value a = sp[0], b = sp[1], c = sp[2];
        sp += OPERAND(1) - 3;
        sp[0] = a, sp[1] = b, sp[2] = c;
        extra_args += 2;
        ENTER(accu);
    }
    INSTR(RETURN) {
        if (extra_args > 0) {
            REQUIRE(is_closure(accu));
            sp += pc[1];
            extra_args--;
            ENTER(accu);
        }
        sp += pc[1];
    return_to_frame:
        pc = (const uintptr_t *)sp[0];
        env = sp[1];
        extra_args = int_of_val(sp[2]);
        sp += 3;
        NEXT(0);
    }
    INSTR(RESTART) {
        intptr_t n = (intptr_t)wosize_of(env) - 3;
        sp -= n;
        for (intptr_t i = 0; i < n; i++) sp[i] = field(env, i + 3);
        env = field(env, 2);
        extra_args += n;
        NEXT(1);
    }
    INSTR(GRAB) {
        if (extra_args >= OPERAND(1)) {
            extra_args -= OPERAND(1);
            NEXT(3);
        }
        SAVE();
        accu = vm_slow_grab(d, OPERAND(2), extra_args);
        RESTORE();
        sp += extra_args + 1;
        goto return_to_frame;
    }

    /* ---- closures ---- */
    INSTR(CLOSURE) {
        intptr_t n = OPERAND(1);
        if (__builtin_expect(n > MAX_YOUNG_WOSIZE - 2, 0)) goto in_LARGE_CLOSURE;
        ALLOC(2 + n, make_header(2 + n, TAG_CLOSURE, 0));
        field(block, 0) = OPERAND(2);
        field(block, 1) = make_closinfo(0, 2);
        if (n > 0) field(block, 2) = accu;
        for (; n > 1; n--) field(block, 1 + n) = sp[n - 2];
        accu = block;
        sp += OPERAND(1) > 0 ? OPERAND(1) - 1 : 0;
        NEXT(3);
    }
    INNER(LARGE_CLOSURE) {
        SAVE_ACCU();
        accu = vm_slow_closure(d, pc[1], OPERAND(2), sp + STOPPED_WORDS);
        FORGET_ACCU();
        sp += OPERAND(1) - 1;
        NEXT(3);
    }
    INSTR(CLOSUREREC) {
        SAVE_ACCU();
        accu = vm_slow_closurerec(d, pc + 1, sp + STOPPED_WORDS);
        FORGET_ACCU();
        sp += OPERAND(2) > 0 ? OPERAND(2) - 1 : 0;
        for (intptr_t i = 0; i < OPERAND(1); i++) PUSH(accu + 24 * i);
        NEXT(3 + OPERAND(1));
    }
#define CLOSURE_AT(name, offset, words) \
    INSTR(OFFSETCLOSURE##name) {        \
        accu = env + 8 * (offset);      \
        NEXT(words);                    \
    }                                   \
    INSTR(PUSHOFFSETCLOSURE##name) {    \
        PUSH(accu);                     \
        accu = env + 8 * (offset);      \
        NEXT(words);                    \
    }
    CLOSURE_AT(M3, -3, 1)
    CLOSURE_AT(0, 0, 1)
    CLOSURE_AT(3, 3, 1)
    CLOSURE_AT(, OPERAND(1), 2)
#undef CLOSURE_AT

    /* ---- globals and atoms ---- */
    INSTR(PUSHGETGLOBAL) {
        PUSH(accu);
        accu = field(d->vm->global_data, pc[1]);
        NEXT(2);
    }
    INSTR(GETGLOBAL) {
        accu = field(d->vm->global_data, pc[1]);
        NEXT(2);
    }
    INSTR(PUSHGETGLOBALFIELD) {
        value pushed = accu;
        LOAD_FIELD(field(d->vm->global_data, pc[1]), pc[2]);
        PUSH(pushed);
        NEXT(3);
    }
    INSTR(GETGLOBALFIELD) {
        LOAD_FIELD(field(d->vm->global_data, pc[1]), pc[2]);
        NEXT(3);
    }
    INSTR(SETGLOBAL) {
        gc_store(&d->gc, d->vm->global_data, pc[1], accu);
        accu = VAL_UNIT;
        NEXT(2);
    }
    INSTR(PUSHATOM0) {
        PUSH(accu);
        accu = gc_atom(&d->gc, 0);
        NEXT(1);
    }
    INSTR(ATOM0) {
        accu = gc_atom(&d->gc, 0);
        NEXT(1);
    }
    INSTR(PUSHATOM) {
        PUSH(accu);
        accu = gc_atom(&d->gc, pc[1]);
        NEXT(2);
    }
    INSTR(ATOM) {
        accu = gc_atom(&d->gc, pc[1]);
        NEXT(2);
    }

    /* ---- blocks; tags are operands as headers ---- */
    INSTR(MAKEBLOCK1) {
        ALLOC(1, pc[1]);
        field(block, 0) = accu;
        accu = block;
        NEXT(2);
    }
    INSTR(MAKEBLOCK2) {
        ALLOC(2, pc[1]);
        field(block, 0) = accu;
        field(block, 1) = sp[0];
        sp += 1;
        accu = block;
        NEXT(2);
    }
    INSTR(MAKEBLOCK3) {
        ALLOC(3, pc[1]);
        field(block, 0) = accu;
        field(block, 1) = sp[0];
        field(block, 2) = sp[1];
        sp += 2;
        accu = block;
        NEXT(2);
    }
    INSTR(MAKEBLOCK) {
        intptr_t n = OPERAND(1);
        if (__builtin_expect(n > MAX_YOUNG_WOSIZE, 0)) goto in_LARGE_BLOCK;
        ALLOC(n, pc[2]);
        field(block, 0) = accu;
        for (intptr_t i = 1; i < n; i++) field(block, i) = sp[i - 1];
        accu = block;
        sp += n - 1;
        NEXT(3);
    }
    INNER(LARGE_BLOCK) {
        SAVE_ACCU();
        accu = vm_slow_make_block(d, pc[1], tag_of_header(pc[2]), sp + STOPPED_WORDS);
        FORGET_ACCU();
        sp += OPERAND(1) - 1;
        NEXT(3);
    }
    INSTR(MAKEFLOATBLOCK) {
        REQUIRE(all_doubles(accu, sp, OPERAND(1) - 1));
        SAVE_ACCU();
        value made = vm_slow_make_float_block(d, pc[1], sp + STOPPED_WORDS);
        FORGET_ACCU();
        accu = made;
        sp += OPERAND(1) - 1;
        NEXT(2);
    }
#define ROW(n)               \
    INSTR(GETFIELD##n) {     \
        LOAD_FIELD(accu, n); \
        NEXT(1);             \
    }                        \
    INSTR(SETFIELD##n) {     \
        STORE_FIELD(n);      \
        NEXT(1);             \
    }
    BY_4(ROW)
#undef ROW
    INSTR(GETFIELD) {
        LOAD_FIELD(accu, pc[1]);
        NEXT(2);
    }
    INSTR(SETFIELD) {
        STORE_FIELD(pc[1]);
        NEXT(2);
    }
    INSTR(GETFLOATFIELD) {
        REQUIRE(has_double(accu, pc[1]));
        ALLOC_DOUBLE(double_field(accu, pc[1]));
        NEXT(2);
    }
    INSTR(SETFLOATFIELD) {
        REQUIRE(has_double(accu, pc[1]) && is_double(sp[0]));
        set_double_field(accu, pc[1], double_of_val(*sp++));
        accu = VAL_UNIT;
        NEXT(2);
    }
    INSTR(VECTLENGTH) {
        REQUIRE(is_block(accu));
        accu = val_of_int((intptr_t)wosize_of(accu));
        NEXT(1);
    }
    INSTR(GETVECTITEM) {
        REQUIRE(is_int(sp[0]));
        LOAD_FIELD(accu, (uintptr_t)int_of_val(*sp));
        sp++;
        NEXT(1);
    }
    INSTR(SETVECTITEM) {
        REQUIRE(is_int(sp[0]) && has_mutable_field(accu, (uintptr_t)int_of_val(sp[0])));
        gc_store(&d->gc, accu, (size_t)int_of_val(sp[0]), sp[1]);
        sp += 2;
        accu = VAL_UNIT;
        NEXT(1);
    }
    INSTR(GETSTRINGCHAR)
    INSTR(GETBYTESCHAR) {
        REQUIRE(has_byte(accu, sp[0]));
        accu = val_of_int(((unsigned char *)accu)[int_of_val(*sp++)]);
        NEXT(1);
    }
    INSTR(SETBYTESCHAR) {
        REQUIRE(has_byte(accu, sp[0]) && is_int(sp[1]));
        ((unsigned char *)accu)[int_of_val(sp[0])] = (unsigned char)int_of_val(sp[1]);
        sp += 2;
        accu = VAL_UNIT;
        NEXT(1);
    }

    /* ---- branches ---- */
    INSTR(BRANCH) { GOTO(pc[1]); }
    INSTR(BRANCHIF) {
        if (accu != VAL_FALSE) GOTO(pc[1]);
        NEXT(2);
    }
    INSTR(BRANCHIFNOT) {
        if (accu == VAL_FALSE) GOTO(pc[1]);
        NEXT(2);
    }
    INSTR(SWITCH) { /* words: constants, tags, then the labels */
        if (is_int(accu)) {
            REQUIRE((uintptr_t)int_of_val(accu) < pc[1]);
            GOTO(pc[3 + int_of_val(accu)]);
        }
        REQUIRE(tag_of(accu) < pc[2]);
        GOTO(pc[3 + pc[1] + tag_of(accu)]);
    }
    INSTR(BOOLNOT) {
        REQUIRE(is_int(accu));
        accu = VAL_FALSE + VAL_TRUE - accu;
        NEXT(1);
    }

    /* ---- exceptions and polls ---- */
    INSTR(PUSHTRAP) {
        sp -= 4;
        sp[0] = (value)pc[1];
        sp[1] = val_of_int((intptr_t)d->trap);
        sp[2] = env;
        sp[3] = val_of_int(extra_args);
        d->trap = (uintptr_t)(d->stack_high - sp);
        NEXT(2);
    }
    INSTR(POPTRAP) {
        if (__builtin_expect(d->gc.action_requested, 0)) {
            SAVE_ACCU();
            vm_slow_poll(d);
            RESTORE_ACCU();
        }
        d->trap = (uintptr_t)int_of_val(sp[1]);
        sp += 4;
        NEXT(1);
    }
    INSTR(RAISE) {
        if (__builtin_expect(d->backtrace_active, 0)) {
            SAVE_ACCU();
            vm_slow_record_backtrace(d, false);
            RESTORE_ACCU();
        }
        goto unwind;
    }
    INSTR(RERAISE) {
        if (__builtin_expect(d->backtrace_active, 0)) {
            SAVE_ACCU();
            vm_slow_record_backtrace(d, true);
            RESTORE_ACCU();
        }
        goto unwind;
    }
    INSTR(RAISE_NOTRACE) {
    unwind:
        if (d->trap == 0) return exn_result(accu);
        sp = d->stack_high - d->trap;
        if (__builtin_expect(sp > d->lowest_mark, 0)) vm_marks_unwound(d, sp);
        pc = (const uintptr_t *)sp[0];
        d->trap = (uintptr_t)int_of_val(sp[1]);
        env = sp[2];
        extra_args = int_of_val(sp[3]);
        sp += 4;
        NEXT(0);
    }
    INSTR(CHECK_SIGNALS) {
        if (__builtin_expect(d->gc.action_requested, 0)) {
            SAVE_ACCU();
            vm_slow_poll(d);
            RESTORE_ACCU();
        }
        NEXT(1);
    }

    /* ---- primitives; the frame stands below the arguments that are on the stack ---- */
#define C_CALL(n, body)                                      \
    INSTR(C_CALL##n) {                                       \
        const struct vm_linked_prim *prim = PRIM_OPERAND(1); \
        CHECK_ARGUMENTS(prim, n);                            \
        COUNT_PRIM(prim);                                    \
        SAVE();                                              \
        accu = ((prim##n *)prim->function)body;              \
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
    INSTR(C_CALLN) {
        intptr_t n = OPERAND(1);
        PUSH(accu);
        SAVE();
        accu = ((primn *)PRIM_OPERAND(2)->function)(d, sp + STOPPED_WORDS, (int)n);
        RESTORE();
        sp += n;
        NEXT(3);
    }
#define C_CALL(n, body)                                    \
    INNER(C_CALL_STUB##n) {                                \
        SAVE();                                            \
        accu = ((stub##n *)PRIM_OPERAND(1)->function)body; \
        RESTORE();                                         \
        sp += n - 1;                                       \
        NEXT(2);                                           \
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
        SAVE();
        accu = ((stubn *)PRIM_OPERAND(2)->function)(sp + STOPPED_WORDS, (int)n);
        RESTORE();
        sp += n;
        NEXT(3);
    }
    INNER(C_CALL_MISSING) {
        SAVE();
        vm_slow_missing_primitive(d, PRIM_OPERAND(1));
    }

    /* ---- integers ---- */
#define ROW(n)                \
    INSTR(CONST##n) {         \
        accu = val_of_int(n); \
        NEXT(1);              \
    }                         \
    INSTR(PUSHCONST##n) {     \
        PUSH(accu);           \
        accu = val_of_int(n); \
        NEXT(1);              \
    }
    BY_4(ROW)
#undef ROW
    INSTR(CONSTINT) {
        accu = OPERAND(1);
        NEXT(2);
    }
    INSTR(PUSHCONSTINT) {
        PUSH(accu);
        accu = OPERAND(1);
        NEXT(2);
    }
    INSTR(NEGINT) {
        REQUIRE(is_int(accu));
        accu = 2 - accu;
        NEXT(1);
    }
    INT_BINARY(ADDINT, a + b - 1)
    INT_BINARY(SUBINT, a - b + 1)
    INT_BINARY(MULINT, (a - 1) * (b >> 1) + 1)
    INT_BINARY(ANDINT, a & b)
    INT_BINARY(ORINT, a | b)
    INT_BINARY(XORINT, (a ^ b) | 1)
    INT_BINARY(LSLINT, ((a - 1) << ((b >> 1) & 63)) + 1)
    INT_BINARY(LSRINT, (value)((uintptr_t)a >> ((b >> 1) & 63)) | 1)
    INT_BINARY(ASRINT, (a >> ((b >> 1) & 63)) | 1)
    INSTR(DIVINT) {
        REQUIRE(both_ints(accu, sp[0]));
        intptr_t divisor = int_of_val(*sp);
        if (divisor == 0) goto zero_divide;
        sp++;
        accu = val_of_int(divisor == -1 ? -int_of_val(accu) : int_of_val(accu) / divisor);
        NEXT(1);
    }
    INSTR(MODINT) {
        REQUIRE(both_ints(accu, sp[0]));
        intptr_t divisor = int_of_val(*sp);
        if (divisor == 0) goto zero_divide;
        sp++;
        accu = val_of_int(divisor == -1 ? 0 : int_of_val(accu) % divisor);
        NEXT(1);
    }
    INSTR(OFFSETINT) { /* operand: twice the integer */
        REQUIRE(is_int(accu));
        accu += OPERAND(1);
        NEXT(2);
    }
    INSTR(OFFSETREF) {
        REQUIRE(has_mutable_field(accu, 0) && is_int(field(accu, 0)));
        field(accu, 0) += OPERAND(1);
        accu = VAL_UNIT;
        NEXT(2);
    }
    INSTR(ISINT) {
        accu = val_of_bool(is_int(accu));
        NEXT(1);
    }
    COMPARE_BINARY(EQ, a == b)
    COMPARE_BINARY(NEQ, a != b)
    COMPARE_BINARY(LTINT, a < b)
    COMPARE_BINARY(LEINT, a <= b)
    COMPARE_BINARY(GTINT, a > b)
    COMPARE_BINARY(GEINT, a >= b)
    COMPARE_BINARY(ULTINT, (uintptr_t)a < (uintptr_t)b)
    COMPARE_BINARY(UGEINT, (uintptr_t)a >= (uintptr_t)b)
    COMPARE_BRANCH(BEQ, a == b)
    COMPARE_BRANCH(BNEQ, a != b)
    COMPARE_BRANCH(BLTINT, a < b)
    COMPARE_BRANCH(BLEINT, a <= b)
    COMPARE_BRANCH(BGTINT, a > b)
    COMPARE_BRANCH(BGEINT, a >= b)
    COMPARE_BRANCH(BULTINT, (uintptr_t)a < (uintptr_t)b)
    COMPARE_BRANCH(BUGEINT, (uintptr_t)a >= (uintptr_t)b)

    /* ---- objects ---- */
    INSTR(GETMETHOD) {
        REQUIRE(has_field(sp[0], 0) && is_int(accu) &&
                has_field(field(sp[0], 0), int_of_val(accu)));
        accu = field(field(sp[0], 0), int_of_val(accu));
        NEXT(1);
    }
    INSTR(GETPUBMET) {
        value method = vm_slow_public_method(accu, OPERAND(1), (uintptr_t *)&pc[2]);
        if (__builtin_expect(method == 0, 0)) goto type_error;
        PUSH(accu);
        accu = method;
        NEXT(3);
    }
    INSTR(GETDYNMET) {
        value method = vm_slow_public_method(sp[0], accu, NULL);
        if (__builtin_expect(method == 0, 0)) goto type_error;
        accu = method;
        NEXT(1);
    }

    /* ---- the end ---- */
    INSTR(STOP)
    INNER(LEAVE) {
        d->sp = sp;
        return accu;
    }

    /* ---- the machine's own ---- */
    INNER(PREPARE) {
        uint32_t index = function_of_closure(env);
        vm_function_prepare(d->vm, index);
        GOTO(functions[index].entry);
    }
    INNER(NO_CODE) { /* function 0: closures of Obj.new_block, or of a let rec not yet filled in */
        goto type_error;
    }
    INNER(WATERMARK) { /* the frame's three words are popped: give them back to move the mark */
        sp -= 3;
        const uintptr_t *return_to = vm_mark_returned(d, sp);
        sp += 3;
        GOTO(return_to);
    }
    INNER(ENTER_TRACED) { /* of closure env; on the stack: the code's index, then the argument */
        callee = &functions[int_of_val(*sp++)];
        if (callee->decoded == NULL) vm_function_prepare(d->vm, (uint32_t)(callee - functions));
        if ((uintptr_t)sp - callee->frame_bytes < d->gc.mutator_limit) goto slow_enter;
        GOTO(callee->entry);
    }

    /* ---- two instructions in one ---- */
    INNER(ACC0_GETFIELD0) {
        LOAD_FIELD(sp[0], 0);
        NEXT(1);
    }
    INNER(ACC0_GETFIELD1) {
        LOAD_FIELD(sp[0], 1);
        NEXT(1);
    }
    INNER(ACC1_GETFIELD0) {
        LOAD_FIELD(sp[1], 0);
        NEXT(1);
    }
    INNER(ACC1_GETFIELD1) {
        LOAD_FIELD(sp[1], 1);
        NEXT(1);
    }
    INNER(PUSHACC0_GETFIELD0) {
        value pushed = accu;
        LOAD_FIELD(accu, 0);
        PUSH(pushed);
        NEXT(1);
    }
    INNER(PUSHACC1_GETFIELD0) {
        value pushed = accu;
        LOAD_FIELD(sp[0], 0);
        PUSH(pushed);
        NEXT(1);
    }
    INNER(PUSHACC1_GETFIELD1) {
        value pushed = accu;
        LOAD_FIELD(sp[0], 1);
        PUSH(pushed);
        NEXT(1);
    }
    FUSED_COMPARE(EQ, a == b)
    FUSED_COMPARE(NEQ, a != b)
    FUSED_COMPARE(LTINT, a < b)
    FUSED_COMPARE(LEINT, a <= b)
    FUSED_COMPARE(GTINT, a > b)
    FUSED_COMPARE(GEINT, a >= b)
    INNER(ACC0_BRANCHIFNOT) {
        accu = sp[0];
        if (accu == VAL_FALSE) GOTO(pc[1]);
        NEXT(2);
    }
    INNER(ACC1_BRANCHIFNOT) {
        accu = sp[1];
        if (accu == VAL_FALSE) GOTO(pc[1]);
        NEXT(2);
    }
    INNER(ACC0_RETURN) {
        accu = sp[0];
        goto op_RETURN;
    }
    INNER(CONST0_RETURN) {
        accu = val_of_int(0);
        goto op_RETURN;
    }
    INNER(PUSHACC0_PUSHACC1) {
        sp -= 2;
        sp[0] = sp[1] = accu;
        accu = sp[1];
        NEXT(1);
    }
    INNER(PUSHACC1_PUSHACC1) {
        PUSH(accu);
        value pushed = sp[1];
        PUSH(pushed);
        accu = sp[1];
        NEXT(1);
    }
    INNER(PUSHACC2_PUSHACC2) {
        PUSH(accu);
        value pushed = sp[2];
        PUSH(pushed);
        accu = sp[2];
        NEXT(1);
    }

    /* ---- primitives done here when their operands are of the usual kind ---- */
    INNER(ARRAY_GET_ADDR)
    INNER(ARRAY_GET) {
        if (__builtin_expect(!array_has_item(accu, sp[0]), 0)) goto op_C_CALL2;
        accu = field(accu, int_of_val(*sp++));
        NEXT(2);
    }
    INNER(ARRAY_UNSAFE_GET) {
        if (__builtin_expect(!array_has_item(accu, sp[0]), 0)) goto op_C_CALL2;
        accu = field(accu, int_of_val(*sp++));
        NEXT(2);
    }
    INNER(ARRAY_SET_ADDR)
    INNER(ARRAY_SET)
    INNER(ARRAY_UNSAFE_SET) {
        if (__builtin_expect(!array_has_mutable_item(accu, sp[0]), 0)) goto op_C_CALL3;
        gc_store(&d->gc, accu, (size_t)int_of_val(sp[0]), sp[1]);
        sp += 2;
        accu = VAL_UNIT;
        NEXT(2);
    }
    INNER(STRING_GET)
    INNER(BYTES_GET) {
        if (__builtin_expect(!has_byte(accu, sp[0]), 0)) goto op_C_CALL2;
        accu = val_of_int(((unsigned char *)accu)[int_of_val(*sp++)]);
        NEXT(2);
    }
    INNER(BYTES_SET) {
        if (__builtin_expect(!(has_byte(accu, sp[0]) && is_int(sp[1])), 0)) goto op_C_CALL3;
        ((unsigned char *)accu)[int_of_val(sp[0])] = (unsigned char)int_of_val(sp[1]);
        sp += 2;
        accu = VAL_UNIT;
        NEXT(2);
    }
    INNER(STRING_LENGTH)
    INNER(BYTES_LENGTH) {
        if (__builtin_expect(!is_string(accu), 0)) goto op_C_CALL1;
        accu = val_of_int((intptr_t)string_length(accu));
        NEXT(2);
    }
    INLINE_INT_COMPARE(INT_COMPARE, val_of_int((a > b) - (a < b)))
    INLINE_INT_COMPARE(COMPARE, val_of_int((a > b) - (a < b)))
    INLINE_INT_COMPARE(EQUAL, val_of_bool(a == b))
    INLINE_INT_COMPARE(NOTEQUAL, val_of_bool(a != b))
    INLINE_INT_COMPARE(LESSTHAN, val_of_bool(a < b))
    INLINE_INT_COMPARE(LESSEQUAL, val_of_bool(a <= b))
    INLINE_INT_COMPARE(GREATERTHAN, val_of_bool(a > b))
    INLINE_INT_COMPARE(GREATEREQUAL, val_of_bool(a >= b))
    INLINE_FLOAT(ADD_FLOAT, a + b)
    INLINE_FLOAT(SUB_FLOAT, a - b)
    INLINE_FLOAT(MUL_FLOAT, a * b)
    INLINE_FLOAT(DIV_FLOAT, a / b)
    INLINE_FLOAT_COMPARE(LT_FLOAT, a < b)
    INLINE_FLOAT_COMPARE(LE_FLOAT, a <= b)
    INLINE_FLOAT_COMPARE(GT_FLOAT, a > b)
    INLINE_FLOAT_COMPARE(GE_FLOAT, a >= b)
    INNER(FLOAT_OF_INT) {
        if (__builtin_expect(!is_int(accu), 0)) goto op_C_CALL1;
        ALLOC_DOUBLE((double)int_of_val(accu));
        NEXT(2);
    }
    INNER(FLOATARRAY_GET) {
        if (__builtin_expect(!float_array_has_item(accu, sp[0]), 0)) goto op_C_CALL2;
        ALLOC_DOUBLE(double_field(accu, (uintptr_t)int_of_val(*sp)));
        sp++;
        NEXT(2);
    }

    /* ---- slow exits shared by the bodies ---- */
slow_enter:
    SAVE();
    vm_slow_enter(d, callee);
    RESTORE();
    accu = env; /* as at every entry: dead, but a later allocation may keep it */
    GOTO(callee->entry);
zero_divide:
    SAVE();
    vm_raise_zero_divide(d);
type_error:
    SAVE();
    vm_slow_type_error(d);
#if !defined(LOOP_UNCHECKED)
bad_argument:
    SAVE();
    vm_slow_bad_argument(d, PRIM_OPERAND(1));
#endif
raise_from_c:
    sp = d->sp;
    accu = d->exn;
    d->exn = VAL_UNIT;
    if (d->backtrace_active) {
        d->accu = accu;
        vm_slow_record_backtrace(d, false);
        accu = d->accu;
    }
    goto unwind;

    /* Refused by the verifier: debugger instructions always, effects until their versions are
     * run. */
    INSTR(EVENT)
    INSTR(BREAK)
    INSTR(PERFORM)
    INSTR(RESUME)
    INSTR(RESUMETERM)
    INSTR(REPERFORMTERM)
    INNER(IMPOSSIBLE) { __builtin_trap(); }
}
