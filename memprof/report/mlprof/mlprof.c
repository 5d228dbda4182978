/* mlprof.c - `bactrian mlprof`: its command line, and the sum of its files. */
#include "memprof/report/mlprof/mlprof.h"

#include "memprof/report/mlprof/mlprof_internal.h"
#include "memprof/report/model/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum option {
#define MLPROF_OPTION(id, name, argument, meaning) OPTION_##id,
#include "memprof/report/mlprof/mlprof.def"
    OPTIONS
};

static const struct row {
    const char *name, *argument, *meaning;
} rows[OPTIONS] = {
#define MLPROF_OPTION(id, name, argument, meaning) {name, argument, meaning},
#include "memprof/report/mlprof/mlprof.def"
};

struct command {
    struct mlprof_options options;
    char *kept;                  /* the expression of -thresh; owned */
    char *title;                 /* owned */
    char **words;                /* of the command line: program, files, NULL */
    REPORT_VECTOR(char *) files; /* owned */
    bool help;
    struct report_error *error;
};

static void print_help(FILE *out) {
    fputs("Usage: bactrian mlprof [OPTIONS] PROGRAM [MLMON.OUT ...]\n"
          "Shows the counts of `bactrian --profile KIND PROGRAM`, summed over the files\n"
          "(default: mlmon.out).\n\nOptions:\n",
          out);
    for (unsigned i = 0; i < OPTIONS; i++) {
        int used = fprintf(out, "  -%s %s", rows[i].name, rows[i].argument);
        fprintf(out, "%*s%s\n", used < 26 ? 26 - used : 1, "", rows[i].meaning);
    }
    fputs("\nEXP is one of\n"
          "  all                       every function\n"
          "  \"REGEX\"                   functions whose name matches\n"
          "  (thresh X)                functions with at least X percent of the total;\n"
          "                            (thresh-stack X): with their callees; (thresh-gc X): of\n"
          "                            the collector's share there\n"
          "  (and EXP ...) (or EXP ...) (not EXP)\n"
          "  (from EXP) (to EXP)       functions that EXP reaches by calls, or that reach EXP\n"
          "  (succ EXP) (pred EXP)     functions that EXP calls directly, or that call EXP "
          "directly\n",
          out);
}

static int take_bool(struct command *c, enum option id, const char *text, bool *out) {
    *out = strcmp(text, "true") == 0;
    if (*out || strcmp(text, "false") == 0) return 0;
    char option[32];
    snprintf(option, sizeof option, "-%s", rows[id].name);
    return report_fail(c->error, option, "give one of true, false", "unknown value \"%s\"", text);
}

static int take_threshold(struct command *c, enum option id, const char *text) {
    free(c->kept);
    c->kept = report_format("(%s %s)", rows[id].name, text);
    c->options.keep = c->kept;
    return 0;
}

static void add_file(struct command *c, const char *path) {
    report_append(&c->files, report_copy(path));
}

/* Adds the files that a file lists. */
static int take_list(struct command *c, const char *path) {
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return report_fail(c->error, path, "give a list of files, one per line", "%s",
                           strerror(errno));
    while (getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] != 0) add_file(c, line);
    }
    free(line);
    fclose(file);
    return 0;
}

static int apply(struct command *c, enum option id, const char *text) {
    bool long_name;
    switch (id) {
    case OPTION_CALL_GRAPH: c->options.call_graph = text; return 0;
    case OPTION_GRAPH_TITLE: c->options.graph_title = text; return 0;
    case OPTION_GRAY: return take_bool(c, id, text, &c->options.gray);
    case OPTION_KEEP: c->options.keep = text; return 0;
    case OPTION_LONG_NAME:
        if (take_bool(c, id, text, &long_name) != 0) return -1;
        c->options.short_name = !long_name;
        return 0;
    case OPTION_MLMON: return take_list(c, text);
    case OPTION_RAW: return take_bool(c, id, text, &c->options.raw);
    case OPTION_SHOW_LINE: return take_bool(c, id, text, &c->options.show_line);
    case OPTION_SPLIT: c->options.split = text; return 0;
    case OPTION_THRESH:
    case OPTION_THRESH_GC:
    case OPTION_THRESH_STACK: return take_threshold(c, id, text);
    default: return take_bool(c, id, text, &c->options.tolerant);
    }
}

