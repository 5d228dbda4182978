/* check_code.c - see check_code.h.
 *
 * First the code is decoded from its start to its end (N7), then the targets of its jumps are
 * found, then each jump is checked, with the instructions before it (N8), and the words on the C
 * stack are counted along all paths (N9). */
#include "vm/engine/native/check_code.h"

#include "vm/base/os.h"
#include "vm/code/prim.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/decode.h"
#include "vm/engine/native/padding.h"
#include "vm/marshal/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_REACHED = -1, FIXED = 1 << R_DOMAIN | 1 << R_TABLE | 1 << R_C_STACK };

struct instruction {
    struct native_decoded d;
    uint32_t offset;
    int8_t pushed;  /* words on the C stack, or NOT_REACHED */
    bool is_target; /* a jump leads here, or other code */
};

struct checker {
    const struct native_checked *code;
    struct native_violation *violation;
    struct instruction *items;
    uint32_t count;
    uint32_t *at;                     /* by offset: the instruction that begins there, + 1; or 0 */
    bool *is_exit;                    /* by position, from the function's first one */
    uint32_t *pending, pending_count; /* instructions to follow (N9) */
};

static bool holds(struct checker *k, bool condition, uint32_t offset, const char *what) {
    if (!condition) *k->violation = (struct native_violation){what, offset};
    return condition;
}

static bool ends_path(const struct native_decoded *d) {
    return d->kind == KIND_JUMP || d->kind == KIND_JUMP_MEMORY || d->kind == KIND_JUMP_REGISTER ||
           d->kind == KIND_RETURN;
}

/* ---- Instructions. ---- */

static bool read_instructions(struct checker *k) {
    const struct native_checked *code = k->code;
    const struct vm_native_table *table = code->tables, *end = table + code->table_count;
    uint32_t offset = 0;
    while (offset < code->bytes) {
        if (table < end && table->offset == offset) {
            offset += 4 * table++->words;
            continue;
        }
        struct instruction *i = &k->items[k->count];
        const uint8_t *at = code->written + offset;
        bool decoded = native_decode(at, code->written + code->bytes, &i->d);
        if (!holds(k, decoded, offset, "N7: no instruction that is listed")) return false;
        i->offset = offset;
        i->pushed = NOT_REACHED;
        k->at[offset] = ++k->count;
        offset += i->d.length;
    }
    return holds(k, table == end && offset == code->bytes, offset, "N7: a table is elsewhere");
}

/* The instruction at that offset. NULL: none begins there. */
static struct instruction *find(const struct checker *k, int64_t offset) {
    bool inside = offset >= 0 && offset < k->code->bytes;
    return inside && k->at[offset] != 0 ? &k->items[k->at[offset] - 1] : NULL;
}

/* The offset to which a jump or call leads. */
static int64_t target_of(const struct instruction *i) {
    return (int64_t)i->offset + i->d.length + i->d.constant;
}

static bool is_relative(const struct native_decoded *d) {
    return d->kind == KIND_JUMP || d->kind == KIND_JUMP_IF || d->kind == KIND_CALL;
}

static bool leads_outside(const struct checker *k, const struct instruction *i) {
    int64_t to = target_of(i);
    return to < 0 || to >= k->code->bytes;
}

/* The offset to which a word of a table leads. */
static int64_t target_in_table(const struct checker *k, const struct vm_native_table *t,
                               uint32_t word) {
    int32_t distance;
    memcpy(&distance, k->code->written + t->offset + 4 * (size_t)word, sizeof distance);
    return (int64_t)t->offset + distance;
}

static bool add_target(struct checker *k, int64_t to, uint32_t offset, const char *what) {
    struct instruction *i = find(k, to);
    if (i != NULL) i->is_target = true;
    return holds(k, i != NULL, offset, what);
}

static const uint8_t *outside_target(const struct checker *k, const struct instruction *i) {
    return k->code->written + k->code->run_offset + target_of(i);
}

/* A jump to the stub `exit`. */
static bool jumps_to_exit(const struct checker *k, const struct instruction *i) {
    return i != NULL && i->d.kind == KIND_JUMP && !k->code->shared && leads_outside(k, i) &&
           outside_target(k, i) == k->code->native->stubs.exit;
}

