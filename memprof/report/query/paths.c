/* paths.c - samples summed by call path, in one of four directions.
 *
 * Paths are expanded level by level, and only if they are large enough to be shown: even a profile
 * with millions of different stacks has few such paths. First the deepest path of every stack
 * (every node of the model) is found; then the samples are summed, with one lookup each. */
#include "gc/assert.h"
#include "memprof/report/query/groups.h"

#include <stdlib.h>
#include <string.h>

static bool is_path(const void *owner, uint32_t number, const void *key) {
    const struct report_path *node = &((const struct report_paths *)owner)->nodes.at[number];
    const struct report_path *wanted = key;
    return node->parent == wanted->parent && node->key == wanted->key;
}

static uint32_t push(struct report_paths *p, uint32_t parent, uint32_t key) {
    ASSERT(parent < p->nodes.count && key < p->keys->count);
    const struct report_path node = {.parent = parent, .key = key};
    uint64_t hash = report_hash_number((uint64_t)parent << 32 | key);
    uint32_t found = report_hash_find(&p->hash, hash, is_path, p, &node);
    if (found != REPORT_NO_NUMBER) return found;
    report_append(&p->nodes, node);
    report_hash_add(&p->hash, hash, p->nodes.count - 1);
    return p->nodes.count - 1;
}

enum { NO_PATH = UINT32_MAX, MOST_STEPS = 20000000, MOST_VISITS = 200000000, MOST_PATHS = 3000000 };

/* The state of the expansion; arrays have an item for each node of the model. */
struct expansion {
    struct report_paths *paths;
    const struct report_query *query;
    const struct report_node *nodes;
    size_t count;
    uint32_t *outermost; /* frame of the wanted function, 0: none; NULL: all are wanted */
    uint64_t *hits;      /* of the stacks that continue at this node; inwards: with all below */
    uint32_t *path;      /* the path that a stack has reached */
    uint32_t base;       /* where all paths start: 0, or the step of an attribute */
    uint32_t *first_child, *next_sibling; /* inwards only */
    double min_hits;                      /* of a path that is expanded */
};

static bool is_hidden(const struct expansion *g, uint32_t node) {
    return (g->query->node_flags[node] & REPORT_NODE_HIDDEN) != 0;
}

static uint32_t key_of(const struct expansion *g, uint32_t node) {
    return g->paths->keys->of_location[g->nodes[node].location];
}

/* Whether a frame adds no step to a path: it is hidden, or has the key of the path's last step (a
 * function that calls itself). */
static bool is_skipped(const struct expansion *g, uint32_t path, uint32_t node) {
    if (is_hidden(g, node)) return true;
    return path != 0 && g->paths->nodes.at[path].key == key_of(g, node);
}

static void find_outermost(struct expansion *g, const uint8_t *matches) {
    g->outermost = report_alloc(g->count * sizeof *g->outermost);
    for (size_t i = 1; i < g->count; i++) {
        uint32_t above = g->outermost[g->nodes[i].parent];
        if (above != 0) g->outermost[i] = above;
        else if (matches[g->nodes[i].location] && !is_hidden(g, i)) g->outermost[i] = i;
    }
}

/* Extends a path by a frame; adds the hits of the frame's stacks. */
static uint32_t step(struct expansion *g, uint32_t path, uint32_t node, uint64_t hits) {
    uint32_t child = push(g->paths, path, key_of(g, node));
    g->paths->nodes.at[child].total.hits += hits;
    return child;
}

/* For each frame the next step outwards: its innermost caller that is shown and has another key. */
static uint32_t *find_callers(const struct expansion *g) {
    uint32_t *caller = report_alloc(g->count * sizeof *caller);
    uint32_t *shown = g->query->shown;
    for (size_t i = 1; i < g->count; i++) {
        uint32_t above = g->nodes[i].parent;
        if (shown != NULL) above = shown[above];
        caller[i] = above != 0 && key_of(g, above) == key_of(g, i) ? caller[above] : above;
    }
    return caller;
}

/* Each iteration extends all paths that still grow by one step outwards. */
static void grow_outwards(struct expansion *g) {
    struct growing {
        uint32_t start, frame;
    } *all = report_alloc(g->count * sizeof *all);
    uint32_t *caller = find_callers(g);
    size_t n = 0, steps = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        g->path[i] = g->base;
        uint32_t frame = g->query->shown != NULL ? g->query->shown[i] : i;
        if (g->hits[i] > 0) all[n++] = (struct growing){i, frame};
    }
    while (n > 0) {
        size_t left = 0;
        steps += n;
        bool many = steps > MOST_STEPS || g->paths->nodes.count > MOST_PATHS;
        g->paths->cut = g->paths->cut || many;
        for (size_t i = 0; i < n && !many; i++) {
            struct growing s = all[i];
            uint32_t path = g->path[s.start];
            if (path != g->base && g->paths->nodes.at[path].total.hits < g->min_hits) continue;
            if (s.frame == 0) continue;
            g->path[s.start] = step(g, path, s.frame, g->hits[s.start]);
            all[left++] = (struct growing){s.start, caller[s.frame]};
        }
        n = left;
    }
    report_free(all, caller);
}

