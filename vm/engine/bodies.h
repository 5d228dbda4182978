/* bodies.h - the bodies that can be part of a fused form, one macro DO_NAME each. Private to
 * vm/engine/loop.c, which expands each by itself and, one after the other, as the fused forms of
 * engine.def.
 *
 * pc points at the instruction's own word, sp is at the height the verifier gave for it, even
 * inside a fused form: so any body may fail, allocate or call. A body falls through to the next
 * instruction, except that jumps, calls and returns, which end a form, leave by GOTO.
 *
 * NAME_OF(operand) is the body of NAME where the operand may also be fixed: in a short instruction
 * (ACC2) or a SPECIAL row (RETURN_1); fixed_operands.py makes those from it. With a fixed operand
 * the new sp does not depend on a load from the code, so the CPU can compute it while the return
 * address is still being loaded. */
#ifndef BACTRIAN_VM_ENGINE_BODIES_H
#define BACTRIAN_VM_ENGINE_BODIES_H

#include "vm/base/float_ops.h"
#include "vm/engine/loop_macros.h"

#include <math.h>

/* ---- the stack and the accumulator ---- */
#define ACC_OF(n)        STEP(2, accu = sp[n];)
#define DO_ACC           ACC_OF(pc[1])
#define DO_PUSH          STEP(1, PUSH(accu);)
#define PUSHACC_OF(n)    STEP(2, PUSH(accu); accu = sp[n];)
#define DO_PUSHACC       PUSHACC_OF(pc[1])
#define POP_OF(n)        STEP(2, sp += (n);)
#define DO_POP           POP_OF(pc[1])
#define DO_ASSIGN        STEP(2, sp[pc[1]] = accu; accu = VAL_UNIT;)
#define ENVACC_OF(n)     STEP(2, accu = field(env, n);)
#define DO_ENVACC        ENVACC_OF(OPERAND(1))
#define PUSHENVACC_OF(n) STEP(2, PUSH(accu); accu = field(env, n);)
#define DO_PUSHENVACC    PUSHENVACC_OF(OPERAND(1))

/* ---- calls and returns ---- */
#define DO_APPLY1                   \
    {                               \
        REQUIRE_CLOSURE(accu);      \
        value a = sp[0];            \
        sp -= 3;                    \
        sp[0] = a;                  \
        PUSH_RETURN(2, 1);          \
        extra_args = val_of_int(0); \
        ENTER(accu);                \
    }
#define DO_APPLY2                   \
    {                               \
        REQUIRE_CLOSURE(accu);      \
        value a = sp[0], b = sp[1]; \
        sp -= 3;                    \
        sp[0] = a, sp[1] = b;       \
        PUSH_RETURN(2, 2);          \
        ENTER_WITH(accu, 2);        \
    }
#define DO_APPLY3                              \
    {                                          \
        REQUIRE_CLOSURE(accu);                 \
        value a = sp[0], b = sp[1], c = sp[2]; \
        sp -= 3;                               \
        sp[0] = a, sp[1] = b, sp[2] = c;       \
        PUSH_RETURN(2, 3);                     \
        ENTER_WITH(accu, 3);                   \
    }
#define APPTERM1_OF(n)         \
    {                          \
        REQUIRE_CLOSURE(accu); \
        value a = sp[0];       \
        sp += (n)-1;           \
        sp[0] = a;             \
        ENTER(accu);           \
    }
#define DO_APPTERM1 APPTERM1_OF(OPERAND(1))
#define APPTERM2_OF(n)              \
    {                               \
        REQUIRE_CLOSURE(accu);      \
        value a = sp[0], b = sp[1]; \
        sp += (n)-2;                \
        sp[0] = a, sp[1] = b;       \
        ENTER_WITH_MORE(accu, 2);   \
    }
#define DO_APPTERM2 APPTERM2_OF(OPERAND(1))
#define APPTERM3_OF(n)                         \
    {                                          \
        REQUIRE_CLOSURE(accu);                 \
        value a = sp[0], b = sp[1], c = sp[2]; \
        sp += (n)-3;                           \
        sp[0] = a, sp[1] = b, sp[2] = c;       \
        ENTER_WITH_MORE(accu, 3);              \
    }
#define DO_APPTERM3 APPTERM3_OF(OPERAND(1))

/* A fused push, load and call: the last argument stays in a local variable (`held`) instead of
 * going through the stack. DO_HOLD_... is the push and the load, DO_HELD_... the call. */
