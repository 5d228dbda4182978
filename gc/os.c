/* os.c - the collector's interface to the operating system: address space, pages, C memory,
 * injected faults, fatal errors.
 *
 * All requests of gc/ that a system can refuse are made here, so that BACTRIAN_FAIL_ALLOC reaches
 * them, and so that a port to another system replaces this file only.
 *
 * Huge pages are not requested: on a virtual machine that returns free memory to its host a fresh
 * 2 MB page costs 2 ms, a pause of its own, and building a list took 66 ns per cell instead of 24;
 * marking gains a tenth from them. If the system is configured to use them always, they are used
 * here too. */
#include "gc/fatal.h"
#include "gc/heap_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct gc_faults gc_os_read_faults(void) {
    struct gc_faults faults = {0, false};
    const char *text = getenv("BACTRIAN_FAIL_ALLOC");
    if (text) {
        char *end;
        faults.countdown = strtoull(text, &end, 10);
        faults.sticky = strcmp(end, ":sticky") == 0;
    }
    return faults;
}

/* Whether this request is to fail. */
static bool fault_due(struct gc_faults *faults) {
    if (faults->countdown == 0 || --faults->countdown > 0) return false;
    if (faults->sticky) faults->countdown = 1;
    return true;
}

size_t gc_address_space_left(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    size_t used_pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm) {
        if (fscanf(statm, "%zu", &used_pages) != 1) used_pages = 0;
        fclose(statm);
    }
    size_t used = used_pages * (size_t)sysconf(_SC_PAGESIZE);
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

size_t gc_os_reservation(void) {
    const size_t wanted = (size_t)256 << 30;
    /* The rest is for VM stacks, C memory and the side metadata. */
    size_t share = gc_address_space_left() / 4 * 3;
    return share < wanted ? share : wanted;
}

void *gc_os_reserve(struct gc_faults *faults, size_t bytes) {
    if (fault_due(faults)) return NULL;
    size_t asked = bytes + COMMIT_BYTES;
    char *p = mmap(NULL, asked, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    char *start = (char *)(((uintptr_t)p + COMMIT_BYTES - 1) & ~(COMMIT_BYTES - 1));
    if (start > p) munmap(p, (size_t)(start - p));
    if (start + bytes < p + asked) munmap(start + bytes, (size_t)(p + asked - (start + bytes)));
    return start;
}

void gc_os_release(void *start, size_t bytes) { munmap(start, bytes); }

bool gc_os_commit(struct gc_faults *faults, void *start, size_t bytes) {
    return !fault_due(faults) && mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}

void gc_os_protect(void *start, size_t bytes) {
    /* Fails only when the number of mappings is exhausted; the pages then stay usable. */
    if (mprotect(start, bytes, PROT_NONE) != 0) return;
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

void gc_os_populate(void *start, size_t bytes) { madvise(start, bytes, MADV_POPULATE_WRITE); }

void gc_os_discard(void *start, size_t bytes) { madvise(start, bytes, MADV_DONTNEED); }

void *gc_os_realloc(struct gc_faults *faults, void *old, size_t bytes) {
    return fault_due(faults) ? NULL : realloc(old, bytes);
}

/* ---- Messages and fatal errors. ---- */

/* Per thread: code that runs out of memory deep inside cannot be passed a catcher. */
static __thread struct gc_catcher *catcher;

void gc_catch(struct gc_catcher *new) {
    new->outer = catcher;
    catcher = new;
}

void gc_uncatch(struct gc_catcher *old) {
    ASSERT(catcher == old);
    catcher = old->outer;
}

void gc_vreport_fatal(const char *format, va_list arguments) {
    struct gc_catcher *c = catcher;
    char text[1000];
    if (c != NULL) {
        catcher = c->outer;
        vsnprintf(c->text, sizeof c->text, format, arguments);
        _longjmp(c->escape, 1);
    }
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "Fatal error: %s\n", text); /* in one write: others may print there too */
}

static void report_fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    gc_vreport_fatal(format, arguments);
    va_end(arguments);
}

void gc_fatal_no_memory(const char *doing) {
    report_fatal("out of memory while %s", doing);
    exit(2);
}

void gc_log(const struct gc_heap *heap, unsigned bit, const char *format, ...) {
    if (!(heap->params.verbose & bit) || heap->params.silent) return;
    va_list args;
    va_start(args, format);
    vfprintf(heap->up.err == NULL ? stderr : heap->up.err, format, args);
    va_end(args);
}
