/* constants_test.c - rows and bytes of constants say the same (K1 to K3), and what is printed is
 * read as the same again (K4, K5); K2 by a search. */
#include "vm/text/basm.h"
#include "vm/marshal/constants.h"
#include "vm/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A value's bytes, by way of the assembler. */
static uint8_t *assembled(const char *value, size_t *length) {
    char *text;
    struct vm_image image;
    struct vm_error error;
    assert_true(asprintf(&text, "code\n STOP\nsection ABCD value\n %s\n", value) > 0);
    if (vm_assemble(text, strlen(text), &image, &error) != VM_OK) fail_msg("%s", error.detail);
    const struct vm_section *section = vm_image_section(&image, "ABCD");
    uint8_t *bytes = malloc(section->length);
    memcpy(bytes, section->bytes, section->length);
    *length = section->length;
    vm_image_close(&image);
    free(text);
    return bytes;
}

#define HEADER(bytes, objects, words_32, words_64) \
    "\x84\x95\xa6\xbe\0\0\0" bytes "\0\0\0" objects "\0\0\0" words_32 "\0\0\0" words_64

/* As OCaml's Marshal writes them. */
static void values_have_the_bytes_of_marshal(void **state) {
    static const struct {
        const char *value, *bytes;
        size_t length;
    } cases[] = {
#define CASE(value, bytes) {value, bytes, sizeof bytes - 1}
        CASE("0", HEADER("\1", "\0", "\0", "\0") "\x40"),
        CASE("63", HEADER("\1", "\0", "\0", "\0") "\x7f"),
        CASE("64", HEADER("\2", "\0", "\0", "\0") "\x00\x40"),
        CASE("-1", HEADER("\2", "\0", "\0", "\0") "\x00\xff"),
        CASE("-129", HEADER("\3", "\0", "\0", "\0") "\x01\xff\x7f"),
        CASE("0x3fffffff", HEADER("\5", "\0", "\0", "\0") "\x02\x3f\xff\xff\xff"),
        CASE("0x40000000", HEADER("\x9", "\0", "\0", "\0") "\x03\0\0\0\0\x40\0\0\0"),
        CASE("()", HEADER("\1", "\0", "\0", "\0") "\x80"),
        CASE("200()", HEADER("\5", "\0", "\0", "\0") "\x08\0\0\0\xc8"),
        CASE("3(1, 2)", HEADER("\3", "\1", "\3", "\3") "\xa3\x41\x42"),
        CASE("16(1)", HEADER("\6", "\1", "\2", "\2") "\x08\0\0\x04\x10\x41"),
        CASE("\"abc\"", HEADER("\4", "\1", "\2", "\2") "\x23"
                                                       "abc"),
        CASE("\"abcd\"", HEADER("\5", "\1", "\3", "\2") "\x24"
                                                        "abcd"),
        CASE("1.0", HEADER("\x9", "\1", "\3", "\2") "\x0c\0\0\0\0\0\0\xf0\x3f"),
        CASE("{1.0}", HEADER("\xa", "\1", "\3", "\2") "\x0e\1\0\0\0\0\0\0\xf0\x3f"),
        CASE("5l", HEADER("\x8", "\1", "\3", "\3") "\x19_i\0\0\0\0\5"),
        CASE("5L", HEADER("\xc", "\1", "\4", "\3") "\x19_j\0\0\0\0\0\0\0\0\5"),
        CASE("5n", HEADER("\x9", "\1", "\3", "\3") "\x19_n\0\1\0\0\0\5"),
        CASE("[1, 2]", HEADER("\5", "\2", "\6", "\6") "\xa0\x41\xa0\x42\x40"),
        CASE("(#1=\"a\", \"b\", #1)", HEADER("\7", "\3", "\x8", "\x8") "\xb0\x21"
                                                                       "a\x21"
                                                                       "b\x04\2"),
        CASE("#1=(1, #1)", HEADER("\4", "\1", "\3", "\3") "\xa0\x41\x04\1"),
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length;
        uint8_t *bytes = assembled(cases[i].value, &length);
        if (length != cases[i].length || memcmp(bytes, cases[i].bytes, length) != 0)
            fail_msg("%s: other bytes than expected", cases[i].value);
        struct vm_constants rows;
        assert_true(vm_constants_read(bytes, length, &rows));
        assert_int_equal(rows.rows[0].end, rows.count); /* K1 */
        vm_constants_free(&rows);
        /* Nothing but the whole is read. */
        for (size_t n = 0; n < length; n++) assert_false(vm_constants_read(bytes, n, &rows));
        free(bytes);
    }
}

static void every_wrong_byte_is_refused_or_means_something_else(void **state) {
    size_t length;
    uint8_t *bytes = assembled("(#1=\"abc\", 5l, -6L, 7n, {1.0, 2.0}, 4.5, [1, 300, 70000, #1])",
                               &length);
    for (size_t i = 0; i < length; i++)
        for (int flip = 1; flip < 256; flip++) {
            struct vm_constants rows;
            bytes[i] ^= (uint8_t)flip;
            if (vm_constants_read(bytes, length, &rows)) {
                for (uint32_t k = 0; k < rows.count; k++) /* K2 */
                    if (rows.rows[k].kind == CONSTANT_SHARED) assert_true(rows.rows[k].target < k);
                vm_constants_free(&rows);
            }
            bytes[i] ^= (uint8_t)flip;
        }
    free(bytes);
}

static void what_is_printed_comes_back(void **state) {
    static const char text[] = "format X030\n"
                               "code\n  GETGLOBAL b\n  STOP\n  WORD 0xffffffff, 54\n"
                               "data bare\n"
                               "a: (\"\\x00\\xff\\n\\\"\\\\\", -0.0, 1e22, 5e-324, nan, infinity)\n"
                               "b: [(), 3(), [1], [1, 2, #7=[3, 4]], #7]\n"
                               "   248(\"x\", 0x3fffffffffffffff, -0x4000000000000000)\n"
                               "primitives \"code\" x \"a b\" x\n"
                               "section \"a\\x00;\\n\" bytes 00ff \"text\"\n"
                               "section DLLS strings \"one\" \"\" \"two\"\n"
                               "section ABCD bytes\n"
                               "launcher \"#!x\\n\"\n";
    struct vm_image image, again;
    struct vm_error error;
    if (vm_assemble(text, strlen(text), &image, &error) != VM_OK) fail_msg("%s", error.detail);
    char *printed;
    size_t length;
    FILE *out = open_memstream(&printed, &length);
    assert_int_equal(vm_disassemble(&image, out, &error), VM_OK);
    fclose(out);
    if (vm_assemble(printed, length, &again, &error) != VM_OK)
        fail_msg("%s\n%s", error.detail, printed);
    assert_int_equal(again.length, image.length);
    assert_memory_equal(again.bytes, image.bytes, image.length);
    assert_int_equal(image.primitive_count, 4);
    assert_non_null(strstr(printed, "GETGLOBAL           g1"));
    free(printed);
    vm_image_close(&again);
    vm_image_close(&image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_bytes_of_marshal),
        cmocka_unit_test(every_wrong_byte_is_refused_or_means_something_else),
        cmocka_unit_test(what_is_printed_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
