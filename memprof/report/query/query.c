/* query.c - applies a selection to a profile. */
#include "memprof/report/query/query.h"

#include "gc/assert.h"
#include "memprof/report/model/text.h"
#include "memprof/report/query/groups.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *const report_show_words[] = {
#define SHOW(id, name, sentence) name,
#include "memprof/report/query/selectors.def"
    NULL};
const char *const report_live_words[] = {
#define LIVE(id, name, sentence) name,
#include "memprof/report/query/selectors.def"
    NULL};
const char *const report_by_words[] = {
#define BY(id, name, title) name,
#include "memprof/report/query/selectors.def"
    NULL};
const char *const report_unit_words[] = {
#define UNIT(id, name) name,
#include "memprof/report/query/selectors.def"
    NULL};

bool report_parse_moment(const char *text, struct report_moment *out) {
    static const struct {
        const char *suffix;
        double ns;
    } units[] = {{"", 1e9},   {"s", 1e9},    {"ms", 1e6},  {"us", 1e3},
                 {"ns", 1.0}, {"min", 60e9}, {"h", 3600e9}};
    char *end;
    *out = (struct report_moment){.kind = REPORT_PEAK};
    if (strcmp(text, "peak") == 0) return true;
    out->kind = REPORT_END;
    if (strcmp(text, "end") == 0) return true;
    out->value = strtod(text, &end);
    if (end == text || !(out->value >= 0) || out->value > 1e12) return false;
    if (strcmp(end, "%") == 0 || strcmp(end, "%alloc") == 0) {
        out->kind = end[1] == 0 ? REPORT_SHARE : REPORT_ALLOCATED;
        out->value /= 100;
        return out->value <= 1;
    }
    if (strcmp(end, "minor") == 0 || strcmp(end, "major") == 0) {
        out->kind = end[1] == 'i' ? REPORT_MINORS : REPORT_MAJORS;
        return true;
    }
    out->kind = REPORT_TIME;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].suffix) != 0) continue;
        out->value *= units[i].ns;
        return out->value < 9e18;
    }
    return false;
}

/* The moment at which a share of all words had been allocated. */
static int64_t allocated_at(const struct report_model *model, double share) {
    double hits = 0, so_far = 0;
    ASSERT(share >= 0 && share <= 1);
    report_each_sample(s, model) if (s->source != REPORT_FIBER) hits += s->hits;
    report_each_sample(s, model) {
        if (s->source != REPORT_FIBER) so_far += s->hits;
        if (so_far >= share * hits) return s->born;
    }
    return model->end;
}

int64_t report_query_peak(const struct report_query *query) {
    return query->live == REPORT_LIVE_PROVEN ? report_proven_peak_time(query->model)
                                             : report_peak_time(query->model);
}

static int64_t resolve(const struct report_query *query, struct report_moment moment,
                       int64_t otherwise) {
    const struct report_model *model = query->model;
    switch (moment.kind) {
    case REPORT_PEAK: return report_query_peak(query);
    case REPORT_END: return model->end;
    case REPORT_TIME: return (int64_t)moment.value;
    case REPORT_SHARE: return (int64_t)(moment.value * (double)model->end);
    case REPORT_ALLOCATED: return allocated_at(model, moment.value);
    default: return otherwise;
    }
}

/* The start of the n-th minor collection, counted back from a time; -1: there were fewer. */
static int64_t minor_before(const struct report_model *model, double n, int64_t at) {
    for (size_t i = model->gc_events.count; i > 0; i--) {
        const struct report_gc_event *e = &model->gc_events.at[i - 1];
        if (e->kind == MP_GC_MINOR && e->start + e->duration <= at && --n <= 0) return e->start;
    }
    return -1;
}

/* The time of the last reading of the counters that at least n major collections followed before a
 * time; -1: there is none. Counters are read after each major collection. */
static int64_t major_before(const struct report_model *model, double n, int64_t at) {
    double now = 0;
    int64_t found = -1;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < model->counters.count && model->counters.at[i].time <= at; i++) {
            double count = model->counters.at[i].major_collections;
            if (pass == 0) now = count;
            else if (count <= now - n) found = model->counters.at[i].time;
        }
    return found;
}

