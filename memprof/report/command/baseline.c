/* baseline.c - what a recorded run changed since an earlier one: for a test, and as Markdown for a
 * pull request.
 *
 * A figure has grown if the difference exceeds both the tolerance and chance: of the figures
 * together, or of the sites of one figure together, at most 5 % of such findings are wrong. */
#include "memprof/report/command/command.h"
#include "memprof/report/load/load.h"
#include "memprof/report/model/text.h"
#include "memprof/report/view/changes.h"
#include "memprof/report/view/views.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARKDOWN_START "<!-- bactrian prof test -->\n"

enum { FIGURES = 3, SITES = 3 };

static const struct {
    const char *what;
    enum report_show show;
    int at;
} figures[FIGURES] = {
    {"allocated", REPORT_SHOW_ALLOC, REPORT_NO_MOMENT},
    {"live at the peak", REPORT_SHOW_LIVE, REPORT_PEAK},
    {"live at the end", REPORT_SHOW_LIVE, REPORT_END},
};

/* ---- Settings. ---- */

static bool same(const char *a, const char *b) {
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* Which setting differs that moves the figures; NULL: none. */
static const char *different_setting(const struct report_model *a, const struct report_model *b) {
    if (!a->origin.own) return "it was not recorded by bactrian";
    if (a->selected) return "it is a selection or a merge";
    if (a->truncated) return "its end is missing";
    if (a->rate != b->rate) return "its --rate is another";
    if (a->live_exact != b->live_exact) return "its --live is another";
    if (a->max_depth != b->max_depth) return "its --max-depth is another";
    if (!same(a->origin.ocaml, b->origin.ocaml)) return "it is of another version of OCaml";
    if (!same(a->runtime_parameters, b->runtime_parameters)) return "its OCAMLRUNPARAM is another";
    return NULL;
}

/* ---- Markdown. ---- */

/* Text of a profile in a cell: nothing in it is markup. */
static void put_text(FILE *out, const char *text) {
    for (; *text != 0; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == 127) c = '?';
        if (c < 128 && strchr("\\`*_{}[]<>()#+-.!|~&", c) != NULL) putc('\\', out);
        putc(c, out);
    }
}

static void put_bytes(FILE *out, double bytes) {
    char text[32];
    report_write_bytes(text, bytes);
    fprintf(out, " %s |", text);
}

static void put_change(FILE *out, const struct report_change *c) {
    double before = c->of[REPORT_BEFORE].value, after = c->of[REPORT_AFTER].value;
    put_bytes(out, before);
    put_bytes(out, after);
    if (before > 0) fprintf(out, " %+.1f %% |", 100 * (after - before) / before);
    else fputs(after > 0 ? " new |" : " - |", out);
}

