/* query.c - applies the selectors to a profile. */
#include "memprof/report/query/query.h"

#include "memprof/report/model/memory.h"
#include "memprof/report/query/pattern.h"
#include "memprof/report/view/text.h"

#include <stdlib.h>
#include <string.h>

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

/* When so large a share of all words had been allocated. */
static int64_t allocated_at(const struct report_model *model, double share) {
    double hits = 0, so_far = 0;
    for (size_t i = 0; i < model->sample_count; i++) hits += model->samples[i].hits;
    for (size_t i = 0; i < model->sample_count; i++) {
        so_far += model->samples[i].hits;
        if (so_far >= share * hits) return model->samples[i].born;
    }
    return model->end;
}

static int64_t resolve(const struct report_model *model, struct report_moment moment,
                       int64_t otherwise) {
    switch (moment.kind) {
    case REPORT_PEAK: return report_peak_time(model);
    case REPORT_END: return model->end;
    case REPORT_TIME: return (int64_t)moment.value;
    case REPORT_SHARE: return (int64_t)(moment.value * (double)model->end);
    case REPORT_ALLOCATED: return allocated_at(model, moment.value);
    default: return otherwise;
    }
}

/* The start of the last but n-1 minor collection before a time; -1: there were not so many. */
static int64_t minor_before(const struct report_model *model, double n, int64_t at) {
    for (size_t i = model->gc_event_count; i > 0; i--) {
        const struct report_gc_event *e = &model->gc_events[i - 1];
        bool counts = e->start + e->duration <= at &&
                      strcmp(model->names[e->name], "minor collection") == 0;
        if (counts && --n <= 0) return e->start;
    }
    return -1;
}

/* When the counters had last not yet seen the n last major collections before a time; -1: never.
 * Counters are read behind each of them. */
static int64_t major_before(const struct report_model *model, double n, int64_t at) {
    double now = 0;
    int64_t found = -1;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < model->counter_count && model->counters[i].time <= at; i++) {
            double count = model->counters[i].major_collections;
            if (pass == 0) now = count;
            else if (count <= now - n) found = model->counters[i].time;
        }
    return found;
}

/* When the block was born, at the latest, that has survived so many collections at a time; -1:
 * there were not so many. The recorder's own last collection is none of the program's. */
static int64_t born_before(const struct report_model *model, struct report_moment age, int64_t at) {
    if (model->origin.finished && at > model->origin.finished_at) at = model->origin.finished_at;
    return age.kind == REPORT_MINORS ? minor_before(model, age.value, at)
                                     : major_before(model, age.value, at);
}

/* How old a block is at a time, at least, that is as old as was asked for. */
static int64_t age_of(const struct report_model *model, struct report_moment age, int64_t at) {
    if (age.kind != REPORT_MINORS && age.kind != REPORT_MAJORS) return resolve(model, age, 0);
    int64_t born = born_before(model, age, at);
    return born < 0 ? at + 1 : at - born;
}

static int compile(const char *option, const char *pattern, regex_t *regex,
                   struct report_error *error) {
    char why[REPORT_WHY];
    if (report_compile_pattern(regex, pattern, why)) return 0;
    return report_fail(error, option, "give a POSIX extended regular expression", "`%s`: %s",
                       pattern, why);
}

/* Marks each location whose text matches. NULL pattern: none; returns NULL. */
static uint8_t *match_locations(const struct report_model *model, const char *option,
                                const char *pattern, struct report_error *error) {
    regex_t regex;
    if (pattern == NULL) return NULL;
    if (compile(option, pattern, &regex, error) != 0) return NULL;
    uint8_t *found = report_alloc(model->location_count);
    for (size_t i = 0; i < model->location_count; i++) {
        char *text = report_location_text(model, i);
        found[i] = regexec(&regex, text, 0, NULL, 0) == 0;
        free(text);
    }
    regfree(&regex);
    return found;
}

