/* verify_flow.c - follows the control flow of one function, and searches it for loops.
 *
 * The first visit of an instruction fixes its state (owner, height, control frames); every later
 * visit must have the same state. So each instruction's rule is applied once, and verifying takes
 * linear time.
 *
 * Q2  Control never reaches a word that is not the start of an instruction, nor a RESTART or GRAB.
 * Q3  An instruction has one owner, one height and one chain of control frames.
 * Q4  A function has one environment shape; the word before its GRAB is a RESTART.
 * Q5  Every cycle within a function passes CHECK_SIGNALS or an APPLY. */
#include "gc/assert.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify_internal.h"

#include <stdlib.h>

/* --- States --- */

enum arrival { ARRIVAL_FAIL, ARRIVAL_NEW, ARRIVAL_KNOWN };

static inline enum arrival arrive_first(struct vm_verifier *v, const struct state *s,
                                        uint32_t target) {
    if (s->height > VM_MAX_HEIGHT) {
        refuse(v, s->pc, VM_V_DEPTH, "frame height %u, at most %u is possible", s->height,
               VM_MAX_HEIGHT);
        return ARRIVAL_FAIL;
    }
    if (!add_known_state(v, target, (struct vm_known_state){s->frame, s->height}))
        return ARRIVAL_FAIL;
    if (s->height > v->frame_words) v->frame_words = s->height;
    return ARRIVAL_NEW;
}

static bool is_prologue(uint32_t op) { return op == OP_GRAB || op == OP_RESTART; }

/* Control reaches target: again, or it is not an ordinary instruction, or the function was verified
 * before. */
static __attribute__((noinline)) enum arrival arrive_again(struct vm_verifier *v,
                                                           const struct state *s, uint32_t target) {
    uint32_t op = word_at(v, target);
    struct vm_known_state known;
    if (v->again && !is_known(v, target)) return arrive_first(v, s, target);
    if (has_word(v->operands, target))
        refuse(v, s->pc, VM_V_LABEL, "CODE+0x%x lies within an instruction", target * 4);
    else if (is_prologue(op))
        refuse(v, s->pc, VM_V_INTO, "control reaches %s at CODE+0x%x", vm_opcodes[op].name,
               target * 4);
    else if (!is_known(v, target))
        refuse(v, s->pc, VM_V_OWNER, "CODE+0x%x belongs to another function than 0x%x", target * 4,
               v->entries[v->current].pc * 4);
    else if ((known = known_state_at(v, target)).height != s->height)
        refuse(v, s->pc, VM_V_JOIN, "frame height %u, CODE+0x%x has %u", s->height, target * 4,
               known.height);
    else if (known.frame != s->frame)
        refuse(v, s->pc, VM_V_JOIN, "other control frames are open than at CODE+0x%x", target * 4);
    else return ARRIVAL_KNOWN;
    return ARRIVAL_FAIL;
}

/* Records that control goes from the instruction at s->pc to target in state s. */
static inline enum arrival arrive(struct vm_verifier *v, const struct state *s, uint32_t target) {
    return !is_taken(v, target) && !is_prologue(word_at(v, target)) ? arrive_first(v, s, target)
                                                                    : arrive_again(v, s, target);
}

/* The label in code[word], or NO_PC with the error filled. */
static uint32_t label_at(struct vm_verifier *v, uint32_t pc, uint32_t word, uint32_t base) {
    int32_t distance = (int32_t)word_at(v, word);
    int64_t target = (int64_t)base + distance;
    if (target >= 0 && target < v->words->count) return (uint32_t)target;
    refuse(v, pc, VM_V_LABEL, "%+d words from CODE+0x%x lies outside", distance, base * 4);
    return NO_PC;
}

static bool note_back_jump(struct vm_verifier *v, const struct state *s, uint32_t target) {
    struct vm_back_jump jump = {.target = target, .from = s->pc};
    if (vm_opcodes[s->op].label == 'r') return v->returns_back = true;
    if (!grow(v, (void **)&v->back.items, v->back.count, &v->back.capacity, sizeof jump))
        return false;
    vector_append(&v->back, jump);
    return true;
}

