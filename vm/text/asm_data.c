/* asm_data.c - constants: the values of the data part and of sections that are one value. */
#include "vm/base/arena.h"
#include "vm/text/asm_internal.h"
#include "vm/text/dis_internal.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_INT63 (-((int64_t)1 << 62))
#define MAX_INT63 (((int64_t)1 << 62) - 1)

static struct vm_constant *add(struct assembler *a, struct vm_constants *out,
                               enum vm_constant_kind kind) {
    struct vm_constant *row = vm_constants_add(out, kind);
    if (row == NULL) asm_no_memory(a);
    return row;
}

/* --- Numbers --- */

static bool is_float(const struct token *t) {
    bool hex = t->length > 2 && memchr("xX", t->text[1 + (t->text[0] == '-')], 2) != NULL;
    for (size_t i = 0; i < t->length; i++)
        if (strchr(hex ? ".pP" : ".eE", t->text[i]) != NULL) return true;
    return false;
}

/* A float's bits: a number, infinity, nan, or float(BITS). */
static bool float_bits(struct assembler *a, uint64_t *bits) {
    char text[80], buffer[48], *end;
    double x = 0;
    if (asm_at_name(a, "float")) {
        int64_t n;
        if (!asm_next(a) || !asm_skip_mark(a, '(')) return false;
        if (a->token.kind != TOKEN_NUMBER || a->token.length > 70)
            return asm_fail(a, &a->token, "the 64 bits of a float expected");
        snprintf(text, sizeof text, "%.*s", (int)a->token.length, a->token.text);
        errno = 0;
        n = (int64_t)strtoull(text, &end, 0);
        if (*end != 0 || errno != 0)
            return asm_fail(a, &a->token, "the 64 bits of a float expected");
        *bits = (uint64_t)n;
        return asm_next(a) && asm_skip_mark(a, ')');
    }
    if (asm_at_name(a, "infinity") || asm_at_name(a, "nan")) {
        x = asm_at_name(a, "nan") ? (double)NAN : (double)INFINITY;
    } else {
        if (a->token.kind != TOKEN_NUMBER || a->token.length > 70)
            return asm_fail(a, &a->token, "a float expected, %s found",
                            asm_token_text(&a->token, buffer));
        snprintf(text, sizeof text, "%.*s", (int)a->token.length, a->token.text);
        x = strtod(text, &end);
        if (*end != 0)
            return asm_fail(a, &a->token, "%s is not a float", asm_token_text(&a->token, buffer));
    }
    memcpy(bits, &x, sizeof x);
    return asm_next(a);
}

static bool float_value(struct assembler *a, struct vm_constants *out) {
    struct vm_constant *row = add(a, out, CONSTANT_DOUBLE);
    return row != NULL && float_bits(a, &row->bits);
}

/* 42l, 42L, 42n: the boxed integers. */
static bool boxed_value(struct assembler *a, struct vm_constants *out, char suffix) {
    struct vm_constant *row = add(a, out,
                                  suffix == 'l'   ? CONSTANT_INT32
                                  : suffix == 'L' ? CONSTANT_INT64
                                                  : CONSTANT_NATIVE);
    if (row == NULL) return false;
    a->token.length--;
    if (suffix == 'l') return asm_integer(a, INT32_MIN, INT32_MAX, &row->integer);
    return asm_integer(a, INT64_MIN, INT64_MAX, &row->integer);
}

/* --- Blocks --- */

/* The fields of a block whose row is there already, up to the closing mark. */
static bool fields(struct assembler *a, struct vm_constants *out, struct symbol_table *labels,
                   unsigned depth, uint32_t block) {
    uint32_t size = 0;
    if (!asm_skip_newlines(a)) return false;
    while (!asm_at_mark(a, ')')) {
        if (size > 0 && (!asm_skip_mark(a, ',') || !asm_skip_newlines(a))) return false;
        if (!asm_value(a, out, labels, depth + 1) || !asm_skip_newlines(a)) return false;
        size++;
    }
    out->rows[block].size = size;
    return asm_next(a);
}

