/* verify_flow.c - following the flow of a program function by function, and the search for loops.
 *
 * A function is followed to its end before the next one is, in the order in which closures that
 * name them are found. The first visit of an instruction fixes its state (owner, height, control
 * frames); every later one must bring the same. So each instruction's rule is applied once, and all
 * is linear.
 *
 * Q2  Flow never comes to a word that is no instruction's start, nor to a RESTART or GRAB.
 * Q3  An instruction has one owner, one height and one chain of control frames.
 * Q4  A function has one environment shape; the word before its GRAB is a RESTART.
 * Q5  Every cycle within a function passes CHECK_SIGNALS or an APPLY. */
#include "vm/code/opcodes.h"
#include "vm/code/verify_internal.h"

#include <stdlib.h>

/* --- States --- */

static bool follow_function(struct verifier *v, uint32_t id);

/* For messages: which function an instruction belongs to that was reached. Those before the current
 * one are followed again until one of them reaches it. */
static uint32_t owner_of(struct verifier *v, uint32_t pc) {
    uint32_t current = v->current;
    uint32_t id = is_known(v, pc) ? current : function_starting_at(v, pc);
    if (id != NO_FUNCTION) return id;
    for (uint32_t word = 0; word < v->word_count; word++)
        if (is_reached(v, word)) v->heights[word] = HEIGHT_UNSEEN;
    v->work.count = 0; /* what the current one has reached is over */
    for (id = 0; id < current; id++)
        if (!follow_function(v, id) || is_reached(v, pc)) break;
    return id;
}

enum arrival { ARRIVAL_FAIL, ARRIVAL_NEW, ARRIVAL_KNOWN };

/* Whether the height is possible; notes one that has no code of its own. */
static bool note_high(struct verifier *v, const struct state *s, uint32_t target) {
    if (s->height <= VM_MAX_HEIGHT) return add_far_height(v, target, s->height);
    return refuse(v, s->pc, VM_V_DEPTH, "frame height %u, at most %u is possible", s->height,
                  VM_MAX_HEIGHT);
}

static inline enum arrival arrive_first(struct verifier *v, const struct state *s,
                                        uint32_t target) {
    uint32_t height = s->height;
    if (height >= HEIGHT_FAR && !note_high(v, s, target)) return ARRIVAL_FAIL;
    v->heights[target] = height < HEIGHT_FAR ? (uint8_t)height : HEIGHT_FAR;
    if (!add_known_state(v, target, s->frame)) return ARRIVAL_FAIL;
    struct vm_entry *function = &v->functions[s->owner];
    if (height > function->frame_words) function->frame_words = height;
    return ARRIVAL_NEW;
}

static bool is_prologue(uint32_t op) { return op == OP_GRAB || op == OP_RESTART; }

/* Flow comes to target, which is not an ordinary instruction that nothing came to yet. */
static __attribute__((noinline)) enum arrival arrive_again(struct verifier *v,
                                                           const struct state *s, uint32_t target) {
    uint32_t op = v->code[target];
    struct known_state known;
    if (v->heights[target] == HEIGHT_NONE)
        refuse(v, s->pc, VM_V_LABEL, "CODE+0x%x lies within an instruction", target * 4);
    else if (is_prologue(op))
        refuse(v, s->pc, VM_V_INTO, "flow comes to %s at CODE+0x%x", vm_opcodes[op].name,
               target * 4);
    else if (!is_known(v, target))
        refuse(v, s->pc, VM_V_OWNER, "CODE+0x%x belongs to the function at CODE+0x%x and to 0x%x",
               target * 4, v->functions[owner_of(v, target)].pc * 4, v->functions[s->owner].pc * 4);
    else if ((known = known_state_at(v, target)).height != s->height)
        refuse(v, s->pc, VM_V_JOIN, "frame height %u, CODE+0x%x has %u", s->height, target * 4,
               known.height);
    else if (known.frame != s->frame)
        refuse(v, s->pc, VM_V_JOIN, "other control frames are open than at CODE+0x%x", target * 4);
    else return ARRIVAL_KNOWN;
    return ARRIVAL_FAIL;
}

/* Records that flow from the instruction at s->pc comes to target in state s. */
static inline enum arrival arrive(struct verifier *v, const struct state *s, uint32_t target) {
    if (v->heights[target] == HEIGHT_UNSEEN && !is_prologue(v->code[target]))
        return arrive_first(v, s, target);
    return arrive_again(v, s, target);
}

