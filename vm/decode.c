/* decode.c - decodes a function when it is first called (D5).
 *
 * The instructions that flow reaches from the function's entry are collected, put out in ascending
 * order of their pcs with operands translated (engine.h), and their labels filled in. A row
 * (decoded offset, pc) is kept for each, for backtraces and for the frames of slow paths. The
 * verifier has made sure of everything that is taken for granted here. */
#include "vm/decode.h"

#include "vm/engine.h"
#include "vm/os.h"

#include <stdlib.h>
#include <string.h>

#define NOT_YET UINT32_MAX

/* The work on one function. */
struct decoder {
    struct vm *vm;
    const struct vm_code *code;
    struct vm_function *function;
    const void *const *labels;
    uint64_t *seen, *targets; /* bitmaps over the fragment's words, clean between functions */
    uint32_t *where;          /* per word: decoded offset in its function */
    uint32_t *work;           /* pcs still to be followed, and then all pcs of the function */
    uint32_t work_count, work_capacity;
    uint32_t lowest, highest, count;
    uintptr_t *out;
    uint32_t used;
};

static bool test_bit(const uint64_t *map, uint32_t i) { return map[i / 64] >> (i % 64) & 1; }
static void set_bit(uint64_t *map, uint32_t i) { map[i / 64] |= (uint64_t)1 << (i % 64); }

static void push_work(struct decoder *c, uint32_t pc) {
    if (c->work_count == c->work_capacity) {
        c->work_capacity = c->work_capacity ? 2 * c->work_capacity : 256;
        c->work = vm_must(realloc(c->work, c->work_capacity * sizeof *c->work));
    }
    c->work[c->work_count++] = pc;
}

static void add_target(struct decoder *c, uint32_t pc) {
    set_bit(c->targets, pc);
    if (!test_bit(c->seen, pc)) push_work(c, pc);
}

static uint32_t label(const struct decoder *c, uint32_t base, uint32_t at) {
    return base + c->code->words[at];
}

/* Adds the targets of the labels among the operands of the instruction at pc. */
static void follow_labels(struct decoder *c, uint32_t pc) {
    const uint32_t *words = c->code->words;
    const char *operands = vm_opcodes[words[pc]].operands;
    if (words[pc] == OP_CLOSURE || words[pc] == OP_CLOSUREREC) return;
    if (operands[0] == 'W') {
        uint32_t n = (words[pc + 1] & 0xffff) + (words[pc + 1] >> 16);
        for (uint32_t i = 0; i < n; i++) add_target(c, label(c, pc + 2, pc + 2 + i));
        return;
    }
    for (uint32_t i = 0; operands[i] != '\0'; i++)
        if (operands[i] == 'l') add_target(c, label(c, pc + 1 + i, pc + 1 + i));
}

/* Marks every instruction that flow reaches from pc. */
static void collect(struct decoder *c, uint32_t pc) {
    c->lowest = c->highest = pc;
    push_work(c, pc);
    while (c->work_count > 0) {
        pc = c->work[--c->work_count];
        while (!test_bit(c->seen, pc)) {
            unsigned op = c->code->words[pc];
            set_bit(c->seen, pc);
            c->count++;
            if (pc < c->lowest) c->lowest = pc;
            if (pc > c->highest) c->highest = pc;
            follow_labels(c, pc);
            if (vm_opcodes[op].flags & OP_ENDS || op == OP_APPLY) break;
            pc += vm_instruction_words(c->code->words, pc, c->code->word_count, OPCODE_COUNT);
        }
    }
}

/* The next marked pc at or above pc, or NOT_YET. */
static uint32_t next_marked(const struct decoder *c, uint32_t pc) {
    while (pc <= c->highest) {
        uint64_t rest = c->seen[pc / 64] >> (pc % 64);
        if (rest != 0) return pc + (uint32_t)__builtin_ctzll(rest);
        pc = (pc | 63) + 1;
    }
    return NOT_YET;
}

static void put(struct decoder *c, uintptr_t word) { c->out[c->used++] = word; }
static void put_op(struct decoder *c, unsigned op) { put(c, (uintptr_t)c->labels[op]); }

/* A label is put as the pc it stands for and becomes an address in fill_labels. */
static void put_label(struct decoder *c, uint32_t target) { put(c, target); }

static void put_frame_word(struct decoder *c, uint32_t return_pc) {
    put(c, frame_word(c->code->base + return_pc, c->code->verified.heights[return_pc]));
}

static void put_function(struct decoder *c, uint32_t pc) {
    uint32_t fragment = c->function->fragment;
    put(c, (uintptr_t)val_of_int(vm_function_at(c->vm, fragment, pc)));
}