static void list_children(struct expansion *g) {
    g->first_child = report_alloc(g->count * sizeof *g->first_child);
    g->next_sibling = report_alloc(g->count * sizeof *g->next_sibling);
    for (size_t i = g->count - 1; i > 0; i--) {
        uint32_t parent = g->nodes[i].parent;
        g->next_sibling[i] = g->first_child[parent];
        g->first_child[parent] = i;
    }
}

/* Continues a path with a frame, or with those below it if it is skipped. */
static void grow_into(struct expansion *g, uint32_t path, uint32_t first,
                      struct report_numbers *waiting, struct report_numbers *next) {
    report_append(waiting, first);
    while (waiting->count > 0) {
        uint32_t node = waiting->at[--waiting->count];
        if (g->hits[node] == 0) continue;
        if (is_skipped(g, path, node)) {
            g->path[node] = path;
            for (uint32_t c = g->first_child[node]; c != 0; c = g->next_sibling[c])
                report_append(waiting, c);
        } else {
            g->path[node] = step(g, path, node, g->hits[node]);
            report_append(next, node);
        }
    }
}

/* Each iteration extends the paths of one length by a step inwards. */
static void grow_inwards(struct expansion *g) {
    struct report_numbers level = {0}, next = {0}, waiting = {0};
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
            uint32_t node = level.at[i], path = g->path[node];
            if (g->paths->nodes.at[path].total.hits < g->min_hits) continue;
            for (uint32_t c = g->first_child[node]; c != 0; c = g->next_sibling[c])
                grow_into(g, path, c, &waiting, &next);
        }
        struct report_numbers swap = level;
        level = next;
        next = swap;
    }
    /* Frames below a path that was not extended belong to that path. */
    for (size_t i = 1; i < g->count; i++)
        if (g->path[i] == NO_PATH) g->path[i] = g->path[g->nodes[i].parent];
    report_free(level.at, next.at, waiting.at);
}

/* The locations of the functions that match. NULL, with *error: there is none. */
static uint8_t *match_functions(const struct report_keys *keys, const struct report_model *model,
                                const char *option, const char *function,
                                struct report_error *error) {
    uint8_t *found = report_match_locations(model, keys, option, function, error);
    if (found == NULL || memchr(found, 1, model->locations.count) != NULL) return found;
    report_fail(error, function, "`bactrian prof table --by fn` lists the functions",
                "the profile has no function of that name");
    free(found);
    return NULL;
}

struct child {
    uint32_t node, key;
    uint64_t hits;
};

REPORT_COMPARE(by_hits, struct child,
report_order(x->hits, y->hits) ?: report_order(y->key, x->key) ?:
           report_order(y->node, x->node))

/* Sums totals from the leaves up, then orders children: all nodes are sorted once, the smallest
 * first, and put in front of their parent's children one by one. */
static void finish(struct report_paths *p) {
    struct report_path *nodes = p->nodes.at;
    size_t count = p->nodes.count;
    struct child *all = report_alloc(count * sizeof *all);
    for (size_t i = 0; i < count; i++) nodes[i].total = nodes[i].self;
    for (size_t i = count - 1; i > 0; i--)
        report_sum_merge(&nodes[nodes[i].parent].total, &nodes[i].total);
    for (size_t i = 0; i < count; i++)
        all[i] = (struct child){i, nodes[i].key, i == 0 ? UINT64_MAX : nodes[i].total.hits};
    qsort(all, count, sizeof *all, by_hits);
    for (size_t i = 0; i < count; i++) {
        struct report_path *node = &nodes[all[i].node];
        if (all[i].node == 0) continue;
        ASSERT(node->parent < all[i].node && node->total.hits <= nodes[node->parent].total.hits);
        node->next_sibling = nodes[node->parent].first_child;
        nodes[node->parent].first_child = all[i].node;
    }
    free(all);
}

/* Finds the node that a sample's stack grows from. False: the function is not in the stack. */
static bool start_of(const struct expansion *g, enum report_direction direction, uint32_t node,
                     uint32_t *start) {
    *start = g->outermost != NULL && direction == REPORT_CALLERS ? g->outermost[node] : node;
    return g->outermost == NULL || g->outermost[node] != 0;
}

/* The sample's group if --by is an attribute; otherwise 0. */
static size_t group_of(const struct report_paths *p, const struct report_query *query,
                       const struct report_sample *s) {
    return p->grouped ? report_attribute_of(query->model, query->selection->by, s) : 0;
}

/* Adds the selected samples of a group. min_hits: only paths with this number of hits are
 * extended. */
