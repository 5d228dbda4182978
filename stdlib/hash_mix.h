/* hash_mix.h - the mixing steps of OCaml's hash function (MurmurHash3 of Austin Appleby, 32 bits),
 * as caml_hash and the hash functions of custom blocks use them. GC: never, they never fail. */
#ifndef BACTRIAN_STDLIB_HASH_MIX_H
#define BACTRIAN_STDLIB_HASH_MIX_H

#include "gc/value.h"

/* x rotated left by 1..31 bits. */
static inline uint32_t hash_rotate(uint32_t x, unsigned n) { return x << n | x >> (32 - n); }

/* Mixes 32 bits into h. */
static inline uint32_t hash_mix_uint32(uint32_t h, uint32_t x) {
    x = hash_rotate(x * 0xcc9e2d51u, 15) * 0x1b873593u;
    return hash_rotate(h ^ x, 13) * 5 + 0xe6546b64u;
}

/* A word, so that numbers of 32 bits give the same hash on 32-bit and 64-bit machines. */
static inline uint32_t hash_mix_word(uint32_t h, intptr_t x) {
    return hash_mix_uint32(h, (uint32_t)((x >> 32) ^ (x >> 63) ^ x));
}

/* 64 bits, the low half first. */
static inline uint32_t hash_mix_int64(uint32_t h, int64_t x) {
    return hash_mix_uint32(hash_mix_uint32(h, (uint32_t)x), (uint32_t)((uint64_t)x >> 32));
}

/* All nans have one hash, and so have the two zeros. */
static inline uint32_t hash_mix_double(uint32_t h, double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    if (x != x) bits = 0x7FF0000000000001u;
    else if (x == 0) bits = 0;
    return hash_mix_int64(h, (int64_t)bits);
}

/* The same for single precision. */
static inline uint32_t hash_mix_float(uint32_t h, float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (x != x) bits = 0x7F800001u;
    else if (x == 0) bits = 0;
    return hash_mix_uint32(h, bits);
}

/* The same for half precision. */
static inline uint32_t hash_mix_float16(uint32_t h, uint16_t bits) {
    if ((bits & 0x7FFF) > 0x7C00) bits = 0x7C01;
    else if (bits == 0x8000) bits = 0;
    return hash_mix_uint32(h, bits);
}

/* n bytes in groups of four, little-endian; the last one to three together. */
static inline uint32_t hash_mix_bytes(uint32_t h, const uint8_t *p, size_t n) {
    for (; n >= 4; p += 4, n -= 4) {
        uint32_t x;
        memcpy(&x, p, 4);
        h = hash_mix_uint32(h, x);
    }
    if (n == 0) return h;
    uint32_t x = p[0];
    if (n > 1) x |= (uint32_t)p[1] << 8;
    if (n > 2) x |= (uint32_t)p[2] << 16;
    return hash_mix_uint32(h, x);
}

/* A string, its length included. */
static inline uint32_t hash_mix_string(uint32_t h, value s) {
    size_t n = string_length(s);
    return hash_mix_bytes(h, (const uint8_t *)string_bytes(s), n) ^ (uint32_t)n;
}

/* The last step: every bit of the result depends on every bit of h. */
static inline uint32_t hash_finish(uint32_t h) {
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

#endif
