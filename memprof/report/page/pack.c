/* pack.c - writes a profile's samples for the HTML report; data.js reads them.
 *
 *   zlib( length of the facts: 4 bytes, little-endian | facts: JSON | columns )
 *
 * A column holds one number for each item, with 7 bits per byte, the lowest first; bit 7 is set in
 * all bytes except the last. d(x) is the difference of x to that of the item before. In this order:
 *
 *   locations   key by site, function, file, module; line (0: unknown); if sites were counted:
 *               words, blocks
 *   nodes       from 1: number minus its parent's; location
 *   moments     of promotions and deaths, each once: d(time)
 *   samples     d(birth); node; promotion, death; words; hits; tag + 1;
 *               source, + 4 if born in the minor heap; thread
 *   threads     domain
 *   collector   d(start); kind; duration; CPU time + 1 (0: unknown); words; cause
 *   markings    start minus the end of the one before; length
 *   ticks       d(time); location; of the program; of the collector
 *   resident    d(time); bytes
 *
 * The facts' `begin` is the initial selection of the page, encoded as in its address
 * (selection.js).
 *
 * A promotion or death is 0 if it has not happened, else 1 + the moments since the birth: mostly 1.
 * Nodes and locations without a sample are left out.
 *
 * Beyond MOST_SAMPLES or MOST_BYTES the hits are thinned: each is kept with the same probability.
 * The samples then follow the distribution of a profile recorded at a lower rate, so the estimates
 * and their intervals stay valid. Exact counts are not thinned. Of a recording that was thinned
 * already (record WEIGHT), all samples are brought to its lowest rate in the same way. */
#include "memprof/report/page/page.h"

#include "memprof/format/splitmix64.h"
#include "memprof/report/model/text.h"
#include "memprof/report/query/query.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    MOST_SAMPLES = 500000,
    MOST_BYTES = 2100000, /* 2.8 MB in base64 */
    MOST_EVENTS = 100000,
    MOST_PHASES = 20000,
    MOST_READINGS = 1000,
    KEYS = 4,
};

static const enum report_by key_kinds[KEYS] = {REPORT_BY_SITE, REPORT_BY_FUNCTION, REPORT_BY_FILE,
                                               REPORT_BY_MODULE};

/* A sample after thinning. */
struct kept_sample {
    uint32_t number, hits;
};

/* What is written. The new number of a node or location is 0 if it is left out; 0 itself is
 * kept. */
struct packing {
    const struct report_model *model;
    double keep; /* the probability that a recorded hit is kept */
    REPORT_VECTOR(struct kept_sample) kept;
    double hits_kept, all_hits;
    size_t samples; /* as many as `kept`, or too many to list them */
    uint32_t *node_number, *location_number;
    size_t nodes, locations;
    struct report_keys *keys[KEYS];
    char *begin;             /* the given selection, as an address */
    uint32_t *moment_number; /* of each: how many before it are kept */
    size_t moments, ticks, residents;
    struct report_buffer columns;
};

static void put_number(struct packing *p, uint64_t n) {
    for (; n >= 128; n >>= 7) report_put_byte(&p->columns, (n & 127) | 128);
    report_put_byte(&p->columns, n);
}

/* ---- What is kept. ---- */

static void thin_samples(struct packing *p) {
    const struct report_model *m = p->model;
    uint64_t state = m->seed;
    double before = 0;
    p->samples = p->kept.count = 0;
    p->hits_kept = 0;
    for (uint32_t i = 0; i < m->samples.count; i++) {
        const struct report_stored_sample *s = &m->samples.at[i];
        const struct report_traits *t = &m->traits.at[s->traits];
        const double keep = p->keep * t->weight; /* of the hits that were kept */
        const uint32_t recorded = t->weight > 1 ? t->hits / t->weight : t->hits;
        const uint32_t hits = s->excluded ? 0 : (uint32_t)mp_kept(recorded, keep, &state);
        if (hits > 0 && p->samples++ < MOST_SAMPLES)
            report_append(&p->kept, (struct kept_sample){i, hits});
        if (t->source == REPORT_FIBER) continue;
        before += t->hits;
        p->hits_kept += hits;
    }
    p->all_hits = p->hits_kept + (report_model_all_hits(m) - before) * p->keep;
}

