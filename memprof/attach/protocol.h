/* protocol.h - messages between a process that runs a program and one that attaches to it.
 *
 *     the attacher                                the process
 *     creates the socket FOLDER/PID, listens
 *     sends MP_ATTACH_SIGNAL, queued with a value
 *                                                 connects at its next poll
 *     sends a request, with a descriptor          acts, and answers
 *                                                 answers again when a bound recording ends
 *
 * AT1  A process opens no socket and no file before it is asked, and never listens.
 * AT2  Both ends use a connection only if the peer is of the process's user or root (SO_PEERCRED),
 *      and the attacher only if it is that process.
 * AT3  The process waits for an attacher MP_ATTACH_WAIT_MS at most, once for each request. */
#ifndef BACTRIAN_MEMPROF_ATTACH_PROTOCOL_H
#define BACTRIAN_MEMPROF_ATTACH_PROTOCOL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Of 34 to 64 one that neither glibc (32, 33) nor valgrind (64) uses. Its queued value
 * distinguishes a request from the same signal of another sender, which has its usual effect. */
enum { MP_ATTACH_SIGNAL = 62, MP_ATTACH_VALUE = 0x62616374, MP_ATTACH_WAIT_MS = 100 };

/* Begins each message, and ends in the protocol's version. A file without these bytes runs no
 * program that can be attached to. */
enum { MP_ATTACH_MAGIC_BYTES = 24, MP_ATTACH_NAME_BYTES = 17 /* before the version */ };
extern const char mp_attach_magic[MP_ATTACH_MAGIC_BYTES];

enum mp_request_kind {
    MP_REQUEST_STATS,
    MP_REQUEST_RECORD,   /* to the file whose descriptor comes with it, and, to be kept small, at
                            `path`, beside which the process must be able to write */
    MP_REQUEST_STOP,     /* the recording that a request began */
    MP_REQUEST_SNAPSHOT, /* to such a file, which will have the name `path` */
    MP_REQUEST_COUNT
};

enum { MP_ATTACH_FILE_BYTES = 4096 };

/* Messages are sent whole (SOCK_SEQPACKET). */
struct mp_request {
    char magic[MP_ATTACH_MAGIC_BYTES];
    uint32_t kind;                   /* enum mp_request_kind */
    uint32_t bound;                  /* the recording ends when the connection does */
    uint32_t values;                 /* the snapshot has short contents, */
    uint32_t in_pause;               /* and no child process writes it */
    double rate;                     /* of the recording */
    uint64_t duration_ns;            /* of it; 0: not limited */
    uint64_t keep_bytes;             /* its file stays smaller; 0: not limited */
    char path[MP_ATTACH_FILE_BYTES]; /* absolute, or "": it is not noted in a recording */
};

enum mp_answer {
    MP_ANSWER_DONE,
    MP_ANSWER_RECORDED,     /* it is recorded already: started_by */
    MP_ANSWER_NOT_RECORDED, /* there is no recording that a request began */
    MP_ANSWER_REFUSED,      /* not a request, or without its descriptor */
    MP_ANSWER_FAILED,       /* problem: an errno */
    MP_ANSWER_COUNT
};

struct mp_reply {
    char magic[MP_ATTACH_MAGIC_BYTES];
    uint32_t answer;   /* enum mp_answer */
    int32_t problem;   /* of MP_ANSWER_FAILED, or why a recording's file is not written any more */
    uint32_t recorded; /* it is recorded now */
    uint32_t started_by;                           /* enum mp_started_by, if so */
    uint64_t heap_words, live_words, in_use_words; /* major heap; not collected; with all else */
    uint64_t before_words, pause_ns; /* of a request: what was reachable, and how long that took */
    uint64_t samples, lost_samples, elapsed_ns, overhead_ns, file_bytes; /* of the recording */
    uint64_t blocks, words;                                              /* of the snapshot */
};

/* The folder of a user's sockets is `runtime`/bactrian if that is a folder of the owner's, else
 * bactrian-UID below `temporary` or /tmp (NULL or "": not set). It must be a folder of mode 0700 of
 * the owner's, no symbolic link; with `create` it is created if nothing has its name. Writes the
 * path of process `pid`'s socket in it. Returns 0 or an errno. GC: never. */
enum { MP_ATTACH_PATH_BYTES = 108 };
int mp_attach_path(const char *runtime, const char *temporary, uid_t owner, pid_t pid, bool create,
                   char path[MP_ATTACH_PATH_BYTES]);

#endif
