/* loops.c - see loops.h.
 *
 * A pass over the loop's rows, in their order, follows variables from their loads to their uses,
 * within basic blocks: the instruction that uses a variable shows its kind. Since OCaml's types are
 * static, the kind at one point of the loop is taken to hold at the others; if that is wrong, the
 * code exits more often. */
#include "vm/engine/native/loops.h"

#include "vm/base/os.h"
#include "vm/code/kinds.h"
#include "vm/code/opcodes.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/integers.h"
#include "vm/engine/native/multi_byte.h"

#include <stdlib.h>

/* The facts collected about a slot or a value, if any. */
struct seen {
    int32_t slot; /* where it comes from; -1: not a variable; c->max_depth and more: a content */
    uint32_t made;
    uint16_t facts;
};
struct variable {
    uint32_t made, uses;
    uint16_t facts;
    bool assigned;
};
struct scan {
    const struct native_compiler *c;
    uint32_t first, last, height; /* of the loop; its first row's height */
    uint32_t row, depth;
    struct seen a;
    struct seen *stack;
    struct variable *variables;
};

static struct seen nothing(void) { return (struct seen){.slot = -1}; }

static struct seen top(const struct scan *s, uint32_t k) { return s->stack[s->depth - 1 - k]; }

/* The loop's variable there, or NULL. */
static struct variable *variable_at(const struct scan *s, int32_t slot) {
    const struct native_compiler *c = s->c;
    if (slot < 0) return NULL;
    bool is_variable = (uint32_t)slot < c->max_depth
                           ? (uint32_t)slot < s->height
                           : c->rows[s->first].references >> ((uint32_t)slot - c->max_depth) & 1;
    return is_variable ? &s->variables[slot] : NULL;
}

static void learn(struct scan *s, struct seen v, unsigned facts) {
    struct variable *variable = variable_at(s, v.slot);
    if (variable != NULL) variable->facts |= (uint16_t)facts;
}

/* A, sp[0] and sp[1] are operands of these kinds (0: unknown, or none); A becomes the result. */
static void operands(struct scan *s, unsigned a, unsigned x, unsigned y, unsigned result) {
    learn(s, s->a, a);
    if (x != 0) learn(s, top(s, 0), x);
    if (y != 0) learn(s, top(s, 1), y);
    s->a = (struct seen){.slot = -1, .made = s->row, .facts = (uint16_t)result};
}

static void read_variable(struct scan *s, struct seen v) {
    struct variable *variable = variable_at(s, v.slot);
    if (variable != NULL) variable->uses++;
    s->a = v;
}

static void push(struct scan *s) { s->stack[s->depth++] = s->a; }

static void assign_variable(struct scan *s, int32_t slot, struct seen to) {
    struct variable *v = variable_at(s, slot);
    if (v == NULL) return;
    v->assigned = true;
    v->uses += 2;
    v->facts |= to.facts;
    if (to.facts & FACT_NUMBERS) v->made = to.made;
}

static void assign(struct scan *s, uint32_t n) {
    uint32_t slot = s->depth - 1 - n;
    assign_variable(s, (int32_t)slot, s->a);
    s->stack[slot] = (struct seen){(int32_t)slot, s->a.made, s->a.facts};
    s->a = nothing();
}

/* An instruction that uses reference k. */
static void see_reference(struct scan *s, const struct vm_ir_row *row, uint32_t k) {
    struct seen content = {.slot = (int32_t)(s->c->max_depth + k), .made = s->row};
    switch (vm_opcodes[row->op].long_op) {
    case OP_GETFIELD: read_variable(s, content); return;
    case OP_SETFIELD: assign_variable(s, content.slot, top(s, 0)); break;
    case OP_OFFSETREF:
        content.facts = FACT_INT;
        assign_variable(s, content.slot, content);
        break;
    default: break;
    }
    s->a = nothing();
}

enum { ARRAY = FACT_FIELDS, ARRAY_SET = FACT_FIELDS | FACT_MUTABLE };

static bool see_integer(struct scan *s, const struct vm_linked_prim *prim) {
    struct native_integer integer;
    if (!native_find_integer(prim, &integer)) return false;
    operands(s, integer.facts[0], integer.facts[1], 0, integer.result);
    return true;
}

static bool see_multi_byte(struct scan *s, const struct vm_linked_prim *prim) {
    struct native_multi_byte which;
    if (!native_find_multi_byte(prim, &which)) return false;
    operands(s, FACT_STRING, FACT_INT, which.sets ? which.fact : 0, which.sets ? 0 : which.fact);
    return true;
}

