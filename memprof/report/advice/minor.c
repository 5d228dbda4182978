/* minor.c - what a minor heap of another size would promote.
 *
 *     |<----------------- a minor heap of s words ---------------->|
 *     +---------------+----------------------------+---------------+ collection
 *                     born                         |<----- u ----->|
 *
 * A block that is born u words before a minor collection is promoted if it lives for longer than
 * u allocated words, and u is anything from 0 to s: a minor heap of s words promotes the mean of
 * S(u), the share that lives for longer than u, over these distances.
 *
 * What bounds a block's lifetime: the minor collection, which promotes it or not, and of promoted
 * ones the markings of the major heap; lifetimes.h makes S of the bounds. But dead blocks of the
 * major heap keep what their fields lead to from dying young, whatever the minor heap's size: a
 * block that was found dead while the field that had led to its promotion still did counts as if
 * it lived on. Only recordings with --promoted know these.
 *
 * Since the minor heap grows when much survives, what the program allocated between its collections
 * is divided by their distance, and each part has an S of its own. */
#include "memprof/report/advice/advice.h"

#include "gc/assert.h"
#include "memprof/report/advice/lifetimes.h"
#include "memprof/report/model/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLLECTIONS = 4, /* the fewest to say anything, likewise: */
    ALL_HITS = 200,
    CLASSES = 64, /* of minor collections: their distances' powers of two */
    ROWS = 6,
    LEAST_WORDS = 8192, /* the smallest minor heap that is shown */
    KNEE = 10,          /* percent of what is promoted that a doubled heap must save */
};

static const double SURE_SHARE = 0.5; /* of what a finding saves: the least that is certain */

/* A minor collection: hits born since the one before it, all of them and the selected ones; of
 * these, the promoted ones. */
struct collection {
    double all, selected, promoted;
    struct part *part; /* its own */
};

/* The blocks of minor collections at like distances. */
struct part {
    struct report_lifetimes held, unheld; /* as if the dead hold blocks, as if they do not */
    report_curve likely, least, most;
    double collections, all, selected, promoted; /* sums over them */
    double error;                                /* the standard error of promoted / selected */
};

struct survival {
    const struct report_query *query;
    REPORT_VECTOR(struct collection) collections;
    REPORT_VECTOR(double) markings; /* of the program: words born before each */
    uint8_t part_of_class[CLASSES];
    size_t part_count;
    struct part *parts;
    double words;                      /* born in the minor heap */
    double born, all, promoted, count; /* hits, selected ones; of collections; these */
};

/* Of each domain, while the samples are read backwards. */
struct progress {
    double after;      /* hits since the current sample */
    size_t collection; /* that of the last one */
};

static bool in_minor_heap(const struct report_sample *s) {
    return s->young && s->source == REPORT_MINOR;
}

static int64_t collected_at(const struct report_sample *s) {
    return s->promoted != REPORT_NEVER ? s->promoted : s->died;
}

/* ---- Collections and markings. ---- */

/* The minor collections' beginnings, in order; freed with free(). */
static int64_t *list_collections(const struct report_model *m, size_t *count) {
    int64_t *starts = report_alloc((m->gc_events.count + 1) * sizeof *starts);
    *count = 0;
    report_each(e, &m->gc_events)
        if (e->kind == MP_GC_MINOR) starts[(*count)++] = e->start - 2000; /* times are in us */
    return starts;
}

