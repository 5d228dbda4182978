/* prim_random.c - the generator of module Random in OCaml 5: LXM (Steele and Vigna, "LXM: Better
 * Splittable Pseudorandom Number Generators", 2021) of a linear congruential generator of 64 bits
 * and xoroshiro128. */
#include "stdlib/bigarray.h"
#include "stdlib/prim.h"

enum { LXM_A, LXM_S, LXM_X0, LXM_X1, LXM_WORDS };

static uint64_t rotate_left(uint64_t x, unsigned n) { return x << n | x >> (64 - n); }

/* state: a bigarray of LXM_WORDS int64. */
value prim_lxm_next(struct domain *d, value state) {
    const struct bigarray *b = bigarray_of(state);
    if (bigarray_kind(b) != BIGARRAY_INT64 || bigarray_elements(b) < LXM_WORDS)
        vm_invalid_argument(d, "Random: bad state");
    uint64_t *word = b->data;
    uint64_t x0 = word[LXM_X0], x1 = word[LXM_X1], z = word[LXM_S] + x0;
    z = (z ^ z >> 32) * 0xdaba0b6eb09322e3u;
    z = (z ^ z >> 32) * 0xdaba0b6eb09322e3u;
    z ^= z >> 32;
    word[LXM_S] = word[LXM_S] * 0xd1342543de82ef95u + word[LXM_A];
    x1 ^= x0;
    word[LXM_X0] = rotate_left(x0, 24) ^ x1 ^ x1 << 16;
    word[LXM_X1] = rotate_left(x1, 37);
    return copy_int64(d, (int64_t)z);
}
