/* code.h - bytecode fragments and the functions in them.
 *
 * A fragment is the program's CODE or a piece loaded at run time. Fragments have consecutive global
 * pcs (gpc): fragment f covers [f->base, f->base + f->word_count). A function is a label that a
 * closure can name; it lives at a fixed index of one reserved table, and closures hold that index,
 * tagged: never an address, so the collector scans them like any block, and a forged value cannot
 * cause a jump to an arbitrary address.
 *
 * C1  Every closure's code field is val_of_int(i) with 1 <= i < function_count, or 0 before a let
 *     rec fills it in; functions[i].entry is set for all of them (function 0 raises).
 * C2  A function's entry is the "prepare me" code until its first call, which verifies and decodes
 *     it; then its decoded code. The main function of a program in pieces (pieces.h) cannot be
 *     called again.
 * C3  The words of a fragment never change: digests and decoding read the original. */
#ifndef BACTRIAN_VM_CODE_CODE_H
#define BACTRIAN_VM_CODE_CODE_H

#include "gc/value.h"
#include "vm/code/verify.h"
#include "vm/code/words.h"

struct vm;
struct vm_debuginfo;

#define VM_NO_GPC (((uint64_t)1 << 42) - 1) /* not a pc of any fragment */

enum vm_function_kind { FUNCTION_MAIN, FUNCTION_CLOSURE, FUNCTION_RESTART };

/* The fields that a call needs come first. Most functions of a large program are never called: the
 * data of decoded ones are in decoded.h, so that two rows share a cache line. */
struct vm_function {
    _Alignas(32) const uintptr_t *entry; /* where a call continues: decoded instructions */
    uint64_t frame_bytes;                /* what a call must find free: the highest height; 0:
                                            not prepared */
    uint32_t grabs;                      /* once prepared: the arity, if entry is a GRAB that
                                            calls may skip; else 0 */
    uint32_t pc;                         /* in the fragment, words */
    uint32_t decoded;                    /* row of vm_decoded_area.decoded + 1; 0: not prepared */
    uint32_t fragment : 30;              /* index */
    uint32_t kind : 2;                   /* enum vm_function_kind */
};
_Static_assert(sizeof(struct vm_function) == 32, "the loop scales a closure's code by a shift");

struct vm_code {
    uint64_t base; /* first gpc */
    struct vm_words words;
    uint32_t word_count;
    bool digest_known;
    bool digest_given; /* by the code that loaded it; else computed */
    bool released;
    bool loaded;        /* at run time: its main function takes an argument */
    uint8_t digest[16]; /* MD5 of words as little-endian bytes */
    struct vm_verifier *verifier;
    struct vm_pieces *pieces; /* NULL: the code at word 0 is prepared as a whole */
    uint32_t main_function;
    uint32_t first_function_id; /* of its main function; then come its entries'
                                   (vm/code/function_id.h) */
    uint32_t *function_id_at;   /* per word: the id of the function decoded there */
    struct vm_debuginfo *debug; /* events given when the code was loaded at run time, or NULL */
};

/* Adds a fragment, which may refer to that many globals; *index is its number. Takes over the
 * words, and frees them when it fails. Verifies the code at word 0; all of it if it was loaded at
 * run time, or with vm_options.verify_all. GC: never.  Fails: a status of the verifier. */
enum vm_status vm_code_add(struct vm *vm, struct vm_words *words, uint32_t global_count,
                           bool fragment, uint32_t *index, struct vm_error *error);
/* Makes vm_code_with_digest forget a fragment. Its words and functions stay: frames and closures
 * may still name them. */
void vm_code_release(struct vm *vm, uint32_t index);
void vm_codes_free(struct vm *vm);
struct vm_code *vm_code_at(const struct vm *vm, uint64_t gpc); /* the fragment of a gpc, or NULL */

/* The function whose code starts at pc of a fragment (an entry, or the RESTART before it); 0 if no
 * closure can name that pc. Verifies the whole fragment if no verified function names it.
 * GC: never. */
uint32_t vm_function_at(struct vm *vm, uint32_t fragment, uint32_t pc);
/* The verifier's entry for a function. GC: never. */
const struct vm_entry *vm_entry_of(const struct vm *vm, const struct vm_function *f);
static inline uint32_t function_of_closure(value closure) {
    return (uint32_t)int_of_val(field(closure, 0));
}

/* MD5 of the fragment's bytes: vm_code_sum computes it each time, vm_code_digest once. */
void vm_code_sum(const struct vm_code *code, uint8_t digest[16]);
const uint8_t *vm_code_digest(struct vm_code *code);
/* The fragment with that digest, or NULL. */
struct vm_code *vm_code_with_digest(struct vm *vm, const uint8_t digest[16], uint32_t *index);

/* Opcode of the instruction at gpc, OPCODE_COUNT if there is none. */
unsigned vm_opcode_at(const struct vm *vm, uint64_t gpc);
/* The name of the primitive that the instruction before gpc calls, for a frame that waits for it.
 * NULL: it calls none. GC: never. */
const char *vm_primitive_called_before(const struct vm *vm, uint64_t gpc);

/* Checks the tables of functions and fragments; called at a machine's end. GC: never. */
void vm_selfcheck_code(struct vm *vm);

#endif