static int flag_nodes(struct report_query *query, struct report_error *error) {
    const struct report_model *model = query->model;
    const struct report_selection *s = query->selection;
    error->what[0] = 0;
    uint8_t *focus = match_locations(model, "--focus", s->focus, error);
    uint8_t *ignore = match_locations(model, "--ignore", s->ignore, error);
    uint8_t *hide = match_locations(model, "--hide", s->hide, error);
    uint8_t *keep = s->keep == NULL ? NULL : report_keep_locations(model, s->keep, error);
    enum { FOCUSED = 4, IGNORED = 8 };
    query->node_flags = report_alloc(model->node_count);
    for (size_t i = 0; i < model->node_count; i++) {
        const struct report_node *node = &model->nodes[i];
        uint8_t flags = i > 0 ? query->node_flags[node->parent] & (FOCUSED | IGNORED) : 0;
        if (focus != NULL && i > 0 && focus[node->location]) flags |= FOCUSED;
        if (ignore != NULL && i > 0 && ignore[node->location]) flags |= IGNORED;
        if (hide != NULL && i > 0 && hide[node->location]) flags |= REPORT_NODE_HIDDEN;
        if ((focus != NULL && !(flags & FOCUSED)) || (flags & IGNORED)) flags |= REPORT_NODE_OUT;
        if (keep != NULL && !keep[node->location]) flags |= REPORT_NODE_OUT;
        query->node_flags[i] = flags;
    }
    free(focus);
    free(ignore);
    free(hide);
    free(keep);
    return error->what[0] != 0 ? -1 : 0;
}

