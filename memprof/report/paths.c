/* paths.c - samples summed by call path, in one of four directions. */
#include "memprof/report/groups.h"
#include "memprof/report/memory.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_pair(uint32_t parent, uint32_t key) {
    uint64_t h = ((uint64_t)parent << 32 | key) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static void reserve(struct report_paths *p) {
    if (2 * (p->hash.used + 1) <= p->hash.size) return;
    size_t size = p->hash.size > 0 ? 2 * p->hash.size : 64;
    uint32_t *slots = report_alloc(size * sizeof *slots);
    for (size_t i = 1; i < p->count; i++) {
        size_t at = hash_pair(p->nodes[i].parent, p->nodes[i].key) & (size - 1);
        while (slots[at] != 0) at = (at + 1) & (size - 1);
        slots[at] = i;
    }
    free(p->hash.slots);
    p->hash.slots = slots;
    p->hash.size = size;
}

static uint32_t push(struct report_paths *p, uint32_t parent, uint32_t key) {
    reserve(p);
    size_t at = hash_pair(parent, key) & (p->hash.size - 1);
    for (; p->hash.slots[at] != 0; at = (at + 1) & (p->hash.size - 1)) {
        const struct report_path *node = &p->nodes[p->hash.slots[at]];
        if (node->parent == parent && node->key == key) return p->hash.slots[at];
    }
    report_grow(&p->nodes, &p->capacity, p->count + 1, sizeof *p->nodes);
    p->nodes[p->count] = (struct report_path){.parent = parent, .key = key};
    p->hash.slots[at] = p->count;
    p->hash.used++;
    return p->count++;
}

/* The stack of a node, innermost first, without hidden frames. Returns its length. */
static size_t unwind(const struct report_query *query, uint32_t node, uint32_t **frames,
                     size_t *capacity) {
    size_t n = 0;
    for (; node != 0; node = query->model->nodes[node].parent) {
        if (query->node_flags[node] & REPORT_NODE_HIDDEN) continue;
        report_grow(frames, capacity, n + 1, sizeof **frames);
        (*frames)[n++] = query->model->nodes[node].location;
    }
    return n;
}

/* The path's node for a stack; -1 if the stack doesn't hold the function. Where frames are known by
 * less than their place, those that follow each other with one key (a function that calls itself)
 * are one step of the path. */
static int64_t path_of(struct report_paths *p, enum report_direction direction,
                       const uint8_t *matches, const uint32_t *frames, size_t n) {
    uint32_t at = 0;
    size_t outermost = n, from = 0, steps = n;
    for (size_t i = 0; matches != NULL && i < n; i++)
        if (matches[frames[i]]) outermost = i;
    if (matches != NULL && outermost == n) return -1;
    if (direction == REPORT_CALLERS) {
        from = outermost;
        steps = n - outermost;
    } else if (direction == REPORT_CALLEES) {
        steps = outermost + 1;
    }
    bool outwards = direction == REPORT_UP || direction == REPORT_CALLERS;
    for (size_t i = 0; i < steps; i++) {
        uint32_t key = p->keys->of_location[frames[outwards ? from + i : steps - 1 - i]];
        if (!p->folds_recursion || at == 0 || p->nodes[at].key != key) at = push(p, at, key);
    }
    return at;
}

static uint8_t *match_functions(const struct report_keys *keys, const struct report_model *model,
                                const char *function, struct report_error *error) {
    regex_t regex;
    uint8_t *found = report_alloc(model->location_count);
    bool any = false;
    if (regcomp(&regex, function, REG_EXTENDED | REG_NOSUB) != 0) {
        report_fail(error, function, "give a POSIX extended regular expression",
                    "not a regular expression");
        free(found);
        return NULL;
    }
    for (size_t i = 0; i < model->location_count; i++) {
        found[i] = regexec(&regex, keys->texts[keys->of_location[i]], 0, NULL, 0) == 0;
        if (found[i]) any = true;
    }
    regfree(&regex);
    if (any) return found;
    report_fail(error, function, "`bactrian prof table --by fn` lists the functions",
                "no function of that name is in the profile");
    free(found);
    return NULL;
}