/* A jump to such a jump of the function: several exits share one. */
static bool jumps_to_shared_exit(const struct checker *k, const struct instruction *i) {
    return i->d.kind == KIND_JUMP && !leads_outside(k, i) &&
           jumps_to_exit(k, find(k, target_of(i)));
}

/* Exits that share a jump are not among the targets: each is checked by itself. */
static bool find_targets(struct checker *k) {
    const struct native_checked *code = k->code;
    bool good = true;
    for (uint32_t n = 0; good && n < k->count; n++) {
        const struct instruction *i = &k->items[n];
        if (!is_relative(&i->d) || leads_outside(k, i) || jumps_to_shared_exit(k, i)) continue;
        good = add_target(k, target_of(i), i->offset, "N8: a jump into an instruction");
    }
    for (size_t t = 0; good && t < code->table_count; t++)
        for (uint32_t w = 0; good && w < code->tables[t].words; w++)
            good = add_target(k, target_in_table(k, &code->tables[t], w), code->tables[t].offset,
                              "N8: a table's word that leads to no instruction");
    for (size_t e = 0; good && e < code->entry_count; e++)
        good = add_target(k, code->entries[e], code->entries[e],
                          "N8: other code leads here, to no instruction");
    return good;
}

/* ---- Jumps, with what precedes them. ---- */

/* The instruction that always runs before i, except NOPs. NULL: none, or i is NULL. */
static const struct instruction *before(const struct checker *k, const struct instruction *i) {
    do {
        if (i == NULL || i->is_target || i == k->items) return NULL;
        const struct instruction *last = i - 1;
        if (ends_path(&last->d) || last->offset + last->d.length != i->offset) return NULL;
        i = last;
    } while (i->d.kind == KIND_NOP);
    return i;
}

/* Where instructions are emitted to compare with. */
struct sample {
    uint8_t bytes[32];
    struct emitter e;
};

static struct emitter *begin_sample(struct sample *s) {
    s->e = (struct emitter){.start = s->bytes, .at = s->bytes, .end = s->bytes + sizeof s->bytes};
    return &s->e;
}

static bool is_sample(const struct checker *k, const struct instruction *i,
                      const struct sample *s) {
    size_t length = (size_t)(s->e.at - s->e.start);
    return i != NULL && i->d.length == i->d.prefixes + length &&
           memcmp(k->code->written + i->offset + i->d.prefixes, s->bytes, length) == 0;
}

/* The register is a constant before i. */
static bool has_constant(const struct checker *k, const struct instruction *i, int reg,
                         int64_t *constant) {
    const struct instruction *last = before(k, i);
    if (last == NULL || last->d.kind != KIND_CONSTANT || last->d.reg != reg) return false;
    *constant = last->d.constant;
    return true;
}

static void find_exits(struct checker *k) {
    const struct native_exits *x = &k->code->native->exits;
    for (size_t e = k->code->first_exit; e < x->count; e += native_exit_words(x->words + e))
        k->is_exit[e - k->code->first_exit] = true;
}

/* R_TEMP is one of the function's exits before i. */
static bool has_exit(const struct checker *k, const struct instruction *i) {
    int64_t exit, first = (int64_t)k->code->first_exit;
    return has_constant(k, i, R_TEMP, &exit) && exit >= first &&
           exit < (int64_t)k->code->native->exits.count && k->is_exit[exit - first];
}

/* A jump to shared code. */
static bool is_jump_out(const struct checker *k, const struct instruction *i) {
    const struct native_stubs *s = &k->code->native->stubs;
    const uint8_t *to = outside_target(k, i);
    int64_t arguments;
    for (unsigned n = 1; n <= MOST_ARGUMENTS; n++)
        if (to == s->calls[n]) return true;
    if (to == s->slow_entry) return has_constant(k, i, R_TEMP, &arguments);
    bool error = false;
    for (unsigned e = 0; e < ERROR_COUNT; e++) error = error || to == s->errors[e];
    return (error || jumps_to_exit(k, i) || jumps_to_shared_exit(k, i)) && has_exit(k, i);
}