/* The word that the label names, or NO_PC with the error filled. */
static uint32_t label_at(struct verifier *v, uint32_t pc, uint32_t word, uint32_t base) {
    int64_t target = (int64_t)base + (int32_t)v->code[word];
    if (target >= 0 && target < v->word_count) return (uint32_t)target;
    refuse(v, pc, VM_V_LABEL, "%+d words from CODE+0x%x lies outside", (int32_t)v->code[word],
           base * 4);
    return NO_PC;
}

enum flow jump_to(struct verifier *v, const struct state *s, uint32_t word, uint32_t base) {
    uint32_t target = label_at(v, s->pc, word, base);
    if (target == NO_PC) return FLOW_FAIL;
    if (target <= s->pc && vm_opcodes[v->code[s->pc]].label != 'r' &&
        !pc_list_add(v, &v->back, target))
        return FLOW_FAIL;
    switch (arrive(v, s, target)) {
    case ARRIVAL_NEW: return pc_list_add(v, &v->work, target) ? FLOW_NEXT : FLOW_FAIL;
    case ARRIVAL_KNOWN: return FLOW_NEXT;
    default: return FLOW_FAIL;
    }
}

enum flow open_frame(struct verifier *v, struct state *s, uint32_t size, bool trap) {
    const struct control_frame *parent = &v->frames[s->frame];
    if (parent->depth == VM_MAX_CONTROL_FRAMES)
        return refuse(v, s->pc, VM_V_DEPTH, "more than %u control frames", VM_MAX_CONTROL_FRAMES);
    const struct control_frame *far = &v->frames[parent->jump];
    const struct control_frame *farther = &v->frames[far->jump];
    bool even = parent->depth - far->depth == far->depth - farther->depth;
    struct control_frame frame = {
        .base = s->height,
        .top = s->height + size,
        .parent = s->frame,
        .jump = even ? far->jump : s->frame,
        .depth = parent->depth + 1,
        .trap = trap,
    };
    if (!grow(v, (void **)&v->frames, v->frame_count, &v->frame_capacity, sizeof frame))
        return FLOW_FAIL;
    s->frame = (uint32_t)v->frame_count;
    s->height += size;
    v->frames[v->frame_count++] = frame;
    return FLOW_NEXT;
}

/* --- Functions --- */

/* Arity of the function that starts at entry, 0 with the error filled if none can (Q4). */
static uint32_t entry_arity(struct verifier *v, uint32_t pc, uint32_t entry) {
    if (v->code[entry] != OP_GRAB) return 1;
    if (entry == 0 || v->heights[entry - 1] != HEIGHT_UNSEEN || v->code[entry - 1] != OP_RESTART) {
        refuse(v, pc, VM_V_ENTRY, "no RESTART before the GRAB at CODE+0x%x", entry * 4);
        return 0;
    }
    uint32_t extra = v->code[entry + 1];
    if (extra > 0 && extra < VM_MAX_HEIGHT) return extra + 1;
    refuse(v, pc, VM_V_COUNT, "GRAB %u at CODE+0x%x", extra, entry * 4);
    return 0;
}

static enum flow new_function(struct verifier *v, uint32_t pc, const struct vm_entry *shape) {
    struct vm_entry entry = *shape;
    entry.arity = entry_arity(v, pc, entry.pc);
    if (entry.arity == 0) return FLOW_FAIL;
    entry.frame_words = entry.arity;
    if (!set_height(v, entry.pc, entry.arity)) return FLOW_FAIL;
    if (v->code[entry.pc] == OP_GRAB && !set_height(v, entry.pc - 1, 1)) return FLOW_FAIL;
    return add_function(v, &entry) ? FLOW_NEXT : FLOW_FAIL;
}

enum flow closure_of(struct verifier *v, const struct state *s, uint32_t word, uint32_t base,
                     struct vm_entry shape) {
    shape.pc = label_at(v, s->pc, word, base);
    if (shape.pc == NO_PC) return FLOW_FAIL;
    uint8_t height = v->heights[shape.pc];
    if (height == HEIGHT_NONE)
        return refuse(v, s->pc, VM_V_LABEL, "CODE+0x%x lies within an instruction", shape.pc * 4);
    if (v->code[shape.pc] == OP_RESTART)
        return refuse(v, s->pc, VM_V_ENTRY, "CODE+0x%x is a RESTART", shape.pc * 4);
    uint32_t id = function_starting_at(v, shape.pc);
    if (id == NO_FUNCTION && height == HEIGHT_UNSEEN) return new_function(v, s->pc, &shape);
    if (id == NO_FUNCTION)
        return refuse(v, s->pc, VM_V_OWNER, "CODE+0x%x belongs to the function at CODE+0x%x",
                      shape.pc * 4, v->functions[owner_of(v, shape.pc)].pc * 4);
    const struct vm_entry *known = &v->functions[id];
    if (known->functions != shape.functions || known->variables != shape.variables ||
        known->index != shape.index)
        return refuse(
            v, s->pc, VM_V_SHAPE,
            "CODE+0x%x is function %u of %u with %u variables, elsewhere %u of %u with %u",
            shape.pc * 4, shape.index, shape.functions, shape.variables, known->index,
            known->functions, known->variables);
    return FLOW_NEXT;
}

