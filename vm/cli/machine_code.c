/* machine_code.c - `dis --machine`: the machine code of each function, beside its bytecode.
 *
 *     machine code of PROGRAM
 *
 *     FUNCTION, BYTES bytes
 *       OFFSET INSTRUCTION           of the bytecode, as trace prints it
 *           +OFFSET instruction      of the processor
 *
 * The program is loaded, not run: each function is compiled as --jit=all does at its first call,
 * and objdump decodes the bytes of all of them at once. */
#include "gc/assert.h"
#include "gc/containers.h"
#include "memprof/format/printable.h"
#include "vm/base/os.h"
#include "vm/cli/cli.h"
#include "vm/engine/native/native.h"
#include "vm/engine/native/observer.h"
#include "vm/marshal/symbols.h"
#include "vm/text/basm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function's code; its rows and tables are copied. */
struct listed {
    struct vm_native_code code;
    char *name;
};

struct listing {
    const struct cli_options *options;
    struct disassembler *disassembler;
    FILE *out;
    struct listed_vector VECTOR(struct listed) functions; /* by ascending address */
};

static void *copied(const void *items, size_t bytes) {
    void *copy = vm_must(malloc(bytes + 1));
    if (bytes > 0) memcpy(copy, items, bytes);
    return copy;
}

static void on_compiled(void *context, struct vm *vm, const struct vm_native_code *code) {
    struct listing *l = context;
    struct listed f = {*code, vm_must(vm_function_name(vm, code->function))};
    f.code.rows = copied(code->rows, code->row_count * sizeof *code->rows);
    f.code.tables = copied(code->tables, code->table_count * sizeof *code->tables);
    if (!vector_push(&l->functions, f, 64, NULL)) vm_must(NULL);
}

/* ---- Printing. ---- */

/* What stands before the machine instruction at that offset; *row: the first row not yet shown. */
static void print_rows(struct listing *l, const struct vm_native_code *code, size_t offset,
                       size_t *row) {
    for (; *row < code->row_count && code->rows[*row].offset <= offset; ++*row) {
        fprintf(l->out, "  %" PRIx32 " ", code->rows[*row].pc * 4);
        vm_disassembler_print(l->disassembler, code->rows[*row].pc, l->out);
        fputc('\n', l->out);
    }
    if (offset == code->late_offset) fputs("  what rarely runs\n", l->out);
}

/* Prints an instruction as objdump has it, jumps to the function itself by their offset. */
static void print_instruction(FILE *out, const char *text, uintptr_t start, size_t bytes) {
    const char *target = text[0] == 'j' ? strstr(text, "0x") : NULL;
    uintptr_t to = target != NULL ? strtoull(target, NULL, 16) : 0;
    if (to >= start && to < start + bytes)
        fprintf(out, "%.*s+%zx\n", (int)(target - text), text, to - start);
    else fprintf(out, "%s\n", text);
}

/* Whether the byte at that offset is in a table, which is printed if it begins there. */
static bool is_table(struct listing *l, const struct vm_native_code *code, size_t offset) {
    const struct vm_native_table *table = code->tables, *end = table + code->table_count;
    while (table < end && offset >= table->offset + 4 * (size_t)table->words) table++;
    if (table == end || offset < table->offset) return false;
    if (offset > table->offset) return true;
    fprintf(l->out, "      +%zx table", offset);
    for (uint32_t i = 0; i < table->words; i++) {
        int32_t distance;
        memcpy(&distance, code->runs_at + offset + 4 * (size_t)i, sizeof distance);
        fprintf(l->out, "%s +%zx", i == 0 ? "" : ",", offset + (size_t)(intptr_t)distance);
    }
    fputc('\n', l->out);
    return true;
}

/* Prints a function from objdump's lines, `  ADDRESS:<tab>INSTRUCTION`; gives the first line that
 * is not the function's. */
static char *print_function(struct listing *l, const struct listed *f, char *line) {
    bool shown = cli_shows_function(l->options, f->name);
    uintptr_t start = (uintptr_t)f->code.runs_at;
    size_t row = 0;
    if (shown) {
        fputc('\n', l->out);
        mp_put_printable(l->out, f->name, '?');
        fprintf(l->out, ", %zu bytes\n", f->code.bytes);
    }
    while (line != NULL && *line != 0) {
        char *colon, *next = strchr(line, '\n');
        uintptr_t at = strtoull(line, &colon, 16);
        bool is_instruction = colon != line && colon[0] == ':' && colon[1] == '\t';
        if (is_instruction && at >= start + f->code.bytes) return line;
        if (next != NULL) *next++ = 0;
        if (is_instruction && at >= start && shown && !is_table(l, &f->code, at - start)) {
            print_rows(l, &f->code, at - start, &row);
            fprintf(l->out, "      +%zx ", at - start);
            print_instruction(l->out, colon + 2, start, f->code.bytes);
        }
        line = next;
    }
    return line;
}

