/* asm.c - bytecode as text into an image.
 *
 *     text        = { part }             a part begins with its keyword at the start of a line
 *     part        = "format" NAME        X030 (the default), X031, ...
 *                 | "launcher" bytes     what precedes the sections; nothing by default
 *                 | "code" { [NAME ":"] [instruction] NEWLINE }
 *                 | "primitives" { NAME | STRING }
 *                 | "data" ["bare"] { [NAME ":"] value NEWLINE }
 *                 | "section" NAME ( "bytes" bytes | "strings" { STRING } | "value" value )
 *     bytes       = { hexadecimal digits in pairs | STRING }
 *     instruction = OPCODE [operand { "," operand }] | "SWITCH" [labels] ["|" labels]
 *                 | "CLOSUREREC" INT { "," label } | "WORD" INT { "," INT }
 *     operand     = INT | label | NAME of a global or primitive | STRING: a primitive or method
 *     label       = NAME | "$" INT: the displacement itself
 *     value       = INT | INT("l"|"L"|"n") | FLOAT | "float" "(" BITS ")" | STRING
 *                 | [TAG] "(" values ")" | "[" values "]" | "{" floats "}" | "#" INT ["=" value]
 *
 * ";" begins a comment. A line continues after a comma and within parentheses. Sections are written
 * in the order of their parts; CODE, PRIM and DATA are added when they have no part, and primitives
 * that the code names are added to PRIM. tests/asm/README.md shows the language by examples. */
#include "vm/base/os.h"
#include "vm/text/basm.h"
#include "vm/text/text_internal.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

bool asm_at_part(const struct assembler *a) {
    return a->token.first &&
           (asm_at_name(a, "format") || asm_at_name(a, "launcher") || asm_at_name(a, "code") ||
            asm_at_name(a, "primitives") || asm_at_name(a, "data") || asm_at_name(a, "section"));
}

/* --- Parts --- */

/* A new section; at: the token that names it. */
static struct part *add_part(struct assembler *a, const char *name, const struct token *at) {
    bool once = memcmp(name, "CODE", 4) == 0 || memcmp(name, "PRIM", 4) == 0 ||
                memcmp(name, "DATA", 4) == 0;
    for (unsigned i = 0; once && i < a->part_count; i++) {
        if (memcmp(a->parts[i].name, name, 4) != 0) continue;
        asm_fail(a, at, "a second section %.4s", name);
        return NULL;
    }
    if (a->part_count == MAX_PARTS) {
        asm_fail(a, at, "more than %d sections", MAX_PARTS);
        return NULL;
    }
    struct part *part = &a->parts[a->part_count++];
    memcpy(part->name, name, 4);
    return part;
}

static bool format_part(struct assembler *a) {
    char magic[13] = "Caml1999";
    if (a->token.kind == TOKEN_NAME && a->token.length == 4) {
        memcpy(magic + 8, a->token.text, 4);
        const struct vm_version *version = vm_version_of_magic(magic);
        if (version != NULL) {
            a->magic = version->magic;
            return asm_next(a);
        }
    }
    return asm_fail(a, &a->token, "no format is called %s; there are X030 to X036",
                    asm_token_text(a, &a->token));
}

/* Needs: the keyword is the current token; the bytes follow. */
static bool launcher_part(struct assembler *a) {
    if (a->launcher != NULL) return asm_fail(a, &a->token, "a second launcher");
    return asm_bytes(a, &a->launcher, &a->launcher_length);
}

static bool primitives_part(struct assembler *a) {
    while (a->token.kind != TOKEN_END && !asm_at_part(a)) {
        if (a->token.kind == TOKEN_NAME || a->token.kind == TOKEN_STRING) {
            if (!asm_add_primitive(a, &a->token)) return false;
        } else if (a->token.kind != TOKEN_NEWLINE) {
            return asm_expected(a, "a primitive's name");
        }
        if (!asm_next(a)) return false;
    }
    return true;
}

static bool strings_section(struct assembler *a, struct part *part) {
    FILE *out = open_memstream((char **)&part->bytes, &part->length);
    if (out == NULL) return asm_no_memory(a);
    bool ok = asm_next(a) && asm_skip_newlines(a);
    while (ok && a->token.kind == TOKEN_STRING) {
        fwrite(a->token.text, 1, a->token.length, out);
        putc_unlocked(0, out);
        ok = asm_next(a) && asm_skip_newlines(a);
    }
    return vm_close_text(out, (char **)&part->bytes) ? ok : asm_no_memory(a);
}

static bool value_section(struct assembler *a, struct part *part) {
    struct vm_constants rows = {0};
    FILE *out = open_memstream((char **)&part->bytes, &part->length);
    if (out == NULL) return asm_no_memory(a);
    bool ok = asm_next(a) && asm_skip_newlines(a) && asm_whole_value(a, &rows), written = ok;
    if (ok) written = vm_constants_write(&rows, out);
    if (!vm_close_text(out, (char **)&part->bytes) || written != ok) ok = asm_no_memory(a);
    vm_constants_free(&rows);
    return ok;
}

