/* events.c - the file of runtime events: see events.h. */
#include "stdlib/events.h"

#include "gc/fatal.h"
#include "gc/hooks.h"
#include "gc/stats.h"
#include "stdlib/sandbox.h"
#include "vm/base/os.h"
#include "vm/stack/raise.h"
#include "vm/thread/domains.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- The file. ---- */

struct file_header {
    uint64_t version, max_domains;
    uint64_t ring_header_bytes, ring_bytes, ring_words;
    uint64_t ring_headers_offset, rings_offset, names_offset; /* in bytes */
};
struct ring {
    _Atomic uint64_t head, tail; /* of its span */
    uint64_t unused[8];
};
enum { NAME_BYTES = 128, NAMES = 8192 };
_Static_assert(sizeof(struct file_header) == 64 && sizeof(struct ring) == 80, "the file's layout");

/* Types of the runtime's items. */
enum { ITEM_PADDING, ITEM_LIFECYCLE, ITEM_BEGIN, ITEM_END, ITEM_COUNTER };
#define USER_ITEM ((uint64_t)1 << 53)

/* What a ring holds: EV1, words counted from the start. */
struct span {
    uint64_t head, tail;
};

struct events {
    struct file_header *file; /* mapped; NULL: not started. EV3 */
    size_t bytes;
    struct ring *rings; /* in the file, one a domain, as are `spans` */
    uint64_t *words;
    uint64_t ring_words;
    char (*shown_names)[NAME_BYTES];
    struct span *spans;
    char path[PATH_MAX];
    bool paused;
    value registered; /* a root */
    unsigned count;   /* of registered events */
    char (*names)[NAME_BYTES];
    struct gc_observer observer;
    uint64_t minor_words, promoted_words; /* at the end of the last minor collection */
};

/* The state of a machine, created at the first use. */
static struct events *events_of(struct domain *d) {
    struct prim_state *state = prim_state(d);
    if (state->events != NULL) return state->events;
    struct events *e = calloc(1, sizeof *e);
    if (e == NULL) vm_raise_out_of_memory(d);
    e->registered = VAL_UNIT;
    gc_register_mutable_root(&d->gc, &e->registered);
    return state->events = e;
}

static struct events *active(struct domain *d) {
    struct events *e = prim_state(d)->events;
    return e == NULL || e->file == NULL || e->paused ? NULL : e;
}
bool events_are_active(struct domain *d) { return active(d) != NULL; }

const char *events_path(struct domain *d) {
    const struct events *e = prim_state(d)->events;
    return e == NULL || e->file == NULL ? NULL : e->path;
}

value *events_registered(struct domain *d) { return &events_of(d)->registered; }

int events_register(struct domain *d, const char *name) {
    struct events *e = events_of(d);
    if (e->count == NAMES) return -1;
    if (e->names == NULL) e->names = calloc(NAMES, NAME_BYTES);
    if (e->names == NULL) vm_raise_out_of_memory(d);
    ASSERT(strlen(name) < NAME_BYTES);
    strcpy(e->names[e->count], name);
    if (e->file != NULL) strcpy(e->shown_names[e->count], name);
    return (int)e->count++;
}

/* ---- Rings. ---- */

static uint64_t item_header(size_t words, uint64_t kind, unsigned type, unsigned number) {
    return (uint64_t)words << 54 | kind | (uint64_t)type << 49 | (uint64_t)number << 36;
}

/* Moves the head so that n more words fit. Lengths that the program has overwritten drop all. */
static void drop_oldest(struct span *span, struct ring *ring, const uint64_t *words, uint64_t size,
                        uint64_t n) {
    while (span->tail + n > span->head + size) {
        uint64_t length = words[span->head % size] >> 54, held = span->tail - span->head;
        span->head += length == 0 || length > held ? held : length;
    }
    ASSERT(span->head <= span->tail); /* EV1 */
    atomic_store_explicit(&ring->head, span->head, memory_order_release);
    /* A reader that sees the new words sees the new head, too. */
    atomic_thread_fence(memory_order_seq_cst);
}

