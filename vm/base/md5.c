/* md5.c - MD5 after RFC 1321.
 *
 * The digest of a message is four 32-bit words, changed by each block of 64 bytes in 64 steps; the
 * message is padded with 0x80, zeros and its length in bits. */
#include "vm/base/md5.h"

#include <string.h>

/* floor(2^32 * abs(sin(i + 1))), section 3.4 of the RFC. */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
/* Rotations of the steps of each round. */
static const uint8_t rotations[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t load_le32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store_le32(uint8_t *p, uint32_t x) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(x >> (8 * i));
}

static inline uint32_t rotate_left(uint32_t x, unsigned n) { return x << n | x >> (32 - n); }

static void digest_block(uint32_t state[4], const uint8_t *block) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], words[16];
    for (int i = 0; i < 16; i++) words[i] = load_le32(block + 4 * i);
#pragma GCC unroll 64
    for (unsigned i = 0; i < 64; i++) {
        uint32_t f;
        unsigned k;
        if (i < 16) f = (b & c) | (~b & d), k = i;
        else if (i < 32) f = (d & b) | (~d & c), k = (5 * i + 1) % 16;
        else if (i < 48) f = b ^ c ^ d, k = (3 * i + 5) % 16;
        else f = c ^ (b | ~d), k = (7 * i) % 16;
        uint32_t rotated = rotate_left(a + f + sines[i] + words[k], rotations[i / 16][i % 4]);
        a = d;
        d = c;
        c = b;
        b += rotated;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void vm_md5_start(struct vm_md5_state *md5) {
    static const uint32_t initial[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    memcpy(md5->state, initial, sizeof initial);
    md5->bytes = 0;
}

void vm_md5_add(struct vm_md5_state *md5, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    size_t waiting = md5->bytes % 64;
    md5->bytes += n;
    if (waiting > 0) {
        size_t part = 64 - waiting < n ? 64 - waiting : n;
        memcpy(md5->block + waiting, p, part);
        p += part;
        n -= part;
        if (waiting + part < 64) return;
        digest_block(md5->state, md5->block);
    }
    for (; n >= 64; p += 64, n -= 64) digest_block(md5->state, p);
    if (n > 0) memcpy(md5->block, p, n);
}

void vm_md5_end(struct vm_md5_state *md5, uint8_t out[16]) {
    static const uint8_t padding[64] = {0x80};
    uint8_t length[8];
    uint64_t bits = md5->bytes * 8;
    store_le32(length, (uint32_t)bits);
    store_le32(length + 4, (uint32_t)(bits >> 32));
    size_t waiting = md5->bytes % 64;
    vm_md5_add(md5, padding, waiting < 56 ? 56 - waiting : 120 - waiting);
    vm_md5_add(md5, length, 8);
    for (int i = 0; i < 4; i++) store_le32(out + 4 * i, md5->state[i]);
}

void vm_md5(const void *bytes, size_t n, uint8_t out[16]) {
    struct vm_md5_state md5;
    vm_md5_start(&md5);
    vm_md5_add(&md5, bytes, n);
    vm_md5_end(&md5, out);
}