/* One operand by its letter. */
static void put_operand(struct decoder *c, unsigned op, char letter, uint32_t at) {
    uint32_t word = c->code->words[at];
    switch (letter) {
    case 'i':
        put(c, (uintptr_t)(op == OP_OFFSETINT || op == OP_OFFSETREF ? (intptr_t)(int32_t)word * 2
                                                                    : val_of_int((int32_t)word)));
        break;
    case 'm': put(c, (uintptr_t)val_of_int((int32_t)word)); break;
    case 'k': put(c, (uintptr_t)(intptr_t)(int32_t)word); break;
    case 'l':
        if (op == OP_CLOSURE) put_function(c, label(c, at, at));
        else put_label(c, label(c, at, at));
        break;
    case 'p': put(c, (uintptr_t)&c->vm->prims[word]); break;
    case 'c': put(c, 3); break;
    default: put(c, word);
    }
}

/* Which body runs a C_CALL of that primitive. */
static unsigned call_op(const struct decoder *c, unsigned op, const struct vm_linked_prim *prim) {
    if (prim->function == NULL) return ENGINE_C_CALL_MISSING;
    if (prim->stub) return ENGINE_C_CALL_STUB1 + (op - OP_C_CALL1);
    if (prim->inlined != 0 && !c->vm->options.count_instructions) return prim->inlined;
    return op;
}

static void put_tagged(struct decoder *c, unsigned op, uint32_t pc) {
    const uint32_t *words = c->code->words;
    put_op(c, op);
    if (op == OP_MAKEBLOCK) {
        put(c, words[pc + 1]);
        put(c, make_header(words[pc + 1], words[pc + 2], 0));
    } else {
        put(c, make_header(1 + (op - OP_MAKEBLOCK1), words[pc + 1], 0));
    }
}

static void put_switch(struct decoder *c, uint32_t pc) {
    uint32_t constants = c->code->words[pc + 1] & 0xffff, tags = c->code->words[pc + 1] >> 16;
    put_op(c, OP_SWITCH);
    put(c, constants);
    put(c, tags);
    for (uint32_t i = 0; i < constants + tags; i++) put_label(c, label(c, pc + 2, pc + 2 + i));
}

static void put_closurerec(struct decoder *c, uint32_t pc) {
    const uint32_t *words = c->code->words;
    put_op(c, OP_CLOSUREREC);
    put(c, words[pc + 1]);
    put(c, words[pc + 2]);
    for (uint32_t i = 0; i < words[pc + 1]; i++) put_function(c, label(c, pc + 3, pc + 3 + i));
}

static void put_operands(struct decoder *c, unsigned op, uint32_t pc) {
    const char *operands = vm_opcodes[op].operands;
    for (uint32_t i = 0; operands[i] != '\0'; i++) put_operand(c, op, operands[i], pc + 1 + i);
}

/* One instruction that is not part of a fused one. */
static void put_instruction(struct decoder *c, uint32_t pc) {
    const uint32_t *words = c->code->words;
    unsigned op = words[pc];
    switch (op) {
    case OP_SWITCH: put_switch(c, pc); return;
    case OP_CLOSUREREC: put_closurerec(c, pc); return;
    case OP_MAKEBLOCK:
    case OP_MAKEBLOCK1:
    case OP_MAKEBLOCK2:
    case OP_MAKEBLOCK3: put_tagged(c, op, pc); return;
    case OP_PUSH_RETADDR:
        put_op(c, op);
        put_frame_word(c, label(c, pc + 1, pc + 1));
        put_op(c, OP_BRANCH);
        put_label(c, label(c, pc + 1, pc + 1));
        return;
    case OP_C_CALL1:
    case OP_C_CALL2:
    case OP_C_CALL3:
    case OP_C_CALL4:
    case OP_C_CALL5: put_op(c, call_op(c, op, &c->vm->prims[words[pc + 1]])); break;
    case OP_C_CALLN: {
        const struct vm_linked_prim *prim = &c->vm->prims[words[pc + 2]];
        put_op(c, call_op(c, op, prim));
        if (prim->function == NULL) put(c, (uintptr_t)prim);
        break;
    }
    default: put_op(c, op);
    }
    put_operands(c, op, pc);
    if (op >= OP_APPLY1 && op <= OP_APPLY3) put_frame_word(c, pc + 1);
    if (op == OP_GRAB) put_function(c, pc - 1);
}

