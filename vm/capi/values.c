/* values.c - strings, arrays, hashes and digests, for stubs. */
#include "stdlib/blake2.h"
#include "stdlib/hash_mix.h"
#include "vm/base/label.h"
#include "vm/base/md5.h"
#include "vm/capi/capi_internal.h"

uintptr_t caml_string_length(value s) { return string_length(s); }
int caml_string_is_c_safe(value s) { return is_c_string(s); }
uintptr_t caml_array_length(value array) { return wosize_of(array); }
int caml_is_double_array(value array) { return tag_of(array) == TAG_DOUBLE_ARRAY; }

value caml_hash_variant(const char *tag) { return vm_label_hash(tag); }

uint32_t caml_hash_mix_uint32(uint32_t h, uint32_t x) { return hash_mix_uint32(h, x); }
uint32_t caml_hash_mix_intnat(uint32_t h, intptr_t x) { return hash_mix_word(h, x); }
uint32_t caml_hash_mix_int64(uint32_t h, int64_t x) { return hash_mix_int64(h, x); }
uint32_t caml_hash_mix_double(uint32_t h, double x) { return hash_mix_double(h, x); }
uint32_t caml_hash_mix_float(uint32_t h, float x) { return hash_mix_float(h, x); }
uint32_t caml_hash_mix_string(uint32_t h, value s) { return hash_mix_string(h, s); }

/* The caller's structure has this size. */
_Static_assert(sizeof(struct vm_md5_state) == 88, "struct MD5Context");
void caml_MD5Init(struct vm_md5_state *md5) { vm_md5_start(md5); }
void caml_MD5Update(struct vm_md5_state *md5, const unsigned char *bytes, uintptr_t n) {
    vm_md5_add(md5, bytes, n);
}
void caml_MD5Final(unsigned char *digest, struct vm_md5_state *md5) { vm_md5_end(md5, digest); }
void caml_md5_block(unsigned char *digest, void *bytes, uintptr_t n) { vm_md5(bytes, n, digest); }

/* BLAKE2b: the caller's structure is laid out like ours. */
_Static_assert(sizeof(struct blake2) == 216 && offsetof(struct blake2, block) == 88,
               "struct BLAKE2_context");
void caml_BLAKE2Init(struct blake2 *b, size_t digest_bytes, size_t key_bytes, const uint8_t *key) {
    blake2_start(b, digest_bytes, key, key_bytes);
}
void caml_BLAKE2Update(struct blake2 *b, const uint8_t *bytes, size_t n) {
    blake2_add(b, bytes, n);
}
void caml_BLAKE2Final(struct blake2 *b, size_t digest_bytes, uint8_t *digest) {
    blake2_end(b, digest, digest_bytes);
}

/* One step of MD5, of 64 bytes. */
void caml_MD5Transform(uint32_t *state, uint32_t *words) {
    struct vm_md5_state md5 = {.bytes = 0};
    memcpy(md5.state, state, sizeof md5.state);
    vm_md5_add(&md5, words, sizeof md5.block);
    memcpy(state, md5.state, sizeof md5.state);
}
