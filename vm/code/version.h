/* version.h - the OCaml versions whose executables the machine runs, and their differences. */
#ifndef BACTRIAN_VM_CODE_VERSION_H
#define BACTRIAN_VM_CODE_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vm_version_id {
    OCAML_4_13,
    OCAML_4_14,
    OCAML_5_0,
    OCAML_5_1_0,
    OCAML_5_1_1,
    OCAML_5_2,
    OCAML_5_3,
    OCAML_5_4,
    OCAML_COUNT
};

struct vm_abi_layout;

struct vm_version {
    enum vm_version_id id;
#define FIELD(type, name, ...) type name;
#include "vm/code/version.def"
};
extern const struct vm_version vm_versions[OCAML_COUNT];
/* The version of a 12-byte magic, the latest of several, or NULL. */
const struct vm_version *vm_version_of_magic(const char *magic);
/* The version of an image: latest, or an earlier one with the same magic, if the primitives that
 * the image names show it. ocamlc names all those of its runtime; an image with fewer may have been
 * assembled by hand, and shows nothing. */
const struct vm_version *vm_version_of_names(const struct vm_version *latest,
                                             const char *const *names, size_t count);

#endif
