/* md5.h - the MD5 message digest (RFC 1321), for Digest and for the digests of code fragments. */
#ifndef BACTRIAN_VM_BASE_MD5_H
#define BACTRIAN_VM_BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

/* An unfinished digest. */
struct vm_md5_state {
    uint32_t state[4];
    uint64_t bytes; /* so far; the last bytes % 64 are in block */
    uint8_t block[64];
};

/* GC: never. Fails: never. For all of these. */
void vm_md5_start(struct vm_md5_state *md5);
void vm_md5_add(struct vm_md5_state *md5, const void *bytes, size_t n);
void vm_md5_end(struct vm_md5_state *md5, uint8_t out[16]);
/* The digest of n bytes at once. */
void vm_md5(const void *bytes, size_t n, uint8_t out[16]);

#endif
