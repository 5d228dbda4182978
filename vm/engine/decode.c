/* decode.c - decodes a function when it is first called (D5).
 *
 * The instructions that flow reaches from the function's entry are collected, put out in ascending
 * order of their pcs with operands translated (engine.h), and their labels filled in. Their rows
 * (decoded offset, pc) are kept in short (pc_map.h), for backtraces and frames of slow paths. The
 * verifier has made sure of everything that is taken for granted here. */
#include "vm/engine/decode.h"

#include "gc/small_tables.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/kinds.h"
#include "vm/code/opcodes.h"
#include "vm/code/packed.h"
#include "vm/code/pc_map.h"
#include "vm/code/prim.h"
#include "vm/code/verify.h"
#include "vm/engine/loop.h"
#include "vm/stack/frame_layout.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

#define NOT_YET UINT32_MAX

enum { ENTERED_WORDS = 2 };

/* One line of a table that is a switch. */
#define WHEN(key, result) \
    case key: return result;

/* The work on one function. */
struct decoder {
    struct vm *vm;
    struct vm_code *code;
    struct vm_function *function;
    const void *const *labels;
    const uint32_t *words;  /* the fragment's, those that flow has reached */
    uint64_t *seen;         /* bitmap over the fragment's words, clean between functions */
    uint64_t *resumptions;  /* another: where control comes back to the function */
    uint32_t place, body;   /* the function's, and its pc behind GRAB; place 0: not marked */
    struct vm_pc_row *rows; /* of the instructions, in ascending order */
    uint32_t row_count;
    uint32_t *work; /* pcs still to be followed; then the loop's instructions, by row */
    uint32_t work_count, work_capacity;
    uint32_t lowest, highest, count;
    uintptr_t *out;
    uint32_t used;
};

static bool test_bit(const uint64_t *map, uint32_t i) { return map[i / 64] >> (i % 64) & 1; }
static void set_bit(uint64_t *map, uint32_t i) { map[i / 64] |= (uint64_t)1 << (i % 64); }

static void push_work(struct decoder *c, uint32_t pc) {
    if (c->work_count == c->work_capacity) {
        c->work_capacity = c->work_capacity ? 2 * c->work_capacity : IF_SMALL_TABLES(1, 256);
        c->work = vm_must(realloc(c->work, c->work_capacity * sizeof *c->work));
    }
    c->work[c->work_count++] = pc;
}

static void add_target(struct decoder *c, uint32_t pc) {
    if (!test_bit(c->seen, pc)) push_work(c, pc);
}

static uint32_t label(const struct decoder *c, uint32_t base, uint32_t at) {
    return base + c->words[at];
}

