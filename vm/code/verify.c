/* verify.c - the verifier's data: words and entries.
 *
 *     entry --control flow, by rules--> states, entries --search--> every loop polls
 *
 * Of each word of the code the verifier keeps two bits: whether control reaches an instruction
 * there, and whether it is an operand of one. The state before an instruction (struct
 * vm_known_state) is kept for one function at a time, in chunks, so that verifying a large program
 * does not take many times its size in memory. A function is usually prepared right after it is
 * verified, so that a walk finds its states; otherwise it is followed again.
 *
 * Q1  Instructions that control reaches do not overlap: each word is the start or an operand of at
 *     most one. */
#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/base/os.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum flow refuse(struct vm_verifier *v, uint32_t pc, enum vm_status status, const char *format,
                 ...) {
    char text[sizeof v->error->detail - 48];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t op = word_at(v, pc);
    const char *name = op < OPCODE_COUNT ? vm_opcodes[op].name : "?";
    vm_error_set(v->error, status, "CODE+0x%llx (%s): %s", (unsigned long long)pc * 4, name, text);
    return FLOW_FAIL;
}

static bool no_memory(struct vm_verifier *v) {
    vm_error_set(v->error, VM_NO_MEMORY, "%u words of code", v->words->count);
    return false;
}

bool grow(struct vm_verifier *v, void **items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return true;
    return vector_widen(items, capacity, count + 1, IF_SMALL_TABLES(1, 64), size, NULL) ||
           no_memory(v);
}

bool pc_list_add(struct vm_verifier *v, struct pc_list *list, uint32_t pc) {
    return vector_push(list, pc, IF_SMALL_TABLES(1, 64), NULL) || no_memory(v);
}

/* --- The states of the function that is followed. --- */

bool add_chunk(struct vm_verifier *v, uint32_t number) {
    struct state_chunk *chunk = &v->storage[v->touched.count];
    if (!pc_list_add(v, &v->touched, number)) return false;
    memset(chunk->known, 0, sizeof chunk->known);
    memset(chunk->grey, 0, sizeof chunk->grey);
    memset(chunk->black, 0, sizeof chunk->black);
    v->chunks[number] = chunk;
    return true;
}

void forget_known_states(struct vm_verifier *v) {
    size_t count = v->touched.count;
    for (size_t i = 0; i < count; i++) v->chunks[v->touched.items[i]] = NULL;
    if (count > KEPT_CHUNKS)
        vm_drop_pages(v->storage + KEPT_CHUNKS, (count - KEPT_CHUNKS) * sizeof *v->storage);
    v->touched.count = 0;
    v->current = NO_ENTRY;
}

/* --- Entries. --- */

/* Where the entry at pc is, or would be, in the hash table. */
static uint32_t *entry_slot(const struct vm_verifier *v, uint32_t pc) {
    ASSERT(v->entry_count <= v->by_entry_capacity); /* so that a slot is free */
    size_t mask = v->by_entry_capacity - 1, i = (pc * 0x9e3779b1u >> 7) & mask;
    while (v->by_entry[i] != 0 && v->entries[v->by_entry[i]].pc != pc) i = (i + 1) & mask;
    return &v->by_entry[i];
}

static bool widen_by_entry(struct vm_verifier *v) {
    size_t wanted = v->by_entry_capacity ? 2 * v->by_entry_capacity : 2;
    while (2 * wanted < 3 * v->expected_entries) wanted *= 2;
    uint32_t *wider = calloc(wanted, sizeof *wider);
    if (wider == NULL) return no_memory(v);
    free(v->by_entry);
    v->by_entry = wider;
    v->by_entry_capacity = wanted;
    for (size_t i = 1; i < v->entry_count; i++) *entry_slot(v, v->entries[i].pc) = (uint32_t)i;
    return true;
}

enum { FEW_ENTRIES = IF_SMALL_TABLES(1, 8) };

bool add_entry(struct vm_verifier *v, const struct vm_entry *entry) {
    ASSERT(!is_taken(v, entry->pc) && (entry->arity < 2 || !is_taken(v, entry->pc - 1)));
    if (!vector_widen((void **)&v->entries, &v->entry_capacity, v->entry_count + 1,
                      v->expected_entries, sizeof *entry, NULL))
        return no_memory(v);
    if (3 * v->entry_count >= 2 * v->by_entry_capacity && !widen_by_entry(v)) return false;
    uint32_t index = (uint32_t)v->entry_count++;
    v->entries[index] = *entry;
    v->entries[index].frame_words = VM_NOT_VERIFIED;
    if (index != 0) *entry_slot(v, entry->pc) = index;
    set_word(v->reached, entry->pc);
    if (entry->arity > 1) set_word(v->reached, entry->pc - 1);
    return true;
}

uint32_t vm_find_entry(const struct vm_verifier *v, uint32_t pc) {
    uint32_t entry = *entry_slot(v, pc);
    if (entry != 0) return entry;
    entry = *entry_slot(v, pc + 1);
    return v->entries[entry].arity > 1 ? entry : 0;
}

struct vm_entry *vm_entry_at(const struct vm_verifier *v, uint32_t entry) {
    ASSERT(entry < v->entry_count);
    return &v->entries[entry];
}

uint32_t vm_entry_count(const struct vm_verifier *v) { return (uint32_t)v->entry_count; }

uint32_t vm_last_entry(const struct vm_verifier *v, uint32_t pc) {
    ASSERT(pc < v->words->count);
    for (; pc > 0; pc--) {
        uint32_t entry = has_word(v->reached, pc) ? *entry_slot(v, pc) : 0;
        if (entry != 0) return entry;
    }
    return *entry_slot(v, 0);
}

