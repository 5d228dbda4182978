/* real_code.c - compiles all functions of a program, without running it, and checks their code.
 *
 *   native_real_code PROGRAM CODE STARTS
 *
 * The bytes of all functions, with NOPs in place of tables, go to the file CODE, and the offsets at
 * which decode.h finds instructions to STARTS, one per line: real_code.py compares them with
 * objdump's (N7). A function whose jumps, calls and exits lead one to three bytes further is
 * refused, unless an instruction begins there (N8). */
#include "stdlib/state.h"
#include "vm/engine/native/check_code.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/decode.h"
#include "vm/engine/native/native.h"
#include "vm/image/image.h"
#include "vm/machine/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOP = 0x90, FURTHEST = 3, MOST_MUTANTS = 20 };

struct test {
    FILE *code, *starts;
    uint32_t written; /* bytes of CODE */
    uint32_t functions, mutants;
    bool failed;
};

static bool may_call(const void *context, uintptr_t function) {
    const struct vm *vm = context;
    bool found = native_is_called_by_switch(function);
    for (uint32_t i = 0; i < vm->prim_count; i++)
        found = found || (uintptr_t)vm->prims[i].function == function;
    return found;
}

/* Writes the bytes, and where instructions begin. */
static void write_code(struct test *t, const uint8_t *bytes, const struct vm_native_code *code) {
    struct native_decoded d;
    const struct vm_native_table *table = code->tables;
    uint8_t *copy = malloc(code->bytes);
    memcpy(copy, bytes, code->bytes);
    for (uint32_t at = 0; at < code->bytes; at += d.length) {
        while (table < code->tables + code->table_count && table->offset == at) {
            memset(copy + at, NOP, 4 * (size_t)table->words);
            at += 4 * table++->words;
        }
        if (at == code->bytes) break;
        if (!native_decode(bytes + at, bytes + code->bytes, &d)) {
            fprintf(stderr, "function %u: +%#x is not decoded\n", code->function, at);
            t->failed = true;
            break;
        }
        fprintf(t->starts, "%" PRIx32 "\n", t->written + at);
    }
    fwrite(copy, 1, code->bytes, t->code);
    t->written += (uint32_t)code->bytes;
    free(copy);
}

static bool begins(const struct vm_native_code *code, const uint8_t *bytes, int64_t offset) {
    struct native_decoded d;
    const struct vm_native_table *table = code->tables;
    for (int64_t at = 0; at < (int64_t)code->bytes; at += d.length) {
        while (table < code->tables + code->table_count && table->offset == at)
            at += 4 * (int64_t)table++->words;
        if (at == offset) return true;
        if (at > offset || !native_decode(bytes + at, bytes + code->bytes, &d)) return false;
    }
    return false;
}

/* The constant, or distance, of the instruction at `at` becomes greater; the verifier must refuse
 * that. Needs: it is in the last one, four or eight bytes. */
static void try_mutant(struct test *t, const struct native_checked *checked, uint8_t *at,
                       const struct native_decoded *d, size_t bytes, int by) {
    struct native_violation found = {"", 0};
    int64_t was = 0, now;
    memcpy(&was, at + d->length - bytes, bytes);
    now = was + by;
    memcpy(at + d->length - bytes, &now, bytes);
    if (native_check_code(checked, &found) || strncmp(found.what, "N8", 2) != 0) {
        fprintf(stderr, "a change by %d at +%#zx is accepted %s\n", by,
                (size_t)(at - checked->written), found.what);
        t->failed = true;
    }
    memcpy(at + d->length - bytes, &was, bytes);
    t->mutants++;
}

