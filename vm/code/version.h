/* version.h - the OCaml versions whose executables the machine runs, and where they differ. */
#ifndef BACTRIAN_VM_CODE_VERSION_H
#define BACTRIAN_VM_CODE_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vm_version_id {
    OCAML_4_13,
    OCAML_4_14,
    OCAML_5_0,
    OCAML_5_1,
    OCAML_5_2,
    OCAML_5_3,
    OCAML_COUNT
};

struct vm_version {
    enum vm_version_id id;
    const char *magic; /* the last 12 bytes of an executable */
    const char *name;  /* "4.13.1" */
    unsigned opcode_count;
    unsigned last_constructor_tag;  /* the highest tag that a constructor with arguments has */
    unsigned resume_arguments;      /* stack arguments of RESUME */
    unsigned backtrace_slot_fields; /* of Printexc's location record */
    unsigned marshal_data_header;   /* what caml_marshal_data_size subtracts */
    unsigned marshal_colour;        /* in the block headers that Marshal writes */
    size_t default_max_stack_words;
    bool supported; /* the others are recognised, to be refused with a message */
};
extern const struct vm_version vm_versions[OCAML_COUNT];
/* The version of a 12-byte magic, or NULL. */
const struct vm_version *vm_version_of_magic(const char *magic);

#endif
