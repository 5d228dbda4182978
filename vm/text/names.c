/* names.c - see text_internal.h. */
#include "gc/containers.h"
#include "vm/text/text_internal.h"

#include <stdlib.h>
#include <string.h>

static size_t hash(const char *text, size_t length) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

/* The slot that holds the name or would. */
static struct name *slot_of(const struct name_table *table, const char *text, size_t length) {
    ASSERT(table->count < table->capacity);
    for (size_t i = hash(text, length);; i++) {
        struct name *s = &table->slots[i & (table->capacity - 1)];
        if (s->text == NULL || (s->length == length && memcmp(s->text, text, length) == 0))
            return s;
    }
}

const struct name *names_find(const struct name_table *table, const char *text, size_t length) {
    const struct name *s = table->capacity == 0 ? NULL : slot_of(table, text, length);
    return s == NULL || s->text == NULL ? NULL : s;
}

static bool grow_names(struct name_table *table) {
    struct name_table larger = *table;
    larger.capacity = table->capacity ? 2 * table->capacity : IF_SMALL_TABLES(2, 64);
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (size_t i = 0; i < table->capacity; i++) {
        const struct name *s = &table->slots[i];
        if (s->text != NULL) *slot_of(&larger, s->text, s->length) = *s;
    }
    free(table->slots);
    *table = larger;
    return true;
}

bool names_add(struct name_table *table, const char *text, size_t length, uint32_t number,
               bool *added) {
    if (2 * table->count >= table->capacity && !grow_names(table)) return false;
    struct name *s = slot_of(table, text, length);
    *added = s->text == NULL;
    if (!*added) return true;
    *s = (struct name){text, length, number};
    table->count++;
    return true;
}
