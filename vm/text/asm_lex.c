/* asm_lex.c - the assembler's tokens with their positions, numbers and bytes. */
#include "vm/base/os.h"
#include "vm/text/text_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool asm_fail(struct assembler *a, const struct token *at, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    vm_error_set(a->error, VM_BAD_TEXT, "%u:%u: %s", at->line, at->column, text);
    return false;
}

bool asm_no_memory(struct assembler *a) {
    vm_error_set(a->error, VM_NO_MEMORY, "to assemble line %u", a->line);
    return false;
}

const char *asm_token_text(struct assembler *a, const struct token *t) {
    switch (t->kind) {
    case TOKEN_END: return "the end of the text";
    case TOKEN_NEWLINE: return "the end of the line";
    case TOKEN_STRING: return "a string";
    default:
        snprintf(a->quoted, sizeof a->quoted, "'%.*s%s'", (int)(t->length < 40 ? t->length : 40),
                 t->text, t->length < 40 ? "" : "...");
        return a->quoted;
    }
}

bool asm_expected(struct assembler *a, const char *what) {
    return asm_fail(a, &a->token, "%s expected, %s found", what, asm_token_text(a, &a->token));
}

bool asm_line_ends(struct assembler *a, const char *what) {
    return a->token.kind == TOKEN_NEWLINE || a->token.kind == TOKEN_END ||
           asm_fail(a, &a->token, "%s follows the %s", asm_token_text(a, &a->token), what);
}

/* --- Tokens --- */

static bool is_name_start(char c) { return isalpha((unsigned char)c) || c == '_' || c == '.'; }
static bool is_name_part(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '\'';
}

static void skip_blanks(struct assembler *a) {
    while (a->at < a->end) {
        if (*a->at == ';')
            while (a->at < a->end && *a->at != '\n') a->at++;
        else if (*a->at == ' ' || *a->at == '\t' || *a->at == '\r') a->at++;
        else break;
    }
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The position of the next character, for messages. */
static struct token position(const struct assembler *a) {
    ASSERT(a->line_start <= a->at && a->at <= a->end);
    return (struct token){.line = a->line, .column = (unsigned)(a->at - a->line_start) + 1};
}

/* One character of a string or a character literal; -1 with the error filled. */
static int read_character(struct assembler *a) {
    struct token here = position(a);
    char c = a->at < a->end ? *a->at : '\n';
    if (c == '\n') return asm_fail(a, &here, "the literal does not end on its line"), -1;
    a->at++;
    if (c != '\\') return (unsigned char)c;
    c = a->at < a->end ? *a->at++ : 0;
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case '0': return 0;
    case '\\':
    case '\'':
    case '"': return c;
    case 'x':
        if (a->end - a->at >= 2 && hex_digit(a->at[0]) >= 0 && hex_digit(a->at[1]) >= 0) {
            int x = hex_digit(a->at[0]) * 16 + hex_digit(a->at[1]);
            a->at += 2;
            return x;
        }
    }
    return asm_fail(a, &here, "no such escape; there are \\n \\t \\r \\0 \\\\ \\' \\\" \\xHH"), -1;
}

static bool read_string(struct assembler *a) {
    const char *opening = ++a->at, *closing = opening;
    while (closing < a->end && *closing != '"' && *closing != '\n')
        closing += *closing == '\\' && closing + 1 < a->end ? 2 : 1;
    if (closing > a->end) closing = a->end;
    char *bytes = vm_arena_alloc(&a->arena, (size_t)(closing - a->at) + 1);
    if (bytes == NULL) return asm_no_memory(a);
    a->token.kind = TOKEN_STRING;
    a->token.text = bytes;
    a->token.length = 0;
    while (a->at == a->end || *a->at != '"') {
        int c = read_character(a);
        if (c < 0) return false;
        ASSERT(a->token.length <= (size_t)(closing - opening));
        bytes[a->token.length++] = (char)c;
    }
    a->at++;
    return true;
}

/* The value of a character literal is its byte. */
static bool read_character_literal(struct assembler *a) {
    a->at++;
    int c = read_character(a);
    if (c < 0) return false;
    if (a->at == a->end || *a->at != '\'')
        return asm_fail(a, &a->token, "a character literal has one character");
    a->at++;
    char *digits = vm_arena_alloc(&a->arena, 8);
    if (digits == NULL) return asm_no_memory(a);
    a->token.kind = TOKEN_NUMBER;
    a->token.text = digits;
    a->token.length = (size_t)snprintf(digits, 8, "%d", c);
    return true;
}

static void read_number(struct assembler *a) {
    const char *start = a->at;
    bool hex = false;
    if (*a->at == '-') a->at++;
    if (a->end - a->at >= 2 && a->at[0] == '0' && (a->at[1] | 0x20) == 'x') hex = true;
    while (a->at < a->end) {
        char before = a->at > start ? a->at[-1] | 0x20 : 0;
        bool sign = (*a->at == '-' || *a->at == '+') && before == (hex ? 'p' : 'e');
        if (!is_name_part(*a->at) && !sign) break;
        if (*a->at == '\'') break;
        a->at++;
    }
    a->token.kind = TOKEN_NUMBER;
    a->token.text = start;
    a->token.length = (size_t)(a->at - start);
}

static bool read_newlines(struct assembler *a) {
    a->token.kind = TOKEN_NEWLINE;
    while (a->at < a->end && *a->at == '\n') {
        a->at++;
        a->line++;
        a->line_start = a->at;
        skip_blanks(a);
    }
    a->line_begun = false;
    return true;
}

