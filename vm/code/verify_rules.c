/* verify_rules.c - one rule for each instruction: may it run in this state, and what is the state
 * after it? An instruction without a rule of its own takes and leaves what opcodes.def says.
 *
 * Q6  A slot that is read, assigned, popped or passed on exists and is no word of a control frame.
 * Q7  An access to the environment stays within the shape of the closures of that function.
 * Q8  A frame is given up (RETURN, APPTERM, STOP) only whole, with no control frame open. */
#include "vm/code/opcodes.h"
#include "vm/code/verify_internal.h"

static uint32_t operand(const struct verifier *v, const struct state *s, uint32_t i) {
    return v->code[s->pc + i];
}

/* Q6 for n words on top. */
static enum flow pop_words(struct verifier *v, struct state *s, uint32_t n) {
    if (n > s->height)
        return refuse(v, s->pc, VM_V_STACK, "takes %u words, frame height %u", n, s->height);
    if (s->height - n < v->frames[s->frame].top)
        return refuse(v, s->pc, VM_V_CONTROL, "takes %u words, %u above the control frame", n,
                      s->height - v->frames[s->frame].top);
    s->height -= n;
    return FLOW_NEXT;
}

/* Q6 for one word anywhere in the frame, slot 0 on top. */
static enum flow use_slot(struct verifier *v, const struct state *s, uint32_t slot) {
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

static enum flow rule_simple(struct verifier *v, struct state *s) {
    int delta = vm_opcodes[v->code[s->pc]].delta;
    if (delta < 0) return pop_words(v, s, (uint32_t)-delta);
    s->height += (uint32_t)delta;
    return FLOW_NEXT;
}

static enum flow rule_end(struct verifier *v, struct state *s) { return FLOW_END; }

static enum flow rule_acc(struct verifier *v, struct state *s) {
    uint32_t op = v->code[s->pc];
    return use_slot(v, s, op == OP_ACC ? operand(v, s, 1) : op - OP_ACC0);
}

static enum flow rule_pushacc(struct verifier *v, struct state *s) {
    uint32_t op = v->code[s->pc];
    s->height++;
    return use_slot(v, s, op == OP_PUSHACC ? operand(v, s, 1) : op - OP_PUSHACC0);
}

static enum flow rule_assign(struct verifier *v, struct state *s) {
    return use_slot(v, s, operand(v, s, 1));
}

static enum flow rule_pop(struct verifier *v, struct state *s) {
    return pop_words(v, s, operand(v, s, 1));
}

/* The object of a method call is read, not taken. */
static enum flow rule_top(struct verifier *v, struct state *s) { return use_slot(v, s, 0); }

/* Q7: field of the closure entry that E points at. */
static enum flow use_variable(struct verifier *v, struct state *s, uint32_t number) {
    const struct vm_entry *f = &v->functions[s->owner];
    int64_t at = 3 * (int64_t)f->index + number, first = 3 * (int64_t)f->functions - 1;
    if (at < first || at >= first + f->variables)
        return refuse(v, s->pc, VM_V_ENV,
                      "environment field %u, function %u of %u, with %u variables", number,
                      f->index, f->functions, f->variables);
    return FLOW_NEXT;
}

static enum flow rule_envacc(struct verifier *v, struct state *s) {
    uint32_t op = v->code[s->pc];
    return use_variable(v, s, op == OP_ENVACC ? operand(v, s, 1) : op - OP_ENVACC1 + 1);
}

static enum flow rule_pushenvacc(struct verifier *v, struct state *s) {
    uint32_t op = v->code[s->pc];
    s->height++;
    return use_variable(v, s, op == OP_PUSHENVACC ? operand(v, s, 1) : op - OP_PUSHENVACC1 + 1);
}

/* Q7: another function of the same block. */
static enum flow use_sibling(struct verifier *v, struct state *s, int32_t offset) {
    const struct vm_entry *f = &v->functions[s->owner];
    int64_t at = 3 * (int64_t)f->index + offset;
    if (at < 0 || at % 3 != 0 || at / 3 >= f->functions)
        return refuse(v, s->pc, VM_V_CLOSURE, "offset %d from function %u of %u", offset, f->index,
                      f->functions);
    return FLOW_NEXT;
}

static int32_t closure_offset(const struct verifier *v, const struct state *s, uint32_t first) {
    uint32_t op = v->code[s->pc];
    return op - first == 3 ? (int32_t)operand(v, s, 1) : 3 * (int32_t)(op - first) - 3;
}

static enum flow rule_offsetclosure(struct verifier *v, struct state *s) {
    return use_sibling(v, s, closure_offset(v, s, OP_OFFSETCLOSUREM3));
}

static enum flow rule_pushoffsetclosure(struct verifier *v, struct state *s) {
    s->height++;
    return use_sibling(v, s, closure_offset(v, s, OP_PUSHOFFSETCLOSUREM3));
}

/* --- Calls and returns --- */

static enum flow rule_push_retaddr(struct verifier *v, struct state *s) {
    if (jump_to(v, s, s->pc + 1, s->pc + 1) == FLOW_FAIL) return FLOW_FAIL;
    return open_frame(v, s, 3, false);
}

/* The place where it goes on was reached from PUSH_RETADDR. */
static enum flow rule_apply(struct verifier *v, struct state *s) {
    uint32_t n = operand(v, s, 1);
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
static enum flow give_up_frame(struct verifier *v, const struct state *s, uint32_t size) {
    if (s->owner == 0 && !v->in->fragment) return refuse(v, s->pc, VM_V_MAIN, "there is no caller");
    if (s->frame != NO_FRAME)
        return refuse(v, s->pc, VM_V_OPEN, "%s at height %u",
                      v->frames[s->frame].trap ? "an exception handler" : "a return frame",
                      v->frames[s->frame].base);
    if (size != s->height)
        return refuse(v, s->pc, VM_V_FRAME, "slot size %u, frame height %u", size, s->height);
    return FLOW_END;
}

/* A tail call that passes n stacked words on. */
static enum flow leave_with(struct verifier *v, struct state *s, uint32_t n, uint32_t size) {
    if (give_up_frame(v, s, size) == FLOW_FAIL) return FLOW_FAIL;
    return pop_words(v, s, n) == FLOW_FAIL ? FLOW_FAIL : FLOW_END;
}

static enum flow rule_appterm(struct verifier *v, struct state *s) {
    uint32_t op = v->code[s->pc];
    if (op != OP_APPTERM) return leave_with(v, s, op - OP_APPTERM1 + 1, operand(v, s, 1));
    if (operand(v, s, 1) == 0) return refuse(v, s->pc, VM_V_COUNT, "no argument");
    return leave_with(v, s, operand(v, s, 1), operand(v, s, 2));
}

static enum flow rule_return(struct verifier *v, struct state *s) {
    return give_up_frame(v, s, operand(v, s, 1));
}

static enum flow rule_stop(struct verifier *v, struct state *s) {
    if (v->in->fragment) return refuse(v, s->pc, VM_V_STOP, "in code loaded at run time");
    if (s->owner != 0) return refuse(v, s->pc, VM_V_STOP, "within a function");
    if (s->frame != NO_FRAME)
        return refuse(v, s->pc, VM_V_OPEN, "%s at height %u",
                      v->frames[s->frame].trap ? "an exception handler" : "a return frame",
                      v->frames[s->frame].base);
    if (s->height != 0) return refuse(v, s->pc, VM_V_STOP, "frame height %u", s->height);
    return FLOW_END;
}

static enum flow rule_resume(struct verifier *v, struct state *s) {
    return pop_words(v, s, v->in->version->resume_arguments);
}

static enum flow rule_resumeterm(struct verifier *v, struct state *s) {
    return leave_with(v, s, v->in->version->resume_arguments, operand(v, s, 1));
}

static enum flow rule_reperformterm(struct verifier *v, struct state *s) {
    return leave_with(v, s, 2, operand(v, s, 1));
}

/* --- Closures and blocks --- */

static enum flow rule_closure(struct verifier *v, struct state *s) {
    uint32_t n = operand(v, s, 1);
    if (n > MAX_COUNT) return refuse(v, s->pc, VM_V_COUNT, "%u variables", n);
    if (n > 1 && pop_words(v, s, n - 1) == FLOW_FAIL) return FLOW_FAIL;
    return closure_of(v, s, s->pc + 2, s->pc + 2,
                      (struct vm_entry){.functions = 1, .variables = n, .index = 0});
}

static enum flow rule_closurerec(struct verifier *v, struct state *s) {
    uint32_t functions = operand(v, s, 1), variables = operand(v, s, 2);
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

/* Tags of blocks that hold values and that nothing in the machine looks behind. */
static bool tag_can_be_made(uint32_t tag) {
    return tag <= 243 || tag == 246 || tag == 248 || tag == 250;
}

static enum flow make_block(struct verifier *v, struct state *s, uint32_t size, uint32_t tag) {
    if (size == 0 || size > MAX_COUNT || !tag_can_be_made(tag))
        return refuse(v, s->pc, VM_V_BLOCK, "size %u, tag %u", size, tag);
    return pop_words(v, s, size - 1);
}

static enum flow rule_makeblock(struct verifier *v, struct state *s) {
    uint32_t op = v->code[s->pc];
    if (op == OP_MAKEBLOCK) return make_block(v, s, operand(v, s, 1), operand(v, s, 2));
    return make_block(v, s, op - OP_MAKEBLOCK1 + 1, operand(v, s, 1));
}

static enum flow rule_makefloatblock(struct verifier *v, struct state *s) {
    return make_block(v, s, operand(v, s, 1), 0);
}

static enum flow rule_atom(struct verifier *v, struct state *s) {
    uint32_t tag = operand(v, s, 1);
    if (tag > 243) return refuse(v, s->pc, VM_V_BLOCK, "an atom of tag %u", tag);
    if (v->code[s->pc] == OP_PUSHATOM) s->height++;
    return FLOW_NEXT;
}

static enum flow rule_global(struct verifier *v, struct state *s) {
    uint32_t global = operand(v, s, 1);
    if (global >= v->in->global_count)
        return refuse(v, s->pc, VM_V_GLOBAL, "global %u of %u", global, v->in->global_count);
    return rule_simple(v, s);
}

/* --- Primitives --- */

static enum flow call_primitive(struct verifier *v, struct state *s, uint32_t p, uint32_t n) {
    if (p >= v->in->primitive_count)
        return refuse(v, s->pc, VM_V_PRIMITIVE, "primitive %u of %u", p, v->in->primitive_count);
    v->primitives[p / 64] |= (uint64_t)1 << p % 64;
    unsigned arity = v->in->primitive_arity ? v->in->primitive_arity(v->in->context, p) : 0;
    if (arity != 0 && arity != n)
        return refuse(v, s->pc, VM_V_ARITY, "primitive %u, %u arguments, it has %u", p, n, arity);
    return pop_words(v, s, n - 1);
}

static enum flow rule_c_call(struct verifier *v, struct state *s) {
    return call_primitive(v, s, operand(v, s, 1), v->code[s->pc] - OP_C_CALL1 + 1);
}

/* A primitive of up to five arguments takes them one by one, not as an array. */
static enum flow rule_c_calln(struct verifier *v, struct state *s) {
    uint32_t n = operand(v, s, 1);
    if (n <= 5 || n > MAX_COUNT) return refuse(v, s->pc, VM_V_COUNT, "%u arguments", n);
    return call_primitive(v, s, operand(v, s, 2), n);
}

/* --- Jumps and handlers --- */

static enum flow rule_branch(struct verifier *v, struct state *s) {
    return jump_to(v, s, s->pc + 1, s->pc + 1) == FLOW_FAIL ? FLOW_FAIL : FLOW_END;
}

static enum flow rule_branchif(struct verifier *v, struct state *s) {
    return jump_to(v, s, s->pc + 1, s->pc + 1);
}

static enum flow rule_compare_branch(struct verifier *v, struct state *s) {
    return jump_to(v, s, s->pc + 2, s->pc + 2);
}

static enum flow rule_switch(struct verifier *v, struct state *s) {
    uint32_t end = s->pc + width_at(v, s->pc);
    for (uint32_t word = s->pc + 2; word < end; word++)
        if (jump_to(v, s, word, s->pc + 2) == FLOW_FAIL) return FLOW_FAIL;
    return FLOW_END;
}

static enum flow rule_pushtrap(struct verifier *v, struct state *s) {
    if (jump_to(v, s, s->pc + 1, s->pc + 1) == FLOW_FAIL) return FLOW_FAIL;
    return open_frame(v, s, 4, true);
}

static enum flow rule_poptrap(struct verifier *v, struct state *s) {
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

typedef enum flow rule(struct verifier *v, struct state *s);

/* GRAB is a function's entry: the height there counts its arguments already. */
static enum flow rule_grab(struct verifier *v, struct state *s) { return FLOW_NEXT; }

static rule *const rules[OPCODE_COUNT] = {
    [OP_ACC0... OP_ACC] = rule_acc,
    [OP_PUSHACC0... OP_PUSHACC] = rule_pushacc,
    [OP_POP] = rule_pop,
    [OP_ASSIGN] = rule_assign,
    [OP_ENVACC1... OP_ENVACC] = rule_envacc,
    [OP_PUSHENVACC1... OP_PUSHENVACC] = rule_pushenvacc,
    [OP_PUSH_RETADDR] = rule_push_retaddr,
    [OP_APPLY] = rule_apply,
    [OP_APPTERM... OP_APPTERM3] = rule_appterm,
    [OP_RETURN] = rule_return,
    [OP_GRAB] = rule_grab,
    [OP_CLOSURE] = rule_closure,
    [OP_CLOSUREREC] = rule_closurerec,
    [OP_OFFSETCLOSUREM3... OP_OFFSETCLOSURE] = rule_offsetclosure,
    [OP_PUSHOFFSETCLOSUREM3... OP_PUSHOFFSETCLOSURE] = rule_pushoffsetclosure,
    [OP_GETGLOBAL... OP_SETGLOBAL] = rule_global,
    [OP_ATOM] = rule_atom,
    [OP_PUSHATOM] = rule_atom,
    [OP_MAKEBLOCK... OP_MAKEBLOCK3] = rule_makeblock,
    [OP_MAKEFLOATBLOCK] = rule_makefloatblock,
    [OP_BRANCH] = rule_branch,
    [OP_BRANCHIF] = rule_branchif,
    [OP_BRANCHIFNOT] = rule_branchif,
    [OP_SWITCH] = rule_switch,
    [OP_PUSHTRAP] = rule_pushtrap,
    [OP_POPTRAP] = rule_poptrap,
    [OP_RAISE] = rule_end,
    [OP_RERAISE] = rule_end,
    [OP_RAISE_NOTRACE] = rule_end,
    [OP_C_CALL1... OP_C_CALL5] = rule_c_call,
    [OP_C_CALLN] = rule_c_calln,
    [OP_GETMETHOD] = rule_top,
    [OP_GETDYNMET] = rule_top,
    [OP_BEQ... OP_BGEINT] = rule_compare_branch,
    [OP_BULTINT] = rule_compare_branch,
    [OP_BUGEINT] = rule_compare_branch,
    [OP_STOP] = rule_stop,
    [OP_RESUME] = rule_resume,
    [OP_RESUMETERM] = rule_resumeterm,
    [OP_REPERFORMTERM] = rule_reperformterm,
};

enum flow apply_rule(struct verifier *v, struct state *s) {
    rule *r = rules[v->code[s->pc]];
    return r != NULL ? r(v, s) : rule_simple(v, s);
}