static void number_nodes(struct packing *p) {
    const struct report_model *m = p->model;
    memset(p->node_number, 0, m->nodes.count * sizeof *p->node_number);
    memset(p->location_number, 0, m->locations.count * sizeof *p->location_number);
    report_each(kept, &p->kept) p->node_number[m->samples.at[kept->number].node] = 1;
    p->nodes = p->locations = 1;
    for (size_t i = m->nodes.count - 1; i > 0; i--)
        if (p->node_number[i]) p->node_number[m->nodes.at[i].parent] = 1;
    p->node_number[0] = 0;
    for (size_t i = 1; i < m->nodes.count; i++) {
        if (!p->node_number[i]) continue;
        p->node_number[i] = p->nodes++;
        p->location_number[m->nodes.at[i].location] = 1;
    }
    for (size_t i = 0; i < m->sites.count; i++)
        if (m->sites.at[i].words > 0) p->location_number[i] = 1;
    report_each(t, &m->ticks) p->location_number[m->nodes.at[t->node].location] = 1;
    p->location_number[0] = 0;
    for (size_t i = 1; i < m->locations.count; i++)
        if (p->location_number[i]) p->location_number[i] = p->locations++;
}

static bool keeps_location(const struct packing *p, size_t i) {
    return i == 0 || p->location_number[i] != 0;
}

/* ---- Columns. ---- */

/* Writes the keys of the kept locations, and their texts to the facts. */
static void put_keys(struct packing *p, FILE *facts) {
    for (size_t k = 0; k < KEYS; k++) {
        const struct report_keys *keys = p->keys[k];
        uint32_t *number = report_alloc((keys->count + 1) * sizeof *number), count = 0;
        for (size_t i = 0; i < p->model->locations.count; i++)
            if (keeps_location(p, i)) number[keys->of_location[i]] = 1;
        fprintf(facts, "%s\"%s\":[", k > 0 ? "," : "", report_by_words[key_kinds[k]]);
        for (size_t i = 0; i < keys->count; i++) {
            if (number[i] == 0) continue;
            if (count > 0) putc(',', facts);
            report_write_json_string(keys->texts[i], facts);
            number[i] = count++;
        }
        putc(']', facts);
        for (size_t i = 0; i < p->model->locations.count; i++)
            if (keeps_location(p, i)) put_number(p, number[keys->of_location[i]]);
        free(number);
    }
}

static void put_lines(struct packing *p) {
    for (size_t i = 0; i < p->model->locations.count; i++) {
        int32_t line = p->model->locations.at[i].line;
        if (keeps_location(p, i)) put_number(p, line > 0 ? (uint64_t)line : 0);
    }
}

static void put_sites(struct packing *p) {
    const struct report_model *m = p->model;
    for (int column = 0; m->has_sites && column < 2; column++)
        for (size_t i = 0; i < m->locations.count; i++) {
            if (!keeps_location(p, i)) continue;
            const struct report_site *site = i < m->sites.count ? &m->sites.at[i] : NULL;
            put_number(p, site == NULL ? 0 : column == 0 ? site->words : site->blocks);
        }
}

static void put_nodes(struct packing *p) {
    const struct report_model *m = p->model;
    for (int column = 0; column < 2; column++)
        for (size_t i = 1; i < m->nodes.count; i++) {
            const struct report_node *node = &m->nodes.at[i];
            if (p->node_number[i] == 0) continue;
            put_number(p, column == 0 ? p->node_number[i] - p->node_number[node->parent]
                                      : p->location_number[node->location]);
        }
}

static void put_moments(struct packing *p) {
    const struct report_model *m = p->model;
    int64_t last = 0;
    memset(p->moment_number, 0, m->moments.count * sizeof *p->moment_number);
    report_each(kept, &p->kept) {
        p->moment_number[m->samples.at[kept->number].promoted] = 1;
        p->moment_number[m->samples.at[kept->number].died] = 1;
    }
    p->moments = 0;
    for (size_t i = 1; i < m->moments.count; i++) {
        bool used = p->moment_number[i] != 0;
        p->moment_number[i] = p->moments;
        if (!used) continue;
        p->moments++;
        put_number(p, m->moments.at[i] - last);
        last = m->moments.at[i];
    }
}

static uint64_t event_code(const struct packing *p, uint32_t born, uint32_t moment) {
    if (moment == 0) return 0;
    return moment <= born ? 1 : 1 + p->moment_number[moment] - p->moment_number[born];
}

