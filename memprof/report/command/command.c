/* command.c - performs a verb: loads the profiles, computes, writes. */
#include "memprof/report/command/command.h"

#include "gc/assert.h"
#include "memprof/format/output.h"
#include "memprof/format/printable.h"
#include "memprof/format/record.h"
#include "memprof/report/advice/advice.h"
#include "memprof/report/command/options.h"
#include "memprof/report/export/export.h"
#include "memprof/report/heap/heap.h"
#include "memprof/report/load/load.h"
#include "memprof/report/page/page.h"
#include "memprof/report/write/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of call stacks, in formats that spell them out; a trace has one for each sample. */
enum {
    MOST_NODES = 100000,
    MOST_FRAMES = 500,
    TOTAL_FRAMES = 8000000,
    MOST_NODES_OF_TRACE = 2000000,
    MOST_FRAMES_OF_TRACE = 2800,
    TOTAL_FRAMES_OF_TRACE = 200000000,
};

/* What a view loads itself, if it is there: the only file or both, which are heap snapshots, the
 * second one of a profile, any of these, or the second profile. */
enum loads { LOADS_NOTHING, LOADS_FIRST, LOADS_BOTH, LOADS_SECOND, LOADS_ANY, LOADS_PAIR };

/* A verb has a view or a writer; export has that of its format, check has neither. */
struct verb {
    const char *name;
    report_view *view;
    report_writer *writer;
    int files, operands, more; /* more: profiles that may follow; of a view: snapshots */
    unsigned takes;
    const char *arguments, *meaning;
    const char *start; /* of what the writer writes */
    enum loads loads;
};

