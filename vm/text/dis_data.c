/* dis_data.c - constants as text: the table of globals, and other sections that are one value.
 *
 * K4  asm_data.c reads what is printed here as the same rows.
 * K5  A global's printed name is unique, and no other global's default name. */
#include "vm/marshal/symbols.h"
#include "vm/text/text_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void dis_print_string(FILE *out, const uint8_t *bytes, size_t length) {
    putc_unlocked('"', out);
    for (size_t i = 0; i < length; i++) {
        uint8_t c = bytes[i];
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c == '\n') fputs("\\n", out);
        else if (c == '\t') fputs("\\t", out);
        else if (c < ' ' || c > '~') fprintf(out, "\\x%02x", c);
        else putc_unlocked(c, out);
    }
    putc_unlocked('"', out);
}

static bool needs_no_quotes(const char *name) {
    if (strspn(name, "0123456789.") != 0 || *name == 0) return false;
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ==
           0;
}

void dis_print_name(FILE *out, const char *name) {
    static const char *const keywords[] = {"format", "launcher",   "code",
                                           "data",   "primitives", "section"};
    bool plain = needs_no_quotes(name);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        plain = plain && strcmp(name, keywords[i]) != 0;
    if (plain) fputs(name, out);
    else dis_print_string(out, (const uint8_t *)name, strlen(name));
}

/* --- Values --- */

