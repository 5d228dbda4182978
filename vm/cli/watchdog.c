/* watchdog.c - --timeout: what stops the program at the deadline.
 *
 *   thread      asks the machine to stop, and ends the process if it does not react. It blocks all
 *               signals, which are the program's.
 *   guardian    a process without files that kills the process if it runs another program at the
 *               deadline (execv): then the thread is gone. It has no exit signal, so that the
 *               program's wait does not see it.
 *
 * A forked child gets its own two, with the same deadline. Commands that the program has started
 * are found by their parents in /proc and killed. */
#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/cli/cli.h"
#include "vm/stack/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct cli_watchdog {
    struct vm *vm;
    const char *shown;
    uint64_t deadline_ns;
    pthread_t thread;
    pid_t thread_id, guardian; /* guardian -1: it could not be created */
    sem_t started;             /* posted when thread_id is set */
    sem_t ended;               /* posted when the program has ended */
};

/* The watchdog of this process, for its forked children. */
static struct cli_watchdog *watching;

/* ---- Commands. Only system calls: the guardian runs this too. ---- */

struct commands {
    pid_t process, pids[4096];
    size_t count;
};

/* Reads /proc/PID/NAME, or what the link of that name points to. */
static size_t read_proc(pid_t pid, const char *name, bool link, char *buffer, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    ssize_t n = -1;
    if (link) {
        n = readlink(path, buffer, size);
    } else {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            n = read(fd, buffer, size);
            close(fd);
        }
    }
    return n < 0 ? 0 : (size_t)n;
}

/* 0: unknown. */
static pid_t parent_of(pid_t pid) {
    char stat[256]; /* PID (NAME) STATE PARENT ... */
    size_t n = read_proc(pid, "stat", false, stat, sizeof stat - 1);
    stat[n] = 0;
    const char *name_end = strrchr(stat, ')');
    return name_end == NULL || strlen(name_end) < 4 ? 0 : (pid_t)atoi(name_end + 4);
}

static bool same_entry(pid_t a, pid_t b, const char *name, bool link) {
    char of_a[2048], of_b[2048];
    size_t n = read_proc(a, name, link, of_a, sizeof of_a);
    return n > 0 && read_proc(b, name, link, of_b, sizeof of_b) == n && memcmp(of_a, of_b, n) == 0;
}

/* Whether pid is to be added. Copies of this process, which fork has made, end by themselves. */
static bool is_new_command(const struct commands *commands, pid_t pid) {
    pid_t parent = parent_of(pid);
    bool started = false;
    for (size_t i = 0; i < commands->count; i++) {
        if (commands->pids[i] == pid) return false;
        started |= commands->pids[i] == parent;
    }
    if (parent != commands->process) return started;
    return !same_entry(pid, getpid(), "exe", true) || !same_entry(pid, getpid(), "cmdline", false);
}

/* Suspends the commands that are not there yet. False: there are none. */
static bool add_commands(struct commands *commands) {
    char buffer[4096];
    size_t before = commands->count;
    int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0) return false;
    for (ssize_t n; (n = getdents64(proc, buffer, sizeof buffer)) > 0;) {
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *entry = (const struct dirent64 *)(buffer + at);
            pid_t pid = (pid_t)atoi(entry->d_name);
            at += entry->d_reclen;
            if (pid == 0 || commands->count == sizeof commands->pids / sizeof *commands->pids)
                continue;
            if (!is_new_command(commands, pid)) continue;
            kill(pid, SIGSTOP); /* it starts no more of them */
            commands->pids[commands->count++] = pid;
        }
    }
    close(proc);
    return commands->count > before;
}

/* Kills what process has started, and what that has started: what the process waits for comes last,
 * since it may end by itself then. */
static void kill_commands(pid_t process) {
    struct commands commands;
    commands.process = process;
    commands.count = 0;
    while (add_commands(&commands)) {}
    for (size_t i = commands.count; i > 0; i--) kill(commands.pids[i - 1], SIGKILL);
}

/* ---- The thread. ---- */

