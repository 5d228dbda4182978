/* version.c - the table of version.h. */
#include "vm/code/version.h"

#include "gc/value.h"
#include "vm/code/opcodes.h"

#include <string.h>

#define K ((size_t)1024)
const struct vm_version vm_versions[OCAML_COUNT] = {
    {OCAML_4_13, "Caml1999X030", "4.13.1", OPCODE_COUNT_4X, 245, 0, 7, 20, 0, K *K, true},
    {OCAML_4_14, "Caml1999X031", "4.14.2", OPCODE_COUNT_4X, 245, 0, 7, 20, 0, K *K, true},
    {OCAML_5_0, "Caml1999X032", "5.0.0", OPCODE_COUNT, 243, 2, 7, 20, COLOUR_STATIC, 128 * K *K,
     false},
    {OCAML_5_1, "Caml1999X033", "5.1.1", OPCODE_COUNT, 243, 2, 7, 16, COLOUR_STATIC, 128 * K *K,
     false},
    {OCAML_5_2, "Caml1999X034", "5.2.0", OPCODE_COUNT, 243, 3, 9, 16, COLOUR_STATIC, 128 * K *K,
     false},
    {OCAML_5_3, "Caml1999X035", "5.3.0", OPCODE_COUNT, 243, 3, 9, 16, COLOUR_STATIC, 128 * K *K,
     false},
};

const struct vm_version *vm_version_of_magic(const char *magic) {
    for (size_t i = 0; i < OCAML_COUNT; i++)
        if (memcmp(vm_versions[i].magic, magic, 12) == 0) return &vm_versions[i];
    return NULL;
}
