/* dis.c - an image as text that vm_assemble turns back into the same bytes.
 *
 * The parts are printed in the order of the sections:
 *
 *     format, launcher, then for each section: code | primitives | data | section NAME ...
 *
 * CODE, PRIM and DATA are printed by their meaning; so are SYMB and CRCS (one value each), DLPT
 * and DLLS (texts). A section that the text would not give back byte for byte, and every other
 * section, is printed as bytes. */
#include "vm/code/opcodes.h"
#include "vm/marshal/debuginfo.h"
#include "vm/text/basm.h"
#include "vm/text/text_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_A_LINE = 32, COLUMNS = 96 };

static void print_bytes(FILE *out, const uint8_t *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length; i += BYTES_A_LINE) {
        fputs("    ", out);
        for (size_t k = i; k < length && k < i + BYTES_A_LINE; k++) {
            putc_unlocked(digits[bytes[k] >> 4], out);
            putc_unlocked(digits[bytes[k] & 15], out);
        }
        putc_unlocked('\n', out);
    }
}

static bool is_text(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!isprint(bytes[i]) && bytes[i] != '\n') return false;
    return true;
}

static void print_launcher(struct disassembler *d) {
    const struct vm_image *image = d->image;
    size_t length = (size_t)(image->sections[0].bytes - image->bytes);
    if (length == 0) return;
    if (length < 256 && is_text(image->bytes, length)) {
        fputs("launcher ", d->out);
        dis_print_string(d->out, image->bytes, length);
        putc_unlocked('\n', d->out);
    } else {
        fputs("launcher\n", d->out);
        print_bytes(d->out, image->bytes, length);
    }
}

static void print_primitives(struct disassembler *d) {
    fputs("primitives", d->out);
    size_t column = COLUMNS;
    for (uint32_t p = 0; p < d->image->primitive_count; p++) {
        const char *name = d->image->primitive_names[p];
        size_t length = strlen(name) + 1;
        if (column + length > COLUMNS) {
            fputs("\n   ", d->out);
            column = 3;
        }
        putc_unlocked(' ', d->out);
        dis_print_name(d->out, name);
        column += length;
    }
    putc_unlocked('\n', d->out);
}

static void print_section_head(struct disassembler *d, const struct vm_section *section,
                               const char *form) {
    fputs("section ", d->out);
    bool plain = true;
    for (int i = 0; i < 4; i++) plain = plain && isupper((unsigned char)section->name[i]);
    if (plain) fprintf(d->out, "%.4s", section->name);
    else dis_print_string(d->out, (const uint8_t *)section->name, 4);
    fprintf(d->out, " %s\n", form);
}

static void print_strings(struct disassembler *d, const struct vm_section *section) {
    print_section_head(d, section, "strings");
    const char *text = (const char *)section->bytes, *end = text + section->length;
    for (; text < end; text += strlen(text) + 1) {
        fputs("    ", d->out);
        dis_print_string(d->out, (const uint8_t *)text, strlen(text));
        putc_unlocked('\n', d->out);
    }
}

static void print_other_section(struct disassembler *d, const struct vm_section *section) {
    bool strings = memcmp(section->name, "DLPT", 4) == 0 || memcmp(section->name, "DLLS", 4) == 0;
    if (strings && (section->length == 0 || section->bytes[section->length - 1] == 0)) {
        print_strings(d, section);
        return;
    }
    struct vm_constants constant;
    bool is_value = vm_constants_read(section->bytes, section->length, &constant);
    if (is_value && dis_is_printable(&constant, 0)) {
        print_section_head(d, section, "value");
        fputs("    ", d->out);
        dis_print_value(d->out, &constant, 0);
        putc_unlocked('\n', d->out);
    } else {
        print_section_head(d, section, "bytes");
        print_bytes(d->out, section->bytes, section->length);
    }
    if (is_value) vm_constants_free(&constant);
}

static void print_section(struct disassembler *d, const struct vm_section *section) {
    putc_unlocked('\n', d->out);
    if (memcmp(section->name, "CODE", 4) == 0) dis_print_code(d);
    else if (memcmp(section->name, "PRIM", 4) == 0) print_primitives(d);
    else if (memcmp(section->name, "DATA", 4) == 0 && d->data_readable) dis_print_data(d);
    else print_other_section(d, section);
}

static bool find_repeated_primitives(struct disassembler *d) {
    struct name_table seen = {0};
    bool ok = true;
    for (uint32_t p = 0; ok && p < d->image->primitive_count; p++) {
        const char *name = d->image->primitive_names[p];
        ok = names_add(&seen, name, strlen(name), p, &d->first_of_name[p]);
    }
    free(seen.slots);
    return ok;
}

static bool prepare(struct disassembler *d) {
    d->marks = calloc(d->image->code_words, 1);
    d->first_of_name = calloc((size_t)d->image->primitive_count + 1, sizeof *d->first_of_name);
    if (d->marks == NULL || d->first_of_name == NULL) return false;
    if (!find_repeated_primitives(d) || !dis_read_globals(d)) return false;
    dis_mark_code(d);
    ASSERT(d->tiled_words <= d->image->code_words);
    return true;
}

static void read_debug(struct disassembler *d) {
    const struct vm_section *debug = vm_image_section(d->image, "DBUG");
    struct vm_error ignored; /* damage of DBUG only costs the comments */
    if (debug != NULL) d->debug = vm_debuginfo_read(debug->bytes, debug->length, &ignored);
    if (d->debug != NULL) d->events = vm_debuginfo_events(d->debug, &d->event_count);
}

static void release(struct disassembler *d) {
    vm_debuginfo_delete(d->debug);
    vm_constants_free(&d->data);
    vm_arena_free(&d->arena);
    free(d->global_rows);
    free(d->global_names);
    free(d->first_of_name);
    free(d->marks);
}

enum vm_status vm_disassemble(const struct vm_image *image, FILE *out, struct vm_error *error) {
    struct disassembler d = {.image = image, .out = out};
    bool ok = prepare(&d);
    if (ok) {
        read_debug(&d);
        fprintf(out, "format %s\n", image->version->magic + strlen("Caml1999"));
        print_launcher(&d);
        for (unsigned i = 0; i < image->section_count; i++) print_section(&d, &image->sections[i]);
    }
    release(&d);
    return ok ? VM_OK : vm_error_set(error, VM_NO_MEMORY, "to print the code");
}

/* ---- Single instructions. ---- */

struct disassembler *vm_disassembler_open(const struct vm_image *image) {
    struct disassembler *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    *d = (struct disassembler){.image = image, .one_line = true};
    if (prepare(d)) return d;
    vm_disassembler_close(d);
    return NULL;
}

void vm_disassembler_print(struct disassembler *d, uint32_t pc, FILE *out) {
    ASSERT(pc < d->tiled_words && d->marks[pc] & MARK_START);
    d->out = out;
    fputs(vm_opcodes[d->image->code[pc]].name, out);
    if (vm_opcodes[d->image->code[pc]].operands[0] != 0) putc_unlocked(' ', out);
    dis_print_operands(d, pc);
}

void vm_disassembler_close(struct disassembler *d) {
    if (d == NULL) return;
    release(d);
    free(d);
}
