/* verify_rules.c - one rule for each instruction: may it run in this state, and what is the state
 * after it? An instruction without a rule of its own pops and pushes what opcodes.def says.
 *
 * Q6  A slot that is read, assigned, popped or passed on exists and does not lie in a control
 *     frame.
 * Q7  An access to the environment stays within the shape of the closures of that function.
 * Q8  A frame is released (RETURN, APPTERM, STOP) only as a whole, with no control frame open. */
#include "gc/assert.h"
#include "gc/value.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify_internal.h"

static const struct vm_opcode_info *info(const struct state *s) { return &vm_opcodes[s->op]; }

/* Operand i of the instruction; a SHORT one has the operands of the long one. */
static uint32_t operand(const struct vm_verifier *v, const struct state *s, uint32_t i) {
    const struct vm_opcode_info *op = info(s);
    ASSERT(i + (op->long_op == s->op) < s->width); /* its own words */
    if (op->long_op == s->op) return word_at(v, s->pc + 1 + i);
    return i == 0 ? (uint32_t)op->first : word_at(v, s->pc + i);
}

/* Q6 for n words on top. */
static enum flow pop_words(struct vm_verifier *v, struct state *s, uint32_t n) {
    if (n > s->height)
        return refuse(v, s->pc, VM_V_STACK, "pops %u words, frame height %u", n, s->height);
    if (s->height - n < v->frames[s->frame].top)
        return refuse(v, s->pc, VM_V_CONTROL, "pops %u words, %u above the control frame", n,
                      s->height - v->frames[s->frame].top);
    s->height -= n;
    return FLOW_NEXT;
}

/* Q6 for one word anywhere in the frame, slot 0 on top. */
static enum flow use_slot(struct vm_verifier *v, const struct state *s, uint32_t slot) {
    if (slot >= s->height)
        return refuse(v, s->pc, VM_V_STACK, "slot %u, frame height %u", slot, s->height);
    uint32_t at = s->height - 1 - slot, f = s->frame;
    while (v->frames[f].base > at) {
        uint32_t far = v->frames[f].jump;
        f = v->frames[far].base > at ? far : v->frames[f].parent;
    }
    if (at < v->frames[f].top)
        return refuse(v, s->pc, VM_V_CONTROL, "slot %u is a word of a control frame", slot);
    return FLOW_NEXT;
}

static enum flow rule_simple(struct vm_verifier *v, struct state *s) {
    int delta = info(s)->delta;
    if (delta < 0) return pop_words(v, s, (uint32_t)-delta);
    s->height += (uint32_t)delta;
    return FLOW_NEXT;
}

static enum flow rule_end(struct vm_verifier *v, struct state *s) { return FLOW_END; }

/* ACC, PUSHACC, ASSIGN. */
static enum flow rule_slot(struct vm_verifier *v, struct state *s) {
    s->height += (uint32_t)info(s)->delta;
    return use_slot(v, s, operand(v, s, 0));
}

static enum flow rule_pop(struct vm_verifier *v, struct state *s) {
    return pop_words(v, s, operand(v, s, 0));
}

/* A method call reads the object on top without popping it. */
static enum flow rule_top(struct vm_verifier *v, struct state *s) { return use_slot(v, s, 0); }

/* Q7: field of the closure entry that E points at. */
static enum flow rule_envacc(struct vm_verifier *v, struct state *s) {
    const struct vm_entry *f = &v->entries[v->current];
    uint32_t number = operand(v, s, 0);
    int64_t at = 3 * (int64_t)f->index + number, first = 3 * (int64_t)f->functions - 1;
    if (at < first || at >= first + f->variables)
        return refuse(v, s->pc, VM_V_ENV,
                      "environment field %u, function %u of %u, with %u variables", number,
                      f->index, f->functions, f->variables);
    return rule_simple(v, s);
}

/* Q7: another function of the same block. */
static enum flow rule_offsetclosure(struct vm_verifier *v, struct state *s) {
    const struct vm_entry *f = &v->entries[v->current];
    int32_t offset = (int32_t)operand(v, s, 0);
    int64_t at = 3 * (int64_t)f->index + offset;
    if (at < 0 || at % 3 != 0 || at / 3 >= f->functions)
        return refuse(v, s->pc, VM_V_CLOSURE, "offset %d from function %u of %u", offset, f->index,
                      f->functions);
    return rule_simple(v, s);
}

/* --- Calls and returns --- */

static enum flow rule_push_retaddr(struct vm_verifier *v, struct state *s) {
    if (jump_to(v, s, s->pc + 1, s->pc + 1) == FLOW_FAIL) return FLOW_FAIL;
    return open_frame(v, s, 3, false);
}

