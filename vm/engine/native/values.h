/* values.h - the compiler's model of the frame while it compiles a function: a virtual stack of
 * values, which are in registers, in the frame, or constants.
 *
 *     slots   0 ... depth - 1     from the frame's oldest word to its top
 *     slot i  at R_BASE + 8 * (base - 1 - i)
 *
 * A value may be in several slots and in A; facts about it hold for all of them.
 *
 * NV1  A value in use is a constant, R_ENV, in a register (xmm or not), or at home in a slot.
 * NV2  home is a slot that holds the value and is in memory.
 * NV3  The content of a reference (references.h) is in its block too if it is written, or not
 *      known here. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_VALUES_H
#define BACTRIAN_VM_ENGINE_NATIVE_VALUES_H

#include "vm/engine/native/emit.h"

struct native_compiler;

/* Facts about a value. All except FACT_INT end when other code may run. */
enum {
    FACT_INT = 1,
    FACT_BLOCK = 2,
    FACT_FIELDS = 4,   /* its tag is at most TAG_OBJECT, or TAG_FORWARD */
    FACT_MUTABLE = 8,  /* its tag is below TAG_CLOSURE */
    FACT_CLOSURE = 16, /* of any of its functions */
    FACT_STRING = 32,
    FACT_DOUBLE = 64,
    FACT_DOUBLES = 128,
    FACT_INT32 = 256, /* of the modules Int32, Int64, Nativeint */
    FACT_INT64 = 512,
    FACT_NATIVEINT = 1024,
    FACT_NUMBERS = FACT_DOUBLE | FACT_INT32 | FACT_INT64 | FACT_NATIVEINT,
};
enum value_kind { VALUE_PLAIN, VALUE_CONSTANT, VALUE_ENV };
/* What an xmm register holds of a boxed number (numbers.h). */
enum native_number { NUMBER_DOUBLE, NUMBER_INT32, NUMBER_INT64, NUMBER_NATIVEINT };

/* What made a number: a row of a body (inlining.h). */
struct native_maker {
    uint16_t body, row;
};
/* The latest test for a number of fields. */
struct native_size_test {
    uint32_t site, block; /* its end in the code, 0: none; c->block there */
};
struct native_value {
    union {
        int64_t k;                         /* of a constant */
        struct native_size_test size_test; /* of a PLAIN value */
    };
    struct native_maker maker; /* of a number in an xmm register */
    uint16_t refs, fields;     /* fields: it has at least that many */
    int16_t home;              /* NV2; -1: none */
    int8_t reg, xmm;           /* -1: none; E has none */
    uint16_t facts;
    uint8_t kind, number; /* number: in xmm */
};
struct native_slot {
    uint16_t v;
    bool in_memory;
};

enum { NO_VALUE = 0xffff, MOST_REFERENCES = 32, MOST_KNOWN = 8 };
/* known.h */
enum { KNOWN_CLOSURE = 0xfffe };
struct native_known {
    uint16_t block, v; /* block: KNOWN_CLOSURE for R_ENV */
    int32_t what;
};
struct native_content {
    uint16_t v; /* NO_VALUE: not known */
    bool written;
};

struct native_values {
    uint32_t depth, base, used_values;
    uint32_t clean;                            /* slots below it are in memory */
    uint32_t first_free;                       /* values below it are in use */
    uint16_t a;                                /* the value of A */
    uint16_t env;                              /* the closure of an inlined function, or NO_VALUE */
    uint16_t of_reg[R_COUNT], of_xmm[X_COUNT]; /* NO_VALUE: free */
    struct native_content contents[MOST_REFERENCES];
    struct native_known known[MOST_KNOWN];
    uint32_t known_count;
    struct native_slot *slots;
    struct native_value *values; /* refs 0: free */
};