/* A copy of all code, with NOP in place of tables. */
static uint8_t *code_of(const struct listing *l, const uint8_t *start, size_t bytes) {
    enum { NOP = 0x90 };
    uint8_t *copy = copied(start, bytes);
    for (size_t i = 0; i < l->functions.count; i++) {
        const struct vm_native_code *code = &l->functions.items[i].code;
        for (size_t k = 0; k < code->table_count; k++)
            memset(copy + (code->runs_at - start) + code->tables[k].offset, NOP,
                   4 * (size_t)code->tables[k].words);
    }
    return copy;
}

/* Writes code to a file. Its path, allocated; NULL: see errno. */
static char *write_code(const uint8_t *code, size_t bytes) {
    char *path = vm_must(cli_join(cli_temporary_folder(), "bactrian-XXXXXX", ""));
    int fd = mkstemp(path);
    bool written = fd >= 0;
    for (size_t done = 0; written && done < bytes;) {
        ssize_t n = write(fd, code + done, bytes - done);
        written = n > 0;
        done += written ? (size_t)n : 0;
    }
    if (fd >= 0) close(fd);
    if (written) return path;
    if (fd >= 0) unlink(path);
    free(path);
    return NULL;
}

/* Returns the exit status. */
static int print_listing(struct listing *l) {
    ASSERT(l->functions.count > 0);
    const struct vm_native_code *last = &l->functions.items[l->functions.count - 1].code;
    const uint8_t *start = l->functions.items[0].code.runs_at;
    size_t bytes = (size_t)(last->runs_at + last->bytes - start);
    uint8_t *code = code_of(l, start, bytes);
    char *path = write_code(code, bytes);
    free(code);
    if (path == NULL)
        return cli_fail(STATUS_REFUSED, NULL, "cannot write to %s: %s", cli_temporary_folder(),
                        strerror(errno));
    char adjusted[40], *text = NULL;
    snprintf(adjusted, sizeof adjusted, "--adjust-vma=0x%" PRIxPTR, (uintptr_t)start);
    const char *words[] = {
        "objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn",
        adjusted,  path, NULL};
    char *objdump = cli_find_program(words[0]);
    if (objdump != NULL) cli_output_of(NULL, objdump, words, true, &text);
    free(objdump);
    unlink(path);
    free(path);
    if (text == NULL)
        return cli_fail(STATUS_REFUSED, NULL, "--machine: objdump failed: install binutils");
    fputs("machine code of ", l->out);
    mp_put_printable(l->out, l->options->operands[0], '?');
    fputc('\n', l->out);
    char *line = text;
    for (size_t i = 0; i < l->functions.count; i++)
        line = print_function(l, &l->functions.items[i], line);
    free(text);
    return 0;
}

/* ---- Compiling. ---- */

/* Compiles all functions of a loaded program: while one is prepared, those that it names are added.
 * Returns the exit status. */
static int compile_all(struct vm *vm, const char *shown) {
    for (uint32_t i = 1; i < vm->function_count; i++)
        if (!vm_native_compile_early(vm, i)) return cli_refuse(shown, &vm->refused);
    return 0;
}

static int compile_and_print(struct listing *l, struct cli_options *options, struct vm_image *image,
                             const char *shown) {
    struct vm_error error = {0};
    struct vm_native_observer observer = {on_compiled, l};
    int status = 0;
    options->vm.jit = VM_JIT_ALL;
    options->vm.verify_all = true;
    options->vm.on_native = &observer;
    struct vm *vm = cli_create_machine(options, image, shown, &status);
    if (vm == NULL) return status;
    if (vm_load(vm, image, &error) != VM_OK) status = cli_refuse(shown, &error);
    else status = compile_all(vm, shown);
    if (status == 0 && l->functions.count == 0)
        status = cli_fail(STATUS_REFUSED, shown, "there is no machine code on this computer");
    if (status == 0) status = print_listing(l);
    vm_destroy(vm);
    return status;
}

int cli_print_machine_code(struct cli_options *options, const struct vm_image *image, FILE *out) {
    const char *shown = options->operands[0];
    struct listing l = {.options = options, .out = out};
    struct vm_image loaded;
    char *path;
    l.disassembler = vm_disassembler_open(image);
    if (l.disassembler == NULL) return cli_fail(STATUS_REFUSED, shown, "out of memory");
    int status = cli_open_program(options, shown, &path, &loaded);
    free(path);
    if (status == 0) status = compile_and_print(&l, options, &loaded, shown);
    for (size_t i = 0; i < l.functions.count; i++) {
        free((void *)l.functions.items[i].code.rows);
        free((void *)l.functions.items[i].code.tables);
        free(l.functions.items[i].name);
    }
    free(l.functions.items);
    vm_disassembler_close(l.disassembler);
    return status;
}