bool asm_next(struct assembler *a) {
    skip_blanks(a);
    a->token = position(a);
    a->token.kind = TOKEN_END;
    a->token.text = a->at;
    a->token.length = 1;
    a->token.first = !a->line_begun;
    if (a->at == a->end) return true;
    if (*a->at == '\n') return read_newlines(a);
    a->line_begun = true;
    char c = *a->at, next = a->end - a->at >= 2 ? a->at[1] : 0;
    if (c == '"') return read_string(a);
    if (c == '\'') return read_character_literal(a);
    if (isdigit((unsigned char)c) || (c == '-' && isdigit((unsigned char)next))) {
        read_number(a);
        return true;
    }
    if (is_name_start(c)) {
        while (a->at < a->end && is_name_part(*a->at)) a->at++;
        a->token.kind = TOKEN_NAME;
        a->token.length = (size_t)(a->at - a->token.text);
        return true;
    }
    if (strchr("()[]{}|,:=#$", c) == NULL || c == 0)
        return asm_fail(a, &a->token, isprint((unsigned char)c) ? "unexpected '%c'" : "byte 0x%02x",
                        isprint((unsigned char)c) ? c : (unsigned char)c);
    a->token.kind = TOKEN_CHAR;
    a->at++;
    return true;
}

bool asm_at_char(const struct assembler *a, char c) {
    return a->token.kind == TOKEN_CHAR && a->token.text[0] == c;
}

bool asm_at_name(const struct assembler *a, const char *name) {
    return a->token.kind == TOKEN_NAME && a->token.length == strlen(name) &&
           memcmp(a->token.text, name, a->token.length) == 0;
}

bool asm_at_definition(const struct assembler *a) {
    const char *p = a->at;
    while (p < a->end && (*p == ' ' || *p == '\t')) p++;
    return a->token.kind == TOKEN_NAME && p < a->end && *p == ':';
}

bool asm_skip_char(struct assembler *a, char c) {
    const char quoted[] = {'\'', c, '\'', 0};
    return asm_at_char(a, c) ? asm_next(a) : asm_expected(a, quoted);
}

bool asm_skip_newlines(struct assembler *a) {
    while (a->token.kind == TOKEN_NEWLINE)
        if (!asm_next(a)) return false;
    return true;
}

bool asm_integer(struct assembler *a, int64_t low, int64_t high, int64_t *out) {
    char digits[72];
    if (a->token.kind != TOKEN_NUMBER) return asm_expected(a, "a number");
    snprintf(digits, sizeof digits, "%.*s", (int)(a->token.length < 70 ? a->token.length : 70),
             a->token.text);
    bool hex = digits[digits[0] == '-'] == '0' && (digits[1 + (digits[0] == '-')] | 0x20) == 'x';
    char *end;
    errno = 0;
    long long n = strtoll(digits, &end, hex ? 16 : 10);
    if (*end != 0)
        return asm_fail(a, &a->token, "%s is not an integer", asm_token_text(a, &a->token));
    if (errno == ERANGE || n < low || n > high)
        return asm_fail(a, &a->token, "%s is out of range (%lld to %lld)",
                        asm_token_text(a, &a->token), (long long)low, (long long)high);
    *out = n;
    return asm_next(a);
}

/* --- Lines of bytes --- */

/* One word of digits in pairs. */
static bool hex_word(struct assembler *a, FILE *out) {
    while (a->at < a->end && is_name_part(*a->at)) {
        int high = hex_digit(*a->at), low = a->end - a->at >= 2 ? hex_digit(a->at[1]) : -1;
        if (high < 0 || low < 0) {
            struct token here = position(a);
            return asm_fail(a, &here, "two hexadecimal digits expected");
        }
        putc_unlocked(high * 16 + low, out);
        a->at += 2;
    }
    return true;
}

/* Bytes are hexadecimal digits; every keyword of a part contains a letter that is not one. */
static bool at_part(const struct assembler *a) {
    const char *p = a->at;
    while (p < a->end && isxdigit((unsigned char)*p)) p++;
    return p < a->end && isalpha((unsigned char)*p) && !a->line_begun;
}

static bool read_bytes_into(struct assembler *a, FILE *out) {
    for (;;) {
        skip_blanks(a);
        if (a->at == a->end || (*a->at != '\n' && at_part(a))) return asm_next(a);
        if (*a->at == '\n') {
            read_newlines(a);
            continue;
        }
        if (*a->at == '"') {
            if (!asm_next(a)) return false;
            fwrite(a->token.text, 1, a->token.length, out);
        } else if (isxdigit((unsigned char)*a->at)) {
            if (!hex_word(a, out)) return false;
        } else {
            struct token here = position(a);
            return asm_fail(a, &here, "bytes expected: hexadecimal digits or a string");
        }
        a->line_begun = true;
    }
}

bool asm_bytes(struct assembler *a, uint8_t **bytes, size_t *length) {
    char *buffer = NULL;
    FILE *out = open_memstream(&buffer, length);
    if (out == NULL) return asm_no_memory(a);
    bool ok = read_bytes_into(a, out);
    if (!vm_close_text(out, &buffer) && ok) ok = asm_no_memory(a);
    if (ok) *bytes = (uint8_t *)buffer;
    else free(buffer);
    return ok;
}

/* --- Names --- */

bool asm_define(struct assembler *a, struct name_table *table, const struct token *name,
                uint32_t number, const char *what) {
    bool added;
    if (!names_add(table, name->text, name->length, number, &added)) return asm_no_memory(a);
    return added || asm_fail(a, name, "%s %s is defined twice", what, asm_token_text(a, name));
}
