/* format.h - the content of a profile file; README.md draws its bytes.
 *
 * A file is a header and chunks; a chunk is a checksummed, compressed run of records (record.def).
 * This room is all that the recorder and the reports share. */
#ifndef BACTRIAN_MEMPROF_FORMAT_FORMAT_H
#define BACTRIAN_MEMPROF_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MP_FORMAT_MAJOR = 12, /* of what is written; a reader refuses higher ones */
    MP_FORMAT_OLDEST = 1, /* the lowest that is read */
    MP_FORMAT_MINOR = 0,  /* increased when fields get values that older readers may ignore */
    MP_FILE_HEADER_BYTES = 16,
    MP_CHUNK_HEADER_BYTES = 24,
    MP_CHUNK_MAX_BYTES = 1 << 20, /* of records in one chunk, unpacked */
};

/* A few bytes can unpack to a million records: the time and the memory that they need must stay in
 * proportion to the file, or a reader refuses it. A writer stores chunks uncompressed where they
 * would otherwise be too many. */
#define MP_UNPACKED_MAX(file_bytes) ((8u << 20) + 128 * (uint64_t)(file_bytes))
#define MP_MEMORY_MAX(file_bytes)   ((512u << 20) + 64 * (uint64_t)(file_bytes))

/* The approximate memory of a record in a report: a node of a call stack, which may be one byte of
 * the file; a location or string; any other, except promotions and deaths. */
enum { MP_NODE_MEMORY = 80, MP_NAME_MEMORY = 96, MP_RECORD_MEMORY = 96 };

/* Tags of records. */
enum mp_tag {
#define RECORD(id, tag, name, fields, meaning) MP_TAG_##id = tag,
#include "memprof/format/record.def"
};

/* Where a block's memory comes from. A suspended fiber is not allocated then, but counts as live
 * until its continuation is used or dies. */
enum mp_source {
    MP_SOURCE_NORMAL,
    MP_SOURCE_MARSHAL,
    MP_SOURCE_CUSTOM, /* outside the heap */
    MP_SOURCE_FIBER,  /* a suspended fiber's words */
    MP_SOURCE_COUNT
};
/* Whether the words of a block do not include a header. */
static inline bool mp_has_no_header(enum mp_source source) {
    return source == MP_SOURCE_CUSTOM || source == MP_SOURCE_FIBER;
}
/* Where a block was when it died; HELD: in the major heap, and the field that had led to its
 * promotion still did when it, or earlier the field's block, was found dead. */
enum mp_generation { MP_DIED_MINOR, MP_DIED_MAJOR, MP_DIED_HELD };
/* How the program ended; MP_DETACHED: it goes on without the recorder. */
enum mp_outcome { MP_RETURNED, MP_EXITED, MP_UNCAUGHT, MP_KILLED, MP_DETACHED, MP_OUTCOME_COUNT };

/* What the collector was doing. MP_GC_PAUSE is the whole time that the program was stopped; the
 * others lie within one and, except MP_GC_MINOR, are recorded on request only (MP_GC_TRACED). */
enum mp_gc_phase {
    MP_GC_PAUSE,    /* words: promoted */
    MP_GC_MINOR,    /* words: promoted */
    MP_GC_MARK,     /* words: visited */
    MP_GC_MARK_END, /* the end of marking: weak references, finalisers, dead samples */
    MP_GC_SWEEP,    /* words: of work, one for eight swept words */
    MP_GC_PHASE_COUNT
};
/* Its name, for reports. */
static inline const char *mp_gc_phase_name(enum mp_gc_phase phase) {
    static const char *const names[MP_GC_PHASE_COUNT] = {"pause", "minor collection", "mark",
                                                         "end of marking", "sweep"};
    return names[phase];
}

/* The owner of a pause. The last collection, after the program's end, also belongs to the
 * recorder. */
enum mp_pause_owner { MP_PAUSE_PROGRAM, MP_PAUSE_RECORDER, MP_PAUSE_OWNERS };

/* Why a pause of the program happened. */
enum mp_cause {
    MP_CAUSE_UNKNOWN,
    MP_CAUSE_ALLOCATION,
    MP_CAUSE_PACE,
    MP_CAUSE_EXTERNAL,
    MP_CAUSE_PROGRAM,
    MP_CAUSE_LIMIT,
    MP_CAUSE_MACHINE,
    MP_CAUSES
};
static inline const char *mp_cause_name(enum mp_cause cause) {
    static const char *const names[MP_CAUSES] = {
        "unknown",         "minor heap full", "growth of the major heap", "memory outside the heap",
        "the program: Gc", "limit of memory", "the collector's tables"};
    return names[cause];
}

/* The lowest rate: below it estimates would be infinite. */
#define MP_RATE_MIN 1e-100

/* The largest weight of a hit. */
#define MP_WEIGHT_MAX ((uint64_t)1 << 31)

/* The longest path in WRITTEN. */
#define MP_PATH_MAX 4095

/* CPU time of one tick of TICKS. */
#define MP_TICK_NS 10000000

/* Flags of START. */
enum {
    MP_GC_TRACED = 1,
    MP_FORKED = 2,
    MP_EXACT_SITES = 4,
    MP_SNAPSHOT = 8, /* the file is a heap snapshot */
    MP_VALUES = 16,  /* and may have CONTENTS */
    MP_FLAGS_ALL = 31
};

