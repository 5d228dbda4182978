/* text_internal.h - what the files of vm/text share: the table of names, the assembler (asm.c has
 * the parts and writes the file, asm_lex.c reads tokens, asm_code.c instructions, asm_data.c
 * constants), the disassembler (dis.c prints the parts of a file, dis_code.c instructions,
 * dis_data.c constants). */
#ifndef BACTRIAN_VM_TEXT_TEXT_INTERNAL_H
#define BACTRIAN_VM_TEXT_TEXT_INTERNAL_H

#include "gc/containers.h"
#include "vm/base/arena.h"
#include "vm/base/status.h"
#include "vm/image/image.h"
#include "vm/marshal/constants.h"

/* ---- Names to numbers, by open addressing. ---- */

struct name {
    const char *text; /* not owned; NULL: a free slot */
    size_t length;
    uint32_t number;
};
/* Starts as {0}; slots is to be freed. */
struct name_table {
    struct name *slots;
    size_t count, capacity; /* capacity: a power of two, or 0 */
};

/* The name, or NULL. */
const struct name *names_find(const struct name_table *table, const char *text, size_t length);
/* Adds a name unless it is there; *added says which. Fails: false, without memory. */
bool names_add(struct name_table *table, const char *text, size_t length, uint32_t number,
               bool *added);

/* ---- The assembler. ---- */

enum token_kind {
    TOKEN_END,     /* of the text */
    TOKEN_NEWLINE, /* one or more */
    TOKEN_NAME,
    TOKEN_NUMBER, /* integer or float, read when it is known which is wanted */
    TOKEN_STRING, /* text, length: its bytes, escapes resolved */
    TOKEN_CHAR,   /* one character of punctuation: text[0] */
};

struct token {
    enum token_kind kind;
    const char *text;
    size_t length;
    unsigned line, column; /* from 1 */
    bool first;            /* on its line */
};

/* A word of code that waits for the value of a name: a label may follow its uses, and so may a
 * whole part. */
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
    char quoted[48]; /* for asm_token_text */

    const char *magic;
    uint8_t *launcher;
    size_t launcher_length;
    struct part parts[MAX_PARTS];
    unsigned part_count;

    struct VECTOR(uint32_t) words;
    struct VECTOR(struct fixup) fixups;
    struct name_table opcodes, labels, globals, primitives;
    struct VECTOR(struct token) primitive_list; /* in the order of their numbers */

    struct vm_constants *rows;  /* the value or data being read */
    struct name_table numbered; /* its labels, #1 and so on: rows */
    unsigned depth;             /* blocks around the value */
    struct vm_constants data;
    uint32_t global_count;
    bool bare; /* the data part lists every slot, the predefined exceptions too */
};

/* asm.c. Whether the current token begins a part. */
bool asm_at_part(const struct assembler *a);

/* asm_lex.c. All: GC: never; false means that *error is filled. */
/* Reads the next token into a->token. */
bool asm_next(struct assembler *a);
/* Fills the error with the token's position; returns false. */
bool asm_fail(struct assembler *a, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for the current token: "WHAT expected, TOKEN found". */
bool asm_expected(struct assembler *a, const char *what);
bool asm_no_memory(struct assembler *a);
/* The token as messages name it, until the next call. */
const char *asm_token_text(struct assembler *a, const struct token *t);
/* Whether the current token is that punctuation character, or that name. */
bool asm_at_char(const struct assembler *a, char c);
bool asm_at_name(const struct assembler *a, const char *name);
/* Whether the current token is a name followed by a colon. */
bool asm_at_definition(const struct assembler *a);
/* Skips a punctuation character, which must be the current token. */
bool asm_skip_char(struct assembler *a, char c);
bool asm_skip_newlines(struct assembler *a);
/* The current token, an integer from low to high, which it skips. */
bool asm_integer(struct assembler *a, int64_t low, int64_t high, int64_t *out);
/* Reads lines of hexadecimal digits and strings, up to the next part, into a new buffer. */
bool asm_bytes(struct assembler *a, uint8_t **bytes, size_t *length);
/* Whether the line ends after what was read; the error says so otherwise. */
bool asm_line_ends(struct assembler *a, const char *what);
/* Appends an item to a vector. */
#define asm_push(a, vector, item) \
    (vector_push(vector, item, IF_SMALL_TABLES(1, 64), NULL) || asm_no_memory(a))
/* Adds a name, which must be new. */
bool asm_define(struct assembler *a, struct name_table *table, const struct token *name,
                uint32_t number, const char *what);

/* asm_code.c. As above. */
bool asm_code_part(struct assembler *a);
/* Resolves the fixups. */
bool asm_resolve(struct assembler *a);
/* Gives a primitive the next number; its name means the first number it was given. */
bool asm_add_primitive(struct assembler *a, const struct token *name);

/* asm_data.c. As above. */
/* One value with labels of its own, into rows, which are empty. */
bool asm_whole_value(struct assembler *a, struct vm_constants *rows);
bool asm_data_part(struct assembler *a);
/* Begins the globals: root and, unless bare, the predefined exceptions. */
bool asm_begin_data(struct assembler *a);

/* ---- The disassembler. ---- */

/* Values nested deeper are printed as bytes; the assembler reads deeper ones. */
enum { MAX_PRINTED_DEPTH = 500, MAX_READ_DEPTH = 1000 };

enum { MARK_JUMP = 1, MARK_CLOSURE = 2, MARK_START = 4 };

struct vm_debuginfo;
struct vm_debug_event;

struct disassembler {
    const struct vm_image *image;
    FILE *out;
    bool one_line;        /* long lists of labels are not wrapped */
    uint8_t *marks;       /* per word of code: the MARK_ bits */
    uint32_t tiled_words; /* instructions tile the code up to here */
    bool *first_of_name;  /* per primitive: no earlier one has its name */
    bool data_readable;   /* DATA is printed as constants, so globals have names */
    bool predefined;      /* its first slots are the usual exceptions */
    struct vm_constants data;
    uint32_t global_count;
    uint32_t *global_rows;               /* per global: its row in data */
    const char **global_names;           /* per global: its name in SYMB, or NULL */
    struct vm_arena arena;               /* the names */
    struct vm_debuginfo *debug;          /* or NULL */
    const struct vm_debug_event *events; /* by ascending pc */
    size_t event_count, event;           /* event: the next one to be printed */
};

/* dis_code.c. Both: GC: never. */
/* Fills marks and tiled_words. */
void dis_mark_code(struct disassembler *d);
void dis_print_code(struct disassembler *d);
/* The operands of the instruction at pc. */
void dis_print_operands(struct disassembler *d, uint32_t pc);

/* dis_data.c. All: GC: never. */
/* Reads DATA and SYMB as far as they can be printed readably. Fails: false, without memory. */
bool dis_read_globals(struct disassembler *d);
void dis_print_data(struct disassembler *d);
/* Prints the name of a global in the text. */
void dis_print_global_name(struct disassembler *d, uint32_t global);
/* Prints the value of row i on one line. */
void dis_print_value(FILE *out, const struct vm_constants *constants, uint32_t i);
/* Whether the value is shallow enough for that. */
bool dis_is_printable(const struct vm_constants *constants, uint32_t i);
/* Prints a string in quotes, from which the assembler reads the same bytes. */
void dis_print_string(FILE *out, const uint8_t *bytes, size_t length);
/* Prints a name, in quotes if the assembler would read it as something else. */
void dis_print_name(FILE *out, const char *name);

#endif
