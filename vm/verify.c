/* verify.c - the verifier's data, its sweep over the code, and what it hands out.
 *
 *     words --sweep--> starts of instructions --flow, by rules--> states --search--> no poll-free
 *     loop --collect--> entries by pc, heights
 *
 * The verifier's memory is all in one struct verifier, freed at the end; only heights, the entries
 * and the bitmap of primitives go over to the caller.
 *
 * Q1  Instructions tile the code: each word is the start or an operand of exactly one. */
#include "vm/verify_internal.h"

#include "vm/opcodes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of an instruction by opcode; 0 for the two of variable length. */
static const uint8_t fixed_widths[OPCODE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) \
    [OP_##name] = operands[0] == 'W' || operands[0] == 'R' ? 0 : sizeof operands,
#include "vm/opcodes.def"
#undef OP
};

uint32_t width_at(const struct verifier *v, uint32_t pc) {
    uint32_t op = v->code[pc];
    if (fixed_widths[op] != 0) return fixed_widths[op];
    return vm_instruction_words(v->code, pc, v->word_count, OPCODE_COUNT);
}

enum flow refuse(struct verifier *v, uint32_t pc, enum vm_status status, const char *format, ...) {
    char text[sizeof v->error->detail - 48];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *name = v->code[pc] < OPCODE_COUNT ? vm_opcodes[v->code[pc]].name : "?";
    vm_error_set(v->error, status, "CODE+0x%llx (%s): %s", (unsigned long long)pc * 4, name, text);
    return FLOW_FAIL;
}

bool grow(struct verifier *v, void **items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return true;
    size_t wanted = *capacity ? 2 * *capacity : 64;
    void *bigger = realloc(*items, wanted * size);
    if (bigger == NULL) {
        vm_error_set(v->error, VM_NO_MEMORY, "%u words of code", v->word_count);
        return false;
    }
    *items = bigger;
    *capacity = wanted;
    return true;
}

bool pc_list_add(struct verifier *v, struct pc_list *list, uint32_t pc) {
    if (!grow(v, (void **)&list->items, list->count, &list->capacity, sizeof pc)) return false;
    list->items[list->count++] = pc;
    return true;
}

/* Establishes Q1. */
static bool sweep(struct verifier *v) {
    unsigned count = v->in->version->opcode_count;
    for (uint32_t pc = 0; pc < v->word_count;) {
        uint32_t op = v->code[pc];
        if (op >= count)
            return refuse(v, pc, VM_V_OPCODE, "opcode %u, OCaml %s has %u", op,
                          v->in->version->name, count);
        if (vm_opcodes[op].flags & OP_DEBUG)
            return refuse(v, pc, VM_V_DEBUG, "only a debugger writes it");
        uint32_t width = fixed_widths[op];
        if (width == 0) width = vm_instruction_words(v->code, pc, v->word_count, count);
        if (width == 0 || width > v->word_count - pc)
            return refuse(v, pc, VM_V_LENGTH, "%u words are left", v->word_count - pc);
        v->places[pc].owner = UNSEEN;
        pc += width;
    }
    return true;
}

static bool allocate(struct verifier *v) {
    size_t n = v->word_count, bitmap_words = (size_t)v->in->primitive_count / 64 + 1;
    v->heights = malloc(n * sizeof *v->heights);
    v->places = malloc(n * sizeof *v->places);
    v->primitives = calloc(bitmap_words, sizeof *v->primitives);
    if (v->heights == NULL || v->places == NULL || v->primitives == NULL) {
        vm_error_set(v->error, VM_NO_MEMORY, "%u words of code", v->word_count);
        return false;
    }
    memset(v->heights, 0xff, n * sizeof *v->heights); /* VM_UNREACHED */
    memset(v->places, 0xff, n * sizeof *v->places);   /* NOT_A_START */
    return true;
}

/* The code at word 0 as function 0, and the frame that stands for none as frame 0. */
static bool start(struct verifier *v) {
    if (!grow(v, (void **)&v->functions, 0, &v->function_capacity, sizeof *v->functions) ||
        !grow(v, (void **)&v->frames, 0, &v->frame_capacity, sizeof *v->frames))
        return false;
    bool fragment = v->in->fragment;
    v->functions[v->function_count++] = (struct vm_entry){.arity = fragment, .functions = fragment};
    v->frames[v->frame_count++] = (struct control_frame){0};
    struct state s = {.pc = 0, .height = fragment, .frame = NO_FRAME, .owner = 0};
    return arrive(v, &s, 0) == ARRIVAL_NEW && pc_list_add(v, &v->work, 0);
}

/* Hands the results over: entries by ascending pc, without function 0. */
static bool collect(struct verifier *v, struct vm_verified *out) {
    size_t count = v->function_count - 1;
    out->entries = malloc((count ? count : 1) * sizeof *out->entries);
    if (out->entries == NULL) {
        vm_error_set(v->error, VM_NO_MEMORY, "%zu functions", count);
        return false;
    }
    for (uint32_t pc = 0; pc < v->word_count && out->entry_count < count; pc++) {
        uint32_t owner = v->places[pc].owner;
        if (owner == 0 || owner >= UNSEEN || v->functions[owner].pc != pc) continue;
        out->entries[out->entry_count++] = v->functions[owner];
    }
    out->main_frame_words = v->functions[0].frame_words;
    out->heights = v->heights;
    out->reachable_primitives = v->primitives;
    v->heights = NULL;
    v->primitives = NULL;
    return true;
}

enum vm_status vm_verify(const struct vm_verify_input *in, struct vm_verified *out,
                         struct vm_error *error) {
    memset(out, 0, sizeof *out);
    if (in->word_count == 0) return vm_error_set(error, VM_V_EMPTY, "0 words");
    if (in->word_count > VM_MAX_CODE_WORDS)
        return vm_error_set(error, VM_V_LENGTH, "%u words", in->word_count);
    struct verifier v = {.in = in, .code = in->words, .word_count = in->word_count, .error = error};
    bool ok = allocate(&v) && sweep(&v) && start(&v) && follow_all(&v) && check_loops(&v) &&
              collect(&v, out);
    free(v.heights);
    free(v.places);
    free(v.primitives);
    free(v.functions);
    free(v.frames);
    free(v.work.items);
    free(v.back.items);
    free(v.colours);
    if (!ok) memset(out, 0, sizeof *out);
    return ok ? VM_OK : error->status;
}

void vm_verified_free(struct vm_verified *verified) {
    free(verified->heights);
    free(verified->entries);
    free(verified->reachable_primitives);
    memset(verified, 0, sizeof *verified);
}

const struct vm_entry *vm_find_entry(const struct vm_verified *verified, uint32_t pc) {
    uint32_t low = 0, high = verified->entry_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (verified->entries[middle].pc < pc) low = middle + 1;
        else high = middle;
    }
    if (low == verified->entry_count) return NULL;
    const struct vm_entry *entry = &verified->entries[low];
    if (entry->pc == pc) return entry;
    return entry->pc == pc + 1 && entry->arity > 1 ? entry : NULL;
}
