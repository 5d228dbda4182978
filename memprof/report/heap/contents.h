/* contents.h - short contents of blocks, of a snapshot that has them (prof snapshot --values). */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_CONTENTS_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_CONTENTS_H

#include "memprof/format/format.h"
#include "memprof/report/model/base.h"

struct heap_contents {
    bool written; /* the snapshot has them */
    /* Of each block where its content starts in `bytes`, plus 1; 0: it has none. NULL: none has. */
    uint32_t *at;
    struct report_buffer bytes; /* as in CONTENTS, each of a block of such a tag and size */
};

enum heap_content_kind { HEAP_NO_CONTENT, HEAP_STRING, HEAP_FLOATS, HEAP_NUMBER, HEAP_FIELDS };

struct heap_content {
    enum heap_content_kind kind;
    uint64_t length;      /* of a string, or how many floats a block has */
    const uint8_t *bytes; /* the first ones of a string, `count` of them */
    uint64_t hash;        /* of a longer string */
    uint32_t count;       /* of what follows here */
    double floats[MP_CONTENT_FLOATS];
    int64_t number;                     /* of a custom block */
    int64_t numbers[MP_CONTENT_FIELDS]; /* of fields, */
    uint32_t fields[MP_CONTENT_FIELDS]; /* of these, ascending */
};

/* Adds the content at *at, which it advances, of one of `blocks` blocks, after those before it; of
 * that tag, and size without header. False: it is not valid, or too
 * much. Fails: as report_alloc. */
bool heap_contents_add(struct heap_contents *contents, size_t blocks, size_t block, unsigned tag,
                       uint64_t wosize, const uint8_t **at, const uint8_t *end);
/* The content of a block; the bytes are those of `contents`. */
struct heap_content heap_content_of(const struct heap_contents *contents, size_t block,
                                    unsigned tag, uint64_t wosize);
void heap_contents_free(struct heap_contents *contents);

#endif