/* Waits until the program has ended (true) or the time is over. */
static bool ends_before(struct cli_watchdog *dog, uint64_t deadline_ns) {
    struct timespec deadline = {(time_t)(deadline_ns / 1000000000),
                                (long)(deadline_ns % 1000000000)};
    int result;
    do result = sem_clockwait(&dog->ended, CLOCK_MONOTONIC, &deadline);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/* Ends a process that does not react. Its message must not wait where the program may wait. */
static _Noreturn void end_process(const struct cli_watchdog *dog) {
    struct pollfd messages = {.fd = STDERR_FILENO, .events = POLLOUT};
    const int patience_ms = 1000;
    kill_commands(getpid());
    if (poll(&messages, 1, patience_ms) == 1)
        cli_fail(VM_STATUS_STOPPED, dog->shown,
                 "stopped by --timeout inside a primitive; unflushed output is lost");
    _exit(VM_STATUS_STOPPED);
}

static void *watch(void *context) {
    enum { TRIES = 100 };
    const uint64_t pause_ns = 10000000, ending_ns = 60000000000;
    struct cli_watchdog *dog = context;
    dog->thread_id = gettid();
    sem_post(&dog->started);
    bool ended = ends_before(dog, dog->deadline_ns);
    if (!ended) {
        vm_request_stop(dog->vm, STOP_TIME);
        kill_commands(getpid());
    }
    /* The machine may lose a request that arrives while it handles another: repeat it. Each time it
     * gets the pause to react, even if the whole process was suspended at the deadline. */
    for (int i = 0; !ended && i < TRIES; i++) {
        vm_request_stop(dog->vm, STOP_TIME);
        ended = ends_before(dog, vm_now_ns() + pause_ns);
    }
    /* It has stopped: it still has to close recordings, flush and report. */
    if (!ended && dog->vm->limits.stopped != STOP_NONE)
        ended = ends_before(dog, vm_now_ns() + ending_ns);
    if (!ended) end_process(dog);
    return NULL;
}

/* ---- The guardian. ---- */

/* In the guardian: only system calls, as the process has other threads. */
static _Noreturn void guard(pid_t process, pid_t thread, uint64_t deadline_ns) {
    const int pause_ms = 20;
    close_range(0, ~0u, 0);
    int handle = pidfd_open(process, 0);
    struct pollfd end = {.fd = handle, .events = POLLIN};
    bool runs = handle >= 0 && getppid() == process;
    while (runs) {
        uint64_t now_ns = vm_now_ns();
        uint64_t wait_ms = now_ns < deadline_ns ? (deadline_ns - now_ns) / 1000000 + 1 : 0;
        if (wait_ms == 0 && tgkill(process, thread, 0) != 0) {
            kill_commands(process);
            pidfd_send_signal(handle, SIGKILL, NULL, 0);
        }
        if (wait_ms == 0) wait_ms = (uint64_t)pause_ms;
        runs = poll(&end, 1, wait_ms < INT_MAX ? (int)wait_ms : INT_MAX) == 0;
    }
    _exit(0);
}

/* As fork(2), without an exit signal and without calling the handlers of pthread_atfork. */
static pid_t fork_unnoticed(void) { return (pid_t)syscall(SYS_clone, 0L, NULL, NULL, NULL, 0L); }

/* ---- Both. ---- */

static bool start(struct cli_watchdog *dog) {
    sigset_t all, before;
    pid_t process = getpid();
    sem_init(&dog->started, 0, 0);
    sem_init(&dog->ended, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool created = pthread_create(&dog->thread, NULL, watch, dog) == 0;
    if (created) {
        while (sem_wait(&dog->started) != 0) {}
        dog->guardian = fork_unnoticed();
        if (dog->guardian == 0) guard(process, dog->thread_id, dog->deadline_ns);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}

static void start_in_child(void) {
    if (watching != NULL && !start(watching))
        _exit(cli_fail(VM_STATUS_STOPPED, watching->shown,
                       "the thread for --timeout could not be created in a child process"));
}

struct cli_watchdog *cli_watchdog_start(struct vm *vm, const char *shown, uint64_t deadline_ns,
                                        bool *failed) {
    *failed = false;
    if (deadline_ns == 0) return NULL;
    ASSERT(watching == NULL);
    struct cli_watchdog *dog = calloc(1, sizeof *dog);
    if (dog != NULL) {
        *dog = (struct cli_watchdog){.vm = vm, .shown = shown, .deadline_ns = deadline_ns};
        if (pthread_atfork(NULL, NULL, start_in_child) == 0 && start(dog)) {
            watching = dog;
            return dog;
        }
    }
    free(dog);
    *failed = true;
    cli_fail(STATUS_REFUSED, shown, "the thread for --timeout could not be created");
    return NULL;
}

void cli_watchdog_stop(struct cli_watchdog *dog) {
    if (dog == NULL) return;
    watching = NULL;
    if (dog->guardian > 0) {
        kill(dog->guardian, SIGKILL);
        while (waitpid(dog->guardian, NULL, __WALL) < 0 && errno == EINTR) {}
    }
    sem_post(&dog->ended);
    pthread_join(dog->thread, NULL);
    sem_destroy(&dog->started);
    sem_destroy(&dog->ended);
    free(dog);
}