/* The number of collections that began by a time; near: the last result, often the same. */
static size_t collections_by(const int64_t *starts, size_t count, int64_t time, size_t near) {
    size_t low = 0, high = count;
    if ((near == 0 || starts[near - 1] <= time) && (near == count || starts[near] > time))
        return near;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (starts[middle] <= time) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Those of the program: after its end it holds little of what it held. */
static bool is_of_program(const struct report_model *m, const struct report_marking *marking) {
    return !m->origin.finished || marking->began < m->origin.finished_at;
}

/* Sets the distances of collections and markings. Returns all hits. */
static double weigh(struct survival *v, const int64_t *starts) {
    const struct report_model *m = v->query->model;
    const struct report_marking *end = m->markings.at + m->markings.count, *next = m->markings.at;
    double hits = 0;
    size_t number = 0;
    report_each_sample(s, m) {
        if (!in_minor_heap(s)) continue;
        for (; next < end && next->began < s->born && is_of_program(m, next); next++)
            report_append(&v->markings, hits / m->rate);
        if (collected_at(s) != REPORT_NEVER) {
            number = collections_by(starts, v->collections.count - 1, collected_at(s), number);
            v->collections.at[number].all += s->hits;
        }
        hits += s->hits;
    }
    for (; next < end && is_of_program(m, next); next++)
        report_append(&v->markings, hits / m->rate);
    return hits;
}

static int class_of(const struct survival *v, const struct collection *c) {
    const double class = c->all > 0 ? round(log2(c->all / v->query->model->rate)) : 0;
    return class > 0 ? (int)fmin(class, CLASSES - 1) : 0;
}

/* Divides the collections into parts that are large enough, by their distances. */
static void divide(struct survival *v) {
    double collections[CLASSES] = {0}, hits[CLASSES] = {0}, some = 0, all = 0;
    size_t part = 0;
    report_each(c, &v->collections) {
        if (c->all == 0) continue;
        collections[class_of(v, c)]++;
        hits[class_of(v, c)] += c->all;
    }
    for (int i = 0; i < CLASSES; i++) {
        some += collections[i];
        all += hits[i];
        v->part_of_class[i] = (uint8_t)part;
        if (some < COLLECTIONS || all < ALL_HITS) continue;
        part++;
        some = all = 0;
    }
    v->part_count = part > 0 ? part : 1; /* what is left belongs to the last one */
    for (int i = 0; i < CLASSES; i++)
        if (v->part_of_class[i] >= v->part_count)
            v->part_of_class[i] = (uint8_t)(v->part_count - 1);
    v->parts = report_alloc(v->part_count * sizeof *v->parts);
    report_each(c, &v->collections) c->part = &v->parts[v->part_of_class[class_of(v, c)]];
}

/* ---- Lifetimes. ---- */

struct bounds {
    double from, to;
};

/* Narrows what a promotion says, of a block born when `born` words had been allocated, by the
 * markings: the first one that may have found it dead, and the one before it. */
static void narrow_by_markings(const struct survival *v, const struct report_sample *s, double born,
                               struct bounds *bounds) {
    const struct report_marking *markings = v->query->model->markings.at;
    size_t low = 0, high = v->markings.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (markings[middle].over < s->died) low = middle + 1;
        else high = middle;
    }
    if (low < v->markings.count && markings[low].began >= s->promoted &&
        markings[low].began <= s->died)
        bounds->to = v->markings.at[low] - born;
    if (low > 0 && markings[low - 1].began >= s->promoted)
        bounds->from = fmax(bounds->from, v->markings.at[low - 1] - born);
}

static void add_sample(struct part *part, const struct report_sample *s, struct bounds bounds) {
    const double beyond = s->held ? INFINITY : 0;
    report_lifetimes_add(&part->unheld, bounds.from, bounds.to, s->hits);
    report_lifetimes_add(&part->held, fmax(bounds.from, beyond), fmax(bounds.to, beyond), s->hits);
}

static void fill(struct survival *v, const int64_t *starts, double total) {
    const struct report_model *m = v->query->model;
    struct progress *by_domain = report_alloc(m->threads.count * sizeof *by_domain);
    double born = total;
    for (size_t i = m->samples.count; i > 0; i--) {
        struct report_sample s = report_sample_of(m, i - 1);
        if (!in_minor_heap(&s)) continue;
        born -= s.hits;
        const bool selected = report_query_selects(v->query, &s);
        if (selected) v->born += s.hits;
        if (collected_at(&s) == REPORT_NEVER) continue;
        struct progress *at_domain = &by_domain[m->threads.at[s.thread].domain];
        const size_t number = collections_by(starts, v->collections.count - 1, collected_at(&s),
                                             at_domain->collection);
        struct collection *c = &v->collections.at[number];
        if (number != at_domain->collection) at_domain->after = 0;
        at_domain->collection = number;
        const double age = (at_domain->after + s.hits / 2.0) / m->rate;
        at_domain->after += s.hits;
        if (!selected) continue;
        struct bounds bounds = {0, age};
        if (s.promoted != REPORT_NEVER) {
            bounds = (struct bounds){age, INFINITY};
            narrow_by_markings(v, &s, (born + s.hits / 2.0) / m->rate, &bounds);
            c->promoted += s.hits;
        }
        c->selected += s.hits;
        add_sample(c->part, &s, bounds);
    }
    free(by_domain);
}

/* Sums of the parts. The error of a share is that of a ratio of sums over collections. */
static void sum_collections(struct survival *v) {
    report_each(c, &v->collections) {
        struct part *part = c->part;
        if (c->all == 0) continue;
        part->collections++;
        part->all += c->all;
        part->selected += c->selected;
        part->promoted += c->promoted;
    }
    report_each(c, &v->collections) {
        struct part *part = c->part;
        if (c->all == 0 || part->selected == 0) continue;
        const double rest = c->promoted - part->promoted / part->selected * c->selected;
        part->error += rest * rest;
    }
    for (struct part *part = v->parts; part < v->parts + v->part_count; part++) {
        v->all += part->selected;
        v->promoted += part->promoted;
        v->count += part->collections;
        if (part->selected > 0) part->error = sqrt(part->error) / part->selected;
    }
}

/* The markings that know blocks of an age. */
static double markings_of_age(const struct survival *v, double words) {
    size_t low = 0, high = v->markings.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->markings.at[middle] < words) low = middle + 1;
        else high = middle;
    }
    return (double)(v->markings.count - low);
}

