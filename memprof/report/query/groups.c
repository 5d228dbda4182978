/* groups.c - samples summed by what they have in common: site, function, file, phase ... */
#include "memprof/report/query/groups.h"

#include "gc/assert.h"
#include "memprof/report/model/text.h"
#include "memprof/report/query/pattern.h"

#include <stdlib.h>
#include <string.h>

static char *key_text(const struct report_model *model, enum report_by by, uint32_t location) {
    switch (by) {
    case REPORT_BY_FUNCTION: return report_function_text(model, location);
    case REPORT_BY_MODULE: return report_module_text(model, location);
    case REPORT_BY_FILE: {
        const char *file = model->names.at[model->locations.at[location].file];
        return report_copy(file[0] != 0 ? file : "(no debugging information)");
    }
    default: return report_location_text(model, location);
    }
}

struct named {
    char *text;
    uint32_t location;
};

REPORT_COMPARE(by_text, struct named,
               strcmp(x->text, y->text) ?: report_order(x->location, y->location))

struct report_keys *report_keys_create(const struct report_model *model, enum report_by by) {
    struct report_keys *keys = report_alloc(sizeof *keys);
    size_t n = model->locations.count;
    struct named *sorted = report_alloc(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) sorted[i] = (struct named){key_text(model, by, i), i};
    qsort(sorted, n, sizeof *sorted, by_text);
    keys->of_location = report_alloc(n * sizeof *keys->of_location);
    keys->texts = report_alloc(n * sizeof *keys->texts);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(sorted[i].text, keys->texts[keys->count - 1]) == 0)
            free(sorted[i].text);
        else keys->texts[keys->count++] = sorted[i].text;
        ASSERT(sorted[i].location < n);
        keys->of_location[sorted[i].location] = keys->count - 1;
    }
    free(sorted);
    return keys;
}

void report_keys_free(struct report_keys *keys) {
    if (keys == NULL) return;
    for (size_t i = 0; i < keys->count; i++) free(keys->texts[i]);
    report_free(keys->texts, keys->of_location, keys);
}

uint8_t *report_match_locations(const struct report_model *model, const struct report_keys *keys,
                                const char *option, const char *pattern,
                                struct report_error *error) {
    uint8_t *matches = report_match(option, pattern, (const char *const *)keys->texts, keys->count,
                                    error);
    if (matches == NULL) return NULL;
    uint8_t *found = report_alloc(model->locations.count);
    for (size_t i = 0; i < model->locations.count; i++) found[i] = matches[keys->of_location[i]];
    free(matches);
    return found;
}

static void add_to_group(struct report_group *group, const struct report_sample *s, double rate) {
    bool stayed_young = s->young && s->promoted == REPORT_NEVER;
    enum report_fate fate = s->died == REPORT_NEVER ? REPORT_LIVE
                            : stayed_young          ? REPORT_MINOR_DEAD
                                                    : REPORT_MAJOR_DEAD;
    report_sum_add(&group->sum, s, rate);
    report_sum_add(&group->fates[fate], s, rate);
    if (s->promoted != REPORT_NEVER) report_sum_add(&group->fates[REPORT_PROMOTED], s, rate);
    group->born_hits += (double)s->born * s->hits;
}

/* The name of the innermost phase at a time; 0: none. */
static uint32_t phase_at(const struct report_model *model, int64_t time) {
    size_t low = 0, high = model->phase_changes.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model->phase_changes.at[middle].time <= time) low = middle + 1;
        else high = middle;
    }
    return low == 0 ? 0 : model->phase_changes.at[low - 1].name;
}

bool report_by_attribute(enum report_by by) {
    return by == REPORT_BY_PHASE || by == REPORT_BY_SOURCE || by == REPORT_BY_TAG ||
           by == REPORT_BY_DOMAIN || by == REPORT_BY_THREAD;
}

size_t report_attribute_of(const struct report_model *model, enum report_by by,
                           const struct report_sample *sample) {
    switch (by) {
    case REPORT_BY_SOURCE: return sample->source;
    case REPORT_BY_TAG: return sample->tag + 1;
    case REPORT_BY_DOMAIN: return model->threads.at[sample->thread].domain;
    case REPORT_BY_THREAD: return sample->thread;
    default: return phase_at(model, sample->born);
    }
}

enum { TAGS = 256 };

static size_t attribute_count(const struct report_model *model, enum report_by by) {
    switch (by) {
    case REPORT_BY_SOURCE: return REPORT_SOURCES;
    case REPORT_BY_TAG: return 1 + TAGS;
    case REPORT_BY_DOMAIN:
    case REPORT_BY_THREAD: return model->threads.count;
    default: return model->names.count;
    }
}

static char *attribute_text(const struct report_model *model, enum report_by by, size_t i) {
    static const char *const sources[REPORT_SOURCES] = {"minor heap", "major heap, directly",
                                                        "external", "suspended fibers"};
    switch (by) {
    case REPORT_BY_SOURCE: return report_copy(sources[i]);
    case REPORT_BY_TAG: return report_tag_text((int)i - 1);
    case REPORT_BY_DOMAIN: return report_domain_text(model->threads.at[i].id);
    case REPORT_BY_THREAD: return report_thread_text(model->threads.at[i].id);
    default: return report_copy(i == 0 ? "(no phase)" : model->names.at[i]);
    }
}

