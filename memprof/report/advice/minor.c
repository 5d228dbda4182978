/* minor.c - what a minor heap of another size would promote.
 *
 *     |<-------------------- minor heap --------------------->|
 *     +---------------+-----------------------+---------------+ collection
 *                     born                    |<---- u ------>|
 *                     |<----------------- u ----------------->|
 *
 * A block that is born u words before a minor collection is promoted if it lives for longer than
 * u allocated words. So the share of promoted blocks, among those born at a distance u, is the
 * share S(u) that lives that long, and a minor heap of s words promotes the mean of S(u) for u from
 * 0 to s. Minor collections show S(u) up to the size that the heap had; markings of the major heap
 * show it for larger distances: the share that they found reachable. */
#include "memprof/report/advice/advice.h"

#include "gc/assert.h"
#include "memprof/report/model/text.h"

#include <math.h>
#include <stdlib.h>

enum {
    BIN_WORDS = 8192,
    BINS = 512, /* of minor collections, BIN_WORDS wide */
    PER_DOUBLING = 4,
    FAR_BINS = 52,   /* of markings: each 2^(1/PER_DOUBLING) times farther than the last */
    BIN_HITS = 10,   /* for a bin's share to be known, of as many collections or markings: */
    BIN_SOURCES = 4, /* what the program does in one part of its time is not all that it does */
    COLLECTIONS = 4, /* the fewest to say anything, likewise: */
    ALL_HITS = 200,
    MARKINGS = 64, /* the most that are used */
    ROWS = 6,
    KNEE = 10, /* percent of what is promoted that a doubled heap must save */
    MOST_WORDS = 1 << 26,
};

/* The share of the collections that must have blocks of a distance: the minor heap grows when much
 * survives, so that the few largest ones are not like the others. */
static const double MOST_COLLECTIONS = 0.6;
static const double SURE_SHARE = 0.5; /* of what a finding saves: the least that is certain */

/* Hits of blocks of one distance; of those, that lived: weighted. The sum of the squares of the
 * weights; the number of collections or markings that they are from, and the last of these. */
struct bin {
    double hits, lived, squares;
    size_t sources, last;
};

struct survival {
    const struct report_query *query;
    struct bin near[BINS], far[FAR_BINS];
    double all, promoted; /* hits */
    double collections;
    size_t known; /* near bins, from 0 on, whose shares are known */
};

/* Of each domain, while the samples are read backwards. */
struct progress {
    double after;      /* hits since the current sample */
    size_t collection; /* that of the last one */
};

/* source: from 1. */
static void bin_add(struct bin *bin, double hits, double weight, bool lives, size_t source) {
    bin->hits += hits * weight;
    if (lives) bin->lived += hits * weight;
    bin->squares += hits * weight * weight;
    if (bin->last != source) bin->sources++;
    bin->last = source;
}

/* The hits of equal weights that would determine its share as well. */
static double bin_hits(const struct bin *bin) {
    return bin->squares > 0 ? bin->hits * bin->hits / bin->squares : 0;
}

static bool bin_is_known(const struct bin *bin) {
    return bin_hits(bin) >= BIN_HITS && bin->sources >= BIN_SOURCES;
}

static bool in_minor_heap(const struct report_sample *s) {
    return s->young && s->source == REPORT_MINOR;
}

/* The minor collections' beginnings, in order; freed with free(). */
static int64_t *list_collections(const struct report_model *m, size_t *count) {
    int64_t *starts = report_alloc((m->gc_events.count + 1) * sizeof *starts);
    *count = 0;
    report_each(e, &m->gc_events)
        if (e->kind == MP_GC_MINOR) starts[(*count)++] = e->start - 2000; /* times are in us */
    return starts;
}

/* The number of collections that began by a time. */
static size_t collections_by(const int64_t *starts, size_t count, int64_t time) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (starts[middle] <= time) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int64_t collected_at(const struct report_sample *s) {
    return s->promoted != REPORT_NEVER ? s->promoted : s->died;
}