/* False: it is a call. */
static bool see_primitive(struct scan *s, const struct vm_linked_prim *prim) {
    switch (prim->inlined) {
    case ENGINE_ARRAY_GET_ADDR: operands(s, ARRAY, FACT_INT, 0, 0); return true;
    case ENGINE_ARRAY_GET:
    case ENGINE_ARRAY_UNSAFE_GET: operands(s, 0, FACT_INT, 0, 0); return true;
    case ENGINE_ARRAY_SET_ADDR: operands(s, ARRAY_SET, FACT_INT, 0, 0); return true;
    case ENGINE_ARRAY_SET:
    case ENGINE_ARRAY_UNSAFE_SET: operands(s, 0, FACT_INT, 0, 0); return true;
    case ENGINE_STRING_GET:
    case ENGINE_BYTES_GET: operands(s, FACT_STRING, FACT_INT, 0, FACT_INT); return true;
    case ENGINE_BYTES_SET: operands(s, FACT_STRING, FACT_INT, FACT_INT, 0); return true;
    case ENGINE_STRING_LENGTH:
    case ENGINE_BYTES_LENGTH: operands(s, FACT_STRING, 0, 0, FACT_INT); return true;
    case ENGINE_INT_COMPARE: operands(s, FACT_INT, FACT_INT, 0, FACT_INT); return true;
    case ENGINE_FLOATARRAY_GET: operands(s, FACT_DOUBLES, FACT_INT, 0, FACT_DOUBLE); return true;
    case ENGINE_FLOATARRAY_SET: operands(s, FACT_DOUBLES, FACT_INT, FACT_DOUBLE, 0); return true;
    case ENGINE_ADD_FLOAT:
    case ENGINE_SUB_FLOAT:
    case ENGINE_MUL_FLOAT:
    case ENGINE_DIV_FLOAT: operands(s, FACT_DOUBLE, FACT_DOUBLE, 0, FACT_DOUBLE); return true;
    case ENGINE_LT_FLOAT:
    case ENGINE_LE_FLOAT:
    case ENGINE_GT_FLOAT:
    case ENGINE_GE_FLOAT:
    case ENGINE_EQ_FLOAT:
    case ENGINE_NEQ_FLOAT: operands(s, FACT_DOUBLE, FACT_DOUBLE, 0, 0); return true;
    case ENGINE_NEG_FLOAT:
    case ENGINE_ABS_FLOAT:
    case ENGINE_SQRT_FLOAT: operands(s, FACT_DOUBLE, 0, 0, FACT_DOUBLE); return true;
    case ENGINE_FLOAT_OF_INT: operands(s, FACT_INT, 0, 0, FACT_DOUBLE); return true;
    default: return see_integer(s, prim) || see_multi_byte(s, prim);
    }
}

/* False: the loop is not one whose variables should have registers. */
static bool see(struct scan *s, const struct vm_ir_row *row) {
    uint32_t n = row->operands[0];
    switch (vm_opcodes[row->op].long_op) {
    case OP_ACC: read_variable(s, top(s, n)); return true;
    case OP_PUSH: push(s); return true;
    case OP_PUSHACC:
        push(s);
        read_variable(s, top(s, n));
        return true;
    case OP_ASSIGN: assign(s, n); return true;
    case OP_POP:
    case OP_CHECK_SIGNALS:
    case OP_BRANCH:
    case OP_BRANCHIF:
    case OP_BRANCHIFNOT: return true;
    case OP_ADDINT:
    case OP_SUBINT:
    case OP_MULINT:
    case OP_DIVINT:
    case OP_MODINT:
    case OP_ANDINT:
    case OP_ORINT:
    case OP_XORINT:
    case OP_LSLINT:
    case OP_LSRINT:
    case OP_ASRINT:
    case OP_LTINT:
    case OP_LEINT:
    case OP_GTINT:
    case OP_GEINT:
    case OP_ULTINT:
    case OP_UGEINT: operands(s, FACT_INT, FACT_INT, 0, FACT_INT); return true;
    case OP_NEGINT:
    case OP_OFFSETINT: operands(s, FACT_INT, 0, 0, FACT_INT); return true;
    case OP_BLTINT:
    case OP_BLEINT:
    case OP_BGTINT:
    case OP_BGEINT:
    case OP_BULTINT:
    case OP_BUGEINT: learn(s, s->a, FACT_INT); return true;
    case OP_GETVECTITEM: operands(s, ARRAY, FACT_INT, 0, 0); return true;
    case OP_SETVECTITEM: operands(s, ARRAY_SET, FACT_INT, 0, 0); return true;
    case OP_GETBYTESCHAR:
    case OP_GETSTRINGCHAR: operands(s, FACT_STRING, FACT_INT, 0, FACT_INT); return true;
    case OP_SETBYTESCHAR: operands(s, FACT_STRING, FACT_INT, FACT_INT, 0); return true;
    case OP_GETFLOATFIELD: operands(s, FACT_DOUBLES, 0, 0, FACT_DOUBLE); return true;
    case OP_SETFLOATFIELD: operands(s, FACT_DOUBLES, FACT_DOUBLE, 0, 0); return true;
    default: break;
    }
    unsigned flags = vm_opcodes[row->op].flags;
    if (flags & OP_ENDS) return true;
    if (flags & OP_CALLS && s->c->rows[s->row].inlined == 0) return false;
    if (row->op == OP_PUSHTRAP || row->op == OP_POPTRAP || row->op == OP_PUSH_RETADDR) return false;
    if (flags & OP_PRIMITIVE)
        return row->op != OP_C_CALLN && see_primitive(s, &s->c->vm->prims[row->operands[1]]);
    s->a = nothing();
    return true;
}