/* The latest birth of blocks that have survived the given number of collections at a time; -1:
 * there were fewer. The last collection of the recorder is not counted: it is not one of the
 * program's. */
static int64_t born_before(const struct report_model *model, struct report_moment age, int64_t at) {
    if (model->origin.finished && at > model->origin.finished_at) at = model->origin.finished_at;
    return age.kind == REPORT_MINORS ? minor_before(model, age.value, at)
                                     : major_before(model, age.value, at);
}

/* The smallest age, in ns, that blocks of the given age have at a time. */
static int64_t age_of(const struct report_query *query, struct report_moment age, int64_t at) {
    if (age.kind != REPORT_MINORS && age.kind != REPORT_MAJORS) return resolve(query, age, 0);
    int64_t born = born_before(query->model, age, at);
    return born < 0 ? at + 1 : at - born;
}

/* Whether each location matches; NULL without a pattern. */
static uint8_t *match_sites(const struct report_model *model, const struct report_keys *sites,
                            const char *option, const char *pattern, struct report_error *error) {
    return pattern == NULL ? NULL : report_match_locations(model, sites, option, pattern, error);
}

static int flag_nodes(struct report_query *query, struct report_error *error) {
    const struct report_model *model = query->model;
    const struct report_selection *s = query->selection;
    error->what[0] = 0;
    bool matches = s->focus != NULL || s->ignore != NULL || s->hide != NULL;
    struct report_keys *sites = matches ? report_keys_create(model, REPORT_BY_SITE) : NULL;
    uint8_t *focus = match_sites(model, sites, "--focus", s->focus, error);
    uint8_t *ignore = match_sites(model, sites, "--ignore", s->ignore, error);
    uint8_t *hide = match_sites(model, sites, "--hide", s->hide, error);
    uint8_t *keep = s->keep == NULL ? NULL : report_keep_locations(model, s->keep, error);
    enum { FOCUSED = 4, IGNORED = 8 };
    query->node_flags = report_alloc(model->nodes.count);
    for (size_t i = 0; i < model->nodes.count; i++) {
        const struct report_node *node = &model->nodes.at[i];
        uint8_t flags = i > 0 ? query->node_flags[node->parent] & (FOCUSED | IGNORED) : 0;
        if (focus != NULL && i > 0 && focus[node->location]) flags |= FOCUSED;
        if (ignore != NULL && i > 0 && ignore[node->location]) flags |= IGNORED;
        if (hide != NULL && i > 0 && hide[node->location]) flags |= REPORT_NODE_HIDDEN;
        if ((focus != NULL && !(flags & FOCUSED)) || (flags & IGNORED)) flags |= REPORT_NODE_OUT;
        if (keep != NULL && !keep[node->location]) flags |= REPORT_NODE_OUT;
        query->node_flags[i] = flags;
    }
    if (hide != NULL) query->shown = report_alloc(model->nodes.count * sizeof *query->shown);
    for (size_t i = 1; hide != NULL && i < model->nodes.count; i++) {
        bool hidden = (query->node_flags[i] & REPORT_NODE_HIDDEN) != 0;
        query->shown[i] = hidden ? query->shown[model->nodes.at[i].parent] : i;
    }
    report_free(focus, ignore, hide, keep);
    report_keys_free(sites);
    return error->what[0] != 0 ? -1 : 0;
}

static char *moment_text(struct report_moment moment, int64_t t) {
    char time[32];
    report_write_seconds(time, t / 1e9);
    const char *name = moment.kind == REPORT_PEAK                                     ? "peak"
                       : moment.kind == REPORT_END || moment.kind == REPORT_NO_MOMENT ? "end"
                                                                                      : NULL;
    return name == NULL ? report_format("at %s", time)
                        : report_format("at the %s (%s)", name, time);
}