static void add_group(struct report_paths *p, const struct report_query *query,
                      enum report_direction direction, double min_hits, const uint8_t *matches,
                      size_t group) {
    const struct report_model *model = query->model;
    struct expansion g = {p, query, model->nodes.at, .count = model->nodes.count,
                          .min_hits = min_hits};
    uint32_t start;
    if (p->grouped) g.base = push(p, 0, p->attributes + group);
    if (matches != NULL) find_outermost(&g, matches);
    g.hits = report_alloc(g.count * sizeof *g.hits);
    g.path = report_alloc(g.count * sizeof *g.path);
    report_each_selected(s, query) if (group_of(p, query, s) == group &&
                                       start_of(&g, direction, s->node, &start))
        g.hits[start] += s->hits;
    if (direction == REPORT_UP || direction == REPORT_CALLERS) grow_outwards(&g);
    else grow_inwards(&g);
    report_each_selected(s, query) {
        if (group_of(p, query, s) != group || !start_of(&g, direction, s->node, &start)) continue;
        ASSERT(g.path[start] < p->nodes.count);
        report_sum_add(&p->nodes.at[g.path[start]].self, s, model->rate);
    }
    report_free(g.outermost, g.hits, g.path, g.first_child, g.next_sibling);
}

/* The hits that a group needs to get paths. Each group with paths takes a visit of all nodes and
 * samples. */
static uint64_t least_hits(const uint64_t *hits, size_t groups, size_t visits) {
    for (uint64_t least = 1;; least *= 2) {
        size_t large = 0;
        for (size_t i = 0; i < groups; i++) large += hits[i] >= least;
        if (large <= MOST_VISITS / visits + 1) return least;
    }
}

/* Adds the selected samples, group by group; if there are too many groups, the small ones have no
 * paths. */
static void add_samples(struct report_paths *p, const struct report_query *query,
                        enum report_direction direction, double share, const uint8_t *matches,
                        size_t groups) {
    const struct report_model *model = query->model;
    struct expansion g = {p, query, model->nodes.at, .count = model->nodes.count};
    uint64_t *hits = report_alloc(groups * sizeof *hits);
    double total = 0;
    uint32_t start;
    if (matches != NULL) find_outermost(&g, matches);
    report_each_selected(s, query) {
        if (!start_of(&g, direction, s->node, &start)) continue;
        hits[group_of(p, query, s)] += s->hits;
        total += s->hits;
    }
    uint64_t least = least_hits(hits, groups, model->nodes.count + model->samples.count);
    for (size_t i = 0; i < groups; i++) {
        if (hits[i] >= least) add_group(p, query, direction, share * total, matches, i);
        else if (hits[i] > 0) p->cut = true;
    }
    for (struct report_sample s[1] = {{0}}; p->cut && report_query_next(query, s); s->number++) {
        size_t group = group_of(p, query, s);
        if (hits[group] >= least || !start_of(&g, direction, s->node, &start)) continue;
        uint32_t path = push(p, 0, p->attributes + group); /* first: the nodes may move */
        report_sum_add(&p->nodes.at[path].self, s, model->rate);
    }
    report_free(g.outermost, hits);
}

/* Adds the texts of the attribute's values to the keys. Returns their number. */
static size_t add_attributes(struct report_paths *p, const struct report_query *query) {
    size_t count;
    char **texts = report_attribute_texts(query->model, query->selection->by, &count);
    char **all = report_alloc((p->keys->count + count) * sizeof *all);
    if (p->keys->count > 0) memcpy(all, p->keys->texts, p->keys->count * sizeof *all);
    memcpy(all + p->keys->count, texts, count * sizeof *all);
    report_free(p->keys->texts, texts);
    p->grouped = true;
    p->attributes = p->keys->count;
    p->keys->texts = all;
    p->keys->count += count;
    return count;
}

struct report_paths *report_paths_create(const struct report_query *query,
                                         enum report_direction direction, const char *function,
                                         enum report_by steps, double share,
                                         struct report_error *error) {
    struct report_paths *p = report_alloc(sizeof *p);
    enum report_by by = steps;
    size_t groups = 1;
    bool functions = direction == REPORT_CALLERS || direction == REPORT_CALLEES;
    uint8_t *matches = NULL;
    if (functions && by == REPORT_BY_SITE) by = REPORT_BY_FUNCTION;
    p->keys = report_keys_create(query->model, by);
    if (functions) {
        matches = match_functions(p->keys, query->model,
                                  direction == REPORT_CALLERS ? "--callers" : "--callees", function,
                                  error);
        if (matches == NULL) {
            report_paths_free(p);
            return NULL;
        }
    }
    if (report_by_attribute(query->selection->by)) groups = add_attributes(p, query);
    report_append(&p->nodes, (struct report_path){0});
    add_samples(p, query, direction, share, matches, groups);
    finish(p);
    free(matches);
    return p;
}

void report_paths_free(struct report_paths *paths) {
    if (paths == NULL) return;
    report_keys_free(paths->keys);
    report_free(paths->nodes.at, paths->hash.slots, paths);
}
