/* verify_internal.h - what the verifier's three files share: verify.c owns the data, verify_flow.c
 * follows the flow of control and looks for loops, verify_rules.c has one rule for each
 * instruction. */
#ifndef BACTRIAN_VM_CODE_VERIFY_INTERNAL_H
#define BACTRIAN_VM_CODE_VERIFY_INTERNAL_H

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/code/verify.h"
#include "vm/code/words.h"

#define NO_FRAME    0u
#define NO_PC       UINT32_MAX
#define NO_ENTRY    UINT32_MAX
#define NO_HEIGHT   UINT32_MAX
#define MAX_COUNT   (1u << 22)                /* values in one block, variables in one closure */
#define CHUNK_WORDS IF_SMALL_TABLES(1u, 128u) /* words of code whose known states lie together */
#define KEPT_CHUNKS IF_SMALL_TABLES(1u, 16u)  /* whose memory the next function finds */

/* A control frame: words on the stack that only the machine may touch. Frames of one function form
 * a chain to the outermost; frames[0] means none. */
struct control_frame {
    uint32_t base, top; /* heights without and with it */
    uint32_t parent;
    uint32_t jump;  /* an ancestor further out: finds the frame of a slot in logarithmic time */
    uint32_t depth; /* 1 for the outermost */
    bool trap;      /* pushed by PUSHTRAP, else by PUSH_RETADDR */
};

/* The known states of CHUNK_WORDS words. Most functions need one or two chunks; the main function
 * of a program with many modules, as long as all others together, needs hundreds at once. */
struct state_chunk {
    uint64_t known[(CHUNK_WORDS + 63) / 64]; /* words that the current function has reached */
    uint64_t grey[(CHUNK_WORDS + 63) / 64];  /* visited by the search for loops, ... */
    uint64_t black[(CHUNK_WORDS + 63) / 64]; /* ... and finished */
    struct vm_known_state states[CHUNK_WORDS];
};

struct visit {
    uint32_t pc, next;
};

/* pcs, or numbers of chunks */
struct pc_list VECTOR(uint32_t);

/* What a quick rule requires of the first operand. */
enum quick_operand {
    QUICK_ANY,
    QUICK_SLOT,              /* that it is a slot above the innermost control frame then */
    QUICK_POP,               /* that n words are above it; they are popped */
    QUICK_GLOBAL,            /* that it is a global */
    QUICK_ENVIRONMENT,       /* that it is a variable of the environment */
    QUICK_FIXED_ENVIRONMENT, /* that `slots` is one */
    QUICK_TAG,               /* that it is a constructor's tag */
};

/* The rule of an instruction that only changes the height of the stack, or reads a slot near its
 * top, a global, a variable. If it does not apply, the full rule decides. */
struct quick_rule {
    uint8_t words; /* 0: the instruction has another rule */
    int8_t delta;
    uint8_t slots;   /* that must be above the innermost control frame then */
    uint8_t operand; /* enum quick_operand */
};

struct vm_verifier {
    struct vm_verify_input in;
    const struct vm_words *words;
    struct vm_error *error; /* of the call that runs */
    struct vm_error first;  /* the one that ended verification; status VM_OK: none did */
    size_t table_bytes;     /* of the tables of words, which begin with reached */
    uint64_t *reached;      /* bitmap: where instructions start that flow reaches, and entries */
    uint64_t *operands;     /* bitmap: the other words of such instructions */
    struct vm_entry *entries;
    size_t entry_count, entry_capacity;
    size_t expected_entries;  /* without more the tables need not grow */
    uint32_t *by_entry;       /* hash table of entries 1 and up by pc; 0: free */
    size_t by_entry_capacity; /* a power of two */
    uint64_t *primitives;     /* bitmap of those called */
    struct quick_rule quick[WORD_WIDE + 1];
    /* Of the function that is verified, or was last: */
    uint32_t current;           /* its entry; NO_ENTRY: its states are forgotten */
    bool again;                 /* it was verified before: its words are taken already */
    uint32_t instruction_count; /* reached so far */
    uint32_t frame_words;       /* the highest height so far */
    uint32_t first_variable;    /* field of its environment */
    uint32_t variables;
    struct state_chunk **chunks; /* those that it has reached, by pc */
    struct state_chunk *storage; /* for as many, the first ones in use */
    struct pc_list touched;      /* numbers of the chunks in use */
    struct control_frame *frames;
    size_t frame_count, frame_capacity;
    struct pc_list work;       /* reached, not yet followed */
    struct vm_back_jumps back; /* every loop has one */
    bool returns_back;         /* a label of PUSH_RETADDR, which is not in back, leads back */
    struct visit *path;        /* of the search for loops */
    size_t path_capacity;
};

