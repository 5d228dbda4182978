/* verify.h - the static verifier: what bytecode must satisfy before one instruction of it runs.
 *
 * Linear in the size of the code. It proves that jumps, returns and handlers land on instructions
 * of the same function, that no stack under-run happens and no control word is read or forged, that
 * environment accesses are in bounds, and that every cycle passes a poll; and it yields, for the
 * rest of the machine, the height of the frame at each instruction and the entry points that
 * closures may name. Kinds of heap values are not its business: the checked machine tests those as
 * it runs. */
#ifndef BACTRIAN_VM_CODE_VERIFY_H
#define BACTRIAN_VM_CODE_VERIFY_H

#include "vm/base/status.h"
#include "vm/code/version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VM_UNREACHED          UINT32_MAX
#define VM_MAX_HEIGHT         (1u << 20)
#define VM_MAX_CONTROL_FRAMES 1024u
#define VM_MAX_CODE_WORDS     (1u << 30)

/* A label that a closure can name. pc counts words from the start of the code. For a function of
 * arity > 1 pc is its GRAB, and the RESTART at pc - 1 is an entry of its own kind (a partial
 * application). */
struct vm_entry {
    uint32_t pc;
    uint32_t frame_words; /* highest height between two instructions of the function, arguments and
                             control frames included; what one instruction needs for itself (the
                             frame of a call, two words of a primitive) comes on top */
    uint32_t arity;       /* 1, or GRAB's operand + 1 */
    uint32_t functions;   /* environment shape: functions in the closure block, ... */
    uint32_t variables;   /* ... free variables after them, ... */
    uint32_t index;       /* ... and which of the functions this is */
};

/* Codes of vm_verified.heights that are no heights. */
enum { HEIGHT_FAR = 253, HEIGHT_UNSEEN = 254, HEIGHT_NONE = 255 };

/* A height that has no code of its own. */
struct vm_far_height {
    uint32_t pc, height;
};

/* What the verifier found. Owned by the caller; vm_verified_free. */
struct vm_verified {
    uint8_t *heights; /* per word, see vm_height_of: the height below HEIGHT_FAR; HEIGHT_FAR:
                                  it is in far; above: VM_UNREACHED */
    struct vm_far_height *far; /* by ascending pc */
    uint32_t far_count;
    struct vm_entry *entries; /* by ascending pc */
    uint32_t entry_count;
    uint32_t main_frame_words;
    uint64_t *reachable_primitives; /* bitmap over primitive numbers */
};

struct vm_verify_input {
    const uint32_t *words;
    uint32_t word_count;
    const struct vm_version *version;
    uint32_t global_count; /* GETGLOBAL and SETGLOBAL must stay below */
    uint32_t primitive_count;
    /* Arity of primitive p (from the typed table), 0 if unknown (not checked). */
    unsigned (*primitive_arity)(void *context, uint32_t p);
    void *context;
    bool fragment; /* code loaded at run time: runs as the body of a function of one argument and
                      ends in RETURN 1; else a program, which ends in STOP. Neither body is
                      among the entries */
};

/* Verifies the code. On success fills *out and returns VM_OK; else fills *error and leaves *out
 * empty. GC: never.  Fails: a status V_..., its detail starting with the location,
 * "CODE+0x1a4 (APPTERM2): "; VM_NO_MEMORY. */
enum vm_status vm_verify(const struct vm_verify_input *in, struct vm_verified *out,
                         struct vm_error *error);
void vm_verified_free(struct vm_verified *verified);
/* Height of the frame before the instruction that starts at pc (arguments at the bottom, control
 * frames counted); VM_UNREACHED for operands and dead code. A RESTART has 1. Every label of an
 * instruction that is reached is reached too. Needs: pc lies in the code. GC: never. */
uint32_t vm_height_of(const struct vm_verified *verified, uint32_t pc);
/* The entry at pc (pc of a RESTART finds the function after it), or NULL. */
const struct vm_entry *vm_find_entry(const struct vm_verified *verified, uint32_t pc);

#endif
