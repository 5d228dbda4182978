/* asm_data.c - constants: the values of the data part and of sections that are one value. */
#include "vm/text/text_internal.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_INT63 (-((int64_t)1 << 62))
#define MAX_INT63 (((int64_t)1 << 62) - 1)

static struct vm_constant *add(struct assembler *a, enum vm_constant_kind kind) {
    struct vm_constant *row = vm_constants_add(a->rows, kind);
    if (row == NULL) asm_no_memory(a);
    return row;
}

static bool string_value(struct assembler *a, const struct token *t) {
    struct vm_constant *row = add(a, CONSTANT_STRING);
    if (row == NULL) return false;
    row->bytes = (const uint8_t *)t->text;
    row->size = (uint32_t)t->length;
    return true;
}

static bool int_value(struct assembler *a, int64_t n) {
    struct vm_constant *row = add(a, CONSTANT_INT);
    if (row != NULL) row->integer = n;
    return row != NULL;
}

static bool one_value(struct assembler *a);

/* --- Numbers --- */

static bool is_float(const struct token *t) {
    bool hex = t->length > 2 && memchr("xX", t->text[1 + (t->text[0] == '-')], 2) != NULL;
    for (size_t i = 0; i < t->length; i++)
        if (strchr(hex ? ".pP" : ".eE", t->text[i]) != NULL) return true;
    return false;
}

/* The text of a number, truncated to 70 characters: no valid number is longer. */
static const char *number_text(const struct token *t, char text[80]) {
    ASSERT(t->kind == TOKEN_NUMBER);
    snprintf(text, 80, "%.*s", (int)(t->length < 70 ? t->length : 70), t->text);
    return text;
}

/* The bits in float(BITS), whose name is the current token. */
static bool float_from_bits(struct assembler *a, uint64_t *bits) {
    char text[80], *end = text;
    if (!asm_next(a) || !asm_skip_char(a, '(')) return false;
    errno = 0;
    if (a->token.kind == TOKEN_NUMBER && a->token.length <= 70)
        *bits = strtoull(number_text(&a->token, text), &end, 0);
    if (end == text || *end != 0 || errno != 0)
        return asm_fail(a, &a->token, "the 64 bits of a float expected");
    return asm_next(a) && asm_skip_char(a, ')');
}

/* A float's bits: a number, infinity, nan, or float(BITS). */
static bool float_bits(struct assembler *a, uint64_t *bits) {
    char text[80], *end;
    double x = 0;
    if (asm_at_name(a, "float")) return float_from_bits(a, bits);
    if (asm_at_name(a, "infinity") || asm_at_name(a, "nan")) {
        x = asm_at_name(a, "nan") ? (double)NAN : (double)INFINITY;
    } else {
        if (a->token.kind != TOKEN_NUMBER || a->token.length > 70)
            return asm_expected(a, "a float");
        x = strtod(number_text(&a->token, text), &end);
        if (*end != 0)
            return asm_fail(a, &a->token, "%s is not a float", asm_token_text(a, &a->token));
    }
    memcpy(bits, &x, sizeof x);
    return asm_next(a);
}

static bool float_value(struct assembler *a) {
    struct vm_constant *row = add(a, CONSTANT_DOUBLE);
    return row != NULL && float_bits(a, &row->bits);
}

/* 42l, 42L, 42n: the boxed integers. */
static bool boxed_value(struct assembler *a, char suffix) {
    enum vm_constant_kind kind = suffix == 'l'   ? CONSTANT_INT32
                                 : suffix == 'L' ? CONSTANT_INT64
                                                 : CONSTANT_NATIVE;
    struct vm_constant *row = add(a, kind);
    if (row == NULL) return false;
    a->token.length--;
    if (suffix == 'l') return asm_integer(a, INT32_MIN, INT32_MAX, &row->integer);
    return asm_integer(a, INT64_MIN, INT64_MAX, &row->integer);
}

/* --- Blocks --- */

/* The comma before every element but the first. */
static bool separator(struct assembler *a, bool first) {
    return first || (asm_skip_char(a, ',') && asm_skip_newlines(a));
}

/* The fields of a block, whose row exists, up to the closing parenthesis. */
static bool fields(struct assembler *a, uint32_t block) {
    uint32_t size = 0;
    if (!asm_skip_newlines(a)) return false;
    for (; !asm_at_char(a, ')'); size++)
        if (!separator(a, size == 0) || !one_value(a) || !asm_skip_newlines(a)) return false;
    ASSERT(a->rows->rows[block].kind == CONSTANT_BLOCK);
    a->rows->rows[block].size = size;
    return asm_next(a);
}

static bool block_value(struct assembler *a, uint8_t tag) {
    uint32_t block = a->rows->count;
    struct vm_constant *row = add(a, CONSTANT_BLOCK);
    if (row == NULL) return false;
    row->tag = tag;
    return asm_skip_char(a, '(') && fields(a, block);
}

/* [a, b, c]: a cell for each element, 0 at the end. */
static bool list_value(struct assembler *a) {
    if (!asm_next(a) || !asm_skip_newlines(a)) return false;
    for (bool first = true; !asm_at_char(a, ']'); first = false) {
        struct vm_constant *cell = separator(a, first) ? add(a, CONSTANT_BLOCK) : NULL;
        if (cell == NULL) return false;
        cell->size = 2;
        if (!one_value(a) || !asm_skip_newlines(a)) return false;
    }
    return int_value(a, 0) && asm_next(a);
}

