/* mlmon.c - reads MLton's files of counts and sums them (mlmon.h). */
#include "memprof/report/mlprof/mlmon.h"

#include "gc/assert.h"
#include "memprof/report/load/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES ".sources"

/* A file that is read line by line. */
struct lines {
    const char *path;
    char *text, *at, *end; /* end: of the last line */
    unsigned number;       /* of the last line read */
    struct report_error *error;
};

static const char *const kinds[] = {
    [MLMON_ALLOC] = "alloc", [MLMON_COUNT] = "count", [MLMON_TIME] = "time"};

/* ---- Lines and numbers. ---- */

static int damaged(struct lines *l, const char *expected) {
    return report_fail(l->error, l->path,
                       "the file is damaged or truncated: run the program again to rewrite it",
                       "line %u: expected %s", l->number, expected);
}

static int open_lines(struct lines *l, const char *path, const char *advice,
                      struct report_error *error) {
    size_t length;
    *l = (struct lines){.path = path, .error = error};
    l->text = l->at = (char *)report_read_file(path, &length, error);
    if (l->text == NULL) {
        snprintf(error->advice, sizeof error->advice, "%s", advice);
        return -1;
    }
    l->end = l->text + length;
    return 0;
}

/* The next line without its end; NULL if it has none, or a NUL. */
static char *next_line(struct lines *l) {
    char *line = l->at, *end = strchr(line, '\n');
    l->number++;
    if (end == NULL) return NULL;
    *end = 0;
    l->at = end + 1;
    return line;
}

/* Takes a decimal number from the start of *text. */
static bool take_number(char **text, uint64_t *out) {
    if (**text < '0' || **text > '9') return false;
    errno = 0;
    *out = strtoull(*text, text, 10);
    return errno == 0;
}

/* Reads a line of n numbers, separated by a blank. */
static bool numbers_line(struct lines *l, uint64_t *out, unsigned n) {
    char *line = next_line(l);
    for (unsigned i = 0; i < n; i++) {
        if (line == NULL || !take_number(&line, &out[i])) return false;
        if (i + 1 < n && *line++ != ' ') return false;
    }
    return *line == 0;
}

/* Reads a number of lines: at most the number of bytes in the file. */
static bool count_line(struct lines *l, uint32_t *out) {
    uint64_t n;
    if (!numbers_line(l, &n, 1) || n > (size_t)(l->end - l->text) || n > UINT32_MAX) return false;
    *out = (uint32_t)n;
    return true;
}

static bool magic_line(struct lines *l, uint32_t *out) {
    char *line = next_line(l), *end;
    if (line == NULL || strlen(line) != 10 || line[0] != '0' || line[1] != 'x') return false;
    *out = (uint32_t)strtoul(line + 2, &end, 16);
    return end == line + 10;
}

static int expect_end(struct lines *l) {
    l->number++;
    return l->at == l->end ? 0 : damaged(l, "the end of the file");
}

/* ---- mlmon.out ---- */

static int read_header(struct lines *l, struct mlmon *p) {
    uint64_t totals[2];
    char *line = next_line(l);
    if (line == NULL || strcmp(line, "MLton prof") != 0)
        return report_fail(l->error, l->path, "give a file that `bactrian --profile` wrote",
                           "the file does not start with `MLton prof`");
    line = next_line(l);
    p->kind = MLMON_ALLOC;
    while (line != NULL && p->kind < MLMON_KINDS && strcmp(line, kinds[p->kind]) != 0) p->kind++;
    if (line == NULL || p->kind == MLMON_KINDS) return damaged(l, "alloc, count or time");
    line = next_line(l);
    p->stacks = line != NULL && strcmp(line, "stack") == 0;
    if (line == NULL || (!p->stacks && strcmp(line, "current") != 0))
        return damaged(l, "current or stack");
    if (!magic_line(l, &p->magic)) return damaged(l, "a magic number");
    if (!numbers_line(l, totals, 2)) return damaged(l, "two totals");
    p->total = totals[0];
    p->total_gc = totals[1];
    return 0;
}

