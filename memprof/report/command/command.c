/* command.c - performs a verb: loads the profiles, computes, writes. */
#include "memprof/report/command/command.h"

#include "memprof/report/command/options.h"
#include "memprof/report/command/takes.h"
#include "memprof/report/load/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct verb {
    const char *name;
    report_view *view; /* or */
    report_action *action;
    int files, operands;
    unsigned takes;
    const char *arguments, *meaning;
};

static const struct verb verbs[] = {
#define VIEW(name, function, files, takes, arguments, meaning) \
    {name, function, NULL, files, 0, takes, arguments, meaning},
#define LOOKUP(name, function, files, takes, arguments, meaning) \
    {name, function, NULL, files, 1, takes, arguments, meaning},
#define ACTION(name, function, files, takes, arguments, meaning) \
    {name, NULL, function, files, 0, takes, arguments, meaning},
#include "memprof/report/command/verbs.def"
    {"check", NULL, NULL, 1, 0, TAKES_JSON | TAKES_COLOR | TAKES_OUTPUT, "FILE",
     "every rule of its format that a file violates"},
    {NULL, NULL, NULL, 0, 0, 0, NULL, NULL},
};

void report_print_help(FILE *out) {
    fputs("Verbs that read a profile (of `bactrian prof record` or of memtrace):\n", out);
    for (const struct verb *v = verbs; v->name != NULL; v++)
        fprintf(out, "  %s %s\n      %s\n", v->name, v->arguments, v->meaning);
    fprintf(out, "\nFormats of export: %s\n\n", report_format_names());
    report_print_options(~0u, out);
}

static const struct verb *find_verb(const char *name) {
    for (const struct verb *v = verbs; v->name != NULL; v++)
        if (strcmp(v->name, name) == 0) return v;
    return NULL;
}

/* Kinds of options that the verb takes; of export, in any format. */
static unsigned takes_of(const struct verb *verb) {
    return verb->takes | (verb->action == report_write_export ? report_format_takes() : 0);
}

static int check_files(const struct report_command *c, const struct verb *verb,
                       struct report_error *error) {
    size_t needed = abs(verb->files) + verb->operands;
    char usage[200];
    snprintf(usage, sizeof usage, "say `bactrian prof %s %s`", verb->name, verb->arguments);
    if (c->file_count < needed)
        return report_fail(error, verb->name, usage,
                           c->file_count == needed - 1 && verb->operands > 0
                               ? "the file or function to show is missing"
                               : "the profile to read is missing");
    if (verb->files > 0 && c->file_count > needed)
        return report_fail(error, c->files[needed], usage, "one file too many");
    return 0;
}

static int load(struct report_command *c, const struct verb *verb, struct report_error *error) {
    size_t count = verb->files < 0 ? 0 : verb->files; /* merge loads its own */
    /* Export folds stacks in the profile that it gets. */
    bool given = c->given != NULL && c->files[0] == c->given_path &&
                 verb->action != report_write_export;
    for (size_t i = given; i < count; i++) {
        c->models[i] = report_load(c->files[i], error);
        if (c->models[i] == NULL) return -1;
        if (c->running) c->models[i]->truncated = false;
    }
    c->request.model = given ? c->given : c->models[0];
    c->request.path = c->files[0];
    c->request.operand = verb->operands > 0 ? c->files[count] : NULL;
    c->request.other = c->models[1];
    c->request.other_path = count > 1 ? c->files[1] : NULL;
    return 0;
}

static int perform(const struct report_command *c, const struct verb *verb,
                   const struct report_style *style, FILE *out, struct report_error *error) {
    if (verb->action != NULL) return verb->action(c, out, error);
    if (verb->view == NULL) return report_check(c->files[0], c->json, style, out, error);
    struct report_doc *doc = report_compute(verb->view, &c->request, error);
    if (doc == NULL) return -1;
    if (c->json) report_doc_write_json(doc, out);
    else if (c->csv) report_doc_write_csv(doc, out);
    else report_doc_write_text(doc, style, out);
    report_doc_free(doc);
    return 0;
}

/* Writes to a new file beside the one asked for and renames it, so that a failure leaves no half
 * of a file, and a trace can be replaced by a part of itself. */
static int perform_into(const struct report_command *c, const struct verb *verb,
                        struct report_error *error) {
    const struct report_style style = {c->color, 100};
    const char *advice = "check the folder, its rights and the space left";
    char *name = report_format("%s.part", c->output);
    FILE *out = fopen(name, "wb");
    int status = -1;
    if (out == NULL) {
        report_fail(error, c->output, advice, "%s", strerror(errno));
    } else {
        status = perform(c, verb, &style, out, error);
        bool failed = ferror(out) != 0;
        if ((fclose(out) != 0 || failed) && status >= 0)
            status = report_fail(error, c->output, advice, "%s", strerror(errno));
        if (status >= 0 && rename(name, c->output) != 0)
            status = report_fail(error, c->output, advice, "%s", strerror(errno));
        if (status < 0) remove(name);
    }
    free(name);
    return status;
}

static int run(struct report_command *c, const struct verb *verb, FILE *out, bool terminal,
               unsigned columns, struct report_error *error) {
    const struct report_style style = {(terminal || c->color) && !c->no_color,
                                       columns > 20 ? columns : 100};
    if (check_files(c, verb, error) != 0 ||
        report_refuse_options(c, takes_of(verb), verb->name, error) != 0)
        return -1;
    bool to_file = c->output != NULL && strcmp(c->output, "-") != 0;
    bool checking = verb->view == NULL && verb->action == NULL;
    if (verb->action != NULL && c->output == NULL && terminal)
        return report_fail(error, verb->name, "add -o FILE, or -o - for the terminal after all",
                           "the output is not for a terminal");
    if (!checking && load(c, verb, error) != 0) return -1;
    if (to_file) return perform_into(c, verb, error);
    return perform(c, verb, &style, out, error);
}

/* Puts the profile that is loaded in front of the files, if one is missing. */
static void add_given(struct report_command *c, const struct verb *verb) {
    if (c->given == NULL || c->file_count >= (size_t)(abs(verb->files) + verb->operands)) return;
    c->own_files = report_alloc((c->file_count + 1) * sizeof *c->own_files);
    c->own_files[0] = (char *)c->given_path;
    for (size_t i = 0; i < c->file_count; i++) c->own_files[i + 1] = c->files[i];
    c->files = c->own_files;
    c->file_count++;
}

int report_run(char **words, FILE *out, bool terminal, unsigned columns,
               struct report_error *error) {
    return report_run_on(NULL, NULL, words, out, terminal, columns, error);
}

int report_run_on(const struct report_model *model, const char *path, char **words, FILE *out,
                  bool terminal, unsigned columns, struct report_error *error) {
    struct report_command c = {.verb = words[0], .given = model, .given_path = path};
    const struct verb *verb = find_verb(words[0]);
    int status = -1;
    if (verb == NULL)
        return report_fail(error, words[0], "`bactrian prof --help` lists the verbs",
                           "no such verb");
    if (report_parse(words + 1, &c, error) == 0) {
        if (c.help) {
            fprintf(out, "Usage: bactrian prof %s [OPTIONS] %s\n%s\n\n", verb->name,
                    verb->arguments, verb->meaning);
            report_print_options(takes_of(verb), out);
            status = 0;
        } else {
            c.takes = verb->takes;
            add_given(&c, verb);
            status = run(&c, verb, out, terminal, columns, error);
        }
    }
    free(c.own_files);
    report_model_free(c.models[0]);
    report_model_free(c.models[1]);
    return status;
}