static bool is_jump_if_out(const struct checker *k, const struct instruction *i) {
    const struct native_stubs *s = &k->code->native->stubs;
    const uint8_t *to = outside_target(k, i);
    bool arity = false;
    for (unsigned n = 1; n <= MOST_ARGUMENTS; n++) arity = arity || to == s->other_arity[n];
    return i->d.reg == C_NOT_EQUAL && (arity || to == s->leave || to == s->switched);
}

static bool is_call_of_shared(const struct checker *k, const struct instruction *i) {
    const struct native_stubs *s = &k->code->native->stubs;
    const uint8_t *to = outside_target(k, i);
    return to == s->store || to == s->store_saving_floats || to == s->find_method ||
           to == s->string_equal;
}

/* Whether i is a jump at that place, and follows `test`, whose failure leads to `otherwise`. */
static bool is_tested_jump(const struct checker *k, const struct instruction *i,
                           struct native_place at, const struct sample *test,
                           const uint8_t *otherwise) {
    struct sample jump;
    emit_jump_memory(begin_sample(&jump), at);
    const struct instruction *branch = before(k, i);
    return is_sample(k, i, &jump) && branch != NULL && branch->d.kind == KIND_JUMP_IF &&
           branch->d.reg == C_NOT_EQUAL && outside_target(k, branch) == otherwise &&
           is_sample(k, before(k, branch), test);
}

/* The word of the table of entries, or before it, that an instruction's operand is. */
static int32_t displacement_of(const struct checker *k, const struct instruction *i) {
    const uint8_t *end = k->code->written + i->offset + i->d.length;
    int32_t wide;
    memcpy(&wide, end - sizeof wide, sizeof wide);
    struct sample s; /* a displacement of a byte, or of four? */
    emit_jump_memory(begin_sample(&s), at_base(R_TABLE, wide));
    uint32_t rest = i->d.length - i->d.prefixes;
    return rest == (uint32_t)(s.e.at - s.e.start) ? wide : (int8_t)end[-1];
}

/* The register that is compared with an expected closure of that code; R_NONE: another one is, or
 * i is another instruction. */
static int register_of_expected(const struct checker *k, const struct instruction *i,
                                int32_t code) {
    const struct gc_weak_words *expected = &k->code->native->expected;
    int32_t at = displacement_of(k, i), word = at / 8 + EXPECTED_WORDS;
    if (at % 8 != 0 || word < 0 || (size_t)word >= expected->count) return R_NONE;
    value closure = expected->words[word];
    bool is_closure = is_block(closure) &&
                      (tag_of(closure) == TAG_CLOSURE || tag_of(closure) == TAG_INFIX);
    if (!is_closure || field(closure, 0) != (value)code) return R_NONE;
    for (int reg = 0; reg < R_COUNT; reg++) {
        struct sample s;
        emit_alu_load(begin_sample(&s), ALU_COMPARE, reg, at_base(R_TABLE, at));
        if (is_sample(k, i, &s)) return reg;
    }
    return R_NONE;
}

/* Whether instructions from that one to i move the register to R_ENV. */
static bool moves_to_env(const struct checker *k, const struct instruction *from,
                         const struct instruction *i, int reg) {
    bool moved = reg == R_ENV, holds = true;
    struct sample move;
    emit_move(begin_sample(&move), R_ENV, reg);
    for (; from < i; from++) {
        if (holds && is_sample(k, from, &move)) moved = true;
        else if (from->d.changes >> R_ENV & 1) moved = false;
        holds = holds && (from->d.changes >> reg & 1) == 0;
    }
    return moved;
}

/* To the function of an expected closure: a comparison with it, whose failure leads to late code,
 * and a jump through the function's entry, with that closure as R_ENV. */