static int read_rows(struct lines *l, bool stacks, struct mlmon_counts **rows, uint32_t *count) {
    uint64_t n[3] = {0};
    if (!count_line(l, count)) return damaged(l, "a number of functions");
    *rows = report_alloc(*count * sizeof **rows);
    for (uint32_t i = 0; i < *count; i++) {
        if (!numbers_line(l, n, stacks ? 3 : 1))
            return damaged(l, stacks ? "three counts" : "a count");
        (*rows)[i] = (struct mlmon_counts){n[0], n[1], n[2]};
    }
    return 0;
}

static int read_counts(struct lines *l, struct mlmon *p) {
    if (read_header(l, p) != 0) return -1;
    if (read_rows(l, p->stacks, &p->sources, &p->source_count) != 0) return -1;
    if (read_rows(l, p->stacks, &p->names, &p->name_count) != 0) return -1;
    return expect_end(l);
}

/* ---- The sources file. ---- */

static int read_names(struct lines *l, struct mlmon *p) {
    uint32_t count;
    if (!count_line(l, &count) || count != p->name_count)
        return damaged(l, "as many names as the counts have");
    p->texts = report_alloc(count * sizeof *p->texts);
    for (uint32_t i = 0; i < count; i++) {
        char *line = next_line(l);
        if (line == NULL || *line == 0) return damaged(l, "a name");
        char *text = p->texts[i].text = report_copy(line), *tab = strchr(text, '\t');
        if (tab == NULL) continue;
        *tab = 0;
        p->texts[i].position = tab + 1;
    }
    return 0;
}

/* Reads the name and the list of calls of each source. */
static int read_pairs(struct lines *l, struct mlmon *p, uint64_t **list_of) {
    uint64_t pair[2];
    uint32_t count;
    if (!count_line(l, &count) || count != p->source_count)
        return damaged(l, "as many functions as the counts have");
    p->name_of = report_alloc(count * sizeof *p->name_of);
    *list_of = report_alloc(count * sizeof **list_of);
    for (uint32_t i = 0; i < count; i++) {
        if (!numbers_line(l, pair, 2) || pair[0] >= p->name_count)
            return damaged(l, "the numbers of a name and a list of calls");
        p->name_of[i] = (uint32_t)pair[0];
        (*list_of)[i] = pair[1];
    }
    return 0;
}

/* Reads a list of calls, for all sources that have it. */
static int read_list(struct lines *l, struct mlmon *p, uint64_t number, const uint64_t *list_of) {
    char *line = next_line(l);
    if (line == NULL) return damaged(l, "a list of calls");
    while (*line != 0) {
        uint64_t callee;
        if (!take_number(&line, &callee) || callee >= p->source_count ||
            (*line == ' ' ? *++line == 0 : *line != 0))
            return damaged(l, "a list of calls");
        for (uint32_t i = 0; i < p->source_count; i++) {
            if (list_of[i] != number) continue;
            report_append(&p->calls, (struct mlmon_call){i, (uint32_t)callee});
        }
    }
    return 0;
}

static int read_lists(struct lines *l, struct mlmon *p, const uint64_t *list_of) {
    uint32_t count;
    if (!count_line(l, &count)) return damaged(l, "a number of lists");
    for (uint32_t i = 0; i < p->source_count; i++)
        if (list_of[i] >= count) return damaged(l, "a list for each function");
    for (uint32_t i = 0; i < count; i++)
        if (read_list(l, p, i, list_of) != 0) return -1;
    return expect_end(l);
}

static int read_sources(struct lines *l, struct mlmon *p) {
    uint32_t magic;
    uint64_t *list_of = NULL;
    if (!magic_line(l, &magic)) return damaged(l, "a magic number");
    if (magic != p->magic)
        return report_fail(l->error, l->path, "keep each file of counts with its own sources file",
                           "wrong magic number: the file belongs to another program");
    int failed = read_names(l, p);
    if (failed == 0) failed = read_pairs(l, p, &list_of);
    if (failed == 0) failed = read_lists(l, p, list_of);
    free(list_of);
    return failed;
}

int mlmon_read(const char *path, struct mlmon *out, struct report_error *error) {
    struct lines l;
    *out = (struct mlmon){.magic = 0};
    int failed = open_lines(&l, path, "give a file that `bactrian --profile` wrote", error);
    if (failed == 0) failed = read_counts(&l, out);
    free(l.text);
    if (failed != 0) return failed;
    char *sources = report_format("%s" SOURCES, path);
    failed = open_lines(&l, sources, "it holds the functions' names: keep both files together",
                        error);
    if (failed == 0) failed = read_sources(&l, out);
    report_free(l.text, sources);
    return failed;
}