#define HOLD(known)          \
    const value held = accu; \
    const bool is_known = known;
#define HOLD_PUSHOFFSETCLOSURE_OF(k) HOLD(true) OFFSETCLOSURE_OF(k)
#define HOLD_PUSHENVACC_OF(n)        HOLD(false) ENVACC_OF(n)
#define DO_HOLD_PUSHENVACC           HOLD_PUSHENVACC_OF(OPERAND(1))
#define DO_HOLD_PUSHGETGLOBALFIELD   HOLD(false) DO_GETGLOBALFIELD
#define REQUIRE_HELD_CLOSURE                        \
    if (!is_known && UNLIKELY(NOT_CLOSURE(accu))) { \
        PUSH(held);                                 \
        FAIL(type_error);                           \
    }
#define DO_HELD_APPLY1              \
    {                               \
        REQUIRE_HELD_CLOSURE        \
        sp -= 4;                    \
        sp[0] = held;               \
        PUSH_RETURN(2, 1);          \
        extra_args = val_of_int(0); \
        ENTER(accu);                \
    }
#define DO_HELD_APPLY2           \
    {                            \
        REQUIRE_HELD_CLOSURE     \
        value b = sp[0];         \
        sp -= 4;                 \
        sp[0] = held, sp[1] = b; \
        PUSH_RETURN(2, 2);       \
        ENTER_WITH(accu, 2);     \
    }
#define DO_HELD_APPLY3                      \
    {                                       \
        REQUIRE_HELD_CLOSURE                \
        value b = sp[0], c = sp[1];         \
        sp -= 4;                            \
        sp[0] = held, sp[1] = b, sp[2] = c; \
        PUSH_RETURN(2, 3);                  \
        ENTER_WITH(accu, 3);                \
    }
#define HELD_APPTERM1_OF(n)  \
    {                        \
        REQUIRE_HELD_CLOSURE \
        sp += (n)-2;         \
        sp[0] = held;        \
        ENTER(accu);         \
    }
#define DO_HELD_APPTERM1 HELD_APPTERM1_OF(OPERAND(1))
#define HELD_APPTERM2_OF(n)       \
    {                             \
        REQUIRE_HELD_CLOSURE      \
        value b = sp[0];          \
        sp += (n)-3;              \
        sp[0] = held, sp[1] = b;  \
        ENTER_WITH_MORE(accu, 2); \
    }
#define DO_HELD_APPTERM2 HELD_APPTERM2_OF(OPERAND(1))
#define HELD_APPTERM3_OF(n)                 \
    {                                       \
        REQUIRE_HELD_CLOSURE                \
        value b = sp[0], c = sp[1];         \
        sp += (n)-4;                        \
        sp[0] = held, sp[1] = b, sp[2] = c; \
        ENTER_WITH_MORE(accu, 3);           \
    }
#define DO_HELD_APPTERM3 HELD_APPTERM3_OF(OPERAND(1))
#define RETURN_OF(n)                                               \
    {                                                              \
        if (UNLIKELY(extra_args != val_of_int(0))) APPLY_RESULT(); \
        sp += (n);                                                 \
        RETURN_TO_FRAME();                                         \
    }
#define DO_RETURN RETURN_OF(pc[1])

/* ---- closures, globals ---- */
#define OFFSETCLOSURE_OF(k)     STEP(2, accu = env + 8 * (k);)
#define DO_OFFSETCLOSURE        OFFSETCLOSURE_OF(OPERAND(1))
#define PUSHOFFSETCLOSURE_OF(k) STEP(2, PUSH(accu); accu = env + 8 * (k);)
#define DO_PUSHOFFSETCLOSURE    PUSHOFFSETCLOSURE_OF(OPERAND(1))
#define DO_GETGLOBAL            STEP(2, accu = field(d->vm->global_data, pc[1]);)
#define DO_PUSHGETGLOBAL \
    {                    \
        PUSH(accu);      \
        DO_GETGLOBAL     \
    }
#define DO_GETGLOBALFIELD \
    STEP(3, LOAD_FIELD(field(d->vm->global_data, pc[1]), pc[2], FAIL(type_error));)
#define DO_PUSHGETGLOBALFIELD \
    {                         \
        value pushed = accu;  \
        DO_GETGLOBALFIELD     \
        PUSH(pushed);         \
    }
