/* attach.c - serves requests (protocol.h) at polls.
 *
 * A process has one handler of the signal, so the machine that it serves is a file-scope word
 * (`signal_attachable`, named in vm/README.md). The handler changes words of the machine only. */
#include "memprof/attach/attach.h"

#include "gc/heap.h"
#include "gc/stats.h"
#include "memprof/attach/protocol.h"
#include "memprof/recorder/fatal_signals.h"
#include "memprof/recorder/recorder.h"
#include "memprof/snapshot/snapshot.h"
#include "vm/base/os.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 4 };

#define CHECK_EVERY_NS ((uint64_t)100000000)

/* What one request needs, and what is left of a bound recording. */
struct attachment {
    struct vm *vm;
    pid_t process;
    int connection; /* of the recording that ends with it; -1: there is none */
    int writer;     /* the child process that writes a snapshot; 0: none */
    ino_t inode;    /* of the connection: the program may close all descriptors */
    bool limited;   /* the recording that a request began has a connection or a deadline */
    uint64_t deadline_ns, checked_ns; /* deadline: UINT64_MAX: none */
    char path[MP_ATTACH_FILE_BYTES];  /* of the recording's file, if it is kept small */
};

static struct vm *_Atomic signal_attachable;

/* ---- Messages. ---- */

/* The recording that a request began; NULL: there is none. */
static struct mp_recorder *requested_recorder(struct vm *vm) {
    struct mp_recorder *r = mp_recorder_of(vm);
    return r != NULL && mp_recorder_started_by(r) == MP_BY_REQUEST ? r : NULL;
}

static struct mp_reply reply_of(struct vm *vm, enum mp_answer answer, int problem) {
    const struct gc_stats now = gc_stats_read(&vm->domain->gc);
    struct mp_recorder *r = mp_recorder_of(vm);
    struct mp_reply reply = {.answer = answer,
                             .problem = problem,
                             .recorded = r != NULL && mp_recorder_is_active(r),
                             .heap_words = now.heap_words,
                             .live_words = now.live_words,
                             .in_use_words = now.in_use_words};
    memcpy(reply.magic, mp_attach_magic, sizeof reply.magic);
    if (reply.recorded) reply.started_by = mp_recorder_started_by(r);
    return reply;
}

static void add_recording(struct mp_reply *reply, const struct mp_recording *done) {
    reply->samples = done->samples;
    reply->lost_samples = done->lost_samples;
    reply->elapsed_ns = done->elapsed_ns;
    reply->overhead_ns = done->overhead.wall_ns;
    reply->file_bytes = done->file_bytes;
    if (done->failed) reply->problem = done->problem;
}

/* An attacher that does not read misses the reply (AT3). */
static void send_reply(int fd, const struct mp_reply *reply) {
    ssize_t sent = send(fd, reply, sizeof *reply, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)sent;
}

/* Takes the descriptors of a message; returns the first one, -1 if there is none. */
static int take_descriptor(struct msghdr *message) {
    int first = -1, fds[MOST_DESCRIPTORS];
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(fds, CMSG_DATA(c), count * sizeof(int));
        for (size_t i = 0; i < count; i++) {
            if (first < 0) first = fds[i];
            else close(fds[i]);
        }
    }
    return first;
}

/* Waits until fd can be read, or the time is over (AT3). */
static void wait_for_request(int fd) {
    struct pollfd input = {.fd = fd, .events = POLLIN};
    const uint64_t end = vm_now_ns() + (uint64_t)MP_ATTACH_WAIT_MS * 1000000;
    for (uint64_t now; (now = vm_now_ns()) < end;)
        if (poll(&input, 1, (int)((end - now) / 1000000) + 1) >= 0 || errno != EINTR) return;
}