enum flow jump_to(struct vm_verifier *v, const struct state *s, uint32_t word, uint32_t base) {
    uint32_t target = label_at(v, s->pc, word, base);
    if (target == NO_PC) return FLOW_FAIL;
    if (target <= s->pc && !note_back_jump(v, s, target)) return FLOW_FAIL;
    switch (arrive(v, s, target)) {
    case ARRIVAL_NEW: return pc_list_add(v, &v->work, target) ? FLOW_NEXT : FLOW_FAIL;
    case ARRIVAL_KNOWN: return FLOW_NEXT;
    default: return FLOW_FAIL;
    }
}

enum flow open_frame(struct vm_verifier *v, struct state *s, uint32_t size, bool trap) {
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
    ASSERT(frame.base >= parent->top);                 /* Q6 */
    ASSERT(v->frames[frame.jump].depth < frame.depth); /* so that use_slot ends */
    if (!grow(v, (void **)&v->frames, v->frame_count, &v->frame_capacity, sizeof frame))
        return FLOW_FAIL;
    s->frame = (uint32_t)v->frame_count;
    s->height += size;
    v->frames[v->frame_count++] = frame;
    return FLOW_NEXT;
}

/* --- Functions --- */

/* Arity of the function that starts at entry; 0 with the error filled if no function can (Q4). */
static uint32_t entry_arity(struct vm_verifier *v, uint32_t pc, uint32_t entry) {
    if (word_at(v, entry) != OP_GRAB) return 1;
    if (entry == 0 || has_word(v->operands, entry - 1) || has_word(v->reached, entry - 1) ||
        word_at(v, entry - 1) != OP_RESTART) {
        refuse(v, pc, VM_V_ENTRY, "no RESTART before the GRAB at CODE+0x%x", entry * 4);
        return 0;
    }
    uint32_t extra = entry + 1 < v->words->count ? word_at(v, entry + 1) : 0;
    if (extra > 0 && extra < VM_MAX_HEIGHT) return extra + 1;
    refuse(v, pc, VM_V_COUNT, "GRAB %u at CODE+0x%x", extra, entry * 4);
    return 0;
}