/* The return point is not followed from here: PUSH_RETADDR has a label for it. */
static enum flow rule_apply(struct vm_verifier *v, struct state *s) {
    uint32_t n = operand(v, s, 0);
    const struct control_frame *frame = &v->frames[s->frame];
    if (s->frame == NO_FRAME || frame->trap)
        return refuse(v, s->pc, VM_V_APPLY, "%s",
                      frame->trap ? "an exception handler lies above the return frame"
                                  : "no return frame");
    if (n == 0 || s->height - frame->top != n)
        return refuse(v, s->pc, VM_V_APPLY, "%u arguments, %u words above the return frame", n,
                      s->height - frame->top);
    return FLOW_END;
}

/* Q8. */
static enum flow release_frame(struct vm_verifier *v, const struct state *s, uint32_t size) {
    if (v->current == 0 && !v->in.fragment)
        return refuse(v, s->pc, VM_V_MAIN, "the main program has no caller");
    if (s->frame != NO_FRAME)
        return refuse(v, s->pc, VM_V_OPEN, "%s at height %u",
                      v->frames[s->frame].trap ? "an exception handler" : "a return frame",
                      v->frames[s->frame].base);
    if (size != s->height)
        return refuse(v, s->pc, VM_V_FRAME, "slot size %u, frame height %u", size, s->height);
    return FLOW_END;
}

/* A tail call that passes n words of the stack on. */
static enum flow leave_with(struct vm_verifier *v, struct state *s, uint32_t n, uint32_t size) {
    if (release_frame(v, s, size) == FLOW_FAIL) return FLOW_FAIL;
    return pop_words(v, s, n) == FLOW_FAIL ? FLOW_FAIL : FLOW_END;
}

static enum flow rule_appterm(struct vm_verifier *v, struct state *s) {
    uint32_t n = operand(v, s, 0);
    if (n == 0) return refuse(v, s->pc, VM_V_COUNT, "no argument");
    return leave_with(v, s, n, operand(v, s, 1));
}

static enum flow rule_return(struct vm_verifier *v, struct state *s) {
    return release_frame(v, s, operand(v, s, 0));
}

static enum flow rule_stop(struct vm_verifier *v, struct state *s) {
    if (v->in.fragment) return refuse(v, s->pc, VM_V_STOP, "in code loaded at run time");
    if (v->current != 0) return refuse(v, s->pc, VM_V_STOP, "within a function");
    if (s->frame != NO_FRAME)
        return refuse(v, s->pc, VM_V_OPEN, "%s at height %u",
                      v->frames[s->frame].trap ? "an exception handler" : "a return frame",
                      v->frames[s->frame].base);
    if (s->height != 0) return refuse(v, s->pc, VM_V_STOP, "frame height %u", s->height);
    return FLOW_END;
}

static enum flow rule_resume(struct vm_verifier *v, struct state *s) {
    return pop_words(v, s, v->in.version->resume_arguments);
}

static enum flow rule_resumeterm(struct vm_verifier *v, struct state *s) {
    return leave_with(v, s, v->in.version->resume_arguments, operand(v, s, 0));
}

static enum flow rule_reperformterm(struct vm_verifier *v, struct state *s) {
    return leave_with(v, s, 2, operand(v, s, 0));
}

/* --- Closures and blocks --- */

static enum flow rule_closure(struct vm_verifier *v, struct state *s) {
    uint32_t n = operand(v, s, 0);
    if (n > MAX_COUNT) return refuse(v, s->pc, VM_V_COUNT, "%u variables", n);
    if (n > 1 && pop_words(v, s, n - 1) == FLOW_FAIL) return FLOW_FAIL;
    return closure_of(v, s, s->pc + 2, s->pc + 2,
                      (struct vm_entry){.functions = 1, .variables = n, .index = 0});
}

static enum flow rule_closurerec(struct vm_verifier *v, struct state *s) {
    uint32_t functions = operand(v, s, 0), variables = operand(v, s, 1);
    if (functions == 0 || functions > MAX_COUNT || variables > MAX_COUNT)
        return refuse(v, s->pc, VM_V_COUNT, "%u functions, %u variables", functions, variables);
    if (variables > 1 && pop_words(v, s, variables - 1) == FLOW_FAIL) return FLOW_FAIL;
    struct vm_entry shape = {.functions = functions, .variables = variables};
    for (shape.index = 0; shape.index < functions; shape.index++)
        if (closure_of(v, s, s->pc + 3 + shape.index, s->pc + 3, shape) == FLOW_FAIL)
            return FLOW_FAIL;
    s->height += functions;
    return FLOW_NEXT;
}