static bool is_jump_to_expected(const struct checker *k, const struct instruction *i) {
    struct sample s;
    int32_t at = displacement_of(k, i), code = (at - ENTRY_ADDRESS) / 8;
    emit_jump_memory(begin_sample(&s), at_base(R_TABLE, at));
    if (!is_sample(k, i, &s) || at != 8 * code + ENTRY_ADDRESS || code <= 0) return false;
    const struct instruction *branch = before(k, i);
    while (branch != NULL && (branch->d.kind == KIND_PLAIN || branch->d.kind == KIND_CONSTANT))
        branch = before(k, branch);
    const struct instruction *test = before(k, branch);
    if (test == NULL || branch->d.kind != KIND_JUMP_IF || branch->d.reg != C_NOT_EQUAL ||
        leads_outside(k, branch))
        return false;
    int reg = register_of_expected(k, test, code);
    return reg != R_NONE && moves_to_env(k, branch + 1, i, reg) &&
           k->code->native->entries[code >> 1].address != 0;
}

/* To a cell, or through the table of entries, with n arguments. */
static bool is_jump_by_memory(const struct checker *k, const struct instruction *i) {
    const struct vm_native *n = k->code->native;
    struct sample test;
    emit_compare_memory_32(begin_sample(&test), at_base(R_TEMP, 0), (int32_t)n->return_body);
    if (is_tested_jump(k, i, at_base(R_TEMP, -16), &test, n->stubs.leave)) return true;
    for (int32_t arguments = 1; arguments <= MOST_ARGUMENTS; arguments++) {
        emit_compare_memory_32(begin_sample(&test), native_entry_of_code(R_TEMP, ENTRY_TAKES),
                               arguments);
        if (is_tested_jump(k, i, native_entry_of_code(R_TEMP, ENTRY_ADDRESS), &test,
                           n->stubs.other_arity[arguments]))
            return true;
    }
    return is_jump_to_expected(k, i);
}

/* The table by which the instruction jumps. NULL: none. */
static const struct vm_native_table *table_of(const struct checker *k,
                                              const struct instruction *i) {
    struct sample s;
    const struct native_checked *code = k->code;
    emit_jump_register(begin_sample(&s), R_TEMP);
    const struct instruction *add = before(k, i), *load = before(k, add), *lea = before(k, load);
    if (!is_sample(k, i, &s) || lea == NULL || lea->d.kind != KIND_CODE_ADDRESS) return NULL;
    emit_alu(begin_sample(&s), ALU_ADD, R_TEMP, R_TEMP2);
    if (!is_sample(k, add, &s) || lea->d.reg != R_TEMP2) return NULL;
    emit_load_signed_32(begin_sample(&s), R_TEMP, at_index(R_TEMP2, R_TEMP, 2, 0));
    if (!is_sample(k, load, &s)) return NULL;
    const struct vm_native_table *table = code->tables, *end = table + code->table_count;
    while (table < end && table->offset != target_of(lea)) table++;
    if (table == end || !code->tests_indexes) return table == end ? NULL : table;
    const struct instruction *branch = before(k, lea), *test = before(k, branch);
    emit_alu_constant(begin_sample(&s), ALU_COMPARE, R_TEMP, (int32_t)table->words);
    bool tested = branch != NULL && branch->d.kind == KIND_JUMP_IF &&
                  branch->d.reg == C_ABOVE_EQUAL && is_sample(k, test, &s);
    return tested ? table : NULL;
}

static bool calls_c(const struct checker *k, const struct instruction *i) {
    int64_t function;
    return i->d.reg == R_TEMP2 && has_constant(k, i, R_TEMP2, &function) &&
           k->code->may_call(k->code->context, (uintptr_t)function);
}

static bool check_jump(struct checker *k, const struct instruction *i) {
    bool outside = is_relative(&i->d) && leads_outside(k, i), shared = k->code->shared;
    switch (i->d.kind) {
    case KIND_JUMP:
        if (jumps_to_shared_exit(k, i)) outside = true;
        return holds(k, !outside || (!shared && is_jump_out(k, i)), i->offset,
                     "N8: a jump that leads elsewhere, or by no exit of the function");
    case KIND_JUMP_IF:
        return holds(k, !outside || (!shared && is_jump_if_out(k, i)), i->offset,
                     "N8: a conditional jump that leads elsewhere");
    case KIND_CALL:
        return holds(k, shared ? !outside : is_call_of_shared(k, i), i->offset,
                     "N8: a call that leads elsewhere");
    case KIND_CALL_REGISTER:
        return holds(k, calls_c(k, i), i->offset, "N8: a call of no C function that is listed");
    case KIND_JUMP_MEMORY:
        return holds(k, shared || is_jump_by_memory(k, i), i->offset,
                     "N8: a jump through memory without its comparison");
    case KIND_JUMP_REGISTER:
        return holds(k, shared || table_of(k, i) != NULL, i->offset,
                     "N8: a jump by no table, or an index that is not tested");
    case KIND_RETURN: return holds(k, shared, i->offset, "N8: a function that returns by ret");
    default: return true;
    }
}