enum { BORN, NODE, PROMOTED, DIED, WORDS, HITS, TAG, SOURCE, THREAD, SAMPLE_COLUMNS };

static void put_samples(struct packing *p) {
    const struct report_model *m = p->model;
    for (int column = 0; column < SAMPLE_COLUMNS; column++) {
        int64_t last = 0;
        report_each(kept, &p->kept) {
            const struct report_stored_sample *stored = &m->samples.at[kept->number];
            const struct report_traits *t = &m->traits.at[stored->traits];
            const int64_t born = m->moments.at[stored->born];
            switch (column) {
            case BORN: put_number(p, born - last); break;
            case NODE: put_number(p, p->node_number[stored->node]); break;
            case PROMOTED: put_number(p, event_code(p, stored->born, stored->promoted)); break;
            case DIED: put_number(p, event_code(p, stored->born, stored->died)); break;
            case WORDS: put_number(p, t->wosize); break;
            case HITS: put_number(p, kept->hits); break;
            case TAG: put_number(p, t->tag + 1); break;
            case SOURCE: put_number(p, t->source + 4 * t->young); break;
            default: put_number(p, t->thread); break;
            }
            last = born;
        }
    }
    report_each(thread, &m->threads) put_number(p, thread->domain);
}

REPORT_COMPARE(by_start, struct report_gc_event,
               report_order(x->start, y->start) ?: report_order(x->kind, y->kind))
REPORT_COMPARE(by_length, struct report_gc_event, report_order(y->duration, x->duration))

/* Writes the collector's events, only the longest if there are too many. Returns their number. */
static size_t put_events(struct packing *p) {
    size_t n = p->model->gc_events.count;
    struct report_gc_event *all = report_alloc((n + 1) * sizeof *all);
    int64_t last = 0;
    if (n > 0) memcpy(all, p->model->gc_events.at, n * sizeof *all);
    if (n > MOST_EVENTS) {
        qsort(all, n, sizeof *all, by_length);
        n = MOST_EVENTS;
    }
    if (n > 0) qsort(all, n, sizeof *all, by_start);
    for (int column = 0; column < 6; column++)
        for (size_t i = 0; i < n; i++) {
            switch (column) {
            case 0: put_number(p, all[i].start - last); break;
            case 1: put_number(p, all[i].kind); break;
            case 2: put_number(p, all[i].duration); break;
            case 3: put_number(p, all[i].processor + 1); break;
            case 4: put_number(p, all[i].words); break;
            default: put_number(p, all[i].cause); break;
            }
            last = all[i].start;
        }
    free(all);
    last = 0;
    report_each(marking, &p->model->markings) {
        put_number(p, marking->began - last);
        put_number(p, marking->over - marking->began);
        last = marking->over;
    }
    return n;
}

/* Writes ticks; of too many, equally distant ones stand for those between them. */
static void put_ticks(struct packing *p) {
    const struct report_model *m = p->model;
    uint64_t step = m->ticks.count / MOST_EVENTS + 1;
    for (int column = 0; column < 4; column++) {
        int64_t last = 0;
        for (size_t i = 0; i < m->ticks.count; i += step) {
            const struct report_ticks *t = &m->ticks.at[i];
            switch (column) {
            case 0: put_number(p, t->time - last); break;
            case 1: put_number(p, p->location_number[m->nodes.at[t->node].location]); break;
            case 2: put_number(p, step * t->running); break;
            default: put_number(p, step * t->collecting); break;
            }
            last = t->time;
        }
    }
    p->ticks = (m->ticks.count + step - 1) / step;
}

/* Writes readings of the resident memory, of too many the largest of several. */
static void put_residents(struct packing *p) {
    const struct report_model *m = p->model;
    size_t n = m->residents.count, step = n / MOST_EVENTS + 1;
    for (int column = 0; column < 2; column++) {
        int64_t last = 0;
        for (size_t i = 0; i < n; i += step) {
            const struct report_resident *most = &m->residents.at[i];
            for (size_t k = i; k < i + step && k < n; k++)
                if (m->residents.at[k].bytes > most->bytes) most = &m->residents.at[k];
            put_number(p, column == 0 ? (uint64_t)(most->time - last) : (uint64_t)most->bytes);
            last = most->time;
        }
    }
    p->residents = (n + step - 1) / step;
}

