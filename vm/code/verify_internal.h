/* verify_internal.h - what the verifier's three files share: verify.c owns the data and sweeps over
 * the code, verify_rules.c has one rule for each instruction, verify_flow.c follows the flow and
 * looks for loops. */
#ifndef BACTRIAN_VM_CODE_VERIFY_INTERNAL_H
#define BACTRIAN_VM_CODE_VERIFY_INTERNAL_H

#include "gc/small_tables.h"
#include "vm/code/verify.h"

#define NO_FRAME    0u
#define NO_PC       UINT32_MAX
#define NO_FUNCTION UINT32_MAX
#define MAX_COUNT   (1u << 22)                /* values in one block, variables in one closure */
#define CHUNK_WORDS IF_SMALL_TABLES(1u, 128u) /* words of code whose known states lie together */

/* A control frame: words on the stack that only the machine may touch. Frames of one function form
 * a chain to the outermost; frames[0] means none. */
struct control_frame {
    uint32_t base, top; /* heights without and with it */
    uint32_t parent;
    uint32_t jump;  /* an ancestor further out: finds the frame of a slot in logarithmic time */
    uint32_t depth; /* 1 for the outermost */
    bool trap;      /* pushed by PUSHTRAP, else by PUSH_RETADDR */
};

/* What is known of the stack at an instruction, while its function is followed. */
struct known_state {
    uint32_t frame; /* innermost open control frame */
    uint32_t height;
};

/* The same where the height has no code of its own. */
struct far_state {
    uint32_t pc;
    struct known_state known;
};

/* The known states of CHUNK_WORDS words. Most functions fill one or two of them; the program
 * itself, as long as all others together when it has many modules, needs hundreds at once. So they
 * keep only what the heights do not say, and what they know of a word is in bitmaps. */
struct state_chunk {
    struct state_chunk *next;                /* while it is spare */
    uint64_t known[(CHUNK_WORDS + 63) / 64]; /* words that the current function has reached */
    uint64_t grey[(CHUNK_WORDS + 63) / 64];  /* found by the search for loops, ... */
    uint64_t black[(CHUNK_WORDS + 63) / 64]; /* ... and left again */
    uint32_t frames[CHUNK_WORDS]; /* of known_state; where the height is far: index in far */
};

struct visit {
    uint32_t pc, next;
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
    uint8_t *heights;      /* as in vm_verified */
    struct far_state *far; /* in order of discovery */
    size_t far_count, far_capacity;
    struct state_chunk **chunks; /* those that the current function has reached, by pc */
    struct state_chunk *spare;   /* for the next function */
    struct pc_list touched;      /* numbers of the chunks in use */
    struct vm_entry *functions; /* in order of discovery; 0 is the program or the fragment itself */
    size_t function_count, function_capacity;
    uint64_t *entry_map;          /* bitmap of the words where functions 1 and up start */
    uint32_t *by_entry;           /* hash table of them by pc; 0: free */
    size_t by_entry_capacity;     /* a power of two */
    uint32_t current;             /* the function that is followed */
    struct control_frame *frames; /* of the current function */
    size_t frame_count, frame_capacity;
    struct pc_list work; /* reached, not yet followed */
    struct pc_list back; /* targets of backward jumps: every loop has one */
    struct visit *path;  /* of the search for loops */
    size_t path_capacity;
    uint64_t *primitives; /* bitmap of those called */
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
/* Gets the chunk of that number; notes a height for vm_verified.far. Fail: false, as above. */
bool add_chunk(struct verifier *v, uint32_t number);
bool add_far_height(struct verifier *v, uint32_t pc, uint32_t height);
/* Writes the height of an instruction into the results. Fails: false, as above. */
static inline bool set_height(struct verifier *v, uint32_t pc, uint32_t height) {
    v->heights[pc] = height < HEIGHT_FAR ? (uint8_t)height : HEIGHT_FAR;
    return height < HEIGHT_FAR || add_far_height(v, pc, height);
}
static inline bool is_reached(const struct verifier *v, uint32_t pc) {
    return v->heights[pc] <= HEIGHT_FAR;
}
static inline bool has_word(const uint64_t *map, uint32_t pc) {
    return map[pc % CHUNK_WORDS / 64] >> pc % CHUNK_WORDS % 64 & 1;
}
static inline void set_word(uint64_t *map, uint32_t pc) {
    map[pc % CHUNK_WORDS / 64] |= (uint64_t)1 << pc % CHUNK_WORDS % 64;
}
/* Whether the current function has reached the instruction. */
static inline bool is_known(const struct verifier *v, uint32_t pc) {
    const struct state_chunk *chunk = v->chunks[pc / CHUNK_WORDS];
    return chunk != NULL && has_word(chunk->known, pc);
}
/* The known state at an instruction that was reached. */
static inline struct known_state known_state_at(const struct verifier *v, uint32_t pc) {
    uint32_t frame = v->chunks[pc / CHUNK_WORDS]->frames[pc % CHUNK_WORDS];
    if (v->heights[pc] == HEIGHT_FAR) return v->far[frame].known;
    return (struct known_state){frame, v->heights[pc]};
}
/* Records the state at an instruction whose height was set last. Fails: false, as above. */
static inline bool add_known_state(struct verifier *v, uint32_t pc, uint32_t frame) {
    uint32_t number = pc / CHUNK_WORDS;
    if (v->chunks[number] == NULL && !add_chunk(v, number)) return false;
    struct state_chunk *chunk = v->chunks[number];
    set_word(chunk->known, pc);
    chunk->frames[pc % CHUNK_WORDS] = frame;
    if (v->heights[pc] == HEIGHT_FAR) {
        chunk->frames[pc % CHUNK_WORDS] = (uint32_t)v->far_count - 1;
        v->far[v->far_count - 1].known.frame = frame;
    }
    return true;
}
/* Forgets all known states. */
void forget_known_states(struct verifier *v);
/* The function that starts at pc, or NO_FUNCTION. */
uint32_t function_starting_at(const struct verifier *v, uint32_t pc);
/* Adds a function; its id is the highest. Fails: false, as above. */
bool add_function(struct verifier *v, const struct vm_entry *entry);

/* verify_rules.c */
/* Turns the state before the instruction at s->pc into the state after it; FLOW_END: flow does not
 * go on to the next instruction. */
enum flow apply_rule(struct verifier *v, struct state *s);

/* verify_flow.c */
/* The label in code[word], relative to word base: flow comes there in state s. */
enum flow jump_to(struct verifier *v, const struct state *s, uint32_t word, uint32_t base);
/* The same label named by a closure of that shape (its functions, variables and index). */
enum flow closure_of(struct verifier *v, const struct state *s, uint32_t word, uint32_t base,
                     struct vm_entry shape);
/* Opens a control frame of size words on top of s. */
enum flow open_frame(struct verifier *v, struct state *s, uint32_t size, bool trap);
/* Follows all functions, those too that are found on the way, and looks for loops in each. */
bool follow_all(struct verifier *v);

#endif