/* At a label: each slot is the variable that it holds. */
static void forget(struct scan *s, uint32_t depth) {
    for (uint32_t i = 0; i < depth; i++) s->stack[i] = (struct seen){.slot = (int32_t)i};
    s->depth = depth;
    s->a = nothing();
}

/* Of the next row; what the instruction has pushed is not known. */
static void set_depth(struct scan *s, uint32_t depth) {
    while (s->depth < depth) s->stack[s->depth++] = nothing();
    s->depth = depth;
}

static bool see_rows(struct scan *s) {
    const struct vm_ir_row *rows = s->c->ir.rows;
    bool falls = false;
    for (uint32_t i = s->first; i <= s->last; i++) {
        const struct native_row *at = &s->c->rows[i];
        if (!falls || at->entries > 1 || rows[i].flags & IR_HEAD) forget(s, rows[i].height);
        if (i > s->first && rows[i].flags & IR_HEAD) return false; /* not an innermost loop */
        s->row = i;
        if (at->reference != 0) see_reference(s, &rows[i], at->reference - 1);
        else if (!see(s, &rows[i])) return false;
        falls = !(vm_opcodes[rows[i].op].flags & OP_ENDS);
        if (!falls) continue;
        set_depth(s, rows[i + 1].height);
    }
    return true;
}

/* Follows the variables of a whole function. False: it makes a call, or has a loop. */
static bool see_function(struct scan *s) {
    const struct vm_ir *ir = &s->c->ir;
    bool falls = false, simple = true;
    for (uint32_t i = s->first; i < ir->count; i++) {
        const struct native_row *at = &s->c->rows[i];
        if (!falls || at->entries > 1 || ir->rows[i].flags & IR_HEAD) forget(s, ir->rows[i].height);
        if (ir->rows[i].flags & IR_HEAD) simple = false;
        s->row = i;
        if (at->reference != 0) {
            see_reference(s, &ir->rows[i], at->reference - 1);
        } else if (!see(s, &ir->rows[i])) {
            s->a = nothing();
            simple = false;
        }
        falls = !(vm_opcodes[ir->rows[i].op].flags & OP_ENDS);
        if (i + 1 < ir->count) set_depth(s, ir->rows[i + 1].height);
    }
    return simple;
}

/* ---- Registers. ---- */

/* The facts that the pin of a variable guarantees. */
static unsigned useful_facts(const struct variable *v) {
    switch (v->facts) {
    case FACT_INT:
    case FACT_DOUBLE:
    case FACT_INT32:
    case FACT_INT64:
    case FACT_NATIVEINT: return v->facts;
    case ARRAY:
    case ARRAY_SET:
    case FACT_DOUBLES:
    case FACT_STRING: return v->assigned ? 0 : v->facts;
    default: return 0;
    }
}

/* Variables and contents. */
static uint32_t variable_count(const struct native_compiler *c) {
    return c->max_depth + c->reference_count;
}

/* The variable that is used most of those that have no pin yet: numbers or others, also a content;
 * NULL: there is none. */
static struct variable *most_used(const struct scan *s, bool numbers, bool also_content) {
    struct variable *best = NULL;
    for (uint32_t i = 0; i < variable_count(s->c); i++) {
        struct variable *v = &s->variables[i];
        if (v->uses == 0 || ((useful_facts(v) & FACT_NUMBERS) != 0) != numbers) continue;
        if (i >= s->c->max_depth && !(also_content && v->assigned)) continue;
        if (best == NULL || v->uses > best->uses) best = v;
    }
    return best;
}

