/* signals.c - what signals mean to a recorder: snapshots, and closing the file in time.
 *
 * SIGUSR1 and the signals that end a process get a handler while their disposition is the default
 * one; the program may set its own at any time, and never sees ours (to OCaml's Sys.signal it is
 * the default).
 *
 * A handler may interrupt anything, and run in another thread than the one that has the machine. It
 * notes what is asked for, which is done at once if no function of the recorder runs, else when
 * that one is left; meanwhile none may begin. So between two steps of a change nobody looks at the
 * recorder or writes its file. What a handler does uses system calls and the open chunk's plain
 * bytes, nothing that allocates.
 *
 * A process has one set of handlers, so the recorder that they serve is a file-scope word
 * (`listener`, named in vm/README.md). */
#include "memprof/recorder/fatal_signals.h"
#include "memprof/recorder/recorder_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_NS = 100000, WAITS_AT_EXIT = 10000 };

static struct mp_recorder *_Atomic listener;

/* RC3: a child process inherits the handlers, not the recording. */
static struct mp_recorder *listening(void) {
    struct mp_recorder *r = atomic_load(&listener);
    return r == NULL || r->silent || r->failed || *r->alive == 0 ? NULL : r;
}

/* ---- The end. ---- */

/* Needs: the recorder held, or the only thread. What the program's own end has written already is
 * not written again. */
static void close_file(struct mp_recorder *r, enum mp_outcome outcome, int status) {
    if (!mp_writer_begin_signal(r->writer)) return;
    uint64_t us = (mp_now_ns() - r->start_ns) / 1000;
    uint64_t elapsed = us < r->last_us ? 0 : us - r->last_us;
    struct mp_record_finish finish = {elapsed, (uint8_t)outcome, (uint64_t)status};
    struct mp_record_end end = {r->finished ? elapsed : 0, r->overhead_ns, mp_recorder_lost(r)};
    if (!r->finished) mp_write_finish(r->writer, &finish);
    if (!r->closed) mp_write_end(r->writer, &end);
    mp_writer_end_signal(r->writer);
    r->silent = true;
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

/* Whatever goes wrong costs the snapshot, nothing else. */
static void write_snapshot(struct mp_recorder *r) {
    if (!mp_writer_begin_signal(r->writer)) return;
    mp_writer_end_signal(r->writer);
    int fd = open(r->part_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return;
    bool copied = copy(r->fd, fd, mp_writer_file_bytes(r->writer));
    close(fd);
    if (!copied || rename(r->part_path, r->snapshot_path) != 0) unlink(r->part_path);
}

/* ---- What is due. ---- */

/* Coming in and going out have no barriers of their own, so that they cost nothing: who takes hold
 * makes all threads pass one. Where the system cannot do that a moment is left unguarded. */
static void pass_barriers(void) {
    atomic_thread_fence(memory_order_seq_cst);
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
}

/* False: a function of the recorder runs, or somebody else holds it. */
static bool take_hold(struct mp_recorder *r) {
    if (atomic_exchange(&r->held, true)) return false;
    pass_barriers();
    if (!r->inside) return true;
    atomic_store(&r->held, false);
    return false;
}

static bool something_is_due(const struct mp_recorder *r) {
    return r->snapshot_due || r->killed_by != 0;
}

static void do_what_is_due(struct mp_recorder *r) {
    if (atomic_exchange(&r->snapshot_due, false) && !r->silent && !r->failed) write_snapshot(r);
    if (r->killed_by == 0) return;
    if (!r->silent && !r->failed) close_file(r, MP_KILLED, r->killed_by);
    mp_die_of(r->killed_by);
}

/* Whoever lets go, or goes out, looks again: what became due in between is not forgotten. */
void mp_recorder_serve_signals(struct mp_recorder *r) {
    int saved = errno;
    while (something_is_due(r) && !r->inside) {
        if (take_hold(r)) {
            do_what_is_due(r);
            atomic_store(&r->held, false);
        } else if (r->held) {
            break;
        }
    }
    errno = saved;
}

static void wait_a_moment(void) { nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL); }

bool mp_recorder_wait_to_come_in(struct mp_recorder *r) {
    do {
        atomic_store(&r->inside, false);
        while (r->held) wait_a_moment();
        if (!mp_recorder_is_recording(r)) return false;
        atomic_store(&r->inside, true);
    } while (r->held);
    return true;
}

static void on_deadly_signal(int number) {
    struct mp_recorder *r = listening();
    if (r == NULL) {
        mp_die_of(number);
        return;
    }
    r->killed_by = number;
    mp_recorder_serve_signals(r);
}

static void on_snapshot_signal(int number) {
    struct mp_recorder *r = atomic_load(&listener);
    if (r != NULL && *r->alive == 0) mp_die_of(number); /* a child: as if there were no handler */
    r = listening();
    if (r == NULL) return;
    r->snapshot_due = true;
    mp_recorder_serve_signals(r);
}

/* exit() of C code, which no outcome of vm_run tells of. */
static void on_exit_of_process(void) {
    struct mp_recorder *r = listening();
    bool held = false;
    for (int i = 0; r != NULL && !held && i < WAITS_AT_EXIT; i++) {
        held = take_hold(r);
        if (!held) wait_a_moment();
    }
    if (!held) return;
    close_file(r, MP_EXITED, 0);
    atomic_store(&r->held, false);
}

/* ---- Listening. ---- */

void mp_recorder_listen(struct mp_recorder *r) {
    struct mp_recorder *nobody = NULL;
    if (!atomic_compare_exchange_strong(&listener, &nobody, r)) return;
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
    r->handled = mp_handle_signal(SIGUSR1, on_snapshot_signal);
    r->handled |= mp_fatal_signals_handle(on_deadly_signal);
    atexit(on_exit_of_process);
}

void mp_recorder_deafen(struct mp_recorder *r) {
    if (atomic_load(&listener) != r) return;
    mp_stop_handling(r->handled, on_snapshot_signal);
    mp_stop_handling(r->handled, on_deadly_signal);
    atomic_store(&listener, NULL);
}
