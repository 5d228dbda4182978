/* verify_test.c - what the verifier says of code that no image on a command line can hold: empty
 * code, pieces loaded at run time, the effects of OCaml 5; and what it yields (Q1 to Q8). */
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

static enum vm_status verify(const uint32_t *words, size_t count, enum vm_version_id version,
                             bool fragment, struct vm_verified *out) {
    struct vm_verify_input in = {
        .words = words,
        .word_count = (uint32_t)count,
        .version = &vm_versions[version],
        .global_count = 20,
        .primitive_count = 10,
        .fragment = fragment,
    };
    struct vm_error error;
    return vm_verify(&in, out, &error);
}

/* The status of code, its results dropped. */
static enum vm_status judge(const uint32_t *words, size_t count, enum vm_version_id version,
                            bool fragment) {
    struct vm_verified verified;
    enum vm_status status = verify(words, count, version, fragment, &verified);
    if (status != VM_OK) assert_null(verified.heights);
    vm_verified_free(&verified);
    return status;
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
    ASSERT_STATUS(VM_OK, OCAML_5_1, false, OP_PUSH, OP_PUSH, OP_RESUME, OP_STOP);
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

static void heights_and_entries_are_yielded(void **state) {
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
    /* Two variables want one pushed word. */
    struct vm_verified verified;
    assert_int_equal(verify(image.code, image.code_words, OCAML_4_13, false, &verified),
                     VM_V_STACK);
    ((uint32_t *)image.code)[2] = 1;
    assert_int_equal(verify(image.code, image.code_words, OCAML_4_13, false, &verified), VM_OK);
    assert_int_equal(verified.entry_count, 2);
    const struct vm_entry *f = vm_find_entry(&verified, 9), *g = &verified.entries[1];
    assert_ptr_equal(f, &verified.entries[0]);
    assert_ptr_equal(f, vm_find_entry(&verified, 8)); /* the RESTART before it */
    assert_null(vm_find_entry(&verified, 0));
    assert_null(vm_find_entry(&verified, g->pc - 1));
    assert_int_equal(f->arity, 3);
    assert_int_equal(f->frame_words, 7);
    assert_int_equal(f->functions, 2);
    assert_int_equal(f->variables, 1);
    assert_int_equal(f->index, 0);
    assert_int_equal(g->arity, 1);
    assert_int_equal(g->frame_words, 1);
    assert_int_equal(g->index, 1);
    static const uint32_t u = VM_UNREACHED;
    const uint32_t heights[] = {0, u, u, u, u, 2, u, 0, 1, 3, u, 3,
                                u, 7, 7, 3, u, 1, u, 1, u, u, u};
    assert_int_equal(image.code_words, COUNT(heights));
    for (uint32_t pc = 0; pc < COUNT(heights); pc++)
        assert_int_equal(vm_height_of(&verified, pc), heights[pc]);
    assert_int_equal(verified.main_frame_words, 2);
    assert_int_equal(verified.reachable_primitives[0], 2);
    vm_verified_free(&verified);
    vm_image_close(&image);
}

static void every_label_of_reached_code_is_reached(void **state) {
    /* The call never happens, but its return address is code of this function all the same. */
    const uint32_t words[] = {OP_PUSH_RETADDR, 2, OP_GETGLOBAL, 0, OP_RAISE, OP_STOP};
    struct vm_verified verified;
    assert_int_equal(verify(words, COUNT(words), OCAML_4_13, false, &verified), VM_V_LABEL);
    const uint32_t right[] = {OP_PUSH_RETADDR, 4, OP_GETGLOBAL, 0, OP_RAISE, OP_STOP};
    assert_int_equal(verify(right, COUNT(right), OCAML_4_13, false, &verified), VM_OK);
    assert_int_equal(vm_height_of(&verified, 5), 0);
    assert_int_equal(vm_height_of(&verified, 2), 3);
    vm_verified_free(&verified);
}

/* Q5, by each instruction that can jump; PUSHTRAP and PUSH_RETADDR only name a place. */
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

/* What lies on the ways around a loop that polls: a call, handlers, jumps, ends. */
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
    struct vm_verified verified;
    assert_int_equal(vm_assemble(text, strlen(text), &image, &error), VM_OK);
    assert_int_equal(verify(image.code, image.code_words, OCAML_4_13, false, &verified), VM_OK);
    assert_int_equal(verified.main_frame_words, 5);
    vm_verified_free(&verified);
    /* Without the poll, which is the last instruction but four. */
    uint32_t *poll = (uint32_t *)image.code + image.code_words - 6;
    assert_int_equal(*poll, OP_CHECK_SIGNALS);
    *poll = OP_CONST0;
    assert_int_equal(verify(image.code, image.code_words, OCAML_4_13, false, &verified), VM_V_LOOP);
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
    const uint32_t one = OP_STOP;
    struct vm_verified verified;
    assert_int_equal(verify(&one, (size_t)VM_MAX_CODE_WORDS + 1, OCAML_4_13, false, &verified),
                     VM_V_LENGTH);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A thousand handlers, then a million reads of the deepest slot: each finds its way past them. */
static void the_time_is_linear_whatever_the_code(void **state) {
    enum { HANDLERS = 1000, READS = 1000000 };
    size_t count = 1 + 2 * HANDLERS + 2 * READS + 1 + HANDLERS, n = 0;
    uint32_t *words = malloc(count * sizeof *words);
    words[n++] = OP_PUSH;
    for (int i = 0; i < HANDLERS; i++) {
        words[n++] = OP_PUSHTRAP;
        words[n] = (uint32_t)(count - 1 - i - n); /* the i-th word from the end */
        n++;
    }
    for (int i = 0; i < READS; i++) {
        words[n++] = OP_ACC;
        words[n++] = 4 * HANDLERS;
    }
    while (n < count) words[n++] = OP_RAISE_NOTRACE;
    double start = seconds();
    assert_int_equal(judge(words, count, OCAML_4_13, false), VM_OK);
    assert_true(seconds() - start < 2);
    free(words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_code_is_refused),
        cmocka_unit_test(a_missing_file_is_refused),
        cmocka_unit_test(a_fragment_is_the_body_of_a_function),
        cmocka_unit_test(effects_are_of_ocaml_5),
        cmocka_unit_test(heights_and_entries_are_yielded),
        cmocka_unit_test(every_label_of_reached_code_is_reached),
        cmocka_unit_test(a_loop_by_any_jump_needs_a_poll),
        cmocka_unit_test(loops_that_poll_may_hold_anything),
        cmocka_unit_test(counts_and_labels_are_looked_at_before_they_are_used),
        cmocka_unit_test(the_time_is_linear_whatever_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