enum flow closure_of(struct vm_verifier *v, const struct state *s, uint32_t word, uint32_t base,
                     struct vm_entry shape) {
    shape.pc = label_at(v, s->pc, word, base);
    if (shape.pc == NO_PC) return FLOW_FAIL;
    if (has_word(v->operands, shape.pc))
        return refuse(v, s->pc, VM_V_LABEL, "CODE+0x%x lies within an instruction", shape.pc * 4);
    if (word_at(v, shape.pc) == OP_RESTART)
        return refuse(v, s->pc, VM_V_ENTRY, "CODE+0x%x is a RESTART", shape.pc * 4);
    if (!has_word(v->reached, shape.pc)) {
        shape.arity = entry_arity(v, s->pc, shape.pc);
        return shape.arity != 0 && add_entry(v, &shape) ? FLOW_NEXT : FLOW_FAIL;
    }
    uint32_t entry = vm_find_entry(v, shape.pc);
    if (entry == 0)
        return refuse(v, s->pc, VM_V_OWNER, "CODE+0x%x lies within a function", shape.pc * 4);
    const struct vm_entry *known = &v->entries[entry];
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

/* The i-th instruction that control reaches from pc without a poll, in no particular order; NO_PC:
 * no further one. */
static uint32_t successor(const struct vm_verifier *v, uint32_t pc, uint32_t i) {
    uint32_t op = word_at(v, pc), width = vm_width_at(v->words, pc);
    const struct vm_opcode_info *info = &vm_opcodes[op];
    if (info->flags & OP_CALLS || op == OP_CHECK_SIGNALS) return NO_PC;
    if (info->operands[0] == 'W')
        return i < width - 2 ? pc + 2 + (int32_t)word_at(v, pc + 2 + i) : NO_PC;
    bool jumps = info->label == 'l' || info->label == 'h';
    if (jumps && i == 0) return pc + width - 1 + (int32_t)word_at(v, pc + width - 1);
    if (info->flags & OP_ENDS) return NO_PC;
    return i == (jumps ? 1 : 0) ? pc + width : NO_PC;
}

static struct state_chunk *chunk_of(struct vm_verifier *v, uint32_t pc) {
    return v->chunks[pc / CHUNK_WORDS];
}

static bool is_white(struct vm_verifier *v, uint32_t pc) {
    return !has_word(chunk_of(v, pc)->grey, pc % CHUNK_WORDS);
}

/* Searches depth first from start. An instruction that was visited is grey; when it is finished and
 * no longer on the current path, it is black, too. */
static bool search_loop(struct vm_verifier *v, uint32_t start) {
    size_t depth = 0;
    ASSERT(is_known(v, start) && is_white(v, start)); /* so that the path begins */
    for (uint32_t pc = start;;) {
        bool known = pc != NO_PC && is_known(v, pc);
        if (known && is_white(v, pc)) {
            if (!grow(v, (void **)&v->path, depth, &v->path_capacity, sizeof *v->path))
                return false;
            set_word(chunk_of(v, pc)->grey, pc % CHUNK_WORDS);
            v->path[depth++] = (struct visit){pc, 0};
        } else if (known && !has_word(chunk_of(v, pc)->black, pc % CHUNK_WORDS)) {
            return refuse(v, pc, VM_V_LOOP, "control flows back from CODE+0x%x without a poll",
                          v->path[depth - 1].pc * 4);
        }
        struct visit *top = &v->path[depth - 1];
        pc = successor(v, top->pc, top->next++);
        if (pc != NO_PC) continue;
        set_word(chunk_of(v, top->pc)->black, top->pc % CHUNK_WORDS);
        if (--depth == 0) return true;
    }
}

/* Refuses a cycle of the current function's instructions that passes no poll. */
static bool check_loops(struct vm_verifier *v) {
    for (size_t i = 0; i < v->back.count; i++)
        if (is_white(v, v->back.items[i].target) && !search_loop(v, v->back.items[i].target))
            return false;
    return true;
}

/* --- Control flow --- */

/* Words of the instruction at pc, or 0 with the error filled. */
static uint32_t checked_width(struct vm_verifier *v, uint32_t pc) {
    const uint32_t opcodes = v->in.version->opcode_count, left = v->words->count - pc;
    uint32_t op = word_at(v, pc);
    if (op >= opcodes)
        return refuse(v, pc, VM_V_OPCODE, "opcode %u, OCaml %s has %u", op, v->in.version->name,
                      opcodes);
    if (vm_opcodes[op].flags & OP_DEBUG)
        return refuse(v, pc, VM_V_DEBUG, "only a debugger writes it");
    uint64_t width = vm_fixed_words[op];
    if (width == 0 && left > 1) width = vm_varying_words(op, word_at(v, pc + 1));
    if (width == 0 || width > left) return refuse(v, pc, VM_V_LENGTH, "%u words are left", left);
    return (uint32_t)width;
}

/* Words of the instruction at pc, which are now claimed: no other instruction may use them (Q1).
 * Fails: 0. */
static inline uint32_t claim_words(struct vm_verifier *v, uint32_t pc) {
    ASSERT(has_word(v->reached, pc) && !has_word(v->operands, pc)); /* Q1 */
    uint32_t width = checked_width(v, pc);
    for (uint32_t word = pc + 1; word < pc + width; word++) {
        if (!v->again && is_taken(v, word))
            return refuse(v, pc, VM_V_LABEL, "CODE+0x%x is of another instruction, too", word * 4);
        set_word(v->operands, word);
    }
    return width;
}

/* Advances s->pc to the instruction after the current one, where control continues. */
static inline enum arrival arrive_next(struct vm_verifier *v, struct state *s) {
    uint32_t next = s->pc + s->width;
    if (next == v->words->count) {
        refuse(v, s->pc, VM_V_END, "control runs past the end");
        return ARRIVAL_FAIL;
    }
    enum arrival arrival = arrive(v, s, next);
    s->pc = next;
    return arrival;
}

/* The height after an instruction by its quick rule; NO_HEIGHT: its full rule must be applied. */
static inline uint32_t quick_height(const struct vm_verifier *v, const struct quick_rule *q,
                                    uint32_t pc, uint32_t height, uint32_t top) {
    uint32_t after = height + (uint32_t)q->delta, slots = q->slots, x;
    switch (q->operand) {
    case QUICK_ANY: break;
    case QUICK_SLOT:
        x = v->words->bytes[pc + 1];
        if (x == WORD_WIDE) return NO_HEIGHT;
        slots = x + 1;
        break;
    case QUICK_POP:
        x = v->words->bytes[pc + 1];
        if (x == WORD_WIDE) return NO_HEIGHT;
        after -= x;
        break;
    case QUICK_GLOBAL:
        if (word_at(v, pc + 1) >= v->in.global_count) return NO_HEIGHT;
        break;
    case QUICK_ENVIRONMENT:
        x = v->words->bytes[pc + 1];
        if (x == WORD_WIDE || x - v->first_variable >= v->variables) return NO_HEIGHT;
        break;
    case QUICK_FIXED_ENVIRONMENT:
        if (slots - v->first_variable >= v->variables) return NO_HEIGHT;
        slots = 0;
        break;
    case QUICK_TAG:
        x = v->words->bytes[pc + 1];
        if (x == WORD_WIDE || x > v->in.version->last_constructor_tag) return NO_HEIGHT;
        break;
    }
    return (int32_t)(after - top) >= (int32_t)slots ? after : NO_HEIGHT;
}

/* Follows instructions that have a quick rule and whose successor was not reached before, within
 * the 64 words around s->pc, whose bits are in registers. *s becomes the state at the first other
 * one. */
static inline void follow_quickly(struct vm_verifier *v, struct state *s) {
    const uint8_t *bytes = v->words->bytes;
    uint32_t pc = s->pc, height = s->height, top = v->frames[s->frame].top, count = 0;
    uint32_t group = pc / 64, end = (group + 1) * 64, highest = v->frame_words;
    if (CHUNK_WORDS < 64) end = pc + 1;
    if (end > v->words->count) end = v->words->count;
    struct state_chunk *chunk = v->chunks[pc / CHUNK_WORDS];
    uint64_t *known = &chunk->known[pc % CHUNK_WORDS / 64], operands = v->operands[group], here = 0;
    uint64_t taken = v->again ? *known : v->reached[group] | operands;
    for (;;) {
        const struct quick_rule *q = &v->quick[bytes[pc]];
        uint32_t next = pc + q->words;
        if (q->words == 0 || next >= end || is_prologue(bytes[next])) break;
        uint64_t first = (uint64_t)1 << pc % 64, own = (first << q->words) - 2 * first;
        uint32_t after = quick_height(v, q, pc, height, top);
        if (after > VM_MAX_HEIGHT || taken & (own | first << q->words)) break;
        operands |= own;
        here |= first << q->words;
        chunk->states[next % CHUNK_WORDS] = (struct vm_known_state){s->frame, after};
        if (after > highest) highest = after;
        pc = next, height = after, count++;
    }
    v->reached[group] |= here;
    v->operands[group] = operands;
    *known |= here;
    v->instruction_count += count;
    v->frame_words = highest;
    s->pc = pc, s->height = height;
}

static bool follow(struct vm_verifier *v, uint32_t pc) {
    struct vm_known_state known = known_state_at(v, pc);
    ASSERT(known.frame < v->frame_count && known.height >= v->frames[known.frame].top); /* Q6 */
    struct state s = {.pc = pc, .height = known.height, .frame = known.frame};
    for (;;) {
        follow_quickly(v, &s);
        s.width = claim_words(v, s.pc);
        if (s.width == 0) return false;
        s.op = word_at(v, s.pc);
        enum flow flow = apply_rule(v, &s);
        if (flow != FLOW_NEXT) return flow == FLOW_END;
        enum arrival arrival = arrive_next(v, &s);
        if (arrival != ARRIVAL_NEW) return arrival == ARRIVAL_KNOWN;
    }
}

static bool follow_all(struct vm_verifier *v) {
    while (v->work.count > 0)
        if (!follow(v, v->work.items[--v->work.count])) return false;
    return check_loops(v);
}

bool follow_function(struct vm_verifier *v, uint32_t entry) {
    uint32_t pc = v->entries[entry].pc, height = v->entries[entry].arity;
    forget_known_states(v);
    v->current = entry;
    v->first_variable = first_variable(&v->entries[entry]);
    v->variables = v->entries[entry].variables;
    v->instruction_count = 0;
    v->frame_count = 1;
    v->frame_words = height;
    v->work.count = v->back.count = 0;
    v->returns_back = false;
    v->again = v->entries[entry].frame_words != VM_NOT_VERIFIED;
    bool ok = add_known_state(v, pc, (struct vm_known_state){NO_FRAME, height}) &&
              pc_list_add(v, &v->work, pc) && follow_all(v);
    ASSERT(!ok || !v->again || v->entries[entry].frame_words == v->frame_words);
    if (ok) v->entries[entry].frame_words = v->frame_words;
    return ok;
}