static const struct verb verbs[] = {
#define VIEW(name, function, files, takes, arguments, meaning) \
    {name, function, NULL, files, 0, 0, takes, arguments, meaning, NULL, LOADS_NOTHING},
#define LOOKUP(name, function, files, takes, arguments, meaning) \
    {name, function, NULL, files, 1, 0, takes, arguments, meaning, NULL, LOADS_NOTHING},
#define SNAPSHOT(name, function, operands, takes, arguments, meaning) \
    {name, function, NULL, 1, operands, 0, takes, arguments, meaning, NULL, LOADS_FIRST},
#define SNAPSHOTS(name, function, takes, arguments, meaning) \
    {name, function, NULL, 1, 0, 1, takes, arguments, meaning, NULL, LOADS_BOTH},
#define WITH_SNAPSHOT(name, function, takes, arguments, meaning) \
    {name, function, NULL, 1, 0, 1, takes, arguments, meaning, NULL, LOADS_SECOND},
#define OF_EITHER(name, function, takes, arguments, meaning) \
    {name, function, NULL, 1, 0, 1, takes, arguments, meaning, NULL, LOADS_ANY},
#define PAIR(name, function, takes, arguments, meaning) \
    {name, function, NULL, 2, 0, 0, takes, arguments, meaning, NULL, LOADS_PAIR},
#define WRITER(name, function, start, files, takes, arguments, meaning) \
    WRITER_OF_MORE(name, function, start, files, 0, takes, arguments, meaning)
#define WRITER_OF_MORE(name, function, start, files, more, takes, arguments, meaning) \
    {name, NULL, function, files, 0, more, takes, arguments, meaning, start, LOADS_NOTHING},
#include "memprof/report/command/verbs.def"
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static const struct format {
    const char *name;
    report_writer *writer;
    unsigned takes;
    bool spells_stacks;
    const char *start; /* of what it writes */
} formats[] = {
#define FORMAT(name, function, stacks, start, takes, meaning) \
    {name, function, takes, stacks, start},
#include "memprof/report/export/formats.def"
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const char format_names[] = ""
#define FORMAT(name, function, stacks, start, takes, meaning) " " name
#include "memprof/report/export/formats.def"
    ;

/* A command as it is performed. */
struct run {
    struct report_command command;
    const struct verb *verb;
    report_writer *writer;            /* of the verb, or of the format */
    const char *start;                /* of what is written; NULL: it is not recognised */
    struct report_model *models[2];   /* loaded for this command */
    const struct report_model *given; /* loaded before; NULL: none */
    const char *given_path;
    char *newest;     /* owned; given_path, where none was given */
    char **own_files; /* the files, if they are not the command line's array */
    FILE *out;
    struct report_style style;
    bool terminal;
    struct report_error *error;
};

static const struct verb *find_verb(const char *name) {
    for (const struct verb *v = verbs; v < verbs + VERBS; v++)
        if (strcmp(v->name, name) == 0) return v;
    return NULL;
}

static bool is_export(const struct verb *verb) { return (verb->takes & TAKES_FORMAT) != 0; }

/* The kinds of options that a verb takes; of export, with any format. */
static unsigned takes_of(const struct verb *verb) {
    unsigned takes = verb->takes;
    for (size_t i = 0; is_export(verb) && i < FORMATS; i++) takes |= formats[i].takes;
    return takes;
}

static size_t files_needed(const struct verb *verb) { return abs(verb->files) + verb->operands; }

/* What is missing after that number of words. */
static const char *expected_word(const struct verb *verb, size_t given) {
    size_t files = abs(verb->files);
    if (given >= files)
        return verb->loads == LOADS_FIRST ? "the kind of the blocks"
                                          : "the file or function to show";
    if (verb->loads == LOADS_FIRST) return "the snapshot to read";
    if (verb->files < -1) return "at least two profiles to read";
    return files > 1 ? "two profiles to read" : "the profile to read";
}

static int check_files(const struct run *r) {
    const struct verb *verb = r->verb;
    size_t needed = files_needed(verb), given = r->command.file_count;
    char usage[200];
    snprintf(usage, sizeof usage, "usage: `bactrian prof %s %s`", verb->name, verb->arguments);
    if (given < needed)
        return report_fail(r->error, verb->name, usage, "expected %s", expected_word(verb, given));
    if (verb->files > 0 && given > needed + verb->more)
        return report_fail(r->error, r->command.files[needed + verb->more], usage,
                           "one file too many");
    return 0;
}

/* Finds the writer of export's format. */
static int choose_format(struct run *r) {
    static const char hint[] = "the formats are listed by `bactrian help prof export`";
    const char *name = r->command.format;
    char user[40];
    if (name == NULL)
        return report_fail(r->error, "--to", hint, "expected one of:%s", format_names);
    for (const struct format *f = formats; f < formats + FORMATS; f++) {
        if (strcmp(f->name, name) != 0) continue;
        r->writer = f->writer;
        r->start = f->start;
        snprintf(user, sizeof user, "export --to %s", name);
        return report_refuse_options(&r->command, r->verb->takes | f->takes, user, r->error);
    }
    return report_fail(r->error, "--to", hint, "expected one of:%s, got \"%s\"", format_names,
                       name);
}

static bool spells_stacks(report_writer *writer) {
    for (const struct format *f = formats; f < formats + FORMATS; f++)
        if (f->writer == writer) return f->spells_stacks;
    return false;
}

/* Bounds the call stacks that export spells out. Selectors apply to whole stacks, so they come
 * first. */
static int fold_stacks(struct run *r) {
    struct report_model *model = r->models[0];
    bool spells = spells_stacks(r->writer);
    if (!spells && r->writer != report_write_memtrace) return 0;
    if (report_query_exclude(model, &r->command.request.selection, r->error) != 0) return -1;
    if (spells) {
        report_model_fold(model, MOST_NODES);
        report_model_shorten(model, MOST_FRAMES, TOTAL_FRAMES, true);
    } else {
        report_model_fold(model, MOST_NODES_OF_TRACE);
        report_model_shorten(model, MOST_FRAMES_OF_TRACE, TOTAL_FRAMES_OF_TRACE, false);
    }
    return 0;
}

/* The number of files to load here; the view loads the others. */
static size_t files_to_load(const struct run *r) {
    const size_t files = r->command.file_count;
    if (r->verb->files < 0) return 0;
    switch (r->verb->loads) {
    case LOADS_FIRST: return 0;
    case LOADS_BOTH: return files > 1 ? 0 : 1;
    case LOADS_NOTHING: return r->verb->more > 0 ? files : (size_t)r->verb->files;
    default: return 1;
    }
}

/* Whether the only file is a snapshot, and the verb reads it alone. Selectors are about profiles.
 * Fails: -1 and *error. */
static int check_alone(const struct run *r) {
    const struct report_command *c = &r->command;
    char user[60];
    if (r->verb->loads != LOADS_ANY || !report_is_snapshot(c->files[0])) return -1;
    snprintf(user, sizeof user, "%s of a heap snapshot alone", r->verb->name);
    if (c->file_count > 1)
        return report_fail(r->error, c->files[0], "give the recording first, then its snapshot",
                           "this is a heap snapshot");
    return report_refuse_options(c, r->verb->takes & ~TAKES_PART, user, r->error);
}

static int load(struct run *r) {
    struct report_command *c = &r->command;
    const size_t count = files_to_load(r);
    bool given = r->given != NULL && c->files[0] == r->given_path && !is_export(r->verb);
    for (size_t i = given; i < count; i++) { /* export changes its profile */
        r->models[i] = report_load(c->files[i], r->error);
        if (r->models[i] == NULL && check_alone(r) != 0) return -1;
        if (c->running && r->models[i] != NULL) r->models[i]->truncated = false;
    }
    c->request.model = given ? r->given : r->models[0];
    c->request.own_model = r->models[0];
    c->request.path = c->files[0];
    c->request.operand = r->verb->operands > 0 ? c->files[r->verb->files] : NULL;
    c->request.other = r->models[1];
    c->request.other_path = r->verb->operands == 0 && c->file_count > 1 ? c->files[1] : NULL;
    c->request.files = c->files;
    c->request.file_count = c->file_count;
    return 0;
}

/* Returns 0, or 1 if `check` found violations, or -1 and *error. */
static int perform(const struct run *r, FILE *out) {
    const struct report_command *c = &r->command;
    size_t errors = 0;
    if (r->writer != NULL) return r->writer(&c->request, out);
    struct report_doc *doc = r->verb->view != NULL ? report_compute(r->verb->view, &c->request)
                                                   : report_check(c->files[0], &errors, r->error);
    if (doc == NULL) return -1;
    if (c->json) report_doc_write_json(doc, out);
    else if (c->csv) report_doc_write_csv(doc, out);
    else if (c->lsp) report_doc_write_lsp(doc, out);
    else report_doc_write_text(doc, &r->style, out);
    report_doc_free(doc);
    return errors > 0;
}

static int refuse_output(const struct run *r, int problem) {
    return report_fail(r->error, r->command.output, mp_output_advice(problem), "%s",
                       mp_output_problem(problem));
}

/* Performs, and closes the file. Returns as perform does. */
static int perform_and_close(struct run *r, FILE *out) {
    int status = perform(r, out);
    bool failed = ferror(out) != 0;
    char *subject = r->error->subject;
    if (status < 0 && subject[0] == 0)
        snprintf(subject, sizeof r->error->subject, "%s", r->command.output);
    if ((fclose(out) == 0 && !failed) || status < 0) return status;
    return refuse_output(r, errno);
}

/* Writes --output. A failure leaves no partial file, and a profile can be replaced by a part of
 * itself. */
static int perform_into(struct run *r) {
    struct mp_output output;
    enum mp_replace how = r->command.force ? MP_REPLACE_ANY : MP_REPLACE_OUTPUT;
    r->style = (struct report_style){r->command.color, 100};
    int problem = mp_output_open(&output, r->command.output, r->start, how);
    FILE *out = problem == 0 ? fdopen(output.fd, "wb") : NULL;
    if (problem == 0 && out == NULL) {
        problem = errno;
        close(output.fd);
    }
    int status = problem == 0 ? perform_and_close(r, out) : refuse_output(r, problem);
    if (status >= 0 && (problem = mp_output_publish(&output)) != 0)
        status = refuse_output(r, problem);
    if (status < 0) mp_output_discard(&output);
    mp_output_free(&output);
    return status;
}

/* A verb that reads one profile, and has none on its line, reads the newest recording. */
static void find_newest(struct run *r) {
    const struct report_command *c = &r->command;
    if (r->given_path != NULL || r->verb->files != 1 || r->verb->loads == LOADS_FIRST ||
        c->file_count + 1 != files_needed(r->verb) ||
        (c->file_count > 0 && mp_starts_as(c->files[0], MP_FILE_MAGIC "*")))
        return;
    r->newest = report_newest_recording();
    if (r->newest == NULL) return;
    r->given_path = r->newest;
    fputs("bactrian: the newest recording here: ", stderr);
    mp_put_printable(stderr, r->newest, '?');
    fputc('\n', stderr);
}

/* Puts the given profile in front of the files, if one is missing. */
static void add_given(struct run *r) {
    struct report_command *c = &r->command;
    if (r->given_path == NULL || c->file_count >= files_needed(r->verb)) return;
    r->own_files = report_alloc((c->file_count + 1) * sizeof *r->own_files);
    r->own_files[0] = (char *)r->given_path;
    for (size_t i = 0; i < c->file_count; i++) r->own_files[i + 1] = c->files[i];
    c->files = r->own_files;
    c->file_count++;
}

static int run(struct run *r) {
    struct report_command *c = &r->command;
    const struct verb *verb = r->verb;
    ASSERT(verb->view == NULL || verb->writer == NULL);
    find_newest(r);
    add_given(r);
    r->style.color = (r->terminal || c->color) && !c->no_color;
    r->writer = verb->writer;
    r->start = c->json ? "{\"view\":\"*" : verb->start;
    if (check_files(r) != 0 || report_refuse_options(c, takes_of(verb), verb->name, r->error) != 0)
        return -1;
    if ((verb->writer != NULL || is_export(verb)) && c->output == NULL && r->terminal)
        return report_fail(r->error, verb->name, "add -o FILE, or -o - for the terminal",
                           "the output is not meant for a terminal");
    if (is_export(verb) && choose_format(r) != 0) return -1;
    bool checking = verb->view == NULL && r->writer == NULL;
    if (!checking && load(r) != 0) return -1;
    if (is_export(verb) && fold_stacks(r) != 0) return -1;
    return c->output != NULL && strcmp(c->output, "-") != 0 ? perform_into(r) : perform(r, r->out);
}

int report_run_on(const struct report_model *model, const char *path, char **words, FILE *out,
                  bool terminal, unsigned columns, struct report_error *error) {
    struct run r = {.command = {.verb = words[0], .request.error = error},
                    .verb = find_verb(words[0]),
                    .given = model,
                    .given_path = path,
                    .out = out,
                    .style = {false, columns > 20 ? columns : 100},
                    .terminal = terminal,
                    .error = error};
    if (r.verb == NULL)
        return report_fail(error, words[0], "`bactrian help prof` lists the verbs", "no such verb");
    int status = report_parse(words + 1, &r.command, error);
    if (status == 0) status = run(&r);
    report_free(r.own_files, r.newest);
    report_model_free(r.models[0]);
    report_model_free(r.models[1]);
    return status;
}