/* ---- Facts. ---- */

static void put_text(FILE *facts, const char *key, const char *text) {
    fprintf(facts, ",\"%s\":", key);
    report_write_json_string(text, facts);
}

static void put_time(FILE *facts, int64_t time) {
    if (time == REPORT_NEVER) fputs("null", facts);
    else fprintf(facts, "%lld", (long long)time);
}

static void put_attribute(FILE *facts, const struct report_model *m, enum report_by by) {
    size_t count;
    char **texts = report_attribute_texts(m, by, &count);
    fprintf(facts, ",\"%s\":[", report_by_words[by]);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) putc(',', facts);
        report_write_json_string(texts[i], facts);
        free(texts[i]);
    }
    putc(']', facts);
    free(texts);
}

/* The name of a phase; null: none. */
static void put_phase_name(FILE *facts, const struct report_model *m, uint32_t name) {
    if (name == 0) fputs("null", facts);
    else report_write_json_string(m->names.at[name], facts);
}

static void put_phases(FILE *facts, const struct report_model *m) {
    size_t n = m->phases.count < MOST_PHASES ? m->phases.count : MOST_PHASES;
    fputs(",\"phases\":[", facts);
    for (size_t i = 0; i < n; i++) {
        const struct report_phase *phase = &m->phases.at[i];
        fprintf(facts, "%s[%lld,", i > 0 ? "," : "", (long long)phase->start);
        put_time(facts, phase->end);
        putc(',', facts);
        put_phase_name(facts, m, phase->name);
        putc(']', facts);
    }
    n = m->phase_changes.count < 2 * MOST_PHASES ? m->phase_changes.count : 2 * MOST_PHASES;
    fprintf(facts, "],\"phases_left_out\":%zu,\"phase_changes\":[",
            m->phases.count > MOST_PHASES ? m->phases.count - MOST_PHASES : 0);
    for (size_t i = 0; i < n; i++) {
        fprintf(facts, "%s[%lld,", i > 0 ? "," : "", (long long)m->phase_changes.at[i].time);
        put_phase_name(facts, m, m->phase_changes.at[i].name);
        putc(']', facts);
    }
    putc(']', facts);
}

/* Writes some readings of the counters, at about equal distances, and the last one. */
static void put_counters(FILE *facts, const struct report_model *m) {
    size_t n = m->counters.count, step = n / MOST_READINGS + 1;
    fputs(",\"counters\":[", facts);
    for (size_t i = 0; i < n; i++) {
        if (i % step != 0 && i + 1 < n) continue;
        const struct report_counter *c = &m->counters.at[i];
        fprintf(facts, "%s{\"time\":%lld", i > 0 ? "," : "", (long long)c->time);
#define TOTAL(name) fprintf(facts, ",\"" #name "\":%.0f", c->name);
#define LEVEL(name) TOTAL(name)
#include "memprof/format/counters.def"
        putc('}', facts);
    }
    putc(']', facts);
}

/* Puts a field of an address; text may have any characters. */
static void put_address(FILE *out, const char *key, const char *text) {
    fprintf(out, "&%s=", key);
    for (; *text != 0; text++)
        if (isalnum((unsigned char)*text)) putc(*text, out);
        else fprintf(out, "%%%02X", (unsigned char)*text);
}

static void put_address_time(FILE *out, const char *key, struct report_moment moment, int64_t t) {
    if (moment.kind == REPORT_PEAK) put_address(out, key, "peak");
    else if (moment.kind == REPORT_END || moment.kind == REPORT_NO_MOMENT)
        put_address(out, key, "end");
    else fprintf(out, "&%s=%lld", key, (long long)t);
}

/* Puts two bounds, of which `least` and `most` are none. */
static void put_address_bounds(FILE *out, const char *key, double low, double high, double least,
                               double most, const char *unit) {
    if (low <= least && high == most) return;
    fprintf(out, "&%s=", key);
    if (low > least) fprintf(out, "%.0f%s", low, unit);
    fputs("..", out);
    if (high != most) fprintf(out, "%.0f%s", high, unit);
}