static bool section_part(struct assembler *a) {
    struct token name = a->token;
    if ((name.kind != TOKEN_NAME && name.kind != TOKEN_STRING) || name.length != 4)
        return asm_expected(a, "a section's name of four letters");
    struct part *part = add_part(a, name.text, &name);
    if (part == NULL || !asm_next(a)) return false;
    if (asm_at_name(a, "bytes")) return asm_bytes(a, &part->bytes, &part->length);
    if (asm_at_name(a, "strings")) return strings_section(a, part);
    if (asm_at_name(a, "value")) return value_section(a, part);
    return asm_expected(a, "bytes, strings or value");
}

static bool read_part(struct assembler *a) {
    struct token keyword = a->token;
    if (!asm_at_part(a))
        return asm_expected(a, "a part (format, launcher, code, primitives, data or section)");
    if (asm_at_name(a, "launcher")) return launcher_part(a);
    if (!asm_next(a)) return false;
    switch (keyword.text[0]) {
    case 'c': return add_part(a, "CODE", &keyword) && asm_code_part(a);
    case 'p': return add_part(a, "PRIM", &keyword) && primitives_part(a);
    case 'd': return add_part(a, "DATA", &keyword) && asm_data_part(a);
    case 'f': return format_part(a);
    default: return section_part(a);
    }
}

static bool has_part(const struct assembler *a, const char *name) {
    for (unsigned i = 0; i < a->part_count; i++)
        if (memcmp(a->parts[i].name, name, 4) == 0) return true;
    return false;
}

static bool read_text(struct assembler *a) {
    if (!asm_next(a) || !asm_skip_newlines(a)) return false;
    while (a->token.kind != TOKEN_END)
        if (!read_part(a) || !asm_skip_newlines(a)) return false;
    if (!has_part(a, "CODE")) return asm_fail(a, &a->token, "there is no code part");
    if (!has_part(a, "PRIM") && !add_part(a, "PRIM", &a->token)) return false;
    if (!has_part(a, "DATA") && !(add_part(a, "DATA", &a->token) && asm_begin_data(a)))
        return false;
    return asm_resolve(a);
}

/* --- The file --- */

static void put_big_endian_32(uint32_t x, FILE *out) {
    uint32_t swapped = htobe32(x);
    fwrite(&swapped, 4, 1, out);
}

static void write_code(const struct assembler *a, FILE *out) {
    for (size_t i = 0; i < a->words.count; i++) {
        uint32_t word = htole32(a->words.items[i]);
        fwrite(&word, 4, 1, out);
    }
}

static void write_primitives(const struct assembler *a, FILE *out) {
    for (size_t i = 0; i < a->primitive_list.count; i++) {
        fwrite(a->primitive_list.items[i].text, 1, a->primitive_list.items[i].length, out);
        putc_unlocked(0, out);
    }
}

/* Sections, table, trailer; parts given as bytes are written unchanged. False: out of memory. */
static bool write_file(const struct assembler *a, FILE *out) {
    size_t lengths[MAX_PARTS];
    bool ok = true;
    if (a->launcher_length > 0) fwrite(a->launcher, 1, a->launcher_length, out);
    for (unsigned i = 0; i < a->part_count; i++) {
        const struct part *part = &a->parts[i];
        long start = ftell(out);
        if (part->bytes != NULL) fwrite(part->bytes, 1, part->length, out);
        else if (memcmp(part->name, "CODE", 4) == 0) write_code(a, out);
        else if (memcmp(part->name, "PRIM", 4) == 0) write_primitives(a, out);
        else ok = vm_constants_write(&a->data, out) && ok;
        lengths[i] = (size_t)(ftell(out) - start);
    }
    for (unsigned i = 0; i < a->part_count; i++) {
        fwrite(a->parts[i].name, 1, 4, out);
        put_big_endian_32((uint32_t)lengths[i], out);
    }
    put_big_endian_32(a->part_count, out);
    fwrite(a->magic, 1, 12, out);
    return ok;
}

static bool write_image(struct assembler *a, uint8_t **bytes, size_t *length) {
    FILE *out = open_memstream((char **)bytes, length);
    if (out == NULL) return asm_no_memory(a);
    if (a->data.count > 0) a->data.rows[0].size = a->global_count;
    bool ok = write_file(a, out);
    return (vm_close_text(out, (char **)bytes) && ok) || asm_no_memory(a);
}

static void free_assembler(struct assembler *a) {
    for (unsigned i = 0; i < a->part_count; i++) free(a->parts[i].bytes);
    free(a->launcher);
    free(a->words.items);
    free(a->fixups.items);
    free(a->opcodes.slots);
    free(a->labels.slots);
    free(a->globals.slots);
    free(a->primitives.slots);
    free(a->numbered.slots);
    free(a->primitive_list.items);
    vm_constants_free(&a->data);
    vm_arena_free(&a->arena);
}

enum vm_status vm_assemble(const char *text, size_t length, struct vm_image *out,
                           struct vm_error *error) {
    struct assembler a = {
        .at = text,
        .end = text + length,
        .line_start = text,
        .line = 1,
        .error = error,
        .magic = "Caml1999X030",
    };
    uint8_t *bytes = NULL;
    size_t bytes_length = 0;
    memset(out, 0, sizeof *out);
    bool ok = read_text(&a) && write_image(&a, &bytes, &bytes_length);
    free_assembler(&a);
    if (!ok) {
        free(bytes);
        return error->status;
    }
    enum vm_status status = vm_image_from_memory(bytes, bytes_length, out, error);
    if (status == VM_OK) out->owned = bytes;
    else free(bytes);
    return status;
}
