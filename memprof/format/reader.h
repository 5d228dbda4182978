/* reader.h - reads a profile file, event by event, whatever is in it.
 *
 *     struct mp_reader *r = mp_reader_open(path, &error);
 *     while (mp_reader_next(r, &event)) ... use event, mp_reader_stack, mp_reader_location ...
 *     mp_reader_coverage(r, &coverage);      says whether the file was whole
 *     mp_reader_close(r);
 *
 * PR1  Nothing in a file is believed: checksums, lengths, counts, numbers and order are checked
 *      before use, and no more memory is asked for than what was read accounts for.
 * PR2  Every event before the first damage is given, none behind it.
 * PR3  What events name (stacks, locations, strings, samples) has been defined by then; a sample is
 *      promoted at most once and dies at most once, in this order. */
#ifndef BACTRIAN_MEMPROF_FORMAT_READER_H
#define BACTRIAN_MEMPROF_FORMAT_READER_H

#include "memprof/format/format.h"

struct mp_reader;

/* Why a file can't be read, or where reading ended. */
enum mp_read_status {
    MP_READ_WHOLE,    /* closed by its recorder, everything read */
    MP_READ_UNCLOSED, /* ends with a whole chunk: the program was killed, or goes on */
    MP_READ_CUT,      /* ends within a chunk */
    MP_READ_DAMAGED,  /* a chunk that is not what its recorder wrote */
    MP_READ_NO_FILE,  /* errno */
    MP_READ_FOREIGN,  /* not a profile of ours */
    MP_READ_NEWER,    /* of a later major version */
    MP_READ_NO_MEMORY,
};

struct mp_read_error {
    enum mp_read_status status;
    char detail[160]; /* what was found, where: for a message; may be "" */
};

struct mp_coverage {
    enum mp_read_status status; /* of those from MP_READ_WHOLE to MP_READ_NO_FILE, or NO_MEMORY */
    uint64_t chunks;            /* read whole */
    uint64_t read_bytes;        /* of the file, up to the last of them */
    uint64_t ignored_bytes;     /* behind it */
    uint64_t events;
    char detail[160];
};

/* A short text for a status. */
const char *mp_read_status_text(enum mp_read_status status);

/* Opens a profile and reads its start. Whoever wants to read from standard input gives a path that
 * names it. NULL: *error says why. */
struct mp_reader *mp_reader_open(const char *path, struct mp_read_error *error);
/* The same for a profile in memory, which stays the caller's and must outlive the reader. */
struct mp_reader *mp_reader_of_bytes(const uint8_t *bytes, size_t length,
                                     struct mp_read_error *error);
/* The same for a file that is open, at its start: closed with the reader, and on failure. */
struct mp_reader *mp_reader_of_fd(int fd, struct mp_read_error *error);
void mp_reader_close(struct mp_reader *r); /* NULL is fine */

/* Whether a file starts like a profile of ours, of any version; n: how many bytes there are. */
bool mp_reader_recognises(const uint8_t *bytes, size_t n);

/* The next event. False: there is none; mp_reader_coverage tells why. */
bool mp_reader_next(struct mp_reader *r, struct mp_event *event);

/* What was recorded. Valid as long as the reader. */
const struct mp_start *mp_reader_start(const struct mp_reader *r);
/* How far reading has come; final once mp_reader_next returned false. */
void mp_reader_coverage(const struct mp_reader *r, struct mp_coverage *out);

/* Tables, as far as they have been read; they only grow. Numbers come from events and stack nodes:
 * others may not be asked for. A returned pointer is valid until the next mp_reader_next, the texts
 * in it as long as the reader. Numbers of locations, nodes and strings run from 1 to the count; 0
 * is the unknown location (file ""), no frame (depth 0), the empty string. */
uint32_t mp_reader_location_count(const struct mp_reader *r);
const struct mp_location *mp_reader_location(const struct mp_reader *r, uint32_t number);
uint32_t mp_reader_stack_count(const struct mp_reader *r);
const struct mp_stack_node *mp_reader_stack(const struct mp_reader *r, uint32_t number);
uint32_t mp_reader_string_count(const struct mp_reader *r);
const char *mp_reader_string(const struct mp_reader *r, uint32_t number);
uint64_t mp_reader_sample_count(const struct mp_reader *r);

#endif