/* The loop's instruction for two adjacent ones, or 0. */
static unsigned fused_op(unsigned first, unsigned second) {
    switch (first << 8 | second) {
#define INTERNAL(name, meaning)
#define FUSED(name, first, second, meaning) \
    case OP_##first << 8 | OP_##second:     \
        return ENGINE_##name;
#define INLINED(name, primitive, arity, meaning)
#include "vm/engine.def"
#undef INTERNAL
#undef FUSED
#undef INLINED
    default: return 0;
    }
}

/* Puts out the instruction at pc, or two in one; returns the pc behind. */
static uint32_t put_next(struct decoder *c, uint32_t pc) {
    const uint32_t *words = c->code->words;
    uint32_t next = pc + vm_instruction_words(words, pc, c->code->word_count, OPCODE_COUNT);
    if (!c->vm->options.count_instructions && next <= c->highest && test_bit(c->seen, next) &&
        !test_bit(c->targets, next)) {
        unsigned op = fused_op(words[pc], words[next]);
        if (op != 0) {
            put_op(c, op);
            put_operands(c, words[pc], pc);
            put_operands(c, words[next], next);
            return next + vm_instruction_words(words, next, c->code->word_count, OPCODE_COUNT);
        }
    }
    put_instruction(c, pc);
    return next;
}

/* An upper bound of the decoded size: frame words and the like add at most 3 words an
 * instruction. */
static size_t words_needed(const struct decoder *c) {
    size_t total = 8;
    for (uint32_t pc = next_marked(c, c->lowest); pc != NOT_YET; pc = next_marked(c, pc + 1))
        total += 3 + vm_instruction_words(c->code->words, pc, c->code->word_count, OPCODE_COUNT);
    return total;
}

/* Turns the pcs that stand for labels into addresses. pc: of the (first) instruction of a row. */
static void fill_instruction_labels(struct decoder *c, uint32_t op, uintptr_t *operands) {
    const char *letters = vm_opcodes[op].operands;
    if (op == OP_SWITCH) {
        for (uintptr_t i = 0; i < operands[0] + operands[1]; i++)
            operands[2 + i] = (uintptr_t)&c->out[c->where[operands[2 + i]]];
    } else if (op == OP_PUSH_RETADDR) {
        operands[2] = (uintptr_t)&c->out[c->where[operands[2]]];
    } else if (op != OP_CLOSURE && op != OP_CLOSUREREC) {
        for (uint32_t i = 0; letters[i] != '\0'; i++)
            if (letters[i] == 'l') operands[i] = (uintptr_t)&c->out[c->where[operands[i]]];
    }
}

static void fill_labels(struct decoder *c) {
    const uint32_t *words = c->code->words;
    for (uint32_t i = 0; i < c->function->row_count; i++) {
        const struct vm_pc_row *row = &c->function->rows[i];
        unsigned op = words[row->pc];
        uint32_t next = row->pc +
                        vm_instruction_words(words, row->pc, c->code->word_count, OPCODE_COUNT);
        uintptr_t *operands = &c->out[row->decoded + 1];
        bool fused = i + 1 < c->function->row_count
                         ? c->function->rows[i + 1].pc > next && next <= c->highest &&
                               test_bit(c->seen, next)
                         : next <= c->highest && test_bit(c->seen, next);
        if (fused) {
            operands += strlen(vm_opcodes[op].operands);
            op = words[next];
        }
        fill_instruction_labels(c, op, operands);
    }
}

static void emit(struct decoder *c) {
    struct vm_function *f = c->function;
    f->rows = vm_must(malloc(c->count * sizeof *f->rows));
    uint32_t pc = next_marked(c, c->lowest);
    while (pc != NOT_YET) {
        c->where[pc] = c->used;
        f->rows[f->row_count++] = (struct vm_pc_row){c->used, pc};
        pc = next_marked(c, put_next(c, pc));
    }
    fill_labels(c);
}

/* Clears the bitmaps again, in the words that were used. */
static void wipe(struct decoder *c) {
    size_t from = c->lowest / 64, to = c->highest / 64 + 1;
    memset(&c->seen[from], 0, (to - from) * 8);
    memset(&c->targets[from], 0, (to - from) * 8);
    free(c->work);
}

static void *scratch(void **slot, size_t bytes) {
    if (*slot == NULL) *slot = vm_must(calloc(1, bytes));
    return *slot;
}

/* Decodes the function of a closure label or a main program; f->pc is its first instruction (a
 * RESTART for functions of more than one argument, so that both entries lie in the same decoded
 * code). */
