/* process.c - requests to a process that runs a program (memprof/attach/protocol.h): the attacher's
 * end.
 *
 * Nothing is sent to a process unless it catches the signal and its executable has the protocol's
 * mark: the signal would end any other. The handle of the process (pidfd) is opened before these
 * checks, so the signal cannot reach a later process of the same number. */
#include "memprof/attach/protocol.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { HINT_AFTER_MS = 1000, INTERRUPT_TRIES = 400, INTERRUPT_TRY_US = 5000 };

/* ---- What /proc has about the process. ---- */

/* A file of /proc/PID: allocated, with a NUL after its *length bytes; NULL: see errno. */
static char *read_proc(pid_t pid, const char *name, size_t *length) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    char *text = NULL;
    FILE *from = fopen(path, "re"), *to = from == NULL ? NULL : open_memstream(&text, length);
    for (int c; to != NULL && (c = getc(from)) != EOF;) putc(c, to);
    if (from != NULL) fclose(from);
    return to != NULL && fclose(to) == 0 ? text : NULL;
}

/* The number after a field's name in the text of /proc/PID/status; 0 without it. */
static uint64_t field_of_status(const char *text, const char *name, int base) {
    const char *at = strstr(text, name);
    return at == NULL ? 0 : strtoull(at + strlen(name), NULL, base);
}

/* A variable of the environment that the process was started with; NULL: unset, or unknown. */
static const char *variable(const char *environment, size_t length, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = environment; at != NULL && at < environment + length;
         at += strlen(at) + 1)
        if (strncmp(at, name, n) == 0 && at[n] == '=') return at + n + 1;
    return NULL;
}

enum mark { NO_MARK, MARK_OF_OTHER_VERSION, MARK };

/* The protocol's mark in the executable of the process. */
static enum mark find_mark(pid_t pid) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return NO_MARK;
    void *bytes = MAP_FAILED;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) return NO_MARK;
    enum mark mark = NO_MARK;
    const size_t size = (size_t)status.st_size;
    if (memmem(bytes, size, mp_attach_magic, MP_ATTACH_MAGIC_BYTES) != NULL) mark = MARK;
    else if (memmem(bytes, size, mp_attach_magic, MP_ATTACH_NAME_BYTES) != NULL)
        mark = MARK_OF_OTHER_VERSION;
    munmap(bytes, size);
    return mark;
}

/* Whether the first thread waits in a system call that a handled signal ends with EINTR. False if
 * that is unknown: /proc/PID/syscall is for those who may trace the process. */
static bool would_be_interrupted(pid_t pid) {
    static const long calls[] = {
#ifdef SYS_poll
        SYS_poll,   SYS_select,   SYS_epoll_wait,  SYS_pause,
#endif
        SYS_ppoll,  SYS_pselect6, SYS_epoll_pwait, SYS_rt_sigtimedwait, SYS_rt_sigsuspend,
        SYS_msgrcv, SYS_msgsnd,   SYS_semop,       SYS_semtimedop,      SYS_io_getevents};
    size_t length;
    char *end, *text = read_proc(pid, "syscall", &length);
    bool found = false;
    long call = text == NULL ? -1 : strtol(text, &end, 10);
    for (size_t i = 0; text != NULL && end != text && i < sizeof calls / sizeof calls[0]; i++)
        if (calls[i] == call) found = true;
    free(text);
    return found;
}

static int refuse(const struct cli_process *p, const char *what) {
    return cli_fail(STATUS_REFUSED, p->shown, "%s", what);
}

/* Returns 0, or the exit status after a message. */
static int check_process(struct cli_process *p) {
    static const char no_program[] =
        "it runs no program on Bactrian, or one that handles signal 62 "
        "itself: start the program with bactrian";
    size_t length;
    char *text = read_proc(p->pid, "status", &length);
    if (text == NULL) return refuse(p, "/proc does not show it: attaching needs /proc");
    const char *owner = strstr(text, "\nUid:");
    char *effective = NULL; /* the second number */
    if (owner != NULL) strtoul(owner + 5, &effective, 10);
    p->owner = effective == NULL ? 0 : (uid_t)strtoul(effective, NULL, 10);
    uint64_t caught = field_of_status(text, "\nSigCgt:", 16);
    free(text);
    if (geteuid() != p->owner && geteuid() != 0)
        return refuse(p, "it belongs to another user: only its user and root can attach");
    bool catches = (caught & (uint64_t)1 << (MP_ATTACH_SIGNAL - 1)) != 0;
    switch (catches ? find_mark(p->pid) : NO_MARK) {
    case MARK: return 0;
    case MARK_OF_OTHER_VERSION:
        return refuse(p, "it runs on another version of Bactrian, whose requests differ: use the "
                         "`bactrian` of that version, such as the process's /proc/PID/exe");
    default: return refuse(p, no_program);
    }
}