/* How much of a block CONTENTS has at most: bytes of a string, floats of an array, fields. */
enum { MP_CONTENT_BYTES = 32, MP_CONTENT_FLOATS = 4, MP_CONTENT_FIELDS = 8 };

/* What holds a root of a heap snapshot. name: a string's number; place: a location's. */
enum mp_root_kind {
    MP_ROOT_GLOBAL,    /* name: the module; slot: the number of the global */
    MP_ROOT_STACK,     /* place: the call; slot: the word of its frame */
    MP_ROOT_C,         /* a variable of C code; name: its library, or "" */
    MP_ROOT_FINALISER, /* a finaliser's function, or the value that it is called with */
    MP_ROOT_MACHINE,   /* name: what part of the machine holds it */
    MP_ROOT_KINDS
};

/* What holds a promoted block: a root as above, or a field of a major block. name: what block;
 * place: where the field was set, or 0; slot: 1 + the field, 0 of large blocks. */
enum { MP_HELD_FIELD = MP_ROOT_KINDS, MP_HELD_KINDS };

/* What a name of a heap snapshot belongs to. */
enum mp_name_kind {
    MP_NAME_FIELD,     /* field `slot` of the block in global `of`: of a module; from its .cmi */
    MP_NAME_CAPTURED,  /* field `slot` of closures of location `of`; from debugging information */
    MP_NAME_VARIABLE,  /* word `slot` of frames at location `of`; likewise */
    MP_NAME_EXCEPTION, /* global `of`, an exception of OCaml's own; slot: 0 */
    MP_NAME_IN_TABLE,  /* field `slot` of objects whose methods are block `of`; from the table of
                          their class in the heap */
    MP_NAME_IN_METHOD, /* likewise; from debugging information of the methods */
    MP_NAME_CLASS,     /* the class of these objects, or whose methods they have; slot: 0 */
    MP_NAME_KINDS
};

/* Where the description of a type is from. */
enum mp_type_source {
    MP_TYPE_BUILT_IN,  /* OCaml's own types, such as lists; and tuples */
    MP_TYPE_INTERFACE, /* a .cmi file */
    MP_TYPE_DEBUG,     /* debugging information */
    MP_TYPE_SOURCES
};
/* What values of a type may be. */
enum mp_shape_kind {
    MP_SHAPE_FIELDS, /* a block with the fields that follow */
    MP_SHAPE_ARRAY,  /* a block with any number of fields, all of them as the one that follows */
    MP_SHAPE_SAME,   /* a value of the type of the field that follows */
    MP_SHAPE_MADE,   /* what a constructor of an extensible type made: a block whose first field
                        leads to a block of the next kind, or that block itself */
    MP_SHAPE_CONSTRUCTOR, /* the block of such a constructor; what it makes has the fields that
                             follow, after the first one */
    MP_SHAPE_LABEL,       /* a block of a label, the constructor, and of the field that follows */
    MP_SHAPE_CONSTANT,    /* an integer, the tag, that stands for a constructor */
    MP_SHAPE_KINDS
};

struct mp_text {
    const char *bytes; /* NUL-terminated as the reader gives it; may hold further NULs */
    size_t length;
};

/* A source range of a call or an allocation. Without debugging information file and definition are
 * "", the numbers except code 0. */
struct mp_location {
    uint64_t code; /* the position in the program's code; unique */
    const char *file, *definition;
    uint32_t line, start, end; /* columns from 0 */
    int tag;                   /* of the blocks sampled there, as of the last record; -1: unknown */
};

/* A call stack is a node and its callers up to number 0, which is not a frame. */
struct mp_stack_node {
    uint32_t caller;   /* a lower number */
    uint32_t location; /* from 1 */
    uint32_t depth;    /* frames of the stack, this one included */
};

/* A thread of the program, and its domain (of programs of OCaml 4: 0). Both are the program's own
 * numbers plus 1; 0: unknown. */
struct mp_thread {
    uint64_t domain, number;
};

struct mp_sample {
    uint64_t id;      /* 0, 1, 2 ... in the order of the file */
    uint64_t words;   /* without header, if it has one */
    uint64_t samples; /* how many of its words were hit, >= 1, and not left out since */
    uint64_t weight;  /* each of them stands for that many that were recorded, >= 1 */
    uint32_t stack;   /* the node of the allocation point; 0: unknown */
    enum mp_source source;
    bool young;              /* born in the minor heap */
    int tag;                 /* of the block; -1: unknown */
    struct mp_thread thread; /* that allocated it */
};

/* Exact totals since the machine started, in words, headers included. Allocated in all:
 * minor_words + major_words - promoted_words. What a file covers is the last less the first.
 * counters.def lists them. */
struct mp_counters {
    uint64_t minor_words, promoted_words;
    uint64_t major_words;    /* promoted ones included */
    uint64_t external_words; /* memory outside the heap, charged to blocks (MP_SOURCE_CUSTOM) */
    uint64_t minor_collections, major_collections;
    uint64_t live_words; /* live after the last marking, plus those added to the major heap since */
    uint64_t heap_words; /* the major heap's memory */
};

#endif
