/* fuzz_image.c - libFuzzer target: any bytes as a bytecode executable.
 *
 * The container is opened, its constants are read, its code is verified as a program and as a piece
 * loaded at run time, under the rules of each version of OCaml, and it is printed as text. What the
 * verifier accepts must keep its promises: entries and heights lie where it says. What is printed
 * must come back as the same bytes, whatever they were. */
#include "stdlib/state.h"
#include "tests/fuzz/target.h"
#include "vm/base/arena.h"
#include "vm/code/code.h"
#include "vm/code/ir.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify.h"
#include "vm/image/image.h"
#include "vm/marshal/reader.h"
#include "vm/text/basm.h"

#include <stdlib.h>
#include <string.h>

static unsigned arity_of(void *context, uint32_t p) {
    const struct vm_image *image = context;
    for (size_t i = 0; i < prim_library.count; i++)
        if (strcmp(prim_library.rows[i].name, image->primitive_names[p]) == 0)
            return (unsigned)strlen(prim_library.rows[i].kinds);
    return 0;
}

static uint32_t count_globals(const struct vm_image *image) {
    const struct vm_section *section = vm_image_section(image, "DATA");
    struct vm_arena arena = {0};
    struct vm_error error;
    size_t used;
    value v;
    uint32_t count = 0;
    if (section != NULL &&
        vm_marshal_read_arena(section->bytes, section->length, &arena, &v, &used, &error) ==
            VM_OK &&
        is_block(v) && tag_of(v) == 0)
        count = (uint32_t)wosize_of(v);
    vm_arena_free(&arena);
    return count;
}

static void check_promises(const struct vm_image *image, struct vm_verifier *v,
                           const struct vm_words *words) {
    for (uint32_t i = 1; i < vm_entry_count(v); i++) {
        const struct vm_entry *entry = vm_entry_at(v, i);
        if (entry->pc >= image->code_words || entry->arity == 0 ||
            entry->frame_words > VM_MAX_HEIGHT || vm_find_entry(v, entry->pc) != i)
            abort();
        struct vm_code code = {.words = *words, .word_count = words->count, .verifier = v};
        struct vm_ir ir = {.rows = NULL};
        vm_ir_make(&ir, &code, i);
        for (size_t row = 0; row < ir.count; row++)
            if (ir.rows[row].height > entry->frame_words) abort();
        vm_ir_free(&ir);
    }
}

static void verify(struct vm_image *image, enum vm_version_id version, bool fragment) {
    struct vm_words words;
    struct vm_verify_input in = {
        .words = &words,
        .version = &vm_versions[version],
        .global_count = count_globals(image),
        .primitive_count = image->primitive_count,
        .primitive_arity = arity_of,
        .context = image,
        .fragment = fragment,
    };
    struct vm_error error;
    if (!vm_words_make(&words, image->code, image->code_words)) return;
    struct vm_verifier *v = vm_verifier_create(&in, &error);
    if (v != NULL && vm_verify_all(v, &error) == VM_OK) check_promises(image, v, &words);
    vm_verifier_free(v);
    vm_words_free(&words);
}

static void check_round_trip(const struct vm_image *image) {
    char *text = NULL;
    size_t length = 0;
    struct vm_image again;
    struct vm_error error;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL || vm_disassemble(image, out, &error) != VM_OK || fclose(out) != 0) abort();
    if (vm_assemble(text, length, &again, &error) != VM_OK) abort();
    if (again.length != image->length || memcmp(again.bytes, image->bytes, image->length) != 0)
        abort();
    vm_image_close(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct vm_image image;
    struct vm_error error;
    if (vm_image_from_memory(data, size, &image, &error) != VM_OK) return 0;
    verify(&image, OCAML_4_13, false);
    verify(&image, OCAML_4_13, true);
    verify(&image, OCAML_5_0, true);
    verify(&image, OCAML_5_3, false);
    check_round_trip(&image);
    vm_image_close(&image);
    return 0;
}
