/* recorder_signals.c - what signals mean to a recorder: snapshots, and closing the file in time.
 *
 * SIGUSR1 and the signals that end a process get a handler while their disposition is the default
 * one; the program may set its own at any time, and never sees ours (to OCaml's Sys.signal it is
 * the default). A handler may interrupt anything: it uses system calls and the open chunk's plain
 * bytes, nothing that allocates.
 *
 * A process has one set of handlers, so the recorder that they serve is a file-scope word
 * (`listener`, named in vm/README.md). */
#include "memprof/deadly.h"
#include "memprof/recorder_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct mp_recorder *_Atomic listener;

/* RC3: a child process inherits the handlers, not the recording. */
static struct mp_recorder *listening(void) {
    struct mp_recorder *r = atomic_load(&listener);
    return r == NULL || r->silent || r->failed || *r->alive == 0 ? NULL : r;
}

/* ---- The end. ---- */

/* False: a chunk is being written; what interrupted it must wait for that. */
static bool close_at_once(struct mp_recorder *r, enum mp_outcome outcome, int status) {
    if (!mp_writer_begin_signal(r->writer)) return false;
    uint64_t us = (mp_now_ns() - r->start_ns) / 1000;
    uint64_t elapsed = us < r->last_us ? 0 : us - r->last_us;
    struct mp_record_finish finish = {elapsed, (uint8_t)outcome, (uint64_t)status};
    struct mp_record_end end = {0, r->overhead_ns, mp_recorder_lost(r)};
    mp_write_finish(r->writer, &finish);
    mp_write_end(r->writer, &end);
    mp_writer_end_signal(r->writer);
    r->silent = true;
    return true;
}

static void on_deadly_signal(int number) {
    struct mp_recorder *r = listening();
    if (r != NULL && !close_at_once(r, MP_KILLED, number)) r->killed_by = number;
    else mp_die_of(number);
}

/* exit() of C code, which no outcome of vm_run tells of. */
static void on_exit_of_process(void) {
    struct mp_recorder *r = listening();
    if (r != NULL) close_at_once(r, MP_EXITED, 0);
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

static void on_snapshot_signal(int number) {
    int saved = errno;
    struct mp_recorder *r = atomic_load(&listener);
    if (r != NULL && *r->alive == 0) mp_die_of(number); /* a child: as if there were no handler */
    r = listening();
    if (r != NULL && r->inside == 0) write_snapshot(r);
    else if (r != NULL) r->snapshot_due = true;
    errno = saved;
}

void mp_recorder_do_deferred(struct mp_recorder *r) {
    if (r->snapshot_due) {
        r->snapshot_due = false;
        if (!r->silent && !r->failed) write_snapshot(r);
    }
    if (r->killed_by != 0) {
        if (!r->silent) close_at_once(r, MP_KILLED, r->killed_by);
        mp_die_of(r->killed_by);
    }
}

/* ---- Listening. ---- */

void mp_recorder_listen(struct mp_recorder *r) {
    struct mp_recorder *nobody = NULL;
    if (!atomic_compare_exchange_strong(&listener, &nobody, r)) return;
    r->handled = mp_handle_signal(SIGUSR1, on_snapshot_signal);
    r->handled |= mp_deadly_handle(on_deadly_signal);
    atexit(on_exit_of_process);
}

void mp_recorder_deafen(struct mp_recorder *r) {
    if (atomic_load(&listener) != r) return;
    mp_stop_handling(r->handled, on_snapshot_signal);
    mp_stop_handling(r->handled, on_deadly_signal);
    atomic_store(&listener, NULL);
}
