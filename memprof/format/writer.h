/* writer.h - writes a profile file, chunk by chunk.
 *
 * Records are collected in memory. A full chunk is compressed, checksummed and written with one
 * write, so that a process that is killed loses at most the open chunk.
 *
 * PW1  Between records, used counts exactly the whole records of the open chunk: a signal handler
 *      may write them.
 * PW2  After a failure nothing more is written, and the file ends with a whole chunk if the system
 *      permits.
 * PW3  Only the file that was given is written to: if the descriptor refers to another one later,
 * that is a failure. */
#ifndef BACTRIAN_MEMPROF_FORMAT_WRITER_H
#define BACTRIAN_MEMPROF_FORMAT_WRITER_H

#include "memprof/format/record.h"

enum {
    MP_LIST_MAX = 50000,     /* numbers in one list: the caller splits longer ones */
    MP_TEXT_MAX = 100 * 1024 /* bytes of one text: longer ones are cut */
};

struct mp_writer;

/* Writes the header of a file to fd, which still belongs to the caller. Fails: NULL with errno. The
 * heap is not used: GC: never, for all functions here. */
struct mp_writer *mp_writer_create(int fd);
/* Frees the writer; what was not flushed is lost. */
void mp_writer_free(struct mp_writer *w); /* NULL is fine */

/* Writes the open chunk, if it is not empty. Does nothing after a failure (mp_writer_problem). */
void mp_writer_flush(struct mp_writer *w);
/* For a signal handler, which may have interrupted any other function: small records written
 * between the two go to the open chunk, which is then written uncompressed, without allocation. If
 * the handler interrupted the writing of a record the writer must not be used afterwards. begin
 * returns false while a chunk is being written. */
bool mp_writer_begin_signal(struct mp_writer *w);
void mp_writer_end_signal(struct mp_writer *w);

/* errno of the first failure, 0 if there was none. */
int mp_writer_problem(const struct mp_writer *w);
/* Bytes in the file. */
uint64_t mp_writer_file_bytes(const struct mp_writer *w);
/* Chunks that were written, or failed. */
uint64_t mp_writer_chunks(const struct mp_writer *w);

/* Writes a UINT, of at most MP_UINT_BYTES bytes; returns where it ends. */
enum { MP_UINT_BYTES = 10 };
static inline uint8_t *mp_put_uint(uint8_t *at, uint64_t n) {
    while (n >= 0x80) {
        *at++ = (uint8_t)(n | 0x80);
        n >>= 7;
    }
    *at++ = (uint8_t)n;
    return at;
}

/* mp_write_NAME(w, record) for each row of record.def. It may write a chunk, and never fails (PW2).
 */
#define RECORD(id, tag, name, fields, meaning) \
    void mp_write_##name(struct mp_writer *w, const struct mp_record_##name *record);
#include "memprof/format/record.def"

/* Writes a sample as the shorter of its two records. */
static inline void mp_write_any_sample(struct mp_writer *w, const struct mp_record_sample *s) {
    const struct mp_record_small_sample small = {s->elapsed, s->words, s->stack};
    if (s->kind == (MP_SOURCE_NORMAL | MP_SAMPLE_YOUNG) && s->more == 0)
        mp_write_small_sample(w, &small);
    else mp_write_sample(w, s);
}

#endif
