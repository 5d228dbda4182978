/* ir.c - see ir.h.
 *
 * The verifier has followed the function's control flow; each instruction that it reached becomes a
 * row. Until all rows exist, a label is a pc. Everything that is assumed here has been proven by
 * the verifier. */
#include "vm/code/ir.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/pieces.h"

#include <stdlib.h>

struct builder {
    const struct vm_words *words;
    struct vm_ir *ir;
};

/* The row of the instruction at pc, or NULL. */
static struct vm_ir_row *row_at(const struct vm_ir *ir, uint32_t pc) {
    size_t n = sorted_prefix(ir->count, i, ir->rows[i].pc <= pc);
    return n > 0 && ir->rows[n - 1].pc == pc ? &ir->rows[n - 1] : NULL;
}

/* The same for a label of a row: a label n words away is at most n rows away. */
static struct vm_ir_row *row_near(const struct vm_ir *ir, const struct vm_ir_row *row,
                                  uint32_t pc) {
    size_t at = (size_t)(row - ir->rows), words = pc - row->pc, left = ir->count - at;
    if (pc < row->pc) return row_at(ir, pc);
    struct vm_ir_row *rows = ir->rows + at;
    size_t n = sorted_prefix(words + 1 < left ? words + 1 : left, i, rows[i].pc <= pc);
    return n > 0 && rows[n - 1].pc == pc ? &rows[n - 1] : NULL;
}

/* Adds n labels, which are relative to base and begin there. */
static void read_labels(struct builder *b, struct vm_ir_row *row, uint32_t base, uint32_t n) {
    struct vm_ir *ir = b->ir;
    ASSERT(n <= b->words->count - base); /* Q1 */
    vm_must_have(vector_reserve(&ir->labels, n, n, NULL));
    row->labels = (uint32_t)ir->labels.count;
    for (uint32_t i = 0; i < n; i++) vector_append(&ir->labels, base + vm_word(b->words, base + i));
}

/* Fills in the operands of an instruction of variable length; returns its length in words. */
static __attribute__((noinline)) uint32_t read_varying_row(struct builder *b,
                                                           struct vm_ir_row *row) {
    uint32_t first = vm_word(b->words, row->pc + 1);
    if (row->op == OP_SWITCH) {
        row->operands[0] = first & 0xffff, row->operands[1] = first >> 16;
        read_labels(b, row, row->pc + 2, row->operands[0] + row->operands[1]);
    } else {
        row->operands[0] = first, row->operands[1] = vm_word(b->words, row->pc + 2);
        read_labels(b, row, row->pc + 3, first);
    }
    return (uint32_t)vm_varying_words(row->op, first);
}

/* Fills in the row of the instruction at row->pc; returns its length in words. */
static inline uint32_t read_row(struct builder *b, struct vm_ir_row *row) {
    const struct vm_opcode_info *info = &vm_opcodes[row->op];
    uint32_t width = vm_fixed_words[row->op], *operand = row->operands;
    bool is_short = info->long_op != row->op;
    row->operands[0] = (uint32_t)info->first; /* of a SHORT one */
    if (width == 1) return width;
    if (width == 0) return read_varying_row(b, row);
    ASSERT(is_short + width - 1 <= 2);
    operand += is_short;
    *operand = vm_word(b->words, row->pc + 1);
    if (width == 3) *++operand = vm_word(b->words, row->pc + 2);
    if (info->label != 0) *operand += row->pc + width - 1;
    return width;
}

static uint32_t *labels_of(const struct vm_ir *ir, struct vm_ir_row *row, uint32_t *n) {
    const struct vm_opcode_info *info = &vm_opcodes[row->op];
    *n = info->label != 0;
    if (info->operands[0] == info->label) return &row->operands[0];
    if (vm_fixed_words[row->op] != 0) return &row->operands[1];
    *n = row->operands[0] + (row->op == OP_SWITCH ? row->operands[1] : 0);
    return ir->labels.items + row->labels;
}

const uint32_t *vm_ir_labels(const struct vm_ir *ir, const struct vm_ir_row *row, uint32_t *n) {
    return labels_of(ir, (struct vm_ir_row *)row, n);
}

