/* changed_test.c - images with a byte changed: those that still open come back from dis and asm as
 * the same bytes (K1 to K3).
 *
 *   image_changed_test TEXTS      a folder of texts for asm, whose images are taken */
#include "vm/text/basm.h"
#include "vm/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_BYTES = 1 << 16 };

static const char *texts;

/* Whether the bytes open as an image, which must then come back. */
static bool comes_back(const uint8_t *bytes, size_t n, const char *name, size_t at) {
    struct vm_image image, again;
    struct vm_error error;
    char *text = NULL;
    size_t length = 0;
    if (vm_image_from_memory(bytes, n, &image, &error) != VM_OK) return false;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(vm_disassemble(&image, out, &error), VM_OK);
    fclose(out);
    if (vm_assemble(text, length, &again, &error) != VM_OK)
        fail_msg("%s, byte %zu: its text is refused: %s", name, at, error.detail);
    if (again.length != n || memcmp(again.bytes, bytes, n) != 0)
        fail_msg("%s, byte %zu: other bytes come back", name, at);
    vm_image_close(&again);
    vm_image_close(&image);
    free(text);
    return true;
}

/* Returns how many of the changed images open. */
static size_t change_each_byte(const struct vm_image *image, const char *name) {
    static const uint8_t changes[] = {0x01, 0x80, 0xff, 0x10, 0x02};
    uint8_t *bytes = malloc(image->length);
    size_t open = 0;
    assert_non_null(bytes);
    memcpy(bytes, image->bytes, image->length);
    assert_true(comes_back(bytes, image->length, name, 0));
    for (size_t i = 0; i < image->length; i++) {
        bytes[i] ^= changes[i % sizeof changes];
        open += comes_back(bytes, image->length, name, i);
        bytes[i] = image->bytes[i];
    }
    free(bytes);
    return open;
}

static void changed_images_come_back_from_dis_and_asm(void **state) {
    static char text[MOST_BYTES];
    char path[PATH_MAX];
    size_t open = 0, count = 0;
    DIR *folder = opendir(texts);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct vm_image image;
        struct vm_error error;
        if (strstr(entry->d_name, ".basm") == NULL) continue;
        snprintf(path, sizeof path, "%s/%s", texts, entry->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        size_t n = fread(text, 1, sizeof text, file);
        fclose(file);
        assert_int_equal(vm_assemble(text, n, &image, &error), VM_OK);
        open += change_each_byte(&image, entry->d_name);
        count++;
        vm_image_close(&image);
    }
    closedir(folder);
    assert_true(count > 10 && open > 1000);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_images_come_back_from_dis_and_asm),
    };
    if (argc != 2) return 2;
    texts = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
