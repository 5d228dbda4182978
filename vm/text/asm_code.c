/* asm_code.c - instructions to words. Names are resolved at the end (asm_resolve): labels, globals
 * and primitives may be defined after their uses. */
#include "vm/code/opcodes.h"
#include "vm/text/text_internal.h"

#include <string.h>

enum { MAX_SWITCH_TARGETS = 65535 };

static bool emit(struct assembler *a, uint32_t word) { return asm_push(a, &a->words, word); }

/* The next word is the value of the current token, a name. */
static bool emit_fixup(struct assembler *a, enum fixup_kind kind, uint32_t base) {
    struct fixup fixup = {kind, (uint32_t)a->words.count, base, a->token};
    return asm_push(a, &a->fixups, fixup) && emit(a, 0) && asm_next(a);
}

static bool emit_number(struct assembler *a, int64_t low, int64_t high) {
    int64_t n;
    return asm_integer(a, low, high, &n) && emit(a, (uint32_t)n);
}

/* A label, or a displacement as it is: $-3. */
static bool label_operand(struct assembler *a, uint32_t base) {
    if (asm_at_char(a, '$')) return asm_next(a) && emit_number(a, INT32_MIN, INT32_MAX);
    if (a->token.kind != TOKEN_NAME) return asm_expected(a, "a label");
    return emit_fixup(a, FIXUP_LABEL, base);
}

/* The hash of a public method, by which objects find it. */
static uint32_t method_tag(const char *name, size_t length) {
    int64_t tag = 0;
    for (size_t i = 0; i < length; i++)
        tag = (int64_t)(((uint64_t)tag * 223 + (unsigned char)name[i]) & 0x7fffffff);
    return (uint32_t)(tag > 0x3fffffff ? tag - 0x80000000ll : tag);
}

static bool operand(struct assembler *a, char shape) {
    bool named = a->token.kind == TOKEN_NAME, string = a->token.kind == TOKEN_STRING;
    switch (shape) {
    case 'l':
    case 'h':
    case 'r':
    case 'x': return label_operand(a, (uint32_t)a->words.count);
    case 'g':
        if (named) return emit_fixup(a, FIXUP_GLOBAL, 0);
        break;
    case 'p':
        if (named || string) return emit_fixup(a, FIXUP_PRIMITIVE, 0);
        break;
    case 'm':
        if (string) return emit(a, method_tag(a->token.text, a->token.length)) && asm_next(a);
        return emit_number(a, INT32_MIN, INT32_MAX);
    case 'i':
    case 'k': return emit_number(a, INT32_MIN, INT32_MAX);
    }
    return emit_number(a, 0, UINT32_MAX);
}

/* A line may continue after a comma. */
static bool comma(struct assembler *a) { return asm_skip_char(a, ',') && asm_skip_newlines(a); }

static bool simple_operands(struct assembler *a, const char *operands) {
    for (const char *shape = operands; *shape; shape++) {
        if (*shape == 'c' && !asm_at_char(a, ',')) return emit(a, 0); /* an empty cache */
        if (shape > operands && !comma(a)) return false;
        if (!operand(a, *shape)) return false;
    }
    return true;
}

static bool at_line_end(const struct assembler *a) {
    return a->token.kind == TOKEN_NEWLINE || a->token.kind == TOKEN_END;
}

/* Labels up to a bar or the end of the line. */
static bool switch_targets(struct assembler *a, uint32_t base, uint32_t *count) {
    *count = 0;
    if (asm_at_char(a, '|') || at_line_end(a)) return true;
    for (;;) {
        if (*count == MAX_SWITCH_TARGETS)
            return asm_fail(a, &a->token, "more than %d targets", MAX_SWITCH_TARGETS);
        if (!label_operand(a, base)) return false;
        ++*count;
        if (!asm_at_char(a, ',')) return true;
        if (!comma(a)) return false;
    }
}

static bool switch_operands(struct assembler *a) {
    size_t sizes = a->words.count;
    uint32_t base = (uint32_t)sizes + 1, constants, tags = 0;
    if (!emit(a, 0) || !switch_targets(a, base, &constants)) return false;
    if (asm_at_char(a, '|') && !(asm_next(a) && switch_targets(a, base, &tags))) return false;
    ASSERT(a->words.count == base + (size_t)constants + tags);
    a->words.items[sizes] = constants | tags << 16;
    return true;
}

