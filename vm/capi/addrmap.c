/* addrmap.c - OCaml 5's maps from addresses of blocks to values: hash tables without deletion,
 * whose layout stubs know (caml/addrmap.h).
 *
 * A table has a power of two of entries. An address is in one of the NEAR entries from the one its
 * hash names; where all are taken, the table is doubled. The collector does not see the words. */
#include "vm/capi/capi_internal.h"

struct entry {
    value key, v; /* key: 0 if it is free; v: 0 until it is set */
};
struct addrmap {
    struct entry *entries; /* NULL: none */
    uintptr_t size;
};

enum { FIRST_SIZE_LOG2 = 6, NEAR = 16 };

void caml_addrmap_init(struct addrmap *t) { *t = (struct addrmap){NULL, 0}; }

void caml_addrmap_clear(struct addrmap *t) {
    caml_stat_free(t->entries);
    caml_addrmap_init(t);
}

/* The key's entry, or a free one for it. NULL: neither. */
static struct entry *find(const struct addrmap *t, value key) {
    ASSERT(key != 0);
    if (t->entries == NULL) return NULL;
    uintptr_t hash = ((uintptr_t)key >> 3) * 0x9e3779b97f4a7c15u;
    uintptr_t i = hash >> (64 - __builtin_ctzl(t->size));
    for (int n = 0; n < NEAR; n++, i = (i + 1) & (t->size - 1))
        if (t->entries[i].key == key || t->entries[i].key == 0) return &t->entries[i];
    return NULL;
}

/* Moves all entries to a table of that size. False, without a change: one has no place there. */
static bool resize(struct addrmap *t, uintptr_t size) {
    struct addrmap larger = {must(caml_stat_calloc_noexc(size, sizeof(struct entry))), size};
    for (uintptr_t i = 0; i < t->size; i++) {
        if (t->entries[i].key == 0) continue;
        struct entry *e = find(&larger, t->entries[i].key);
        if (e == NULL) {
            caml_addrmap_clear(&larger);
            return false;
        }
        *e = t->entries[i];
    }
    caml_stat_free(t->entries);
    *t = larger;
    return true;
}

value *caml_addrmap_insert_pos(struct addrmap *t, value key) {
    struct entry *e;
    while ((e = find(t, key)) == NULL) {
        uintptr_t size = t->size == 0 ? (uintptr_t)1 << FIRST_SIZE_LOG2 : 2 * t->size;
        while (!resize(t, size)) size *= 2;
    }
    e->key = key;
    return &e->v;
}
void caml_addrmap_insert(struct addrmap *t, value key, value v) {
    *caml_addrmap_insert_pos(t, key) = v;
}

value caml_addrmap_lookup(struct addrmap *t, value key) {
    const struct entry *e = find(t, key);
    return e == NULL || e->key == 0 ? 0 : e->v;
}
int caml_addrmap_contains(struct addrmap *t, value key) {
    const struct entry *e = find(t, key);
    return e != NULL && e->key != 0;
}

void caml_addrmap_iter(struct addrmap *t, void (*f)(value key, value v)) {
    for (uintptr_t i = 0; i < t->size; i++)
        if (t->entries[i].key != 0) f(t->entries[i].key, t->entries[i].v);
}