bool vm_is_reached(const struct vm_verifier *v, uint32_t pc) {
    ASSERT(pc < v->words->count);
    return has_word(v->reached, pc);
}

bool vm_calls_primitive(const struct vm_verifier *v, uint32_t primitive) {
    ASSERT(primitive < v->in.primitive_count);
    return has_word(v->primitives, primitive);
}

/* --- Begin and end. --- */

/* The tables of words are mapped by themselves: pages which are never touched take no memory. */
static bool allocate(struct vm_verifier *v) {
    size_t n = v->words->count, groups = n / 64 + 1, chunks = n / CHUNK_WORDS + 1;
    size_t per_chunk = sizeof *v->chunks + sizeof *v->storage;
    v->table_bytes = 2 * groups * sizeof *v->reached + chunks * per_chunk;
    v->reached = vm_reserve(&v->table_bytes, v->table_bytes);
    if (v->reached == NULL) return no_memory(v);
    v->operands = v->reached + groups;
    v->chunks = (struct state_chunk **)(v->operands + groups);
    v->storage = (struct state_chunk *)(v->chunks + chunks);
    v->primitives = calloc((size_t)v->in.primitive_count / 64 + 1, sizeof *v->primitives);
    return v->primitives != NULL || no_memory(v);
}

/* Entry 0 is the code at word 0; frame 0 means no control frame. */
static bool start(struct vm_verifier *v) {
    struct vm_entry main = {.arity = v->in.fragment, .functions = v->in.fragment};
    uint32_t op = word_at(v, 0);
    if (!grow(v, (void **)&v->frames, 0, &v->frame_capacity, sizeof *v->frames)) return false;
    v->frames[0] = (struct control_frame){0};
    if (op == OP_GRAB || op == OP_RESTART)
        return refuse(v, 0, VM_V_INTO, "control reaches %s at CODE+0x0", vm_opcodes[op].name);
    return add_entry(v, &main);
}

struct vm_verifier *vm_verifier_create(const struct vm_verify_input *in, struct vm_error *error) {
    uint32_t count = in->words->count;
    if (count == 0) vm_error_set(error, VM_V_EMPTY, "0 words");
    else if (count > VM_MAX_CODE_WORDS) vm_error_set(error, VM_V_LENGTH, "%u words", count);
    if (count == 0 || count > VM_MAX_CODE_WORDS) return NULL;
    struct vm_verifier *v = calloc(1, sizeof *v);
    if (v == NULL) {
        vm_error_set(error, VM_NO_MEMORY, "%u words of code", count);
        return NULL;
    }
    v->in = *in;
    v->words = in->words;
    v->error = error;
    v->current = NO_ENTRY;
    v->expected_entries = FEW_ENTRIES + IF_SMALL_TABLES(0, count / 64); /* a compiler's code has
                                                                           fewer */
    make_quick_rules(v);
    if (allocate(v) && start(v)) return v;
    vm_verifier_free(v);
    return NULL;
}

void vm_verifier_free(struct vm_verifier *v) {
    if (v == NULL) return;
    if (v->reached != NULL) vm_release(v->reached, v->table_bytes);
    free(v->touched.items);
    free(v->by_entry);
    free(v->primitives);
    free(v->entries);
    free(v->frames);
    free(v->work.items);
    free(v->back.items);
    free(v->path);
    free(v);
}

enum vm_status vm_verify_function(struct vm_verifier *v, uint32_t entry, struct vm_error *error) {
    ASSERT(entry < v->entry_count);
    if (v->entries[entry].frame_words != VM_NOT_VERIFIED) return VM_OK;
    v->error = &v->first;
    if (v->first.status == VM_OK && follow_function(v, entry)) return VM_OK;
    *error = v->first;
    return error->status;
}

enum vm_status vm_verify_all(struct vm_verifier *v, struct vm_error *error) {
    for (uint32_t entry = 0; entry < v->entry_count; entry++)
        if (vm_verify_function(v, entry, error) != VM_OK) return error->status;
    return VM_OK;
}

/* --- Walks. --- */

enum { CHUNK_PARTS = (CHUNK_WORDS + 63) / 64 };

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void show_part(struct vm_walk *walk) {
    uint32_t number = walk->verifier->touched.items[walk->chunk], first = walk->part * 64;
    const struct state_chunk *chunk = walk->verifier->chunks[number];
    walk->pc = number * CHUNK_WORDS + first;
    walk->bits = chunk->known[walk->part];
    walk->states = chunk->states + first;
}

void vm_walk_start(struct vm_walk *out, struct vm_verifier *v, uint32_t entry) {
    ASSERT(entry < v->entry_count && v->entries[entry].frame_words != VM_NOT_VERIFIED);
    if (v->current != entry) vm_must_have(follow_function(v, entry)); /* there is no other reason */
    if (v->touched.count > 1)
        qsort(v->touched.items, v->touched.count, sizeof *v->touched.items, by_number);
    *out = (struct vm_walk){.verifier = v, .count = v->instruction_count};
    show_part(out);
}

bool vm_walk_next(struct vm_walk *walk) {
    if (++walk->part == CHUNK_PARTS) {
        walk->part = 0;
        if (++walk->chunk == walk->verifier->touched.count) return false;
    }
    show_part(walk);
    return true;
}

uint32_t vm_known_flow(struct vm_verifier *v, uint32_t entry, struct vm_back_jumps **back) {
    *back = &v->back;
    return v->current == entry && !v->returns_back ? v->instruction_count : 0;
}
