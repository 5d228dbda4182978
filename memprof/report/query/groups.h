/* groups.h - samples summed by what they have in common, and by call path. */
#ifndef BACTRIAN_MEMPROF_REPORT_QUERY_GROUPS_H
#define BACTRIAN_MEMPROF_REPORT_QUERY_GROUPS_H

#include "memprof/report/query/query.h"

/* Keys of locations under a --by: locations with the same text have the same key. Keys are in the
 * order of their texts. */
struct report_keys {
    uint32_t *of_location;
    char **texts;
    size_t count;
};

/* What may happen to a block. A promoted block counts again when it dies or lives on. */
enum report_fate {
    REPORT_MINOR_DEAD,
    REPORT_PROMOTED,
    REPORT_MAJOR_DEAD,
    REPORT_LIVE,
    REPORT_FATES
};

/* The selected samples with one key. */
struct report_group {
    struct report_sum sum, fates[REPORT_FATES];
    double born_hits;         /* births in ns, weighed by hits, summed */
    struct report_site exact; /* if the groups are exact */
};

struct report_groups {
    struct report_group *groups; /* group i has the name texts[i] */
    char **texts;
    size_t count;
    struct report_group total;
    uint32_t *order; /* the groups with samples, or exact words; largest first */
    size_t shown;
    bool exact; /* words and blocks were counted, not only sampled */
};

/* Whether --by groups samples by an attribute of their own, not by location. */
bool report_by_attribute(enum report_by by);
/* Then: the names of the groups, *count of them, all freed with free(); the group of a sample. */
char **report_attribute_texts(const struct report_model *model, enum report_by by, size_t *count);
size_t report_attribute_of(const struct report_model *model, enum report_by by,
                           const struct report_sample *sample);

/* The keys of a profile's locations by site, function, file or module. Fails: as report_alloc. */
struct report_keys *report_keys_create(const struct report_model *model, enum report_by by);
/* Frees them; NULL is allowed. */
void report_keys_free(struct report_keys *keys);
/* Whether the text of each location matches a pattern; freed with free(). Fails: as
 * report_match. */
uint8_t *report_match_locations(const struct report_model *model, const struct report_keys *keys,
                                const char *option, const char *pattern,
                                struct report_error *error);

/* What a --by makes of samples: groups, each with a name. */
struct report_grouping {
    const struct report_query *query;
    struct report_keys *keys; /* by location; NULL: by an attribute */
    char **texts;
    size_t count;
};
/* Starts one by the selection's --by; its end frees it, with the names. Fails: as report_alloc. */
void report_grouping_start(struct report_grouping *grouping, const struct report_query *query);
void report_grouping_end(struct report_grouping *grouping);
/* The group of a sample, as the query folds and hides its frames. */
size_t report_grouping_of(const struct report_grouping *grouping,
                          const struct report_sample *sample);

/* Sums the selected samples by the selection's --by. Fails: as report_alloc. */
struct report_groups *report_groups_create(const struct report_query *query);
/* Frees them; NULL is allowed. */
void report_groups_free(struct report_groups *groups);

/* A group's estimate in the selection's unit, its blocks, and its share of all. */
struct report_estimate report_group_estimate(const struct report_query *query,
                                             const struct report_groups *groups,
                                             const struct report_group *group);
struct report_estimate report_group_blocks(const struct report_query *query,
                                           const struct report_groups *groups,
                                           const struct report_group *group);
double report_group_share(const struct report_groups *groups, const struct report_group *group);

/* A tree of call paths: node 0 is the root; a node's children have higher numbers. */
struct report_path {
    uint32_t parent, key, first_child, next_sibling; /* 0: none */
    struct report_sum self, total;
};

struct report_paths {
    REPORT_VECTOR(struct report_path) nodes;
    struct report_keys *keys;
    struct report_hash hash;
    bool cut;     /* there would be too many: some are shorter than the stacks */
    bool grouped; /* the first step is an attribute: its key is `attributes` + the sample's */
    size_t attributes;
};

/* Where paths start: at the outermost frame; at the allocation, going outwards; at a function's
 * callers, going outwards; at a function, going inwards. */
enum report_direction { REPORT_DOWN, REPORT_UP, REPORT_CALLERS, REPORT_CALLEES };

/* Sums the selected samples by call path, without hidden frames. steps: by what locations are
 * steps; if --by is an attribute, that is the first step. function: a regular expression, for
 * CALLERS and CALLEES. share: paths below this share of the total (0 to 1) have no children; what
 * belongs to these is in their own sum. Children are in order, the largest first. Fails: NULL and
 * *error. */
struct report_paths *report_paths_create(const struct report_query *query,
                                         enum report_direction direction, const char *function,
                                         enum report_by steps, double share,
                                         struct report_error *error);
/* Frees them; NULL is allowed. */
void report_paths_free(struct report_paths *paths);

#endif