/* Adds the targets of the labels among the operands of the instruction at pc. */
static void follow_labels(struct decoder *c, uint32_t pc) {
    const uint32_t *words = c->words;
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

/* Where the instruction at pc makes control come back: behind a call, in a handler. */
static void note_resumption(struct decoder *c, uint32_t pc) {
    unsigned op = c->words[pc];
    if (op >= OP_APPLY1 && op <= OP_APPLY3) set_bit(c->resumptions, pc + 1);
    if (op == OP_PUSH_RETADDR || op == OP_PUSHTRAP)
        set_bit(c->resumptions, label(c, pc + 1, pc + 1));
}

/* Words of the instruction at pc, which is unpacked. */
static uint32_t width_at(const struct decoder *c, uint32_t pc) {
    uint32_t op = c->words[pc], width = vm_fixed_words[op];
    return width != 0 ? width : (uint32_t)vm_varying_words(op, c->words[pc + 1]);
}

/* Unpacks the instruction at pc; returns its words. */
static uint32_t unpack(struct decoder *c, uint32_t pc) {
    struct vm_code *code = c->code;
    uint32_t last = code->word_count - 1;
    vm_unpacked_need(&code->unpacked, &code->packed, pc, pc < last ? pc + 1 : last);
    uint32_t width = width_at(c, pc);
    vm_unpacked_need(&code->unpacked, &code->packed, pc, pc + width - 1);
    return width;
}

/* Marks every instruction that flow reaches from pc. */
static void collect(struct decoder *c, uint32_t pc) {
    c->lowest = c->highest = pc;
    push_work(c, pc);
    while (c->work_count > 0) {
        pc = c->work[--c->work_count];
        while (!test_bit(c->seen, pc)) {
            uint32_t width = unpack(c, pc);
            unsigned op = c->words[pc];
            set_bit(c->seen, pc);
            c->count++;
            if (pc < c->lowest) c->lowest = pc;
            if (pc > c->highest) c->highest = pc;
            follow_labels(c, pc);
            if (c->place != 0) note_resumption(c, pc);
            if (vm_opcodes[op].flags & OP_ENDS || op == OP_APPLY) break;
            pc += width;
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

/* What short instructions stand for: the one with an operand, and that operand. */
struct long_form {
    unsigned op;
    uint32_t operand;
};
static struct long_form long_form_of(unsigned op) {
    switch (op) {
#define SHORT(name, long_name, operand) \
    WHEN(OP_##name, ((struct long_form){OP_##long_name, (uint32_t)(operand)}))
#define SPECIAL(name, instruction, operand) \
    WHEN(ENGINE_##name, ((struct long_form){OP_##instruction, operand}))
#include "vm/code/engine.def"
    default: return (struct long_form){op, 0};
    }
}

/* A label is put as the pc it stands for and becomes an address in fill_labels. */
static void put_label(struct decoder *c, uint32_t target) { put(c, target); }

static void put_frame_word(struct decoder *c, uint32_t return_pc) {
    uint8_t code = c->code->unpacked.heights[return_pc];
    uint32_t height = vm_height_of(&c->code->verified, return_pc, code);
    put(c, frame_word(c->code->base + return_pc, height));
}

static void put_function(struct decoder *c, uint32_t pc) {
    uint32_t fragment = c->function->fragment;
    put(c, (uintptr_t)val_of_int(vm_function_at(c->vm, fragment, pc)));
}

/* One operand by its letter; at: its place, where labels count from. */
static void put_letter(struct decoder *c, unsigned op, char letter, uint32_t word, uint32_t at) {
    switch (letter) {
    case 'i':
        put(c, (uintptr_t)(op == OP_OFFSETINT || op == OP_OFFSETREF ? (intptr_t)(int32_t)word * 2
                                                                    : val_of_int((int32_t)word)));
        break;
    case 'n':
        if (op == OP_GRAB) put(c, 2 * (uintptr_t)word);
        else put(c, op == OP_APPLY ? (uintptr_t)val_of_int((intptr_t)word - 1) : word);
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

/* Whether the code is to be run as it is, so that its instructions are counted. */
static bool is_plain(const struct vm *vm) {
    return vm_counts_instructions(vm) && (!vm->options.count_forms || vm->options.fuel != 0);
}

/* The loop's own instruction for one whose operand is that number, or op. */
static unsigned special_op(const struct decoder *c, unsigned op, uint32_t operand) {
    if (is_plain(c->vm) || operand > 0xff) return op;
    switch (op << 8 | operand) {
#define SPECIAL(name, instruction, operand) WHEN(OP_##instruction << 8 | operand, ENGINE_##name)
#include "vm/code/engine.def"
    default: return op;
    }
}

/* Which body runs a C_CALL of that primitive. */
static unsigned call_op(const struct decoder *c, unsigned op, const struct vm_linked_prim *prim) {
    if (prim->function == NULL) return ENGINE_C_CALL_MISSING;
    if (prim->stub) return ENGINE_C_CALL_STUB1 + (op - OP_C_CALL1);
    if (op == OP_C_CALLN) return op;
    if (prim->inlined != 0 && !is_plain(c->vm)) return prim->inlined;
    return vm_kinds_are_any(prim->kinds) ? op : ENGINE_C_CALL_TESTED1 + (op - OP_C_CALL1);
}

static void put_tagged(struct decoder *c, unsigned op, uint32_t pc) {
    const uint32_t *words = c->words;
    put_op(c, op);
    if (op == OP_MAKEBLOCK) {
        put(c, words[pc + 1]);
        put(c, make_header(words[pc + 1], words[pc + 2], 0));
    } else {
        put(c, make_header(1 + (op - OP_MAKEBLOCK1), words[pc + 1], 0));
    }
}

static void put_switch(struct decoder *c, uint32_t pc) {
    uint32_t constants = c->words[pc + 1] & 0xffff, tags = c->words[pc + 1] >> 16;
    put_op(c, OP_SWITCH);
    put(c, constants);
    put(c, tags);
    for (uint32_t i = 0; i < constants + tags; i++) put_label(c, label(c, pc + 2, pc + 2 + i));
}

static void put_closurerec(struct decoder *c, uint32_t pc) {
    const uint32_t *words = c->words;
    put_op(c, OP_CLOSUREREC);
    put(c, words[pc + 1]);
    put(c, words[pc + 2]);
    for (uint32_t i = 0; i < words[pc + 1]; i++) put_function(c, label(c, pc + 3, pc + 3 + i));
}

static void put_operands(struct decoder *c, unsigned op, uint32_t pc) {
    const char *operands = vm_opcodes[op].operands;
    for (uint32_t i = 0; operands[i] != '\0'; i++)
        put_letter(c, op, operands[i], c->words[pc + 1 + i], pc + 1 + i);
}

/* Puts out the instruction at pc; returns which of the loop's it became. */
static unsigned put_instruction(struct decoder *c, uint32_t pc) {
    const uint32_t *words = c->words;
    unsigned op = words[pc], done = op;
    switch (op) {
    case OP_SWITCH: put_switch(c, pc); return op;
    case OP_CLOSUREREC: put_closurerec(c, pc); return op;
    case OP_MAKEBLOCK:
    case OP_MAKEBLOCK1:
    case OP_MAKEBLOCK2:
    case OP_MAKEBLOCK3: put_tagged(c, op, pc); return op;
    case OP_PUSH_RETADDR:
        put_op(c, op);
        put_frame_word(c, label(c, pc + 1, pc + 1));
        put_op(c, OP_BRANCH);
        put_label(c, label(c, pc + 1, pc + 1));
        return op;
    case OP_C_CALL1:
    case OP_C_CALL2:
    case OP_C_CALL3:
    case OP_C_CALL4:
    case OP_C_CALL5: done = call_op(c, op, &c->vm->prims[words[pc + 1]]); break;
    case OP_C_CALLN: done = call_op(c, op, &c->vm->prims[words[pc + 2]]); break;
    case OP_RETURN:
    case OP_POP:
    case OP_APPTERM1:
    case OP_APPTERM2:
    case OP_APPTERM3: done = special_op(c, op, words[pc + 1]); break;
    default: break;
    }
    put_op(c, done);
    if (op == OP_C_CALLN && done == ENGINE_C_CALL_MISSING)
        put(c, (uintptr_t)&c->vm->prims[words[pc + 2]]);
    put_operands(c, op, pc);
    struct long_form form = long_form_of(op);
    if (form.op != op) put_letter(c, form.op, vm_opcodes[form.op].operands[0], form.operand, pc);
    if (op >= OP_APPLY1 && op <= OP_APPLY3) put_frame_word(c, pc + 1);
    if (op == OP_GRAB) put_function(c, pc - 1);
    return done;
}

/* Instructions as the elements of fused forms. */
enum {
#define OP(name, operands, delta, flags, meaning) STEP_##name = OP_##name,
#include "vm/code/opcodes.def"
#undef OP
#define SPECIAL(name, instruction, operand)      STEP_##name = ENGINE_##name,
#define INLINED(name, primitive, arity, meaning) STEP_##name = ENGINE_##name,
#include "vm/code/engine.def"
};

/* The form that continues `before` by `next`, or 0. */
static unsigned fused_op(unsigned before, unsigned next) {
    switch (before << 16 | next) {
#define FUSED2(a, b)    WHEN(STEP_##a << 16 | STEP_##b, ENGINE_##a##__##b)
#define FUSED3(a, b, c) WHEN(ENGINE_##a##__##b << 16 | STEP_##c, ENGINE_##a##__##b##__##c)
#define FUSED4(a, b, c, d) \
    WHEN(ENGINE_##a##__##b##__##c << 16 | STEP_##d, ENGINE_##a##__##b##__##c##__##d)
#define CALL2 FUSED2
#define CALL3 FUSED3
#define CALL4 FUSED4
#include "vm/code/engine.def"
    default: return 0;
    }
}

/* The row's instruction, behind what put_place put. */
static uintptr_t *instruction_of(const struct decoder *c, uint32_t i) {
    uintptr_t *at = &c->out[c->rows[i].decoded];
    while (*at == (uintptr_t)c->labels[ENGINE_ENTERED] ||
           *at == (uintptr_t)c->labels[ENGINE_RESUMED])
        at += 2;
    return at;
}

/* Whether the instruction of row i + 1 lies right behind that of row i. */
static bool adjacent(const struct decoder *c, uint32_t i) {
    const struct vm_pc_row *row = &c->rows[i];
    return i + 1 < c->row_count && instruction_of(c, i + 1) == &c->out[row[1].decoded] &&
           row[1].pc == row->pc + width_at(c, row->pc);
}

/* The longest form that begins with `before`, whose last element is row i, or 0. The loop's
 * instructions of the rows are in c->work; an element is one of them or its long form. */
static unsigned longest_form(const struct decoder *c, unsigned before, uint32_t i,
                             unsigned *length) {
    *length = 0;
    if (!adjacent(c, i)) return 0;
    unsigned best = 0, next = c->work[i + 1], rest;
    for (unsigned element = next;; element = long_form_of(next).op) {
        unsigned form = fused_op(before, element);
        if (form != 0) {
            unsigned longer = longest_form(c, form, i + 1, &rest);
            if (best == 0 || rest + 1 > *length) {
                best = longer != 0 ? longer : form;
                *length = rest + 1;
            }
        }
        if (element == long_form_of(next).op) return best;
    }
}

static void fuse(struct decoder *c, uint32_t i) {
    unsigned op = c->work[i], long_op = long_form_of(op).op, length, other_length = 0, other = 0;
    unsigned form = longest_form(c, op, i, &length);
    if (long_op != op) other = longest_form(c, long_op, i, &other_length);
    if (other_length > length) form = other;
    if (form != 0) *instruction_of(c, i) = (uintptr_t)c->labels[form];
}

/* An upper bound of the decoded size: frame words and the like add at most 3 words an
 * instruction, places 4. */
static size_t words_needed(const struct decoder *c) {
    size_t total = 8, more = c->place != 0 ? 7 : 3;
    for (uint32_t pc = next_marked(c, c->lowest); pc != NOT_YET; pc = next_marked(c, pc + 1))
        total += more + width_at(c, pc);
    return total;
}

/* The address that a jump to pc goes to. */
static uintptr_t address_of(const struct decoder *c, uintptr_t pc) {
    uint32_t low = 0, high = c->row_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (c->rows[middle].pc <= pc) low = middle;
        else high = middle;
    }
    bool behind_entered = c->place != 0 && pc == c->body;
    return (uintptr_t)&c->out[c->rows[low].decoded + (behind_entered ? ENTERED_WORDS : 0)];
}

/* Turns the pcs that stand for labels among an instruction's operands into addresses. */
static void fill_labels(struct decoder *c, uint32_t op, uintptr_t *operands) {
    const char *letters = vm_opcodes[op].operands;
    if (op == OP_SWITCH) {
        for (uintptr_t i = 0; i < operands[0] + operands[1]; i++)
            operands[2 + i] = address_of(c, operands[2 + i]);
    } else if (op == OP_PUSH_RETADDR) {
        operands[2] = address_of(c, operands[2]);
    } else if (op != OP_CLOSURE && op != OP_CLOSUREREC) {
        for (uint32_t i = 0; letters[i] != '\0'; i++)
            if (letters[i] == 'l') operands[i] = address_of(c, operands[i]);
    }
}

/* Tells the function's place in front of the instruction at pc, where that is needed. A jump to the
 * body's first instruction is no entry. */
static void put_place(struct decoder *c, uint32_t pc) {
    c->code->function_id_at[pc] = c->place;
    if (pc == c->body) {
        put_op(c, ENGINE_ENTERED);
        put(c, c->place);
    }
    if (test_bit(c->resumptions, pc)) {
        put_op(c, ENGINE_RESUMED);
        put(c, c->place);
    }
}

static void emit(struct decoder *c) {
    c->rows = vm_must(malloc(c->count * sizeof *c->rows));
    c->work_count = 0;
    uint32_t pc = next_marked(c, c->lowest);
    while (pc != NOT_YET) {
        c->rows[c->row_count++] = (struct vm_pc_row){c->used, pc};
        if (c->place != 0) put_place(c, pc);
        push_work(c, put_instruction(c, pc));
        pc = next_marked(c, pc + 1);
    }
    for (uint32_t i = 0; i < c->row_count; i++)
        fill_labels(c, c->words[c->rows[i].pc], instruction_of(c, i) + 1);
    if (is_plain(c->vm)) return;
    for (uint32_t i = 0; i < c->row_count; i++) fuse(c, i);
}

/* Clears the bitmaps again, in the words that were used. */
static void wipe(struct decoder *c) {
    size_t from = c->lowest / 64, to = c->highest / 64 + 1;
    memset(&c->seen[from], 0, (to - from) * 8);
    if (c->place != 0) memset(&c->resumptions[from], 0, (to - from) * 8);
    free(c->work);
    free(c->rows);
}

static void *scratch(void **slot, size_t bytes) {
    if (*slot == NULL) *slot = vm_must(calloc(1, bytes));
    return *slot;
}

static uint32_t place_of(const struct vm_code *code, const struct vm_function *f) {
    if (f->kind == FUNCTION_MAIN) return code->first_function_id;
    const struct vm_entry *entry = vm_find_entry(&code->verified, f->pc);
    return code->first_function_id + 1 + (uint32_t)(entry - code->verified.entries);
}

static struct vm_decoded *new_decoded(struct vm_decoded_area *area) {
    if (area->decoded_count == area->decoded_capacity) {
        area->decoded_capacity = area->decoded_capacity ? 2 * area->decoded_capacity
                                                        : IF_SMALL_TABLES(1, 64);
        area->decoded = vm_must(
            realloc(area->decoded, area->decoded_capacity * sizeof *area->decoded));
    }
    return &area->decoded[area->decoded_count++];
}

/* Decodes the function of a closure label or a main program; f->pc is its first instruction (a
 * RESTART for functions of more than one argument, so that both entries lie in the same decoded
 * code). */
static void decode(struct vm *vm, struct vm_function *f, uint32_t first_pc) {
    struct vm_code *code = vm->codes[f->fragment];
    size_t map_bytes = ((size_t)code->word_count / 64 + 2) * 8;
    if (code->unpacked.there == NULL && !vm_unpacked_create(&code->unpacked, &code->packed))
        vm_fatal("out of memory");
    struct decoder c = {
        .vm = vm,
        .code = code,
        .function = f,
        .labels = (const void *const *)vm_loop_of(vm)(vm->domain, RUN_LABELS, 0, 0),
        .words = code->unpacked.words,
        .seen = scratch((void **)&code->scratch_seen, map_bytes),
    };
    if (vm->options.track_functions) {
        c.place = place_of(code, f);
        c.body = f->pc + (first_pc != f->pc ? 2 : 0);
        c.resumptions = scratch((void **)&code->scratch_resumptions, map_bytes);
    }
    collect(&c, first_pc);
    struct vm_decoded_area *area = vm->decoded_area;
    if (words_needed(&c) > area->capacity - area->used)
        vm_fatal("the code area of the machine is full: raise the limits of memory");
    c.out = area->words + area->used;
    emit(&c);
    struct vm_decoded *row = new_decoded(area);
    row->words = c.out;
    row->word_count = c.used;
    row->function = (uint32_t)(f - vm->functions);
    row->pcs = vm_must((void *)vm_pc_map_make(&area->maps, c.rows, c.row_count));
    f->decoded = area->decoded_count;
    area->used += c.used;
    wipe(&c);
    vm_unpacked_settle(&code->unpacked, &code->packed);
}

void vm_function_prepare(struct vm *vm, uint32_t index) {
    struct vm_function *f = &vm->functions[index];
    const struct vm_decoded_area *area = vm->decoded_area;
    if (f->decoded != 0) return;
    if (f->kind == FUNCTION_RESTART) {
        uint32_t body = vm_function_at(vm, f->fragment, f->pc + 1);
        vm_function_prepare(vm, body);
        f->decoded = vm->functions[body].decoded;
        f->entry = area->decoded[f->decoded - 1].words;
        return;
    }
    const struct vm_code *code = vm->codes[f->fragment];
    const struct vm_entry *entry = NULL;
    if (f->kind == FUNCTION_CLOSURE) entry = vm_find_entry(&code->verified, f->pc);
    bool grabs = entry != NULL && entry->arity > 1;
    decode(vm, f, grabs ? f->pc - 1 : f->pc);
    f->entry = area->decoded[f->decoded - 1].words + (grabs ? 1 : 0);
    f->grabs = grabs ? entry->arity : 0;
}

/* Room for 2^29 decoded words; less where the system limits address space. */
bool vm_decoded_area_create(struct vm *vm) {
    struct vm_decoded_area *area = calloc(1, sizeof *area);
    if (area == NULL) return false;
    vm->decoded_area = area;
    size_t bytes = (size_t)1 << 32;
    area->words = vm_reserve(&bytes, (size_t)1 << 16);
    if (area->words == NULL) return false;
    area->capacity = bytes / 8;

    const void *const *labels = (const void *const *)vm_loop_of(vm)(vm->domain, RUN_LABELS, 0, 0);
    uintptr_t *w = area->words;
    w[0] = frame_word(VM_NO_GPC, 0), w[1] = (uintptr_t)labels[ENGINE_LEAVE];
    w[2] = frame_word(VM_NO_GPC, 0), w[3] = (uintptr_t)labels[ENGINE_WATERMARK];
    w[4] = frame_word(VM_NO_GPC, 2), w[5] = (uintptr_t)labels[ENGINE_ENTER_TRACED];
    w[6] = frame_word(VM_NO_GPC, 0), w[7] = (uintptr_t)labels[ENGINE_REEXECUTE_ENDED];
    w[8] = (uintptr_t)labels[ENGINE_REEXECUTE_FAILED];
    w[9] = frame_word(VM_NO_GPC, 0), w[10] = (uintptr_t)labels[ENGINE_NEXT_CALL];
    w[11] = (uintptr_t)labels[ENGINE_PREPARE];
    w[12] = (uintptr_t)labels[ENGINE_NO_CODE];
    vm->leave_code = w + 1, vm->watermark_code = w + 3, vm->traced_code = w + 5;
    vm->reexecute_code = w + 7, vm->next_call_code = w + 10, vm->prepare_code = w + 11;
    vm->functions[0].entry = w + 12;
    area->used = 13;
    return true;
}

void vm_decoded_area_destroy(struct vm *vm) {
    struct vm_decoded_area *area = vm->decoded_area;
    if (area == NULL) return;
    vm_arena_free(&area->maps);
    if (area->words != NULL) vm_release(area->words, area->capacity * 8);
    free(area->decoded);
    free(area);
}