/* What is shown, and when; nothing if that was not given. */
static void put_address_shown(FILE *out, const struct report_query *q) {
    const struct report_selection *s = q->selection;
    bool live = q->show == REPORT_SHOW_LIVE, since = s->from.kind != REPORT_NO_MOMENT;
    if (!s->has_show && s->at.kind == REPORT_NO_MOMENT && !since &&
        s->to.kind == REPORT_NO_MOMENT && s->phase == NULL)
        return;
    put_address(out, "what", live && since ? "born" : report_show_words[q->show]);
    if (since) fprintf(out, "&from=%lld", (long long)q->from);
    if (live) put_address_time(out, "to", s->at, q->at);
    else put_address_time(out, "to", s->to, q->to);
}

/* The selection that was given, as a page's address; compared: it shows two profiles. */
static char *address_of(const struct report_query *q, bool compared) {
    const struct report_selection *s = q->selection;
    const struct {
        const char *key, *text;
    } texts[] = {{"phase", s->phase}, {"domain", s->domain}, {"thread", s->thread},
                 {"focus", s->focus}, {"ignore", s->ignore}, {"hide", s->hide}};
    char *address = NULL;
    size_t length;
    FILE *out = open_memstream(&address, &length);
    put_address_shown(out, q);
    if (compared) put_address(out, "tab", "diff");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text != NULL) put_address(out, texts[i].key, texts[i].text);
    put_address_bounds(out, "size", s->size_min, s->size_max, 0, 0, "");
    put_address_bounds(out, "life", q->life_min, q->life_max, 0, (double)REPORT_NEVER, "ns");
    if (s->has_live) put_address(out, "live", report_live_words[s->live]);
    if (s->unit != REPORT_UNIT_BYTES) put_address(out, "unit", report_unit_words[s->unit]);
    fclose(out);
    return address;
}

static void put_causes(FILE *facts) {
    fputs(",\"causes\":[", facts);
    for (unsigned cause = 0; cause < MP_CAUSES; cause++) {
        if (cause > 0) putc(',', facts);
        report_write_json_string(mp_cause_name(cause), facts);
    }
    putc(']', facts);
}

/* The domain and the number of each thread; -1: unknown. */
static void put_thread_numbers(FILE *facts, const struct report_model *m) {
    fputs(",\"thread_numbers\":[", facts);
    for (size_t i = 0; i < m->threads.count; i++)
        fprintf(facts, "%s[%lld,%lld]", i > 0 ? "," : "", (long long)m->threads.at[i].id.domain - 1,
                (long long)m->threads.at[i].id.number - 1);
    putc(']', facts);
}

/* Writes the facts, and the columns in their order. */
static void put_facts(struct packing *p, const struct report_request *request, FILE *facts) {
    const struct report_model *m = p->model;
    struct report_scale scale = report_scale_of(m);
    const char *slash = strrchr(request->path, '/');
    fputs("{\"keys\":{", facts);
    put_keys(p, facts);
    put_lines(p);
    put_sites(p);
    put_nodes(p);
    put_moments(p);
    put_samples(p);
    size_t events = put_events(p);
    put_ticks(p);
    put_residents(p);
    fprintf(facts,
            "},\"rate\":%.17g,\"keep\":%.17g,\"word_bytes\":%d,\"all_hits\":%.17g,"
            "\"exact_words\":%.17g,\"end\":%lld,\"finished_at\":%lld,\"has_sites\":%s,"
            "\"truncated\":%s,\"locations\":%zu,\"nodes\":%zu,\"moments\":%zu,\"samples\":%zu,"
            "\"all_samples\":%zu,\"threads\":%zu,\"events\":%zu,\"all_events\":%zu,"
            "\"ticks\":%zu,\"all_ticks\":%zu,\"tick_ns\":%d,\"residents\":%zu,"
            "\"markings\":%zu,\"most_words\":%.17g,\"peak_uncollected\":%lld,\"peak_proven\":",
            m->rate * p->keep, p->keep, m->word_bytes, p->all_hits, scale.exact_words,
            (long long)m->end,
            m->origin.finished ? (long long)m->origin.finished_at : (long long)m->end,
            m->has_sites ? "true" : "false", m->truncated ? "true" : "false", p->locations,
            p->nodes, p->moments, p->samples, m->samples.count, m->threads.count, events,
            m->gc_events.count, p->ticks, m->ticks.count, MP_TICK_NS, p->residents,
            m->markings.count, m->most_words, (long long)report_peak_time(m));
    put_time(facts, m->markings.count > 0 ? report_proven_peak_time(m) : REPORT_NEVER);
    put_text(facts, "file", slash != NULL ? slash + 1 : request->path);
    put_text(facts, "begin", p->begin);
    put_text(facts, "scope", request->selection.scope != NULL ? request->selection.scope : "");
    put_text(facts, "program", m->program);
    put_text(facts, "context", m->context);
    put_attribute(facts, m, REPORT_BY_SOURCE);
    put_attribute(facts, m, REPORT_BY_TAG);
    put_attribute(facts, m, REPORT_BY_DOMAIN);
    put_attribute(facts, m, REPORT_BY_THREAD);
    fputs(",\"gc_kinds\":[", facts);
    for (unsigned kind = 0; kind < REPORT_GC_KINDS; kind++) {
        if (kind > 0) putc(',', facts);
        report_write_json_string(report_gc_text(kind), facts);
    }
    putc(']', facts);
    put_causes(facts);
    put_thread_numbers(facts, m);
    put_phases(facts, m);
    put_counters(facts, m);
    fputs(",\"stats\":", facts);
    struct report_doc *stats = report_view_stats(request);
    report_doc_write_json(stats, facts);
    report_doc_free(stats);
    putc('}', facts);
}

