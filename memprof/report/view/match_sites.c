/* match_sites.c - finds the sites of one profile again in another, of an edited program.
 *
 *   sites of f, before   17:4-20   18:4-30   20:2-9
 *                           |         |
 *   sites of f, after    18:4-20   19:4-30   19:40-44   21:4-11
 *
 * Sites of a function are in the order of the source. The longest common subsequence of their
 * columns is matched first; what is left between two such pairs is matched in order if both sides
 * have as much of it. */
#include "gc/assert.h"
#include "memprof/report/view/changes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 1 << 22 };

struct site {
    const char *function, *file;
    int32_t line, start, end;
    uint32_t group;
};

REPORT_COMPARE(by_place, struct site,
               strcmp(x->function, y->function) ?: strcmp(x->file, y->file) ?:
               report_order(x->line, y->line) ?: report_order(x->start, y->start) ?:
               report_order(x->end, y->end))

struct sites {
    struct site *at;
    size_t count;
};

static struct sites list_sites(const struct report_model *model, const uint32_t *location,
                               const struct report_groups *groups) {
    struct sites sites = {report_alloc((groups->shown + 1) * sizeof *sites.at), groups->shown};
    for (size_t i = 0; i < groups->shown; i++) {
        const struct report_location *l = &model->locations.at[location[groups->order[i]]];
        sites.at[i] = (struct site){model->names.at[l->function],
                                    model->names.at[l->file],
                                    l->line,
                                    l->start,
                                    l->end,
                                    groups->order[i]};
    }
    report_sort(&sites, by_place);
    return sites;
}

struct matcher {
    struct report_match *matches;
    size_t count;
};

static void put(struct matcher *m, const struct site *before, const struct site *after) {
    m->matches[m->count++] = (struct report_match){{before != NULL ? before->group : REPORT_ABSENT,
                                                    after != NULL ? after->group : REPORT_ABSENT},
                                                   before != NULL && after != NULL &&
                                                       before->line != after->line};
}

/* Sites between two pairs. */
static void match_rest(struct matcher *m, const struct site *a, size_t n, const struct site *b,
                       size_t k) {
    for (size_t i = 0; n == k && i < n; i++) put(m, &a[i], &b[i]);
    for (size_t i = 0; n != k && i < n; i++) put(m, &a[i], NULL);
    for (size_t i = 0; n != k && i < k; i++) put(m, NULL, &b[i]);
}

/* 0: they are different. The end of a line may have been edited; the same line decides between
 * several of the same columns. */
static uint32_t likeness(const struct site *a, const struct site *b) {
    if (a->start != b->start) return 0;
    return a->end != b->end ? 1 : a->line == b->line ? 3 : 2;
}

/* Matches the sites a[0 .. n-1] and b[0 .. k-1] of one function. */
static void match_function(struct matcher *m, const struct site *a, size_t n, const struct site *b,
                           size_t k) {
    if (n * k > MOST_PAIRS || n == 0 || k == 0) {
        match_rest(m, a, n, b, k);
        return;
    }
    uint32_t *best = report_alloc((n + 1) * (k + 1) * sizeof *best); /* of a[i ..] and b[j ..] */
#define BEST(i, j) best[(i) * (k + 1) + (j)]
    for (size_t i = n; i-- > 0;)
        for (size_t j = k; j-- > 0;) {
            uint32_t like = likeness(&a[i], &b[j]), skip = BEST(i + 1, j);
            if (BEST(i, j + 1) > skip) skip = BEST(i, j + 1);
            BEST(i, j) = like > 0 && like + BEST(i + 1, j + 1) > skip ? like + BEST(i + 1, j + 1)
                                                                      : skip;
        }
    size_t i = 0, j = 0, from_i = 0, from_j = 0;
    while (i < n && j < k) {
        uint32_t like = likeness(&a[i], &b[j]);
        if (like > 0 && BEST(i, j) == like + BEST(i + 1, j + 1)) {
            match_rest(m, a + from_i, i - from_i, b + from_j, j - from_j);
            put(m, &a[i++], &b[j++]);
            from_i = i;
            from_j = j;
        } else if (BEST(i, j) == BEST(i + 1, j)) i++;
        else j++;
    }
#undef BEST
    match_rest(m, a + from_i, n - from_i, b + from_j, k - from_j);
    free(best);
}

static int same_function(const struct site *a, const struct site *b) {
    return strcmp(a->function, b->function) ?: strcmp(a->file, b->file);
}

static size_t length_of_function(const struct sites *s, size_t from) {
    size_t n = 0;
    while (from + n < s->count && same_function(&s->at[from], &s->at[from + n]) == 0) n++;
    return n;
}

struct report_match *report_match_sites(const struct report_model *const models[2],
                                        uint32_t *const locations[2],
                                        struct report_groups *const groups[2], size_t *count) {
    struct sites a = list_sites(models[0], locations[0], groups[0]);
    struct sites b = list_sites(models[1], locations[1], groups[1]);
    struct matcher m = {report_alloc((a.count + b.count + 1) * sizeof *m.matches), 0};
    for (size_t i = 0, j = 0; i < a.count || j < b.count;) {
        int order = i == a.count ? 1 : j == b.count ? -1 : same_function(&a.at[i], &b.at[j]);
        size_t n = order <= 0 ? length_of_function(&a, i) : 0;
        size_t k = order >= 0 ? length_of_function(&b, j) : 0;
        match_function(&m, a.at + i, n, b.at + j, k);
        i += n;
        j += k;
    }
    ASSERT(m.count <= a.count + b.count);
    report_free(a.at, b.at);
    *count = m.count;
    return m.matches;
}
