/* actions.c - the verbs that write files: export, trim, merge, anonymise. */
#include "memprof/report/command.h"
#include "memprof/report/load.h"
#include "memprof/report/memory.h"

#include <stdlib.h>
#include <string.h>

struct format {
    const char *name;
    report_export *function;
    const char *meaning;
};

static const struct format formats[] = {
#define FORMAT(name, function, meaning) {name, function, meaning},
#include "memprof/report/export_formats.def"
    {NULL, NULL, NULL},
};

const char *report_format_names(void) {
#define FORMAT(name, function, meaning) " " name
    static const char names[] = ""
#include "memprof/report/export_formats.def"
        ;
    return names + 1;
}

int report_write_export(const struct report_command *command, FILE *out,
                        struct report_error *error) {
    char advice[200];
    snprintf(advice, sizeof advice, "give one of: %s", report_format_names());
    if (command->format == NULL)
        return report_fail(error, "--to", advice, "the format to write is missing");
    for (const struct format *f = formats; f->name != NULL; f++)
        if (strcmp(f->name, command->format) == 0)
            return f->function(&command->request, out, error);
    return report_fail(error, "--to", advice, "the format `%s` is unknown", command->format);
}

int report_write_trim(const struct report_command *command, FILE *out, struct report_error *error) {
    return report_export_memtrace(&command->request, out, error);
}

/* Adds all of a profile to another, its start at `offset`. */
static void append(struct report_model *to, const struct report_model *from, int64_t offset) {
    uint32_t *locations = report_alloc(from->location_count * sizeof *locations);
    uint32_t *nodes = report_alloc(from->node_count * sizeof *nodes);
    for (size_t i = 0; i < from->location_count; i++) {
        struct report_location l = from->locations[i];
        l.file = report_model_name(to, from->names[l.file]);
        l.function = report_model_name(to, from->names[l.function]);
        locations[i] = report_model_location(to, &l);
    }
    for (size_t i = 1; i < from->node_count; i++)
        nodes[i] = report_model_push(to, nodes[from->nodes[i].parent],
                                     locations[from->nodes[i].location]);
    for (size_t i = 0; i < from->sample_count; i++) {
        struct report_sample s = from->samples[i];
        s.node = nodes[s.node];
        s.born += offset;
        if (s.promoted != REPORT_NEVER) s.promoted += offset;
        if (s.died != REPORT_NEVER) s.died += offset;
        report_model_sample(to, &s);
    }
    free(locations);
    free(nodes);
}

/* The first profile's description: a merged one has only what holds for all. */
static void describe(struct report_model *to, const struct report_model *from) {
    free(to->program);
    free(to->host);
    to->program = report_copy(from->program);
    to->host = report_copy(from->host);
    to->rate = from->rate;
    to->word_bytes = from->word_bytes;
    to->pid = from->pid;
    to->epoch_us = from->epoch_us;
}

int report_write_merge(const struct report_command *command, FILE *out,
                       struct report_error *error) {
    struct report_request request = command->request;
    struct report_model *merged = report_model_create();
    int status = 0;
    int64_t offset = 0;
    for (size_t i = 0; i < command->file_count && status == 0; i++) {
        struct report_model *m = report_load(command->files[i], error);
        if (m == NULL) status = -1;
        else if (i == 0) describe(merged, m);
        else if (m->rate != merged->rate || m->word_bytes != merged->word_bytes)
            status = report_fail(
                error, command->files[i], "merge profiles that were recorded with the same --rate",
                "its sampling rate %g is not the first one's %g", m->rate, merged->rate);
        if (status == 0) {
            append(merged, m, offset);
            offset += m->end + 1000; /* one run behind the other */
        }
        report_model_free(m);
    }
    report_model_finish(merged);
    request.model = merged;
    request.path = command->files[0];
    if (status == 0) status = report_export_memtrace(&request, out, error);
    report_model_free(merged);
    return status;
}

/* Replaces each name by its number: what is equal stays equal, and nothing else can be told. */
int report_write_anonymous(const struct report_command *command, FILE *out,
                           struct report_error *error) {
    struct report_request request = command->request;
    struct report_model *m = report_model_create();
    const struct report_model *from = command->request.model;
    describe(m, from);
    append(m, from, 0);
    free(m->program);
    free(m->host);
    m->program = report_copy("anonymous");
    m->host = report_copy("");
    m->pid = 1;
    size_t file_count = 0, function_count = 0;
    uint32_t *files = report_alloc(m->name_count * sizeof *files);
    uint32_t *functions = report_alloc(m->name_count * sizeof *functions);
    for (size_t i = 0; i < m->location_count; i++) {
        struct report_location *l = &m->locations[i];
        if (l->file != 0 && files[l->file] == 0) {
            char *name = report_format("file%zu.ml", ++file_count);
            files[l->file] = report_model_name(m, name);
            free(name);
        }
        if (l->function != 0 && functions[l->function] == 0) {
            char *name = report_format("function%zu", ++function_count);
            functions[l->function] = report_model_name(m, name);
            free(name);
        }
        if (l->file != 0) l->file = files[l->file];
        if (l->function != 0) l->function = functions[l->function];
    }
    free(files);
    free(functions);
    report_model_finish(m);
    request.model = m;
    int status = report_export_memtrace(&request, out, error);
    report_model_free(m);
    return status;
}