/* A jump of an exit: to the stub, or to the code of an exit. */
static bool is_rare(const struct checker *k, const struct instruction *i) {
    if (jumps_to_exit(k, i) || jumps_to_shared_exit(k, i)) return true;
    const struct instruction *to = i->d.kind == KIND_JUMP ? find(k, target_of(i)) : NULL;
    if (to == NULL || to->d.kind != KIND_CONSTANT || to + 1 == k->items + k->count) return false;
    return jumps_to_exit(k, to + 1) || jumps_to_shared_exit(k, to + 1);
}

/* NV6 */
static bool lies_in_line(const struct checker *k, const struct instruction *i) {
    bool jumps = i->d.kind >= KIND_JUMP && i->d.kind <= KIND_RETURN;
    return !k->code->pads || !jumps || is_rare(k, i) ||
           jump_padding(k->code->written + i->offset, i->d.length) == 0;
}

static bool check_instructions(struct checker *k) {
    for (uint32_t n = 0; n < k->count; n++) {
        const struct instruction *i = &k->items[n];
        if (!check_jump(k, i)) return false;
        if (!holds(k, lies_in_line(k, i), i->offset, "NV6: a jump that is not within a line"))
            return false;
        bool keeps = k->code->shared || (i->d.changes & FIXED) == 0;
        if (!holds(k, keeps, i->offset, "N9: a fixed register changes")) return false;
    }
    return true;
}

/* ---- The C stack. ---- */

enum { MOST_PUSHED = 8 };

/* Control reaches an instruction with that many words pushed. */
static bool reach(struct checker *k, struct instruction *i, int pushed, uint32_t from) {
    bool fits = i != NULL && pushed >= 0 && pushed <= MOST_PUSHED &&
                (i->pushed == NOT_REACHED || i->pushed == pushed);
    if (!holds(k, fits, from, "N9: the C stack is not as on another path, or the code ends"))
        return false;
    if (i->pushed != NOT_REACHED) return true;
    i->pushed = (int8_t)pushed;
    k->pending[k->pending_count++] = (uint32_t)(i - k->items);
    return true;
}

static bool follow_table(struct checker *k, const struct instruction *i) {
    const struct vm_native_table *table = table_of(k, i);
    for (uint32_t w = 0; w < table->words; w++)
        if (!reach(k, find(k, target_in_table(k, table, w)), i->pushed, i->offset)) return false;
    return true;
}

/* Control reaches what follows i. */
static bool follow(struct checker *k, const struct instruction *i) {
    int pushed = i->pushed + (i->d.kind == KIND_PUSH) - (i->d.kind == KIND_POP);
    bool calls = i->d.kind == KIND_CALL || i->d.kind == KIND_CALL_REGISTER;
    bool leaves = calls || i->d.kind == KIND_JUMP_MEMORY ||
                  (is_relative(&i->d) && leads_outside(k, i));
    if (!holds(k, !leaves || pushed == 0, i->offset, "N9: words are pushed on the C stack"))
        return false;
    if (i->d.kind == KIND_JUMP_REGISTER) return follow_table(k, i);
    if (is_relative(&i->d) && !leaves && !reach(k, find(k, target_of(i)), pushed, i->offset))
        return false;
    return ends_path(&i->d) || reach(k, find(k, i->offset + i->d.length), pushed, i->offset);
}

static bool check_stack(struct checker *k) {
    for (size_t e = 0; e < k->code->entry_count; e++)
        if (!reach(k, find(k, k->code->entries[e]), 0, k->code->entries[e])) return false;
    while (k->pending_count > 0)
        if (!follow(k, &k->items[k->pending[--k->pending_count]])) return false;
    return true;
}

