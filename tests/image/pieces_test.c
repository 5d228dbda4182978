/* pieces_test.c - the program's own code in pieces (PC1). */
#include "vm/code/code.h"
#include "vm/code/ir.h"
#include "vm/code/pieces.h"
#include "vm/image/image.h"
#include "vm/text/basm.h"

/* cmocka.h needs these first. */
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 2000 };

/* The code of a text that has `block` BLOCKS times, each with labels of its own for a, b and c. */
static void make_code(const char *block, struct vm_code *code) {
    char *text;
    size_t length;
    struct vm_image image;
    struct vm_error error;
    FILE *out = open_memstream(&text, &length);
    fputs("code\n", out);
    for (int i = 0; i < BLOCKS; i++)
        for (const char *p = block; *p != '\0'; p++)
            if (*p == '$') fprintf(out, "%d", i);
            else fputc(*p, out);
    fputs("    STOP\n", out);
    fclose(out);
    if (vm_assemble(text, length, &image, &error) != VM_OK) fail_msg("%s", error.detail);
    free(text);
    *code = (struct vm_code){.loaded = false};
    const struct vm_verify_input in = {.words = &code->words, .version = &vm_versions[OCAML_4_14]};
    assert_true(vm_words_make(&code->words, image.code, image.code_words));
    code->verifier = vm_verifier_create(&in, &error);
    if (vm_verify_function(code->verifier, 0, &error) != VM_OK) fail_msg("%s", error.detail);
    vm_image_close(&image);
}

static void free_code(struct vm_code *code) {
    vm_pieces_free(code->pieces);
    vm_verifier_free(code->verifier);
    vm_words_free(&code->words);
}

/* Whether a piece may begin with that instruction of a block. */
typedef bool beginning(unsigned op);

/* The pieces have the rows of the whole, each once, and begin where they may. */
static void check_pieces(const char *block, beginning *may_begin) {
    struct vm_code code;
    struct vm_ir whole = {.rows = NULL}, piece = whole;
    struct vm_back_jumps *jumps;
    make_code(block, &code);
    uint32_t count = vm_known_flow(code.verifier, 0, &jumps), from = 0, pieces = 0;
    assert_true(count > VM_WHOLE_ROWS);
    code.pieces = vm_pieces_create(code.verifier);
    assert_non_null(code.pieces);
    vm_ir_make(&whole, &code, 0);
    assert_int_equal(whole.count, count);
    for (uint32_t next; pieces == 0 || from != 0; from = next, pieces++) {
        next = vm_ir_make_piece(&piece, &code, from);
        size_t rows = piece.count - (next != 0);
        assert_true(may_begin(piece.rows[0].op));
        if (next != 0) assert_true(rows >= VM_PIECE_ROWS / 2 && next == from + rows);
        else assert_int_equal(from + rows, count);
        for (size_t i = 0; i < rows; i++) {
            const struct vm_ir_row *row = &piece.rows[i], *same = &whole.rows[from + i];
            uint32_t n, m;
            assert_int_equal(row->pc, same->pc);
            assert_int_equal(row->op, same->op);
            assert_int_equal(row->height, same->height);
            const uint32_t *labels = vm_ir_labels(&piece, row, &n);
            const uint32_t *same_labels = vm_ir_labels(&whole, same, &m);
            assert_int_equal(n, m);
            while (n-- > 0) assert_int_equal(from + labels[n], same_labels[n]);
        }
        vm_ir_free(&piece);
    }
    assert_true(pieces > count / VM_PIECE_ROWS / 2);
    vm_ir_free(&whole);
    free_code(&code);
}

static bool any(unsigned op) { return op != OP_CONST1; }

static void pc1_no_piece_begins_between_a_branch_and_its_label(void **state) {
    check_pieces("    CONST0\n"
                 "    BRANCHIF a$\n"
                 "    CONST1\n"
                 "    BRANCH b$\n"
                 "a$: CONST1\n"
                 "b$: CONST0\n",
                 any);
}

static bool not_in_the_loop(unsigned op) { return op == OP_CONST0 || op == OP_CHECK_SIGNALS; }

static void pc1_no_piece_begins_within_a_loop(void **state) {
    check_pieces("    CONST0\n"
                 "a$: CHECK_SIGNALS\n"
                 "    CONST1\n"
                 "    CONST2\n"
                 "    BRANCHIF a$\n",
                 not_in_the_loop);
}

static bool not_in_a_frame(unsigned op) { return op != OP_CONST1 && op != OP_PUSHCONST1; }

static void pc1_no_piece_begins_while_a_control_frame_is_open(void **state) {
    check_pieces("    PUSHTRAP a$\n"
                 "    CONST1\n"
                 "    CONST1\n"
                 "    POPTRAP\n"
                 "    CONST1\n"
                 "    BRANCH b$\n"
                 "a$: CONST1\n"
                 "b$: PUSH_RETADDR c$\n"
                 "    CONST1\n"
                 "    PUSHCONST1\n"
                 "    APPLY 1\n" /* returns to c */
                 "c$: POP 0\n"
                 "    BRANCHIF d$\n"
                 "    CONST1\n"
                 "d$: CONST0\n",
                 not_in_a_frame);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pc1_no_piece_begins_between_a_branch_and_its_label),
        cmocka_unit_test(pc1_no_piece_begins_within_a_loop),
        cmocka_unit_test(pc1_no_piece_begins_while_a_control_frame_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
