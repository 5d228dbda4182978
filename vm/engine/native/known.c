/* known.c - see known.h. */
#include "vm/engine/native/known.h"

uint16_t known_find(const struct native_compiler *c, uint16_t block, int32_t what) {
    const struct native_values *s = &c->now;
    for (uint32_t i = 0; i < s->known_count; i++)
        if (s->known[i].block == block && s->known[i].what == what) return s->known[i].v;
    return NO_VALUE;
}

/* Its value may then be free, which ends further entries. */
static void drop(struct native_compiler *c, uint32_t i) {
    struct native_values *s = &c->now;
    uint16_t v = s->known[i].v;
    s->known[i] = s->known[--s->known_count];
    c->changes++;
    nv_release(c, v);
}

void known_add(struct native_compiler *c, uint16_t block, int32_t what, uint16_t v) {
    struct native_values *s = &c->now;
    if (block == v) return;
    if (s->known_count == MOST_KNOWN) drop(c, 0);
    nv_hold(c, v);
    s->known[s->known_count++] = (struct native_known){block, v, what};
}

uint16_t known_closure(const struct native_compiler *c) {
    return c->now.env == NO_VALUE ? KNOWN_CLOSURE : c->now.env;
}

void known_drop(struct native_compiler *c, uint16_t v) {
    for (uint32_t i = c->now.known_count; i-- > 0;)
        if (i < c->now.known_count && c->now.known[i].v == v) drop(c, i);
}

void known_drop_about(struct native_compiler *c, uint16_t block) {
    for (uint32_t i = c->now.known_count; i-- > 0;)
        if (i < c->now.known_count && c->now.known[i].block == block) drop(c, i);
}

void known_drop_fields(struct native_compiler *c) {
    for (uint32_t i = c->now.known_count; i-- > 0;) {
        if (i >= c->now.known_count || c->now.known[i].what < 0) continue;
        if (c->now.known[i].block != known_closure(c)) drop(c, i);
    }
}

void known_drop_all(struct native_compiler *c) {
    while (c->now.known_count > 0) drop(c, c->now.known_count - 1);
}

bool known_only(const struct native_compiler *c, uint16_t v) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->now.known_count; i++) n += c->now.known[i].v == v;
    return n > 0 && nv_at(c, v)->refs == n;
}
