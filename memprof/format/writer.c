/* writer.c - see writer.h. The functions that write records are made from record.def. */
#include "memprof/format/writer.h"

#include "gc/assert.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum {
    CHUNK_BYTES = 256 * 1024, /* a chunk is closed before it exceeds this */
    COMPRESSED_BYTES = MP_CHUNK_MAX_BYTES + MP_CHUNK_MAX_BYTES / 128 + 1024,
    ZSTD_LEVEL = 1,
};

struct mp_writer {
    int fd;
    dev_t device;
    ino_t inode;
    size_t used;  /* PW1 */
    size_t limit; /* of used: above it the chunk is closed */
    uint32_t sequence;
    uint64_t file_bytes; /* up to the last complete chunk */
    uint64_t unpacked;   /* bytes of records in those chunks */
    uint64_t memory;     /* of a reader, at most: MP_MEMORY_MAX; the open chunk counts, too */
    int problem;
    volatile bool writing;
    ZSTD_CCtx *compressor;
    uint8_t *compressed;                 /* header and compressed records */
    uint8_t head[MP_CHUNK_HEADER_BYTES]; /* just before buffer */
    uint8_t buffer[MP_CHUNK_MAX_BYTES];
};

static_assert(offsetof(struct mp_writer, buffer) ==
                  offsetof(struct mp_writer, head) + MP_CHUNK_HEADER_BYTES,
              "an uncompressed chunk is written in one piece");

/* ---- Fields. ---- */

static inline uint8_t *put_sint(uint8_t *at, int64_t n) {
    return mp_put_uint(at, (uint64_t)n << 1 ^ (uint64_t)(n >> 63));
}

static uint8_t *put_real(uint8_t *at, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++) *at++ = (uint8_t)(bits >> 8 * i);
    return at;
}

static size_t text_length(const struct mp_text *t) {
    return t->length < MP_TEXT_MAX ? t->length : MP_TEXT_MAX;
}

static uint8_t *put_text(uint8_t *at, const struct mp_text *t) {
    size_t length = text_length(t);
    at = mp_put_uint(at, length);
    if (length > 0) memcpy(at, t->bytes, length);
    return at + length;
}

static uint8_t *put_list(uint8_t *at, const struct mp_list *l) {
    uint64_t last = 0;
    at = mp_put_uint(at, l->count);
    for (const uint64_t *item = l->items, *end = item + l->count; item < end; item++) {
        uint64_t difference = *item - last;
        last = *item;
        if (difference < 0x40) *at++ = (uint8_t)(difference << 1); /* most of them */
        else at = put_sint(at, (int64_t)difference);
    }
    return at;
}

/* Reserves a record of at most that many bytes. NULL: the writer has failed. */
static inline uint8_t *begin(struct mp_writer *w, size_t bytes) {
    ASSERT(w->used <= w->limit && w->limit <= MP_CHUNK_MAX_BYTES);
    if (__builtin_expect(w->used + bytes > w->limit, 0)) mp_writer_flush(w);
    return w->problem == 0 && bytes <= MP_CHUNK_MAX_BYTES ? w->buffer + w->used : NULL;
}

static void end(struct mp_writer *w, const uint8_t *at) {
    ASSERT(at > w->buffer + w->used && at <= w->buffer + MP_CHUNK_MAX_BYTES); /* PW1 */
    atomic_signal_fence(memory_order_seq_cst);
    w->used = (size_t)(at - w->buffer);
    atomic_signal_fence(memory_order_seq_cst);
}

#define BYTE(name) +1
#define UINT(name) +MP_UINT_BYTES
#define SINT(name) +MP_UINT_BYTES
#define REAL(name) +8
#define TEXT(name) +MP_UINT_BYTES + text_length(&record->name)
#define LIST(name) +MP_UINT_BYTES *(1 + record->name.count)
#define RECORD(id, tag, name, fields, meaning) \
    static size_t max_bytes_of_##name(const struct mp_record_##name *record) { return 1 fields; }