/* Parses the options; `words` becomes what follows. */
static int parse(struct command *c, char **words) {
    const char *advice = "`bactrian mlprof -help` lists the options";
    for (; *words != NULL && (*words)[0] == '-'; words += 2) {
        const char *name = *words + 1;
        if (strcmp(name, "help") == 0 || strcmp(name, "-help") == 0) {
            c->help = true;
            return 0;
        }
        unsigned id = 0;
        while (id < OPTIONS && strcmp(rows[id].name, name) != 0) id++;
        if (id == OPTIONS) return report_fail(c->error, *words, advice, "unknown option");
        if (words[1] == NULL)
            return report_fail(c->error, *words, advice, "expected %s", rows[id].argument);
        if (apply(c, id, words[1]) != 0) return -1;
    }
    c->words = words;
    if (*words == NULL) return report_fail(c->error, "", advice, "expected the name of a program");
    for (char **file = words + 1; *file != NULL; file++) add_file(c, *file);
    if (c->files.count == 0) add_file(c, "mlmon.out");
    return 0;
}

/* Reads a file and adds it. first: sum is empty. */
static int add_profile(const char *path, uint32_t magic, bool first, struct mlmon *sum,
                       struct report_error *error) {
    struct mlmon one;
    int failed = mlmon_read(path, &one, error);
    if (failed == 0 && one.magic != magic)
        failed = report_fail(error, path, "give the program that wrote it",
                             "wrong magic number: the file belongs to another program");
    if (failed == 0 && first) {
        *sum = one;
        return 0;
    }
    if (failed == 0) failed = mlmon_merge(sum, &one, path, error);
    mlmon_free(&one);
    return failed;
}

static int add_profiles(struct command *c, uint32_t magic, struct mlmon *sum) {
    size_t read = 0;
    report_each(file, &c->files)
        if (add_profile(*file, magic, read == 0, sum, c->error) == 0) read++;
        else if (!c->options.tolerant) return -1;
    return read > 0 ? 0 : -1;
}

static int show(struct command *c, const struct mlmon *sum, FILE *out) {
    struct mlprof_graph graph;
    const struct mlprof_options *o = &c->options;
    int failed = mlprof_graph_make(sum, o->split, o->short_name, &graph, c->error);
    if (failed == 0) failed = mlprof_keep(&graph, o->keep, c->error);
    if (failed == 0) mlprof_write_table(&graph, o, out);
    if (failed == 0 && o->call_graph != NULL) failed = mlprof_write_graph(&graph, o, c->error);
    mlprof_graph_free(&graph);
    return failed;
}

static int perform(struct command *c, mlprof_magic *magic_of, FILE *out) {
    struct mlmon sum = {.magic = 0};
    uint32_t magic;
    if (c->options.graph_title == NULL)
        c->options.graph_title = c->title = report_format("%s call-graph", c->words[0]);
    int status = magic_of(c->words[0], &magic);
    if (status != 0) return status;
    status = add_profiles(c, magic, &sum);
    if (status == 0) status = show(c, &sum, out);
    mlmon_free(&sum);
    return status;
}

int mlprof_run(char **words, mlprof_magic *magic_of, FILE *out, struct report_error *error) {
    struct command c = {.error = error};
    int status = parse(&c, words);
    if (status == 0 && c.help) print_help(out);
    else if (status == 0) status = perform(&c, magic_of, out);
    report_each(file, &c.files) free(*file);
    report_free(c.files.at, c.kept, c.title);
    return status;
}
