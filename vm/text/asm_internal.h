/* asm_internal.h - what the assembler's files share: asm.c has the parts and writes the file,
 * asm_lex.c reads tokens, asm_code.c instructions, asm_data.c constants. The language's grammar
 * stands at the head of asm.c. */
#ifndef BACTRIAN_VM_TEXT_ASM_INTERNAL_H
#define BACTRIAN_VM_TEXT_ASM_INTERNAL_H

#include "vm/base/arena.h"
#include "vm/base/status.h"
#include "vm/marshal/constants.h"

struct vm_version;

enum token_kind {
    TOKEN_END,     /* of the text */
    TOKEN_NEWLINE, /* one or more */
    TOKEN_NAME,
    TOKEN_NUMBER, /* integer or float, read when it is known which is wanted */
    TOKEN_STRING, /* text, length: its bytes, escapes resolved */
    TOKEN_MARK,   /* one character of punctuation: text[0] */
};

struct token {
    enum token_kind kind;
    const char *text;
    size_t length;
    unsigned line, column; /* from 1 */
    bool first;            /* on its line */
};

/* Names to numbers, by open addressing. */
struct symbol {
    const char *text; /* NULL: free */
    size_t length;
    uint32_t number;
};
struct symbol_table {
    struct symbol *slots;
    size_t count, capacity; /* capacity: a power of two, or 0 */
};

/* A word of code that waits for a name: labels may stand behind their uses, and so may whole
 * parts. */
enum fixup_kind { FIXUP_LABEL, FIXUP_GLOBAL, FIXUP_PRIMITIVE };
struct fixup {
    enum fixup_kind kind;
    uint32_t word, base; /* a label is relative to word base */
    struct token name;
};

struct part {
    char name[5];
    uint8_t *bytes; /* owned; NULL for CODE, PRIM and DATA, whose bytes are made at the end */
    size_t length;
};

enum { MAX_PARTS = 64 };

struct assembler {
    const char *at, *end, *line_start;
    unsigned line;
    bool line_begun;       /* a token was seen on this line */
    struct token token;    /* the current one */
    struct vm_arena arena; /* decoded strings */
    struct vm_error *error;

    const char *magic;
    uint8_t *launcher;
    size_t launcher_length;
    struct part parts[MAX_PARTS];
    unsigned part_count;

    uint32_t *words;
    size_t word_count, word_capacity;
    struct fixup *fixups;
    size_t fixup_count, fixup_capacity;
    struct symbol_table opcodes, labels, globals, primitives;
    struct token *primitive_list; /* in the order of their numbers */
    size_t primitive_count, primitive_capacity;

    struct vm_constants data;
    uint32_t global_count;
    bool bare; /* the data part lists every slot, the predefined exceptions too */
};

/* asm.c. Whether the current token begins a part. */
bool asm_at_part(const struct assembler *a);

/* asm_lex.c. All: GC: never; false means that *error is filled. */
/* Reads the next token into a->token. */
bool asm_next(struct assembler *a);
/* Fills the error with the token's place; returns false. */
bool asm_fail(struct assembler *a, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool asm_no_memory(struct assembler *a);
/* How a message calls the token. */
const char *asm_token_text(const struct token *t, char buffer[48]);
/* Whether the current token is that punctuation character, or that name. */
bool asm_at_mark(const struct assembler *a, char c);
bool asm_at_name(const struct assembler *a, const char *name);
/* Whether the current token is a name with a colon behind it. */
bool asm_at_definition(const struct assembler *a);
/* Goes over a mark that must stand here. */
bool asm_skip_mark(struct assembler *a, char c);
bool asm_skip_newlines(struct assembler *a);
/* The current token, an integer from low to high, and goes over it. */
bool asm_integer(struct assembler *a, int64_t low, int64_t high, int64_t *out);
/* Reads lines of hexadecimal digits and strings, to the next part, into a new buffer. */
bool asm_bytes(struct assembler *a, uint8_t **bytes, size_t *length);
/* Makes room for one more item of size bytes behind count, doubling. */
bool asm_grow(struct assembler *a, void **items, size_t count, size_t *capacity, size_t size);
/* Adds a name, which must be new. */
bool asm_define(struct assembler *a, struct symbol_table *table, const struct token *name,
                uint32_t number, const char *what);
const struct symbol *asm_find(const struct symbol_table *table, const char *text, size_t length);

/* asm_code.c. As above. */
bool asm_code_part(struct assembler *a);
/* Resolves the fixups. */
bool asm_resolve(struct assembler *a);
/* Gives a primitive the next number; its name stands for the first number it was given. */
bool asm_add_primitive(struct assembler *a, const struct token *name);

/* asm_data.c. As above. */
/* One value, added to the rows; labels: of this value and its surroundings. */
bool asm_value(struct assembler *a, struct vm_constants *out, struct symbol_table *labels,
               unsigned depth);
bool asm_data_part(struct assembler *a);
/* Begins the globals: root and, unless bare, the predefined exceptions. */
bool asm_begin_data(struct assembler *a);

#endif
