/* Prints random sums of samples and what estimate.c makes of them, a line of JSON each: those that
 * estimate.js has to agree with. */
#include "memprof/report/model/estimate.h"

#include <math.h>
#include <stdio.h>

enum { LINES = 3000 };

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void put(const char *name, struct report_estimate e) {
    printf(",\"%s\":[%.17g,%.17g,%.17g]", name, e.value, e.low, e.high);
}

int main(void) {
    static const double rates[] = {1e-6, 1e-4, 1e-3, 1e-2, 0.3, 1};
    uint64_t state = 1;
    for (int line = 0; line < LINES; line++) {
        struct report_scale scale = {.rate = rates[next(&state) % 6], .word_bytes = 8};
        struct report_sum sum = {0}, part = {0};
        for (uint64_t n = next(&state) % (line % 3 == 0 ? 4 : 80); n > 0; n--) {
            struct report_sample sample = {.wosize = next(&state) % 1000,
                                           .hits = 1 + next(&state) % 5,
                                           .weight = 1,
                                           .source = next(&state) % (line % 2 ? 3 : 4)};
            report_sum_add(&sum, &sample, scale.rate);
            if (next(&state) % 3 == 0) report_sum_add(&part, &sample, scale.rate);
        }
        scale.total_hits = (double)sum.hits + next(&state) % 3 * 100;
        if (next(&state) % 2 && scale.total_hits > 0)
            scale.exact_words = scale.total_hits / scale.rate * (0.9 + next(&state) % 20 / 100.0);
        double alive = next(&state) % 101 / 100.0, greenwood = next(&state) % 50 / 1000.0;
        printf("{\"rate\":%.17g,\"totalHits\":%.17g,\"exactWords\":%.17g,\"samples\":%llu,"
               "\"hits\":%llu,\"fiberHits\":%llu,\"blocks\":%.17g,\"variance\":%.17g,"
               "\"part\":%llu,\"alive\":%.17g,\"greenwood\":%.17g",
               scale.rate, scale.total_hits, scale.exact_words, (unsigned long long)sum.samples,
               (unsigned long long)sum.hits, (unsigned long long)sum.fiber_hits, sum.blocks,
               sum.blocks_variance, (unsigned long long)part.hits, alive, greenwood);
        put("estimateBytes", report_estimate_bytes(&scale, &sum));
        put("estimateBlocks", report_estimate_blocks(&scale, &sum));
        put("estimateShare", report_estimate_share(&scale, &part, &sum));
        put("estimateSurvival", report_estimate_survival(&scale, alive, greenwood, sum.hits));
        puts("}");
    }
    return 0;
}
