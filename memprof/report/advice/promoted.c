/* promoted.c - `prof promoted`: what is promoted, by site, and what led to it first when it was;
 * and what a minor heap of another size would promote. */
#include "memprof/report/advice/advice.h"

#include "memprof/report/model/text.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 20, HOLDERS_OF_SITE = 4 };

/* ---- Holders. ---- */

static char *text_of_field(const struct report_model *m, const struct report_holder *h) {
    const char *what = m->names.at[h->name];
    char *place = h->location > 0 ? report_location_text(m, h->location) : NULL, *text;
    char *field = h->slot > 0 ? report_format("field %llu of", (unsigned long long)h->slot - 1)
                              : report_copy("a field of");
    text = place != NULL ? report_format("%s a major %s, set at %s", field, what, place)
                         : report_format("%s a major %s", field, what);
    report_free(place, field);
    return text;
}

static char *text_of_root(const struct report_model *m, const struct report_holder *h) {
    const char *name = m->names.at[h->name];
    char *place, *text;
    switch ((enum mp_root_kind)h->kind) {
    case MP_ROOT_GLOBAL:
        return name[0] != 0 ? report_format("module %s", name)
                            : report_format("global %llu", (unsigned long long)h->slot);
    case MP_ROOT_STACK:
        place = report_location_text(m, h->location);
        text = name[0] != 0 ? report_format("variable %s of %s", name, place)
                            : report_format("stack of %s", place);
        free(place);
        return text;
    case MP_ROOT_C:
        return name[0] != 0 ? report_format("C variable of %s", name) : report_copy("C variable");
    case MP_ROOT_FINALISER: return report_copy("finaliser");
    case MP_ROOT_MACHINE: return report_format("the machine: %s", name);
    case MP_ROOT_KINDS: break;
    }
    return report_copy("");
}

static char *text_of_holder(const struct report_model *m, uint32_t number) {
    const struct report_holder *h = &m->holders.at[number];
    if (number == 0) return report_copy("not recorded");
    return h->kind == MP_HELD_FIELD ? text_of_field(m, h) : text_of_root(m, h);
}

/* ---- Sums. ---- */

/* The promoted samples of a site that one holder led to, directly or through young blocks. */
struct held_sum {
    uint32_t group, holder;
    struct report_sum sum, direct;
};

struct held_sums {
    const struct report_model *model;
    REPORT_VECTOR(struct held_sum) list;
    struct report_hash hash;
    size_t known; /* samples whose holder was recorded */
};

REPORT_COMPARE(by_group, struct held_sum,
report_order(x->group, y->group) ?: report_order(y->sum.hits, x->sum.hits) ?:
           report_order(x->holder, y->holder))

static bool is_sum(const void *owner, uint32_t number, const void *key) {
    const struct held_sums *sums = owner;
    const struct held_sum *a = &sums->list.at[number], *b = key;
    const struct report_holder *x = &sums->model->holders.at[a->holder];
    const struct report_holder *y = &sums->model->holders.at[b->holder];
    return a->group == b->group && (a->holder == 0) == (b->holder == 0) && x->slot == y->slot &&
           x->name == y->name && x->location == y->location && x->kind == y->kind;
}

/* By group, the largest first; list.at is freed with free(). */
static struct held_sums sum_holders(const struct report_query *query) {
    const struct report_model *m = query->model;
    struct held_sums sums = {.model = m};
    struct report_grouping grouping;
    report_grouping_start(&grouping, query);
    report_each_selected(s, query) {
        const struct report_holder *h = &m->holders.at[s->holder];
        const struct held_sum key = {
            (uint32_t)report_grouping_of(&grouping, s), s->holder, {0}, {0}};
        const uint64_t hash = report_hash_number((uint64_t)key.group << 32 | h->location) ^
                              report_hash_number((uint64_t)h->name << 32 | h->slot << 4 | h->kind);
        uint32_t number = report_hash_find(&sums.hash, hash, is_sum, &sums, &key);
        if (number == REPORT_NO_NUMBER) {
            number = (uint32_t)sums.list.count;
            report_append(&sums.list, key);
            report_hash_add(&sums.hash, hash, number);
        }
        report_sum_add(&sums.list.at[number].sum, s, m->rate);
        if (!h->through) report_sum_add(&sums.list.at[number].direct, s, m->rate);
        sums.known += s->holder != 0;
    }
    report_sort(&sums.list, by_group);
    report_grouping_end(&grouping);
    free(sums.hash.slots);
    return sums;
}

