/* equal_strings.c - strings of a heap snapshot with the same text, by what holds them. One of each
 * text stays, where most of them are held; the others count for their own holders. */
#include "memprof/report/advice/advice.h"
#include "memprof/report/heap/equal.h"
#include "memprof/report/heap/examples.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_WORDS = 5 };              /* of an entry of a Hashtbl, with its share of the buckets */
static const double LARGE_TABLE = 0.1; /* of what is saved: a table worth mentioning */

struct finder {
    struct report_advice *advice;
    const struct heap_graph *graph;
    struct heap_held held;
    struct heap_equals equals;
};

/* A holder; the number of nodes and that of a kind, of blocks of that kind which several roots
 * hold: each of these would be a holder of its own. */
typedef uint64_t owner_id;

/* The strings of a set that an owner has. */
struct part {
    owner_id owner;
    uint32_t set, holder, count;
    bool typed; /* all of them */
};

/* The line of a sampled string that an owner has, as line_of has it. */
struct sampled {
    owner_id owner;
    uint32_t line;
};

struct parts {
    REPORT_VECTOR(struct part) list;
    REPORT_VECTOR(struct sampled) sampled;
};

/* What an owner has of all sets. */
struct owned {
    uint32_t holder, held; /* a holder, and how many it has of a set: the most */
    bool typed, one_holder;
    uint64_t strings, texts, elsewhere; /* elsewhere: texts of which one stays there */
    uint64_t words;                     /* of those that need not be */
    uint32_t most, most_count;          /* a set, and how many of it: the most */
};

REPORT_COMPARE(by_owner, struct part,
               report_order(x->owner, y->owner)
                   ?: report_order(x->set, y->set) ?: report_order(x->holder, y->holder))
REPORT_COMPARE(by_line, struct sampled,
               report_order(x->owner, y->owner) ?: report_order(x->line, y->line))

static owner_id owner_of(const struct finder *f, uint32_t holder) {
    bool shared = holder > f->graph->roots && f->held.above[holder] == 0;
    return shared ? f->graph->nodes + heap_kind_of(f->graph, holder) : holder;
}

/* Bytes of a new buffer, rather than a text. */
static bool is_blank(const struct heap_content *string) {
    for (uint32_t i = 0; i < string->count; i++)
        if (string->bytes[i] != 0) return false;
    return string->count > 0;
}

/* ---- Lines. ---- */

/* The line of the user's own that allocated a block: of the recording, or without one, of the
 * snapshot; 0: it is not known (AD1). */
static uint32_t line_of(const struct finder *f, const struct heap_sample *sample) {
    const struct report_query *query = f->advice->query;
    if (query == NULL)
        return report_is_library_text(f->graph->places.at[sample->place]) ? 0 : sample->place;
    if (sample->id >= query->model->samples.count) return 0;
    const struct report_sample s = report_sample_of(query->model, sample->id);
    return report_query_selects(query, &s) ? report_own_line(query, &s) : 0;
}

static char *line_text(const struct finder *f, uint32_t line) {
    const struct report_query *query = f->advice->query;
    return query == NULL ? report_copy(f->graph->places.at[line])
                         : report_location_text(query->model, line);
}

/* The lines of most sampled strings of an owner. */
struct lines {
    size_t samples; /* all of them */
    struct {
        uint32_t line; /* 0: there is none */
        size_t samples;
    } first, second;
};

static struct lines main_lines(const struct sampled *sampled, size_t count) {
    struct lines lines = {.samples = count};
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && sampled[end].line == sampled[i].line;) end++;
        if (sampled[i].line == 0 || end - i <= lines.second.samples) continue;
        lines.second.line = sampled[i].line;
        lines.second.samples = end - i;
        if (lines.second.samples <= lines.first.samples) continue;
        const struct lines before = lines;
        lines.first = before.second;
        lines.second = before.first;
    }
    return lines;
}

/* `; 12 of 20 sampled ones are from this line, 8 from f (a.ml:1)`. */
static char *lines_text(const struct finder *f, const struct lines *lines) {
    char *more = report_copy("");
    if (lines->second.line != 0) {
        char *line = line_text(f, lines->second.line);
        report_replace(&more, report_format(", %zu from %s", lines->second.samples, line));
        free(line);
    }
    char *text = report_format("; %zu of %zu sampled ones are from this line%s",
                               lines->first.samples, lines->samples, more);
    free(more);
    return text;
}

/* ---- Owners. ---- */

static void add_parts(struct finder *f, uint32_t number, struct parts *parts) {
    const struct heap_equal *set = &f->equals.list.at[number];
    const struct heap_copy *copies = f->equals.copies.at + set->first;
    struct part part;
    for (size_t i = 0, end; i < set->copies; i = end) {
        part = (struct part){owner_of(f, copies[i].holder), number, copies[i].holder, 0, true};
        for (end = i; end < set->copies && copies[end].holder == part.holder; end++) {
            const struct heap_sample *sample = heap_sample_of(f->graph, copies[end].node);
            part.count++;
            part.typed = part.typed && copies[end].typed;
            if (sample == NULL) continue;
            const struct sampled sampled = {part.owner, line_of(f, sample)};
            report_append(&parts->sampled, sampled);
        }
        report_append(&parts->list, part);
    }
}

