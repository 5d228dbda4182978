/* verify_internal.h - what the verifier's three files share: verify.c owns the data and sweeps over
 * the code, verify_rules.c has one rule for each instruction, verify_flow.c follows the flow and
 * looks for loops. */
#ifndef BACTRIAN_VM_VERIFY_INTERNAL_H
#define BACTRIAN_VM_VERIFY_INTERNAL_H

#include "vm/verify.h"

#define NOT_A_START UINT32_MAX       /* owner of an operand word */
#define UNSEEN      (UINT32_MAX - 1) /* owner of an instruction that no flow has reached */
#define NO_FRAME    0u
#define NO_PC       UINT32_MAX
#define MAX_COUNT   (1u << 22) /* values in one block, variables in one closure */

/* A control frame: words on the stack that only the machine may touch. Frames of one function form
 * a chain to the outermost; frames[0] stands for "none". */
struct control_frame {
    uint32_t base, top; /* heights without and with it */
    uint32_t parent;
    uint32_t jump;  /* an ancestor further out: finds the frame of a slot in logarithmic time */
    uint32_t depth; /* 1 for the outermost */
    bool trap;      /* pushed by PUSHTRAP, else by PUSH_RETADDR */
};

/* What is known of the place of an instruction; its height stands in verified.heights. */
struct place {
    uint32_t owner; /* index in functions, NOT_A_START or UNSEEN */
    uint32_t frame; /* innermost open control frame */
};

struct pc_list {
    uint32_t *items;
    size_t count, capacity;
};

struct verifier {
    const struct vm_verify_input *in;
    const uint32_t *code;
    uint32_t word_count;
    struct vm_error *error;
    uint32_t *heights;
    struct place *places;
    struct vm_entry *functions; /* in order of discovery; 0 is the program or the fragment itself */
    size_t function_count, function_capacity;
    struct control_frame *frames;
    size_t frame_count, frame_capacity;
    struct pc_list work;  /* reached, not yet followed */
    struct pc_list back;  /* targets of backward jumps: every loop has one */
    uint64_t *primitives; /* bitmap of those called */
    uint8_t *colours;     /* of the search for loops */
};

/* The state before an instruction; its rule turns it into the state after it. */
struct state {
    uint32_t pc, height, frame, owner;
};

enum flow { FLOW_FAIL, FLOW_NEXT, FLOW_END };

/* verify.c */
/* Fills the error with "CODE+0x... (NAME): " and the text; returns FLOW_FAIL, which is false. */
enum flow refuse(struct verifier *v, uint32_t pc, enum vm_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fails: false, with VM_NO_MEMORY as the error. */
bool pc_list_add(struct verifier *v, struct pc_list *list, uint32_t pc);
/* Makes room for one more item of size bytes, doubling; fails as above. */
bool grow(struct verifier *v, void **items, size_t count, size_t *capacity, size_t size);
/* Words of the instruction at pc, which the sweep has accepted. */
uint32_t width_at(const struct verifier *v, uint32_t pc);

/* verify_rules.c */
/* Turns the state before the instruction at s->pc into the state after it; FLOW_END: flow does not
 * go on to the next instruction. */
enum flow apply_rule(struct verifier *v, struct state *s);

/* verify_flow.c */
enum arrival { ARRIVAL_FAIL, ARRIVAL_NEW, ARRIVAL_KNOWN };
/* Records that flow from the instruction at s->pc comes to target in state s. */
enum arrival arrive(struct verifier *v, const struct state *s, uint32_t target);
/* The label in code[word], relative to word base: flow comes there in state s. */
enum flow jump_to(struct verifier *v, const struct state *s, uint32_t word, uint32_t base);
/* The same label named by a closure of that shape (its functions, variables and index). */
enum flow closure_of(struct verifier *v, const struct state *s, uint32_t word, uint32_t base,
                     struct vm_entry shape);
/* Opens a control frame of size words on top of s. */
enum flow open_frame(struct verifier *v, struct state *s, uint32_t size, bool trap);
/* Follows what is in the work list, until nothing is left. */
bool follow_all(struct verifier *v);
/* Refuses a cycle of reached instructions that passes no poll. */
bool check_loops(struct verifier *v);

#endif