struct child {
    uint32_t node;
    uint64_t hits;
};

static int by_hits(const void *a, const void *b) {
    const struct child *x = a, *y = b;
    if (x->hits != y->hits) return x->hits > y->hits ? 1 : -1;
    return x->node < y->node ? 1 : -1;
}

/* Totals from the leaves up, then children in order: all nodes are sorted once, the smallest first,
 * and put in front of their parent's children one by one. */
static void finish(struct report_paths *p) {
    struct child *all = report_alloc(p->count * sizeof *all);
    for (size_t i = 0; i < p->count; i++) p->nodes[i].total = p->nodes[i].self;
    for (size_t i = p->count - 1; i > 0; i--)
        report_sum_merge(&p->nodes[p->nodes[i].parent].total, &p->nodes[i].total);
    for (size_t i = 0; i < p->count; i++)
        all[i] = (struct child){i, i == 0 ? UINT64_MAX : p->nodes[i].total.hits};
    qsort(all, p->count, sizeof *all, by_hits);
    for (size_t i = 0; i < p->count; i++) {
        struct report_path *node = &p->nodes[all[i].node];
        if (all[i].node == 0) continue;
        node->next_sibling = p->nodes[node->parent].first_child;
        p->nodes[node->parent].first_child = all[i].node;
    }
    free(all);
}

/* Adds the selected samples. Each stack is looked up once. */
static void add_samples(struct report_paths *p, const struct report_query *query,
                        enum report_direction direction, const uint8_t *matches) {
    const struct report_model *model = query->model;
    int64_t *of_node = report_alloc(model->node_count * sizeof *of_node);
    uint32_t *frames = NULL;
    size_t capacity = 0;
    enum { UNSEEN = 0, NONE = -1 }; /* else 1 + the path's node */
    for (size_t i = 0; i < model->sample_count; i++) {
        const struct report_sample *s = &model->samples[i];
        if (!report_query_selects(query, s)) continue;
        if (of_node[s->node] == UNSEEN) {
            size_t n = unwind(query, s->node, &frames, &capacity);
            int64_t at = path_of(p, direction, matches, frames, n);
            of_node[s->node] = at < 0 ? NONE : at + 1;
        }
        if (of_node[s->node] != NONE)
            report_sum_add(&p->nodes[of_node[s->node] - 1].self, s, model->rate);
    }
    free(frames);
    free(of_node);
}

struct report_paths *report_paths_create(const struct report_query *query,
                                         enum report_direction direction, const char *function,
                                         struct report_error *error) {
    struct report_paths *p = report_alloc(sizeof *p);
    enum report_by by = query->selection->by;
    bool functions = direction == REPORT_CALLERS || direction == REPORT_CALLEES;
    uint8_t *matches = NULL;
    if (by == REPORT_BY_PHASE || by == REPORT_BY_SOURCE) by = REPORT_BY_SITE;
    if (functions && by == REPORT_BY_SITE) by = REPORT_BY_FUNCTION;
    p->keys = report_keys_create(query->model, by);
    p->folds_recursion = by != REPORT_BY_SITE;
    if (functions) {
        matches = match_functions(p->keys, query->model, function, error);
        if (matches == NULL) {
            report_paths_free(p);
            return NULL;
        }
    }
    report_grow(&p->nodes, &p->capacity, 1, sizeof *p->nodes);
    p->nodes[p->count++] = (struct report_path){0};
    add_samples(p, query, direction, matches);
    finish(p);
    free(matches);
    return p;
}

void report_paths_free(struct report_paths *paths) {
    if (paths == NULL) return;
    report_keys_free(paths->keys);
    free(paths->nodes);
    free(paths->hash.slots);
    free(paths);
}