static char *moment_text(const struct report_query *query, struct report_moment moment, int64_t t) {
    char time[32];
    report_write_seconds(time, t / 1e9);
    if (moment.kind == REPORT_PEAK) return report_format("at the peak (%s)", time);
    if (moment.kind == REPORT_END || moment.kind == REPORT_NO_MOMENT)
        return report_format("at the end (%s)", time);
    return report_format("at %s", time);
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

static bool has_limits(const struct report_selection *s) {
    return s->size_min > 0 || s->size_max > 0 || s->life_min.kind != REPORT_NO_MOMENT ||
           s->life_max.kind != REPORT_NO_MOMENT;
}

static void describe(struct report_query *query) {
    static const char *const shows[] = {
#define SHOW(id, name, sentence) sentence,
#include "memprof/report/query/selectors.def"
    };
    const struct report_selection *s = query->selection;
    const bool live = query->show == REPORT_SHOW_LIVE;
    char *when = live ? moment_text(query, s->at, query->at) : report_copy("in the whole run");
    query->window = window_text(query);
    if (query->window[0] != 0 && !live) when[0] = 0;
    const char *focus = s->scope != NULL ? s->scope : s->focus;
    const char *ignore = s->scope != NULL ? NULL : s->ignore;
    const char *hide = s->scope != NULL ? NULL : s->hide;
    query->sentence = report_format(
        "%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s", shows[query->show], when[0] != 0 ? " " : "", when,
        query->window[0] == 0 ? ""
        : live                ? ", allocated "
                              : " ",
        query->window, focus != NULL ? ", through " : "", focus != NULL ? focus : "",
        ignore != NULL ? ", not through " : "", ignore != NULL ? ignore : "",
        s->keep != NULL ? ", by functions in " : "", s->keep != NULL ? s->keep : "",
        hide != NULL ? ", hiding " : "", hide != NULL ? hide : "",
        query->age_min > 0 || s->tail.kind != REPORT_NO_MOMENT ? ", older blocks only" : "",
        has_limits(s) ? ", some sizes or lives only" : "");
    free(when);
}

static int find_phase(struct report_query *query, struct report_error *error) {
    const struct report_model *model = query->model;
    const char *wanted = query->selection->phase;
    if (wanted == NULL) return 0;
    for (size_t i = 0; i < model->phase_count; i++)
        if (strcmp(model->names[model->phases[i].name], wanted) == 0)
            query->phase = model->phases[i].name;
    if (query->phase != 0) return 0;
    return report_fail(error, "--phase", "`bactrian prof stats` lists the phases",
                       "the profile has no phase `%s`", wanted);
}

int report_query_start(struct report_query *query, const struct report_model *model,
                       const struct report_selection *selection, enum report_show fallback,
                       struct report_error *error) {
    *query = (struct report_query){.model = model, .selection = selection};
    query->show = selection->has_show                      ? selection->show
                  : selection->at.kind != REPORT_NO_MOMENT ? REPORT_SHOW_LIVE
                                                           : fallback;
    if (selection->at.kind != REPORT_NO_MOMENT && query->show != REPORT_SHOW_LIVE)
        return report_fail(error, "--at", "use --from and --to for events",
                           "a moment selects live blocks only");
    if (selection->age_min.kind != REPORT_NO_MOMENT && query->show != REPORT_SHOW_LIVE)
        return report_fail(error, "--age-min", "add --show live or --at, or use --life",
                           "only live blocks have an age");
    query->scale = report_scale_of(model);
    query->at = resolve(model, selection->at, model->end);
    query->from = resolve(model, selection->from, 0);
    query->to = resolve(model, selection->to, REPORT_NEVER);
    if (query->to <= query->from)
        return report_fail(error, "--to", "give a later moment than --from's",
                           "the time selected is empty");
    query->age_min = age_of(model, selection->age_min, query->at);
    query->life_min = resolve(model, selection->life_min, 0);
    query->life_max = resolve(model, selection->life_max, REPORT_NEVER);
    query->born_before = selection->tail.kind == REPORT_NO_MOMENT
                             ? REPORT_NEVER
                             : model->end - age_of(model, selection->tail, model->end);
    if (find_phase(query, error) != 0 || flag_nodes(query, error) != 0) {
        report_query_end(query);
        return -1;
    }
    if (selection->age_min.kind >= REPORT_MINORS || selection->tail.kind >= REPORT_MINORS) {
        if (model->counter_count == 0) {
            report_query_end(query);
            return report_fail(error, "--age-min", "give a time as 1.5s, 200ms, 40%",
                               "the profile doesn't count collections");
        }
    }
    report_query_find_spans(query);
    query->is_whole = query->born_before == REPORT_NEVER && query->from == 0 &&
                      query->to == REPORT_NEVER && query->phase == 0 && query->age_min == 0 &&
                      query->life_min == 0 && query->life_max == REPORT_NEVER &&
                      selection->size_min == 0 && selection->size_max == 0 &&
                      selection->focus == NULL && selection->ignore == NULL &&
                      selection->keep == NULL;
    describe(query);
    return 0;
}

void report_query_end(struct report_query *query) {
    free(query->node_flags);
    free(query->sentence);
    free(query->window);
    free(query->spans);
    query->node_flags = NULL;
    query->sentence = query->window = NULL;
    query->spans = NULL;
}

uint32_t report_query_node(const struct report_query *query, const struct report_sample *sample) {
    uint32_t node = sample->node;
    while ((query->node_flags[node] & REPORT_NODE_HIDDEN) != 0)
        node = query->model->nodes[node].parent;
    return node;
}

bool report_query_selects(const struct report_query *query, const struct report_sample *s) {
    const struct report_selection *selection = query->selection;
    int64_t time = s->born, life = s->died == REPORT_NEVER ? REPORT_NEVER : s->died - s->born;
    if (query->node_flags[s->node] & REPORT_NODE_OUT) return false;
    switch (query->show) {
    case REPORT_SHOW_LIVE:
        if (s->born > query->at || s->died <= query->at) return false;
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
    double words = (double)s->wosize + 1;
    if (words < selection->size_min || (selection->size_max > 0 && words > selection->size_max))
        return false;
    return report_query_holds(query, time);
}

report_weigher *report_weigher_of(enum report_unit unit) {
    static report_weigher *const weighers[REPORT_UNITS] = {
        [REPORT_UNIT_BYTES] = report_estimate_bytes,
        [REPORT_UNIT_WORDS] = report_estimate_words,
        [REPORT_UNIT_BLOCKS] = report_estimate_blocks,
        [REPORT_UNIT_SAMPLES] = report_estimate_samples};
    return weighers[unit];
}

struct report_estimate report_query_estimate(const struct report_query *query,
                                             const struct report_sum *sum) {
    return report_weigher_of(query->selection->unit)(&query->scale, sum);
}