/* Pins the variables that are used most, numbers or others. */
static void pin(const struct scan *s, struct native_loop *loop, bool numbers) {
    static const int8_t registers[MOST_REGISTER_PINS] = {R_BP, R_10, R_9, R_8, R_ARG1};
    uint32_t most = numbers ? MOST_NUMBER_PINS : MOST_REGISTER_PINS, contents = 0;
    for (uint32_t k = 0; k < most; k++) {
        struct variable *best = most_used(s, numbers, numbers || contents < MOST_CONTENT_PINS);
        if (best == NULL) return;
        uint32_t i = (uint32_t)(best - s->variables);
        bool is_content = i >= s->c->max_depth;
        contents += is_content;
        loop->pins[loop->count++] = (struct native_pin){
            .made = best->made,
            .slot = is_content ? s->c->reference_slots[i - s->c->max_depth] : (uint16_t)i,
            .reference = is_content ? (uint8_t)(i - s->c->max_depth + 1) : 0,
            .reg = (int8_t)(numbers ? X_VALUES - 1 - k : registers[k]),
            .facts = (uint16_t)useful_facts(best),
            .assigned = best->assigned};
        best->uses = 0;
    }
}

static struct scan new_scan(const struct native_compiler *c) {
    struct native_compiler *owner = (struct native_compiler *)c;
    return (struct scan){
        .c = c,
        .stack = native_scratch(owner, (c->max_depth + 1) * sizeof(struct seen)),
        .variables = native_scratch(owner, variable_count(c) * sizeof(struct variable))};
}

static void begin_scan(struct scan *s, uint32_t first, uint32_t last) {
    s->first = first, s->last = last;
    s->height = s->c->ir.rows[first].height;
    for (uint32_t i = 0; i < variable_count(s->c); i++)
        s->variables[i] = (struct variable){.made = first};
}

/* A loop of rows first to last with these pins. */
static void add_loop(struct native_compiler *c, const struct native_loop *loop, uint32_t first,
                     uint32_t last) {
    c->loops = vm_must(realloc(c->loops, (c->loop_count + 1) * sizeof *c->loops));
    c->loops[c->loop_count++] = *loop;
    for (uint32_t i = first; i <= last; i++) c->rows[i].loop = (uint16_t)c->loop_count;
}

static void see_loop(struct native_compiler *c, struct scan *s, uint32_t first, uint32_t last) {
    begin_scan(s, first, last);
    if (!see_rows(s)) return;
    struct native_loop loop = {0};
    pin(s, &loop, false);
    pin(s, &loop, true);
    if (loop.count > 0) add_loop(c, &loop, first, last);
}

/* The last row that jumps to row i, a loop header. */
static uint32_t last_of_loop(const struct native_compiler *c, uint32_t i) {
    uint32_t last = i;
    for (uint32_t k = i; k < c->ir.count && c->ir.rows[k].flags & IR_LOOP; k++) {
        const struct vm_opcode_info *info = &vm_opcodes[c->ir.rows[k].op];
        if (info->label != 'l') continue;
        uint32_t n;
        const uint32_t *labels = vm_ir_labels(&c->ir, &c->ir.rows[k], &n);
        for (uint32_t j = 0; j < n; j++)
            if (labels[j] == i) last = k;
    }
    return last;
}

void native_find_loops(struct native_compiler *c) {
    if (!c->ir.loops) return;
    struct scan s = new_scan(c);
    for (uint32_t i = 0; i < c->ir.count; i++)
        if (c->ir.rows[i].flags & IR_HEAD && c->rows[i].loop == 0)
            see_loop(c, &s, i, last_of_loop(c, i));
}

bool native_pin_arguments(struct native_compiler *c) {
    uint32_t last = (uint32_t)c->ir.count - 1;
    struct scan s = new_scan(c);
    begin_scan(&s, c->first, last);
    bool simple = see_function(&s);
    for (uint32_t i = 0; i < variable_count(c); i++) {
        struct variable *v = &s.variables[i];
        if (i >= s.height) v->uses = 0;
        /* An array may be another one in the next call, and a number needs its block there. */
        v->facts = v->facts == FACT_INT ? FACT_INT : 0;
        v->assigned = true;
    }
    struct native_loop entry = {0};
    pin(&s, &entry, false);
    if (entry.count == 0) return false;
    add_loop(c, &entry, c->first, simple ? last : c->first);
    return true;
}

const struct native_loop *native_loop_of(const struct native_compiler *c, uint32_t row) {
    uint32_t loop = c->rows[row].loop;
    return loop == 0 ? NULL : &c->loops[loop - 1];
}
