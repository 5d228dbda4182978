/* version.c - the table of version.h: the columns of version.def. */
#include "vm/code/version.h"

#include "gc/value.h"
#include "vm/code/opcodes.h"
#include "vm/state/abi.h"

#include <string.h>

const struct vm_version vm_versions[OCAML_COUNT] = {
#define FIELD(type, name, v0, v1, v2, v3, v4, v5, v6)                                             \
    [OCAML_4_13].name = v0, [OCAML_4_14].name = v1, [OCAML_5_0].name = v2, [OCAML_5_1].name = v3, \
    [OCAML_5_2].name = v4, [OCAML_5_3].name = v5, [OCAML_5_4].name = v6,
#include "vm/code/version.def"
};

const struct vm_version *vm_version_of_magic(const char *magic) {
    for (size_t i = 0; i < OCAML_COUNT; i++)
        if (memcmp(vm_versions[i].magic, magic, 12) == 0) return &vm_versions[i];
    return NULL;
}
