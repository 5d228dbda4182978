/* reader.h - reads a profile file event by event, also a damaged or hostile one.
 *
 *     struct mp_reader *r = mp_reader_of_bytes(bytes, length, &error);
 *     while (mp_reader_next(r, &event)) ... use event, mp_reader_stack, mp_reader_location ...
 *     mp_reader_coverage(r, &coverage);      whether the file was whole
 *     mp_reader_close(r);
 *
 * PR1  Nothing in a file is trusted: checksums, lengths, counts, numbers and order are checked
 *      before use, and memory is proportional to what was read.
 * PR2  Every event before the first damage is returned, and none after it.
 * PR3  What events refer to (stacks, locations, strings, samples) was defined before; a sample is
 *      promoted at most once and dies at most once, in this order. */
#ifndef BACTRIAN_MEMPROF_FORMAT_READER_H
#define BACTRIAN_MEMPROF_FORMAT_READER_H

#include "memprof/format/record.h"

struct mp_reader;

enum mp_event_kind {
    MP_EVENT_SAMPLE,
    MP_EVENT_HELD,
    MP_EVENT_PROMOTED,
    MP_EVENT_DIED,
    MP_EVENT_SETTINGS,
    MP_EVENT_BEFORE,
    MP_EVENT_GC_SPAN,
    MP_EVENT_PAUSE,
    MP_EVENT_RESIDENT,
    MP_EVENT_TICKS,
    MP_EVENT_MARKING,
    MP_EVENT_MAXIMUM,
    MP_EVENT_PHASE_ENTER,
    MP_EVENT_PHASE_LEAVE,
    MP_EVENT_COUNT,
    MP_EVENT_COUNTERS,
    MP_EVENT_SITE,
    MP_EVENT_SELECTION,
    MP_EVENT_EXCESS,
    MP_EVENT_OMITTED,
    MP_EVENT_WRITTEN,
    MP_EVENT_ROOT, /* up to MP_EVENT_CONTENTS: of heap snapshots only */
    MP_EVENT_BLOCKS,
    MP_EVENT_EPHEMERON,
    MP_EVENT_HEAP,
    MP_EVENT_NAME,
    MP_EVENT_SAMPLED,
    MP_EVENT_TYPE,
    MP_EVENT_SHAPE,
    MP_EVENT_LABEL,
    MP_EVENT_MEMBER,
    MP_EVENT_TYPED,
    MP_EVENT_CONTENTS,
    MP_EVENT_FINISH,
    MP_EVENT_COST,
    MP_EVENT_END,
};

/* One event: for most kinds the record itself. Times never decrease. */
struct mp_event {
    enum mp_event_kind kind;
    uint64_t time_us; /* since started_us; of a GC span: its end */
    union {
        struct mp_sample sample;
        struct {
            uint64_t id;
            const struct mp_record_held *by; /* without its list; valid until the next event */
        } held;                              /* a young sample: what leads to it first */
        struct {
            uint64_t id;
        } promoted; /* a young sample, once, before it died */
        struct {
            uint64_t id;
            enum mp_generation generation;
        } died; /* once */
        struct {
            uint32_t name;            /* a string's number */
        } phase;                      /* of entering and leaving */
        struct mp_record_count count; /* name: a string's number */
        struct mp_counters counters;
        struct mp_record_settings settings; /* the text is valid until the next event */
        struct mp_record_before before;     /* at most once; words: also those outside the heap */
        struct mp_record_gc_span gc_span;
        struct {
            struct mp_record_pause pause; /* owner: enum mp_pause_owner */
            enum mp_cause cause;
        };
        struct mp_record_resident resident;
        struct mp_record_ticks ticks;
        /* All samples that it found dead have died by now. The words were reachable when it began,
         * in the heap and outside. */
        struct mp_record_marking marking;
        /* Words not yet collected, in both heaps, and outside; at least 1 % above the last one. */
        struct mp_record_maximum maximum;
        struct mp_record_site site; /* exact, since its last such event; headers included */
        /* The file's samples are a part of those recorded; hits: of all of these; 0: unknown. */
        struct mp_record_selection selection;
        struct mp_record_excess excess; /* of all samples that were recorded, as selection */
        struct mp_record_omitted omitted;
        struct mp_record_root root;     /* kind: enum mp_root_kind; place: a location, 0: none */
        struct mp_record_blocks blocks; /* valid until the next event; not checked */
        struct mp_record_contents contents; /* likewise */
        struct mp_record_ephemeron ephemeron;
        struct mp_record_heap heap;
        struct mp_record_written written; /* its text is valid until the next event */
        struct mp_record_sampled sampled; /* place: a location, 0: unknown */
        struct mp_record_type type;       /* name: a string; likewise of the next two */
        struct mp_record_label label;
        struct mp_record_shape shape;   /* of the last type, which there is */
        struct mp_record_member member; /* of the last shape, which there is */
        struct mp_record_typed typed;   /* of the last name, which there is */
        struct mp_record_name name;     /* kind: enum mp_name_kind; text: a string */
        struct mp_record_finish finish; /* status: exit status, or signal of MP_KILLED */
        struct mp_record_cost cost;
        /* The overhead as the recorder measured it; the samples lost for lack of memory. */
        struct mp_record_end end;
    };
};