/* The shortest decimal that reads back as the same double. */
static void print_double(FILE *out, uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) {
        fprintf(out, "float(0x%016" PRIx64 ")", bits);
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_doubles(FILE *out, const struct vm_constant *row) {
    putc_unlocked('{', out);
    for (uint32_t k = 0; k < row->size; k++) {
        uint64_t bits;
        memcpy(&bits, row->bytes + 8 * (size_t)k, 8);
        if (k > 0) fputs(", ", out);
        print_double(out, le64toh(bits));
    }
    putc_unlocked('}', out);
}

/* Whether row i begins a proper list of at least two elements whose cells are not shared. */
static bool is_list(const struct vm_constants *c, uint32_t i) {
    unsigned cells = 0;
    for (;; cells++) {
        const struct vm_constant *row = &c->rows[i];
        if (row->kind == CONSTANT_INT) return row->integer == 0 && cells >= 2;
        if (row->kind != CONSTANT_BLOCK || row->tag != 0 || row->size != 2) return false;
        if (cells > 0 && row->shared) return false;
        i = c->rows[i + 1].end;
    }
}

static void print_list(FILE *out, const struct vm_constants *c, uint32_t i) {
    putc_unlocked('[', out);
    for (bool first = true; c->rows[i].kind == CONSTANT_BLOCK; first = false) {
        if (!first) fputs(", ", out);
        dis_print_value(out, c, i + 1);
        i = c->rows[i + 1].end;
    }
    putc_unlocked(']', out);
}

static void print_block(FILE *out, const struct vm_constants *c, uint32_t i) {
    if (c->rows[i].tag != 0) fprintf(out, "%u", c->rows[i].tag);
    putc_unlocked('(', out);
    uint32_t field = i + 1;
    for (uint32_t k = 0; k < c->rows[i].size; k++) {
        if (k > 0) fputs(", ", out);
        dis_print_value(out, c, field);
        field = c->rows[field].end;
    }
    putc_unlocked(')', out);
}

void dis_print_value(FILE *out, const struct vm_constants *c, uint32_t i) {
    const struct vm_constant *row = &c->rows[i];
    ASSERT(i < c->count);
    if (row->shared) fprintf(out, "#%u=", i);
    switch (row->kind) {
    case CONSTANT_INT: fprintf(out, "%" PRId64, row->integer); break;
    case CONSTANT_INT32: fprintf(out, "%" PRId64 "l", row->integer); break;
    case CONSTANT_INT64: fprintf(out, "%" PRId64 "L", row->integer); break;
    case CONSTANT_NATIVE: fprintf(out, "%" PRId64 "n", row->integer); break;
    case CONSTANT_DOUBLE: print_double(out, row->bits); break;
    case CONSTANT_DOUBLES: print_doubles(out, row); break;
    case CONSTANT_STRING: dis_print_string(out, row->bytes, row->size); break;
    case CONSTANT_SHARED: fprintf(out, "#%u", row->target); break;
    default:
        if (is_list(c, i)) print_list(out, c, i);
        else print_block(out, c, i);
    }
}

/* Whether printing and reading recurse to at most room levels; the cells of a list are one. */
static bool shallow(const struct vm_constants *c, uint32_t i, unsigned room) {
    if (c->rows[i].kind != CONSTANT_BLOCK) return true;
    if (room == 0) return false;
    bool list = is_list(c, i);
    uint32_t field = i + 1, end = c->rows[i].end;
    while (field < end) {
        if (!shallow(c, field, room - 1)) return false;
        field = c->rows[field].end;
        if (list) field++; /* skips the next cell's row */
    }
    return true;
}

bool dis_is_printable(const struct vm_constants *c, uint32_t i) {
    return shallow(c, i, MAX_PRINTED_DEPTH);
}

/* --- Globals --- */

static bool is_default_name(const char *name) {
    return name[0] == 'g' && name[1] != 0 && name[1 + strspn(name + 1, "0123456789")] == 0;
}

static bool name_from_node(struct disassembler *d, const struct vm_constants *c, uint32_t i) {
    uint32_t global;
    const struct vm_constant *text;
    if (!vm_symbol_of_node(c, i, &global, &text) || global >= d->global_count) return true;
    char *name = vm_arena_alloc(&d->arena, (size_t)text->size + 1);
    if (name == NULL) return false;
    memcpy(name, text->bytes, text->size);
    name[text->size] = 0;
    bool usable = strlen(name) == text->size && needs_no_quotes(name) && !is_default_name(name);
    d->global_names[global] = usable ? name : NULL;
    return true;
}

/* Of several globals with one name only the first keeps it (K5). A predefined exception, with a low
 * slot, keeps its name against others. */
static bool drop_repeated_names(struct disassembler *d) {
    struct name_table seen = {0};
    bool ok = true, added;
    for (uint32_t g = 0; ok && g < d->global_count; g++) {
        const char *name = d->global_names[g];
        if (name == NULL) continue;
        ok = names_add(&seen, name, strlen(name), g, &added);
        if (ok && !added) d->global_names[g] = NULL;
    }
    free(seen.slots);
    return ok;
}

static bool read_names(struct disassembler *d) {
    const struct vm_section *section = vm_image_section(d->image, "SYMB");
    struct vm_constants symbols;
    bool ok = true;
    if (section != NULL && vm_constants_read(section->bytes, section->length, &symbols)) {
        for (uint32_t i = 0; ok && i < symbols.count; i++) ok = name_from_node(d, &symbols, i);
        vm_constants_free(&symbols);
    }
    for (uint32_t g = 0; d->predefined && g < VM_PREDEFINED_COUNT; g++)
        d->global_names[g] = vm_predefined_exceptions[g];
    return ok && drop_repeated_names(d);
}

/* Whether slot g has the predefined exception of every program. */
static bool is_predefined(const struct disassembler *d, uint32_t g) {
    const struct vm_constant *row = &d->data.rows[d->global_rows[g]];
    if (row->kind != CONSTANT_BLOCK || row->tag != VM_PREDEFINED_TAG || row->size != 2 ||
        row->shared)
        return false;
    const char *name = vm_predefined_exceptions[g];
    return row[1].kind == CONSTANT_STRING && row[1].size == strlen(name) && !row[1].shared &&
           memcmp(row[1].bytes, name, row[1].size) == 0 && row[2].kind == CONSTANT_INT &&
           row[2].integer == -(int64_t)g - 1;
}

bool dis_read_globals(struct disassembler *d) {
    const struct vm_section *section = vm_image_section(d->image, "DATA");
    if (!vm_constants_read(section->bytes, section->length, &d->data)) return true;
    const struct vm_constant *root = &d->data.rows[0];
    if (root->kind != CONSTANT_BLOCK || root->tag != 0 || root->shared) return true;
    d->global_count = root->size;
    d->global_rows = malloc(((size_t)root->size + 1) * sizeof *d->global_rows);
    d->global_names = calloc((size_t)root->size + 1, sizeof *d->global_names);
    if (d->global_rows == NULL || d->global_names == NULL) return false;
    uint32_t row = 1;
    d->data_readable = true;
    for (uint32_t g = 0; g < d->global_count; g++) {
        ASSERT(row < d->data.count); /* K1 */
        d->global_rows[g] = row;
        d->data_readable = d->data_readable && dis_is_printable(&d->data, row);
        row = d->data.rows[row].end;
    }
    d->predefined = d->global_count >= VM_PREDEFINED_COUNT;
    for (uint32_t g = 0; d->predefined && g < VM_PREDEFINED_COUNT; g++)
        d->predefined = is_predefined(d, g);
    return read_names(d);
}

void dis_print_global_name(struct disassembler *d, uint32_t global) {
    if (!d->data_readable || global >= d->global_count) fprintf(d->out, "%u", global);
    else if (d->global_names[global] != NULL) fputs(d->global_names[global], d->out);
    else fprintf(d->out, "g%u", global);
}

void dis_print_data(struct disassembler *d) {
    fputs(d->predefined ? "data\n" : "data bare\n", d->out);
    for (uint32_t g = d->predefined ? VM_PREDEFINED_COUNT : 0; g < d->global_count; g++) {
        dis_print_global_name(d, g);
        fputs(": ", d->out);
        dis_print_value(d->out, &d->data, d->global_rows[g]);
        putc_unlocked('\n', d->out);
    }
}