static bool floats_value(struct assembler *a) {
    struct VECTOR(uint64_t) items = {0};
    uint64_t bits;
    bool ok = asm_next(a) && asm_skip_newlines(a);
    while (ok && !asm_at_char(a, '}'))
        ok = separator(a, items.count == 0) && float_bits(a, &bits) &&
             asm_push(a, &items, htole64(bits)) && asm_skip_newlines(a);
    struct vm_constant *row = ok && asm_next(a) ? add(a, CONSTANT_DOUBLES) : NULL;
    uint8_t *bytes = row != NULL ? vm_arena_alloc(&a->arena, 8 * items.count + 1) : NULL;
    if (row != NULL && bytes == NULL) asm_no_memory(a);
    if (bytes != NULL) {
        if (items.count > 0) memcpy(bytes, items.items, 8 * items.count);
        row->bytes = bytes;
        row->size = (uint32_t)items.count;
    }
    free(items.items);
    return bytes != NULL;
}

/* --- Values --- */

/* #7=VALUE names a value, #7 refers to it. */
static bool labelled_value(struct assembler *a) {
    if (!asm_next(a)) return false;
    struct token name = a->token;
    if (name.kind != TOKEN_NUMBER) return asm_fail(a, &name, "a number expected after '#'");
    if (!asm_next(a)) return false;
    if (asm_at_char(a, '=')) {
        uint32_t row = a->rows->count;
        if (!asm_define(a, &a->numbered, &name, row, "#") || !asm_next(a) ||
            !asm_skip_newlines(a) || !one_value(a))
            return false;
        if (!vm_constant_is_object(&a->rows->rows[row]))
            return asm_fail(a, &name, "an integer, an empty block or a reference cannot be shared");
        return true;
    }
    const struct name *target = names_find(&a->numbered, name.text, name.length);
    if (target == NULL)
        return asm_fail(a, &name, "#%s is not defined before", asm_token_text(a, &name));
    struct vm_constant *row = add(a, CONSTANT_SHARED);
    if (row != NULL) row->target = target->number;
    return row != NULL;
}

static bool number_value(struct assembler *a) {
    char last = a->token.text[a->token.length - 1];
    if (is_float(&a->token)) return float_value(a);
    if (last == 'l' || last == 'L' || last == 'n') return boxed_value(a, last);
    if (a->at < a->end && *a->at == '(') {
        int64_t tag;
        return asm_integer(a, 0, 255, &tag) && block_value(a, (uint8_t)tag);
    }
    struct vm_constant *row = add(a, CONSTANT_INT);
    return row != NULL && asm_integer(a, MIN_INT63, MAX_INT63, &row->integer);
}

static bool any_value(struct assembler *a) {
    if (a->token.kind == TOKEN_NUMBER) return number_value(a);
    if (a->token.kind == TOKEN_STRING) return string_value(a, &a->token) && asm_next(a);
    if (asm_at_char(a, '(')) return block_value(a, 0);
    if (asm_at_char(a, '[')) return list_value(a);
    if (asm_at_char(a, '{')) return floats_value(a);
    if (asm_at_char(a, '#')) return labelled_value(a);
    if (asm_at_name(a, "float") || asm_at_name(a, "nan") || asm_at_name(a, "infinity"))
        return float_value(a);
    return asm_expected(a, "a value");
}

static bool one_value(struct assembler *a) {
    if (a->depth > MAX_READ_DEPTH) return asm_fail(a, &a->token, "the value is nested too deeply");
    a->depth++;
    bool ok = any_value(a);
    a->depth--;
    return ok;
}

/* Values go to these rows from now on; their labels begin anew. */
static void begin_rows(struct assembler *a, struct vm_constants *rows) {
    ASSERT(rows->count == 0 && a->depth == 0);
    a->rows = rows;
    free(a->numbered.slots);
    a->numbered = (struct name_table){0};
}

bool asm_whole_value(struct assembler *a, struct vm_constants *rows) {
    begin_rows(a, rows);
    return one_value(a);
}

/* --- The data part --- */

bool asm_begin_data(struct assembler *a) {
    ASSERT(a->global_count == 0);
    begin_rows(a, &a->data);
    if (add(a, CONSTANT_BLOCK) == NULL) return false;
    if (a->bare) return true;
    for (uint32_t g = 0; g < VM_PREDEFINED_COUNT; g++) {
        const char *text = vm_predefined_exceptions[g];
        struct token name = {.kind = TOKEN_NAME, .text = text, .length = strlen(text)};
        struct vm_constant *row = add(a, CONSTANT_BLOCK);
        if (row == NULL) return false;
        row->tag = VM_PREDEFINED_TAG;
        row->size = 2;
        if (!string_value(a, &name) || !int_value(a, -(int64_t)g - 1) ||
            !asm_define(a, &a->globals, &name, a->global_count++, "global"))
            return false;
    }
    return true;
}

/* [NAME:] VALUE */
static bool global_line(struct assembler *a) {
    if (asm_at_definition(a)) {
        if (!asm_define(a, &a->globals, &a->token, a->global_count, "global") || !asm_next(a) ||
            !asm_next(a) || !asm_skip_newlines(a))
            return false;
    }
    a->global_count++;
    return one_value(a) && asm_line_ends(a, "value");
}

bool asm_data_part(struct assembler *a) {
    a->bare = asm_at_name(a, "bare");
    if (a->bare && !asm_next(a)) return false;
    bool ok = asm_begin_data(a) && asm_skip_newlines(a);
    while (ok && a->token.kind != TOKEN_END && !asm_at_part(a))
        ok = global_line(a) && asm_skip_newlines(a);
    return ok;
}