static double distance_of(const struct survival *v, const struct part *part) {
    return part->all / v->query->model->rate / part->collections;
}

/* Minor collections are many, and at each age up to their distance. Markings are few, and blocks
 * that one of them examines were born at one time of the program: of those that outlived their
 * collection, each marking counts as one trial. */
static void narrow_curves(const struct survival *v, const struct part *part,
                          const report_curve likely, report_curve least, report_curve most) {
    size_t near = 0;
    for (; near < REPORT_AGES && report_age(near) <= distance_of(v, part); near++)
        least[near] = most[near] = likely[near];
    const double promoted = likely[near > 0 ? near - 1 : 0];
    for (size_t i = near; i < REPORT_AGES && promoted > 0; i++) {
        const double trials = markings_of_age(v, report_age(i));
        const double share = fmin(likely[i] / promoted, 1);
        const struct report_estimate e = report_estimate_trials(trials * share, trials);
        least[i] = fmin(fmax(least[i], promoted * e.low), likely[i]);
        most[i] = fmax(fmin(most[i], promoted * e.high), likely[i]);
    }
}

/* With a larger minor heap some of the blocks that hold others while they are dead would have died
 * young: the lower bound is as if all of them had. */
static void fit(struct survival *v) {
    report_curve likely, least, most;
    for (struct part *part = v->parts; part < v->parts + v->part_count; part++) {
        if (part->selected == 0) continue;
        report_lifetimes_fit(&part->held, part->likely, part->least, part->most);
        narrow_curves(v, part, part->likely, part->least, part->most);
        report_lifetimes_fit(&part->unheld, likely, least, most);
        narrow_curves(v, part, likely, least, most);
        for (size_t i = 0; i < REPORT_AGES; i++) part->least[i] = fmin(part->least[i], least[i]);
    }
}

/* ---- The table. ---- */

/* The share that a minor heap of that many words promotes, with its interval. What is born after
 * the last collection is not promoted. */
static struct report_estimate promoted_with(const struct survival *v, double words) {
    struct report_estimate sum = {0, 0, 0};
    double variance = 0;
    for (const struct part *part = v->parts; part < v->parts + v->part_count; part++) {
        if (part->selected == 0) continue;
        const double weight = part->selected / v->all;
        /* As if each collection were as many smaller ones; larger ones are not known as well. */
        const double error = weight * part->error * sqrt(fmin(1, words / distance_of(v, part)));
        sum.value += weight * report_curve_mean(part->likely, words);
        sum.low += weight * report_curve_mean(part->least, words);
        sum.high += weight * report_curve_mean(part->most, words);
        variance += error * error;
    }
    variance += sum.value * sum.value / v->all; /* of the number of hits */
    const double half = 1.96 * sqrt(variance);
    const double examined = floor(v->words / words) * words / v->words;
    sum.value *= examined;
    sum.low = fmax(0, sum.low - half) * examined;
    sum.high = fmin(1, sum.high + half);
    ASSERT(sum.low <= sum.value && sum.value <= sum.high);
    return sum;
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
    double words = v->born / m->rate;
    double now = exp2(round(log2(v->all / m->rate / v->count))), best = now;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "minor_heap",
                                              "What a minor heap of another size would promote");
    report_table_columns(t, "words", "s= (words)", "promoted", "promoted", "share",
                         "of what is born in it", NULL);
    for (int i = -1; i < ROWS - 1; i++) {
        double size = now * exp2(i);
        if (size < LEAST_WORDS || size > v->words / COLLECTIONS) continue;
        struct report_estimate e = promoted_with(v, size), before = promoted_with(v, best);
        report_row(t, 0, report_count(size),
                   report_interval(REPORT_BYTES, times(e, words * m->word_bytes)),
                   report_interval(REPORT_SHARES, e));
        if (size > best && before.value - e.value > v->promoted / v->all * KNEE / 100) best = size;
    }
    if (best > now) add_finding(advice, v, now, best, words);
}

void report_advise_minor_heap(struct report_advice *advice, struct report_doc *doc) {
    struct survival v = {.query = advice->query};
    size_t count;
    int64_t *starts = list_collections(v.query->model, &count);
    report_reserve(&v.collections, count + 1); /* the last: after the last one's beginning */
    v.collections.count = count + 1;
    memset(v.collections.at, 0, v.collections.count * sizeof *v.collections.at);
    const double hits = weigh(&v, starts);
    v.words = hits / v.query->model->rate;
    divide(&v);
    fill(&v, starts, hits);
    sum_collections(&v);
    const bool known = v.query->model->holders.count > 1;
    if (known && count > 0 && v.count >= COLLECTIONS && v.all >= ALL_HITS) {
        fit(&v);
        add_sizes(advice, &v, doc);
    }
    report_free(starts, v.collections.at, v.markings.at, v.parts);
}