/* Why a file can't be read, or where reading ended. */
enum mp_read_status {
    MP_READ_WHOLE,    /* closed by its recorder, everything read */
    MP_READ_UNCLOSED, /* ends with a whole chunk: the program was killed, or still runs */
    MP_READ_CUT,      /* ends within a chunk */
    MP_READ_DAMAGED,  /* a chunk that differs from what its recorder wrote */
    MP_READ_FOREIGN,  /* not a profile of this format */
    MP_READ_NEWER,    /* of a later major version */
    MP_READ_EXPANDS,  /* decompresses to more than a file of its size may */
    MP_READ_NO_MEMORY,
};

struct mp_read_error {
    enum mp_read_status status;
    char detail[160]; /* what was found and where, for a message; may be "" */
};

struct mp_coverage {
    enum mp_read_status status; /* not MP_READ_FOREIGN, not MP_READ_NEWER */
    uint64_t chunks;            /* read whole */
    uint64_t read_bytes;        /* of the file, up to the last of them */
    uint64_t ignored_bytes;     /* after it */
    uint64_t events;
    char detail[160];
};

/* A short text for a status. */
const char *mp_read_status_text(enum mp_read_status status);

/* Opens a file's bytes, which must outlive the reader, and reads its start. Fails: NULL and
 * *error. */
struct mp_reader *mp_reader_of_bytes(const uint8_t *bytes, size_t length,
                                     struct mp_read_error *error);
void mp_reader_close(struct mp_reader *r); /* NULL is fine */
/* The file has grown: bytes holds its content from offset `from` to from + length. Reading
 * continues where it ended, unless the file is damaged or complete. Needs: from is at most
 * mp_coverage.read_bytes. */
void mp_reader_extend(struct mp_reader *r, const uint8_t *bytes, uint64_t from, size_t length);

/* Whether these first n bytes of a file are those of a profile, of any version. */
bool mp_reader_recognises(const uint8_t *bytes, size_t n);

/* The next event. False: there is none; mp_reader_coverage has the reason. */
bool mp_reader_next(struct mp_reader *r, struct mp_event *event);

/* Reads a UINT at *at, which it advances: for the content of BLOCKS. False: there is none before
 * end. */
bool mp_get_uint(const uint8_t **at, const uint8_t *end, uint64_t *out);

/* The record START (memprof/format/record.h), with NUL-terminated texts. Valid as long as the
 * reader. */
const struct mp_record_start *mp_reader_start(const struct mp_reader *r);
/* The major version of the file. */
unsigned mp_reader_version(const struct mp_reader *r);
/* How much has been read; final once mp_reader_next has returned false. */
void mp_reader_coverage(const struct mp_reader *r, struct mp_coverage *out);

/* Tables, as far as they have been read; they only grow. Numbers are those of events and stack
 * nodes. A returned pointer is valid until the next mp_reader_next, the texts in it as long as the
 * reader. Locations, nodes and strings are numbered from 1 to the count; 0 is the unknown location
 * (file ""), no frame (depth 0), the empty string. */
uint32_t mp_reader_location_count(const struct mp_reader *r);
const struct mp_location *mp_reader_location(const struct mp_reader *r, uint32_t number);
uint32_t mp_reader_stack_count(const struct mp_reader *r);
const struct mp_stack_node *mp_reader_stack(const struct mp_reader *r, uint32_t number);
uint32_t mp_reader_string_count(const struct mp_reader *r);
const char *mp_reader_string(const struct mp_reader *r, uint32_t number);
uint64_t mp_reader_sample_count(const struct mp_reader *r);

#endif
