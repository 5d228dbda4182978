/* reader_internal.h - the reader's state, and the tables that its events refer to. */
#ifndef BACTRIAN_MEMPROF_FORMAT_READER_INTERNAL_H
#define BACTRIAN_MEMPROF_FORMAT_READER_INTERNAL_H

#include "gc/containers.h"
#include "memprof/format/reader.h"

#include <zstd.h>

/* Larger numbers are damage; sums of these do not overflow. */
#define MP_TIME_MAX  ((uint64_t)1 << 52)
#define MP_WORDS_MAX ((uint64_t)1 << 61)

/* More of a heap snapshot, where a list is very regular. */
#define MP_SHAPES_MAX ((uint64_t)256 << 20)

/* Strings, locations and nodes are numbered from 1; number 0 is the null element. */
enum { MP_TABLE_FIRST = 64 }; /* the capacity that a table begins with */
struct mp_tables {
    struct VECTOR(char *) strings;
    struct VECTOR(struct mp_location) locations;
    struct VECTOR(struct mp_stack_node) nodes;
    struct VECTOR(uint8_t) samples; /* their states */
    struct VECTOR(uint32_t) phases; /* names of those that are open, innermost last */
};

struct mp_reader {
    const uint8_t *bytes; /* the file, from offset `from` on */
    size_t from;
    size_t length, position; /* of the whole file */
    uint64_t unpacked;       /* bytes of records so far */
    uint64_t kept;           /* events so far that are not only about a sample before them */
    uint8_t *records;
    const uint8_t *at, *end; /* the rest of the chunk's records */
    ZSTD_DCtx *decompressor;
    struct mp_record_start start;
    struct mp_tables tables;
    unsigned major; /* the version of the file */
    uint8_t tag;    /* of the last record */
    uint64_t time_us;
    int64_t last_stack;
    uint64_t weight;     /* of samples, as of the last WEIGHT */
    enum mp_cause cause; /* of pauses, as of the last CAUSE */
    struct mp_thread thread;
    struct mp_counters counters;
    struct mp_list list; /* the rest of a list, whose items are returned one by one */
    uint64_t list_number;
    enum mp_event_kind list_kind;
    enum mp_generation list_generation;
    struct mp_record_held held; /* whose list it is */
    struct mp_event *event;     /* that of the caller, while mp_reader_next runs */
    char path[MP_PATH_MAX + 1]; /* of the last WRITTEN */
    bool has_event;
    bool in_type, in_shape, has_name; /* there is one that SHAPE, MEMBER, TYPED may belong to */
    bool finished, ended, over;
    struct mp_coverage coverage;
};

/* Ends reading; the first reason stays. */
void mp_reader_stop(struct mp_reader *r, enum mp_read_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same when out of memory; returns false. */
bool mp_reader_no_memory(struct mp_reader *r);

/* False: out of memory. */
bool mp_tables_init(struct mp_tables *t);
void mp_tables_free(struct mp_tables *t);
/* A copy, NUL-terminated and owned by the caller. */
bool mp_tables_keep_text(const struct mp_text *text, struct mp_text *copy);
/* Add an element, checked before. False: out of memory. */
bool mp_tables_add_string(struct mp_tables *t, const struct mp_text *text);
bool mp_tables_add_location(struct mp_tables *t, const struct mp_record_location *l);
bool mp_tables_add_node(struct mp_tables *t, uint32_t caller, uint32_t location);
bool mp_tables_add_sample(struct mp_tables *t, bool young);
/* The fate of a sample. False: it contradicts earlier events. */
bool mp_tables_promote(struct mp_tables *t, uint64_t id);
bool mp_tables_kill(struct mp_tables *t, uint64_t id, enum mp_generation generation);

#endif