#define ATOM_OF(tag)     STEP(2, accu = gc_atom(&d->gc, (tag));)
#define DO_ATOM          ATOM_OF(pc[1])
#define PUSHATOM_OF(tag) STEP(2, PUSH(accu); accu = gc_atom(&d->gc, (tag));)
#define DO_PUSHATOM      PUSHATOM_OF(pc[1])

/* ---- blocks; tags are operands as headers ---- */
#define DO_MAKEBLOCK1 STEP(2, ALLOC(1, pc[1]); field(block, 0) = accu; accu = block;)
#define DO_MAKEBLOCK2 \
    STEP(2, ALLOC(2, pc[1]); field(block, 0) = accu; field(block, 1) = *sp++; accu = block;)
#define DO_MAKEBLOCK3                                                         \
    STEP(2, ALLOC(3, pc[1]); field(block, 0) = accu; field(block, 1) = sp[0]; \
         field(block, 2) = sp[1]; sp += 2; accu = block;)
#define GETFIELD_OF(i) STEP(2, LOAD_FIELD(accu, i, RAW_ACCESS());)
#define DO_GETFIELD    GETFIELD_OF(pc[1])
#define SETFIELD_OF(i) STEP(2, STORE_FIELD(i);)
#define DO_SETFIELD    SETFIELD_OF(pc[1])
#define DO_GETFLOATFIELD                                       \
    STEP(2, REQUIRE_OR(has_double(accu, pc[1]), RAW_ACCESS()); \
         ALLOC_DOUBLE(double_field(accu, pc[1]));)
#define DO_SETFLOATFIELD                                                           \
    STEP(2, REQUIRE_OR(has_double(accu, pc[1]) && is_double(sp[0]), RAW_ACCESS()); \
         set_double_field(accu, pc[1], double_of_val(*sp++)); accu = VAL_UNIT;)
#define DO_VECTLENGTH \
    STEP(1, REQUIRE(is_block(accu)); accu = val_of_int((intptr_t)wosize_of(accu));)
#define DO_GETVECTITEM                                                                          \
    STEP(1, REQUIRE(is_int(sp[0])); LOAD_FIELD(accu, (uintptr_t)int_of_val(*sp), RAW_ACCESS()); \
         sp++;)
#define DO_SETVECTITEM                                                                         \
    STEP(1, REQUIRE(is_int(sp[0])); REQUIRE_MUTABLE_FIELD(accu, (uintptr_t)int_of_val(sp[0])); \
         gc_store(&d->gc, accu, (size_t)int_of_val(sp[0]), sp[1]); sp += 2; accu = VAL_UNIT;)
#define DO_GETBYTESCHAR                                      \
    STEP(1, REQUIRE_OR(has_byte(accu, sp[0]), RAW_ACCESS()); \
         accu = val_of_int(((unsigned char *)accu)[int_of_val(*sp++)]);)
#define DO_GETSTRINGCHAR DO_GETBYTESCHAR

/* ---- branches ---- */
#define DO_BRANCHIF    STEP(2, if (accu != VAL_FALSE) GOTO(pc[1]);)
#define DO_BRANCHIFNOT STEP(2, if (accu == VAL_FALSE) GOTO(pc[1]);)
#define DO_SWITCH      /* words: constants, tags, then the labels */ \
    {                                                                \
        if (is_int(accu)) {                                          \
            REQUIRE((uintptr_t)int_of_val(accu) < pc[1]);            \
            GOTO(pc[3 + int_of_val(accu)]);                          \
        }                                                            \
        REQUIRE(tag_of(accu) < pc[2]);                               \
        GOTO(pc[3 + pc[1] + tag_of(accu)]);                          \
    }
#define COMPARE_BRANCH(condition)       \
    {                                   \
        value a = OPERAND(1), b = accu; \
        if (condition) GOTO(pc[2]);     \
    }
#define DO_BEQ           COMPARE_BRANCH(a == b) ADVANCE(3)
#define DO_BNEQ          COMPARE_BRANCH(a != b) ADVANCE(3)
#define DO_BLTINT        COMPARE_BRANCH(a < b) ADVANCE(3)
#define DO_BLEINT        COMPARE_BRANCH(a <= b) ADVANCE(3)
#define DO_BGTINT        COMPARE_BRANCH(a > b) ADVANCE(3)
#define DO_BGEINT        COMPARE_BRANCH(a >= b) ADVANCE(3)
#define DO_BULTINT       COMPARE_BRANCH((uintptr_t)a < (uintptr_t)b) ADVANCE(3)
#define DO_BUGEINT       COMPARE_BRANCH((uintptr_t)a >= (uintptr_t)b) ADVANCE(3)
#define DO_CHECK_SIGNALS STEP(1, POLL())