void mlmon_free(struct mlmon *p) {
    for (uint32_t i = 0; p->texts != NULL && i < p->name_count; i++) free(p->texts[i].text);
    report_free(p->texts, p->sources, p->names, p->name_of, p->calls.at);
}

/* ---- Sums. ---- */

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Code that was loaded at run time follows the program's own. One file may have more of it than the
 * other, but what both have must be the same. */
static bool same_sources(const struct mlmon *a, const struct mlmon *b) {
    for (uint32_t i = 0; i < a->source_count && i < b->source_count; i++) {
        const struct mlmon_name *x = &a->texts[a->name_of[i]], *y = &b->texts[b->name_of[i]];
        if (a->name_of[i] != b->name_of[i] || !same_text(x->text, y->text) ||
            !same_text(x->position, y->position))
            return false;
    }
    return (a->source_count <= b->source_count) == (a->name_count <= b->name_count) ||
           a->source_count == b->source_count || a->name_count == b->name_count;
}

/* Adds `count` rows to *sum, which has `before`. */
static void add_counts(struct mlmon_counts **sum, uint32_t before, const struct mlmon_counts *more,
                       uint32_t count) {
    if (count > before) {
        struct mlmon_counts *wider = report_alloc(count * sizeof *wider);
        if (before > 0) memcpy(wider, *sum, before * sizeof *wider);
        free(*sum);
        *sum = wider;
    }
    for (uint32_t i = 0; i < count; i++) {
        (*sum)[i].own += more[i].own;
        (*sum)[i].stack += more[i].stack;
        (*sum)[i].stack_gc += more[i].stack_gc;
    }
}

/* Extends the names of sum by those that only `more` has. */
static void add_names(struct mlmon *sum, const struct mlmon *more) {
    struct mlmon_name *texts = report_alloc(more->name_count * sizeof *texts);
    uint32_t *name_of = report_alloc(more->source_count * sizeof *name_of);
    memcpy(texts, sum->texts, sum->name_count * sizeof *texts);
    for (uint32_t i = sum->name_count; i < more->name_count; i++) {
        const struct mlmon_name *name = &more->texts[i];
        char *both = name->position == NULL ? report_copy(name->text)
                                            : report_format("%s\t%s", name->text, name->position);
        char *tab = strchr(both, '\t');
        if (tab != NULL) *tab = 0;
        texts[i] = (struct mlmon_name){both, tab == NULL ? NULL : tab + 1};
    }
    memcpy(name_of, more->name_of, more->source_count * sizeof *name_of);
    report_free(sum->texts, sum->name_of);
    sum->texts = texts;
    sum->name_of = name_of;
}

int mlmon_merge(struct mlmon *sum, const struct mlmon *more, const char *path,
                struct report_error *error) {
    const char *advice = "give files of one program, made with the same options";
    if (more->magic != sum->magic)
        return report_fail(error, path, advice,
                           "wrong magic number: the file belongs to another program");
    if (more->kind != sum->kind)
        return report_fail(error, path, advice, "cannot merge --profile %s with --profile %s",
                           kinds[sum->kind], kinds[more->kind]);
    if (more->stacks != sum->stacks)
        return report_fail(error, path, advice,
                           "cannot merge counts with and without --profile-stack");
    if (!same_sources(sum, more))
        return report_fail(error, path, advice, "the program loaded other code at run time");
    add_counts(&sum->sources, sum->source_count, more->sources, more->source_count);
    add_counts(&sum->names, sum->name_count, more->names, more->name_count);
    sum->total += more->total;
    sum->total_gc += more->total_gc;
    if (more->name_count > sum->name_count || more->source_count > sum->source_count) {
        add_names(sum, more);
        sum->name_count = more->name_count;
        sum->source_count = more->source_count;
    }
    report_each(call, &more->calls) {
        ASSERT(call->callee < sum->source_count);
        report_append(&sum->calls, *call);
    }
    return 0;
}
