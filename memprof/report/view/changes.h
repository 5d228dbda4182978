/* changes.h - what changed between two profiles, and whether sampling alone explains it. */
#ifndef BACTRIAN_MEMPROF_REPORT_VIEW_CHANGES_H
#define BACTRIAN_MEMPROF_REPORT_VIEW_CHANGES_H

#include "memprof/report/query/groups.h"

enum { REPORT_BEFORE, REPORT_AFTER };

struct report_change {
    char *name;        /* of the later profile, if it has the row */
    uint32_t location; /* of the later profile, of a row by site; 0: none */
    struct report_estimate of[2];
    double p;
    bool certain; /* beyond sampling noise, among all rows */
};

struct report_changes {
    struct report_change total;
    struct report_change *rows; /* the certain ones first, then the largest */
    size_t count;
};

/* The two sides of a row by site: indexes of groups, or REPORT_ABSENT. */
#define REPORT_ABSENT UINT32_MAX
struct report_match {
    uint32_t group[2];
    bool moved; /* the line differs */
};

/* Matches the sites of two profiles, both grouped by site, each shown group once: within a function
 * in order, by their columns, so that code that has moved is found again; the others by their
 * order, where as many are left on both sides. locations: one of each group. *count: of matches.
 * Freed with free(). */
struct report_match *report_match_sites(const struct report_model *const models[2],
                                        uint32_t *const locations[2],
                                        struct report_groups *const groups[2], size_t *count);

/* What changed between the queries' profiles. Fails: as report_alloc. */
struct report_changes *report_changes_create(const struct report_query queries[2],
                                             struct report_groups *const groups[2]);
void report_changes_free(struct report_changes *changes);
/* Sets p and certain of changes, and sorts them as in struct report_changes. */
void report_changes_judge(struct report_change *changes, size_t count);
/* "yes", "maybe" or "chance". */
const char *report_change_text(const struct report_change *change);

#endif
