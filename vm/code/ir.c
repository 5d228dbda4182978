/* ir.c - see ir.h.
 *
 * Flow is followed from the lowest pc that is pending, so that rows come in ascending order, unless
 * only backward jumps reach an instruction: then a bitmap says which are known, and the rows are
 * sorted at the end. Until all rows are known, a label is a pc. The verifier has proven whatever is
 * taken for granted here. */
#include "vm/code/ir.h"

#include "gc/assert.h"
#include "gc/small_tables.h"
#include "vm/base/os.h"
#include "vm/code/code.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MERGED = IF_SMALL_TABLES(1, 32) };

struct target {
    uint32_t pc, height;
};

struct builder {
    const struct vm_words *words;
    struct vm_ir *ir;
    struct target *pending; /* a binary heap by pc: labels still to be followed */
    size_t pending_count, pending_capacity;
    uint64_t *known; /* bitmap of the rows' pcs, made when they get out of order */
};

static void *ir_grow(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return items;
    *capacity = *capacity ? 2 * *capacity : IF_SMALL_TABLES(1, 128);
    return vm_must(realloc(items, *capacity * size));
}

static void push(struct builder *b, uint32_t pc, uint32_t height) {
    ASSERT(pc < b->words->count && height <= VM_MAX_HEIGHT);
    size_t i = b->pending_count++;
    b->pending = ir_grow(b->pending, i, &b->pending_capacity, sizeof *b->pending);
    for (; i > 0 && b->pending[(i - 1) / 2].pc > pc; i = (i - 1) / 2)
        b->pending[i] = b->pending[(i - 1) / 2];
    b->pending[i] = (struct target){pc, height};
}

