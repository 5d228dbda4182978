/* verify_test.c - the verifier on code that no image can contain: empty code, pieces loaded at run
 * time, the effects of OCaml 5; and the results of verification (Q1 to Q8). */
#include "vm/code/code.h"
#include "vm/code/ir.h"
#include "vm/code/opcodes.h"
#include "vm/text/basm.h"
#include "vm/image/image.h"
#include "vm/code/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct verified {
    struct vm_words words;
    struct vm_verifier *verifier;
};

/* Ends with drop. */
static enum vm_status verify(const uint32_t *words, size_t count, enum vm_version_id version,
                             bool fragment, struct verified *out) {
    struct vm_verify_input in = {
        .words = &out->words,
        .version = &vm_versions[version],
        .global_count = 20,
        .primitive_count = 10,
        .fragment = fragment,
    };
    struct vm_error error;
    assert_true(vm_words_make(&out->words, words, (uint32_t)count));
    out->verifier = vm_verifier_create(&in, &error);
    return out->verifier == NULL ? error.status : vm_verify_all(out->verifier, &error);
}

static void drop(struct verified *verified) {
    vm_verifier_free(verified->verifier);
    vm_words_free(&verified->words);
}

static enum vm_status judge(const uint32_t *words, size_t count, enum vm_version_id version,
                            bool fragment) {
    struct verified verified;
    enum vm_status status = verify(words, count, version, fragment, &verified);
    drop(&verified);
    return status;
}