/* ---- integers; in the expressions a is the left operand and b the right one ---- */
#define LOAD_INT(tagged)      STEP(2, accu = (tagged);)
#define CONSTINT_OF(i)        LOAD_INT(val_of_int(i))
#define DO_CONSTINT           LOAD_INT(OPERAND(1))
#define PUSH_LOAD_INT(tagged) STEP(2, PUSH(accu); accu = (tagged);)
#define PUSHCONSTINT_OF(i)    PUSH_LOAD_INT(val_of_int(i))
#define DO_PUSHCONSTINT       PUSH_LOAD_INT(OPERAND(1))
#define INT_BINARY(expression)           \
    {                                    \
        REQUIRE(both_ints(accu, sp[0])); \
        value a = accu, b = *sp++;       \
        accu = (expression);             \
    }
#define COMPARE_BINARY(condition)      \
    {                                  \
        value a = accu, b = *sp++;     \
        accu = val_of_bool(condition); \
    }
#define DO_ADDINT    INT_BINARY(a + b - 1) ADVANCE(1)
#define DO_SUBINT    INT_BINARY(a - b + 1) ADVANCE(1)
#define DO_MULINT    INT_BINARY((a - 1) * (b >> 1) + 1) ADVANCE(1)
#define DO_ANDINT    INT_BINARY(a &b) ADVANCE(1)
#define DO_ORINT     INT_BINARY(a | b) ADVANCE(1)
#define DO_XORINT    INT_BINARY((a ^ b) | 1) ADVANCE(1)
#define DO_LSLINT    INT_BINARY(((a - 1) << ((b >> 1) & 63)) + 1) ADVANCE(1)
#define DO_LSRINT    INT_BINARY((value)((uintptr_t)a >> ((b >> 1) & 63)) | 1) ADVANCE(1)
#define DO_ASRINT    INT_BINARY((a >> ((b >> 1) & 63)) | 1) ADVANCE(1)
#define DO_OFFSETINT /* operand: twice the integer */ \
    {                                                 \
        REQUIRE(is_int(accu));                        \
        accu += OPERAND(1);                           \
    }                                                 \
    ADVANCE(2)
#define DO_OFFSETREF                                                         \
    STEP(2, REQUIRE_MUTABLE_FIELD(accu, 0); REQUIRE(is_int(field(accu, 0))); \
         field(accu, 0) += OPERAND(1); accu = VAL_UNIT;)
#define DO_EQ     COMPARE_BINARY(a == b) ADVANCE(1)
#define DO_NEQ    COMPARE_BINARY(a != b) ADVANCE(1)
#define DO_LTINT  COMPARE_BINARY(a < b) ADVANCE(1)
#define DO_LEINT  COMPARE_BINARY(a <= b) ADVANCE(1)
#define DO_GTINT  COMPARE_BINARY(a > b) ADVANCE(1)
#define DO_GEINT  COMPARE_BINARY(a >= b) ADVANCE(1)
#define DO_ULTINT COMPARE_BINARY((uintptr_t)a < (uintptr_t)b) ADVANCE(1)
#define DO_UGEINT COMPARE_BINARY((uintptr_t)a >= (uintptr_t)b) ADVANCE(1)

/* ---- inlined primitives: operands of another kind make it a C_CALL, with the same words ---- */
#define EXPECT_OR_CALL(condition, n) \
    if (UNLIKELY(!(condition))) CALL_INSTEAD(n);
#define DO_ARRAY_GET_ADDR \
    STEP(2, EXPECT_OR_CALL(array_has_item(accu, sp[0]), 2) accu = field(accu, int_of_val(*sp++));)
#define DO_ARRAY_GET                                                                 \
    STEP(2, if (UNLIKELY(!array_has_item(accu, sp[0]))) DO_INSTEAD(FLOAT_ARRAY_GET); \
         accu = field(accu, int_of_val(*sp++));)
#define DO_ARRAY_UNSAFE_GET DO_ARRAY_GET
#define DO_ARRAY_SET_ADDR                                                 \
    STEP(2, EXPECT_OR_CALL(array_has_mutable_item(accu, sp[0]), 3)        \
                gc_store(&d->gc, accu, (size_t)int_of_val(sp[0]), sp[1]); \
         sp += 2; accu = VAL_UNIT;)