/* Hits of the blocks that were born before each collection and after the one before it; freed with
 * free(). */
static double *weigh_collections(const struct report_model *m, const int64_t *starts,
                                 size_t count) {
    double *hits = report_alloc((count + 1) * sizeof *hits);
    report_each_sample(s, m) if (in_minor_heap(s) && collected_at(s) != REPORT_NEVER)
        hits[collections_by(starts, count, collected_at(s))] += s->hits;
    return hits;
}

/* A collection counts as much as what was allocated before it: where the minor heap grows with what
 * survives, there are more collections at times when little does. */
static void fill_near(struct survival *v) {
    const struct report_model *m = v->query->model;
    struct progress *by_domain = report_alloc(m->threads.count * sizeof *by_domain);
    size_t count, last = 0;
    int64_t *starts = list_collections(m, &count);
    double *weights = weigh_collections(m, starts, count);
    for (size_t i = m->samples.count; i > 0 && count > 0; i--) {
        struct report_sample s = report_sample_of(m, i - 1);
        if (!in_minor_heap(&s) || collected_at(&s) == REPORT_NEVER) continue;
        struct progress *at_domain = &by_domain[m->threads.at[s.thread].domain];
        size_t collection = collections_by(starts, count, collected_at(&s));
        if (collection != at_domain->collection) at_domain->after = 0;
        if (collection != last) v->collections++;
        at_domain->collection = last = collection;
        double bin = (at_domain->after + s.hits / 2.0) / m->rate / BIN_WORDS;
        size_t at = bin < BINS - 1 ? (size_t)bin : BINS - 1;
        at_domain->after += s.hits;
        if (!report_query_selects(v->query, &s)) continue;
        bool promoted = s.promoted != REPORT_NEVER;
        bin_add(&v->near[at], s.hits, weights[collection], promoted, collection + 1);
        v->all += s.hits;
        v->promoted += promoted ? s.hits : 0;
    }
    while (v->known < BINS && bin_is_known(&v->near[v->known]) &&
           v->near[v->known].sources >= MOST_COLLECTIONS * v->collections)
        v->known++;
    report_free(by_domain, starts, weights);
}

/* The far bin of a distance in words; -1: it is nearer. */
static int far_bin(double words) {
    double bin = PER_DOUBLING * log2(words / BIN_WORDS);
    return bin < 0 ? -1 : bin >= FAR_BINS ? FAR_BINS : (int)bin;
}

static void fill_far(struct survival *v) {
    const struct report_model *m = v->query->model;
    size_t step = m->markings.count / MARKINGS + 1;
    for (size_t k = 0; k < m->markings.count; k += step) {
        int64_t began = m->markings.at[k].began;
        double after = 0;
        /* After its end the program holds little of what it held. */
        if (m->origin.finished && began >= m->origin.finished_at) break;
        size_t low = 0, high = m->samples.count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (report_sample_of(m, middle).born <= began) low = middle + 1;
            else high = middle;
        }
        for (size_t i = low; i > 0; i--) {
            struct report_sample s = report_sample_of(m, i - 1);
            if (!in_minor_heap(&s)) continue;
            int bin = far_bin((after + s.hits / 2.0) / m->rate);
            after += s.hits;
            if (bin >= FAR_BINS) break;
            if (bin < 0 || !report_query_selects(v->query, &s)) continue;
            bin_add(&v->far[bin], s.hits, 1, report_live_until(v->query, &s) >= began, k + 1);
        }
    }
}

/* The share of a far bin, with its interval: blocks that a marking examines were born at one time
 * of the program, so that a marking counts as one trial, however many blocks it knows. */
static struct report_estimate far_share(const struct bin *bin) {
    double trials = fmin((double)bin->sources, bin_hits(bin));
    return report_estimate_trials(trials * bin->lived / bin->hits, trials);
}