/* The state before an instruction; its rule turns it into the state after it. */
struct state {
    uint32_t pc, op, width, height, frame;
};

enum flow { FLOW_FAIL, FLOW_NEXT, FLOW_END };

/* verify.c */
/* Fills the error with "CODE+0x... (NAME): " and the text; returns FLOW_FAIL, which is false. */
enum flow refuse(struct vm_verifier *v, uint32_t pc, enum vm_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fails: false, with VM_NO_MEMORY as the error. */
bool pc_list_add(struct vm_verifier *v, struct pc_list *list, uint32_t pc);
/* Makes room for one more item of size bytes, doubling; fails as above. */
bool grow(struct vm_verifier *v, void **items, size_t count, size_t *capacity, size_t size);
/* Gets the chunk of that number. Fails: false, as above. */
bool add_chunk(struct vm_verifier *v, uint32_t number);
static inline uint32_t word_at(const struct vm_verifier *v, uint32_t pc) {
    return vm_word(v->words, pc);
}
static inline bool has_word(const uint64_t *map, uint32_t word) {
    return map[word / 64] >> word % 64 & 1;
}
static inline void set_word(uint64_t *map, uint32_t word) {
    map[word / 64] |= (uint64_t)1 << word % 64;
}
static inline bool is_taken(const struct vm_verifier *v, uint32_t word) {
    return (v->reached[word / 64] | v->operands[word / 64]) >> word % 64 & 1;
}
/* The field with the first variable, from the closure that the environment is. */
static inline uint32_t first_variable(const struct vm_entry *f) {
    return 3 * (f->functions - f->index) - 1;
}
/* Whether the current function has reached the instruction. */
static inline bool is_known(const struct vm_verifier *v, uint32_t pc) {
    const struct state_chunk *chunk = v->chunks[pc / CHUNK_WORDS];
    return chunk != NULL && has_word(chunk->known, pc % CHUNK_WORDS);
}
/* The known state at an instruction that it has reached. */
static inline struct vm_known_state known_state_at(const struct vm_verifier *v, uint32_t pc) {
    ASSERT(is_known(v, pc));
    return v->chunks[pc / CHUNK_WORDS]->states[pc % CHUNK_WORDS];
}
/* Records the state at an instruction that is reached first. Fails: false, as above. */
static inline bool add_known_state(struct vm_verifier *v, uint32_t pc,
                                   struct vm_known_state known) {
    ASSERT(!is_known(v, pc)); /* Q3 */
    uint32_t number = pc / CHUNK_WORDS;
    if (v->chunks[number] == NULL && !add_chunk(v, number)) return false;
    struct state_chunk *chunk = v->chunks[number];
    v->instruction_count++;
    set_word(v->reached, pc);
    set_word(chunk->known, pc % CHUNK_WORDS);
    chunk->states[pc % CHUNK_WORDS] = known;
    return true;
}
/* Forgets all known states. */
void forget_known_states(struct vm_verifier *v);
/* Adds an entry. Fails: false, as above. */
bool add_entry(struct vm_verifier *v, const struct vm_entry *entry);

/* verify_rules.c */
/* Turns the state before the instruction at s->pc into the state after it; FLOW_END: control does
 * not continue with the next instruction. */
enum flow apply_rule(struct vm_verifier *v, struct state *s);
/* Fills v->quick. */
void make_quick_rules(struct vm_verifier *v);

/* verify_flow.c */
/* The label in code[word], relative to word base: control goes there in state s. */
enum flow jump_to(struct vm_verifier *v, const struct state *s, uint32_t word, uint32_t base);
/* The same label named by a closure of that shape (its functions, variables and index). */
enum flow closure_of(struct vm_verifier *v, const struct state *s, uint32_t word, uint32_t base,
                     struct vm_entry shape);
/* Opens a control frame of size words on top of s. */
enum flow open_frame(struct vm_verifier *v, struct state *s, uint32_t size, bool trap);
/* Follows the function of an entry and looks for loops in it. Fails: false; for a function that was
 * verified before only when out of memory. */
bool follow_function(struct vm_verifier *v, uint32_t entry);

#endif
