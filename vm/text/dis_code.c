/* dis_code.c - instructions as text, with labels where jumps and closures lead.
 *
 * A label's name is its byte offset in CODE, as in the verifier's messages: L1a4 for jumps, F1a4
 * for functions. Words that no instruction covers are WORD lines and may have labels too; a label
 * operand that names no line's start is printed as its displacement, `$-3`. */
#include "vm/code/opcodes.h"
#include "vm/marshal/debuginfo.h"
#include "vm/text/text_internal.h"

#include <ctype.h>
#include <string.h>

enum { TARGETS_A_LINE = 8, PREVIEW_BYTES = 40 };

/* Words of the instruction at pc, of any version: rejecting it is the verifier's task. 0: none. */
static uint32_t width_at(const struct disassembler *d, uint32_t pc) {
    if (pc >= d->tiled_words) return 1;
    const uint32_t *code = d->image->code + pc, left = d->image->code_words - pc;
    return vm_instruction_words(code[0], left > 1 ? code[1] : 0, left);
}

/* The line that a label operand names, or UINT32_MAX. */
static uint32_t target_of(const struct disassembler *d, uint32_t word, uint32_t base) {
    int64_t target = (int64_t)base + (int32_t)d->image->code[word];
    bool named = target >= 0 && target < d->image->code_words && d->marks[target] & MARK_START;
    return named ? (uint32_t)target : UINT32_MAX;
}

static void mark(struct disassembler *d, uint32_t word, uint32_t base, uint8_t bit) {
    uint32_t target = target_of(d, word, base);
    if (target != UINT32_MAX) d->marks[target] |= bit;
}

static void mark_operands(struct disassembler *d, uint32_t pc, uint32_t width) {
    uint32_t op = d->image->code[pc], base = pc + vm_words_before_labels(op, width);
    uint8_t bit = vm_opcodes[op].label == 'x' ? MARK_CLOSURE : MARK_JUMP;
    for (uint32_t word = base; word < pc + width; word++) mark(d, word, base, bit);
}

void dis_mark_code(struct disassembler *d) {
    uint32_t pc = 0, n = d->image->code_words, width;
    d->tiled_words = n;
    for (; pc < d->tiled_words; pc += width) {
        d->marks[pc] = MARK_START;
        width = width_at(d, pc);
        if (width == 0) d->tiled_words = pc;
    }
    for (; pc < n; pc++) d->marks[pc] = MARK_START;
    for (pc = 0; pc < d->tiled_words; pc += width) {
        width = width_at(d, pc);
        mark_operands(d, pc, width);
    }
}

/* --- Operands --- */

/* Separates two items of a list. */
static void print_comma(struct disassembler *d, bool wrap) {
    fputs(wrap && !d->one_line ? ",\n                            " : ", ", d->out);
}

static void print_label(struct disassembler *d, uint32_t word, uint32_t base) {
    uint32_t target = target_of(d, word, base);
    if (target == UINT32_MAX) fprintf(d->out, "$%d", (int32_t)d->image->code[word]);
    else fprintf(d->out, "%c%x", d->marks[target] & MARK_CLOSURE ? 'F' : 'L', target * 4);
}

static void print_primitive(struct disassembler *d, uint32_t p) {
    if (p < d->image->primitive_count && d->first_of_name[p])
        dis_print_name(d->out, d->image->primitive_names[p]);
    else fprintf(d->out, "%u", p);
}

static void print_operand(struct disassembler *d, char shape, uint32_t word) {
    uint32_t x = d->image->code[word];
    switch (shape) {
    case 'k':
    case 'i':
    case 'm': fprintf(d->out, "%d", (int32_t)x); break;
    case 'l':
    case 'h':
    case 'r':
    case 'x': print_label(d, word, word); break;
    case 'g': dis_print_global_name(d, x); break;
    case 'p': print_primitive(d, x); break;
    default: fprintf(d->out, "%u", x);
    }
}

static void print_simple(struct disassembler *d, uint32_t pc, const char *operands) {
    for (uint32_t i = 0; operands[i]; i++) {
        bool empty_cache = operands[i] == 'c' && d->image->code[pc + 1 + i] == 0;
        if (empty_cache) continue;
        if (i > 0) fputs(", ", d->out);
        print_operand(d, operands[i], pc + 1 + i);
    }
}