/* Tags of blocks that hold only values, and on whose content the machine does not rely. */
static bool tag_can_be_made(const struct vm_verifier *v, uint32_t tag) {
    return tag <= v->in.version->last_constructor_tag || tag == TAG_LAZY || tag == TAG_OBJECT ||
           tag == TAG_FORWARD;
}

static enum flow make_block(struct vm_verifier *v, struct state *s, uint32_t size, uint32_t tag) {
    if (size == 0 || size > MAX_COUNT || !tag_can_be_made(v, tag))
        return refuse(v, s->pc, VM_V_BLOCK, "size %u, tag %u", size, tag);
    return pop_words(v, s, size - 1);
}

static enum flow rule_makeblock(struct vm_verifier *v, struct state *s) {
    return make_block(v, s, operand(v, s, 0), operand(v, s, 1));
}

static enum flow rule_makefloatblock(struct vm_verifier *v, struct state *s) {
    return make_block(v, s, operand(v, s, 0), 0);
}

static enum flow rule_atom(struct vm_verifier *v, struct state *s) {
    uint32_t tag = operand(v, s, 0);
    if (tag > v->in.version->last_constructor_tag)
        return refuse(v, s->pc, VM_V_BLOCK, "an atom of tag %u", tag);
    return rule_simple(v, s);
}

static enum flow rule_global(struct vm_verifier *v, struct state *s) {
    uint32_t global = operand(v, s, 0);
    if (global >= v->in.global_count)
        return refuse(v, s->pc, VM_V_GLOBAL, "global %u of %u", global, v->in.global_count);
    return rule_simple(v, s);
}

/* --- Primitives --- */

/* A primitive of up to five arguments takes them one by one, so C_CALLN, which passes an array, has
 * more. */
static enum flow rule_c_call(struct vm_verifier *v, struct state *s) {
    uint32_t n = operand(v, s, 0), p = operand(v, s, 1);
    if (s->op == OP_C_CALLN && (n <= 5 || n > MAX_COUNT))
        return refuse(v, s->pc, VM_V_COUNT, "%u arguments", n);
    if (p >= v->in.primitive_count)
        return refuse(v, s->pc, VM_V_PRIMITIVE, "primitive %u of %u", p, v->in.primitive_count);
    set_word(v->primitives, p);
    unsigned arity = v->in.primitive_arity ? v->in.primitive_arity(v->in.context, p) : 0;
    if (arity != 0 && arity != n)
        return refuse(v, s->pc, VM_V_ARITY, "primitive %u, %u arguments, it has %u", p, n, arity);
    return pop_words(v, s, n - 1);
}

/* --- Jumps and handlers --- */

/* The label is the last word. */
static enum flow rule_jump(struct vm_verifier *v, struct state *s) {
    uint32_t label = s->pc + s->width - 1;
    if (jump_to(v, s, label, label) == FLOW_FAIL) return FLOW_FAIL;
    return info(s)->flags & OP_ENDS ? FLOW_END : FLOW_NEXT;
}

static enum flow rule_switch(struct vm_verifier *v, struct state *s) {
    uint32_t end = s->pc + s->width;
    for (uint32_t word = s->pc + 2; word < end; word++)
        if (jump_to(v, s, word, s->pc + 2) == FLOW_FAIL) return FLOW_FAIL;
    return FLOW_END;
}

static enum flow rule_pushtrap(struct vm_verifier *v, struct state *s) {
    if (jump_to(v, s, s->pc + 1, s->pc + 1) == FLOW_FAIL) return FLOW_FAIL;
    return open_frame(v, s, 4, true);
}

static enum flow rule_poptrap(struct vm_verifier *v, struct state *s) {
    const struct control_frame *frame = &v->frames[s->frame];
    if (s->frame == NO_FRAME || !frame->trap)
        return refuse(v, s->pc, VM_V_TRAP, "%s",
                      s->frame == NO_FRAME ? "no handler is open" : "a return frame lies above it");
    if (s->height != frame->top)
        return refuse(v, s->pc, VM_V_TRAP, "%u words lie above it", s->height - frame->top);
    s->height = frame->base;
    s->frame = frame->parent;
    return FLOW_NEXT;
}

typedef enum flow rule(struct vm_verifier *v, struct state *s);

