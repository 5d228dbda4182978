/* symbols.c - see symbols.h. No program needs SYMB to run: ill-formed parts of it are ignored. */
#include "vm/marshal/symbols.h"

#include "gc/containers.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify.h"
#include "vm/image/image.h"
#include "vm/marshal/debuginfo.h"
#include "vm/state/vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Section SYMB. ---- */

static const struct vm_constant *row_or_target(const struct vm_constants *c, uint32_t i) {
    return &c->rows[c->rows[i].kind == CONSTANT_SHARED ? c->rows[i].target : i];
}

bool vm_symbol_of_node(const struct vm_constants *c, uint32_t node, uint32_t *global,
                       const struct vm_constant **name) {
    if (c->rows[node].kind != CONSTANT_BLOCK || c->rows[node].tag != 0 || c->rows[node].size != 5)
        return false;
    uint32_t at = c->rows[node + 1].end;
    ASSERT(at < c->rows[node].end);
    const struct vm_constant *identifier = row_or_target(c, at);
    const struct vm_constant *slot = &c->rows[c->rows[at].end];
    /* Before 5.2 a Global or Predef of Ident.t, then Glob_compunit or Glob_predef. */
    bool has_name = identifier->tag >= 2 ? identifier->size > 0 : identifier->size == 1;
    if (identifier->kind != CONSTANT_BLOCK || !has_name || slot->kind != CONSTANT_INT ||
        slot->integer < 0 || slot->integer > UINT32_MAX)
        return false;
    *global = (uint32_t)slot->integer;
    *name = row_or_target(c, (uint32_t)(identifier - c->rows) + 1);
    return (*name)->kind == CONSTANT_STRING;
}

/* The names by global, in one allocation: the array, then the texts. */
static const char **read_names(const struct vm_constants *c, size_t bytes, uint32_t global_count) {
    const char **names = calloc(1, global_count * sizeof *names + bytes);
    if (names == NULL) return NULL;
    char *to = (char *)(names + global_count), *end = to + bytes;
    uint32_t global;
    const struct vm_constant *name;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!vm_symbol_of_node(c, i, &global, &name) || global >= global_count) continue;
        if (name->size >= (size_t)(end - to)) break; /* a name in several nodes */
        memcpy(to, name->bytes, name->size);
        names[global] = to;
        to += name->size + 1;
    }
    return names;
}

/* ---- The code. ---- */

/* Where the top level of the unit at start begins: the compiler puts a branch to it before the
 * functions. */
static uint32_t top_level(const struct vm_code *code, uint32_t start) {
    if (vm_word(&code->words, start) != OP_BRANCH || start + 1 == code->word_count) return start;
    const uint64_t target = start + (uint64_t)1 + vm_word(&code->words, start + 1);
    return target < code->word_count ? (uint32_t)target : start;
}

/* Words of the instruction at pc. Code that nothing reaches may be anything: then up to the end. */
static uint32_t width_at(const struct vm_code *code, uint32_t pc) {
    uint32_t left = code->word_count - pc, sizes = left > 1 ? vm_word(&code->words, pc + 1) : 0;
    uint32_t width = vm_instruction_words(vm_word(&code->words, pc), sizes, left);
    return width != 0 ? width : left;
}

static void find_units(struct vm_symbols *s, const struct vm_code *code, const char *const *names,
                       uint32_t global_count) {
    if (code->word_count == 0) return;
    uint32_t top = top_level(code, 0), next;
    for (uint32_t pc = top; pc < code->word_count && s->count < global_count; pc = next) {
        next = pc + width_at(code, pc);
        if (vm_word(&code->words, pc) != OP_SETGLOBAL || next - pc < 2) continue;
        uint32_t global = vm_word(&code->words, pc + 1);
        if (global >= global_count || names[global] == NULL) continue;
        s->rows[s->count++] = (struct vm_symbol){top, next, names[global]};
        ASSERT(s->count < 2 || s->rows[s->count - 2].end < next); /* SY1 */
        if (next < code->word_count) next = top = top_level(code, next);
    }
}