/* ---- The socket. ---- */

/* Whether the socket at that address was left by an attacher that is gone. */
static bool is_stale(const struct sockaddr_un *address) {
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return false;
    bool stale = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                 errno == ECONNREFUSED;
    close(fd);
    return stale;
}

static int bind_private(int fd, const struct sockaddr_un *address) {
    mode_t before = umask(0177);
    int failed = bind(fd, (const struct sockaddr *)address, sizeof *address);
    umask(before);
    return failed;
}

/* Returns 0, or the exit status after a message. */
static int create_socket(struct cli_process *p) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = 0;
    char *environment = read_proc(p->pid, "environ", &length);
    int problem = mp_attach_path(variable(environment, length, "XDG_RUNTIME_DIR"),
                                 variable(environment, length, "TMPDIR"), p->owner, p->pid, true,
                                 address.sun_path);
    free(environment);
    if (problem != 0)
        return cli_fail(STATUS_REFUSED, address.sun_path,
                        "%s: it must be a folder of the process's user, of mode 0700",
                        strerror(problem));
    p->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int failed = p->listener < 0 ? -1 : bind_private(p->listener, &address);
    if (failed != 0 && errno == EADDRINUSE) {
        if (!is_stale(&address)) return refuse(p, "another request to it is being made: try again");
        unlink(address.sun_path);
        failed = bind_private(p->listener, &address);
    }
    if (failed == 0) snprintf(p->path, sizeof p->path, "%s", address.sun_path);
    if (failed == 0 && geteuid() != p->owner) failed = lchown(p->path, p->owner, (gid_t)-1);
    if (failed == 0) failed = listen(p->listener, 4);
    return failed == 0 ? 0 : cli_fail(STATUS_REFUSED, address.sun_path, "%s", strerror(errno));
}

/* ---- Opening and closing. ---- */

bool cli_names_process(const char *word) {
    size_t n = strlen(word);
    return n > 0 && n < 10 && strspn(word, "0123456789") == n && atoi(word) > 0 &&
           access(word, F_OK) != 0;
}

int cli_open_process(const char *word, struct cli_process *p) {
    sigset_t leaving;
    *p = (struct cli_process){.handle = -1, .listener = -1, .signals = -1};
    if (!cli_names_process(word))
        return cli_fail(STATUS_REFUSED, word, "expected the number of a process");
    p->pid = atoi(word);
    snprintf(p->shown, sizeof p->shown, "process %d", (int)p->pid);
    p->handle = (int)syscall(SYS_pidfd_open, p->pid, 0);
    if (p->handle < 0 && errno == ESRCH) return refuse(p, "there is no such process");
    if (p->handle < 0) return refuse(p, strerror(errno));
    sigemptyset(&leaving);
    sigaddset(&leaving, SIGINT);
    sigaddset(&leaving, SIGTERM);
    sigaddset(&leaving, SIGHUP);
    sigprocmask(SIG_BLOCK, &leaving, &p->blocked_before);
    p->signals = signalfd(-1, &leaving, SFD_CLOEXEC | SFD_NONBLOCK);
    return p->signals >= 0 ? 0 : refuse(p, strerror(errno));
}

static void close_socket(struct cli_process *p) {
    if (p->listener >= 0) close(p->listener);
    if (p->path[0] != 0) unlink(p->path);
    p->listener = -1;
    p->path[0] = 0;
}

void cli_close_process(struct cli_process *p) {
    close_socket(p);
    if (p->handle >= 0) close(p->handle);
    if (p->signals < 0) return;
    close(p->signals);
    sigprocmask(SIG_SETMASK, &p->blocked_before, NULL);
}

/* ---- Messages. ---- */