/* ---- Values and slots. ---- */
uint16_t nv_constant(struct native_compiler *c, int64_t k);
uint16_t nv_env(struct native_compiler *c); /* the current closure */
uint16_t nv_in_register(struct native_compiler *c, int reg, unsigned facts);
uint16_t nv_in_xmm(struct native_compiler *c, int xmm, enum native_number number);
void nv_set_a(struct native_compiler *c, uint16_t v);
/* An inlined function begins, or ends. */
void nv_set_env(struct native_compiler *c, uint16_t v);
/* Keeps v in use while no slot and no A has it. */
void nv_hold(struct native_compiler *c, uint16_t v);
void nv_release(struct native_compiler *c, uint16_t v);
void nv_push(struct native_compiler *c, uint16_t v);
void nv_pop(struct native_compiler *c, uint32_t n);
/* Pops n words and sets A: to what a locked register holds, to a number, to unit. */
void nv_pop_to_register(struct native_compiler *c, uint32_t n, int reg, unsigned facts);
void nv_pop_to_xmm(struct native_compiler *c, uint32_t n, int xmm, enum native_number number);
void nv_pop_to_unit(struct native_compiler *c, uint32_t n);
/* The slot's content becomes v. */
void nv_assign(struct native_compiler *c, uint32_t slot, uint16_t v);
/* The content of reference k becomes v. */
void nv_set_content(struct native_compiler *c, uint32_t k, uint16_t v, bool written);
/* The value of sp[k]. */
uint16_t nv_top(const struct native_compiler *c, uint32_t k);
struct native_value *nv_at(const struct native_compiler *c, uint16_t v);
bool nv_is_constant(const struct native_compiler *c, uint16_t v);
/* Whether v is a constant, *k, that fits into an instruction, as do the two beside it. */
bool nv_small_constant(const struct native_compiler *c, uint16_t v, int64_t *k);
struct native_place nv_place(const struct native_compiler *c, uint32_t slot);

/* ---- Registers. Those given out stay locked until nv_unlock. ---- */
/* A register without a value. */
int nv_free_register(struct native_compiler *c);
/* The same, that one. */
void nv_take_register(struct native_compiler *c, int reg);
int nv_free_xmm(struct native_compiler *c);
/* A register that holds v; a number in an xmm register is boxed first, which may exit. */
int nv_register(struct native_compiler *c, uint16_t v);
void nv_unlock(struct native_compiler *c);
/* v into that register, which is taken or not one of values. */
void nv_copy_to(struct native_compiler *c, int reg, uint16_t v);
/* The same, without its tag. Needs: v is an integer. */
void nv_copy_untagged(struct native_compiler *c, int reg, uint16_t v);

/* ---- Between pieces of code. ---- */
/* Writes all slots, or the lowest n, into the frame, and contents into their blocks; numbers are
 * boxed first, which may exit. */
void nv_flush(struct native_compiler *c, uint32_t n);
/* Writes slot i, if it is not in memory. */
void nv_flush_slot(struct native_compiler *c, uint32_t i);
/* At a label (nv_begin) the value of a slot is in a register, of which these facts hold: an xmm one
 * with one of FACT_NUMBERS. in_memory: in the slot too. */
void nv_pin(struct native_compiler *c, uint32_t slot, int reg, unsigned facts, bool in_memory);
/* Other code runs: registers are free, facts end. Needs: flushed, A replaced next. */
void nv_forget(struct native_compiler *c);
/* Ends facts about blocks only: other code may have changed them. */
void nv_forget_facts(struct native_compiler *c);
/* The state in which `depth` slots are in the frame and A is in R_A, or dead. */
void nv_begin(struct native_compiler *c, uint32_t depth, uint32_t base, bool a_is_live);
/* R_BASE := the address for that base. */
void nv_set_base(struct native_compiler *c, uint32_t base);
/* Copies of the state. */
struct native_values *nv_save(struct native_compiler *c);
void nv_restore(struct native_compiler *c, const struct native_values *saved);

#endif
