/* verify.c - the verifier's data, its sweep over the code, and what it hands out.
 *
 *     words --sweep--> starts of instructions --flow, by rules--> states --search--> no poll-free
 *     loop --collect--> entries by pc, heights
 *
 * The verifier's memory is all in one struct verifier, freed at the end; only heights, the entries
 * and the bitmap of primitives go over to the caller. Of each word of the code it keeps a byte;
 * what else must be known of an instruction (struct known_state) is kept for one function at a
 * time, in chunks, so that a large program is not verified in many times its size.
 *
 * Q1  Instructions tile the code: each word is the start or an operand of exactly one. */
#include "gc/small_tables.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t width_at(const struct verifier *v, uint32_t pc) {
    uint32_t op = v->code[pc];
    if (vm_fixed_words[op] != 0) return vm_fixed_words[op];
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

static bool no_memory(struct verifier *v) {
    vm_error_set(v->error, VM_NO_MEMORY, "%u words of code", v->word_count);
    return false;
}

bool grow(struct verifier *v, void **items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return true;
    size_t wanted = *capacity ? 2 * *capacity : IF_SMALL_TABLES(1, 64);
    void *bigger = realloc(*items, wanted * size);
    if (bigger == NULL) return no_memory(v);
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
    const unsigned count = v->in->version->opcode_count;
    const uint32_t *code = v->code, word_count = v->word_count;
    uint8_t *heights = v->heights;
    for (uint32_t pc = 0; pc < word_count;) {
        uint32_t op = code[pc];
        if (op >= count)
            return refuse(v, pc, VM_V_OPCODE, "opcode %u, OCaml %s has %u", op,
                          v->in->version->name, count);
        if (vm_opcodes[op].flags & OP_DEBUG)
            return refuse(v, pc, VM_V_DEBUG, "only a debugger writes it");
        uint32_t width = vm_fixed_words[op];
        if (width == 0) width = vm_instruction_words(code, pc, word_count, count);
        if (width == 0 || width > word_count - pc)
            return refuse(v, pc, VM_V_LENGTH, "%u words are left", word_count - pc);
        heights[pc] = HEIGHT_UNSEEN;
        pc += width;
    }
    return true;
}

/* --- What is known of the code. --- */

bool add_far_height(struct verifier *v, uint32_t pc, uint32_t height) {
    if (!grow(v, (void **)&v->far, v->far_count, &v->far_capacity, sizeof *v->far)) return false;
    v->far[v->far_count++] = (struct far_state){pc, {NO_FRAME, height}};
    return true;
}

bool add_chunk(struct verifier *v, uint32_t number) {
    if (!pc_list_add(v, &v->touched, number)) return false;
    struct state_chunk *chunk = v->spare;
    if (chunk != NULL) v->spare = chunk->next;
    else {
        chunk = malloc(sizeof *chunk);
        if (chunk == NULL) return no_memory(v);
    }
    memset(chunk->known, 0, sizeof chunk->known);
    memset(chunk->grey, 0, sizeof chunk->grey);
    memset(chunk->black, 0, sizeof chunk->black);
    v->chunks[number] = chunk;
    return true;
}

void forget_known_states(struct verifier *v) {
    for (size_t i = 0; i < v->touched.count; i++) {
        struct state_chunk **slot = &v->chunks[v->touched.items[i]];
        if (*slot == NULL) continue;
        (*slot)->next = v->spare;
        v->spare = *slot;
        *slot = NULL;
    }
    v->touched.count = 0;
}

/* Where the function that starts at pc is, or would be, in the hash table. */
static uint32_t *entry_slot(const struct verifier *v, uint32_t pc) {
    size_t mask = v->by_entry_capacity - 1, i = (pc * 0x9e3779b1u >> 7) & mask;
    while (v->by_entry[i] != 0 && v->functions[v->by_entry[i]].pc != pc) i = (i + 1) & mask;
    return &v->by_entry[i];
}

uint32_t function_starting_at(const struct verifier *v, uint32_t pc) {
    if (!(v->entry_map[pc / 64] >> pc % 64 & 1)) return NO_FUNCTION;
    return *entry_slot(v, pc);
}

static bool widen_by_entry(struct verifier *v) {
    size_t wanted = v->by_entry_capacity ? 2 * v->by_entry_capacity : IF_SMALL_TABLES(2, 256);
    free(v->by_entry);
    v->by_entry = calloc(wanted, sizeof *v->by_entry);
    if (v->by_entry == NULL) return no_memory(v);
    v->by_entry_capacity = wanted;
    for (size_t id = 1; id < v->function_count; id++)
        *entry_slot(v, v->functions[id].pc) = (uint32_t)id;
    return true;
}

bool add_function(struct verifier *v, const struct vm_entry *entry) {
    if (!grow(v, (void **)&v->functions, v->function_count, &v->function_capacity, sizeof *entry))
        return false;
    if (2 * v->function_count >= v->by_entry_capacity && !widen_by_entry(v)) return false;
    uint32_t id = (uint32_t)v->function_count++;
    v->functions[id] = *entry;
    if (id == 0) return true;
    v->entry_map[entry->pc / 64] |= (uint64_t)1 << entry->pc % 64;
    *entry_slot(v, entry->pc) = id;
    return true;
}