/* ---- The whole. ---- */

int report_deflate(struct report_buffer *out, const void *bytes, size_t length,
                   struct report_error *error) {
    uLongf deflated = compressBound(length);
    unsigned char *buffer = report_alloc(deflated);
    int status = compress2(buffer, &deflated, bytes, length, Z_DEFAULT_COMPRESSION);
    if (status == Z_OK) report_put(out, buffer, deflated);
    free(buffer);
    if (status == Z_OK) return 0;
    return report_fail(error, "", "`bactrian prof trim` makes it smaller",
                       "there is not enough memory to compress the profile");
}

/* Packs with the current thinning. Returns as report_pack does. */
static int pack_once(struct packing *p, const struct report_request *request,
                     struct report_buffer *out) {
    struct report_buffer whole = {0};
    char *text = NULL;
    size_t length = 0;
    p->columns.length = out->length = 0;
    thin_samples(p);
    if (p->samples > MOST_SAMPLES) return 0;
    number_nodes(p);
    FILE *facts = open_memstream(&text, &length);
    put_facts(p, request, facts);
    fclose(facts);
    report_put_le(&whole, length, 4);
    report_put(&whole, text, length);
    report_put(&whole, p->columns.data, p->columns.length);
    int status = report_deflate(out, whole.data, whole.length, request->error);
    report_free(text, whole.data);
    return status;
}

int report_pack(const struct report_request *request, struct report_buffer *out) {
    const struct report_model *m = request->model;
    const struct report_selection *s = &request->selection;
    struct packing p = {.model = m, .keep = 1.0 / m->weight};
    struct report_query query;
    if (report_query_start(&query, m, s, request->error) != 0) return -1;
    p.begin = address_of(&query, request->other != NULL);
    bool live = query.show == REPORT_SHOW_LIVE;
    report_query_end(&query);
    if (live && s->to.kind != REPORT_NO_MOMENT) {
        free(p.begin);
        return report_fail(request->error, "--to", "give one of them",
                           "the page shows live blocks at --at, or births until --to");
    }
    p.moment_number = report_alloc(m->moments.count * sizeof *p.moment_number);
    p.node_number = report_alloc(m->nodes.count * sizeof *p.node_number);
    p.location_number = report_alloc(m->locations.count * sizeof *p.location_number);
    for (size_t k = 0; k < KEYS; k++) p.keys[k] = report_keys_create(m, key_kinds[k]);
    int status;
    while ((status = pack_once(&p, request, out)) == 0) {
        double most = p.samples > MOST_SAMPLES   ? (double)MOST_SAMPLES / p.samples
                      : out->length > MOST_BYTES ? (double)MOST_BYTES / out->length
                                                 : 1;
        /* Thinning does not change texts and counts, so it cannot always reach the size. */
        if (most >= 1 || p.samples < MOST_SAMPLES / 100) break;
        p.keep *= 0.95 * most;
    }
    for (size_t k = 0; k < KEYS; k++) report_keys_free(p.keys[k]);
    report_free(p.begin, p.kept.at, p.node_number, p.location_number, p.moment_number,
                p.columns.data);
    return status;
}
