/* compression.c - marshalled data as zstd frames, which OCaml reads and writes from 5.1 on.
 *
 * The writer makes one frame at zstd's default level. As in OCaml, zstd does not get the length of
 * the content in advance, so the bytes are those that the same release of zstd makes there. The
 * reader accepts what zstd accepts. zstd's own memory is not counted: at most some megabytes, freed
 * before these functions return. */
#include "vm/marshal/writer_internal.h"
#include "vm/state/vm.h"

#include <zstd.h>

enum {
    CHUNK_BYTES = 1 << 17,      /* of the frame */
    MAX_BLOCK_BYTES = 1 << 17,  /* that one block of a frame unpacks to ... */
    MIN_STORED_BLOCK_BYTES = 4, /* ... and how few bytes hold it */
    COMPRESSION_WORK = 32       /* for each byte, as vm_charge_work counts */
};

/* ---- Writing. ---- */

/* What is written to: the chunks of the frame so far. */
struct frame {
    struct vm_marshal_chunk *first, *last;
    size_t chunk_bytes;
    ZSTD_outBuffer out; /* last's bytes */
};

/* Adds a chunk. False: the writer failed. */
static bool add_frame_chunk(struct vm_marshal_writer *w, struct frame *f) {
    struct vm_marshal_chunk *chunk = writer_scratch(w, sizeof *chunk + f->chunk_bytes);
    if (chunk == NULL) return false;
    *chunk = (struct vm_marshal_chunk){NULL, 0, f->chunk_bytes, (uint8_t *)(chunk + 1)};
    if (f->first == NULL) f->first = chunk;
    else f->last->next = chunk;
    f->last = chunk;
    f->out = (ZSTD_outBuffer){chunk->bytes, chunk->capacity, 0};
    return true;
}

/* Compresses the bytes of a chunk, or ends the frame if there is none. False: the writer failed. */
static bool compress_chunk(struct vm_marshal_writer *w, struct frame *f, ZSTD_CCtx *context,
                           const struct vm_marshal_chunk *from) {
    ZSTD_inBuffer in = {from != NULL ? from->bytes : NULL, from != NULL ? from->used : 0, 0};
    ZSTD_EndDirective directive = from != NULL ? ZSTD_e_continue : ZSTD_e_end;
    size_t rest;
    vm_charge_work(w->d, COMPRESSION_WORK * in.size);
    do {
        if (writer_must_stop(w)) return false;
        if (f->out.pos == f->out.size && !add_frame_chunk(w, f)) return false;
        rest = ZSTD_compressStream2(context, &f->out, &in, directive);
        if (ZSTD_isError(rest)) {
            writer_refuse(w, VM_MARSHAL_NO_MEMORY, NULL);
            return false;
        }
        f->last->used = f->out.pos;
    } while (in.pos < in.size || (from == NULL && rest > 0));
    return true;
}

void writer_compress(struct vm_marshal_writer *w) {
    size_t bound = ZSTD_compressBound(w->data_bytes);
    struct frame frame = {.chunk_bytes = bound < CHUNK_BYTES ? bound : CHUNK_BYTES};
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (context == NULL || !add_frame_chunk(w, &frame)) {
        writer_refuse(w, VM_MARSHAL_NO_MEMORY, NULL);
        ZSTD_freeCCtx(context);
        return;
    }
    const struct vm_marshal_chunk *chunk = &w->first;
    while (compress_chunk(w, &frame, context, chunk) && chunk != NULL) chunk = chunk->next;
    ZSTD_freeCCtx(context);
    w->first = *frame.first;
}

/* ---- Reading. ---- */

bool vm_marshal_may_unpack(const struct vm_marshal_header *head) {
    return head->data_bytes / MAX_BLOCK_BYTES <= head->stored_bytes / MIN_STORED_BLOCK_BYTES;
}

bool vm_marshal_unpack(const struct vm_marshal_header *head, const uint8_t *stored, uint8_t *data) {
    ASSERT(head->compressed);
    size_t n = ZSTD_decompress(data, head->data_bytes, stored, head->stored_bytes);
    return n == head->data_bytes; /* an error is more than any size */
}
