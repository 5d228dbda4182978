/* sources.c - the source files in the HTML report (--embed-source); source.js shows them.
 *
 *   zlib( JSON: {"files": [["NAME", "TEXT"], ...], "left_out": NUMBER} )
 *
 * A file is found and opened as `annotate` does. The files come in the order of what is allocated
 * through their lines. One that would exceed the limit is left out, and so is one with a byte of
 * 0, which is no text. */
#include "memprof/report/page/page.h"

#include "memprof/report/model/text.h"
#include "memprof/report/view/source.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT_BYTES = 4 << 20 }; /* of all files; about 1 MB in the page */

struct source {
    uint32_t name;
    double hits; /* of the line through which most is allocated */
};

REPORT_COMPARE(by_hits, struct source,
               report_order(y->hits, x->hits) ?: report_order(x->name, y->name))

/* Lists the files that have lines of nodes with samples. Returns their number; freed with
 * free(). */
static size_t list_sources(const struct report_model *m, struct source **out) {
    double *below = report_alloc(m->nodes.count * sizeof *below);
    double *most = report_alloc(m->names.count * sizeof *most);
    size_t count = 0;
    report_each_sample(s, m) if (!s->excluded) below[s->node] += s->hits;
    for (size_t i = m->nodes.count - 1; i > 0; i--) {
        const struct report_location *l = &m->locations.at[m->nodes.at[i].location];
        below[m->nodes.at[i].parent] += below[i];
        if (l->line > 0 && below[i] > most[l->file]) most[l->file] = below[i];
    }
    *out = report_alloc(m->names.count * sizeof **out);
    for (size_t i = 0; i < m->names.count; i++)
        if (most[i] > 0) (*out)[count++] = (struct source){i, most[i]};
    if (count > 0) qsort(*out, count, sizeof **out, by_hits);
    report_free(below, most);
    return count;
}

/* Reads a text of at most `limit` bytes; freed with free(). NULL: it is longer, or no text. */
static char *read_text(FILE *file, size_t limit) {
    char *text = report_alloc(limit + 2);
    size_t length = fread(text, 1, limit + 1, file);
    if (length <= limit && memchr(text, 0, length) == NULL && !ferror(file)) return text;
    free(text);
    return NULL;
}

/* Writes the files to the JSON. */
static void put_files(const struct report_request *request, FILE *json) {
    const struct report_model *m = request->model;
    size_t left = MOST_TEXT_BYTES, left_out = 0;
    struct source *sources;
    size_t count = list_sources(m, &sources);
    const char *comma = "";
    fputs("{\"files\":[", json);
    for (size_t i = 0; i < count; i++) {
        const char *name = m->names.at[sources[i].name];
        FILE *file = report_open_source(request->source, name);
        if (file == NULL) continue;
        char *text = read_text(file, left);
        fclose(file);
        if (text == NULL) {
            left_out++;
            continue;
        }
        fprintf(json, "%s[", comma);
        report_write_json_string(name, json);
        putc(',', json);
        report_write_json_string(text, json);
        putc(']', json);
        left -= strlen(text);
        comma = ",";
        free(text);
    }
    fprintf(json, "],\"left_out\":%zu}", left_out);
    free(sources);
}

int report_pack_sources(const struct report_request *request, struct report_buffer *out) {
    char *text = NULL;
    size_t length = 0;
    FILE *json = open_memstream(&text, &length);
    if (json == NULL)
        return report_fail(request->error, "--embed-source", "leave it out",
                           "there is not enough memory for the sources");
    put_files(request, json);
    fclose(json);
    int status = report_deflate(out, text, length, request->error);
    free(text);
    return status;
}