enum cli_wait cli_wait_for(const struct cli_process *p, int fd, int timeout_ms) {
    struct signalfd_siginfo came;
    struct pollfd inputs[] = {{.fd = fd, .events = POLLIN},
                              {.fd = p->signals, .events = POLLIN},
                              {.fd = p->handle, .events = POLLIN}};
    int ready = poll(inputs, 3, timeout_ms);
    if (ready < 0 && errno != EINTR) return WAIT_ENDED;
    if (ready <= 0) return WAIT_TIME;
    if (inputs[1].revents != 0 && read(p->signals, &came, sizeof came) > 0) return WAIT_SIGNAL;
    return inputs[0].revents != 0 ? WAIT_READY : inputs[2].revents != 0 ? WAIT_ENDED : WAIT_TIME;
}

static bool send_request(int connection, const struct mp_request *request, int file) {
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control = {.bytes = ""};
    struct mp_request sent = *request;
    struct iovec part = {&sent, sizeof sent};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    memcpy(sent.magic, mp_attach_magic, sizeof sent.magic);
    if (file >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        *c = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(c), &file, sizeof file);
    }
    return sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)sizeof sent;
}

/* AT2 */
static bool is_the_process(const struct cli_process *p, int connection) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
           peer.pid == p->pid && peer.uid == p->owner;
}

static int send_signal(const struct cli_process *p, bool interrupt) {
    siginfo_t info = {.si_signo = MP_ATTACH_SIGNAL, .si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_int = MP_ATTACH_VALUE;
    for (int i = 0; !interrupt && would_be_interrupted(p->pid); i++) {
        if (i == INTERRUPT_TRIES)
            return refuse(p, "it waits in a system call that a signal ends with EINTR: add "
                             "--interrupt if the program expects that, as Lwt and Async do");
        usleep(INTERRUPT_TRY_US);
    }
    bool sent = syscall(SYS_pidfd_send_signal, p->handle, MP_ATTACH_SIGNAL, &info, 0) == 0;
    return sent ? 0 : refuse(p, strerror(errno));
}

static int refuse_wait(const struct cli_process *p, enum cli_wait why) {
    struct pollfd process = {.fd = p->handle, .events = POLLIN};
    if (why != WAIT_ENDED) return refuse(p, "given up: it was not asked");
    return refuse(p, poll(&process, 1, 0) > 0 ? "it has ended" : "it did not answer: try again");
}

/* Waits for the connection of the process: -1 after a message. */
static int accept_process(const struct cli_process *p) {
    bool hinted = false;
    for (;;) {
        enum cli_wait why = cli_wait_for(p, p->listener, hinted ? -1 : HINT_AFTER_MS);
        if (why == WAIT_ENDED || why == WAIT_SIGNAL) {
            refuse_wait(p, why);
            return -1;
        }
        if (why == WAIT_TIME && !hinted)
            cli_fail(0, p->shown,
                     "it waits in a system call, or runs C code: it is asked when it runs OCaml "
                     "code again; Ctrl-C gives up");
        hinted = hinted || why == WAIT_TIME;
        int connection = why != WAIT_READY ? -1 : accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection >= 0 && is_the_process(p, connection)) return connection;
        if (connection >= 0) close(connection);
    }
}

int cli_ask_process(struct cli_process *p, const struct mp_request *request, int file,
                    bool interrupt, struct mp_reply *reply, int *connection) {
    int status = check_process(p), fd = -1;
    if (status == 0) status = create_socket(p);
    if (status == 0) status = send_signal(p, interrupt);
    if (status == 0 && (fd = accept_process(p)) < 0) status = STATUS_REFUSED;
    close_socket(p);
    if (status == 0 && !send_request(fd, request, file)) status = refuse(p, strerror(errno));
    if (status == 0) {
        enum cli_wait why;
        do why = cli_read_reply(p, fd, -1, reply);
        while (why == WAIT_TIME);
        if (why != WAIT_READY) status = refuse_wait(p, why);
    }
    if (status == 0 && connection != NULL) *connection = fd;
    else if (fd >= 0) close(fd);
    return status;
}

enum cli_wait cli_read_reply(const struct cli_process *p, int connection, int timeout_ms,
                             struct mp_reply *reply) {
    enum cli_wait why = cli_wait_for(p, connection, timeout_ms);
    if (why != WAIT_READY) return why;
    ssize_t n = recv(connection, reply, sizeof *reply, MSG_DONTWAIT | MSG_TRUNC);
    bool read = n == (ssize_t)sizeof *reply &&
                memcmp(reply->magic, mp_attach_magic, sizeof reply->magic) == 0 &&
                reply->answer < MP_ANSWER_COUNT;
    return read ? WAIT_READY : WAIT_ENDED;
}