char **report_attribute_texts(const struct report_model *model, enum report_by by, size_t *count) {
    *count = attribute_count(model, by);
    char **texts = report_alloc(*count * sizeof *texts);
    for (size_t i = 0; i < *count; i++) texts[i] = attribute_text(model, by, i);
    return texts;
}

/* Exact counts are by location and for the whole run. */
static bool is_exact(const struct report_query *query) {
    const struct report_model *model = query->model;
    return model->has_sites && !model->truncated && query->show == REPORT_SHOW_ALLOC &&
           query->is_whole && query->selection->hide == NULL && !query->folded &&
           query->selection->unit != REPORT_UNIT_SAMPLES;
}

static void add_exact(struct report_site *to, const struct report_site *more) {
    to->words += more->words;
    to->blocks += more->blocks;
}

static void add_sites(struct report_groups *g, const struct report_query *query,
                      const struct report_keys *keys) {
    g->exact = keys != NULL && is_exact(query);
    if (!g->exact) return;
    for (size_t i = 0; i < query->model->sites.count; i++)
        add_exact(&g->groups[keys->of_location[i]].exact, &query->model->sites.at[i]);
}

static struct report_estimate exactly(double n) { return (struct report_estimate){n, n, n}; }

struct report_estimate report_group_estimate(const struct report_query *query,
                                             const struct report_groups *groups,
                                             const struct report_group *group) {
    if (!groups->exact) return report_query_estimate(query, &group->sum);
    switch (query->selection->unit) {
    case REPORT_UNIT_WORDS: return exactly(group->exact.words);
    case REPORT_UNIT_BLOCKS: return exactly(group->exact.blocks);
    default: return exactly(group->exact.words * query->model->word_bytes);
    }
}

struct report_estimate report_group_blocks(const struct report_query *query,
                                           const struct report_groups *groups,
                                           const struct report_group *group) {
    return groups->exact ? exactly(group->exact.blocks)
                         : report_estimate_blocks(&query->scale, &group->sum);
}

double report_group_share(const struct report_groups *groups, const struct report_group *group) {
    return groups->exact ? group->exact.words / groups->total.exact.words
                         : (double)group->sum.hits / groups->total.sum.hits;
}

static int by_size(const void *a, const void *b, void *context) {
    const struct report_groups *g = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double m = g->exact ? g->groups[x].exact.words : g->groups[x].sum.hits;
    double n = g->exact ? g->groups[y].exact.words : g->groups[y].sum.hits;
    return report_order(n, m) ?: strcmp(g->texts[x], g->texts[y]);
}

void report_grouping_start(struct report_grouping *grouping, const struct report_query *query) {
    enum report_by by = query->selection->by;
    *grouping = (struct report_grouping){.query = query};
    if (report_by_attribute(by)) {
        grouping->texts = report_attribute_texts(query->model, by, &grouping->count);
        return;
    }
    grouping->keys = report_keys_create(query->model, by);
    grouping->count = grouping->keys->count;
    grouping->texts = grouping->keys->texts;
    grouping->keys->texts = NULL;
    grouping->keys->count = 0;
}

void report_grouping_end(struct report_grouping *grouping) {
    for (size_t i = 0; i < grouping->count; i++) free(grouping->texts[i]);
    free(grouping->texts);
    report_keys_free(grouping->keys);
}

size_t report_grouping_of(const struct report_grouping *grouping,
                          const struct report_sample *sample) {
    const struct report_query *query = grouping->query;
    size_t group =
        grouping->keys == NULL
            ? report_attribute_of(query->model, query->selection->by, sample)
            : grouping->keys
                  ->of_location[query->model->nodes.at[report_query_node(query, sample)].location];
    ASSERT(group < grouping->count);
    return group;
}

struct report_groups *report_groups_create(const struct report_query *query) {
    const struct report_model *model = query->model;
    struct report_groups *g = report_alloc(sizeof *g);
    struct report_grouping grouping;
    report_grouping_start(&grouping, query);
    g->count = grouping.count;
    g->texts = grouping.texts;
    g->groups = report_alloc(g->count * sizeof *g->groups);
    g->order = report_alloc(g->count * sizeof *g->order);
    report_each_selected(s, query)
        add_to_group(&g->groups[report_grouping_of(&grouping, s)], s, model->rate);
    add_sites(g, query, grouping.keys);
    for (size_t i = 0; i < g->count; i++) {
        if (g->groups[i].sum.samples == 0 && g->groups[i].exact.words == 0) continue;
        add_exact(&g->total.exact, &g->groups[i].exact);
        g->order[g->shown++] = i;
        report_sum_merge(&g->total.sum, &g->groups[i].sum);
        for (size_t k = 0; k < REPORT_FATES; k++)
            report_sum_merge(&g->total.fates[k], &g->groups[i].fates[k]);
    }
    qsort_r(g->order, g->shown, sizeof *g->order, by_size, g);
    report_keys_free(grouping.keys); /* the texts are those of the groups now */
    return g;
}

void report_groups_free(struct report_groups *groups) {
    if (groups == NULL) return;
    for (size_t i = 0; i < groups->count; i++) free(groups->texts[i]);
    report_free(groups->texts, groups->groups, groups->order, groups);
}
