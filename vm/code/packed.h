/* packed.h - verified code, kept short: the words of a fragment and the heights at its
 * instructions, in a third of their size. Private to vm/.
 *
 * The machine runs decoded code; what it was made from is read when a function is first called, or
 * when somebody asks about a place. */
#ifndef BACTRIAN_VM_CODE_PACKED_H
#define BACTRIAN_VM_CODE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKED_GROUP = 64 }; /* words that are unpacked at once */

struct vm_packed {
    uint8_t *bytes;
    size_t mapped;     /* bytes reserved for them */
    uint32_t *offsets; /* of each group, in bytes */
    uint8_t *firsts;   /* the first instruction's place in each group; PACKED_GROUP: it has none */
    uint32_t word_count;
};

/* Packs words that vm_verify has accepted, with its heights (codes as in vm_verified.heights). From
 * time to time it tells done, unless NULL, how many of the words it does not need any more.
 * GC: never.  Fails: false, for want of memory; *out is empty then. */
bool vm_pack(struct vm_packed *out, const uint32_t *words, const uint8_t *heights, uint32_t count,
             void (*done)(void *context, uint32_t words), void *context);
/* Unpacks a group: its words and their heights, PACKED_GROUP of each but for the last one.
 * Needs: group * PACKED_GROUP < word_count. GC: never.  Fails: never. */
void vm_unpack_group(const struct vm_packed *packed, uint32_t group, uint32_t *words,
                     uint8_t *heights);
/* One word. Costs a group each time, as the next one does. GC: never.  Fails: never. */
uint32_t vm_packed_word(const struct vm_packed *packed, uint32_t pc);
/* A word, the code of its height, and the width of the instruction that starts there; 0: none does.
 * GC: never.  Fails: never. */
struct vm_packed_look {
    uint32_t word, width;
    uint8_t height;
} vm_packed_look(const struct vm_packed *packed, uint32_t pc);
void vm_packed_free(struct vm_packed *packed);

/* ---- Words at their places, of which only those are there that were asked for. ---- */

struct vm_unpacked {
    uint32_t *words;  /* word_count of each, without memory until they are there */
    uint8_t *heights; /* codes as in vm_verified.heights */
    size_t words_mapped, heights_mapped;
    uint64_t *there; /* bitmap of groups */
    uint32_t groups; /* how many are there */
};

/* GC: never.  Fails: false, for want of memory; *out is empty then. */
bool vm_unpacked_create(struct vm_unpacked *out, const struct vm_packed *packed);
/* The words [from, to] are there from here on. Needs: from <= to < word_count. GC: never. */
void vm_unpacked_add(struct vm_unpacked *u, const struct vm_packed *packed, uint32_t from,
                     uint32_t to);
static inline void vm_unpacked_need(struct vm_unpacked *u, const struct vm_packed *packed,
                                    uint32_t from, uint32_t to) {
    uint32_t group = from / PACKED_GROUP;
    if (group == to / PACKED_GROUP && u->there[group / 64] >> group % 64 & 1) return;
    vm_unpacked_add(u, packed, from, to);
}
/* If many groups are there, none is from here on, and their memory is given back. GC: never. */
void vm_unpacked_settle(struct vm_unpacked *u, const struct vm_packed *packed);
void vm_unpacked_free(struct vm_unpacked *u);

#endif