/* False: this is not a request. *passed: the descriptor that came with it, or -1. */
static bool read_request(int fd, struct mp_request *request, int *passed) {
    union {
        char bytes[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {request, sizeof *request};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    wait_for_request(fd);
    ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    *passed = n < 0 ? -1 : take_descriptor(&message);
    return n == (ssize_t)sizeof *request && (message.msg_flags & MSG_TRUNC) == 0 &&
           memcmp(request->magic, mp_attach_magic, sizeof request->magic) == 0 &&
           request->kind < MP_REQUEST_COUNT && request->bound <= 1 && request->values <= 1 &&
           request->in_pause <= 1 && memchr(request->path, 0, sizeof request->path) != NULL;
}

/* Whether a descriptor can become a file: other kinds could make the program wait. */
static bool is_empty_file(int fd) {
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 &&
           (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

/* ---- The connection. ---- */

/* AT2 */
static bool is_trusted(int fd) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

/* -1: no attacher waits, or it is not trusted. */
static int connect_to_attacher(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (mp_attach_path(getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), geteuid(), getpid(), false,
                       address.sun_path) != 0)
        return -1;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 && is_trusted(fd))
        return vm_move_high(fd);
    close(fd);
    return -1;
}

static bool has_connection(const struct attachment *a) {
    struct stat status;
    return a->connection >= 0 && fstat(a->connection, &status) == 0 && S_ISSOCK(status.st_mode) &&
           status.st_ino == a->inode;
}

static void forget_limits(struct attachment *a) {
    if (has_connection(a)) close(a->connection);
    a->connection = -1;
    a->limited = false;
}

/* ---- Recordings. ---- */

/* Ends the recording, and reports it to fd (-1: to nobody) and to its own attacher. */
static void end_recording(struct attachment *a, struct mp_recorder *r, int fd) {
    struct mp_recording done;
    mp_recorder_finish(r, MP_DETACHED, 0, &done);
    struct mp_reply reply = reply_of(a->vm, MP_ANSWER_DONE, 0);
    add_recording(&reply, &done);
    if (fd >= 0) send_reply(fd, &reply);
    if (has_connection(a)) send_reply(a->connection, &reply);
    forget_limits(a);
}

static bool hung_up(const struct attachment *a) {
    char byte;
    if (a->connection < 0) return false;
    if (!has_connection(a)) return true;
    ssize_t n = recv(a->connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* Ends a recording whose time is over or whose attacher is gone, and reaps a snapshot's writer;
 * checks at most once in CHECK_EVERY_NS, except when at_once. */
static void check_limits(struct attachment *a, bool at_once) {
    uint64_t now;
    if (!a->limited && a->writer == 0) return;
    if ((now = vm_now_ns()) - a->checked_ns < CHECK_EVERY_NS && !at_once) return;
    a->checked_ns = now;
    if (a->writer != 0 && mp_snapshot_ended(a->writer)) a->writer = 0;
    if (!a->limited) return;
    struct mp_recorder *r = requested_recorder(a->vm);
    bool is_child = getpid() != a->process;
    if (is_child || r == NULL) forget_limits(a);
    else if (now >= a->deadline_ns || hung_up(a) || !mp_recorder_is_active(r))
        end_recording(a, r, -1);
}

/* A child process inherits the recorder of its parent, which records nothing there. */
static void drop_recorder_of_parent(struct vm *vm) {
    struct mp_recorder *r = mp_recorder_of(vm);
    struct mp_recording state = {.silent = false};
    if (r == NULL || mp_recorder_is_active(r)) return;
    mp_recorder_read(r, &state);
    if (state.silent) mp_recorder_finish(r, MP_DETACHED, 0, &state);
}

/* One whose file could not be written any more does not prevent another one. */
static void drop_failed_recorder(struct attachment *a) {
    struct mp_recorder *r = requested_recorder(a->vm);
    if (r != NULL && !mp_recorder_is_active(r)) end_recording(a, r, -1);
}

/* Whether the process may write beside the file that it is to keep small; else an errno. */
static int check_folder(const struct mp_request *request) {
    struct mp_output output;
    if (request->path[0] != '/') return EINVAL;
    int problem = mp_output_find(&output, request->path, NULL, MP_REPLACE_ANY);
    mp_output_free(&output);
    return problem;
}

/* Counts what is live, once (`before`), and starts. Returns the reply. */
static struct mp_reply begin_recording(struct attachment *a, const struct mp_request *request,
                                       int file) {
    struct vm *vm = a->vm;
    const bool kept = request->keep_bytes != 0;
    const uint64_t began = vm_now_ns();
    const int problem = kept ? check_folder(request) : 0;
    if (problem != 0) {
        close(file);
        return reply_of(vm, MP_ANSWER_FAILED, problem);
    }
    memcpy(a->path, request->path, sizeof a->path);
    gc_mark_everything(&vm->domain->gc);
    const struct gc_stats now = gc_stats_read(&vm->domain->gc);
    const struct mp_recorder_options options = {
        .path = kept ? a->path : "attached",
        .descriptor = file,
        .started_by = MP_BY_REQUEST,
        .before_words = now.in_use_words - now.young_words,
        .rate = request->rate,
        .keep_bytes = request->keep_bytes,
        .no_handlers = true,
        .program = vm->options.argv[0],
        .parameters = getenv("OCAMLRUNPARAM"),
        .recorder = "bactrian " BACTRIAN_VERSION,
    };
    const uint64_t pause = vm_now_ns() - began;
    if (mp_recorder_start(vm, &options) == NULL) return reply_of(vm, MP_ANSWER_FAILED, errno);
    struct mp_reply reply = reply_of(vm, MP_ANSWER_DONE, 0);
    reply.before_words = options.before_words;
    reply.pause_ns = pause;
    return reply;
}

/* Takes both descriptors: the connection stays open as long as a bound recording. */
static void record(struct attachment *a, const struct mp_request *request, int file, int fd) {
    struct mp_reply reply;
    const bool is_rate = request->rate > 0 && request->rate <= 1;
    const bool is_size = request->keep_bytes == 0 || request->keep_bytes >= MP_LEAST_KEPT_BYTES;
    drop_recorder_of_parent(a->vm);
    drop_failed_recorder(a);
    if (!is_rate || !is_size || !is_empty_file(file)) reply = reply_of(a->vm, MP_ANSWER_REFUSED, 0);
    else if (mp_recorder_of(a->vm) != NULL) reply = reply_of(a->vm, MP_ANSWER_RECORDED, 0);
    else {
        forget_limits(a);
        reply = begin_recording(a, request, file);
        file = -1; /* the recorder's */
    }
    if (file >= 0) close(file);
    send_reply(fd, &reply);
    if (reply.answer != MP_ANSWER_DONE || (!request->bound && request->duration_ns == 0)) {
        close(fd);
        return;
    }
    struct stat status;
    const uint64_t now = vm_now_ns();
    a->limited = true;
    a->process = getpid();
    a->deadline_ns = request->duration_ns == 0 || request->duration_ns > UINT64_MAX - now
                         ? UINT64_MAX
                         : now + request->duration_ns;
    a->connection = request->bound ? fd : -1;
    a->inode = fstat(fd, &status) == 0 ? status.st_ino : 0;
    if (!request->bound) close(fd);
}

/* ---- Other requests. ---- */

static void stop(struct attachment *a, int fd) {
    drop_recorder_of_parent(a->vm);
    struct mp_recorder *r = requested_recorder(a->vm);
    if (r != NULL) {
        end_recording(a, r, fd);
        return;
    }
    const struct mp_reply reply = reply_of(a->vm, MP_ANSWER_NOT_RECORDED, 0);
    send_reply(fd, &reply);
}

/* mp_snapshot_options.report */
static void report_snapshot(const struct mp_snapshot_options *options, const char *path,
                            const struct mp_record_heap *total, uint64_t file_bytes, int problem) {
    struct mp_reply reply = reply_of(options->vm, MP_ANSWER_FAILED, problem);
    (void)path;
    if (total != NULL) {
        reply.answer = MP_ANSWER_DONE;
        reply.pause_ns = total->duration_ns;
        reply.blocks = total->blocks;
        reply.words = total->words;
        reply.file_bytes = file_bytes;
    }
    send_reply(options->connection, &reply);
}

/* Waits for the child that writes a snapshot, which a child of the program cannot do. */
static void settle(struct attachment *a) {
    if (a->writer != 0) mp_snapshot_wait(a->writer);
    a->writer = 0;
}

/* The program goes on while a child process writes the file and answers. */
static void snapshot(struct attachment *a, const struct mp_request *request, int file, int fd) {
    struct mp_record_heap total;
    uint64_t bytes = 0;
    struct vm *vm = a->vm;
    if (!is_empty_file(file)) {
        const struct mp_reply reply = reply_of(vm, MP_ANSWER_REFUSED, 0);
        send_reply(fd, &reply);
        if (file >= 0) close(file);
        return;
    }
    char path[40], shown[4096];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file); /* a name for memprof/format/output.h */
    const struct mp_snapshot_options options = {.path = path,
                                                .named = request->path,
                                                .program = vm->options.argv[0],
                                                .values = request->values,
                                                .report = report_snapshot,
                                                .vm = vm,
                                                .connection = fd};
    settle(a);
    if (!request->in_pause) a->writer = mp_snapshot_fork(vm->domain, &options, MP_REPLACE_OUTPUT);
    if (a->writer == 0) {
        int problem = mp_snapshot_write(vm->domain, &options, MP_REPLACE_OUTPUT, shown, &total,
                                        &bytes);
        report_snapshot(&options, shown, problem == 0 ? &total : NULL, bytes, problem);
    }
    close(file);
}

static void report_state(struct attachment *a, int fd) {
    struct mp_recorder *r = mp_recorder_of(a->vm);
    struct mp_reply reply = reply_of(a->vm, MP_ANSWER_DONE, 0);
    struct mp_recording state;
    if (reply.recorded || requested_recorder(a->vm) != NULL) {
        mp_recorder_read(r, &state);
        add_recording(&reply, &state);
    }
    send_reply(fd, &reply);
}

static void serve(struct attachment *a) {
    struct mp_request request;
    int file, fd = connect_to_attacher();
    if (fd < 0) return;
    if (!read_request(fd, &request, &file)) {
        const struct mp_reply reply = reply_of(a->vm, MP_ANSWER_REFUSED, 0);
        send_reply(fd, &reply);
        if (file >= 0) close(file);
        close(fd);
        return;
    }
    if (request.kind == MP_REQUEST_RECORD) {
        record(a, &request, file, fd);
        return;
    }
    if (request.kind == MP_REQUEST_SNAPSHOT) {
        snapshot(a, &request, file, fd);
        file = -1;
    } else if (request.kind == MP_REQUEST_STOP) stop(a, fd);
    else report_state(a, fd);
    if (file >= 0) close(file);
    close(fd);
}

/* ---- Polls, and the signal. ---- */

/* vm_requests.poll. wanted: a request has come since the last poll. */
static void poll_requests(struct vm *vm, bool wanted) {
    struct attachment *a = vm->requests.state;
    int saved = errno;
    if (a == NULL && wanted) {
        a = calloc(1, sizeof *a);
        if (a == NULL) return;
        *a = (struct attachment){.vm = vm, .connection = -1};
        vm->requests.state = a;
    }
    /* First, so that an attacher does not find the recording of one that has left. */
    if (a != NULL) check_limits(a, wanted);
    if (wanted) serve(a);
    errno = saved;
}

static void poll_limits(struct vm *vm) { poll_requests(vm, false); }

static void poll_request(struct vm *vm) {
    void (*expected)(struct vm *) = poll_request;
    atomic_compare_exchange_strong(&vm->requests.poll, &expected, poll_limits);
    poll_requests(vm, true);
}

/* Without MP_ATTACH_VALUE the signal has its default action: it ends the process. */
static void on_signal(int number, siginfo_t *info, void *context) {
    struct vm *vm = atomic_load(&signal_attachable);
    if (info->si_code != SI_QUEUE || info->si_value.sival_int != MP_ATTACH_VALUE) {
        mp_die_of(number);
    } else if (vm != NULL) {
        vm->requests.poll = poll_request;
        gc_request_action(&vm->domain->gc);
    }
}

void mp_attach_listen(struct vm *vm) {
    struct vm *nobody = NULL;
    struct sigaction old, new = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigemptyset(&new.sa_mask);
    if (!atomic_compare_exchange_strong(&signal_attachable, &nobody, vm)) return;
    if (sigaction(MP_ATTACH_SIGNAL, &new, &old) == 0 && old.sa_handler != SIG_DFL)
        sigaction(MP_ATTACH_SIGNAL, &old, NULL);
}

void mp_attach_end(struct vm *vm) {
    struct vm *self = vm;
    struct attachment *a = vm->requests.state;
    if (!atomic_compare_exchange_strong(&signal_attachable, &self, NULL)) return;
    vm->requests.poll = NULL;
    vm->requests.state = NULL;
    if (a != NULL) {
        forget_limits(a);
        settle(a);
    }
    free(a);
}