static struct target pop(struct builder *b) {
    struct target *heap = b->pending, top = heap[0], last = heap[--b->pending_count];
    size_t i = 0, n = b->pending_count;
    for (size_t child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && heap[child + 1].pc < heap[child].pc) child++;
        if (heap[child].pc >= last.pc) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

static int by_pc(const void *a, const void *b) {
    const struct vm_ir_row *x = a, *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/* The row of the instruction at pc, or NULL. Needs: rows in order. */
static struct vm_ir_row *row_at(const struct vm_ir *ir, uint32_t pc) {
    size_t low = 0, high = ir->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (ir->rows[middle].pc <= pc) low = middle;
        else high = middle;
    }
    return high > 0 && ir->rows[low].pc == pc ? &ir->rows[low] : NULL;
}

/* Adds n labels, which are relative to base and begin there. */
static void read_labels(struct builder *b, struct vm_ir_row *row, uint32_t base, uint32_t n) {
    struct vm_ir *ir = b->ir;
    ASSERT(n <= b->words->count - base); /* Q1 */
    row->labels = (uint32_t)ir->label_count;
    for (uint32_t i = 0; i < n; i++) {
        ir->labels = ir_grow(ir->labels, ir->label_count, &ir->label_capacity, sizeof *ir->labels);
        ir->labels[ir->label_count++] = base + vm_word(b->words, base + i);
    }
}

/* Fills in the operands of an instruction of variable length; gives its words. */
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

/* Fills in the row of the instruction at row->pc; gives its words. */
static uint32_t read_row(struct builder *b, struct vm_ir_row *row) {
    const struct vm_opcode_info *info = &vm_opcodes[row->op];
    uint32_t width = vm_fixed_words[row->op], *operand = row->operands;
    if (width == 0) return read_varying_row(b, row);
    if (info->long_op != row->op) *operand++ = (uint32_t)info->first;
    ASSERT(operand + width - 1 <= row->operands + 2);
    for (uint32_t i = 1; i < width; i++) *operand++ = vm_word(b->words, row->pc + i);
    if (info->label != 0) operand[-1] += row->pc + width - 1;
    return width;
}

static uint32_t *labels_of(const struct vm_ir *ir, struct vm_ir_row *row, uint32_t *n) {
    const struct vm_opcode_info *info = &vm_opcodes[row->op];
    *n = info->label != 0;
    if (info->operands[0] == info->label) return &row->operands[0];
    if (vm_fixed_words[row->op] != 0) return &row->operands[1];
    *n = row->operands[0] + (row->op == OP_SWITCH ? row->operands[1] : 0);
    return ir->labels + row->labels;
}

const uint32_t *vm_ir_labels(const struct vm_ir *ir, const struct vm_ir_row *row, uint32_t *n) {
    return labels_of(ir, (struct vm_ir_row *)row, n);
}

/* Whether there is a row for pc; there is one from here on, where rows are out of order. */
static bool is_known(struct builder *b, uint32_t pc) {
    if (b->known == NULL) return false;
    uint64_t *word = &b->known[pc / 64], bit = (uint64_t)1 << pc % 64;
    if (*word & bit) return true;
    *word |= bit;
    return false;
}

/* Whether it has labels that flow of the same function comes to. */
static bool jumps(const struct vm_opcode_info *info) {
    return info->label != 0 && info->label != 'x';
}

/* Adds the instructions from the target on, up to one that is known or ends flow. */
static void follow(struct builder *b, struct target target) {
    struct vm_ir *ir = b->ir;
    while (!is_known(b, target.pc)) {
        ASSERT(target.pc < b->words->count);
        ir->rows = ir_grow(ir->rows, ir->count, &ir->capacity, sizeof *ir->rows);
        struct vm_ir_row *row = &ir->rows[ir->count++];
        row->pc = target.pc, row->height = target.height;
        row->op = b->words->bytes[target.pc], row->flags = 0;
        uint32_t width = read_row(b, row);
        ASSERT(width == vm_width_at(b->words, target.pc)); /* Q1 */
        target.pc += width;
        const struct vm_opcode_info *info = &vm_opcodes[row->op];
        if (jumps(info)) {
            uint32_t n, *labels = labels_of(ir, row, &n);
            for (uint32_t i = 0; i < n; i++) push(b, labels[i], target.height);
        }
        if (info->flags & OP_ENDS) return;
        if (info->delta != OP_VARIES) target.height += (uint32_t)info->delta;
        /* At GRAB the arguments are on the stack. */
        else if (row->op == OP_RESTART) target.height = vm_word(b->words, target.pc + 1) + 1;
        else target.height += (uint32_t)vm_stack_delta(row->op, row->operands[0], row->operands[1]);
    }
}

/* Whether the target has a row already. */
static bool is_found(struct builder *b, struct target target) {
    struct vm_ir *ir = b->ir;
    if (b->known != NULL) return b->known[target.pc / 64] >> target.pc % 64 & 1;
    if (ir->count == 0 || ir->rows[ir->count - 1].pc < target.pc) return false;
    const struct vm_ir_row *row = row_at(ir, target.pc);
    ASSERT(row == NULL || row->height == target.height); /* IR2 */
    if (row != NULL) return true;
    b->known = vm_must(calloc(b->words->count / 64 + 1, sizeof *b->known));
    for (size_t i = 0; i < ir->count; i++) is_known(b, ir->rows[i].pc);
    return false;
}

/* Rows are a few ascending runs, as a rule: one for each loop that is entered at its end. */
static void order_rows(struct vm_ir *ir) {
    struct vm_ir_row *rows = ir->rows, *run = vm_must(malloc(ir->count * sizeof *run));
    size_t merged = 0, end = 1;
    while (end < ir->count && rows[end].pc > rows[end - 1].pc) end++;
    for (size_t i = end; i < ir->count; i = end) {
        for (end = i + 1; end < ir->count && rows[end].pc > rows[end - 1].pc;) end++;
        if (merged++ > MOST_MERGED) {
            qsort(rows, ir->count, sizeof *rows, by_pc);
            break;
        }
        memcpy(run, rows + i, (end - i) * sizeof *run);
        for (size_t a = i, b = end - i, to = end; b > 0;)
            rows[--to] = a > 0 && rows[a - 1].pc > run[b - 1].pc ? rows[--a] : run[--b];
    }
    free(run);
}

static void find_rows(struct builder *b) {
    while (b->pending_count > 0) {
        struct target target = pop(b);
        if (!is_found(b, target)) follow(b, target);
    }
    if (b->known != NULL) order_rows(b->ir);
    free(b->known);
    free(b->pending);
}

/* Turns the row's labels from pcs into rows; marks the rows that they make leaders. Returns whether
 * one of them is a row before. */
static bool link_row(struct vm_ir *ir, struct vm_ir_row *row) {
    const struct vm_opcode_info *info = &vm_opcodes[row->op];
    bool ends = info->flags & OP_ENDS;
    ASSERT(ends || (row + 1 < ir->rows + ir->count && row[1].pc > row->pc)); /* IR1 */
    if (!ends && info->flags & OP_CALLS) row[1].flags |= IR_RETURNS;
    if (!jumps(info)) return false;
    bool backward = false;
    uint32_t n, *labels = labels_of(ir, row, &n);
    for (uint32_t i = 0; i < n; i++) {
        struct vm_ir_row *to = row_at(ir, labels[i]);
        ASSERT(to != NULL && to->height == row->height); /* IR2, IR3 */
        to->flags |= info->label == 'l' ? IR_LEADER : IR_LEADER | IR_RETURNS;
        labels[i] = (uint32_t)(to - ir->rows);
        backward |= to <= row;
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

void vm_ir_make(struct vm_ir *out, const struct vm_code *code, uint32_t pc, uint32_t height) {
    *out = (struct vm_ir){.rows = NULL};
    struct builder b = {.words = &code->words, .ir = out};
    push(&b, pc, height);
    find_rows(&b);
    row_at(out, pc)->flags |= IR_LEADER;
    bool loops = false;
    for (size_t i = 0; i < out->count; i++) loops |= link_row(out, &out->rows[i]);
    if (loops) mark_loops(out);
}

void vm_ir_free(struct vm_ir *ir) {
    free(ir->rows);
    free(ir->labels);
}
