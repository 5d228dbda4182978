/* paths.c - samples summed by call path, in one of four directions.
 *
 * Paths grow level by level, and only below those that are large enough to be shown: a profile of
 * millions of different stacks has few of these. So first every stack, by its node in the model,
 * gets the deepest path that it reaches; then the samples are summed, one look-up each. */
#include "memprof/report/model/memory.h"
#include "memprof/report/query/groups.h"
#include "memprof/report/query/pattern.h"

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

enum { NO_PATH = UINT32_MAX };

/* What growing the paths needs; arrays have an element for each node of the model. */
struct growth {
    struct report_paths *paths;
    const struct report_query *query;
    const struct report_node *nodes;
    size_t count;
    uint32_t *outermost; /* frame of the wanted function, 0: none; NULL: all are wanted */
    uint64_t *hits;      /* hits of the stacks that grow from this node; inwards: with all below */
    uint32_t *path;      /* what a stack has reached */
    uint32_t base;       /* where all paths start: 0, or the first step of a --by */
    uint32_t *first_child, *next_sibling; /* inwards only */
    double least;                         /* hits of a path that is worth growing */
};

static bool is_hidden(const struct growth *g, uint32_t node) {
    return (g->query->node_flags[node] & REPORT_NODE_HIDDEN) != 0;
}

static uint32_t key_of(const struct growth *g, uint32_t node) {
    return g->paths->keys->of_location[g->nodes[node].location];
}

/* Whether a frame is no step of its own behind a path: it is hidden, or has the path's key (a
 * function that calls itself). */
static bool is_passed_over(const struct growth *g, uint32_t path, uint32_t node) {
    if (is_hidden(g, node)) return true;
    return path != 0 && g->paths->nodes[path].key == key_of(g, node);
}

static void find_outermost(struct growth *g, const uint8_t *matches) {
    g->outermost = report_alloc(g->count * sizeof *g->outermost);
    for (size_t i = 1; i < g->count; i++) {
        uint32_t above = g->outermost[g->nodes[i].parent];
        if (above != 0) g->outermost[i] = above;
        else if (matches[g->nodes[i].location] && !is_hidden(g, i)) g->outermost[i] = i;
    }
}

/* The step from a path to a frame, with the hits of the frame's stacks. */
static uint32_t step(struct growth *g, uint32_t path, uint32_t node, uint64_t hits) {
    uint32_t child = push(g->paths, path, key_of(g, node));
    g->paths->nodes[child].total.hits += hits;
    return child;
}

/* Each round takes all stacks that are still growing one step outwards. */
static void grow_outwards(struct growth *g) {
    struct growing {
        uint32_t start, frame;
    } *all = report_alloc(g->count * sizeof *all);
    size_t n = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        g->path[i] = g->base;
        if (g->hits[i] > 0) all[n++] = (struct growing){i, i};
    }
    while (n > 0) {
        size_t left = 0;
        for (size_t i = 0; i < n; i++) {
            struct growing s = all[i];
            uint32_t path = g->path[s.start];
            if (path != g->base && g->paths->nodes[path].total.hits < g->least) continue;
            while (s.frame != 0 && is_passed_over(g, path, s.frame))
                s.frame = g->nodes[s.frame].parent;
            if (s.frame == 0) continue;
            g->path[s.start] = step(g, path, s.frame, g->hits[s.start]);
            s.frame = g->nodes[s.frame].parent;
            all[left++] = s;
        }
        n = left;
    }
    free(all);
}

static void list_children(struct growth *g) {
    g->first_child = report_alloc(g->count * sizeof *g->first_child);
    g->next_sibling = report_alloc(g->count * sizeof *g->next_sibling);
    for (size_t i = g->count - 1; i > 0; i--) {
        uint32_t parent = g->nodes[i].parent;
        g->next_sibling[i] = g->first_child[parent];
        g->first_child[parent] = i;
    }
}

struct list {
    uint32_t *items;
    size_t count, capacity;
};

static void append(struct list *list, uint32_t node) {
    report_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = node;
}

