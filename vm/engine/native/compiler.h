/* compiler.h - the compiler's state, shared by its files. Private to vm/engine/native. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_COMPILER_H
#define BACTRIAN_VM_ENGINE_NATIVE_COMPILER_H

#include "gc/assert.h"
#include "gc/containers.h"
#include "gc/weak.h"
#include "vm/code/ir.h"
#include "vm/engine/native/code_memory.h"
#include "vm/engine/native/emit.h"
#include "vm/engine/native/exits.h"
#include "vm/engine/native/observer.h"
#include "vm/engine/native/scratch.h"
#include "vm/engine/native/values.h"
#include "vm/state/vm.h"

struct vm_code;
struct vm_function;
struct vm_native_code;
struct native_callee;
struct native_gdb_file;
struct native_loop;
struct native_row;

/* A row of the table of entries, by function. Machine code compares takes, then jumps. */
struct native_entry {
    uintptr_t address; /* 0: there is no machine code; or a stub from which the loop calls it */
    uint32_t takes;    /* arguments; 0: there is no machine code */
    uint32_t restart;  /* code of its partial applications */
};
/* Rows have 16 bytes, a closure's code is 2 * index + 1. */
_Static_assert(sizeof(struct native_entry) == 16, "machine code scales a closure's code");
enum { ENTRY_ADDRESS = -8, ENTRY_TAKES = 0, ENTRY_RESTART = 4 };
/* A field of the row of the code in a register. */
static inline struct native_place native_entry_of_code(int reg, int displacement) {
    return at_index(R_TABLE, reg, 3, displacement);
}
/* Blocks that machine code compares with (callees.h). */
enum { EXPECTED_WORDS = 8192 };
enum { MAX_SPREAD = 32, CELL_WORDS = 3, MOST_ARGUMENTS = 64 };

/* Exceptions that machine code raises (errors.c). */
enum native_error {
    ERROR_BOUND,
    ERROR_ZERO_DIVIDE,
    ERROR_RAISED, /* A, where there is no trap frame */
    ERROR_COUNT
};

/* Code that functions share. */
struct native_stubs {
    const uint8_t *run, *leave, *exit, *slow_entry, *store, *store_saving_floats;
    const uint8_t *find_method, *string_equal;
    const uint8_t *errors[ERROR_COUNT];             /* with R_TEMP an exit */
    const uint8_t *call;                            /* with R_TEMP2 arguments: arity.c */
    const uint8_t *loop_calls[MOST_ARGUMENTS + 1];  /* with n: a function of that many */
    const uint8_t *calls[MOST_ARGUMENTS + 1];       /* with n; R_ENV is the closure */
    const uint8_t *other_arity[MOST_ARGUMENTS + 1]; /* with n; R_TEMP is the code */
    const uint8_t *switched;                        /* after a switch of fibers: switches.c */
};

/* The registers that the stub `run` pushes, in this order (run.c), how many those of light calls
 * and `string_equal` do, and the bytes that the stub `exit` puts on the C stack. */
enum {
    NATIVE_KEPT = 6,
    NATIVE_LIGHT_SAVES = 7,
    NATIVE_EQUAL_SAVES = 2,
    NATIVE_EXIT_SAVES = 8 * (R_COUNT + X_COUNT)
};
extern const int native_kept[NATIVE_KEPT];

struct vm_native {
    struct code_memory memory;
    struct native_stubs stubs; /* where they run */
    /* One reservation: EXPECTED_WORDS weak words, then entries. */
    struct gc_weak_words expected;
    struct native_entry *entries;
    size_t table_bytes;
    struct native_exits exits;
    const uintptr_t *apply_rest[MAX_SPREAD + 1]; /* return addresses: apply to n arguments */
    uint32_t return_body; /* low half of the body NATIVE_RETURN's address: cells have it */
    bool always;          /* --jit=all */
    bool begun;           /* the first function was to be compiled: what is above exists, or ... */
    bool forbidden;       /* the system does not give executable memory */
    FILE *perf_map;       /* or NULL */
    bool pads;            /* jumps: emitter.pads */
    bool replaces_code;   /* vm_native_replace_code was called */
    bool debugged;        /* by gdb, when the first function was compiled */
    struct native_gdb_file *gdb_files;
    uint8_t *refusals; /* by function: it cannot be inlined */
    uint32_t refusal_count;
    struct native_compiler *compiling; /* freed if memory ends */
    struct native_memory scratch;      /* its */
    size_t cell_count;
    size_t charged;             /* bytes, to the heap's limit */
    uint32_t compiled, refused; /* functions */
    uint64_t exit_count, compile_ns;
    uint64_t stress, stress_left; /* --jit-stress: guards until one exits */
};

