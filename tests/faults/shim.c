/* shim.c - for LD_PRELOAD: makes the N-th call of some functions of the C library fail.
 *
 *   FAULT_CLASS  memory (malloc and its like, mmap, mprotect) or io (open, read, write, close, ...)
 *   FAULT_AT     N, from 1; 0 or unset: nothing fails; with a + after it, later ones fail too
 *   FAULT_PROGRAM  only in programs of this name
 *   FAULT_ERRNO  the value of errno
 *   FAULT_COUNT  a file for the number of calls of the class when the process ends, and, with
 *                FAULT_SITES set, a line for each: a sum over the addresses of its call path
 *
 * Nothing fails after exit has run the program's own functions, since gcc's --coverage writes its
 * counters then. Calls inside the C library are not seen. Memory comes from the functions that
 * would be called without this library, so that valgrind sees it. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*init)(void), void (*fini)(void), void (*end_of_linker)(void),
                      void *stack);
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t m);
void *__libc_realloc(void *p, size_t n);

enum class { MEMORY, IO, NONE };
enum { SITES = 100000, DEPTH = 24 };

struct plan {
    bool read, sticky, sites_wanted, busy, over;
    int (*main)(int count, char **words, char **environment);
    enum class class;
    long at, calls;
    int error;
    void *(*malloc)(size_t n), *(*calloc)(size_t n, size_t m), *(*realloc)(void *p, size_t n);
    unsigned long sites[SITES];
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
    const char *only = getenv("FAULT_PROGRAM");
    if (only != NULL && strcmp(only, program_invocation_short_name) != 0) plan.class = NONE;
    plan.error = error == NULL ? ENOMEM : atoi(error);
    plan.sites_wanted = getenv("FAULT_SITES") != NULL;
    /* What these allocate themselves comes from the library's own entries. */
    plan.busy = true;
    void *(*next_malloc)(size_t) = dlsym(RTLD_NEXT, "malloc");
    void *(*next_calloc)(size_t, size_t) = dlsym(RTLD_NEXT, "calloc");
    plan.realloc = dlsym(RTLD_NEXT, "realloc");
    plan.malloc = next_malloc;
    plan.calloc = next_calloc;
    plan.busy = false;
    return &plan;
}

/* The same for the same way to a call, wherever the system has put the code. */
static unsigned long site(void) {
    void *frames[DEPTH];
    Dl_info where;
    unsigned long sum = 0;
    plan.busy = true;
    for (int i = 0, n = backtrace(frames, DEPTH); i < n; i++)
        if (dladdr(frames[i], &where) != 0)
            sum = sum * 1000003 + (unsigned long)((char *)frames[i] - (char *)where.dli_fbase);
    plan.busy = false;
    return sum;
}

/* Whether this call is to fail; sets errno then. */
static bool fails(enum class class) {
    if (plan.busy || plan.over || the_plan()->class != class) return false;
    long n = __atomic_add_fetch(&plan.calls, 1, __ATOMIC_RELAXED);
    if (plan.sites_wanted && n <= SITES) plan.sites[n - 1] = site();
    if (plan.at == 0 || n < plan.at || (n > plan.at && !plan.sticky)) return false;
    errno = plan.error;
    return true;
}

static void end(void) { plan.over = true; }

static int main_with_end(int count, char **words, char **environment) {
    plan.busy = true;
    atexit(end); /* before the program's own ones: runs after them */
    plan.busy = false;
    return plan.main(count, words, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*init)(void), void (*fini)(void), void (*end_of_linker)(void),
                      void *stack) {
    plan.main = main;
    plan.busy = true;
    __typeof__(&__libc_start_main) next = dlsym(RTLD_NEXT, "__libc_start_main");
    plan.busy = false;
    return next(main_with_end, count, words, init, fini, end_of_linker, stack);
}

__attribute__((destructor)) static void tell(void) {
    const char *name = getenv("FAULT_COUNT");
    if (name == NULL || plan.class == NONE) return;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    long lines = !plan.sites_wanted ? 0 : plan.calls < SITES ? plan.calls : SITES;
    for (long i = -1; i < lines; i++) {
        char text[32];
        int n = snprintf(text, sizeof text, "%ld\n", i < 0 ? plan.calls : (long)plan.sites[i]);
        if (fd >= 0 && syscall(SYS_write, fd, text, n) < 0) _exit(99);
    }
}

void *malloc(size_t n) {
    if (fails(MEMORY)) return NULL;
    return plan.malloc == NULL || plan.busy ? __libc_malloc(n) : plan.malloc(n);
}
void *calloc(size_t n, size_t m) {
    if (fails(MEMORY)) return NULL;
    return plan.calloc == NULL || plan.busy ? __libc_calloc(n, m) : plan.calloc(n, m);
}
void *realloc(void *p, size_t n) {
    if (fails(MEMORY)) return NULL;
    return plan.realloc == NULL || plan.busy ? __libc_realloc(p, n) : plan.realloc(p, n);
}

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
    return fails(IO) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
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
    /* As the system does, which closes even if it reports an error. */
    int result = (int)syscall(SYS_close, fd);
    return fails(IO) ? -1 : result;
}