static bool block_value(struct assembler *a, struct vm_constants *out, struct symbol_table *labels,
                        unsigned depth, uint8_t tag) {
    uint32_t block = out->count;
    struct vm_constant *row = add(a, out, CONSTANT_BLOCK);
    if (row == NULL) return false;
    row->tag = tag;
    return asm_skip_mark(a, '(') && fields(a, out, labels, depth, block);
}

/* [a, b, c]: a cell for each element, 0 at the end. */
static bool list_value(struct assembler *a, struct vm_constants *out, struct symbol_table *labels,
                       unsigned depth) {
    if (!asm_next(a) || !asm_skip_newlines(a)) return false;
    for (bool first = true; !asm_at_mark(a, ']'); first = false) {
        if (!first && (!asm_skip_mark(a, ',') || !asm_skip_newlines(a))) return false;
        struct vm_constant *cell = add(a, out, CONSTANT_BLOCK);
        if (cell == NULL) return false;
        cell->size = 2;
        if (!asm_value(a, out, labels, depth + 1) || !asm_skip_newlines(a)) return false;
    }
    return add(a, out, CONSTANT_INT) != NULL && asm_next(a);
}

static bool floats_value(struct assembler *a, struct vm_constants *out) {
    uint64_t *items = NULL;
    size_t count = 0, capacity = 0;
    bool ok = asm_next(a) && asm_skip_newlines(a);
    while (ok && !asm_at_mark(a, '}')) {
        ok = (count == 0 || (asm_skip_mark(a, ',') && asm_skip_newlines(a))) &&
             asm_grow(a, (void **)&items, count, &capacity, sizeof *items) &&
             float_bits(a, &items[count]) && asm_skip_newlines(a);
        if (ok) items[count] = htole64(items[count]);
        count++;
    }
    ok = ok && asm_next(a);
    uint8_t *bytes = ok ? vm_arena_alloc(&a->arena, 8 * count + 1) : NULL;
    struct vm_constant *row = ok ? add(a, out, CONSTANT_DOUBLES) : NULL;
    if (ok && bytes == NULL) ok = asm_no_memory(a);
    if (ok && row != NULL) {
        if (count > 0) memcpy(bytes, items, 8 * count);
        row->bytes = bytes;
        row->size = (uint32_t)count;
    }
    free(items);
    return ok && row != NULL;
}

/* --- Values --- */

/* #7=VALUE names a value, #7 is the same one again. */
static bool labelled_value(struct assembler *a, struct vm_constants *out,
                           struct symbol_table *labels, unsigned depth) {
    if (!asm_next(a)) return false;
    struct token name = a->token;
    if (name.kind != TOKEN_NUMBER) return asm_fail(a, &name, "a number expected behind '#'");
    if (!asm_next(a)) return false;
    if (asm_at_mark(a, '=')) {
        uint32_t row = out->count;
        if (!asm_define(a, labels, &name, row, "#") || !asm_next(a) || !asm_skip_newlines(a) ||
            !asm_value(a, out, labels, depth + 1))
            return false;
        uint8_t kind = out->rows[row].kind;
        bool atom = kind == CONSTANT_BLOCK && out->rows[row].size == 0;
        if (kind == CONSTANT_INT || kind == CONSTANT_SHARED || atom)
            return asm_fail(a, &name, "an integer, an empty block or a reference cannot be shared");
        return true;
    }
    char buffer[48];
    const struct symbol *target = asm_find(labels, name.text, name.length);
    if (target == NULL)
        return asm_fail(a, &name, "#%s is not defined before", asm_token_text(&name, buffer));
    struct vm_constant *row = add(a, out, CONSTANT_SHARED);
    if (row != NULL) row->target = target->number;
    return row != NULL;
}

