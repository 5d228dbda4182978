/* fuzz_text.c - libFuzzer target: any bytes as the text of bytecode.
 *
 * What the assembler accepts is an image that opens again from its bytes and can be printed. */
#include "tests/fuzz/target.h"
#include "vm/text/basm.h"
#include "vm/image/image.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct vm_image image, again;
    struct vm_error error;
    if (vm_assemble((const char *)data, size, &image, &error) != VM_OK) return 0;
    if (vm_image_from_memory(image.bytes, image.length, &again, &error) != VM_OK) abort();
    FILE *out = fopen("/dev/null", "w");
    if (out != NULL) {
        vm_disassemble(&again, out, &error);
        fclose(out);
    }
    vm_image_close(&again);
    vm_image_close(&image);
    return 0;
}