/* The mean share of the last quarter of the near bins: no farther one is higher. */
static double share_of_last(const struct survival *v) {
    double lived = 0, hits = 0;
    for (size_t i = v->known * 3 / 4; i < v->known; i++) {
        lived += v->near[i].lived;
        hits += v->near[i].hits;
    }
    return lived / hits;
}

/* The share that a minor heap of that many words, at least a bin, promotes, with its interval;
 * where no bin knows it, from 0 to the last known share. */
static struct report_estimate promoted_with(const struct survival *v, double words) {
    double value = 0, low = 0, high = 0, variance = 0, steps = fmax(words / BIN_WORDS, 1);
    double most = share_of_last(v), last = most;
    for (size_t at = 0; at < steps; at++) {
        int far = at < v->known ? -1 : far_bin(((double)at + 0.5) * BIN_WORDS);
        if (at < v->known) {
            const struct bin *bin = &v->near[at];
            double share = bin->lived / bin->hits;
            variance += share * (1 - share) / fmin((double)bin->sources, bin_hits(bin));
            value += share;
            low += share;
            high += share;
        } else if (far >= 0 && far < FAR_BINS && bin_is_known(&v->far[far])) {
            struct report_estimate e = far_share(&v->far[far]);
            last = fmin(last, e.value);
            most = fmin(most, e.high);
            value += last;
            low += fmin(last, e.low);
            high += most;
        } else {
            value += last / 2;
            high += most;
        }
    }
    double half = 1.96 * sqrt(variance) / steps;
    struct report_estimate e = {value / steps, fmax(0, low / steps - half),
                                fmin(1, high / steps + half)};
    ASSERT(e.low <= e.value && e.value <= e.high);
    return e;
}

static struct report_estimate times(struct report_estimate e, double factor) {
    return (struct report_estimate){e.value * factor, e.low * factor, e.high * factor};
}

/* Adds the finding that a minor heap of `best` words would save promotions. */
static void add_finding(struct report_advice *advice, const struct survival *v, double now,
                        double best, double words) {
    struct report_estimate e = promoted_with(v, best);
    double share = v->promoted / v->all;
    char from[32];
    if (share - e.high < SURE_SHARE * (share - e.value)) return;
    report_write_count(from, now);
    report_advice_add(
        advice, (struct report_finding){
                    .what = report_format("blocks die soon after they were promoted, with minor "
                                          "collections every %s words",
                                          from),
                    .fix = report_format("OCAMLRUNPARAM=s=%.0f", best),
                    .sure = true,
                    .saves = REPORT_SAVES_PROMOTED,
                    .words = {(share - e.value) * words, (share - e.high) * words,
                              (share - e.low) * words}});
}

static void add_sizes(struct report_advice *advice, const struct survival *v,
                      struct report_doc *doc) {
    const struct report_model *m = v->query->model;
    double words = v->all / m->rate; /* born in the minor heap */
    double now = exp2(round(log2(words / v->collections))), best = now;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "minor_heap",
                                              "What a minor heap of another size would promote");
    report_table_columns(t, "words", "s= (words)", "promoted", "promoted", "share",
                         "of what is born in it", NULL);
    for (int i = -1; i < ROWS - 1 && now * exp2(i) <= MOST_WORDS; i++) {
        double size = now * exp2(i);
        if (size < BIN_WORDS) continue;
        struct report_estimate e = promoted_with(v, size), before = promoted_with(v, best);
        report_row(t, 0, report_count(size),
                   report_interval(REPORT_BYTES, times(e, words * m->word_bytes)),
                   report_interval(REPORT_SHARES, e));
        if (size > best && before.value - e.value > v->promoted / v->all * KNEE / 100) best = size;
    }
    if (best > now) add_finding(advice, v, now, best, words);
}

void report_advise_minor_heap(struct report_advice *advice, struct report_doc *doc) {
    struct survival *v = report_alloc(sizeof *v);
    v->query = advice->query;
    fill_near(v);
    fill_far(v);
    if (v->collections >= COLLECTIONS && v->all >= ALL_HITS && v->known > 0)
        add_sizes(advice, v, doc);
    free(v);
}