/* By the long form. An instruction without a rule changes the stack by its delta. */
static rule *const rules[OPCODE_COUNT] = {
    [OP_ACC] = rule_slot,
    [OP_PUSHACC] = rule_slot,
    [OP_POP] = rule_pop,
    [OP_ASSIGN] = rule_slot,
    [OP_ENVACC] = rule_envacc,
    [OP_PUSHENVACC] = rule_envacc,
    [OP_PUSH_RETADDR] = rule_push_retaddr,
    [OP_APPLY] = rule_apply,
    [OP_APPTERM] = rule_appterm,
    [OP_RETURN] = rule_return,
    [OP_CLOSURE] = rule_closure,
    [OP_CLOSUREREC] = rule_closurerec,
    [OP_OFFSETCLOSURE] = rule_offsetclosure,
    [OP_PUSHOFFSETCLOSURE] = rule_offsetclosure,
    [OP_GETGLOBAL... OP_SETGLOBAL] = rule_global,
    [OP_ATOM] = rule_atom,
    [OP_PUSHATOM] = rule_atom,
    [OP_MAKEBLOCK] = rule_makeblock,
    [OP_MAKEFLOATBLOCK] = rule_makefloatblock,
    [OP_BRANCH... OP_BRANCHIFNOT] = rule_jump,
    [OP_SWITCH] = rule_switch,
    [OP_PUSHTRAP] = rule_pushtrap,
    [OP_POPTRAP] = rule_poptrap,
    [OP_RAISE] = rule_end,
    [OP_RERAISE] = rule_end,
    [OP_RAISE_NOTRACE] = rule_end,
    [OP_C_CALLN] = rule_c_call,
    [OP_GETMETHOD] = rule_top,
    [OP_GETDYNMET] = rule_top,
    [OP_BEQ... OP_BGEINT] = rule_jump,
    [OP_BULTINT] = rule_jump,
    [OP_BUGEINT] = rule_jump,
    [OP_STOP] = rule_stop,
    [OP_RESUME] = rule_resume,
    [OP_RESUMETERM] = rule_resumeterm,
    [OP_REPERFORMTERM] = rule_reperformterm,
};

/* Whether an instruction that has a successor has changed the height by its vm_stack_delta. */
static bool is_known_change(const struct vm_verifier *v, const struct state *s, uint32_t before) {
    uint32_t op = s->op, second = op == OP_CLOSUREREC ? operand(v, s, 1) : 0;
    if (op >= OPCODE_COUNT_4X) return true;
    uint32_t first = info(s)->delta == OP_VARIES ? operand(v, s, 0) : 0;
    return s->height == before + (uint32_t)vm_stack_delta(op, first, second);
}

enum flow apply_rule(struct vm_verifier *v, struct state *s) {
    ASSERT(s->frame < v->frame_count);
    ASSERT(s->height >= v->frames[s->frame].top);
    uint32_t before = s->height;
    rule *r = rules[info(s)->long_op];
    enum flow flow = r != NULL ? r(v, s) : rule_simple(v, s);
    ASSERT(flow != FLOW_NEXT || is_known_change(v, s, before));
    return flow;
}

/* What a quick rule requires of the instruction's operand, or -1: it has no quick rule. */
static int quick_operand(uint32_t op) {
    const struct vm_opcode_info *info = &vm_opcodes[op];
    rule *r = rules[info->long_op];
    if (info->flags & (OP_ENDS | OP_DEBUG)) return -1;
    bool is_short = info->long_op != op;
    if (r == NULL || (r == rule_slot && is_short)) return QUICK_ANY;
    if (r == rule_envacc && is_short) return QUICK_FIXED_ENVIRONMENT;
    if (r == rule_makeblock && is_short) return QUICK_TAG;
    if (is_short) return -1;
    if (r == rule_slot) return QUICK_SLOT;
    if (r == rule_pop) return QUICK_POP;
    if (r == rule_global) return QUICK_GLOBAL;
    return r == rule_envacc ? QUICK_ENVIRONMENT : -1;
}

void make_quick_rules(struct vm_verifier *v) {
    for (uint32_t op = 0; op < v->in.version->opcode_count; op++) {
        const struct vm_opcode_info *info = &vm_opcodes[op];
        int operand = quick_operand(op);
        if (operand < 0 || vm_fixed_words[op] == 0) continue;
        int slots = 0;
        if (operand == QUICK_FIXED_ENVIRONMENT) slots = info->first;
        else if (rules[info->long_op] == rule_slot) slots = info->first + 1;
        v->quick[op] = (struct quick_rule){
            .words = vm_fixed_words[op],
            .delta = operand == QUICK_POP ? 0 : info->delta,
            .slots = (uint8_t)slots,
            .operand = (uint8_t)operand,
        };
    }
}
