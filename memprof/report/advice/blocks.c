/* blocks.c - small blocks that need not be: numbers in boxes that are kept, closures that die
 * young. */
#include "memprof/report/advice/advice.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>
#include <string.h>

enum { CLOSURE_TAG = 247, DOUBLE_TAG = 253, CUSTOM_TAG = 255, LEAST_BLOCKS = 1000 };
static const double KEPT_SHARE = 0.5;   /* of boxes, to be called kept */
static const double YOUNG_SHARE = 0.95; /* of closures that die in the minor heap */

static bool is_float(const struct report_sample *s) {
    return s->tag == DOUBLE_TAG && s->wosize == 1;
}

/* A custom block of its operations and one word: Int32, Int64 or Nativeint, or a handle of C. */
static bool is_boxed_integer(const struct report_sample *s) {
    return s->tag == CUSTOM_TAG && s->wosize == 2 && s->source != REPORT_EXTERNAL;
}

static void advise_box(struct report_advice *advice, const struct report_run *run,
                       bool (*is_box)(const struct report_sample *), bool sure, const char *what,
                       const char *fix) {
    const struct report_query *query = advice->query;
    double rate = query->model->rate, all = 0;
    struct report_sum kept = {0}, live = {0};
    for (size_t i = 0; i < run->count; i++) {
        struct report_sample s = report_run_sample(advice, run, i);
        if (!is_box(&s)) continue;
        all += s.hits;
        if (s.promoted != REPORT_NEVER) report_sum_add(&kept, &s, rate);
        if (s.born <= advice->peak && report_live_until(query, &s) >= advice->peak)
            report_sum_add(&live, &s, rate);
    }
    double blocks = report_estimate_blocks(&query->scale, &kept).value;
    if (kept.hits < KEPT_SHARE * all || blocks < LEAST_BLOCKS) return;
    struct report_estimate words[2] = {report_estimate_words(&query->scale, &kept),
                                       report_estimate_words(&query->scale, &live)};
    bool of_live = words[1].value * advice->allocated > words[0].value * advice->live;
    char count[32];
    report_write_count(count, blocks);
    report_advice_add(advice, (struct report_finding){.location = run->location,
                                                      .what = report_format(what, count),
                                                      .fix = report_copy(fix),
                                                      .sure = sure,
                                                      .saves = of_live ? REPORT_SAVES_LIVE
                                                                       : REPORT_SAVES_ALLOCATED,
                                                      .words = words[of_live]});
}

void report_advise_boxes(struct report_advice *advice, const struct report_run *run) {
    advise_box(advice, run, is_float, true, "%s floats are kept, each in a block of its own",
               "keep them in a float array, or in a record that has floats alone");
    advise_box(advice, run, is_boxed_integer, false,
               "%s numbers (int32, int64, nativeint) are kept, each in a block of its own",
               "use int if 63 bits are enough, or keep them in a Bigarray or in Bytes");
}

/* Whether a function is of the modules that follow format strings. */
static bool follows_formats(const struct report_model *m, uint32_t location) {
    static const char *const modules[] = {"CamlinternalFormat.", "Stdlib__Format.",
                                          "Stdlib__Printf.", "Stdlib.Format.", "Stdlib.Printf."};
    const char *function = m->names.at[m->locations.at[location].function];
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strncmp(function, modules[i], strlen(modules[i])) == 0) return true;
    return false;
}

static void add_closures(struct report_advice *advice, const struct report_run *run,
                         const struct report_sum *all, bool of_formats) {
    const bool own = run->maker == REPORT_MAKER_OWN;
    char count[32];
    report_write_count(count, report_estimate_blocks(&advice->query->scale, all).value);
    report_advice_add(
        advice,
        (struct report_finding){
            .location = run->location,
            .what = report_format(own ? "%s closures or partial applications are made here and die "
                                        "young"
                                      : "%s closures are made in functions of the library that are "
                                        "called here, and die young",
                                  count),
            .fix = report_copy(own ? "define the function outside and pass what it captures, or "
                                     "write a loop"
                               : of_formats ? "write the text without a format (Buffer.add_string, "
                                              "string_of_int)"
                                            : "write a loop of your own"),
            .words = report_estimate_words(&advice->query->scale, all)});
}

void report_advise_closures(struct report_advice *advice, const struct report_run *run) {
    const struct report_query *query = advice->query;
    struct report_sum all = {0};
    const struct report_model *m = query->model;
    double young = 0, of_formats = 0;
    for (size_t i = 0; i < run->count; i++) {
        struct report_sample s = report_run_sample(advice, run, i);
        if (s.tag != CLOSURE_TAG) continue;
        if (follows_formats(m, m->nodes.at[s.node].location)) of_formats += s.hits;
        report_sum_add(&all, &s, query->model->rate);
        if (s.young && s.promoted == REPORT_NEVER && s.died != REPORT_NEVER) young += s.hits;
    }
    double blocks = report_estimate_blocks(&query->scale, &all).value;
    if (all.hits == 0 || young < YOUNG_SHARE * all.hits || blocks < LEAST_BLOCKS) return;
    add_closures(advice, run, &all, of_formats > all.hits / 2);
}