/* A text that names the last marking, if live blocks are known only as of it; else NULL. */
static char *last_marking_text(const struct report_query *query) {
    const struct report_model *m = query->model;
    char time[32];
    if (query->live != REPORT_LIVE_PROVEN) return NULL;
    int64_t began = m->markings.at[m->markings.count - 1].began;
    if (query->at <= began || (m->origin.finished && began >= m->origin.finished_at)) return NULL;
    report_write_seconds(time, began / 1e9);
    return report_format("as of the last marking (%s)", time);
}

static char *window_text(const struct report_query *query) {
    const struct report_selection *s = query->selection;
    char from[32], to[32];
    const char *in = s->phase != NULL ? "in phase " : "", *phase = s->phase != NULL ? s->phase : "";
    if (s->from.kind == REPORT_NO_MOMENT && s->to.kind == REPORT_NO_MOMENT)
        return report_format("%s%s", in, phase);
    report_write_seconds(from, query->from / 1e9);
    report_write_seconds(to, (query->to == REPORT_NEVER ? query->model->end : query->to) / 1e9);
    return report_format("from %s to %s%s%s%s", from, to, in[0] != 0 ? ", " : "", in, phase);
}

/* "2 to 8 words", "at least 2 words"; NULL: blocks of any size are selected. */
static char *sizes_text(const struct report_selection *s) {
    if (s->size_min <= 0 && s->size_max <= 0) return NULL;
    if (s->size_max <= 0) return report_format("at least %.0f words", s->size_min);
    return s->size_min <= 0 ? report_format("at most %.0f words", s->size_max)
                            : report_format("%.0f to %.0f words", s->size_min, s->size_max);
}

/* Appends two texts, or nothing if the second is NULL. */
static void add_part(struct report_buffer *sentence, const char *start, const char *text) {
    if (text == NULL || text[0] == 0) return;
    report_put(sentence, start, strlen(start));
    report_put(sentence, text, strlen(text));
}

const char *report_live_text(const struct report_query *query) {
    static const char *const texts[REPORT_LIVES] = {
#define LIVE(id, name, sentence) sentence,
#include "memprof/report/query/selectors.def"
    };
    return texts[query->live];
}

static void describe(struct report_query *query) {
    static const char *const shows[] = {
#define SHOW(id, name, sentence) sentence,
#include "memprof/report/query/selectors.def"
    };
    const struct report_selection *s = query->selection;
    struct report_buffer sentence = {0};
    query->window = window_text(query);
    if (query->show == REPORT_SHOW_LIVE) {
        char *when = moment_text(s->at, query->at), *known = last_marking_text(query);
        add_part(&sentence, "", report_live_text(query));
        add_part(&sentence, " ", when);
        add_part(&sentence, ", ", known);
        add_part(&sentence, ", allocated ", query->window);
        report_free(when, known);
    } else {
        add_part(&sentence, "", shows[query->show]);
        add_part(&sentence, " ", query->window[0] != 0 ? query->window : "in the whole run");
    }
    add_part(&sentence, ", in domain ", s->domain);
    add_part(&sentence, ", in thread ", s->thread);
    add_part(&sentence, ", through ", s->scope != NULL ? s->scope : s->focus);
    add_part(&sentence, ", not through ", s->scope != NULL ? NULL : s->ignore);
    add_part(&sentence, ", by functions in ", s->keep);
    add_part(&sentence, ", hiding ", s->scope != NULL ? NULL : s->hide);
    if (query->age_min > 0 || s->tail.kind != REPORT_NO_MOMENT)
        add_part(&sentence, ", ", "older blocks only");
    char *sizes = sizes_text(s);
    add_part(&sentence, ", blocks of ", sizes);
    free(sizes);
    if (s->life_min.kind != REPORT_NO_MOMENT || s->life_max.kind != REPORT_NO_MOMENT)
        add_part(&sentence, ", ", "of the selected lifetimes");
    report_put_byte(&sentence, 0);
    query->sentence = (char *)sentence.data;
}