bool native_check_code(const struct native_checked *code, struct native_violation *violation) {
    struct checker k = {.code = code, .violation = violation};
    size_t bytes = code->bytes + (size_t)1, exits = code->native->exits.count - code->first_exit;
    k.items = vm_must(calloc(bytes, sizeof *k.items));
    k.at = vm_must(calloc(bytes, sizeof *k.at));
    k.pending = vm_must(calloc(bytes, sizeof *k.pending));
    k.is_exit = vm_must(calloc(exits + 1, sizeof *k.is_exit));
    find_exits(&k);
    bool good = read_instructions(&k) && find_targets(&k) && check_instructions(&k) &&
                (code->shared || check_stack(&k));
    free(k.items);
    free(k.at);
    free(k.pending);
    free(k.is_exit);
    return good;
}

/* ---- For the compiler. ---- */

bool native_checks_code(const struct vm *vm) {
#ifdef BACTRIAN_ASSERTIONS
    return true;
#endif
    return vm->options.gc.verify;
}

static void require_code(const struct native_checked *code, struct vm *vm, uint32_t function) {
    struct native_violation found;
    if (native_check_code(code, &found)) return;
    const char *name = code->shared ? "shared code" : vm_function_name(vm, function);
    fprintf(stderr, "machine code: %s, at +%#" PRIx32 " in %s\n", found.what, found.offset,
            name != NULL ? name : "?");
    abort();
}

/* Primitives, and what effects call. */
static bool may_call(const void *context, uintptr_t function) {
    const struct vm *vm = context;
    bool found = native_is_called_by_switch(function);
    for (uint32_t i = 0; !found && i < vm->prim_count; i++)
        found = (uintptr_t)vm->prims[i].function == function;
    return found;
}

static bool stubs_may_call(const void *context, uintptr_t function) {
    return native_is_called_by_stubs(function) || native_is_called_by_switch(function);
}

static struct native_checked code_of(const struct vm *vm, const uint8_t *start,
                                     const uint8_t *end) {
    const struct vm_native *n = vm->native;
    return (struct native_checked){.native = n,
                                   .written = start,
                                   .run_offset = n->memory.executable - n->memory.writable,
                                   .bytes = (uint32_t)(end - start),
                                   .pads = n->pads,
                                   .context = vm};
}

struct entries {
    const uint8_t *start; /* where the function runs */
    uint32_t *offsets, count;
};

/* Adds the offset of an address at which the function runs. */
static void add_entry(struct entries *e, const uint8_t *runs_at) {
    e->offsets[e->count++] = (uint32_t)(runs_at - e->start);
}

static void find_entries(const struct native_compiler *c, const uint8_t *const *enter,
                         struct entries *e) {
    add_entry(e, runs_at(&c->e, c->entry));
    for (uint32_t i = 0; i < c->cell_count; i++)
        add_entry(e, (const uint8_t *)c->cells[CELL_WORDS * (size_t)i]);
    for (size_t i = 0; i < c->ir.count; i++)
        if (enter[i] != NULL) add_entry(e, enter[i]);
}

void native_require_code(struct native_compiler *c, const uint8_t *const *enter,
                         size_t first_exit) {
    struct entries entries = {runs_at(&c->e, c->e.start), NULL, 0};
    entries.offsets = native_scratch(c, (1 + c->cell_count + c->ir.count) * sizeof(uint32_t));
    find_entries(c, enter, &entries);
    struct native_checked code = code_of(c->vm, c->e.start, c->e.at);
    code.tests_indexes = c->checks && c->native->stress == 0;
    code.first_exit = first_exit;
    code.tables = c->tables.items;
    code.table_count = c->tables.count;
    code.entries = entries.offsets;
    code.entry_count = entries.count;
    code.may_call = may_call;
    require_code(&code, c->vm, c->index);
}

void native_require_shared_code(struct vm *vm) {
    const struct code_memory *memory = &vm->native->memory;
    struct native_checked code = code_of(vm, memory->writable, memory->writable + memory->used);
    code.shared = true;
    code.may_call = stubs_may_call;
    require_code(&code, vm, 0);
}