/* An item never spans the ring's end: padding fills what is left there. */
static void put_item(struct domain *d, uint64_t kind, unsigned type, unsigned number,
                     const void *contents, size_t n) {
    const struct events *e = active(d);
    if (e == NULL) return;
    size_t domain = d->record->index;
    struct span *span = &e->spans[domain];
    struct ring *ring = &e->rings[domain];
    uint64_t *words = e->words + domain * e->ring_words;
    uint64_t size = e->ring_words, at = span->tail % size, length = n + 2;
    uint64_t padding = at + length > size ? size - at : 0;
    if (length >= 1024 || length > size || padding + length > size) return;
    drop_oldest(span, ring, words, size, padding + length);
    if (padding > 0) {
        words[at] = item_header(padding, 0, ITEM_PADDING, 0);
        at = 0;
    }
    words[at] = item_header(length, kind, type, number);
    words[at + 1] = vm_now_ns();
    if (n > 0) memcpy(&words[at + 2], contents, n * sizeof *words);
    span->tail += padding + length;
    atomic_store_explicit(&ring->tail, span->tail, memory_order_release);
}

void events_begin(struct domain *d, enum event_phase phase) {
    put_item(d, 0, ITEM_BEGIN, phase, NULL, 0);
}
void events_finish(struct domain *d, enum event_phase phase) {
    put_item(d, 0, ITEM_END, phase, NULL, 0);
}
void events_count(struct domain *d, enum event_counter counter, uint64_t n) {
    put_item(d, 0, ITEM_COUNTER, counter, &n, 1);
}
void events_lifecycle(struct domain *d, enum event_lifecycle what, uint64_t n) {
    put_item(d, 0, ITEM_LIFECYCLE, what, &n, 1);
}
void events_domain_changed(struct domain *d, bool begins) {
    events_lifecycle(d, begins ? EV_DOMAIN_SPAWN : EV_DOMAIN_TERMINATE, (uint64_t)getpid());
}
void events_write(struct domain *d, enum event_item type, unsigned number, const void *words,
                  size_t n) {
    put_item(d, USER_ITEM, type, number, words, n);
}

/* ---- The collector. ---- */

static void count_minor(struct domain *d, struct events *e) {
    struct gc_stats stats = gc_stats_read(&d->gc);
    events_count(d, EV_C_MINOR_PROMOTED, 8 * (stats.promoted_words - e->promoted_words));
    events_count(d, EV_C_MINOR_ALLOCATED, 8 * (stats.minor_words - e->minor_words));
    e->promoted_words = stats.promoted_words;
    e->minor_words = stats.minor_words;
}

/* Readers are shown blocks of all sizes as in one kind of pool. */
static void count_heap(struct domain *d) {
    struct gc_stats stats = gc_stats_read(&d->gc);
    events_count(d, EV_C_MAJOR_HEAP_POOL_WORDS, stats.heap_words);
    events_count(d, EV_C_MAJOR_HEAP_POOL_LIVE_WORDS, stats.live_words);
    events_count(d, EV_C_MAJOR_HEAP_LARGE_WORDS, 0);
    events_count(d, EV_C_MAJOR_HEAP_POOL_FRAG_WORDS, stats.heap_words - stats.live_words);
}

static void observe(void *context, struct gc_domain *g, enum gc_activity what, bool begins) {
    static const enum event_phase parts[] = {[GC_ACT_MARK] = EV_MAJOR_MARK,
                                             [GC_ACT_MARK_END] = EV_MAJOR_FINISH_MARKING,
                                             [GC_ACT_SWEEP] = EV_MAJOR_SWEEP};
    struct domain *d = context;
    struct events *e = prim_state(d)->events;
    if (what == GC_ACT_PAUSE) return;
    if (what == GC_ACT_MINOR) {
        if (begins) events_begin(d, EV_MINOR);
        else {
            count_minor(d, e);
            events_finish(d, EV_MINOR);
        }
    } else if (begins) {
        events_begin(d, EV_MAJOR);
        events_begin(d, EV_MAJOR_SLICE);
        events_begin(d, parts[what]);
    } else {
        events_finish(d, parts[what]);
        events_finish(d, EV_MAJOR_SLICE);
        if (what == GC_ACT_MARK_END) count_heap(d);
        events_finish(d, EV_MAJOR);
    }
}

/* ---- Start and end. ---- */

static size_t ring_words(const struct domain *d) {
    size_t given = d->vm->options.events_log_words;
    return (size_t)1 << (given == 0 ? 16 : given < 30 ? given : 30);
}