/* ---- Tables. ---- */

/* Returns the number of rows. */
static size_t add_sites(struct report_doc *doc, const struct report_query *query,
                        const struct report_groups *promoted, const struct report_groups *born) {
    const struct report_selection *selection = query->selection;
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "rows", "");
    size_t n = report_group_rows(t, promoted, selection, ROWS);
    t->empty = "nothing is promoted";
    report_table_columns(t, "share", "share", report_unit_title(selection),
                         report_unit_title(selection), "promoted", "of all it allocated", "name",
                         report_by_title(selection), NULL);
    for (size_t i = 0; i < n; i++) {
        const uint32_t key = promoted->order[i];
        const struct report_sum *sum = &promoted->groups[key].sum;
        const uint64_t allocated = born->groups[key].sum.hits;
        report_row(t, 0, report_share(report_group_share(promoted, &promoted->groups[key])),
                   report_interval(report_unit_kind(selection), report_query_estimate(query, sum)),
                   report_share(allocated > 0 ? (double)sum->hits / allocated : NAN),
                   report_text(promoted->texts[key]));
    }
    report_note_rest(doc, promoted, selection, n);
    return n;
}

/* Adds the holders of the first n sites. */
static void add_holders(struct report_doc *doc, const struct report_query *query,
                        const struct report_groups *promoted, size_t n) {
    struct held_sums sums = sum_holders(query);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "holders",
                                              "What led to the promoted blocks of each site");
    report_table_columns(t, "share", "of the site", "direct", "directly", "holder",
                         "first reached from", "name", report_by_title(query->selection), NULL);
    for (size_t i = 0; i < n && sums.known > 0; i++) {
        const struct report_group *group = &promoted->groups[promoted->order[i]];
        size_t k = 0, shown = 0;
        while (k < sums.list.count && sums.list.at[k].group != promoted->order[i]) k++;
        for (; k < sums.list.count && shown < HOLDERS_OF_SITE; k++, shown++) {
            const struct held_sum *held = &sums.list.at[k];
            if (held->group != promoted->order[i]) break;
            report_row(t, 0,
                       report_interval(REPORT_SHARES, report_estimate_share(
                                                          &query->scale, &held->sum, &group->sum)),
                       report_share((double)held->direct.hits / held->sum.hits),
                       report_own_text(text_of_holder(query->model, held->holder)),
                       report_text(promoted->texts[promoted->order[i]]));
        }
    }
    if (sums.known == 0)
        report_doc_note(doc, "What led to them, and so what another minor heap would promote, was "
                             "not recorded: `prof record --promoted` does.");
    else
        report_doc_note(doc, "Several roots may lead to a block. The first one counts, in this "
                             "order: fields of major blocks, C variables, the stack, finalisers. "
                             "directly: not through other young blocks.");
    free(sums.list.at);
}

static void add_minor_heap(struct report_doc *doc, const struct report_query *born) {
    struct report_advice advice = {.query = born, .allocated = 1, .live = 1};
    report_advise_minor_heap(&advice, doc);
    report_each(f, &advice.findings) report_free(f->what, f->fix);
    free(advice.findings.at);
}

struct report_doc *report_view_promoted(const struct report_request *request) {
    struct report_selection shown = request->selection, births = request->selection;
    struct report_query query, born;
    report_selection_show(&shown, REPORT_SHOW_PROMOTED, REPORT_NO_MOMENT);
    report_selection_show(&births, REPORT_SHOW_ALLOC, REPORT_NO_MOMENT);
    if (report_query_start(&query, request->model, &shown, request->error) != 0) return NULL;
    if (report_query_start(&born, request->model, &births, request->error) != 0) {
        report_query_end(&query);
        return NULL;
    }
    report_fold(&query, false);
    report_fold(&born, false);
    struct report_groups *promoted = report_groups_create(&query);
    struct report_groups *all = report_groups_create(&born);
    char *total = report_total_text(&query, &promoted->total.sum);
    struct report_doc *doc = report_doc_create("promoted", "%s, %s", total, query.sentence);
    size_t n = add_sites(doc, &query, promoted, all);
    add_holders(doc, &query, promoted, n);
    add_minor_heap(doc, &born);
    report_note_folded(doc, &query, false);
    report_add_notes(doc, request->model);
    free(total);
    report_groups_free(promoted);
    report_groups_free(all);
    report_query_end(&query);
    report_query_end(&born);
    return doc;
}
