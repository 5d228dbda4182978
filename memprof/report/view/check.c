/* check.c - checks a file against the rules of its format. */
#include "memprof/format/reader.h"
#include "memprof/report/load/load.h"
#include "memprof/report/view/views.h"

#include <stdlib.h>

enum { MOST_ROWS = 200 };

struct findings {
    struct report_table *table;
    size_t count, errors;
    bool unfinished; /* out of memory: no result */
};

static void listen(void *context, const struct report_ctf_violation *v) {
    static const char *const grades[] = {"damaged", "misread", "unusual"};
    struct findings *f = context;
    f->count++;
    f->errors += v->grade != REPORT_CTF_LOOSE;
    if (f->count > MOST_ROWS) return;
    report_row(f->table, 0, report_number(REPORT_NUMBER, v->offset), report_text(v->rule),
               report_text(grades[v->grade]), report_text(v->detail[0] != 0 ? v->detail : "-"),
               report_text(v->demand));
}

static void check_ctf(struct report_doc *doc, struct findings *f, const unsigned char *bytes,
                      size_t length) {
    struct report_error ignored;
    f->table = report_doc_table(doc, REPORT_TABLE, "violations", "");
    report_table_columns(f->table, "offset", "byte", "rule", "rule", "grade", "grade", "found",
                         "found", "demand", "requirement", NULL);
    struct report_model *model = report_ctf_read(bytes, length, listen, f, &ignored);
    if (f->count > MOST_ROWS)
        report_doc_note(doc, "%zu more are not listed.", f->count - MOST_ROWS);
    if (model != NULL)
        report_doc_note(doc, "%s, %zu samples, %zu violations of the format's rules.",
                        model->format, model->samples.count, f->count);
    if (f->count > 0)
        report_doc_note(doc,
                        "damaged: the rest of the packet is lost; misread: some reader refuses "
                        "or misreads it; unusual: every reader accepts it.");
    report_model_free(model);
}

static void check_own(struct report_doc *doc, struct findings *f, const unsigned char *bytes,
                      size_t length) {
    struct mp_read_error why;
    struct mp_coverage coverage = {0};
    struct mp_event event;
    struct mp_reader *reader = mp_reader_of_bytes(bytes, length, &why);
    struct report_table *t = report_doc_table(doc, REPORT_FACTS, "file", "");
    report_fact(t, "format", "format", report_text("bactrian"));
    if (reader == NULL) {
        report_fact(t, "state", "state", report_text(mp_read_status_text(why.status)));
        if (why.detail[0] != 0) report_fact(t, "found", "found", report_text(why.detail));
        f->unfinished = why.status == MP_READ_NO_MEMORY;
        f->errors++;
        return;
    }
    while (mp_reader_next(reader, &event)) continue;
    mp_reader_coverage(reader, &coverage);
    report_fact(t, "state", "state", report_text(mp_read_status_text(coverage.status)));
    if (coverage.detail[0] != 0) report_fact(t, "found", "found", report_text(coverage.detail));
    report_fact(t, "chunks", "whole chunks", report_count(coverage.chunks));
    report_fact(t, "events", "events", report_count(coverage.events));
    report_fact(t, "samples", "samples", report_count(mp_reader_sample_count(reader)));
    report_fact(t, "read", "bytes read", report_count(coverage.read_bytes));
    report_fact(t, "ignored", "bytes after them", report_count(coverage.ignored_bytes));
    if (coverage.status != MP_READ_WHOLE) f->errors++;
    if (coverage.status == MP_READ_NO_MEMORY) f->unfinished = true;
    mp_reader_close(reader);
}

struct report_doc *report_check(const char *path, size_t *errors, struct report_error *error) {
    size_t length;
    struct findings f = {0};
    unsigned char *bytes = report_read_file(path, &length, error);
    if (bytes == NULL) return NULL;
    struct report_doc *doc = report_doc_create("check", "The rules of the format, for %s", path);
    bool known = true;
    if (report_ctf_recognises(bytes, length)) check_ctf(doc, &f, bytes, length);
    else if (mp_reader_recognises(bytes, length)) check_own(doc, &f, bytes, length);
    else known = false;
    free(bytes);
    *errors = f.errors;
    if (known && !f.unfinished) return doc;
    report_doc_free(doc);
    if (known)
        report_fail(error, path, "check it with more memory", "out of memory while checking");
    else
        report_fail(error, path, "give a profile of `bactrian prof record` or memtrace",
                    "not a memory profile");
    return NULL;
}