/* Whether link_row must see the rows of an instruction. */
static const uint8_t links[OPCODE_COUNT] = {
#define OP(name, operands, delta, flags, meaning)                                              \
    [OP_##name] = ((flags)&OP_CALLS) != 0 || LAST(operands) == 'W' || LAST(operands) == 'l' || \
                  LAST(operands) == 'h' || LAST(operands) == 'r',
#define LAST(operands) (operands)[sizeof(operands) > 1 ? sizeof(operands) - 2 : 0]
#define VARIES         OP_VARIES
#include "vm/code/opcodes.def"
};

/* Whether it has labels that control reaches in the same function. */
static bool jumps(const struct vm_opcode_info *info) {
    return info->label != 0 && info->label != 'x';
}

/* Makes the row of the instruction at pc. */
static inline void add_row(struct builder *b, struct vm_ir_row *row, uint32_t pc, uint32_t height) {
    row->pc = pc, row->height = height, row->op = b->words->bytes[pc], row->flags = 0;
    uint32_t width = read_row(b, row);
    ASSERT(width == vm_width_at(b->words, pc)); /* Q1 */
    (void)width;
}

/* Turns the row's labels from pcs into rows, and marks these as leaders. Returns whether one of
 * them is an earlier row. */
static bool link_row(struct vm_ir *ir, struct vm_ir_row *row) {
    const struct vm_opcode_info *info = &vm_opcodes[row->op];
    bool ends = info->flags & OP_ENDS;
    ASSERT(ends || (row + 1 < ir->rows + ir->count && row[1].pc > row->pc)); /* IR1 */
    if (!ends && info->flags & OP_CALLS) row[1].flags |= IR_RETURNS;
    if (!jumps(info)) return false;
    bool backward = false;
    uint32_t n, *labels = labels_of(ir, row, &n);
    for (uint32_t i = 0; i < n; i++) {
        struct vm_ir_row *to = row_near(ir, row, labels[i]);
        ASSERT(to != NULL && to->height == row->height); /* IR2, IR3 */
        to->flags |= info->label == 'l' ? IR_LEADER : IR_LEADER | IR_RETURNS;
        labels[i] = (uint32_t)(to - ir->rows);
        if (to > row) continue;
        backward = true;
        if (info->label == 'l') to->flags |= IR_HEAD;
    }
    if (!ends) row[1].flags |= IR_LEADER;
    return backward;
}

static void mark_loops(struct vm_ir *ir) {
    uint32_t lowest = UINT32_MAX; /* row that a label of this row or of a later one names */
    for (uint32_t i = (uint32_t)ir->count; i-- > 0;) {
        struct vm_ir_row *row = &ir->rows[i];
        if (jumps(&vm_opcodes[row->op])) {
            uint32_t n, *labels = labels_of(ir, row, &n);
            for (uint32_t k = 0; k < n; k++)
                if (labels[k] < lowest) lowest = labels[k];
        }
        if (lowest <= i) row->flags |= IR_LOOP;
    }
}

static void link_rows(struct vm_ir *ir) {
    for (struct vm_ir_row *row = ir->rows, *end = row + ir->count; row < end; row++)
        if (links[row->op]) ir->loops |= link_row(ir, row);
    if (ir->loops) mark_loops(ir);
}

static void reserve_rows(struct vm_ir *ir, size_t rows) {
    vm_must_have(rows <= ir->capacity ||
                 vector_widen((void **)&ir->rows, &ir->capacity, rows, IF_SMALL_TABLES(1, 256),
                              sizeof *ir->rows, NULL));
}

static void begin(struct vm_ir *ir) {
    ir->count = ir->labels.count = 0;
    ir->loops = false;
}

void vm_ir_make(struct vm_ir *out, const struct vm_code *code, uint32_t entry) {
    begin(out);
    struct builder b = {.words = &code->words, .ir = out};
    struct vm_walk walk;
    vm_walk_start(&walk, code->verifier, entry);
    const struct vm_entry *e = vm_entry_at(code->verifier, entry);
    uint32_t first = e->pc;
    bool grabs = e->arity > 1;
    reserve_rows(out, walk.count + grabs);
    struct vm_ir_row *row = out->rows;
    do {
        for (uint64_t bits = walk.bits; bits != 0; bits &= bits - 1) {
            uint32_t word = (uint32_t)__builtin_ctzll(bits), pc = walk.pc + word;
            if (grabs && pc == first) add_row(&b, row++, pc - 1, 1);
            add_row(&b, row++, pc, walk.states[word].height);
        }
    } while (vm_walk_next(&walk));
    out->count = (size_t)(row - out->rows);
    row_at(out, first - grabs)->flags |= IR_LEADER;
    row_at(out, first + (grabs ? vm_fixed_words[OP_GRAB] : 0))->flags |= IR_BODY;
    link_rows(out);
}

/* The furthest pc that a row's labels lead to, or furthest. */
static __attribute__((noinline)) uint32_t furthest_label(const struct vm_ir *ir,
                                                         struct vm_ir_row *row, uint32_t furthest) {
    uint32_t n;
    if (!jumps(&vm_opcodes[row->op])) return furthest;
    const uint32_t *labels = labels_of(ir, row, &n);
    for (uint32_t i = 0; i < n; i++) {
        ASSERT(labels[i] >= ir->rows[0].pc); /* PC1 */
        if (labels[i] > furthest) furthest = labels[i];
    }
    return furthest;
}

/* Reads rows from the walk's words on, until there are enough and the next piece can begin; returns
 * the first row of the next piece, 0: there is none. */
static size_t read_piece(struct builder *b, struct vm_piece_walk *walk) {
    struct vm_ir *ir = b->ir;
    size_t count = 0, cut = 0;
    uint32_t furthest = 0;
    do {
        reserve_rows(ir, count + 64);
        const uint16_t *height = walk->heights;
        for (uint64_t bits = walk->bits; bits != 0; bits &= bits - 1, height++) {
            struct vm_ir_row *row = &ir->rows[count];
            uint32_t pc = walk->pc + (uint32_t)__builtin_ctzll(bits);
            add_row(b, row, pc, *height & ~(uint32_t)VM_PIECE_HELD);
            if (furthest <= pc && *height < VM_PIECE_HELD) cut = count;
            if (links[row->op]) furthest = furthest_label(ir, row, furthest);
            count++;
        }
        ir->count = count;
    } while ((count <= VM_PIECE_ROWS || cut == 0) && vm_piece_walk_next(walk));
    return count > VM_PIECE_ROWS ? cut : 0;
}

uint32_t vm_ir_make_piece(struct vm_ir *out, const struct vm_code *code, uint32_t from) {
    begin(out);
    struct builder b = {.words = &code->words, .ir = out};
    struct vm_piece_walk walk;
    vm_piece_walk_start(&walk, code->pieces, from);
    size_t cut = read_piece(&b, &walk);
    if (cut != 0) {
        out->rows[cut].op = OP_STOP;
        out->count = cut + 1;
    }
    out->rows[0].flags |= from == 0 ? IR_LEADER | IR_BODY : IR_LEADER;
    link_rows(out);
    return cut == 0 ? 0 : from + (uint32_t)cut;
}

void vm_ir_free(struct vm_ir *ir) {
    free(ir->rows);
    free(ir->labels.items);
    *ir = (struct vm_ir){.rows = NULL};
}
