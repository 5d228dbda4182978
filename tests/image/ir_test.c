/* ir_test.c - the intermediate form of verified functions: rows, labels, flags (IR1 to IR3). */
#include "vm/code/code.h"
#include "vm/code/ir.h"
#include "vm/image/image.h"
#include "vm/text/basm.h"

/* cmocka.h needs these first. */
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

/* The code of a text, all of it verified, function after function. */
static void make_code(const char *text, struct vm_code *code) {
    struct vm_image image;
    struct vm_error error;
    if (vm_assemble(text, strlen(text), &image, &error) != VM_OK) fail_msg("%s", error.detail);
    *code = (struct vm_code){.loaded = false};
    const struct vm_verify_input in = {.words = &code->words, .version = &vm_versions[OCAML_4_14]};
    assert_true(vm_words_make(&code->words, image.code, image.code_words));
    code->verifier = vm_verifier_create(&in, &error);
    if (code->verifier == NULL || vm_verify_all(code->verifier, &error) != VM_OK)
        fail_msg("%s", error.detail);
    vm_image_close(&image);
}

static void free_code(struct vm_code *code) {
    vm_words_free(&code->words);
    vm_verifier_free(code->verifier);
}

/* The form of the function at pc of the text's code. */
static struct vm_ir form_of(const char *text, uint32_t pc) {
    struct vm_code code;
    struct vm_ir ir = {.rows = NULL};
    make_code(text, &code);
    vm_ir_make(&ir, &code, vm_find_entry(code.verifier, pc));
    free_code(&code);
    return ir;
}

static void check_row(const struct vm_ir *ir, size_t i, uint32_t pc, unsigned op, uint32_t height,
                      unsigned flags) {
    assert_true(i < ir->count);
    assert_int_equal(ir->rows[i].pc, pc);
    assert_int_equal(ir->rows[i].op, op);
    assert_int_equal(ir->rows[i].height, height);
    assert_int_equal(ir->rows[i].flags, flags);
}

static void check_operands(const struct vm_ir *ir, size_t i, uint32_t first, uint32_t second) {
    assert_int_equal(ir->rows[i].operands[0], first);
    assert_int_equal(ir->rows[i].operands[1], second);
}

static void a_function_has_a_row_an_instruction(void **state) {
    static const char text[] = "code\n"
                               "        CLOSURE 0, f\n"
                               "        STOP\n"
                               "        RESTART\n" /* word 4 */
                               "f:      GRAB 1\n"
                               "        PUSHTRAP h\n"
                               "        ACC5\n"
                               "        PUSHACC5\n"
                               "        MAKEBLOCK2 0\n"
                               "        POPTRAP\n"
                               "        BRANCH e\n"
                               "h:      ACC0\n"
                               "e:      PUSHACC1\n"
                               "        RETURN 3\n";
    struct vm_ir ir = form_of(text, 4);
    assert_int_equal(ir.count, 11);
    check_row(&ir, 0, 4, OP_RESTART, 1, IR_LEADER);
    check_row(&ir, 1, 5, OP_GRAB, 2, 0);
    check_row(&ir, 2, 7, OP_PUSHTRAP, 2, IR_BODY);
    assert_int_equal(ir.rows[2].operands[0], 8);
    check_row(&ir, 3, 9, OP_ACC5, 6, IR_LEADER);
    assert_int_equal(ir.rows[3].operands[0], 5);
    check_row(&ir, 4, 10, OP_PUSHACC5, 6, 0);
    check_row(&ir, 5, 11, OP_MAKEBLOCK2, 7, 0);
    check_operands(&ir, 5, 2, 0);
    check_row(&ir, 6, 13, OP_POPTRAP, 6, 0);
    check_row(&ir, 7, 14, OP_BRANCH, 2, 0);
    assert_int_equal(ir.rows[7].operands[0], 9);
    check_row(&ir, 8, 16, OP_ACC0, 2, IR_LEADER | IR_RETURNS);
    check_row(&ir, 9, 17, OP_PUSHACC1, 2, IR_LEADER);
    check_row(&ir, 10, 18, OP_RETURN, 3, 0);
    vm_ir_free(&ir);
}

/* Only backward jumps reach b and c. */
static void rows_ascend_where_flow_does_not(void **state) {
    static const char text[] = "code\n"
                               "        BRANCH a\n"
                               "b:      CONST2\n"
                               "d:      STOP\n"
                               "c:      CONST1\n"
                               "        BRANCH d\n"
                               "        PUSHCONST0\n" /* dead */
                               "        BRANCH b\n"
                               "a:      CONST3\n" /* word 10 */
                               "        SWITCH c | b, b\n";
    struct vm_ir ir = form_of(text, 0);
    uint32_t n;
    assert_int_equal(ir.count, 7);
    check_row(&ir, 0, 0, OP_BRANCH, 0, IR_LEADER | IR_BODY);
    check_row(&ir, 1, 2, OP_CONST2, 0, IR_LEADER | IR_LOOP | IR_HEAD);
    check_row(&ir, 2, 3, OP_STOP, 0, IR_LEADER | IR_LOOP | IR_HEAD);
    check_row(&ir, 3, 4, OP_CONST1, 0, IR_LEADER | IR_LOOP | IR_HEAD);
    check_row(&ir, 4, 5, OP_BRANCH, 0, IR_LOOP);
    check_row(&ir, 5, 10, OP_CONST3, 0, IR_LEADER | IR_LOOP);
    check_row(&ir, 6, 11, OP_SWITCH, 0, IR_LOOP);
    check_operands(&ir, 6, 1, 2);
    const uint32_t *labels = vm_ir_labels(&ir, &ir.rows[6], &n);
    assert_int_equal(n, 3);
    assert_int_equal(labels[0], 3);
    assert_int_equal(labels[1], 1);
    assert_int_equal(labels[2], 1);
    vm_ir_free(&ir);
}

static void a_function_that_is_followed_again_has_the_same_rows(void **state) {
    static const char text[] = "code\n"
                               "        CLOSUREREC 0, g, f\n"
                               "        POP 2\n"
                               "        STOP\n"
                               "        RESTART\n"
                               "f:      GRAB 1\n"
                               "        ACC0\n"
                               "        SWITCH a, b | a\n"
                               "a:      CHECK_SIGNALS\n"
                               "        ACC1\n"
                               "        BRANCHIF a\n"
                               "b:      CONST1\n"
                               "        RETURN 2\n"
                               "g:      PUSHTRAP h\n"
                               "        OFFSETCLOSURE3\n"
                               "        RAISE\n"
                               "h:      RETURN 1\n";
    struct vm_code code;
    struct vm_ir first = {.rows = NULL}, again = first;
    make_code(text, &code);
    uint32_t last = vm_entry_count(code.verifier) - 1; /* whose states are known */
    vm_ir_make(&first, &code, last);
    for (uint32_t entry = 0; entry < last; entry++) vm_ir_make(&again, &code, entry);
    vm_ir_make(&again, &code, last);
    assert_int_equal(again.count, first.count);
    for (size_t i = 0; i < first.count; i++) {
        const struct vm_ir_row *row = &first.rows[i];
        check_row(&again, i, row->pc, row->op, row->height, row->flags);
        assert_int_equal(again.rows[i].operands[0], row->operands[0]);
    }
    vm_ir_free(&first);
    vm_ir_free(&again);
    free_code(&code);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_has_a_row_an_instruction),
        cmocka_unit_test(rows_ascend_where_flow_does_not),
        cmocka_unit_test(a_function_that_is_followed_again_has_the_same_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