#define DO_ARRAY_SET                                                                         \
    STEP(2, if (UNLIKELY(!array_has_mutable_item(accu, sp[0]))) DO_INSTEAD(FLOAT_ARRAY_SET); \
         gc_store(&d->gc, accu, (size_t)int_of_val(sp[0]), sp[1]); sp += 2; accu = VAL_UNIT;)
#define DO_ARRAY_UNSAFE_SET DO_ARRAY_SET
#define DO_STRING_GET                                \
    STEP(2, EXPECT_OR_CALL(has_byte(accu, sp[0]), 2) \
                accu = val_of_int(((unsigned char *)accu)[int_of_val(*sp++)]);)
#define DO_BYTES_GET DO_STRING_GET
#define DO_BYTES_SET                                                                          \
    STEP(2, EXPECT_OR_CALL(has_byte(accu, sp[0]) && is_int(sp[1]), 3)(                        \
                (unsigned char *)accu)[int_of_val(sp[0])] = (unsigned char)int_of_val(sp[1]); \
         sp += 2; accu = VAL_UNIT;)
#define DO_STRING_LENGTH \
    STEP(2, EXPECT_OR_CALL(is_string(accu), 1) accu = val_of_int((intptr_t)string_length(accu));)
#define DO_BYTES_LENGTH    DO_STRING_LENGTH
#define DO_STRING_OF_BYTES {EXPECT_OR_CALL(is_string(accu), 1)} ADVANCE(2)
#define DO_BYTES_OF_STRING DO_STRING_OF_BYTES
#define STRING_EQUALITY(result)                                  \
    {                                                            \
        EXPECT_OR_CALL(is_string(accu) && is_string(sp[0]), 2)   \
        value a = accu, b = *sp++;                               \
        accu = val_of_bool(strings_are_equal(a, b) == (result)); \
    }
#define DO_STRING_EQUAL    STRING_EQUALITY(true) ADVANCE(2)
#define DO_STRING_NOTEQUAL STRING_EQUALITY(false) ADVANCE(2)

/* Field i of block accu. The primitive has n arguments; those after the block and the index begin
 * at sp[at]. */
#define ATOMIC_LOAD_OF(i, has, n, at) \
    STEP(2, EXPECT_OR_CALL(has, n) value old = field(accu, i); sp += (at); accu = old;)
#define ATOMIC_EXCHANGE_OF(i, has, n, at)                      \
    STEP(2, EXPECT_OR_CALL(has, n) value old = field(accu, i); \
         gc_store(&d->gc, accu, (size_t)(i), sp[at]); sp += (at) + 1; accu = old;)
#define ATOMIC_CAS_OF(i, has, n, at)                                                  \
    STEP(2, EXPECT_OR_CALL(has, n) bool same = field(accu, i) == sp[at];              \
         if (same) gc_store(&d->gc, accu, (size_t)(i), sp[(at) + 1]); sp += (at) + 2; \
         accu = val_of_bool(same);)
#define ATOMIC_FETCH_ADD_OF(i, has, n, at)                                                         \
    STEP(2,                                                                                        \
         EXPECT_OR_CALL((has) && both_ints(field(accu, i), sp[at]), n) value old = field(accu, i); \
         field(accu, i) = old + sp[at] - 1; sp += (at) + 1; accu = old;)
#define DO_ATOMIC_LOAD       ATOMIC_LOAD_OF(0, has_mutable_field_quick(accu, 0), 1, 0)
#define DO_ATOMIC_EXCHANGE   ATOMIC_EXCHANGE_OF(0, has_mutable_field_quick(accu, 0), 2, 0)
#define DO_ATOMIC_CAS        ATOMIC_CAS_OF(0, has_mutable_field_quick(accu, 0), 3, 0)
#define DO_ATOMIC_FETCH_ADD  ATOMIC_FETCH_ADD_OF(0, has_mutable_field_quick(accu, 0), 2, 0)
#define INDEX                int_of_val(sp[0])
#define DO_ATOMIC_LOAD_FIELD ATOMIC_LOAD_OF(INDEX, array_has_mutable_item(accu, sp[0]), 2, 1)
#define DO_ATOMIC_EXCHANGE_FIELD \
    ATOMIC_EXCHANGE_OF(INDEX, array_has_mutable_item(accu, sp[0]), 3, 1)
#define DO_ATOMIC_CAS_FIELD ATOMIC_CAS_OF(INDEX, array_has_mutable_item(accu, sp[0]), 4, 1)
#define DO_ATOMIC_FETCH_ADD_FIELD \
    ATOMIC_FETCH_ADD_OF(INDEX, array_has_mutable_item(accu, sp[0]), 3, 1)

