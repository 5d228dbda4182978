/* signals.c - signals for a recorder: snapshots, and closing the file when the process is killed.
 *
 * SIGUSR1 and the signals that end a process get a handler while their disposition is the default
 * one. The program may install its own at any time, and never sees ours: to OCaml's Sys.signal the
 * disposition is the default.
 *
 * A handler may interrupt anything, and may run in a thread that does not hold the runtime lock. It
 * records its request, which is served immediately if no section of the recorder runs, else when
 * that section ends; meanwhile no section may begin (RI3). Handlers use system calls and write the
 * open chunk uncompressed, and allocate nothing.
 *
 * A process has one set of handlers, so the recorder that they serve is a file-scope word
 * (`signal_recorder`, named in vm/README.md). */
#include "memprof/recorder/fatal_signals.h"
#include "memprof/recorder/recorder_internal.h"
#include "vm/base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_NS = 100000, WAITS_AT_EXIT = 10000 };

static struct mp_recorder *_Atomic signal_recorder;

/* The recorder that handlers serve; RC3: a child process inherits them, but not the recording. */
static struct mp_recorder *recorder_of_process(void) {
    struct mp_recorder *r = atomic_load(&signal_recorder);
    return r == NULL || r->silent || r->failed || *r->own_process == 0 ? NULL : r;
}

/* ---- The end. ---- */

/* Needs: in_handler. What the end of the program has written already is not written again. */
static void close_file(struct mp_recorder *r, enum mp_outcome outcome, int status) {
    ASSERT(r->in_handler);
    if (!mp_writer_begin_signal(r->writer)) return;
    uint64_t us = (vm_now_ns() - r->start_ns) / 1000;
    uint64_t elapsed = us < r->last_us ? 0 : us - r->last_us;
    struct mp_record_finish finish = {elapsed, (uint8_t)outcome, (uint64_t)status};
    if (!r->finished) mp_write_finish(r->writer, &finish);
    if (!r->closed) mp_end_write(r, r->finished ? elapsed : 0);
    mp_writer_end_signal(r->writer);
    r->silent = true;
    ssize_t written = 0;
    if (outcome == MP_KILLED && r->farewell != NULL)
        written = write(STDERR_FILENO, r->farewell, strlen(r->farewell));
    (void)written;
}

/* ---- Snapshots. ---- */

static bool copy(int from, int to, uint64_t bytes) {
    char buffer[16384];
    for (off_t at = 0; (uint64_t)at < bytes;) {
        size_t wanted = bytes - (uint64_t)at < sizeof buffer ? bytes - (uint64_t)at : sizeof buffer;
        ssize_t n = pread(from, buffer, wanted, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        for (ssize_t done = 0, some; done < n; done += some) {
            some = write(to, buffer + done, (size_t)(n - done));
            if (some < 0 && errno == EINTR) some = 0;
            if (some < 0) return false;
        }
        at += n;
    }
    return true;
}

/* An earlier snapshot may be replaced. In the C locale fnmatch allocates nothing. */
static bool may_replace(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) return errno == ENOENT;
    return mp_starts_as(path, MP_FILE_MAGIC "*");
}

/* After a failure only the snapshot is missing. */
static void write_snapshot(struct mp_recorder *r) {
    if (r->part_path == NULL || !mp_writer_begin_signal(r->writer)) return;
    mp_writer_end_signal(r->writer);
    int fd = open(r->part_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) return;
    bool copied = copy(r->fd, fd, mp_writer_file_bytes(r->writer));
    close(fd);
    if (!copied || !may_replace(r->snapshot_path) || rename(r->part_path, r->snapshot_path) != 0)
        unlink(r->part_path);
}

/* ---- Requests. ---- */

/* Sections have no memory barriers of their own, so that they cost nothing: a handler makes all
 * threads execute one (membarrier). If the system does not support that, a short race remains. */
static void issue_barriers(void) {
    atomic_thread_fence(memory_order_seq_cst);
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
}

/* False: a section or another handler runs. */
static bool handler_begin(struct mp_recorder *r) {
    if (atomic_exchange(&r->in_handler, true)) return false;
    issue_barriers();
    if (!r->in_section) return true;
    atomic_store(&r->in_handler, false);
    return false;
}

static bool request_pending(const struct mp_recorder *r) {
    return r->snapshot_requested || r->killed_by != 0;
}

static void serve_requests(struct mp_recorder *r) {
    bool recording = !r->silent && !r->failed;
    if (atomic_exchange(&r->snapshot_requested, false) && recording) write_snapshot(r);
    if (r->killed_by == 0) return;
    if (recording) close_file(r, MP_KILLED, r->killed_by);
    mp_die_of(r->killed_by);
}

/* Called again at the end of each section and handler, so no request is lost. */
void mp_recorder_serve_signals(struct mp_recorder *r) {
    int saved = errno;
    while (request_pending(r) && !r->in_section) {
        if (handler_begin(r)) {
            serve_requests(r);
            atomic_store(&r->in_handler, false);
        } else if (r->in_handler) {
            break;
        }
    }
    errno = saved;
}

static void wait_briefly(void) { nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL); }

bool mp_recorder_wait_for_handler(struct mp_recorder *r) {
    do {
        atomic_store(&r->in_section, false);
        while (r->in_handler) wait_briefly();
        if (!mp_recorder_is_recording(r)) return false;
        atomic_store(&r->in_section, true);
    } while (r->in_handler);
    return true;
}

static void on_fatal_signal(int number) {
    struct mp_recorder *r = recorder_of_process();
    if (r == NULL) {
        mp_die_of(number);
        return;
    }
    r->killed_by = number;
    mp_recorder_serve_signals(r);
}

static void on_snapshot_signal(int number) {
    struct mp_recorder *r = atomic_load(&signal_recorder);
    if (r != NULL && *r->own_process == 0) mp_die_of(number); /* a child: the default action */
    r = recorder_of_process();
    if (r == NULL) return;
    r->snapshot_requested = true;
    mp_recorder_serve_signals(r);
}

/* exit() in C code, after which vm_run does not return. */
static void on_exit_of_process(void) {
    struct mp_recorder *r = recorder_of_process();
    bool held = false;
    for (int i = 0; r != NULL && !held && i < WAITS_AT_EXIT; i++) {
        held = handler_begin(r);
        if (!held) wait_briefly();
    }
    if (!held) return;
    close_file(r, MP_EXITED, 0);
    atomic_store(&r->in_handler, false);
}

/* ---- Handlers. ---- */

void mp_recorder_handle_signals(struct mp_recorder *r) {
    struct mp_recorder *nobody = NULL;
    if (!atomic_compare_exchange_strong(&signal_recorder, &nobody, r)) return;
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
    r->handled = mp_handle_signal(SIGUSR1, on_snapshot_signal);
    r->handled |= mp_handle_fatal_signals(on_fatal_signal);
    atexit(on_exit_of_process);
}

void mp_recorder_restore_signals(struct mp_recorder *r) {
    if (atomic_load(&signal_recorder) != r) return;
    mp_restore_signals(r->handled, on_snapshot_signal);
    mp_restore_signals(r->handled, on_fatal_signal);
    atomic_store(&signal_recorder, NULL);
}
