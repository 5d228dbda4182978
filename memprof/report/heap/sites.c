/* sites.c - see sites.h. */
#include "memprof/report/heap/sites.h"

#include <stdlib.h>

static bool same_site(const void *owner, uint32_t number, const void *key) {
    const struct heap_site *a = &((const struct heap_sites *)owner)->list.at[number], *b = key;
    return a->place == b->place && a->holder == b->holder;
}

REPORT_COMPARE(by_sampled, struct heap_site,
               report_order(y->sampled, x->sampled)
                   ?: report_order(y->words, x->words) ?: report_order(x->holder, y->holder))

struct heap_sites heap_sites_find(const struct heap_graph *g, const struct heap_held *held) {
    struct heap_sites out = {0};
    struct report_hash table = {0};
    report_each(sample, &g->samples) {
        struct heap_site site = {.place = sample->place, .holder = held->holder[sample->node]};
        const uint64_t hash = report_hash_number((uint64_t)site.place << 32 | site.holder);
        uint32_t number = report_hash_find(&table, hash, same_site, &out, &site);
        if (number == REPORT_NO_NUMBER) {
            number = (uint32_t)out.list.count;
            report_append(&out.list, site);
            report_hash_add(&table, hash, number);
        }
        out.list.at[number].sampled++;
        out.list.at[number].words += heap_words(g, sample->node);
    }
    report_sort(&out.list, by_sampled);
    free(table.slots);
    return out;
}