/* --- Loops (Q5) --- */

/* The i-th instruction that flow comes to from pc without a poll, in no particular order; NO_PC: no
 * further one. */
static uint32_t successor(const struct verifier *v, uint32_t pc, uint32_t i) {
    uint32_t op = v->code[pc], width = width_at(v, pc);
    const struct vm_opcode_info *info = &vm_opcodes[op];
    if (info->flags & OP_CALLS || op == OP_CHECK_SIGNALS) return NO_PC;
    if (info->operands[0] == 'W')
        return i < width - 2 ? pc + 2 + (int32_t)v->code[pc + 2 + i] : NO_PC;
    bool jumps = info->label == 'l' || info->label == 'h';
    if (jumps && i == 0) return pc + width - 1 + (int32_t)v->code[pc + width - 1];
    if (info->flags & OP_ENDS) return NO_PC;
    return i == (jumps ? 1 : 0) ? pc + width : NO_PC;
}

static struct state_chunk *chunk_of(struct verifier *v, uint32_t pc) {
    return v->chunks[pc / CHUNK_WORDS];
}

static bool is_white(struct verifier *v, uint32_t pc) {
    return !has_word(chunk_of(v, pc)->grey, pc);
}

/* Depth first from start. What is grey and not black is on the path. */
static bool search_loop(struct verifier *v, uint32_t start) {
    size_t depth = 0;
    for (uint32_t pc = start;;) {
        bool known = pc != NO_PC && is_known(v, pc);
        if (known && is_white(v, pc)) {
            if (!grow(v, (void **)&v->path, depth, &v->path_capacity, sizeof *v->path))
                return false;
            set_word(chunk_of(v, pc)->grey, pc);
            v->path[depth++] = (struct visit){pc, 0};
        } else if (known && !has_word(chunk_of(v, pc)->black, pc)) {
            return refuse(v, pc, VM_V_LOOP, "flow comes back from CODE+0x%x without a poll",
                          v->path[depth - 1].pc * 4);
        }
        struct visit *top = &v->path[depth - 1];
        pc = successor(v, top->pc, top->next++);
        if (pc != NO_PC) continue;
        set_word(chunk_of(v, top->pc)->black, top->pc);
        if (--depth == 0) return true;
    }
}

/* Refuses a cycle of the current function's instructions that passes no poll. */
static bool check_loops(struct verifier *v) {
    for (size_t i = 0; i < v->back.count; i++)
        if (is_white(v, v->back.items[i]) && !search_loop(v, v->back.items[i])) return false;
    return true;
}

/* --- Flow --- */

static bool follow(struct verifier *v, uint32_t pc) {
    struct known_state known = known_state_at(v, pc);
    struct state s = {pc, known.height, known.frame, v->current};
    for (;;) {
        enum flow flow = apply_rule(v, &s);
        if (flow != FLOW_NEXT) return flow == FLOW_END;
        uint32_t next = s.pc + width_at(v, s.pc);
        if (next == v->word_count) return refuse(v, s.pc, VM_V_END, "flow goes on past the end");
        enum arrival arrival = arrive(v, &s, next);
        if (arrival != ARRIVAL_NEW) return arrival == ARRIVAL_KNOWN;
        s.pc = next;
    }
}

/* Follows one function from its entry. */
static bool follow_function(struct verifier *v, uint32_t id) {
    uint32_t pc = v->functions[id].pc, height = v->functions[id].arity;
    v->current = id;
    v->frame_count = 1;
    v->back.count = 0;
    forget_known_states(v);
    if (!set_height(v, pc, height) || !add_known_state(v, pc, NO_FRAME) ||
        !pc_list_add(v, &v->work, pc))
        return false;
    while (v->work.count > 0)
        if (!follow(v, v->work.items[--v->work.count])) return false;
    return check_loops(v);
}

bool follow_all(struct verifier *v) {
    for (uint32_t id = 0; id < v->function_count; id++)
        if (!follow_function(v, id)) return false;
    return true;
}
