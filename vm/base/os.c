/* os.c - see os.h. */
#include "vm/base/os.h"

#include "gc/fatal.h"
#include "gc/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

void *vm_reserve(size_t *bytes, size_t least) {
    /* Where addresses are few, something is left for the others. */
    size_t left = *bytes / 2 >= least ? gc_address_space_left() : SIZE_MAX;
    while (*bytes > left / 3 && *bytes / 2 >= least) *bytes /= 2;
    for (;; *bytes /= 2) {
        void *start = mmap(NULL, *bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start != MAP_FAILED) return start;
        if (*bytes / 2 < least) return NULL;
    }
}

#ifdef MAP_FIXED_NOREPLACE
/* Above the program's own memory, which malloc leaves when it is full. */
#define LOW_ADDRESS ((void *)((uintptr_t)1 << 30))

void *vm_reserve_low(size_t *bytes, size_t least) {
    if (*bytes > gc_address_space_left() / 3) return vm_reserve(bytes, least);
    void *start = mmap(LOW_ADDRESS, *bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return start == MAP_FAILED ? vm_reserve(bytes, least) : start;
}
#else
void *vm_reserve_low(size_t *bytes, size_t least) { return vm_reserve(bytes, least); }
#endif

void vm_release(void *start, size_t bytes) { munmap(start, bytes); }

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void vm_drop_pages(const void *start, size_t bytes) {
    uintptr_t page = page_bytes(), from = (uintptr_t)start;
    uintptr_t first = (from + page - 1) & -page, end = (from + bytes) & -page;
    if (first < end) madvise((void *)first, end - first, MADV_DONTNEED);
}

void vm_renew_pages(void *start, size_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(start, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
        memset(start, 0, bytes);
}

static void *map_page(int flags) {
    void *p = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void *vm_unforked_page(void) {
    void *page = map_page(MAP_PRIVATE);
    if (page == NULL || madvise(page, page_bytes(), MADV_WIPEONFORK) == 0) return page;
    vm_page_free(page);
    return NULL;
}

void *vm_shared_page(void) { return map_page(MAP_SHARED); }

void vm_page_free(volatile void *page) {
    if (page != NULL) munmap((void *)page, page_bytes());
}

/* More than any primitive takes, with what it calls in the C library. */
#define C_STACK_RESERVE ((uintptr_t)128 << 10)

uintptr_t vm_c_stack_low(void) {
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    bool known = pthread_attr_getstack(&attributes, &low, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    return known ? (uintptr_t)low + C_STACK_RESERVE : 0;
}

void vm_must_have(bool grown) {
    if (!grown) vm_fatal("out of memory");
}

uint64_t vm_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void *vm_must(void *p) {
    vm_must_have(p != NULL);
    return p;
}

void vm_fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    gc_vreport_fatal(format, arguments);
    va_end(arguments);
    _exit(2);
}

int vm_open_file(const char *path, int flags) {
    int fd;
    do fd = open(path, flags);
    while (fd < 0 && errno == EINTR);
    return fd;
}

enum { FIRST_HIGH_FD = 500 };

int vm_duplicate_high(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, FIRST_HIGH_FD); }

int vm_move_high(int fd) {
    int high = vm_duplicate_high(fd);
    if (high < 0) return fd;
    close(fd);
    return high;
}

bool vm_close_text(FILE *out, char **text) {
    bool whole = ferror(out) == 0;
    /* Closing may lose the text without saying so. */
    return fclose(out) == 0 && whole && *text != NULL;
}

void vm_require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "machine: %s\n", what);
    abort();
}
