/* pieces.c - see pieces.h. */
#include "vm/code/pieces.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/code/verify.h"

#include <stdlib.h>

static int by_target(const void *a, const void *b) {
    uint32_t x = ((const struct vm_back_jump *)a)->target;
    uint32_t y = ((const struct vm_back_jump *)b)->target;
    return (x > y) - (x < y);
}

/* Where pieces may begin: depends on the backward jumps over the next words. */
struct divider {
    struct vm_pieces *pieces;
    const struct vm_back_jump *jump, *end; /* those whose target is ahead, in order */
    uint32_t until;                        /* the last pc from which one of the others leads back */
};

static void pass_targets(struct divider *d, uint32_t pc) {
    for (; d->jump < d->end && d->jump->target < pc; d->jump++)
        if (d->jump->from > d->until) d->until = d->jump->from;
}

/* Adds the words that the walk shows. False: a height does not fit. */
static bool keep_words(struct divider *d, const struct vm_walk *walk) {
    struct vm_pieces *p = d->pieces;
    uint16_t *out = p->heights + p->count;
    uint32_t heights = 0;
    if (walk->bits == 0) return true;
    p->groups[p->group_count++] = (struct vm_piece_group){walk->bits, walk->pc, p->count};
    for (uint64_t bits = walk->bits; bits != 0; bits &= bits - 1) {
        uint32_t word = (uint32_t)__builtin_ctzll(bits), pc = walk->pc + word;
        struct vm_known_state state = walk->states[word];
        if (d->jump < d->end) pass_targets(d, pc);
        bool held = state.frame != 0 || pc <= d->until;
        heights |= state.height;
        *out++ = (uint16_t)(state.height | (held ? VM_PIECE_HELD : 0));
    }
    p->count = (uint32_t)(out - p->heights);
    return heights < VM_PIECE_HELD;
}

struct vm_pieces *vm_pieces_create(struct vm_verifier *v) {
    struct vm_back_jumps *jumps;
    struct vm_walk walk;
    if (vm_known_flow(v, 0, &jumps) <= VM_WHOLE_ROWS) return NULL;
    vm_walk_start(&walk, v, 0);
    struct vm_pieces *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    /* No group is without an instruction. */
    p->groups = malloc(walk.count * sizeof *p->groups);
    p->heights = malloc(walk.count * sizeof *p->heights);
    bool good = p->groups != NULL && p->heights != NULL;
    if (jumps->count > 1) qsort(jumps->items, jumps->count, sizeof *jumps->items, by_target);
    struct divider divider = {p, jumps->items, jumps->items + jumps->count, 0};
    do good = good && keep_words(&divider, &walk);
    while (vm_walk_next(&walk));
    struct vm_piece_group *groups = NULL;
    if (good) groups = realloc(p->groups, p->group_count * sizeof *groups);
    if (groups != NULL) p->groups = groups;
    if (good) return p;
    vm_pieces_free(p);
    return NULL;
}

void vm_pieces_free(struct vm_pieces *pieces) {
    if (pieces == NULL) return;
    free(pieces->groups);
    free(pieces->heights);
    free(pieces);
}

static void show_group(struct vm_piece_walk *walk) {
    const struct vm_piece_group *group = &walk->pieces->groups[walk->group];
    walk->bits = group->bits;
    walk->pc = group->pc;
    walk->heights = walk->pieces->heights + group->first;
}

void vm_piece_walk_start(struct vm_piece_walk *out, const struct vm_pieces *p, uint32_t from) {
    ASSERT(from < p->count);
    *out = (struct vm_piece_walk){.pieces = p};
    out->group = (uint32_t)sorted_prefix(p->group_count, i, p->groups[i].first <= from) - 1;
    show_group(out);
    for (; out->heights < p->heights + from; out->heights++) out->bits &= out->bits - 1;
}

bool vm_piece_walk_next(struct vm_piece_walk *walk) {
    if (++walk->group == walk->pieces->group_count) return false;
    show_group(walk);
    return true;
}
