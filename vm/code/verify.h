/* verify.h - the static verifier: what bytecode must satisfy before any instruction of it runs.
 *
 * A function is verified at the latest before its first call, in linear time; its entry is known as
 * soon as a verified function names it in a closure. Unreachable code is not examined. The verifier
 * proves that instructions do not overlap, that jumps, returns and handlers land on instructions of
 * the same function, that no stack under-run happens and no control word is read or forged, that
 * environment accesses are in bounds, and that every cycle passes a poll; and it yields the entry
 * points that closures may name. It does not know the kinds of heap values, which checked mode
 * checks at run time. */
#ifndef BACTRIAN_VM_CODE_VERIFY_H
#define BACTRIAN_VM_CODE_VERIFY_H

#include "gc/containers.h"
#include "vm/base/status.h"
#include "vm/code/version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VM_MAX_HEIGHT         (1u << 20)
#define VM_MAX_CONTROL_FRAMES 1024u
#define VM_MAX_CODE_WORDS     (1u << 30)
#define VM_NOT_VERIFIED       UINT32_MAX /* of vm_entry.frame_words */

struct vm_verifier;
struct vm_words;

/* A label that a closure can name, or the code at word 0. pc counts words from the start of the
 * code. For a function of arity > 1 pc is its GRAB, and the RESTART at pc - 1 is an entry of its
 * own kind (a partial application). */
struct vm_entry {
    uint32_t pc;
    uint32_t frame_words; /* highest height between two instructions of the function, arguments and
                             control frames included; a single instruction may need more words (the
                             frame of a call, two words of a primitive) */
    uint32_t arity;       /* 1, or GRAB's operand + 1; of a program's code 0 */
    uint32_t functions;   /* environment shape: functions in the closure block, ... */
    uint32_t variables;   /* ... free variables after them, ... */
    uint32_t index;       /* ... and which of the functions this is */
    uint32_t closure, restart; /* rows of the table of functions (vm/code/code.h); 0: none yet */
};

struct vm_verify_input {
    const struct vm_words *words; /* must outlive the verifier */
    const struct vm_version *version;
    uint32_t global_count; /* GETGLOBAL and SETGLOBAL must stay below */
    uint32_t primitive_count;
    /* Arity of primitive p (from the typed table), 0 if unknown (not checked). */
    unsigned (*primitive_arity)(void *context, uint32_t p);
    void *context;
    bool fragment; /* code loaded at run time: runs as the body of a function of one argument and
                      ends in RETURN 1; else a program, which ends in STOP */
};

/* A verifier of that code, which knows entry 0, the code at word 0. The caller ends it with
 * vm_verifier_free. GC: never.  Fails: NULL, with a status V_... in *error, its detail starting
 * with the location, "CODE+0x1a4 (APPTERM2): "; VM_NO_MEMORY. */
struct vm_verifier *vm_verifier_create(const struct vm_verify_input *in, struct vm_error *error);
void vm_verifier_free(struct vm_verifier *v);
/* Verifies the function of an entry, unless that was done before. GC: never.  Fails: as above;
 * after a failure every further call fails with the same error. */
enum vm_status vm_verify_function(struct vm_verifier *v, uint32_t entry, struct vm_error *error);
/* Verifies all functions that closures name, in the order in which these are found. GC, fails: as
 * above. */
enum vm_status vm_verify_all(struct vm_verifier *v, struct vm_error *error);

/* The stack before an instruction. */
struct vm_known_state {
    uint32_t frame; /* innermost open control frame; 0: none */
    uint32_t height;
};

/* A walk over the instructions that control reaches in one verified function, by ascending pc, up
 * to 64 words of code at a time, to their end. The verifier keeps their states until it verifies
 * or walks over another function; for a later walk the function is followed again. */
struct vm_walk {
    uint32_t count; /* of all instructions */
    uint32_t pc;    /* of the current words' first one */
    uint64_t bits;  /* a bit for each of the words where an instruction starts */
    const struct vm_known_state *states; /* one for each of the words; valid until the next step */
    const struct vm_verifier *verifier;
    size_t chunk;
    uint32_t part;
};
/* Begins a walk at the lowest words. GC: never.  Fails: when out of memory, fatally. */
void vm_walk_start(struct vm_walk *out, struct vm_verifier *v, uint32_t entry);
/* Advances to the next words; false: there are none. GC: never. */
bool vm_walk_next(struct vm_walk *walk);

/* Backward jumps: to their own instruction or to one before it. */
struct vm_back_jump {
    uint32_t target, from;
};
struct vm_back_jumps VECTOR(struct vm_back_jump);
/* The number of instructions of an entry's function, and in *back its jumps back, if the verifier
 * knows them, as a walk does, and no label of a PUSH_RETADDR leads back; else 0. The caller may
 * sort them. */
uint32_t vm_known_flow(struct vm_verifier *v, uint32_t entry, struct vm_back_jumps **back);

/* The entry at pc (for the pc of a RESTART, the function after it); 0: none is known there. GC:
 * never. */
uint32_t vm_find_entry(const struct vm_verifier *v, uint32_t pc);
/* The known entry with the largest pc that is not above `pc`; 0: none is known there. Takes time in
 * proportion to the distance. GC: never. */
uint32_t vm_last_entry(const struct vm_verifier *v, uint32_t pc);
/* An entry; valid until the next function is verified. */
struct vm_entry *vm_entry_at(const struct vm_verifier *v, uint32_t entry);
uint32_t vm_entry_count(const struct vm_verifier *v); /* entry 0 included */
/* Whether an instruction that control reaches in a verified function, or an entry, starts at pc.
 * GC: never. */
bool vm_is_reached(const struct vm_verifier *v, uint32_t pc);
/* Whether a verified function has an instruction that calls that primitive. GC: never. */
bool vm_calls_primitive(const struct vm_verifier *v, uint32_t primitive);

#endif