/* Out-of-line code, emitted after the function's. */
struct native_late {
    uint8_t *site, *back; /* the jump to it, or NULL; where it continues */
    uint8_t *again;       /* where it continues with an array of another kind (generic_items.c) */
    uint8_t *more[2];     /* other jumps to it, or NULL */
    struct native_values *state;
    uint32_t row, exit;
    enum {
        LATE_EXIT,
        LATE_FORCED_EXIT,
        LATE_FULL,  /* the minor heap, in which `constant` bytes were to be allocated */
        LATE_ENTRY, /* no room, or a poll is pending: the loop calls the function */
        LATE_FORCED_ENTRY,
        LATE_EDGE,
        LATE_TAG,
        LATE_STORE,
        LATE_METHOD,
        LATE_CALL,
        LATE_FLOAT_ITEM,
        LATE_SET_FLOAT_ITEM,
        LATE_ERROR,
        LATE_OTHER_CALLEE, /* than the expected one */
        LATE_OTHER_GLOBAL,
        LATE_RETURN /* the return point of an inlined call */
    } kind;
    uint8_t reg, tag, object, body, error;
    struct native_place place;
    int32_t constant;                        /* of a store; or bytes */
    bool is_constant, saves_floats, is_self; /* is_self: at the entry for self calls */
};

/* A row, as analysed before code is emitted (flow.c, loops.c), and its code. */
struct native_row {
    uint8_t *label;              /* written code, for the state of nv_begin; NULL: none yet */
    struct native_values *state; /* of the only jump to here */
    uint32_t decoded;            /* its first word */
    uint32_t offset;             /* of its code, from the function's start */
    uint32_t sites;              /* first of its jumps that wait for the label, + 1 */
    uint16_t cell;               /* of a return point */
    uint16_t loop;               /* whose slots have registers, + 1; 0: none */
    uint32_t references;         /* those in slots */
    uint8_t entries;             /* predecessors, at most 2 are counted */
    uint8_t reference;           /* that the instruction makes or uses, + 1; 0: none */
    uint16_t callee;             /* of a call: c->callees[callee - 1]; 0: unknown */
    uint8_t inlined;             /* the body that a call is replaced by; 0: none */
    bool a_is_live;
    bool follows_inlined; /* the state is that of the end of such a body */
};
struct native_site {
    uint8_t *site; /* of a jump; or a table */
    uint32_t next;
    int32_t word; /* of the table; -1: it is a jump */
};

/* A function whose rows are compiled: the function itself, body 0, or an inlined one. */
struct native_body {
    struct vm_function *function;
    struct vm_code *code;
    uint32_t index, takes, first; /* of the function; its arguments; its first row after GRAB */
    struct vm_ir ir;              /* heights include `below` */
    const uintptr_t *words;       /* the function's decoded code */
    struct native_row *rows;
    uint32_t below;           /* words of the frame that are not the inlined function's */
    uint32_t call;            /* the row that is replaced */
    bool is_tail_call, joins; /* joins: several ways lead to the row after the call */
    bool polls;               /* it calls C code that does more than to compute */
};

struct native_compiler {
    struct vm *vm;
    struct vm_native *native;
    /* The current body's (inlining.h). */
    struct vm_function *function;
    struct vm_code *code;
    uint32_t index, takes, first;
    struct vm_ir ir;
    const uintptr_t *words;
    struct native_row *rows;
    uint32_t body;
    struct native_body *bodies; /* NULL: the current one is the only one */
    uint32_t body_count;
    uint32_t more_words; /* that inlined functions need, more than the function */
    struct native_callee *callees;
    bool calls_other; /* in late code, which makes a call of another callee than expected */
    bool returned;    /* from the inlined function compiled last */
    struct emitter e;
    struct native_values now;
    uint32_t max_depth, value_capacity;
    uint32_t locked, locked_xmm; /* registers */
    uint32_t row;
    uint32_t block; /* the number of the current block of instructions: no jump leads into it or out
                       of it, except to late code */
    uint32_t called_before;         /* the row that follows the APPLY1 to APPLY3 compiled last */
    bool failed;                    /* the function stays in the loop */
    bool reachable;                 /* control reaches the current row */
    bool checks;                    /* not --unchecked */
    bool raises_bound_errors;       /* the current instruction, for an index out of bounds */
    const void *const *loop_bodies; /* of the loop's instructions */
    uintptr_t *cells;
    uint32_t cell_count;
    const uint8_t *entry_address;
    uint8_t *entry;      /* with the test of the stack and of the poll word */
    uint8_t *self_entry; /* the same, for self_calls.h */
    bool has_self_entry;
    uint8_t *late_start;
    const uint8_t *exit_jump; /* the latest jump to the stub `exit`, or NULL */
    const uint8_t *exit_code; /* of the exit put_exit, the latest that was emitted; or NULL */
    uint32_t put_exit;
    struct native_late *late;
    uint32_t late_count, late_capacity;
    struct native_site *sites;
    uint32_t site_count, site_capacity;
    struct native_tables VECTOR(struct vm_native_table) tables;
    uint16_t reference_slots[MOST_REFERENCES];
    uint32_t reference_count;
    struct native_loop *loops;
    uint32_t loop_count;
    uint32_t last_exit, last_exit_row, changes, last_exit_changes;
};