/* A path goes on with a frame, or with those below it if it is passed over. */
static void grow_into(struct growth *g, uint32_t path, uint32_t first, struct list *waiting,
                      struct list *next) {
    append(waiting, first);
    while (waiting->count > 0) {
        uint32_t node = waiting->items[--waiting->count];
        if (g->hits[node] == 0) continue;
        if (is_passed_over(g, path, node)) {
            g->path[node] = path;
            for (uint32_t c = g->first_child[node]; c != 0; c = g->next_sibling[c])
                append(waiting, c);
        } else {
            g->path[node] = step(g, path, node, g->hits[node]);
            append(next, node);
        }
    }
}

/* Each round takes the paths of one length one step inwards. */
static void grow_inwards(struct growth *g) {
    struct list level = {0}, next = {0}, waiting = {0};
    for (size_t i = g->count - 1; i > 0; i--)
        if (g->outermost == NULL || g->outermost[i] != i) g->hits[g->nodes[i].parent] += g->hits[i];
    for (size_t i = 0; i < g->count; i++) g->path[i] = NO_PATH;
    list_children(g);
    if (g->outermost == NULL) {
        g->path[0] = g->base;
        for (uint32_t c = g->first_child[0]; c != 0; c = g->next_sibling[c])
            grow_into(g, g->base, c, &waiting, &level);
    }
    for (size_t i = 1; g->outermost != NULL && i < g->count; i++)
        if (g->outermost[i] == i) grow_into(g, g->base, i, &waiting, &level);
    while (level.count > 0) {
        next.count = 0;
        for (size_t i = 0; i < level.count; i++) {
            uint32_t node = level.items[i], path = g->path[node];
            if (g->paths->nodes[path].total.hits < g->least) continue;
            for (uint32_t c = g->first_child[node]; c != 0; c = g->next_sibling[c])
                grow_into(g, path, c, &waiting, &next);
        }
        struct list swap = level;
        level = next;
        next = swap;
    }
    /* What lies below a path that did not grow is part of it. */
    for (size_t i = 1; i < g->count; i++)
        if (g->path[i] == NO_PATH) g->path[i] = g->path[g->nodes[i].parent];
    free(level.items);
    free(next.items);
    free(waiting.items);
}

