/* verify_internal.h - what the verifier's three files share: verify.c owns the data and sweeps over
 * the code, verify_rules.c has one rule for each instruction, verify_flow.c follows the flow and
 * looks for loops. */
#ifndef BACTRIAN_VM_VERIFY_INTERNAL_H
#define BACTRIAN_VM_VERIFY_INTERNAL_H

#include "gc/tiny.h"
#include "vm/verify.h"

#define NO_FRAME    0u
#define NO_PC       UINT32_MAX
#define NO_FUNCTION UINT32_MAX
#define MAX_COUNT   (1u << 22)        /* values in one block, variables in one closure */
#define CHUNK_WORDS IF_TINY(1u, 128u) /* words of code whose places lie together */

/* A control frame: words on the stack that only the machine may touch. Frames of one function form
 * a chain to the outermost; frames[0] stands for "none". */
struct control_frame {
    uint32_t base, top; /* heights without and with it */
    uint32_t parent;
    uint32_t jump;  /* an ancestor further out: finds the frame of a slot in logarithmic time */
    uint32_t depth; /* 1 for the outermost */
    bool trap;      /* pushed by PUSHTRAP, else by PUSH_RETADDR */
};

/* What is known of the place of an instruction, while the function it belongs to is followed. */
struct place {
    uint32_t owner; /* index in functions; another one than the current: left over */
    uint32_t frame; /* innermost open control frame */
    uint32_t height;
};

/* The places of CHUNK_WORDS words. */
struct place_chunk {
    struct place_chunk *next; /* while it is spare */
    struct place places[CHUNK_WORDS];
    uint8_t colours[CHUNK_WORDS]; /* of the search for loops */
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
    uint8_t *heights;          /* as in vm_verified */
    struct vm_far_height *far; /* in order of discovery */
    size_t far_count, far_capacity;
    struct place_chunk **chunks; /* those that the current function has reached, by pc */
    struct place_chunk *spare;   /* for the next function */
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
/* What the current function knows of the place of an instruction; NULL: it has not reached it. */
static inline struct place *known_place(const struct verifier *v, uint32_t pc) {
    struct place_chunk *chunk = v->chunks[pc / CHUNK_WORDS];
    struct place *place = chunk ? &chunk->places[pc % CHUNK_WORDS] : NULL;
    return place && place->owner == v->current ? place : NULL;
}
/* Makes a place of the current function known. Fails: false, as above. */
static inline bool add_place(struct verifier *v, uint32_t pc, uint32_t frame, uint32_t height) {
    uint32_t number = pc / CHUNK_WORDS;
    if (v->chunks[number] == NULL && !add_chunk(v, number)) return false;
    v->chunks[number]->places[pc % CHUNK_WORDS] = (struct place){v->current, frame, height};
    return true;
}
/* The colour of a known place. */
static inline uint8_t *colour_of(struct verifier *v, uint32_t pc) {
    return &v->chunks[pc / CHUNK_WORDS]->colours[pc % CHUNK_WORDS];
}
/* Forgets all places. */
void forget_places(struct verifier *v);
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