/* A field of struct domain, by its offset; DOMAIN: by its name. */
static inline struct native_place domain_field(size_t offset) {
    return at_base(R_DOMAIN, (int32_t)offset);
}
#define DOMAIN(field) domain_field(offsetof(struct domain, field))

/* ---- compile.c ---- */
/* Zeroed memory until the function is compiled, or its compilation has failed. */
void *native_scratch(struct native_compiler *c, size_t bytes);
/* Out-of-line code, entered by the jump at that site. */
struct native_late *native_add_late(struct native_compiler *c, uint8_t *site, unsigned kind);
/* The code of the current body's rows. */
void native_put_rows(struct native_compiler *c);
/* Jumps to the label of a row: always, or if the condition holds. */
void native_jump(struct native_compiler *c, uint32_t row);
void native_jump_if(struct native_compiler *c, enum native_condition condition, uint32_t row);
/* The words of a table of jumps, whose labels are those of n rows. */
void native_jump_from_table(struct native_compiler *c, uint8_t *table, const uint32_t *rows,
                            uint32_t n);
/* A return address: the cell of a row. */
uintptr_t native_cell(const struct native_compiler *c, uint32_t row);
/* Where the row's words begin that the loop executes. */
const uintptr_t *native_words(const struct native_compiler *c, uint32_t row);

/* Leaves to the loop by that exit. */
void native_put_exit(struct native_compiler *c, uint32_t exit);

/* ---- forms_calls.c ---- */
/* Continues at the handler at R_TEMP2, with the exception in R_A. */
void native_emit_to_handler(struct emitter *e, const struct vm_native *n);
/* Leaves to the loop if an action is pending. */
void native_poll(struct native_compiler *c);
/* Guards that the closure's code is still this function, if the program replaces code, as the
 * toplevel's #trace does. */
void native_need_own_code(struct native_compiler *c);
/* Stores the words of a call's return frame into the slots from that one on. */
void native_store_return_frame(struct native_compiler *c, uint32_t slot);
/* Continues at the return address or handler in R_TEMP: R_BASE is sp, R_ENV its environment. */
void native_emit_resume(struct emitter *e, const struct vm_native *n);
/* ---- switches.c: stubs, emitted at e. ---- */
/* Calls a closure after a switch of fibers. */
void native_put_switched(struct emitter *e, const struct vm_native *n);
/* Machine code has returned to a fiber's boundary. */
void native_put_fiber_returned(struct emitter *e, const struct vm_native *n);
/* R_A is raised where there is no trap frame; R_TEMP is an exit, all of whose values except A,
 * which is in R_A, are in memory. */
void native_put_raised(struct emitter *e, const struct vm_native *n);

/* ---- report.c ---- */
/* A function was compiled, and the code that functions share exists: notifies observers, perf and
 * gdb. GC: never. */
void native_report(struct vm *vm, const struct vm_native_code *code);
void native_report_stubs(struct vm_native *n);
/* ---- run.c ---- */
/* Maps the memory for code and puts the stubs there, the first time. False: there is none. */
bool native_begin(struct vm *vm);
/* Frees the compiler, if one is at work. */
void native_free_compiling(struct vm_native *native);

/* ---- forms*.c, branches.c: the code of row c->row. GC: never, for all of them. ---- */

/* Any row; an instruction without machine code leaves to the loop. */
void native_form(struct native_compiler *c, const struct vm_ir_row *row);
/* A C_CALL. */
void native_primitive(struct native_compiler *c, const struct vm_ir_row *row);
/* A comparison or a branch. False: it is neither. */
bool native_branch(struct native_compiler *c, const struct vm_ir_row *row);
/* An instruction of effects. False: it is not one. */
bool native_switch(struct native_compiler *c, const struct vm_ir_row *row);
/* A call, return, handler or poll. False: it is another instruction. */
bool native_call(struct native_compiler *c, const struct vm_ir_row *row);
/* Stores v in field i of the block in a register, with the barrier of gc_store. A float must be in
 * a block already, unless it is unwritten content. */
void native_store(struct native_compiler *c, int block, uint32_t i, uint16_t v);
/* The same for that place in the block. */
void native_store_at(struct native_compiler *c, int block, struct native_place place, uint16_t v);
/* A copy of v in a register of its own. */
int native_copy(struct native_compiler *c, uint16_t v);
/* GETVECTITEM, and the primitives that do the same. */
void native_get_item(struct native_compiler *c);
/* SETVECTITEM. */
void native_set_item(struct native_compiler *c);
/* GETBYTESCHAR. */
void native_get_byte(struct native_compiler *c);
/* SETBYTESCHAR. */
void native_set_byte(struct native_compiler *c);
/* A := whether the condition holds for the flags; or, if the next row branches on A, that branch,
 * which is then the current row. */
void native_set_or_branch(struct native_compiler *c, enum native_condition condition);

#endif
