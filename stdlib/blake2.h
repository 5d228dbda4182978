/* blake2.h - the BLAKE2b message digest (RFC 7693), with keys, for Digest of OCaml 5.
 *
 * A state has no pointers: it may be copied and moved. */
#ifndef BACTRIAN_STDLIB_BLAKE2_H
#define BACTRIAN_STDLIB_BLAKE2_H

#include <stddef.h>
#include <stdint.h>

enum { BLAKE2_BLOCK_BYTES = 128, BLAKE2_MAX_DIGEST = 64, BLAKE2_MAX_KEY = 64 };

/* An unfinished digest. */
struct blake2 {
    uint64_t h[8];
    uint64_t bytes[2]; /* compressed so far, low word first */
    size_t used;       /* bytes in block */
    uint8_t block[BLAKE2_BLOCK_BYTES];
};

/* GC: never. Fails: never. For all of these. Needs: digest_bytes in 1..BLAKE2_MAX_DIGEST, key_bytes
 * at most BLAKE2_MAX_KEY. */
void blake2_start(struct blake2 *b, size_t digest_bytes, const void *key, size_t key_bytes);
void blake2_add(struct blake2 *b, const void *bytes, size_t n);
void blake2_end(struct blake2 *b, uint8_t *out, size_t digest_bytes);

#endif