/* Sums the parts of one owner, which are sorted. */
static struct owned sum_parts(const struct finder *f, const struct part *parts, size_t count) {
    struct owned sum = {.typed = true, .one_holder = true};
    for (size_t i = 0, end; i < count; i = end) {
        const struct heap_equal *set = &f->equals.list.at[parts[i].set];
        bool stays = owner_of(f, set->holder) == parts[i].owner;
        uint32_t strings = 0;
        for (end = i; end < count && parts[end].set == parts[i].set; end++) {
            strings += parts[end].count;
            sum.typed = sum.typed && parts[end].typed;
            sum.one_holder = sum.one_holder && parts[end].holder == parts->holder;
            if (parts[end].count <= sum.held) continue;
            sum.held = parts[end].count;
            sum.holder = parts[end].holder;
        }
        sum.texts++;
        sum.elsewhere += !stays;
        sum.strings += strings;
        sum.words += (strings - stays) * set->words;
        if (strings <= sum.most_count) continue;
        sum.most_count = strings;
        sum.most = parts[i].set;
    }
    return sum;
}

/* ---- Findings. ---- */

static char *owner_text(const struct finder *f, const struct owned *owned) {
    char *text = heap_holder_text(f->graph, &f->held, owned->holder);
    if (!owned->one_holder) report_replace(&text, report_format("%s and others like it", text));
    return text;
}

/* `4 texts, such as "Berlin" (12,500 times)`. */
static char *texts_text(const struct finder *f, const struct owned *owned) {
    char texts[32], times[32], elsewhere[32], *others = report_copy("");
    const struct heap_content content = heap_content(f->graph, f->equals.list.at[owned->most].node);
    char *example = heap_string_text(&content), *text;
    report_write_count(texts, (double)owned->texts);
    report_write_count(times, owned->most_count);
    report_write_count(elsewhere, (double)owned->elsewhere);
    if (owned->elsewhere > 0)
        report_replace(&others, report_format(", %s of them also held elsewhere", elsewhere));
    text = report_format("%s text%s%s, such as %s (%s time%s)", texts, owned->texts == 1 ? "" : "s",
                         others, example, times, owned->most_count == 1 ? "" : "s");
    report_free(example, others);
    return text;
}

static char *fix_text(const struct owned *owned) {
    static const char fix[] = "keep each text once: look it up in a Hashtbl of those seen so far, "
                              "where it is made";
    const double table = TABLE_WORDS * (double)owned->texts;
    char bytes[32];
    report_write_bytes(bytes, 8 * table);
    return table < LARGE_TABLE * (double)owned->words
               ? report_copy(fix)
               : report_format("%s (drop the table then: it takes about %s)", fix, bytes);
}

static void add_finding(struct finder *f, const struct owned *owned, const struct lines *lines) {
    const double words = (double)owned->words;
    char strings[32], *holder = owner_text(f, owned), *texts = texts_text(f, owned);
    struct report_finding finding = {.sure = owned->typed,
                                     .fix = fix_text(owned),
                                     .saves = REPORT_SAVES_HELD,
                                     .words = {words, words, words}};
    report_write_count(strings, (double)owned->strings);
    if (lines->first.line != 0) {
        char *from = lines_text(f, lines);
        finding.line = line_text(f, lines->first.line);
        finding.what = report_format("equal strings: %s held by %s have %s%s", strings, holder,
                                     texts, from);
        report_free(holder, from);
    } else {
        finding.line = holder;
        finding.what = report_format("equal strings: %s held there have %s", strings, texts);
    }
    free(texts);
    report_advice_add(f->advice, finding);
}

static void advise_parts(struct finder *f, struct parts *parts) {
    report_sort(&parts->list, by_owner);
    report_sort(&parts->sampled, by_line);
    size_t first = 0, last = 0; /* of the owner's samples */
    for (size_t i = 0, end; i < parts->list.count; i = end) {
        const owner_id owner = parts->list.at[i].owner;
        for (end = i; end < parts->list.count && parts->list.at[end].owner == owner;) end++;
        for (first = last; last < parts->sampled.count;) {
            if (parts->sampled.at[last].owner != owner) break;
            last++;
        }
        const struct owned owned = sum_parts(f, &parts->list.at[i], end - i);
        if (!report_is_advice(f->advice, REPORT_SAVES_HELD, (double)owned.words)) continue;
        const struct lines lines = main_lines(parts->sampled.at + first, last - first);
        add_finding(f, &owned, &lines);
    }
    report_free(parts->list.at, parts->sampled.at);
}

void report_advise_equal_strings(struct report_advice *advice, const struct heap_graph *graph) {
    struct finder f = {.advice = advice, .graph = graph};
    struct parts parts = {0};
    struct heap_tree *tree = heap_tree_make(graph);
    f.held = heap_held_find(graph, tree);
    f.equals = heap_equals_find(graph, &f.held);
    for (size_t i = 0; i < f.equals.list.count; i++) {
        const struct heap_content content = heap_content(graph, f.equals.list.at[i].node);
        if (!is_blank(&content)) add_parts(&f, (uint32_t)i, &parts);
    }
    advice->held = (double)graph->total.words;
    advise_parts(&f, &parts);
    heap_equals_free(&f.equals);
    heap_held_free(&f.held);
    heap_tree_free(tree);
}