static bool closures_operands(struct assembler *a) {
    size_t functions = a->words.count;
    if (!emit(a, 0) || !emit_number(a, 0, UINT32_MAX)) return false;
    uint32_t base = (uint32_t)a->words.count;
    while (asm_at_char(a, ',')) {
        if (!comma(a) || !label_operand(a, base)) return false;
        a->words.items[functions]++;
    }
    return true;
}

static bool word_line(struct assembler *a) {
    for (;;) {
        if (!emit_number(a, INT32_MIN, UINT32_MAX)) return false;
        if (!asm_at_char(a, ',')) return true;
        if (!comma(a)) return false;
    }
}

static bool instruction(struct assembler *a) {
    if (asm_at_name(a, "WORD")) return asm_next(a) && word_line(a);
    const struct name *opcode = NULL;
    if (a->token.kind == TOKEN_NAME)
        opcode = names_find(&a->opcodes, a->token.text, a->token.length);
    if (opcode == NULL)
        return asm_fail(a, &a->token, "no instruction is called %s", asm_token_text(a, &a->token));
    ASSERT(opcode->number < OPCODE_COUNT);
    const char *operands = vm_opcodes[opcode->number].operands;
    if (!emit(a, opcode->number) || !asm_next(a)) return false;
    if (*operands == 'W') return switch_operands(a);
    if (*operands == 'R') return closures_operands(a);
    return simple_operands(a, operands);
}

static bool add_opcodes(struct assembler *a) {
    for (uint32_t op = 0; op < OPCODE_COUNT; op++) {
        const char *name = vm_opcodes[op].name;
        struct token t = {.kind = TOKEN_NAME, .text = name, .length = strlen(name)};
        if (!asm_define(a, &a->opcodes, &t, op, "instruction")) return false;
    }
    return true;
}

bool asm_code_part(struct assembler *a) {
    if (a->opcodes.count == 0 && !add_opcodes(a)) return false;
    while (a->token.kind != TOKEN_END) {
        if (a->token.kind == TOKEN_NEWLINE) {
            if (!asm_next(a)) return false;
        } else if (asm_at_definition(a)) {
            if (!asm_define(a, &a->labels, &a->token, (uint32_t)a->words.count, "label") ||
                !asm_next(a) || !asm_next(a))
                return false;
        } else if (asm_at_part(a)) {
            return true;
        } else if (!instruction(a) || !asm_line_ends(a, "instruction")) {
            return false;
        }
    }
    return true;
}

/* --- Names --- */

bool asm_add_primitive(struct assembler *a, const struct token *name) {
    if (name->length == 0 || memchr(name->text, 0, name->length) != NULL)
        return asm_fail(a, name, "a primitive's name cannot be empty or have a zero byte");
    uint32_t number = (uint32_t)a->primitive_list.count;
    if (!asm_push(a, &a->primitive_list, *name)) return false;
    return names_find(&a->primitives, name->text, name->length) != NULL ||
           asm_define(a, &a->primitives, name, number, "primitive");
}

static const struct name_table *table_of(const struct assembler *a, enum fixup_kind kind) {
    return kind == FIXUP_LABEL ? &a->labels : kind == FIXUP_GLOBAL ? &a->globals : &a->primitives;
}

static bool resolve(struct assembler *a, const struct fixup *fixup) {
    const struct name_table *table = table_of(a, fixup->kind);
    const struct token *name = &fixup->name;
    const struct name *s = names_find(table, name->text, name->length);
    if (s == NULL && fixup->kind == FIXUP_PRIMITIVE) {
        if (!asm_add_primitive(a, name)) return false;
        s = names_find(table, name->text, name->length);
    }
    if (s == NULL)
        return asm_fail(a, name, "no %s is called %s",
                        fixup->kind == FIXUP_LABEL ? "label" : "global", asm_token_text(a, name));
    ASSERT(fixup->word < a->words.count);
    a->words.items[fixup->word] = s->number - fixup->base;
    return true;
}

bool asm_resolve(struct assembler *a) {
    for (size_t i = 0; i < a->fixups.count; i++)
        if (!resolve(a, &a->fixups.items[i])) return false;
    return true;
}