static bool number_value(struct assembler *a, struct vm_constants *out, struct symbol_table *labels,
                         unsigned depth) {
    char last = a->token.text[a->token.length - 1];
    if (is_float(&a->token)) return float_value(a, out);
    if (last == 'l' || last == 'L' || last == 'n') return boxed_value(a, out, last);
    if (a->at < a->end && *a->at == '(') {
        int64_t tag;
        return asm_integer(a, 0, 255, &tag) && block_value(a, out, labels, depth, (uint8_t)tag);
    }
    struct vm_constant *row = add(a, out, CONSTANT_INT);
    return row != NULL && asm_integer(a, MIN_INT63, MAX_INT63, &row->integer);
}

bool asm_value(struct assembler *a, struct vm_constants *out, struct symbol_table *labels,
               unsigned depth) {
    char buffer[48];
    if (depth > MAX_READ_DEPTH) return asm_fail(a, &a->token, "the value is nested too deeply");
    if (a->token.kind == TOKEN_NUMBER) return number_value(a, out, labels, depth);
    if (a->token.kind == TOKEN_STRING) {
        struct vm_constant *row = add(a, out, CONSTANT_STRING);
        if (row == NULL) return false;
        row->bytes = (const uint8_t *)a->token.text;
        row->size = (uint32_t)a->token.length;
        return asm_next(a);
    }
    if (asm_at_mark(a, '(')) return block_value(a, out, labels, depth, 0);
    if (asm_at_mark(a, '[')) return list_value(a, out, labels, depth);
    if (asm_at_mark(a, '{')) return floats_value(a, out);
    if (asm_at_mark(a, '#')) return labelled_value(a, out, labels, depth);
    if (asm_at_name(a, "float") || asm_at_name(a, "nan") || asm_at_name(a, "infinity"))
        return float_value(a, out);
    return asm_fail(a, &a->token, "a value expected, %s found", asm_token_text(&a->token, buffer));
}

/* --- The data part --- */

bool asm_begin_data(struct assembler *a) {
    if (add(a, &a->data, CONSTANT_BLOCK) == NULL) return false;
    if (a->bare) return true;
    for (uint32_t g = 0; g < VM_PREDEFINED_COUNT; g++) {
        const char *text = vm_predefined_exceptions[g];
        struct token name = {.kind = TOKEN_NAME, .text = text, .length = strlen(text)};
        struct vm_constant *row = add(a, &a->data, CONSTANT_BLOCK);
        if (row == NULL) return false;
        row->tag = VM_PREDEFINED_TAG;
        row->size = 2;
        if ((row = add(a, &a->data, CONSTANT_STRING)) == NULL) return false;
        row->bytes = (const uint8_t *)text;
        row->size = (uint32_t)name.length;
        if ((row = add(a, &a->data, CONSTANT_INT)) == NULL) return false;
        row->integer = -(int64_t)g - 1;
        if (!asm_define(a, &a->globals, &name, a->global_count++, "global")) return false;
    }
    return true;
}

/* [NAME:] VALUE */
static bool global_line(struct assembler *a, struct symbol_table *labels) {
    char buffer[48];
    if (asm_at_definition(a)) {
        if (!asm_define(a, &a->globals, &a->token, a->global_count, "global") || !asm_next(a) ||
            !asm_next(a) || !asm_skip_newlines(a))
            return false;
    }
    a->global_count++;
    if (!asm_value(a, &a->data, labels, 0)) return false;
    if (a->token.kind == TOKEN_NEWLINE || a->token.kind == TOKEN_END) return true;
    return asm_fail(a, &a->token, "%s follows the value", asm_token_text(&a->token, buffer));
}

bool asm_data_part(struct assembler *a) {
    if (asm_at_name(a, "bare")) {
        a->bare = true;
        if (!asm_next(a)) return false;
    }
    struct symbol_table labels = {0};
    bool ok = asm_begin_data(a) && asm_skip_newlines(a);
    while (ok && a->token.kind != TOKEN_END && !asm_at_part(a))
        ok = global_line(a, &labels) && asm_skip_newlines(a);
    free(labels.slots);
    return ok;
}