#include "memprof/format/record.def"

#define BYTE(name)
#define UINT(name)
#define SINT(name)
#define REAL(name)
#define TEXT(name)
#define LIST(name) +record->name.count
#define RECORD(id, tag, name, fields, meaning)                                \
    static uint64_t memory_of_##name(const struct mp_record_##name *record) { \
        bool none = tag == MP_TAG_PROMOTIONS || tag == MP_TAG_DEATHS;         \
        return none ? 0 : (1 fields) * (uint64_t)MP_RECORD_MEMORY;            \
    }
#include "memprof/format/record.def"

#define BYTE(name) *at++ = record->name;
#define UINT(name) at = mp_put_uint(at, record->name);
#define SINT(name) at = put_sint(at, record->name);
#define REAL(name) at = put_real(at, record->name);
#define TEXT(name) at = put_text(at, &record->name);
#define LIST(name) at = put_list(at, &record->name);
#define RECORD(id, tag, name, fields, meaning)                                         \
    void mp_write_##name(struct mp_writer *w, const struct mp_record_##name *record) { \
        uint8_t *at = begin(w, max_bytes_of_##name(record));                           \
        if (at == NULL) return;                                                        \
        *at++ = tag;                                                                   \
        w->memory += memory_of_##name(record);                                         \
        fields end(w, at);                                                             \
    }
#include "memprof/format/record.def"

/* ---- Chunks. ---- */

static void put_u32(uint8_t *at, uint32_t n) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(n >> 8 * i);
}

static void fill_header(const struct mp_writer *w, uint8_t *head, enum mp_encoding encoding,
                        const uint8_t *stored, size_t stored_bytes) {
    memcpy(head, MP_CHUNK_MAGIC, 3);
    head[MP_CHUNK_ENCODING] = (uint8_t)encoding;
    put_u32(head + MP_CHUNK_SEQUENCE, w->sequence);
    put_u32(head + MP_CHUNK_STORED, (uint32_t)stored_bytes);
    put_u32(head + MP_CHUNK_BYTES, (uint32_t)w->used);
    put_u32(head + MP_CHUNK_STORED_CRC, (uint32_t)crc32(0, stored, (uInt)stored_bytes));
    put_u32(head + MP_CHUNK_HEADER_CRC, (uint32_t)crc32(0, head, MP_CHUNK_HEADER_CRC));
}

/* PW3 */
static bool still_ours(struct mp_writer *w) {
    struct stat status;
    if (fstat(w->fd, &status) != 0) return false;
    if (status.st_dev == w->device && status.st_ino == w->inode) return true;
    errno = EBADF;
    return false;
}

static bool write_all(struct mp_writer *w, const uint8_t *bytes, size_t n) {
    if (!still_ours(w)) return false;
    while (n > 0) {
        ssize_t written = write(w->fd, bytes, n);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        n -= (size_t)written;
    }
    return true;
}

static void fail(struct mp_writer *w) {
    w->problem = errno != 0 ? errno : EIO;
    /* Removes a chunk that was written in part (PW2). */
    if (still_ours(w) && ftruncate(w->fd, (off_t)w->file_bytes) != 0) return;
}

/* A limit on the size of files, or a pipe without a reader, would end the process by a signal; here
 * both are failures like a full disk. */
static void block_signals(sigset_t *blocked, sigset_t *before) {
    sigemptyset(blocked);
    sigaddset(blocked, SIGXFSZ);
    sigaddset(blocked, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, blocked, before);
}

