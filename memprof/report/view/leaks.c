/* leaks.c - blocks that were never freed, by site; of those in a snapshot, what holds them. */
#include "gc/assert.h"
#include "memprof/report/view/views.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 30, HOLDERS_OF_SITE = 3 };

/* Samples of a group that a holder has. */
struct held_group {
    uint32_t group, holder, samples;
};

struct held_groups {
    REPORT_VECTOR(struct held_group) list; /* by group, then the most samples first */
    uint32_t *samples; /* of each group, also of those that are not in the snapshot */
    size_t found, all; /* samples in the snapshot, and selected ones */
};

static bool same_group(const void *owner, uint32_t number, const void *key) {
    const struct held_group *a = &((const struct held_groups *)owner)->list.at[number], *b = key;
    return a->group == b->group && a->holder == b->holder;
}

REPORT_COMPARE(by_group, struct held_group,
               report_order(x->group, y->group)
                   ?: report_order(y->samples, x->samples) ?: report_order(x->holder, y->holder))

static struct held_groups sum_held(const struct report_query *query, size_t groups,
                                   const struct report_held *held) {
    struct held_groups sums = {.samples = report_alloc(groups * sizeof *sums.samples)};
    struct report_hash table = {0};
    struct report_grouping grouping;
    report_grouping_start(&grouping, query);
    report_each_selected(s, query) {
        struct held_group key = {.group = (uint32_t)report_grouping_of(&grouping, s)};
        sums.samples[key.group]++;
        sums.all++;
        if (s->number >= held->samples || held->holders[s->number] == REPORT_NO_NUMBER) continue;
        key.holder = held->holders[s->number];
        sums.found++;
        const uint64_t hash = report_hash_number((uint64_t)key.group << 32 | key.holder);
        uint32_t number = report_hash_find(&table, hash, same_group, &sums, &key);
        if (number == REPORT_NO_NUMBER) {
            number = (uint32_t)sums.list.count;
            report_append(&sums.list, key);
            report_hash_add(&table, hash, number);
        }
        sums.list.at[number].samples++;
    }
    report_sort(&sums.list, by_group);
    report_grouping_end(&grouping);
    free(table.slots);
    return sums;
}

/* Adds which holders have the samples of the first n groups. */
static void add_holders(struct report_doc *doc, const struct report_query *query,
                        const struct report_groups *live, size_t n,
                        const struct report_held *held) {
    struct held_groups sums = sum_held(query, live->count, held);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "holders",
                                              "What holds the sampled blocks of each site");
    report_table_columns(t, "sampled", "sampled", "of", "of", "holder", "held by", "name",
                         report_by_title(query->selection), NULL);
    t->empty = "nothing: none of these blocks is in the snapshot";
    for (size_t i = 0; i < n; i++) {
        const struct held_group key = {live->order[i], 0, UINT32_MAX};
        size_t first = 0;
        while (first < sums.list.count && by_group(&sums.list.at[first], &key) < 0) first++;
        for (size_t k = first; k < first + HOLDERS_OF_SITE && k < sums.list.count; k++) {
            const struct held_group *group = &sums.list.at[k];
            if (group->group != key.group) break;
            report_row(t, 0, report_count(group->samples), report_count(sums.samples[key.group]),
                       report_text(held->texts.at[group->holder]),
                       report_text(live->texts[key.group]));
        }
    }
    report_doc_note(doc, "held by: in the snapshot, which has %zu of the %zu sampled blocks.",
                    sums.found, sums.all);
    report_free(sums.list.at, sums.samples);
}

/* Returns the number of rows. */
static size_t add_rows(struct report_doc *doc, const struct report_query *query,
                       const struct report_groups *live, const struct report_groups *all) {
    const struct report_selection *selection = query->selection;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "");
    size_t n = report_group_rows(t, live, selection, ROWS);
    t->empty = "nothing: every sampled block was freed";
    report_table_columns(t, "share", "share", report_unit_title(selection),
                         report_unit_title(selection), "blocks", "blocks", "kept",
                         "of all it allocated", "age", "mean age", "name",
                         report_by_title(selection), NULL);
    for (size_t i = 0; i < n; i++) {
        uint32_t key = live->order[i];
        const struct report_group *group = &live->groups[key];
        uint64_t kept = group->sum.hits - group->sum.fiber_hits;
        uint64_t allocated = all->groups[key].sum.hits;
        ASSERT(kept <= allocated);
        report_row(
            t, 0, report_share((double)group->sum.hits / live->total.sum.hits),
            report_interval(report_unit_kind(selection), report_query_estimate(query, &group->sum)),
            report_count(report_estimate_blocks(&query->scale, &group->sum).value),
            report_share(allocated > 0 ? (double)kept / allocated : NAN),
            report_seconds((query->at - group->born_hits / group->sum.hits) / 1e9),
            report_text(live->texts[key]));
    }
    report_note_rest(doc, live, selection, n);
    return n;
}

struct report_doc *report_leaks(const struct report_request *request,
                                const struct report_held *held) {
    struct report_selection selection = request->selection, births = request->selection;
    struct report_query query, all;
    if (selection.at.kind == REPORT_NO_MOMENT) selection.at.kind = REPORT_END;
    report_selection_show(&births, REPORT_SHOW_ALLOC, REPORT_NO_MOMENT);
    births.age_min.kind = REPORT_NO_MOMENT;
    if (report_query_start(&query, request->model, &selection, request->error) != 0) return NULL;
    if (report_query_start(&all, request->model, &births, request->error) != 0) {
        report_query_end(&query);
        return NULL;
    }
    query.skip_young = query.live == REPORT_LIVE_UNCOLLECTED;
    report_fold(&query, true);
    report_fold(&all, true);
    struct report_groups *live = report_groups_create(&query), *born = report_groups_create(&all);
    char *total = report_total_text(&query, &live->total.sum);
    struct report_doc *doc = report_doc_create("leaks", "%s, %s%s", total, query.sentence,
                                               query.skip_young ? ", without the minor heap" : "");
    size_t rows = add_rows(doc, &query, live, born);
    if (held != NULL) add_holders(doc, &query, live, rows, held);
    report_note_unproven(doc, &query);
    report_note_folded(doc, &query, true);
    report_add_notes(doc, request->model);
    free(total);
    report_groups_free(live);
    report_groups_free(born);
    report_query_end(&query);
    report_query_end(&all);
    return doc;
}