/* Tries mutants of the instruction at an offset; next: the one after it. */
static void mutate(struct test *t, const struct native_checked *checked,
                   const struct vm_native_code *code, uint8_t *bytes, uint32_t at,
                   const struct native_decoded *d) {
    struct native_decoded next = {.kind = KIND_PLAIN};
    uint32_t after = at + d->length;
    bool jumps = d->kind == KIND_JUMP || d->kind == KIND_JUMP_IF || d->kind == KIND_CALL;
    for (int by = 1; jumps && by <= FURTHEST; by++)
        if (!begins(code, bytes, (int64_t)after + d->constant + by) &&
            (int64_t)after + d->constant >= 0)
            try_mutant(t, checked, bytes + at, d, d->length == 2 ? 1 : 4, by);
    if (d->kind != KIND_CONSTANT || after >= code->bytes) return;
    native_decode(bytes + after, bytes + code->bytes, &next);
    bool wide = d->length == 10;
    int64_t to = (int64_t)after + next.length + next.constant;
    const uint8_t *exit = checked->native->stubs.exit;
    if (next.kind == KIND_CALL_REGISTER || (next.kind == KIND_JUMP && code->runs_at + to == exit))
        try_mutant(t, checked, bytes + at, d, wide ? 8 : 4, 1);
}

/* Rows begin at instructions, so each may be where control enters. */
static void check(struct test *t, struct vm *vm, uint8_t *bytes,
                  const struct vm_native_code *code) {
    struct native_violation found;
    struct native_decoded d = {.length = 1};
    uint32_t *entries = malloc((code->row_count + 1) * sizeof *entries);
    struct native_checked checked = {.native = vm->native,
                                     .written = bytes,
                                     .run_offset = code->runs_at - bytes,
                                     .bytes = (uint32_t)code->bytes,
                                     .tests_indexes = true,
                                     .tables = code->tables,
                                     .table_count = code->table_count,
                                     .entries = entries,
                                     .may_call = may_call,
                                     .context = vm};
    for (size_t i = 0; i < code->row_count; i++)
        if (code->rows[i].offset < code->bytes)
            entries[checked.entry_count++] = code->rows[i].offset;
    if (!native_check_code(&checked, &found)) {
        fprintf(stderr, "function %u: %s, at +%#x\n", code->function, found.what, found.offset);
        t->failed = true;
    }
    uint32_t before = t->mutants;
    for (uint32_t at = 0; at < code->bytes && t->mutants < before + MOST_MUTANTS; at += d.length) {
        for (size_t i = 0; i < code->table_count; i++)
            if (code->tables[i].offset == at) at += 4 * code->tables[i].words;
        if (at >= code->bytes || !native_decode(bytes + at, bytes + code->bytes, &d)) break;
        mutate(t, &checked, code, bytes, at, &d);
    }
    free(entries);
}

static void on_compiled(void *context, struct vm *vm, const struct vm_native_code *code) {
    struct test *t = context;
    uint8_t *bytes = malloc(code->bytes);
    memcpy(bytes, code->runs_at, code->bytes);
    t->functions++;
    write_code(t, bytes, code);
    if (code->bytes < 4000) check(t, vm, bytes, code);
    free(bytes);
}

int main(int argc, char **argv) {
    static char *arguments[] = {"program", NULL};
    struct test t = {.code = NULL};
    struct vm_native_observer observer = {on_compiled, &t};
    struct vm_options options = {.jit = VM_JIT_ALL,
                                 .verify_all = true,
                                 .on_native = &observer,
                                 .executable_name = "program",
                                 .argv = arguments};
    struct vm_image image;
    struct vm_error error;
    if (argc != 4) return 2;
    t.code = fopen(argv[2], "wb"), t.starts = fopen(argv[3], "w");
    if (t.code == NULL || t.starts == NULL) return 2;
    if (vm_image_open(argv[1], &image, &error) != VM_OK) return 2;
    struct vm *vm = vm_create(&options, image.version, &prim_library, &error);
    if (vm == NULL || vm_load(vm, &image, &error) != VM_OK) return 2;
    for (uint32_t i = 1; i < vm->function_count; i++)
        if (!vm_native_compile_early(vm, i)) return 2;
    vm_destroy(vm);
    fclose(t.code);
    fclose(t.starts);
    printf("%u functions, %u mutants\n", t.functions, t.mutants);
    return t.failed || t.functions == 0 || t.mutants == 0;
}