static int find_phase(struct report_query *query, struct report_error *error) {
    const struct report_model *model = query->model;
    const char *wanted = query->selection->phase;
    if (wanted == NULL) return 0;
    report_each(p, &model->phases)
        if (strcmp(model->names.at[p->name], wanted) == 0) query->phase = p->name;
    if (query->phase != 0) return 0;
    return report_fail(error, "--phase", "`bactrian prof stats` lists the phases",
                       "the profile has no phase \"%s\"", wanted);
}

/* Reads the number of a domain or thread: plus 1, as in struct mp_thread; 0: the option was not
 * given. Returns -1 and *error if the text is not a number. */
static int take_number(const char *option, const char *text, uint64_t *number,
                       struct report_error *error) {
    char *end = NULL;
    *number = 0;
    if (text == NULL) return 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || n == ULLONG_MAX)
        return report_fail(error, option, "give one that `bactrian prof table --by thread` prints",
                           "expected a number, got \"%s\"", text);
    *number = n + 1;
    return 0;
}

static int find_threads(struct report_query *query, struct report_error *error) {
    const struct report_model *model = query->model;
    const struct report_selection *s = query->selection;
    uint64_t domain, thread;
    bool found = false;
    if (take_number("--domain", s->domain, &domain, error) != 0 ||
        take_number("--thread", s->thread, &thread, error) != 0)
        return -1;
    if (domain == 0 && thread == 0) return 0;
    query->threads_out = report_alloc(model->threads.count * sizeof *query->threads_out);
    for (size_t i = 0; i < model->threads.count; i++) {
        struct mp_thread id = model->threads.at[i].id;
        bool out = (domain != 0 && id.domain != domain) || (thread != 0 && id.number != thread);
        query->threads_out[i] = out;
        found |= !out;
    }
    if (found) return 0;
    const char *option = thread != 0 ? "--thread" : "--domain";
    return report_fail(error, option, "`bactrian prof table --by thread` lists them",
                       "the profile has no %s %s%s%s", option + 2,
                       thread != 0 ? s->thread : s->domain,
                       thread != 0 && domain != 0 ? " of domain " : "",
                       thread != 0 && domain != 0 ? s->domain : "");
}

/* ---- The selected time: a window, or the parts of it that lie in a phase. ---- */

REPORT_COMPARE(by_start, struct report_span, report_order(x->from, y->from))

/* A phase may be entered repeatedly, also within itself: overlapping spans are joined. */
static void find_spans(struct report_query *query) {
    const struct report_model *m = query->model;
    struct report_span *spans = report_alloc((m->phases.count + 1) * sizeof *spans);
    size_t n = 0, kept = 0;
    if (query->phase == 0) spans[n++] = (struct report_span){query->from, query->to};
    for (size_t i = 0; query->phase != 0 && i < m->phases.count; i++) {
        const struct report_phase *p = &m->phases.at[i];
        struct report_span s = {p->start > query->from ? p->start : query->from,
                                p->end < query->to ? p->end : query->to};
        if (p->name == query->phase && s.from < s.to) spans[n++] = s;
    }
    if (n > 1) qsort(spans, n, sizeof *spans, by_start);
    for (size_t i = 0; i < n; i++) {
        ASSERT(spans[i].from < spans[i].to);
        if (kept == 0 || spans[kept - 1].to < spans[i].from) spans[kept++] = spans[i];
        else if (spans[kept - 1].to < spans[i].to) spans[kept - 1].to = spans[i].to;
    }
    query->spans = spans;
    query->span_count = kept;
}

bool report_query_holds(const struct report_query *query, int64_t time) {
    size_t low = 0, high = query->span_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (time < query->spans[middle].from) high = middle;
        else if (time >= query->spans[middle].to) low = middle + 1;
        else return true;
    }
    return false;
}

int64_t report_query_length(const struct report_query *query) {
    int64_t sum = 0, end = query->model->end;
    for (size_t i = 0; i < query->span_count; i++) {
        struct report_span s = query->spans[i];
        if (s.from < end) sum += (s.to < end ? s.to : end) - s.from;
    }
    ASSERT(sum >= 0 && sum <= end);
    return sum;
}

