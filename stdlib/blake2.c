/* blake2.c - BLAKE2b (stdlib/blake2.h). The names are those of RFC 7693, section 3.
 *
 * A full block is compressed when a byte after it is known: the last one is compressed with a flag.
 * The words of a block are little-endian, as the processor's. */
#include "stdlib/blake2.h"

#include "gc/assert.h"

#include <stdbool.h>
#include <string.h>

static const uint64_t iv[8] = {0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu,
                               0xa54ff53a5f1d36f1u, 0x510e527fade682d1u, 0x9b05688c2b3e6c1fu,
                               0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u};

enum { ROUNDS = 12, PERMUTATIONS = 10 };
static const uint8_t sigma[PERMUTATIONS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint64_t rotate_right(uint64_t x, unsigned n) { return x >> n | x << (64 - n); }

/* Mixes two words of the block into a column or diagonal of v. */
static inline void mix(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y) {
    v[a] += v[b] + x;
    v[d] = rotate_right(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotate_right(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 63);
}

/* Compresses a block, of which n bytes are the message's. */
static void compress(struct blake2 *b, const uint8_t *block, size_t n, bool last) {
    uint64_t m[16], v[16];
    b->bytes[0] += n;
    b->bytes[1] += b->bytes[0] < n;
    memcpy(m, block, sizeof m);
    memcpy(v, b->h, sizeof b->h);
    memcpy(v + 8, iv, sizeof iv);
    v[12] ^= b->bytes[0];
    v[13] ^= b->bytes[1];
    if (last) v[14] = ~v[14];
    for (int round = 0; round < ROUNDS; round++) {
        const uint8_t *s = sigma[round % PERMUTATIONS];
        for (int i = 0; i < 4; i++) mix(v, i, 4 + i, 8 + i, 12 + i, m[s[2 * i]], m[s[2 * i + 1]]);
        for (int i = 0; i < 4; i++)
            mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[8 + 2 * i]],
                m[s[9 + 2 * i]]);
    }
    for (int i = 0; i < 8; i++) b->h[i] ^= v[i] ^ v[i + 8];
}

void blake2_start(struct blake2 *b, size_t digest_bytes, const void *key, size_t key_bytes) {
    ASSERT(digest_bytes >= 1 && digest_bytes <= BLAKE2_MAX_DIGEST && key_bytes <= BLAKE2_MAX_KEY);
    memset(b, 0, sizeof *b);
    memcpy(b->h, iv, sizeof iv);
    b->h[0] ^= 0x01010000 ^ key_bytes << 8 ^ digest_bytes;
    if (key_bytes == 0) return;
    memcpy(b->block, key, key_bytes); /* padded with zeros */
    b->used = BLAKE2_BLOCK_BYTES;
}

void blake2_add(struct blake2 *b, const void *bytes, size_t n) {
    const uint8_t *from = bytes;
    ASSERT(b->used <= BLAKE2_BLOCK_BYTES);
    while (n > 0) {
        if (b->used == BLAKE2_BLOCK_BYTES) {
            compress(b, b->block, BLAKE2_BLOCK_BYTES, false);
            b->used = 0;
        }
        size_t room = BLAKE2_BLOCK_BYTES - b->used, piece = n < room ? n : room;
        memcpy(b->block + b->used, from, piece);
        b->used += piece;
        from += piece;
        n -= piece;
    }
}

void blake2_end(struct blake2 *b, uint8_t *out, size_t digest_bytes) {
    ASSERT(digest_bytes <= BLAKE2_MAX_DIGEST);
    memset(b->block + b->used, 0, BLAKE2_BLOCK_BYTES - b->used);
    compress(b, b->block, b->used, true);
    memcpy(out, b->h, digest_bytes);
}