static void unblock_signals(const sigset_t *blocked, const sigset_t *before, bool failed) {
    const struct timespec no_wait = {0, 0};
    while (failed && sigtimedwait(blocked, NULL, &no_wait) > 0) continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void write_chunk(struct mp_writer *w, const uint8_t *bytes, size_t n) {
    sigset_t blocked, before;
    int saved = errno;
    ASSERT(!w->writing && n > MP_CHUNK_HEADER_BYTES);
    errno = 0;
    w->writing = true;
    block_signals(&blocked, &before);
    bool written = write_all(w, bytes, n);
    int problem = errno;
    unblock_signals(&blocked, &before, !written);
    errno = problem;
    if (written) {
        w->file_bytes += n;
        w->unpacked += w->used;
        w->sequence++;
    } else {
        fail(w);
    }
    w->used = 0;
    w->writing = false;
    errno = saved;
}

static void write_uncompressed(struct mp_writer *w) {
    fill_header(w, w->head, MP_ENCODING_NONE, w->buffer, w->used);
    write_chunk(w, w->head, MP_CHUNK_HEADER_BYTES + w->used);
}

/* Whether a reader would refuse the file with the open chunk as n compressed bytes. */
static bool expands(const struct mp_writer *w, size_t n) {
    uint64_t bytes = w->file_bytes + MP_CHUNK_HEADER_BYTES + n;
    return w->unpacked + w->used > MP_UNPACKED_MAX(bytes) || w->memory > MP_MEMORY_MAX(bytes);
}

void mp_writer_flush(struct mp_writer *w) {
    if (w->problem != 0) w->used = 0;
    if (w->used == 0) return;
    uint8_t *records = w->compressed + MP_CHUNK_HEADER_BYTES;
    size_t n = ZSTD_compressCCtx(w->compressor, records, COMPRESSED_BYTES, w->buffer, w->used,
                                 ZSTD_LEVEL);
    if (ZSTD_isError(n) || n >= w->used || expands(w, n)) {
        write_uncompressed(w);
        return;
    }
    fill_header(w, w->compressed, MP_ENCODING_ZSTD, records, n);
    write_chunk(w, w->compressed, MP_CHUNK_HEADER_BYTES + n);
}

bool mp_writer_begin_signal(struct mp_writer *w) {
    if (w->writing) return false;
    w->limit = MP_CHUNK_MAX_BYTES;
    return true;
}

void mp_writer_end_signal(struct mp_writer *w) {
    if (w->problem == 0 && w->used > 0) write_uncompressed(w);
    w->limit = CHUNK_BYTES;
}

/* ---- Life. ---- */

static bool write_file_header(struct mp_writer *w) {
    uint8_t head[MP_FILE_HEADER_BYTES] = {0};
    memcpy(head, MP_FILE_MAGIC, 8);
    head[8] = MP_FORMAT_MAJOR;
    head[10] = MP_FORMAT_MINOR;
    put_u32(head + 12, (uint32_t)crc32(0, head, 12));
    if (!write_all(w, head, sizeof head)) return false;
    w->file_bytes = sizeof head;
    return true;
}

struct mp_writer *mp_writer_create(int fd) {
    struct stat status;
    struct mp_writer *w = calloc(1, sizeof *w);
    if (w == NULL) return NULL;
    w->fd = fd;
    w->limit = CHUNK_BYTES;
    w->compressed = malloc(MP_CHUNK_HEADER_BYTES + COMPRESSED_BYTES);
    w->compressor = ZSTD_createCCtx();
    bool made = w->compressed != NULL && w->compressor != NULL;
    if (!made) errno = ENOMEM;
    made = made && fstat(fd, &status) == 0;
    if (made) {
        w->device = status.st_dev;
        w->inode = status.st_ino;
        made = write_file_header(w);
    }
    if (made) return w;
    int problem = errno;
    mp_writer_free(w);
    errno = problem;
    return NULL;
}

void mp_writer_free(struct mp_writer *w) {
    if (w == NULL) return;
    ZSTD_freeCCtx(w->compressor);
    free(w->compressed);
    free(w);
}

int mp_writer_problem(const struct mp_writer *w) { return w->problem; }
uint64_t mp_writer_file_bytes(const struct mp_writer *w) { return w->file_bytes; }
uint64_t mp_writer_chunks(const struct mp_writer *w) { return w->sequence + (w->problem != 0); }