/* Constants' targets, a bar, tags' targets. */
static void print_switch(struct disassembler *d, uint32_t pc) {
    uint32_t sizes = d->image->code[pc + 1];
    uint32_t constants = sizes & 0xffff, all = constants + (sizes >> 16);
    for (uint32_t i = 0; i < all; i++) {
        if (i == constants) fputs(i == 0 ? "| " : " | ", d->out);
        else if (i > 0) print_comma(d, i % TARGETS_A_LINE == 0);
        print_label(d, pc + 2 + i, pc + 2);
    }
    if (constants == all) fputs(" |", d->out);
}

static void print_closures(struct disassembler *d, uint32_t pc) {
    uint32_t functions = d->image->code[pc + 1];
    fprintf(d->out, "%u", d->image->code[pc + 2]);
    for (uint32_t i = 0; i < functions; i++) {
        print_comma(d, i % TARGETS_A_LINE == TARGETS_A_LINE - 1);
        print_label(d, pc + 3 + i, pc + 3);
    }
}

/* --- Comments --- */

/* The comment for a constant global, if it is short. */
static void print_preview(struct disassembler *d, uint32_t pc) {
    const char *operands = vm_opcodes[d->image->code[pc]].operands;
    if (operands[0] != 'g' || !d->data_readable) return;
    uint32_t global = d->image->code[pc + 1];
    if (global >= d->global_count) return;
    uint32_t i = d->global_rows[global];
    const struct vm_constant *row = &d->data.rows[i];
    if (row->kind == CONSTANT_INT || row->kind == CONSTANT_BLOCK || row->kind == CONSTANT_DOUBLES ||
        row->size > PREVIEW_BYTES)
        return;
    fputs("    ; ", d->out);
    dis_print_value(d->out, &d->data, i);
}

/* Keeps a comment on its line, whatever bytes the file has. */
static void print_safely(FILE *out, const char *text) {
    for (; *text; text++) putc_unlocked(isprint((unsigned char)*text) ? *text : '?', out);
}

static void print_location(struct disassembler *d, uint32_t pc) {
    while (d->event < d->event_count && d->events[d->event].pc < pc) d->event++;
    if (d->event == d->event_count || d->events[d->event].pc != pc) return;
    const struct vm_debug_event *event = &d->events[d->event];
    fputs("    ; ", d->out);
    print_safely(d->out, event->file);
    fprintf(d->out, ":%d:%d-%d", event->line, event->start, event->end);
}

/* A function's name is the definition of the first event in it. */
static void print_label_line(struct disassembler *d, uint32_t pc) {
    uint8_t marks = d->marks[pc];
    ASSERT(marks & MARK_START);
    if (marks & MARK_CLOSURE) putc_unlocked('\n', d->out);
    fprintf(d->out, "%c%x:", marks & MARK_CLOSURE ? 'F' : 'L', pc * 4);
    if (marks & MARK_CLOSURE) {
        size_t i = d->event;
        while (i < d->event_count && d->events[i].pc < pc) i++;
        uint32_t next = pc + 1;
        while (next < d->image->code_words && !(d->marks[next] & MARK_CLOSURE)) next++;
        if (i < d->event_count && d->events[i].pc < next) {
            fputs("    ; ", d->out);
            print_safely(d->out, d->events[i].definition);
        }
    }
    putc_unlocked('\n', d->out);
}

void dis_print_operands(struct disassembler *d, uint32_t pc) {
    const char *operands = vm_opcodes[d->image->code[pc]].operands;
    if (*operands == 'W') print_switch(d, pc);
    else if (*operands == 'R') print_closures(d, pc);
    else print_simple(d, pc, operands);
}

static void print_instruction(struct disassembler *d, uint32_t pc) {
    uint32_t op = d->image->code[pc];
    if (pc >= d->tiled_words) {
        fprintf(d->out, "        WORD                0x%x\n", op);
        return;
    }
    const char *operands = vm_opcodes[op].operands;
    fprintf(d->out, *operands ? "        %-19s " : "        %s", vm_opcodes[op].name);
    dis_print_operands(d, pc);
    print_preview(d, pc);
    print_location(d, pc);
    putc_unlocked('\n', d->out);
}

void dis_print_code(struct disassembler *d) {
    fputs("code\n", d->out);
    for (uint32_t pc = 0; pc < d->image->code_words; pc += width_at(d, pc)) {
        if (d->marks[pc] & (MARK_JUMP | MARK_CLOSURE)) print_label_line(d, pc);
        print_instruction(d, pc);
    }
}