/* The heights of a function's instructions are those of its intermediate form. */
static void check_heights(const struct verified *verified, uint32_t pc, const uint32_t *expected,
                          size_t count) {
    struct vm_code code = {.words = verified->words, .verifier = verified->verifier};
    struct vm_ir ir = {.rows = NULL};
    vm_ir_make(&ir, &code, vm_find_entry(verified->verifier, pc));
    assert_int_equal(ir.count, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(ir.rows[i].height, expected[i]);
    vm_ir_free(&ir);
}

#define ASSERT_STATUS(wanted, version, fragment, ...)                                            \
    do {                                                                                         \
        const uint32_t words_[] = {__VA_ARGS__};                                                 \
        assert_string_equal(vm_status_code(judge(words_, COUNT(words_), (version), (fragment))), \
                            vm_status_code(wanted));                                             \
    } while (0)

static void no_code_is_refused(void **state) {
    assert_int_equal(judge(NULL, 0, OCAML_4_13, false), VM_V_EMPTY);
    assert_int_equal(judge(NULL, 0, OCAML_4_13, true), VM_V_EMPTY);
}

static void a_missing_file_is_refused(void **state) {
    struct vm_image image;
    struct vm_error error;
    assert_int_equal(vm_image_open("/nonexistent/program", &image, &error), VM_NO_FILE);
    assert_int_equal(vm_image_open("/", &image, &error), VM_NO_FILE);
    vm_image_close(&image);
    assert_false(vm_is_bytecode_file("/nonexistent/program"));
}

static void a_fragment_is_the_body_of_a_function(void **state) {
    ASSERT_STATUS(VM_OK, OCAML_4_13, true, OP_CONST0, OP_RETURN, 1);
    ASSERT_STATUS(VM_OK, OCAML_4_13, true, OP_OFFSETCLOSURE0, OP_RETURN, 1);
    ASSERT_STATUS(VM_OK, OCAML_4_13, true, OP_ACC0, OP_PUSHGETGLOBAL, 19, OP_APPTERM1, 2);
    ASSERT_STATUS(VM_V_STOP, OCAML_4_13, true, OP_STOP);
    ASSERT_STATUS(VM_V_FRAME, OCAML_4_13, true, OP_RETURN, 0);
    ASSERT_STATUS(VM_V_ENV, OCAML_4_13, true, OP_ENVACC2, OP_RETURN, 1);
    ASSERT_STATUS(VM_V_GLOBAL, OCAML_4_13, true, OP_GETGLOBAL, 20, OP_RETURN, 1);
    ASSERT_STATUS(VM_V_PRIMITIVE, OCAML_4_13, true, OP_C_CALL1, 10, OP_RETURN, 1);
    ASSERT_STATUS(VM_V_MAIN, OCAML_4_13, false, OP_CONST0, OP_RETURN, 0);
}

static void effects_are_of_ocaml_5(void **state) {
    ASSERT_STATUS(VM_V_OPCODE, OCAML_4_14, false, OP_PERFORM, OP_STOP);
    ASSERT_STATUS(VM_OK, OCAML_5_0, false, OP_PERFORM, OP_STOP);
    /* RESUME takes two words, from 5.2 on three. */
    ASSERT_STATUS(VM_OK, OCAML_5_1_1, false, OP_PUSH, OP_PUSH, OP_RESUME, OP_STOP);
    ASSERT_STATUS(VM_V_STACK, OCAML_5_2, false, OP_PUSH, OP_PUSH, OP_RESUME, OP_STOP);
    ASSERT_STATUS(VM_OK, OCAML_5_3, false, OP_PUSH, OP_PUSH, OP_PUSH, OP_RESUME, OP_STOP);
    ASSERT_STATUS(VM_V_CONTROL, OCAML_5_3, false, OP_PUSHTRAP, 5, OP_PUSH, OP_RESUME, OP_POPTRAP,
                  OP_STOP, OP_STOP);
    ASSERT_STATUS(VM_OK, OCAML_5_3, true, OP_PUSH, OP_PUSH, OP_RESUMETERM, 3);
    ASSERT_STATUS(VM_V_FRAME, OCAML_5_3, true, OP_PUSH, OP_PUSH, OP_RESUMETERM, 2);
    ASSERT_STATUS(VM_V_STACK, OCAML_5_3, true, OP_PUSH, OP_RESUMETERM, 2);
    ASSERT_STATUS(VM_V_MAIN, OCAML_5_3, false, OP_PUSH, OP_PUSH, OP_PUSH, OP_RESUMETERM, 3);
    ASSERT_STATUS(VM_OK, OCAML_5_3, true, OP_PUSH, OP_REPERFORMTERM, 2);
    ASSERT_STATUS(VM_V_STACK, OCAML_5_3, true, OP_REPERFORMTERM, 1);
}

static void heights_and_entries_are_found(void **state) {
    static const char text[] = "code\n"
                               "        CLOSUREREC 2, f, g\n" /* words 0 to 4 */
                               "        POP 2\n"
                               "        STOP\n"
                               "        RESTART\n" /* word 8 */
                               "f:      GRAB 2\n"
                               "        PUSHTRAP h\n"
                               "        CONST0\n"
                               "        POPTRAP\n"
                               "h:      RETURN 3\n"
                               "g:      C_CALL1 second\n"
                               "        RETURN 1\n"
                               "        POP 1\n" /* dead */
                               "primitives first second\n";
    struct vm_image image;
    struct vm_error error;
    assert_int_equal(vm_assemble(text, strlen(text), &image, &error), VM_OK);
    /* Two variables need one pushed word. */
    struct verified verified;
    assert_int_equal(judge(image.code, image.code_words, OCAML_4_13, false), VM_V_STACK);
    ((uint32_t *)image.code)[2] = 1;
    assert_int_equal(verify(image.code, image.code_words, OCAML_4_13, false, &verified), VM_OK);
    const struct vm_verifier *v = verified.verifier;
    assert_int_equal(vm_entry_count(v), 3);
    const struct vm_entry *f = vm_entry_at(v, 1), *g = vm_entry_at(v, 2);
    assert_int_equal(vm_find_entry(v, 9), 1);
    assert_int_equal(vm_find_entry(v, 8), 1); /* the RESTART before it */
    assert_int_equal(vm_find_entry(v, g->pc), 2);
    assert_int_equal(vm_find_entry(v, 0), 0);
    assert_int_equal(vm_find_entry(v, g->pc - 1), 0);
    assert_int_equal(f->arity, 3);
    assert_int_equal(f->frame_words, 7);
    assert_int_equal(f->functions, 2);
    assert_int_equal(f->variables, 1);
    assert_int_equal(f->index, 0);
    assert_int_equal(g->arity, 1);
    assert_int_equal(g->frame_words, 1);
    assert_int_equal(g->index, 1);
    check_heights(&verified, 0, (const uint32_t[]){0, 2, 0}, 3);
    check_heights(&verified, 8, (const uint32_t[]){1, 3, 3, 7, 7, 3}, 6);
    check_heights(&verified, g->pc, (const uint32_t[]){1, 1}, 2);
    assert_int_equal(vm_entry_at(v, 0)->frame_words, 2);
    assert_true(vm_calls_primitive(v, 1));
    assert_false(vm_calls_primitive(v, 0));
    drop(&verified);
    vm_image_close(&image);
}

/* An entry is known once a function that names it is verified; its own faults show when it is,
 * and they end verification. */
static void a_function_is_verified_when_it_is_wanted(void **state) {
    static const char text[] = "code\n"
                               "        CLOSURE 0, f\n"
                               "        STOP\n"
                               "f:      CLOSURE 0, g\n" /* word 4 */
                               "        RETURN 1\n"
                               "g:      RETURN 1\n" /* word 9, then 3 in place of 1 */
                               "h:      RETURN 1\n";
    struct vm_image image;
    struct vm_error error;
    struct vm_words words;
    assert_int_equal(vm_assemble(text, strlen(text), &image, &error), VM_OK);
    ((uint32_t *)image.code)[10] = 3;
    assert_true(vm_words_make(&words, image.code, image.code_words));
    struct vm_verify_input in = {.words = &words, .version = &vm_versions[OCAML_4_13]};
    struct vm_verifier *v = vm_verifier_create(&in, &error);
    assert_int_equal(vm_entry_count(v), 1);
    assert_int_equal(vm_entry_at(v, 0)->frame_words, VM_NOT_VERIFIED);
    assert_int_equal(vm_verify_function(v, 0, &error), VM_OK);
    uint32_t f = vm_find_entry(v, 4);
    assert_int_equal(vm_entry_count(v), 2);
    assert_int_equal(vm_entry_at(v, f)->frame_words, VM_NOT_VERIFIED);
    assert_int_equal(vm_find_entry(v, 9), 0);
    assert_int_equal(vm_verify_function(v, f, &error), VM_OK);
    assert_int_equal(vm_entry_at(v, f)->frame_words, 1);
    assert_int_equal(vm_verify_function(v, vm_find_entry(v, 9), &error), VM_V_FRAME);
    assert_int_equal(vm_verify_function(v, f, &error), VM_OK);
    assert_int_equal(vm_verify_all(v, &error), VM_V_FRAME);
    vm_verifier_free(v);
    vm_words_free(&words);
    vm_image_close(&image);
}

static void every_label_of_reached_code_is_reached(void **state) {
    /* The call is never made, but its return address is still code of this function. */
    const uint32_t words[] = {OP_PUSH_RETADDR, 2, OP_GETGLOBAL, 0, OP_RAISE, OP_STOP};
    struct verified verified;
    assert_int_equal(judge(words, COUNT(words), OCAML_4_13, false), VM_V_LABEL);
    const uint32_t right[] = {OP_PUSH_RETADDR, 4, OP_GETGLOBAL, 0, OP_RAISE, OP_STOP};
    assert_int_equal(verify(right, COUNT(right), OCAML_4_13, false, &verified), VM_OK);
    check_heights(&verified, 0, (const uint32_t[]){0, 3, 3, 0}, 4);
    drop(&verified);
}

/* Q5, by each instruction that can jump; PUSHTRAP and PUSH_RETADDR only name a label. */
static void a_loop_by_any_jump_needs_a_poll(void **state) {
    static const uint32_t compared[] = {OP_BEQ,    OP_BNEQ,   OP_BLTINT,  OP_BLEINT,
                                        OP_BGTINT, OP_BGEINT, OP_BULTINT, OP_BUGEINT};
    for (size_t i = 0; i < COUNT(compared); i++) {
        ASSERT_STATUS(VM_V_LOOP, OCAML_4_13, false, compared[i], 5, (uint32_t)-2, OP_STOP);
        ASSERT_STATUS(VM_OK, OCAML_4_13, false, OP_CHECK_SIGNALS, compared[i], 5, (uint32_t)-3,
                      OP_STOP);
    }
    for (uint32_t op = OP_BRANCH; op <= OP_BRANCHIFNOT; op++) {
        ASSERT_STATUS(VM_V_LOOP, OCAML_4_13, false, op, (uint32_t)-1, OP_STOP);
        ASSERT_STATUS(VM_OK, OCAML_4_13, false, OP_CHECK_SIGNALS, op, (uint32_t)-2, OP_STOP);
    }
    ASSERT_STATUS(VM_V_LOOP, OCAML_4_13, false, OP_SWITCH, 2, 2, (uint32_t)-2, OP_STOP);
    ASSERT_STATUS(VM_V_LOOP, OCAML_4_13, false, OP_SWITCH, 1, (uint32_t)-2, OP_STOP);
    ASSERT_STATUS(VM_OK, OCAML_4_13, false, OP_CHECK_SIGNALS, OP_SWITCH, 2, 2, (uint32_t)-3,
                  OP_STOP);
    ASSERT_STATUS(VM_V_OPEN, OCAML_4_13, false, OP_PUSHTRAP, (uint32_t)-1, OP_STOP);
    ASSERT_STATUS(VM_V_OPEN, OCAML_4_13, false, OP_PUSH_RETADDR, (uint32_t)-1, OP_STOP);
}

/* The paths of a loop that polls contain a call, handlers, jumps, ends. */
static void loops_that_poll_may_hold_anything(void **state) {
    static const char text[] = "code\n"
                               "        CONST0\n"
                               "        PUSH\n"
                               "top:    ACC0\n"
                               "        SWITCH a, b | c\n"
                               "a:      PUSHTRAP h\n"
                               "        CONST1\n"
                               "        RAISE\n"
                               "h:      BEQ 3, b\n"
                               "        BULTINT 4, c\n"
                               "        BRANCH b\n"
                               "b:      PUSH_RETADDR r\n"
                               "        CONST0\n"
                               "        PUSH\n"
                               "        ACC4\n"
                               "        APPLY 1\n"
                               "r:      BRANCHIFNOT top\n"
                               "        BRANCHIF over\n"
                               "c:      CHECK_SIGNALS\n"
                               "        BRANCH top\n"
                               "over:   POP 1\n"
                               "        STOP\n";
    struct vm_image image;
    struct vm_error error;
    struct verified verified;
    assert_int_equal(vm_assemble(text, strlen(text), &image, &error), VM_OK);
    assert_int_equal(verify(image.code, image.code_words, OCAML_4_13, false, &verified), VM_OK);
    assert_int_equal(vm_entry_at(verified.verifier, 0)->frame_words, 5);
    drop(&verified);
    /* Without the poll, which is the last instruction but four. */
    uint32_t *poll = (uint32_t *)image.code + image.code_words - 6;
    assert_int_equal(*poll, OP_CHECK_SIGNALS);
    *poll = OP_CONST0;
    assert_int_equal(judge(image.code, image.code_words, OCAML_4_13, false), VM_V_LOOP);
    vm_image_close(&image);
}

/* Numbers at the edges of what a word can hold. */
static void counts_and_labels_are_looked_at_before_they_are_used(void **state) {
    ASSERT_STATUS(VM_V_COUNT, OCAML_4_13, false, OP_CLOSUREREC, 0, 0, OP_STOP);
    ASSERT_STATUS(VM_V_LENGTH, OCAML_4_13, false, OP_CLOSUREREC, UINT32_MAX, 0, 1, OP_STOP);
    ASSERT_STATUS(VM_V_COUNT, OCAML_4_13, false, OP_CLOSUREREC, 1, UINT32_MAX, 1, OP_STOP);
    ASSERT_STATUS(VM_V_COUNT, OCAML_4_13, false, OP_CLOSURE, UINT32_MAX, 1, OP_STOP);
    ASSERT_STATUS(VM_V_COUNT, OCAML_4_13, false, OP_C_CALLN, 5, 0, OP_STOP);
    ASSERT_STATUS(VM_V_COUNT, OCAML_4_13, false, OP_C_CALLN, UINT32_MAX, 0, OP_STOP);
    ASSERT_STATUS(VM_V_LABEL, OCAML_4_13, false, OP_CLOSURE, 0, 0x7fffffff, OP_STOP);
    ASSERT_STATUS(VM_V_LABEL, OCAML_4_13, false, OP_CLOSURE, 0, 0x80000000, OP_STOP);
    ASSERT_STATUS(VM_V_LABEL, OCAML_4_13, false, OP_CLOSURE, 0, (uint32_t)-1, OP_STOP);
    ASSERT_STATUS(VM_V_ENTRY, OCAML_4_13, false, OP_CLOSURE, 0, 3, OP_STOP, OP_STOP, OP_GRAB, 1);
    ASSERT_STATUS(VM_V_COUNT, OCAML_4_13, false, OP_CLOSURE, 0, 3, OP_STOP, OP_RESTART, OP_GRAB, 0);
    ASSERT_STATUS(VM_V_INTO, OCAML_4_13, false, OP_GRAB, 1, OP_STOP);
    ASSERT_STATUS(VM_V_INTO, OCAML_4_13, false, OP_RESTART, OP_GRAB, 1, OP_STOP);
    struct vm_words endless = {.count = VM_MAX_CODE_WORDS + 1};
    struct vm_verify_input in = {.words = &endless, .version = &vm_versions[OCAML_4_13]};
    struct vm_error error;
    assert_null(vm_verifier_create(&in, &error));
    assert_int_equal(error.status, VM_V_LENGTH);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* How long it takes to verify that many handlers, then a million reads of the deepest slot. */
static double seconds_for(uint32_t handlers) {
    enum { READS = 1000000 };
    size_t count = 1 + 2 * handlers + 2 * READS + 1 + handlers, n = 0;
    uint32_t *words = malloc(count * sizeof *words);
    words[n++] = OP_PUSH;
    for (uint32_t i = 0; i < handlers; i++) {
        words[n++] = OP_PUSHTRAP;
        words[n] = (uint32_t)(count - 1 - i - n); /* the i-th word from the end */
        n++;
    }
    for (int i = 0; i < READS; i++) {
        words[n++] = OP_ACC;
        words[n++] = 4 * handlers;
    }
    while (n < count) words[n++] = OP_RAISE_NOTRACE;
    double start = seconds();
    assert_int_equal(judge(words, count, OCAML_4_13, false), VM_OK);
    double taken = seconds() - start;
    free(words);
    return taken;
}

/* Each read skips all handlers in a few steps. */
static void the_time_is_linear_whatever_the_code(void **state) {
    assert_true(seconds_for(1000) < 20 * seconds_for(1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_code_is_refused),
        cmocka_unit_test(a_missing_file_is_refused),
        cmocka_unit_test(a_fragment_is_the_body_of_a_function),
        cmocka_unit_test(effects_are_of_ocaml_5),
        cmocka_unit_test(heights_and_entries_are_found),
        cmocka_unit_test(a_function_is_verified_when_it_is_wanted),
        cmocka_unit_test(every_label_of_reached_code_is_reached),
        cmocka_unit_test(a_loop_by_any_jump_needs_a_poll),
        cmocka_unit_test(loops_that_poll_may_hold_anything),
        cmocka_unit_test(counts_and_labels_are_looked_at_before_they_are_used),
        cmocka_unit_test(the_time_is_linear_whatever_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