#define OF_TWO_INTS(result)                       \
    {                                             \
        EXPECT_OR_CALL(both_ints(accu, sp[0]), 2) \
        value a = accu, b = *sp++;                \
        accu = (result);                          \
    }
#define DO_INT_COMPARE  OF_TWO_INTS(val_of_int((a > b) - (a < b))) ADVANCE(2)
#define DO_COMPARE      OF_TWO_INTS(val_of_int((a > b) - (a < b))) ADVANCE(2)
#define DO_EQUAL        OF_TWO_INTS(val_of_bool(a == b)) ADVANCE(2)
#define DO_NOTEQUAL     OF_TWO_INTS(val_of_bool(a != b)) ADVANCE(2)
#define DO_LESSTHAN     OF_TWO_INTS(val_of_bool(a < b)) ADVANCE(2)
#define DO_LESSEQUAL    OF_TWO_INTS(val_of_bool(a <= b)) ADVANCE(2)
#define DO_GREATERTHAN  OF_TWO_INTS(val_of_bool(a > b)) ADVANCE(2)
#define DO_GREATEREQUAL OF_TWO_INTS(val_of_bool(a >= b)) ADVANCE(2)

#define OF_TWO_FLOATS(expression)                                 \
    {                                                             \
        EXPECT_OR_CALL(is_double(accu) && is_double(sp[0]), 2)    \
        double a = double_of_val(accu), b = double_of_val(sp[0]); \
        ALLOC_DOUBLE(expression);                                 \
        sp++;                                                     \
    }
#define TEST_OF_TWO_FLOATS(condition)                             \
    {                                                             \
        EXPECT_OR_CALL(is_double(accu) && is_double(sp[0]), 2)    \
        double a = double_of_val(accu), b = double_of_val(*sp++); \
        accu = val_of_bool(condition);                            \
    }
#define OF_FLOAT(expression)               \
    {                                      \
        EXPECT_OR_CALL(is_double(accu), 1) \
        double a = double_of_val(accu);    \
        ALLOC_DOUBLE(expression);          \
    }
#define DO_ADD_FLOAT  OF_TWO_FLOATS(float_add(a, b)) ADVANCE(2)
#define DO_SUB_FLOAT  OF_TWO_FLOATS(a - b) ADVANCE(2)
#define DO_MUL_FLOAT  OF_TWO_FLOATS(float_multiply(a, b)) ADVANCE(2)
#define DO_DIV_FLOAT  OF_TWO_FLOATS(a / b) ADVANCE(2)
#define DO_NEG_FLOAT  OF_FLOAT(-a) ADVANCE(2)
#define DO_ABS_FLOAT  OF_FLOAT(__builtin_fabs(a)) ADVANCE(2)
#define DO_SQRT_FLOAT OF_FLOAT(sqrt(a)) ADVANCE(2)
#define DO_EQ_FLOAT   TEST_OF_TWO_FLOATS(a == b) ADVANCE(2)
#define DO_NEQ_FLOAT  TEST_OF_TWO_FLOATS(a != b) ADVANCE(2)
#define DO_LT_FLOAT   TEST_OF_TWO_FLOATS(a < b) ADVANCE(2)
#define DO_LE_FLOAT   TEST_OF_TWO_FLOATS(a <= b) ADVANCE(2)
#define DO_GT_FLOAT   TEST_OF_TWO_FLOATS(a > b) ADVANCE(2)
#define DO_GE_FLOAT   TEST_OF_TWO_FLOATS(a >= b) ADVANCE(2)
#define DO_FLOAT_OF_INT \
    STEP(2, EXPECT_OR_CALL(is_int(accu), 1) ALLOC_DOUBLE((double)int_of_val(accu));)
#define DO_FLOATARRAY_GET                                                     \
    STEP(2, EXPECT_OR_CALL(float_array_has_item(accu, sp[0]), 2)              \
                ALLOC_DOUBLE(double_field(accu, (uintptr_t)int_of_val(*sp))); \
         sp++;)
#define DO_FLOATARRAY_SET                                                                   \
    STEP(2, EXPECT_OR_CALL(float_array_has_item(accu, sp[0]) && is_double(sp[1]), 3)        \
                set_double_field(accu, (uintptr_t)int_of_val(sp[0]), double_of_val(sp[1])); \
         sp += 2; accu = VAL_UNIT;)

#endif