/* Fills in a new file of zeros. */
static void begin_file(struct domain *d, struct events *e, struct file_header *file) {
    size_t domains = vm_max_domains(d->vm);
    struct file_header about = {.version = 1,
                                .max_domains = domains,
                                .ring_header_bytes = sizeof(struct ring),
                                .ring_bytes = 8 * ring_words(d),
                                .ring_words = ring_words(d),
                                .ring_headers_offset = sizeof about};
    about.rings_offset = sizeof about + domains * sizeof(struct ring);
    about.names_offset = about.rings_offset + domains * about.ring_bytes;
    *file = about;
    e->file = file;
    e->rings = (struct ring *)((char *)file + about.ring_headers_offset);
    e->words = (uint64_t *)((char *)file + about.rings_offset);
    e->ring_words = about.ring_words;
    e->shown_names = (void *)((char *)file + about.names_offset);
    if (e->names != NULL) memcpy(e->shown_names, e->names, e->count * NAME_BYTES);
}

static size_t file_bytes(struct domain *d) {
    size_t ring = sizeof(struct ring) + 8 * ring_words(d);
    return sizeof(struct file_header) + vm_max_domains(d->vm) * ring + NAMES * NAME_BYTES;
}

/* Creates and maps e->path. NULL: errno, or path->refused, has the reason. */
static void *create(struct sandbox_path *path, size_t bytes) {
    int fd = sandbox_open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return NULL;
    void *map = ftruncate(fd, (off_t)bytes) != 0
                    ? MAP_FAILED
                    : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return map == MAP_FAILED ? NULL : map;
}

/* As OCaml: an error that the program cannot catch. */
static _Noreturn void fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    gc_vreport_fatal(format, arguments);
    abort();
}

void events_start(struct domain *d) {
    struct events *e = events_of(d);
    if (e->file != NULL) return;
    const char *folder = secure_getenv("OCAML_RUNTIME_EVENTS_DIR");
    int length = snprintf(e->path, sizeof e->path, "%s%s%d.events", folder == NULL ? "" : folder,
                          folder == NULL ? "" : "/", (int)getpid());
    struct sandbox_path path = {d->vm, CAP_FS_WRITE, e->path, NULL};
    e->bytes = file_bytes(d);
    free(e->spans); /* of before a fork */
    e->spans = calloc(vm_max_domains(d->vm), sizeof *e->spans);
    if (e->spans == NULL) vm_raise_out_of_memory(d);
    errno = ENAMETOOLONG;
    struct file_header *file = length < (int)sizeof e->path ? create(&path, e->bytes) : NULL;
    if (path.refused != NULL) vm_raise_refused(d, e->path, path.refused);
    if (file == NULL) fatal("Couldn't open ring buffer loc: %s", e->path);
    begin_file(d, e, file);
    struct gc_stats stats = gc_stats_read(&d->gc);
    e->minor_words = stats.minor_words;
    e->promoted_words = stats.promoted_words;
    e->observer = (struct gc_observer){.context = d, .activity = observe};
    gc_add_observer(&d->gc, &e->observer);
    events_lifecycle(d, EV_RING_START, (uint64_t)getpid());
}

void events_start_if_asked(struct domain *d) {
    if (d->vm->version->has_runtime_events && secure_getenv("OCAML_RUNTIME_EVENTS_START") != NULL &&
        vm_policy_restriction(d->vm, CAP_FS_WRITE) == NULL)
        events_start(d);
}

void events_pause(struct domain *d) {
    struct events *e = active(d);
    if (e != NULL) e->paused = true;
}

void events_resume(struct domain *d) {
    struct events *e = prim_state(d)->events;
    if (e == NULL || e->file == NULL || !e->paused) return;
    e->paused = false;
    events_lifecycle(d, EV_RING_RESUME, 0);
}

static void unmap(struct events *e) {
    munmap(e->file, e->bytes);
    e->file = NULL;
}

void events_end(struct prim_state *state) {
    struct events *e = state->events;
    if (e == NULL) return;
    if (e->file != NULL) {
        unmap(e);
        if (secure_getenv("OCAML_RUNTIME_EVENTS_PRESERVE") == NULL) unlink(e->path);
    }
    free(e->names);
    free(e->spans);
    free(e);
    state->events = NULL;
}

void events_after_fork(struct domain *d) {
    struct events *e = prim_state(d)->events;
    if (e == NULL || e->file == NULL) return;
    bool paused = e->paused;
    unmap(e);
    gc_remove_observer(&d->gc, &e->observer);
    e->paused = false;
    if (!paused) events_start(d);
}
