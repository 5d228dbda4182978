/* exit_statistics.c - counters and a summary at the end of a program. */
#include "vm/machine/machine.h"

#include "gc/stats.h"
#include "vm/code/version.h"
#include "vm/engine/native/native.h"
#include "vm/state/vm.h"

enum { VERBOSE_AT_EXIT = 0x400 };

void vm_print_exit_statistics(struct domain *d, FILE *err) {
    if ((gc_get_params(&d->gc)->verbose & VERBOSE_AT_EXIT) == 0) return;
    struct gc_stats s = gc_stats_read(&d->gc);
    const bool chunks = d->vm->version->gc_has_chunks;
    const struct {
        const char *name;
        size_t count;
        bool absent;
    } lines[] = {
        {"allocated_words", s.minor_words + s.major_words - s.promoted_words, false},
        {"minor_words", s.minor_words, false},
        {"promoted_words", s.promoted_words, false},
        {"major_words", s.major_words, false},
        {"minor_collections", s.minor_collections, false},
        {"major_collections", s.major_collections, false},
        {"forced_major_collections", s.forced_major_collections, chunks},
        {"heap_words", s.heap_words, false},
        {"heap_chunks", s.heap_chunks, !chunks},
        {"top_heap_words", s.top_heap_words, false},
        {"compactions", s.compactions, !chunks},
        {"forced_major_collections", s.forced_major_collections, !chunks},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!lines[i].absent) fprintf(err, "%s: %zu\n", lines[i].name, lines[i].count);
}

static double megabytes(size_t words) { return (double)words * 8 / (1 << 20); }
static double milliseconds(uint64_t ns) { return (double)ns / 1e6; }

void vm_print_gc_summary(struct domain *d, FILE *err) {
    struct gc_pause_stats p;
    struct gc_stats s = gc_stats_read(&d->gc);
    gc_pauses_read(&d->gc, &p);
    double promoted = s.minor_words ? 100.0 * (double)s.promoted_words / (double)s.minor_words : 0;
    fprintf(err, "gc: %zu minor collections of %.1f MB in all, %.1f %% promoted\n",
            s.minor_collections, megabytes(s.minor_words), promoted);
    fprintf(err, "gc: %zu major collections; heap %.1f MB at its peak, %.1f MB at the end\n",
            s.major_collections, megabytes(s.top_heap_words), megabytes(s.heap_words));
    fprintf(err,
            "gc: %zu pauses, %.1f ms in all: p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, "
            "longest %.2f ms\n",
            p.count, milliseconds(p.total_ns), milliseconds(p.median_ns), milliseconds(p.p99_ns),
            milliseconds(p.p999_ns), milliseconds(p.longest_ns));
    vm_native_print_summary(d->vm, err);
}
