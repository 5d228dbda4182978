/* forms_are_found_test.c - each fused form of engine.def is found where its elements follow one
 * another, also where short instructions stand for its long elements. The matcher's tables are made
 * by fused_forms.py; here the rows are read as C macros. */
#include "vm/code/opcodes.h"
#include "vm/engine/fuse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A row: its form, and the names of its elements. */
struct row {
    unsigned form, length;
    const char *elements[LONGEST_FORM];
};
static const struct row rows[] = {
#define FUSED2(a, b)       {ENGINE_##a##__##b, 2, {#a, #b}},
#define FUSED3(a, b, c)    {ENGINE_##a##__##b##__##c, 3, {#a, #b, #c}},
#define FUSED4(a, b, c, d) {ENGINE_##a##__##b##__##c##__##d, 4, {#a, #b, #c, #d}},
#define CALL2(a, b)        FUSED2(a, b)
#define CALL3(a, b, c)     FUSED3(a, b, c)
#define CALL4(a, b, c, d)  FUSED4(a, b, c, d)
#include "vm/code/engine.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* What an instruction of the loop is called, and the long one that it is a case of. */
struct instruction {
    unsigned op;
    const char *name, *general;
};
static const struct instruction instructions[] = {
#define OP(name, operands, delta, flags, meaning) {OP_##name, #name, #name},
#define SHORT(name, long_name, first, operands, delta, flags, meaning) \
    {OP_##name, #name, #long_name},
#include "vm/code/opcodes.def"
#define SPECIAL(name, instruction, operand)      {ENGINE_##name, #name, #instruction},
#define INLINED(name, primitive, arity, meaning) {ENGINE_##name, #name, #name},
#include "vm/code/engine.def"
};
enum { INSTRUCTIONS = sizeof instructions / sizeof *instructions };

static bool stands_for(const struct instruction *instruction, const char *element) {
    return strcmp(instruction->name, element) == 0 || strcmp(instruction->general, element) == 0;
}

/* The form of instructions that follow one another; 0: none does them all. */
static unsigned form_of(const struct instruction *const *read, unsigned length) {
    unsigned state = vm_form_begin[read[0]->op];
    for (unsigned i = 1; state != 0 && i < length; i++) state = vm_form_next(state, read[i]->op);
    return state == 0 ? 0 : vm_form_of[state];
}

static const struct row *row_of(unsigned form) {
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].form == form) return &rows[i];
    return NULL;
}

static void each_row_is_found_by_its_own_elements(void **unused) {
    assert_true(ROWS > 100);
    for (unsigned i = 0; i < ROWS; i++) {
        const struct instruction *read[LONGEST_FORM] = {NULL};
        for (unsigned e = 0; e < rows[i].length; e++) {
            for (unsigned n = 0; n < INSTRUCTIONS; n++)
                if (strcmp(instructions[n].name, rows[i].elements[e]) == 0)
                    read[e] = &instructions[n];
            assert_non_null(read[e]);
        }
        if (form_of(read, rows[i].length) != rows[i].form)
            fail_msg("%s__%s... of %u is not found", rows[i].elements[0], rows[i].elements[1],
                     rows[i].length);
    }
}

/* A form that does these instructions, if not the row's own, then a less general one. */
static void check_found(const struct row *row, const struct instruction *const *read) {
    const struct row *found = row_of(form_of(read, row->length));
    if (found == NULL)
        fail_msg("no form is found for %s, %s of %s__%s...", read[0]->name, read[1]->name,
                 row->elements[0], row->elements[1]);
    assert_int_equal(found->length, row->length);
    for (unsigned e = 0; e < row->length; e++) assert_true(stands_for(read[e], found->elements[e]));
}

/* All sequences of instructions for the elements from `next` on. Returns how many. */
static unsigned check_all(const struct row *row, const struct instruction **read, unsigned next) {
    unsigned count = 0;
    if (next == row->length) {
        check_found(row, read);
        return 1;
    }
    for (unsigned n = 0; n < INSTRUCTIONS; n++) {
        read[next] = &instructions[n];
        if (stands_for(read[next], row->elements[next])) count += check_all(row, read, next + 1);
    }
    return count;
}

static void each_row_is_found_by_cases_of_its_elements(void **unused) {
    unsigned count = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        const struct instruction *read[LONGEST_FORM];
        count += check_all(&rows[i], read, 0);
    }
    assert_true(count > 2 * ROWS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_found_by_its_own_elements),
        cmocka_unit_test(each_row_is_found_by_cases_of_its_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
