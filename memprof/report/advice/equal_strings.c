/* equal_strings.c - strings of a heap snapshot with the same text, by what holds them. One of each
 * text stays, where most of them are held; the others count for their own holders. */
#include "memprof/report/advice/owners.h"
#include "memprof/report/heap/equal.h"
#include "memprof/report/heap/examples.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_WORDS = 5 };              /* of an entry of a Hashtbl, with its share of the buckets */
static const double LARGE_TABLE = 0.1; /* of what is saved: a table worth mentioning */

/* The strings of a set that an owner has. */
struct part {
    report_owner owner;
    uint32_t set, holder, count;
    bool typed; /* all of them */
};

struct finder {
    const struct report_owners *owners;
    const struct heap_graph *graph;
    struct heap_equals equals;
};

struct parts {
    REPORT_VECTOR(struct part) list;
    struct report_owned_samples sampled;
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

/* Bytes of a new buffer, rather than a text. */
static bool is_blank(const struct heap_content *string) {
    for (uint32_t i = 0; i < string->count; i++)
        if (string->bytes[i] != 0) return false;
    return string->count > 0;
}

/* ---- Owners. ---- */

static void add_parts(struct finder *f, uint32_t number, struct parts *parts) {
    const struct heap_equal *set = &f->equals.list.at[number];
    const struct heap_copy *copies = f->equals.copies.at + set->first;
    struct part part;
    for (size_t i = 0, end; i < set->copies; i = end) {
        const uint32_t holder = copies[i].holder;
        part = (struct part){report_owner_of(f->owners, holder), number, holder, 0, true};
        for (end = i; end < set->copies && copies[end].holder == part.holder; end++) {
            part.count++;
            part.typed = part.typed && copies[end].typed;
            report_owner_add_sample(f->owners, part.owner, copies[end].node, &parts->sampled);
        }
        report_append(&parts->list, part);
    }
}

/* Sums the parts of one owner, which are sorted. */
static struct owned sum_parts(const struct finder *f, const struct part *parts, size_t count) {
    struct owned sum = {.typed = true, .one_holder = true};
    for (size_t i = 0, end; i < count; i = end) {
        const struct heap_equal *set = &f->equals.list.at[parts[i].set];
        bool stays = report_owner_of(f->owners, set->holder) == parts[i].owner;
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

static void add_finding(struct finder *f, report_owner owner, const struct owned *owned,
                        const struct report_owned_samples *sampled) {
    const double words = (double)owned->words;
    const struct report_owner_text text = report_owner_text_of(f->owners, sampled, owner,
                                                               owned->holder, owned->one_holder);
    char strings[32], *texts = texts_text(f, owned);
    report_write_count(strings, (double)owned->strings);
    const struct report_finding finding = {.line = text.line,
                                           .what = report_format("equal strings: %s %s have %s%s",
                                                                 strings, text.held, texts,
                                                                 text.from),
                                           .sure = owned->typed,
                                           .fix = fix_text(owned),
                                           .saves = REPORT_SAVES_HELD,
                                           .words = {words, words, words}};
    report_free(text.held, text.from, texts);
    report_advice_add(f->owners->advice, finding);
}

static void advise_parts(struct finder *f, struct parts *parts) {
    report_sort(&parts->list, by_owner);
    report_owned_sort(&parts->sampled);
    for (size_t i = 0, end; i < parts->list.count; i = end) {
        const report_owner owner = parts->list.at[i].owner;
        for (end = i; end < parts->list.count && parts->list.at[end].owner == owner;) end++;
        const struct owned owned = sum_parts(f, &parts->list.at[i], end - i);
        if (report_is_advice(f->owners->advice, REPORT_SAVES_HELD, (double)owned.words))
            add_finding(f, owner, &owned, &parts->sampled);
    }
    report_free(parts->list.at, parts->sampled.list.at);
}

void report_advise_equal_strings(const struct report_owners *owners) {
    struct finder f = {owners, owners->graph, heap_equals_find(owners->graph, &owners->held)};
    struct parts parts = {0};
    for (size_t i = 0; i < f.equals.list.count; i++) {
        const struct heap_content content = heap_content(f.graph, f.equals.list.at[i].node);
        if (!is_blank(&content)) add_parts(&f, (uint32_t)i, &parts);
    }
    advise_parts(&f, &parts);
    heap_equals_free(&f.equals);
}
