/* groups.h - samples summed by what they have in common, and by call path. */
#ifndef BACTRIAN_MEMPROF_REPORT_QUERY_GROUPS_H
#define BACTRIAN_MEMPROF_REPORT_QUERY_GROUPS_H

#include "memprof/report/query/query.h"

/* Numbers for the locations' names under a --by: locations with the same text have the same. */
struct report_keys {
    uint32_t *of_location;
    char **texts;
    size_t count;
};

/* What became of the blocks of a group, and how much of it there was. */
struct report_group {
    struct report_sum sum;
    struct report_sum minor_dead, promoted, major_dead, live; /* of all its selected blocks */
    double born_hits;         /* births in ns, weighed with hits, summed */
    struct report_site exact; /* if the groups are exact */
};

struct report_groups {
    struct report_group *groups; /* group i has the name texts[i] */
    char **texts;
    size_t count;
    struct report_group total;
    uint32_t *order; /* the groups with samples, or exact words; largest first */
    size_t shown;
    bool exact; /* what is shown was counted, not only sampled */
};

/* Whether --by groups samples by something else than places. */
bool report_by_other(enum report_by by);
/* Then: the names of the groups, with their number; and the number of a sample's. */
char **report_other_texts(const struct report_model *model, enum report_by by, size_t *count);
size_t report_other_key(const struct report_model *model, enum report_by by,
                        const struct report_sample *sample);

/* The keys of a profile's locations by site, function, file or module. Fails: as report_alloc. */
struct report_keys *report_keys_create(const struct report_model *model, enum report_by by);
/* Frees them; NULL is allowed. */
void report_keys_free(struct report_keys *keys);

/* Sums the selected samples by the selection's --by. Fails: as report_alloc. */
struct report_groups *report_groups_create(const struct report_query *query);
/* Frees them; NULL is allowed. */
void report_groups_free(struct report_groups *groups);

/* What a group comes to in the selection's unit, its blocks, and its share in all. */
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
    struct report_path *nodes;
    size_t count, capacity;
    struct report_keys *keys;
    struct report_hash hash;
    bool grouped; /* the first step is no place but the --by: its key is other + its number */
    size_t other;
};

/* How paths start: at the outermost frame; at the allocation, going outwards; from a function's
 * callers outwards; from a function inwards. */
enum report_direction { REPORT_DOWN, REPORT_UP, REPORT_CALLERS, REPORT_CALLEES };

/* Sums the selected samples by call path; hidden frames are left out. places: what the
 * steps are; under a --by that is no place, the first step is of that kind. function: a regular
 * expression, for CALLERS and CALLEES. share: paths below this share of the total (0 to 1) have no
 * children; what belongs there is in their own sum. Children are sorted, the largest first.
 * Fails: NULL and *error. */
struct report_paths *report_paths_create(const struct report_query *query,
                                         enum report_direction direction, const char *function,
                                         enum report_by places, double share,
                                         struct report_error *error);
/* Frees them; NULL is allowed. */
void report_paths_free(struct report_paths *paths);

#endif
