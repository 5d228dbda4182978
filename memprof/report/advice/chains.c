/* chains.c - values that are enlarged by copying them.
 *
 * Doubling. The blocks that a line makes have few sizes, each about twice the one before, and only
 * the largest ones stay: a buffer that grows. The number of blocks of a size says how many buffers
 * have come that far. If they all started with one of the later sizes, the smaller blocks would be
 * saved, and those buffers that never get there would take more.
 *
 * Copying. Blocks that one of makers.def makes are each larger than the last: what was collected so
 * far is copied for each part that is added. */
#include "memprof/report/advice/advice.h"

#include "gc/assert.h"
#include "memprof/report/model/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *copies, *fix;
} makers[REPORT_MAKERS] = {
#define MAKER(id, function, copies, fix) [REPORT_MAKER_##id] = {copies, fix},
#include "memprof/report/advice/makers.def"
};

/* ---- Doubling. ---- */

enum {
    MOST_SIZES = 64,
    LEAST_SIZES = 4,  /* of a chain */
    LEAST_HITS = 5,   /* of a size, for its number of blocks to be known */
    LEAST_WORDS = 16, /* of the larger sizes: small blocks of many sizes are no buffers */
};
static const double LEAST_RATIO = 1.3, MOST_RATIO = 2.7; /* of a size to the one before it */
static const double LEAST_GROWTH = 1.4; /* of the words in blocks of a size to those before it */
static const double ERRORS = 2;         /* standard errors that chance explains */
static const double MOST_KEPT = 0.1;    /* of the smaller blocks */

struct size {
    uint64_t wosize;
    struct report_sum sum;
    uint64_t kept; /* hits of blocks that never died */
};

REPORT_COMPARE(by_size, struct size, report_order(x->wosize, y->wosize))

/* The sizes of a run's blocks, in order. Returns their number; 0: too many. */
static size_t list_sizes(const struct report_advice *advice, const struct report_run *run,
                         struct size sizes[MOST_SIZES]) {
    size_t n = 0;
    for (size_t i = 0; i < run->count; i++) {
        struct report_sample s = report_run_sample(advice, run, i);
        size_t k = 0;
        while (k < n && sizes[k].wosize != s.wosize) k++;
        if (k == MOST_SIZES) return 0;
        if (k == n) sizes[n++] = (struct size){.wosize = s.wosize};
        report_sum_add(&sizes[k].sum, &s, advice->query->model->rate);
        if (s.died == REPORT_NEVER) sizes[k].kept += s.hits;
    }
    qsort(sizes, n, sizeof *sizes, by_size);
    return n;
}

static bool follows(const struct size *smaller, const struct size *larger) {
    double ratio = (double)larger->wosize / (double)smaller->wosize;
    return ratio >= LEAST_RATIO && ratio <= MOST_RATIO;
}

/* Whether sizes that follow each other are those of buffers that double. */
static bool is_chain(const struct size *sizes, size_t n) {
    uint64_t kept = 0, hits = 0;
    if (n < LEAST_SIZES || sizes[n - 1].wosize < LEAST_WORDS) return false;
    for (size_t i = 0; i + 1 < n; i++) {
        kept += sizes[i].kept;
        hits += sizes[i].sum.hits;
    }
    double grown = (double)sizes[n - 1].sum.hits / (double)sizes[0].sum.hits;
    return kept <= MOST_KEPT * hits && grown >= pow(LEAST_GROWTH, (double)(n - 1));
}

static double blocks_of(const struct report_advice *advice, const struct size *size) {
    return report_estimate_words(&advice->query->scale, &size->sum).value /
           (double)(size->wosize + 1);
}

/* The words saved if all buffers started with the size j: those of smaller blocks. A table makes
 * two blocks when it grows, and would make one. */
static struct report_estimate saved_from(const struct report_advice *advice, bool is_table,
                                         const struct size *sizes, size_t j) {
    const struct report_scale *scale = &advice->query->scale;
    struct report_sum below = {0};
    for (size_t i = 0; i < j; i++) report_sum_merge(&below, &sizes[i].sum);
    struct report_estimate e = report_estimate_words(scale, &below);
    /* Buffers that never come that far, as far as chance does not explain the difference. */
    double first = blocks_of(advice, &sizes[0]), there = blocks_of(advice, &sizes[j]);
    double error = hypot(first / sqrt((double)sizes[0].sum.hits),
                         there / sqrt((double)sizes[j].sum.hits));
    double cost = fmax(0, first - there - ERRORS * error) * (double)(sizes[j].wosize + 1);
    if (is_table) cost -= report_estimate_words(scale, &sizes[j].sum).value / 2;
    return (struct report_estimate){e.value - cost, e.low - cost, e.high - cost};
}

