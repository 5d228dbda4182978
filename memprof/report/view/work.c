/* work.c - tables of the view gc: why the collector ran, which functions used CPU time, which
 * modules allocate. */
#include "gc/assert.h"
#include "memprof/report/view/work.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 10, MODULES = 6 };

#define TICK_SECONDS (MP_TICK_NS / 1e9)

/* ---- Causes. ---- */

struct cause {
    const char *name;
    double count, seconds, longest, words;
};

REPORT_COMPARE(by_seconds, struct cause,
               report_order(y->seconds, x->seconds) ?: report_order(x->name, y->name))

void report_add_causes(struct report_doc *doc, const struct report_query *query) {
    struct cause causes[MP_CAUSES] = {{.name = NULL}};
    double run = report_query_length(query) / 1e9;
    bool known = false;
    for (size_t i = 0; i < MP_CAUSES; i++) causes[i].name = mp_cause_name(i);
    report_each(e, &query->model->gc_events) {
        if (e->kind != MP_GC_PAUSE || !report_query_holds(query, e->start)) continue;
        struct cause *c = &causes[e->cause];
        c->count++;
        c->seconds += e->duration / 1e9;
        if (e->duration / 1e9 > c->longest) c->longest = e->duration / 1e9;
        c->words += e->words;
        if (e->cause != MP_CAUSE_UNKNOWN) known = true;
    }
    if (!known) return;
    qsort(causes, MP_CAUSES, sizeof *causes, by_seconds);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "causes", "Why it ran");
    report_table_columns(t, "count", "pauses", "total", "total", "share", "of the time", "max",
                         "max", "words", "words promoted", "name", "cause", NULL);
    for (size_t i = 0; i < MP_CAUSES && causes[i].count > 0; i++)
        report_row(t, 0, report_count(causes[i].count), report_seconds(causes[i].seconds),
                   report_share(run > 0 ? causes[i].seconds / run : 0),
                   report_seconds(causes[i].longest), report_count(causes[i].words),
                   report_text(causes[i].name));
}

/* ---- CPU time. ---- */

struct user {
    const char *name;
    double ticks;
};

REPORT_COMPARE(by_ticks, struct user, report_order(y->ticks, x->ticks) ?: strcmp(x->name, y->name))

void report_add_processor(struct report_doc *doc, const struct report_query *query) {
    const struct report_model *m = query->model;
    if (m->ticks.count == 0) return;
    struct report_keys *keys = report_keys_create(m, REPORT_BY_FUNCTION);
    struct user *users = report_alloc((keys->count + 1) * sizeof *users);
    double all = 0;
    users[keys->count].name = "(the collector)";
    for (size_t i = 0; i < keys->count; i++) users[i].name = keys->texts[i];
    report_each(t, &m->ticks) {
        if (!report_query_holds(query, t->time)) continue;
        users[keys->of_location[m->nodes.at[t->node].location]].ticks += t->running;
        users[keys->count].ticks += t->collecting;
        all += (double)t->running + t->collecting;
    }
    qsort(users, keys->count + 1, sizeof *users, by_ticks);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "processor", "CPU time");
    report_table_columns(t, "seconds", "seconds", "share", "share", "name", "function", NULL);
    size_t rows = report_rows_to_make(t, query->selection, ROWS, 0);
    for (size_t i = 0; i <= keys->count && i < rows && users[i].ticks > 0; i++)
        report_row(t, 0, report_seconds(users[i].ticks * TICK_SECONDS),
                   report_share(users[i].ticks / all), report_text(users[i].name));
    free(users);
    report_keys_free(keys);
}

/* ---- Modules. ---- */

void report_add_rates(struct report_doc *doc, const struct report_query *query) {
    struct report_selection by_module = *query->selection;
    struct report_query modules = *query;
    by_module.by = REPORT_BY_MODULE;
    modules.selection = &by_module;
    double seconds = report_query_length(query) / 1e9;
    struct report_groups *groups = report_groups_create(&modules);
    struct report_table *t = report_doc_table(doc, REPORT_TABLE, "modules", "Allocation by module");
    report_table_columns(t, "share", "share", "bytes", "bytes", "rate", "in a second", "name",
                         "module", NULL);
    size_t rows = report_rows_to_make(t, query->selection, MODULES, 0);
    for (size_t i = 0; i < groups->shown && i < rows; i++) {
        const struct report_group *g = &groups->groups[groups->order[i]];
        struct report_estimate bytes = report_group_estimate(&modules, groups, g);
        report_row(t, 0, report_share(report_group_share(groups, g)),
                   report_interval(REPORT_BYTES, bytes),
                   report_bytes(seconds > 0 ? bytes.value / seconds : 0),
                   report_text(groups->texts[groups->order[i]]));
    }
    report_groups_free(groups);
}
