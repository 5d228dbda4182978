/* exitstats.c - one line a counter, as ocamlrun prints them. */
#include "vm/exitstats.h"

#include "gc/stats.h"
#include "vm/vm.h"

enum { VERBOSE_AT_EXIT = 0x400 };

void vm_print_exit_statistics(struct domain *d, FILE *err) {
    if ((gc_get_params(&d->gc)->verbose & VERBOSE_AT_EXIT) == 0) return;
    struct gc_stats s;
    gc_stats_read(&d->gc, &s);
    const struct {
        const char *name;
        size_t count;
    } lines[] = {
        {"allocated_words", s.minor_words + s.major_words - s.promoted_words},
        {"minor_words", s.minor_words},
        {"promoted_words", s.promoted_words},
        {"major_words", s.major_words},
        {"minor_collections", s.minor_collections},
        {"major_collections", s.major_collections},
        {"heap_words", s.heap_words},
        {"heap_chunks", s.heap_chunks},
        {"top_heap_words", s.top_heap_words},
        {"compactions", s.compactions},
        {"forced_major_collections", s.forced_major_collections},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        fprintf(err, "%s: %zu\n", lines[i].name, lines[i].count);
}