/* --- Begin and end. --- */

static bool allocate(struct verifier *v) {
    size_t n = v->word_count, bitmap_words = (size_t)v->in->primitive_count / 64 + 1;
    v->heights = malloc(n);
    v->chunks = calloc(n / CHUNK_WORDS + 1, sizeof *v->chunks);
    v->entry_map = calloc(n / 64 + 1, sizeof *v->entry_map);
    v->primitives = calloc(bitmap_words, sizeof *v->primitives);
    if (v->heights == NULL || v->chunks == NULL || v->entry_map == NULL || v->primitives == NULL)
        return no_memory(v);
    memset(v->heights, HEIGHT_NONE, n);
    return true;
}

/* Function 0 is the code at word 0; frame 0 means no control frame. */
static bool start(struct verifier *v) {
    bool fragment = v->in->fragment;
    struct vm_entry main = {.arity = fragment, .functions = fragment};
    if (!grow(v, (void **)&v->frames, 0, &v->frame_capacity, sizeof *v->frames)) return false;
    v->frames[0] = (struct control_frame){0};
    if (v->code[0] == OP_GRAB || v->code[0] == OP_RESTART)
        return refuse(v, 0, VM_V_INTO, "flow comes to %s at CODE+0x0", vm_opcodes[v->code[0]].name);
    return add_function(v, &main);
}

static void free_known_states(struct verifier *v) {
    forget_known_states(v);
    while (v->spare != NULL) {
        struct state_chunk *chunk = v->spare;
        v->spare = chunk->next;
        free(chunk);
    }
}

static int by_pc(const void *a, const void *b) {
    const struct vm_far_height *x = a, *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/* The far heights by ascending pc. */
static struct vm_far_height *collect_far(const struct verifier *v) {
    struct vm_far_height *far = malloc(v->far_count * sizeof *far + 1);
    if (far == NULL) return NULL;
    for (size_t i = 0; i < v->far_count; i++)
        far[i] = (struct vm_far_height){v->far[i].pc, v->far[i].known.height};
    qsort(far, v->far_count, sizeof *far, by_pc);
    return far;
}

/* Hands the results over: entries by ascending pc, without function 0. */
static bool collect(struct verifier *v, struct vm_verified *out) {
    size_t count = v->function_count - 1;
    /* What they took is enough for the results. */
    free_known_states(v);
    out->entries = malloc((count ? count : 1) * sizeof *out->entries);
    out->far = collect_far(v);
    if (out->entries == NULL || out->far == NULL) {
        free(out->entries);
        free(out->far);
        vm_error_set(v->error, VM_NO_MEMORY, "%zu functions", count);
        return false;
    }
    for (uint32_t word = 0; word <= v->word_count / 64; word++)
        for (uint64_t rest = v->entry_map[word]; rest != 0; rest &= rest - 1) {
            uint32_t pc = word * 64 + (uint32_t)__builtin_ctzll(rest);
            out->entries[out->entry_count++] = v->functions[*entry_slot(v, pc)];
        }
    out->main_frame_words = v->functions[0].frame_words;
    out->heights = v->heights;
    out->far_count = (uint32_t)v->far_count;
    out->reachable_primitives = v->primitives;
    v->heights = NULL;
    v->primitives = NULL;
    return true;
}

static void free_all(struct verifier *v) {
    free_known_states(v);
    free(v->heights);
    free(v->far);
    free(v->chunks);
    free(v->touched.items);
    free(v->entry_map);
    free(v->by_entry);
    free(v->primitives);
    free(v->functions);
    free(v->frames);
    free(v->work.items);
    free(v->back.items);
    free(v->path);
}

enum vm_status vm_verify(const struct vm_verify_input *in, struct vm_verified *out,
                         struct vm_error *error) {
    memset(out, 0, sizeof *out);
    if (in->word_count == 0) return vm_error_set(error, VM_V_EMPTY, "0 words");
    if (in->word_count > VM_MAX_CODE_WORDS)
        return vm_error_set(error, VM_V_LENGTH, "%u words", in->word_count);
    struct verifier v = {.in = in, .code = in->words, .word_count = in->word_count, .error = error};
    bool ok = allocate(&v) && sweep(&v) && start(&v) && follow_all(&v) && collect(&v, out);
    free_all(&v);
    if (!ok) memset(out, 0, sizeof *out);
    return ok ? VM_OK : error->status;
}

void vm_verified_free(struct vm_verified *verified) {
    free(verified->heights);
    free(verified->far);
    free(verified->entries);
    free(verified->reachable_primitives);
    memset(verified, 0, sizeof *verified);
}

uint32_t vm_height_of(const struct vm_verified *verified, uint32_t pc) {
    uint8_t code = verified->heights[pc];
    if (code != HEIGHT_FAR) return code < HEIGHT_FAR ? code : VM_UNREACHED;
    struct vm_far_height key = {pc, 0}, *found;
    found = bsearch(&key, verified->far, verified->far_count, sizeof key, by_pc);
    return found->height;
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
