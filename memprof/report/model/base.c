/* base.c - errors, allocation, vectors, hash tables, buffers.
 *
 * A report without memory is of no use: one function ends the process. */
#include "memprof/report/model/base.h"

#include "gc/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int report_fail(struct report_error *error, const char *subject, const char *advice,
                const char *what, ...) {
    va_list arguments;
    snprintf(error->subject, sizeof error->subject, "%s", subject);
    snprintf(error->advice, sizeof error->advice, "%s", advice);
    va_start(arguments, what);
    vsnprintf(error->what, sizeof error->what, what, arguments);
    va_end(arguments);
    return -1;
}

static void __attribute__((noreturn)) out_of_memory(void) {
    fputs("bactrian: out of memory while reading a profile: "
          "look at a part of it with --from and --to, or record at a lower rate\n",
          stderr);
    exit(125);
}

/* Large arrays are read at random (report/heap/README.md has what huge pages save). The advice
 * covers the allocator's words in front of the array, too: otherwise the kernel would divide the
 * mapping, and realloc would copy the array instead of moving its pages. */
static void prefer_huge_pages(void *p, size_t size) {
    const size_t large = (size_t)8 << 20, before = (uintptr_t)p % (size_t)sysconf(_SC_PAGESIZE);
    if (size >= large) madvise((char *)p - before, before + size, MADV_HUGEPAGE);
}

void *report_alloc(size_t size) {
    void *p = calloc(1, size > 0 ? size : 1);
    if (p == NULL) out_of_memory();
    prefer_huge_pages(p, size);
    return p;
}

char *report_copy(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(report_alloc(n), text, n);
}

char *report_format(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) out_of_memory();
    va_end(arguments);
    return text;
}

void report_replace(char **text, char *with) {
    free(*text);
    *text = with;
}

void report_free_list(void *const *items, size_t count) {
    for (size_t i = 0; i < count; i++) free(items[i]);
}

void report_grow(void *array, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity) return;
    size_t wanted = *capacity + *capacity / 2 + 16;
    if (wanted < needed) wanted = needed;
    if (wanted > (size_t)-1 / 2 / size) out_of_memory();
    void **slot = array;
    void *grown = realloc(*slot, wanted * size);
    if (grown == NULL) out_of_memory();
    prefer_huge_pages(grown, wanted * size);
    *slot = grown;
    *capacity = wanted;
}

uint64_t report_hash_number(uint64_t n) {
    n ^= n >> 32;
    n *= 0x9E3779B97F4A7C15u;
    return n ^ n >> 29;
}

uint64_t report_hash_bytes(const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001B3u;
    return report_hash_number(h);
}

uint32_t report_hash_find(const struct report_hash *table, uint64_t hash, report_equal *equal,
                          const void *owner, const void *key) {
    if (table->size == 0) return REPORT_NO_NUMBER;
    for (size_t at = (uint32_t)hash & (table->size - 1);; at = (at + 1) & (table->size - 1)) {
        const struct report_slot *slot = &table->slots[at];
        if (slot->number == 0) return REPORT_NO_NUMBER;
        if (slot->hash == (uint32_t)hash && equal(owner, slot->number - 1, key))
            return slot->number - 1;
    }
}

static void hash_insert(struct report_hash *table, struct report_slot slot) {
    size_t at = slot.hash & (table->size - 1);
    while (table->slots[at].number != 0) at = (at + 1) & (table->size - 1);
    table->slots[at] = slot;
}

void report_hash_add(struct report_hash *table, uint64_t hash, uint32_t number) {
    ASSERT(number != REPORT_NO_NUMBER);
    if (2 * (table->used + 1) > table->size) {
        const struct report_hash old = *table;
        table->size = old.size > 0 ? 2 * old.size : 64;
        table->slots = report_alloc(table->size * sizeof *table->slots);
        for (size_t i = 0; i < old.size; i++)
            if (old.slots[i].number != 0) hash_insert(table, old.slots[i]);
        free(old.slots);
    }
    ASSERT((table->size & (table->size - 1)) == 0 && 2 * (table->used + 1) <= table->size);
    hash_insert(table, (struct report_slot){(uint32_t)hash, number + 1});
    table->used++;
}