static void add_doubling(struct report_advice *advice, const struct report_run *run,
                         const struct size *sizes, size_t n) {
    struct report_estimate best = {0, 0, 0};
    size_t start = 0;
    enum report_maker maker = run->maker;
    for (size_t j = 1; j < n; j++) {
        struct report_estimate e = saved_from(advice, maker == REPORT_MAKER_HASHTBL, sizes, j);
        if (e.value > best.value) {
            best = e;
            start = j;
        }
    }
    char from[32], to[32], first[32];
    int word = advice->query->model->word_bytes;
    report_write_bytes(from, (double)sizes->wosize * word);
    report_write_bytes(to, (double)sizes[n - 1].wosize * word);
    /* The last word of bytes is not theirs alone. */
    uint64_t wosize = sizes[start].wosize;
    report_write_whole(first, maker == REPORT_MAKER_BUFFER ? (wosize - 1) * word : wosize);
    const char *what = maker == REPORT_MAKER_HASHTBL ? "a hash table" : "a buffer";
    char *fix = maker == REPORT_MAKER_BUFFER
                    ? report_format("give Buffer.create a size of %s bytes", first)
                : maker == REPORT_MAKER_HASHTBL
                    ? report_format("give Hashtbl.create a size of %s", first)
                    : report_format("start with a size of %s words", first);
    report_advice_add(
        advice,
        (struct report_finding){
            .location = run->location,
            .what = report_format("%s is enlarged by copying, %zu times or more, from %s to %s",
                                  what, n - 1, from, to),
            .fix = fix,
            .sure = maker == REPORT_MAKER_BUFFER || maker == REPORT_MAKER_HASHTBL,
            .words = best});
}

void report_advise_doubling(struct report_advice *advice, const struct report_run *run) {
    struct size sizes[MOST_SIZES];
    if (makers[run->maker].copies != NULL || run->count < LEAST_SIZES) return;
    size_t n = list_sizes(advice, run, sizes), first = n;
    while (first > 0 && sizes[first - 1].sum.hits >= LEAST_HITS &&
           (first == n || follows(&sizes[first - 1], &sizes[first])))
        first--;
    if (is_chain(sizes + first, n - first)) add_doubling(advice, run, sizes + first, n - first);
}

/* ---- Copying. ---- */

enum { LEAST_COPIES = 12, LEAST_CELLS = 30, LEAST_DEPTH = 8, LEAST_SPREAD = 4 };
static const double RISING_SHARE = 0.85; /* of copies that are no smaller than the last one */
static const double LEAST_RISE = 1.7;    /* of the mean length, from the first third to the last */
static const double BUFFER_COST = 3;     /* words for each of the result, in a Buffer or a list */

static void add_copying(struct report_advice *advice, const struct report_run *run, double result,
                        char *what) {
    struct report_sum sum = {0};
    for (size_t i = 0; i < run->count; i++) {
        struct report_sample s = report_run_sample(advice, run, i);
        report_sum_add(&sum, &s, advice->query->model->rate);
    }
    struct report_estimate e = report_estimate_words(&advice->query->scale, &sum);
    double cost = BUFFER_COST * result;
    report_advice_add(
        advice, (struct report_finding){.location = run->location,
                                        .what = what,
                                        .fix = report_copy(makers[run->maker].fix),
                                        .sure = true,
                                        .words = {e.value - cost, e.low - cost, e.high - cost}});
}

/* Of `@`: its cells are made by frames that lie the deeper the longer the list is. */
static void advise_append(struct report_advice *advice, const struct report_run *run) {
    double sums[3] = {0, 0, 0}, counts[3] = {0, 0, 0};
    uint32_t longest = 0;
    if (run->count < LEAST_CELLS) return;
    for (size_t i = 0; i < run->count; i++) {
        uint32_t node = report_run_sample(advice, run, i).node;
        size_t third = i * 3 / run->count;
        sums[third] += advice->appends[node];
        counts[third]++;
        if (advice->appends[node] > longest) longest = advice->appends[node];
    }
    double first = sums[0] / counts[0], last = sums[2] / counts[2];
    if (last < LEAST_DEPTH || last < LEAST_RISE * first) return;
    add_copying(
        advice, run, longest,
        report_format("each @ copies the list before it, which grows to %u elements or more",
                      longest));
}

void report_advise_copying(struct report_advice *advice, const struct report_run *run) {
    double smallest = INFINITY, largest = 0, last = 0, results = 0;
    size_t rising = 0;
    if (run->maker == REPORT_MAKER_APPEND) advise_append(advice, run);
    if (makers[run->maker].copies == NULL || run->maker == REPORT_MAKER_APPEND ||
        run->count < LEAST_COPIES)
        return;
    for (size_t i = 0; i < run->count; i++) {
        struct report_sample s = report_run_sample(advice, run, i);
        double words = report_sample_words(&s);
        rising += words >= last;
        if (words < last / 2) results += last;
        smallest = fmin(smallest, words);
        largest = fmax(largest, words);
        last = words;
    }
    if (rising < RISING_SHARE * run->count || largest < LEAST_SPREAD * smallest) return;
    char from[32], to[32];
    int word = advice->query->model->word_bytes;
    report_write_bytes(from, smallest * word);
    report_write_bytes(to, largest * word);
    add_copying(advice, run, results + last,
                report_format("each call copies %s that it enlarges, from %s to %s",
                              makers[run->maker].copies, from, to));
}