static void decode(struct vm *vm, struct vm_function *f, uint32_t first_pc) {
    struct vm_code *code = vm->codes[f->fragment];
    size_t map_bytes = ((size_t)code->word_count / 64 + 2) * 8;
    struct decoder c = {
        .vm = vm,
        .code = code,
        .function = f,
        .labels = (const void *const *)vm_loop_of(vm)(vm->domain, RUN_LABELS, 0, 0),
        .seen = scratch((void **)&code->scratch_seen, map_bytes),
        .targets = scratch((void **)&code->scratch_targets, map_bytes),
        .where = scratch((void **)&code->scratch_where, (size_t)code->word_count * 4),
    };
    collect(&c, first_pc);
    struct vm_decoded_area *area = vm->decoded_area;
    if (words_needed(&c) > area->capacity - area->used)
        vm_fatal("the code area of the machine is full");
    c.out = area->words + area->used;
    emit(&c);
    f->decoded = c.out;
    f->decoded_words = c.used;
    area->used += c.used;
    wipe(&c);
}

static void remember(struct vm_decoded_area *area, uint32_t index) {
    if (area->function_count == area->function_capacity) {
        area->function_capacity = area->function_capacity ? 2 * area->function_capacity : 256;
        area->functions = vm_must(
            realloc(area->functions, area->function_capacity * sizeof *area->functions));
    }
    area->functions[area->function_count++] = index;
}

void vm_function_prepare(struct vm *vm, uint32_t index) {
    struct vm_function *f = &vm->functions[index];
    if (f->decoded != NULL) return;
    if (f->kind == FUNCTION_RESTART) {
        uint32_t body = vm_function_at(vm, f->fragment, f->pc + 1);
        vm_function_prepare(vm, body);
        f->decoded = vm->functions[body].decoded;
        f->entry = f->decoded;
        return;
    }
    bool grabs = f->kind == FUNCTION_CLOSURE && f->arity > 1;
    decode(vm, f, grabs ? f->pc - 1 : f->pc);
    f->entry = f->decoded + (grabs ? 1 : 0);
    remember(vm->decoded_area, index);
}

bool vm_find_decoded(const struct vm *vm, const uintptr_t *at, const struct vm_function **function,
                     const struct vm_pc_row **row) {
    const struct vm_decoded_area *area = vm->decoded_area;
    if (at < area->words || at >= area->words + area->used || area->function_count == 0)
        return false;
    uint32_t low = 0, high = area->function_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (vm->functions[area->functions[middle]].decoded <= at) low = middle;
        else high = middle;
    }
    const struct vm_function *f = &vm->functions[area->functions[low]];
    if (at < f->decoded || at >= f->decoded + f->decoded_words) return false;
    uint32_t offset = (uint32_t)(at - f->decoded);
    low = 0, high = f->row_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (f->rows[middle].decoded <= offset) low = middle;
        else high = middle;
    }
    *function = f;
    *row = &f->rows[low];
    return true;
}

/* Room for 2^29 decoded words; less where the system limits address space. */
bool vm_decoded_area_create(struct vm *vm) {
    struct vm_decoded_area *area = calloc(1, sizeof *area);
    if (area == NULL) return false;
    vm->decoded_area = area;
    size_t bytes = (size_t)1 << 32;
    area->words = vm_reserve(&bytes, (size_t)16 << 20);
    if (area->words == NULL) return false;
    area->capacity = bytes / 8;

    const void *const *labels = (const void *const *)vm_loop_of(vm)(vm->domain, RUN_LABELS, 0, 0);
    uintptr_t *w = area->words;
    w[0] = frame_word(VM_NO_GPC, 0), w[1] = (uintptr_t)labels[ENGINE_LEAVE];
    w[2] = frame_word(VM_NO_GPC, 0), w[3] = (uintptr_t)labels[ENGINE_WATERMARK];
    w[4] = frame_word(VM_NO_GPC, 2), w[5] = (uintptr_t)labels[ENGINE_ENTER_TRACED];
    w[6] = (uintptr_t)labels[ENGINE_PREPARE];
    w[7] = (uintptr_t)labels[ENGINE_NO_CODE];
    vm->functions[0].entry = w + 7;
    vm->leave_code = w + 1, vm->watermark_code = w + 3, vm->traced_code = w + 5,
    vm->prepare_code = w + 6;
    area->used = 8;
    return true;
}

void vm_decoded_area_destroy(struct vm *vm) {
    struct vm_decoded_area *area = vm->decoded_area;
    if (area == NULL) return;
    for (uint32_t i = 0; i < area->function_count; i++)
        free(vm->functions[area->functions[i]].rows);
    if (area->words != NULL) vm_release(area->words, area->capacity * 8);
    free(area->functions);
    free(area);
}