/* ---- Queries. ---- */

void report_selection_show(struct report_selection *selection, enum report_show show, int at) {
    ASSERT(at == REPORT_NO_MOMENT || at == REPORT_PEAK || at == REPORT_END);
    selection->has_show = true;
    selection->show = show;
    selection->at.kind = at;
}

int report_query_start(struct report_query *query, const struct report_model *model,
                       const struct report_selection *selection, struct report_error *error) {
    *query = (struct report_query){.model = model, .selection = selection};
    query->show = selection->has_show                      ? selection->show
                  : selection->at.kind != REPORT_NO_MOMENT ? REPORT_SHOW_LIVE
                                                           : REPORT_SHOW_ALLOC;
    if (selection->at.kind != REPORT_NO_MOMENT && query->show != REPORT_SHOW_LIVE)
        return report_fail(error, "--at", "select events with --from and --to",
                           "only live blocks have a moment");
    if (selection->age_min.kind != REPORT_NO_MOMENT && query->show != REPORT_SHOW_LIVE)
        return report_fail(error, "--age-min", "add --show live or --at, or use --life",
                           "only live blocks have an age");
    const bool age_counts = selection->age_min.kind >= REPORT_MINORS;
    if (model->counters.count == 0 && (age_counts || selection->tail.kind >= REPORT_MINORS))
        return report_fail(error, age_counts ? "--age-min" : "--tail",
                           "give a time such as 1.5s, 200ms or 40%",
                           "the profile does not count collections");
    if (selection->has_live && selection->live == REPORT_LIVE_PROVEN && model->markings.count == 0)
        return report_fail(error, "--live", "give --live uncollected",
                           "the profile has no marking that ended");
    query->live = model->markings.count > 0 ? selection->live : REPORT_LIVE_UNCOLLECTED;
    query->scale = report_scale_of(model);
    query->at = resolve(query, selection->at, model->end);
    query->from = resolve(query, selection->from, 0);
    query->to = resolve(query, selection->to, REPORT_NEVER);
    if (query->to <= query->from)
        return report_fail(error, "--to", "give a later moment than --from",
                           "the selected time is empty");
    query->age_min = age_of(query, selection->age_min, query->at);
    query->life_min = resolve(query, selection->life_min, 0);
    query->life_max = resolve(query, selection->life_max, REPORT_NEVER);
    if (query->life_min > query->life_max)
        return report_fail(error, "--life", "give the shorter lifetime first",
                           "the range is empty");
    query->born_before = selection->tail.kind == REPORT_NO_MOMENT
                             ? REPORT_NEVER
                             : model->end - age_of(query, selection->tail, model->end);
    if (find_phase(query, error) != 0) return -1;
    if (find_threads(query, error) != 0 || flag_nodes(query, error) != 0) {
        report_query_end(query);
        return -1;
    }
    find_spans(query);
    query->is_whole = query->born_before == REPORT_NEVER && query->from == 0 &&
                      query->to == REPORT_NEVER && query->phase == 0 && query->age_min == 0 &&
                      query->life_min == 0 && query->life_max == REPORT_NEVER &&
                      selection->size_min == 0 && selection->size_max == 0 &&
                      selection->focus == NULL && selection->ignore == NULL &&
                      selection->keep == NULL && query->threads_out == NULL;
    describe(query);
    return 0;
}

void report_query_end(struct report_query *query) {
    report_free(query->node_flags, query->shown, query->sentence, query->window, query->spans,
                query->threads_out);
}

int report_query_exclude(struct report_model *model, struct report_selection *selection,
                         struct report_error *error) {
    struct report_query query = {.model = model, .selection = selection};
    int status = flag_nodes(&query, error);
    if (status == 0) {
        report_each(s, &model->samples) {
            s->excluded = (query.node_flags[s->node] & REPORT_NODE_OUT) != 0;
            if (s->excluded) s->node = 0;
        }
        selection->focus = selection->ignore = selection->keep = NULL;
    }
    report_query_end(&query);
    return status;
}