/* The site, with a link to its line. */
static void put_site(FILE *out, const struct report_model *model, const struct report_change *c) {
    const struct report_location *l = &model->locations.at[c->location];
    const char *file = model->names.at[l->file];
    bool linked = c->location != 0 && l->line > 0 && file[0] != '/' &&
                  file[strspn(file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_-./")] == 0;
    if (linked) putc('[', out);
    put_text(out, c->name);
    if (linked) fprintf(out, "](%s#L%d)", file, l->line);
}

static void put_sites(FILE *out, const struct report_model *model, const char *what,
                      const struct report_changes *changes) {
    size_t n = 0;
    while (n < changes->count && n < SITES && changes->rows[n].certain) n++;
    if (n == 0) return;
    fprintf(out, "\n| %s, by site | before | after | change |\n|---|---:|---:|---:|\n", what);
    for (size_t i = 0; i < n; i++) {
        fputs("| ", out);
        put_site(out, model, &changes->rows[i]);
        fputs(" |", out);
        put_change(out, &changes->rows[i]);
        putc('\n', out);
    }
}

/* ---- The comparison. ---- */

static int compare(const struct report_model *const models[2], int figure,
                   struct report_changes **changes, struct report_error *error) {
    struct report_query queries[2];
    struct report_groups *groups[2];
    struct report_selection selection = {.by = REPORT_BY_SITE};
    report_selection_show(&selection, figures[figure].show, figures[figure].at);
    for (int side = 0; side < 2; side++)
        if (report_query_start(&queries[side], models[side], &selection, error) != 0) {
            if (side == 1) report_query_end(&queries[0]);
            return -1;
        }
    for (int side = 0; side < 2; side++) {
        if (figures[figure].show == REPORT_SHOW_LIVE) report_fold(&queries[side], false);
        groups[side] = report_groups_create(&queries[side]);
    }
    *changes = report_changes_create(queries, groups);
    for (int side = 0; side < 2; side++) {
        report_groups_free(groups[side]);
        report_query_end(&queries[side]);
    }
    return 0;
}

/* Whether it is more than before, beyond chance and tolerance. */
static bool has_grown(const struct report_change *c, double tolerance) {
    double before = c->of[REPORT_BEFORE].value, after = c->of[REPORT_AFTER].value;
    return c->certain && after > before * (1 + tolerance);
}

static const char *verdict(const struct report_change *c, double tolerance) {
    double before = c->of[REPORT_BEFORE].value, after = c->of[REPORT_AFTER].value;
    if (c->certain && fabs(after - before) <= tolerance * before) return "within the tolerance";
    return report_change_text(c);
}

static void put_all(FILE *out, const struct report_model *after,
                    const struct report_change totals[FIGURES],
                    struct report_changes *const changes[FIGURES], double tolerance) {
    fputs(MARKDOWN_START "### Memory: ", out);
    put_text(out, after->program);
    fputs("\n\n| | before | after | change | real? |\n|---|---:|---:|---:|---|\n", out);
    for (int i = 0; i < FIGURES; i++) {
        fprintf(out, "| %s |", totals[i].name);
        put_change(out, &totals[i]);
        fprintf(out, " %s |\n", verdict(&totals[i], tolerance));
    }
    for (int i = 0; i < FIGURES; i++) put_sites(out, after, figures[i].what, changes[i]);
}

static int write_markdown(const struct report_baseline *b, const struct report_model *after,
                          const struct report_change totals[FIGURES],
                          struct report_changes *const changes[FIGURES],
                          struct report_error *error) {
    struct mp_output output;
    int problem = mp_output_open(&output, b->markdown, "<!-- bactrian prof test -->*", b->replace);
    FILE *out = problem == 0 ? fdopen(output.fd, "wb") : NULL;
    if (out != NULL) {
        put_all(out, after, totals, changes, b->tolerance);
        problem = ferror(out) ? EIO : 0;
        if (fclose(out) != 0 && problem == 0) problem = errno;
    }
    if (problem == 0) problem = mp_output_publish(&output);
    if (problem != 0) mp_output_discard(&output);
    mp_output_free(&output);
    return problem == 0 ? 0
                        : report_fail(error, b->markdown, mp_output_advice(problem), "%s",
                                      mp_output_problem(problem));
}

/* Reports the figures, in the order of `figures`. Returns how many have grown. */
static int print_figures(const struct report_change totals[FIGURES], double tolerance, bool verbose,
                         FILE *out) {
    int grown = 0;
    for (int i = 0; i < FIGURES; i++) {
        char before[32], after[32];
        bool grew = has_grown(&totals[i], tolerance);
        report_write_bytes(before, totals[i].of[REPORT_BEFORE].value);
        report_write_bytes(after, totals[i].of[REPORT_AFTER].value);
        grown += grew;
        if (grew || verbose)
            fprintf(out, "bactrian: --baseline: %s %s, before %s: %s\n", after, totals[i].name,
                    before, grew ? "more than before" : "no more than before");
    }
    return grown;
}

static int judge(const struct report_baseline *b, const struct report_model *const models[2],
                 bool verbose, FILE *out, struct report_error *error) {
    struct report_changes *changes[FIGURES] = {NULL};
    struct report_change totals[FIGURES];
    int status = 0;
    for (int i = 0; i < FIGURES && status == 0; i++) {
        status = compare(models, i, &changes[i], error);
        if (status != 0) break;
        totals[i] = changes[i]->total;
        totals[i].name = (char *)figures[i].what;
    }
    if (status == 0) {
        report_changes_judge(totals, FIGURES);
        if (b->markdown != NULL)
            status = write_markdown(b, models[REPORT_AFTER], totals, changes, error);
    }
    if (status == 0) status = print_figures(totals, b->tolerance, verbose, out);
    for (int i = 0; i < FIGURES; i++)
        if (changes[i] != NULL) report_changes_free(changes[i]);
    return status;
}

int report_check_baseline(const char *path, const struct report_baseline *baseline, bool verbose,
                          FILE *out, struct report_error *error) {
    const char *paths[2] = {baseline->path, path};
    struct report_model *models[2] = {report_load(paths[0], error), NULL};
    int status = -1;
    if (models[0] == NULL) return -1;
    models[1] = report_load(paths[1], error);
    const char *other = models[1] == NULL ? NULL : different_setting(models[0], models[1]);
    if (other != NULL)
        report_fail(error, baseline->path, "record it again as this test does (-o FILE)",
                    "cannot be compared: %s", other);
    else if (models[1] != NULL)
        status = judge(baseline, (const struct report_model *const *)models, verbose, out, error);
    report_model_free(models[0]);
    report_model_free(models[1]);
    return status;
}
