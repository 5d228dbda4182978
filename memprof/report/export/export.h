/* export.h - writes a profile in other programs' formats. */
#ifndef BACTRIAN_MEMPROF_REPORT_EXPORT_EXPORT_H
#define BACTRIAN_MEMPROF_REPORT_EXPORT_EXPORT_H

#include "memprof/report/view/views.h"

/* The exporters: each writes the selected samples. */
#define FORMAT(name, function, stacks, start, takes, meaning) report_writer function;
#include "memprof/report/export/formats.def"

/* Sends the profile to a server that collects them (push.c): request->operand is its URL. */
report_view report_view_push;

/* The rest is what exporters share. */

/* The exporter of pprof's format. all_live: live blocks are those at --to, also those born before
 * --from. */
int report_write_pprof(const struct report_request *request, bool all_live, FILE *out);

/* The nodes with selected samples, in the order of report_nodes_by_site, and what each of them
 * allocates in whole numbers. */
struct report_weights {
    struct report_weight {
        uint32_t node;
        long long number;
    } * at; /* freed with free() */
    size_t count, capacity;
};
/* Weighs the nodes. Returns 0, or -1 and *error. */
int report_weigh_nodes(const struct report_model *model, const struct report_selection *selection,
                       report_weigher *weigh, struct report_weights *out,
                       struct report_error *error);
enum { REPORT_MAX_FRAMES = 500 }; /* of formats that spell out every stack */
/* Numbers 0 to count - 1 in the order of their keys, which are below key_count; freed with
 * free(). */
uint32_t *report_order_by_key(const uint32_t *keys, size_t count, size_t key_count);
/* The nodes, ordered by the site where they allocate. Rounded in this order (report_round), their
 * numbers add up to the total that views print, and to each site's within one. Freed with
 * free(). */
uint32_t *report_nodes_by_site(const struct report_model *model);
enum { REPORT_MOST_THREADS = 100 }; /* of formats that have each thread apart */
/* The threads of the selected samples, if there are two or more: their numbers in the model, of
 * more than REPORT_MOST_THREADS the first. Returns 0, or -1 and *error. */
int report_selected_threads(const struct report_model *model,
                            const struct report_selection *selection, struct report_numbers *out,
                            struct report_error *error);
/* The program's name, or the profile's path. */
const char *report_title_of(const struct report_request *request);

#endif