uint32_t report_query_node(const struct report_query *query, const struct report_sample *sample) {
    ASSERT(sample->node < query->model->nodes.count);
    return query->shown != NULL ? query->shown[sample->node] : sample->node;
}

/* The last moment at which a marking found a block of the major heap reachable; -1: none did. */
static int64_t marked_until(const struct report_model *m, int64_t old_since, int64_t died) {
    size_t low = 0, high = m->markings.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->markings.at[middle].over < died) low = middle + 1;
        else high = middle;
    }
    if (low == 0 || m->markings.at[low - 1].began < old_since) return -1;
    return died == REPORT_NEVER ? REPORT_NEVER : m->markings.at[low - 1].began;
}

int64_t report_live_until(const struct report_query *query, const struct report_sample *s) {
    bool whole = query->live == REPORT_LIVE_UNCOLLECTED || s->source == REPORT_FIBER;
    if (whole || s->died <= s->born) return s->died == REPORT_NEVER ? REPORT_NEVER : s->died - 1;
    if (s->young && s->promoted == REPORT_NEVER) return s->born - 1;
    int64_t marked = marked_until(query->model, s->young ? s->promoted : s->born, s->died);
    if (marked >= 0) return marked;
    return s->young ? s->promoted : s->born - 1;
}

bool report_query_selects(const struct report_query *query, const struct report_sample *s) {
    const struct report_selection *selection = query->selection;
    int64_t time = s->born, life = s->died == REPORT_NEVER ? REPORT_NEVER : s->died - s->born;
    if (s->excluded || (query->node_flags[s->node] & REPORT_NODE_OUT)) return false;
    if (query->is_whole && query->show == REPORT_SHOW_ALLOC) /* in most queries */
        return s->source != REPORT_FIBER || query->with_fibers;
    if (query->threads_out != NULL && query->threads_out[s->thread]) return false;
    if (s->source == REPORT_FIBER && query->show != REPORT_SHOW_LIVE && !query->with_fibers)
        return false;
    switch (query->show) {
    case REPORT_SHOW_LIVE:
        if (s->born > query->at || report_live_until(query, s) < query->at) return false;
        if (query->at - s->born < query->age_min) return false;
        if (query->skip_young && s->young && s->promoted > query->at) return false;
        break;
    case REPORT_SHOW_PROMOTED: time = s->promoted; break;
    case REPORT_SHOW_MINOR_DEAD:
        time = s->young && s->promoted == REPORT_NEVER ? s->died : REPORT_NEVER;
        break;
    case REPORT_SHOW_MAJOR_DEAD:
        time = s->young && s->promoted == REPORT_NEVER ? REPORT_NEVER : s->died;
        break;
    default: break;
    }
    if (time == REPORT_NEVER || s->born >= query->born_before) return false;
    if (life < query->life_min || (query->life_max != REPORT_NEVER && life > query->life_max))
        return false;
    double words = (double)s->wosize + (s->source != REPORT_FIBER);
    if (words < selection->size_min || (selection->size_max > 0 && words > selection->size_max))
        return false;
    return report_query_holds(query, time);
}

bool report_query_next(const struct report_query *query, struct report_sample *sample) {
    while (report_load_sample(query->model, sample)) {
        if (report_query_selects(query, sample)) return true;
        sample->number++;
    }
    return false;
}

report_weigher *report_weigher_of(enum report_unit unit) {
    static report_weigher *const weighers[REPORT_UNITS] = {
        [REPORT_UNIT_BYTES] = report_estimate_bytes,
        [REPORT_UNIT_WORDS] = report_estimate_words,
        [REPORT_UNIT_BLOCKS] = report_estimate_blocks,
        [REPORT_UNIT_SAMPLES] = report_estimate_samples};
    ASSERT(unit < REPORT_UNITS);
    return weighers[unit];
}

struct report_estimate report_query_estimate(const struct report_query *query,
                                             const struct report_sum *sum) {
    return report_weigher_of(query->selection->unit)(&query->scale, sum);
}