static uint8_t *match_functions(const struct report_keys *keys, const struct report_model *model,
                                const char *function, struct report_error *error) {
    regex_t regex;
    char why[REPORT_WHY];
    uint8_t *found = report_alloc(model->location_count);
    bool any = false;
    if (!report_compile_pattern(&regex, function, why)) {
        report_fail(error, function, "give a POSIX extended regular expression",
                    "not a regular expression: %s", why);
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
    uint32_t node, key;
    uint64_t hits;
};

static int by_hits(const void *a, const void *b) {
    const struct child *x = a, *y = b;
    if (x->hits != y->hits) return x->hits > y->hits ? 1 : -1;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return x->node < y->node ? 1 : -1;
}

/* Totals from the leaves up, then children in order: all nodes are sorted once, the smallest first,
 * and put in front of their parent's children one by one. Keys are in the order of their texts. */
static void finish(struct report_paths *p) {
    struct child *all = report_alloc(p->count * sizeof *all);
    for (size_t i = 0; i < p->count; i++) p->nodes[i].total = p->nodes[i].self;
    for (size_t i = p->count - 1; i > 0; i--)
        report_sum_merge(&p->nodes[p->nodes[i].parent].total, &p->nodes[i].total);
    for (size_t i = 0; i < p->count; i++)
        all[i] = (struct child){i, p->nodes[i].key, i == 0 ? UINT64_MAX : p->nodes[i].total.hits};
    qsort(all, p->count, sizeof *all, by_hits);
    for (size_t i = 0; i < p->count; i++) {
        struct report_path *node = &p->nodes[all[i].node];
        if (all[i].node == 0) continue;
        node->next_sibling = p->nodes[node->parent].first_child;
        p->nodes[node->parent].first_child = all[i].node;
    }
    free(all);
}

/* The node that a sample's stack grows from. False: the stack doesn't hold the function. */
static bool start_of(const struct growth *g, enum report_direction direction, uint32_t node,
                     uint32_t *start) {
    *start = g->outermost != NULL && direction == REPORT_CALLERS ? g->outermost[node] : node;
    return g->outermost == NULL || g->outermost[node] != 0;
}

/* The group of a sample under a --by that is no place; else 0. */
static size_t group_of(const struct report_paths *p, const struct report_query *query,
                       const struct report_sample *s) {
    return p->grouped ? report_other_key(query->model, query->selection->by, s) : 0;
}

/* Adds the selected samples of a group; least: hits of paths that are worth growing. */
static void add_group(struct report_paths *p, const struct report_query *query,
                      enum report_direction direction, double least, const uint8_t *matches,
                      size_t group) {
    const struct report_model *model = query->model;
    struct growth g = {p, query, model->nodes, .count = model->node_count, .least = least};
    uint32_t start;
    if (p->grouped) g.base = push(p, 0, p->other + group);
    if (matches != NULL) find_outermost(&g, matches);
    g.hits = report_alloc(g.count * sizeof *g.hits);
    g.path = report_alloc(g.count * sizeof *g.path);
    for (size_t i = 0; i < model->sample_count; i++) {
        const struct report_sample *s = &model->samples[i];
        if (group_of(p, query, s) != group || !report_query_selects(query, s)) continue;
        if (start_of(&g, direction, s->node, &start)) g.hits[start] += s->hits;
    }
    if (direction == REPORT_UP || direction == REPORT_CALLERS) grow_outwards(&g);
    else grow_inwards(&g);
    for (size_t i = 0; i < model->sample_count; i++) {
        const struct report_sample *s = &model->samples[i];
        if (group_of(p, query, s) != group || !report_query_selects(query, s)) continue;
        if (!start_of(&g, direction, s->node, &start)) continue;
        report_sum_add(&p->nodes[g.path[start]].self, s, model->rate);
    }
    free(g.outermost);
    free(g.hits);
    free(g.path);
    free(g.first_child);
    free(g.next_sibling);
}

/* Adds the selected samples, group by group. */
static void add_samples(struct report_paths *p, const struct report_query *query,
                        enum report_direction direction, double share, const uint8_t *matches,
                        size_t groups) {
    const struct report_model *model = query->model;
    struct growth g = {p, query, model->nodes, .count = model->node_count};
    bool *occurs = report_alloc(groups * sizeof *occurs);
    double total = 0;
    uint32_t start;
    if (matches != NULL) find_outermost(&g, matches);
    for (size_t i = 0; i < model->sample_count; i++) {
        const struct report_sample *s = &model->samples[i];
        if (!start_of(&g, direction, s->node, &start) || !report_query_selects(query, s)) continue;
        occurs[group_of(p, query, s)] = true;
        total += s->hits;
    }
    free(g.outermost);
    for (size_t i = 0; i < groups; i++)
        if (occurs[i]) add_group(p, query, direction, share * total, matches, i);
    free(occurs);
}

/* The names of the first step, behind those of places. Returns their number. */
static size_t add_others(struct report_paths *p, const struct report_query *query) {
    size_t count;
    char **texts = report_other_texts(query->model, query->selection->by, &count);
    char **all = report_alloc((p->keys->count + count) * sizeof *all);
    if (p->keys->count > 0) memcpy(all, p->keys->texts, p->keys->count * sizeof *all);
    memcpy(all + p->keys->count, texts, count * sizeof *all);
    free(p->keys->texts);
    free(texts);
    p->grouped = true;
    p->other = p->keys->count;
    p->keys->texts = all;
    p->keys->count += count;
    return count;
}

struct report_paths *report_paths_create(const struct report_query *query,
                                         enum report_direction direction, const char *function,
                                         enum report_by places, double share,
                                         struct report_error *error) {
    struct report_paths *p = report_alloc(sizeof *p);
    enum report_by by = places;
    size_t groups = 1;
    bool functions = direction == REPORT_CALLERS || direction == REPORT_CALLEES;
    uint8_t *matches = NULL;
    if (functions && by == REPORT_BY_SITE) by = REPORT_BY_FUNCTION;
    p->keys = report_keys_create(query->model, by);
    if (functions) {
        matches = match_functions(p->keys, query->model, function, error);
        if (matches == NULL) {
            report_paths_free(p);
            return NULL;
        }
    }
    if (report_by_other(query->selection->by)) groups = add_others(p, query);
    report_grow(&p->nodes, &p->capacity, 1, sizeof *p->nodes);
    p->nodes[p->count++] = (struct report_path){0};
    add_samples(p, query, direction, share, matches, groups);
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