static struct vm_symbols *read_symbols(struct vm *vm) {
    struct vm_symbols *s = calloc(1, sizeof *s);
    const struct vm_section *section = vm_image_section(vm->image, "SYMB");
    struct vm_constants c;
    if (s == NULL || section == NULL || is_int(vm->global_data)) return s;
    if (!vm_constants_read(section->bytes, section->length, &c)) return s;
    uint32_t global_count = (uint32_t)wosize_of(vm->global_data);
    const char **names = read_names(&c, section->length, global_count);
    vm_constants_free(&c);
    s->names = names;
    s->name_count = names == NULL ? 0 : global_count;
    s->rows = calloc(global_count, sizeof *s->rows);
    if (names != NULL && s->rows != NULL) find_units(s, vm->codes[0], names, global_count);
    return s;
}

/* The first byte of the function at pc, which has been called: so its entry is known, and it is the
 * last one before pc. */
static uint32_t function_start(const struct vm_verifier *v, uint32_t pc) {
    uint32_t entry = vm_last_entry(v, pc);
    return entry == 0 ? 0 : vm_entry_at(v, entry)->pc;
}

/* The table; NULL: out of memory. */
static const struct vm_symbols *symbols_of(struct vm *vm) {
    if (vm->symbols == NULL) vm->symbols = read_symbols(vm);
    return vm->symbols;
}

const char *vm_global_name(struct vm *vm, uint32_t global) {
    const struct vm_symbols *s = symbols_of(vm);
    return s == NULL || global >= s->name_count ? NULL : s->names[global];
}

uint64_t vm_global_code(struct vm *vm, uint32_t global) {
    const struct vm_symbols *s = symbols_of(vm);
    const char *name = vm_global_name(vm, global);
    for (size_t i = 0; name != NULL && i < s->count; i++)
        if (s->rows[i].module == name) return s->rows[i].top_level;
    return VM_NO_GPC;
}

/* The row of a pc of the program's code; NULL: unknown. */
static const struct vm_symbol *symbol_of(struct vm *vm, uint64_t gpc) {
    if (gpc >= vm->codes[0]->word_count) return NULL;
    const struct vm_symbols *s = symbols_of(vm);
    if (s == NULL) return NULL;
    size_t n = sorted_prefix(s->count, i, s->rows[i].end <= gpc);
    if (n == s->count) return NULL;
    ASSERT(gpc < s->rows[n].end && (n == 0 || gpc >= s->rows[n - 1].end)); /* SY1 */
    return &s->rows[n];
}

uint64_t vm_function_start(struct vm *vm, uint64_t gpc) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    const struct vm_symbol *unit = symbol_of(vm, gpc);
    if (code == NULL || code->verifier == NULL) return gpc;
    if (unit != NULL && gpc >= unit->top_level) return unit->top_level;
    return code->base + function_start(code->verifier, (uint32_t)(gpc - code->base));
}

const char *vm_symbol_at(struct vm *vm, uint64_t gpc, char *function, size_t size) {
    const struct vm_symbol *found = symbol_of(vm, gpc);
    if (found == NULL) return NULL;
    if (gpc >= found->top_level) snprintf(function, size, "%s", found->module);
    else
        snprintf(function, size, "%s.F%zx", found->module,
                 4 * (size_t)function_start(vm->codes[0]->verifier, (uint32_t)gpc));
    return found->module;
}

void vm_symbols_free(struct vm *vm) {
    if (vm->symbols == NULL) return;
    free(vm->symbols->rows);
    free(vm->symbols->names);
    free(vm->symbols);
}

/* ---- Names of functions. ---- */

char *vm_function_name(struct vm *vm, uint32_t function) {
    const struct vm_function *f = &vm->functions[function];
    if (f->kind == FUNCTION_MAIN && f->fragment == 0) return strdup("(main)");
    ASSERT(f->decoded != 0); /* C2 */
    uint64_t base = vm->codes[f->fragment]->base;
    uint32_t last = vm_decoded_last_row(vm, &vm->decoded_area->decoded.items[f->decoded - 1]).pc;
    struct vm_location location;
    for (uint32_t pc = f->pc; pc <= last; pc++)
        if (vm_debuginfo_find(vm, base + pc, &location)) return strdup(location.definition);
    char text[256];
    if (vm_symbol_at(vm, base + f->pc, text, sizeof text) == NULL)
        snprintf(text, sizeof text, "F%x", f->pc * 4);
    return strdup(text);
}

void vm_put_name(FILE *out, const char *name) {
    for (const unsigned char *p = (const unsigned char *)name; *p != 0; p++) {
        bool control = *p < ' ' || *p == 0x7f;
        if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) control = true, p++; /* C1, in UTF-8 */
        putc(control ? '?' : *p, out);
    }
}
