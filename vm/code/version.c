/* version.c - the table of version.h: the columns of version.def. */
#include "vm/code/version.h"

#include "gc/assert.h"
#include "gc/value.h"
#include "vm/code/opcodes.h"
#include "vm/state/abi.h"

#include <string.h>

const struct vm_version vm_versions[OCAML_COUNT] = {
    [OCAML_4_13] =
        {
            .id = OCAML_4_13,
#define FIELD(type, name, v0, v1, v2, v3, v4, v5, v6, v7) .name = v0,
#include "vm/code/version.def"
        },
    [OCAML_4_14] =
        {
            .id = OCAML_4_14,
#define FIELD(type, name, v0, v1, v2, v3, v4, v5, v6, v7) .name = v1,
#include "vm/code/version.def"
        },
    [OCAML_5_0] =
        {
            .id = OCAML_5_0,
#define FIELD(type, name, v0, v1, v2, v3, v4, v5, v6, v7) .name = v2,
#include "vm/code/version.def"
        },
    [OCAML_5_1_0] =
        {
            .id = OCAML_5_1_0,
#define FIELD(type, name, v0, v1, v2, v3, v4, v5, v6, v7) .name = v3,
#include "vm/code/version.def"
        },
    [OCAML_5_1_1] =
        {
            .id = OCAML_5_1_1,
#define FIELD(type, name, v0, v1, v2, v3, v4, v5, v6, v7) .name = v4,
#include "vm/code/version.def"
        },
    [OCAML_5_2] =
        {
            .id = OCAML_5_2,
#define FIELD(type, name, v0, v1, v2, v3, v4, v5, v6, v7) .name = v5,
#include "vm/code/version.def"
        },
    [OCAML_5_3] =
        {
            .id = OCAML_5_3,
#define FIELD(type, name, v0, v1, v2, v3, v4, v5, v6, v7) .name = v6,
#include "vm/code/version.def"
        },
    [OCAML_5_4] =
        {
            .id = OCAML_5_4,
#define FIELD(type, name, v0, v1, v2, v3, v4, v5, v6, v7) .name = v7,
#include "vm/code/version.def"
        },
};

enum { FEWEST_OF_A_RUNTIME = 400 };

const struct vm_version *vm_version_of_magic(const char *magic) {
    for (size_t i = OCAML_COUNT; i-- > 0;)
        if (memcmp(vm_versions[i].magic, magic, 12) == 0) return &vm_versions[i];
    return NULL;
}

static bool has_name(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

const struct vm_version *vm_version_of_names(const struct vm_version *latest,
                                             const char *const *names, size_t count) {
    const struct vm_version *found = latest;
    while (found->told_by != NULL && count >= FEWEST_OF_A_RUNTIME &&
           !has_name(found->told_by, names, count))
        found--;
    ASSERT(memcmp(found->magic, latest->magic, 12) == 0);
    return found;
}
