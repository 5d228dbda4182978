/* export.h - writes a profile in other programs' formats. */
#ifndef BACTRIAN_MEMPROF_REPORT_EXPORT_EXPORT_H
#define BACTRIAN_MEMPROF_REPORT_EXPORT_EXPORT_H

#include "memprof/report/model/memory.h"
#include "memprof/report/view/views.h"

#include <stdio.h>

/* Writes the selected samples. Returns 0, or -1 and *error; failures of out stay in ferror. */
typedef int report_export(const struct report_request *request, FILE *out,
                          struct report_error *error);

/* All of them. */
#define FORMAT(name, function, stacks, takes, meaning) report_export function;
#include "memprof/report/export/formats.def"

/* What the exporters share: */

/* The selected samples summed by node. show and at replace the selection's; at: REPORT_NO_MOMENT
 * keeps it. Returns an array, freed with free(), or NULL and *error. *scale: how to scale it. */
struct report_sum *report_node_sums(const struct report_request *request, enum report_show show,
                                    struct report_moment at, struct report_scale *scale,
                                    struct report_error *error);
/* The frames of a stack, outermost first, in *frames, which grows; of a stack with more than
 * `most` frames only the outermost third and the innermost rest. Returns their number. */
size_t report_unwind(const struct report_model *model, uint32_t node, size_t most,
                     uint32_t **frames, size_t *capacity);
enum { REPORT_MOST_FRAMES = 500 }; /* of formats that spell out every stack */
/* Numbers 0 to count - 1 in the order of their keys, which are below key_count; freed with
 * free(). */
uint32_t *report_order_by_key(const uint32_t *keys, size_t count, size_t key_count);
/* The nodes, those that allocate at one site together: rounded in this order (report_round), their
 * numbers add up to the total that the views print, and to each site's but for one. Freed with
 * free(). */
uint32_t *report_nodes_by_site(const struct report_model *model);
/* The function's name of a location, for people: never empty. */
const char *report_name_of(const struct report_model *model, uint32_t location);

#endif
