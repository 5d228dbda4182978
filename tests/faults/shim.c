/* shim.c - for LD_PRELOAD: lets the N-th call of some functions of the C library fail.
 *
 *   FAULT_CLASS  memory (malloc and its like, mmap, mprotect) or io (open, read, write, close, ...)
 *   FAULT_AT     N, from 1; 0 or none: nothing fails; with a + behind it all later ones fail too
 *   FAULT_ERRNO  the number that errno gets
 *   FAULT_COUNT  a file that gets the number of calls of the class when the process ends
 *
 * Calls that the C library makes by itself aren't seen. Memory is had from the library's own
 * entries, so nothing here allocates. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t m);
void *__libc_realloc(void *p, size_t n);

enum class { MEMORY, IO };

struct plan {
    bool read, sticky;
    enum class class;
    long at, calls;
    int error;
};

static struct plan plan;

static const struct plan *the_plan(void) {
    if (plan.read) return &plan;
    const char *class = getenv("FAULT_CLASS"), *at = getenv("FAULT_AT");
    const char *error = getenv("FAULT_ERRNO");
    plan.read = true;
    plan.class = class != NULL && strcmp(class, "io") == 0 ? IO : MEMORY;
    plan.at = at == NULL ? 0 : atol(at);
    plan.sticky = at != NULL && strchr(at, '+') != NULL;
    plan.error = error == NULL ? ENOMEM : atoi(error);
    return &plan;
}

/* Whether this call is to fail; sets errno then. */
static bool fails(enum class class) {
    if (the_plan()->class != class) return false;
    long n = __atomic_add_fetch(&plan.calls, 1, __ATOMIC_RELAXED);
    if (plan.at == 0 || n < plan.at || (n > plan.at && !plan.sticky)) return false;
    errno = plan.error;
    return true;
}

__attribute__((destructor)) static void tell(void) {
    const char *name = getenv("FAULT_COUNT");
    char text[32];
    if (name == NULL) return;
    int fd = (int)syscall(SYS_open, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int n = snprintf(text, sizeof text, "%ld\n", plan.calls);
    if (fd >= 0 && syscall(SYS_write, fd, text, n) < 0) _exit(99);
}

void *malloc(size_t n) { return fails(MEMORY) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fails(MEMORY) ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fails(MEMORY) ? NULL : __libc_realloc(p, n); }

void *mmap(void *start, size_t n, int prot, int flags, int fd, off_t at) {
    if (fails(MEMORY)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, start, n, prot, flags, fd, at);
}
int mprotect(void *start, size_t n, int prot) {
    return fails(MEMORY) ? -1 : (int)syscall(SYS_mprotect, start, n, prot);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    return fails(IO) ? -1 : (int)syscall(SYS_open, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    return fails(IO) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}
ssize_t read(int fd, void *to, size_t n) {
    return fails(IO) ? -1 : (ssize_t)syscall(SYS_read, fd, to, n);
}
ssize_t pread(int fd, void *to, size_t n, off_t at) {
    return fails(IO) ? -1 : (ssize_t)syscall(SYS_pread64, fd, to, n, at);
}
ssize_t write(int fd, const void *from, size_t n) {
    return fails(IO) ? -1 : (ssize_t)syscall(SYS_write, fd, from, n);
}
off_t lseek(int fd, off_t at, int whence) {
    return fails(IO) ? -1 : (off_t)syscall(SYS_lseek, fd, at, whence);
}
int close(int fd) {
    /* As the system does, which closes and then tells. */
    int result = (int)syscall(SYS_close, fd);
    return fails(IO) ? -1 : result;
}
