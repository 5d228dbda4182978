/* threads.c - child processes of one with several threads (snapshot_internal.h).
 *
 * All in the handler is async-signal-safe, except that a report on the terminal may wait for such a
 * lock, too: the next tick interrupts it and ends the process. */
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/base/os.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- Before. ---- */

/* Whether a thread, which may have ended, waits in a system call, but not for memory, as malloc
 * does while it holds a lock. */
static bool waits(const char *thread) {
    static const long of_malloc[] = {SYS_mmap,    SYS_munmap,   SYS_mremap,
                                     SYS_madvise, SYS_mprotect, SYS_brk};
    char path[64];
    long call = -1; /* "running", or not in a system call */
    snprintf(path, sizeof path, "/proc/self/task/%.20s/syscall", thread);
    FILE *file = fopen(path, "re");
    if (file == NULL) return errno == ENOENT;
    bool read = fscanf(file, "%ld", &call) == 1 && call >= 0;
    fclose(file);
    for (size_t i = 0; i < sizeof of_malloc / sizeof of_malloc[0]; i++)
        if (call == of_malloc[i]) return false;
    return read;
}

bool mp_other_threads_wait(void) {
    DIR *threads = opendir("/proc/self/task");
    bool all = threads != NULL;
    for (const struct dirent *entry; all && (entry = readdir(threads)) != NULL;)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != gettid()) all = waits(entry->d_name);
    if (threads != NULL) closedir(threads);
    return all;
}

/* ---- In the child. ---- */

enum { TICK_S = 1, MOST_IDLE = 10, LEAST_NS = 100000 /* more than a tick itself takes */ };

static uint64_t used_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void on_tick(int number, siginfo_t *info, void *context) {
    struct mp_stall_watch *w = info->si_value.sival_ptr;
    const int saved = errno;
    const uint64_t now = used_ns();
    w->idle = now - w->used_ns < LEAST_NS ? w->idle + 1 : 0;
    w->used_ns = now;
    errno = saved;
    if (w->idle < MOST_IDLE) return;
    mp_output_discard(w->output);
    if (w->idle == MOST_IDLE) w->options->report(w->options, w->path, NULL, 0, EDEADLK);
    _exit(1);
}

/* timer_create of the C library may allocate memory. */
void mp_stall_watch_start(struct mp_stall_watch *w) {
    const struct itimerspec every = {{TICK_S, 0}, {TICK_S, 0}};
    struct sigaction action = {.sa_sigaction = on_tick,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = w};
    sigset_t one;
    int timer;
    sigemptyset(&one);
    sigaddset(&one, SIGALRM);
    sigemptyset(&action.sa_mask);
    w->used_ns = used_ns();
    sigaction(SIGALRM, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
        syscall(SYS_timer_settime, timer, 0, &every, NULL);
}
