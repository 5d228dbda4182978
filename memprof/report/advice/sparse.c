/* sparse.c - arrays and hash tables of a heap snapshot that have room for many more elements than
 * they hold, by what holds them. An element that leads to no block is empty if its type says that
 * no integer can be data. */
#include "memprof/report/advice/owners.h"
#include "memprof/report/heap/tables.h"
#include "memprof/report/heap/types.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPARSE = 8, /* elements for each one that is used, or more */
    LEAST_SLOTS = 32,
    LEAST_SAVED = 4096 /* words, of all of an owner's: less is not worth a change */
};
/* Of a Hashtbl: what Hashtbl.create makes at least, the words of an entry, and of the table. */
enum { LEAST_BUCKETS = 16, ENTRY_WORDS = 4, TABLE_WORDS = 5 };
enum { LEAST_WEAK = 7 }; /* what Weak.Make makes at least */

/* What an array is: one of the program's own; the buckets of a Hashtbl, or of a table of
 * ephemerons; hashes of what Weak.Make makes, which has another array as long. */
enum use { ARRAY, TABLE, WEAK_SET, USES };
static const char *const use_names[] = {"array", "hash table", "weak set"};

/* Why a table has that many buckets. */
enum origin { UNKNOWN, CREATED, GROWN };

/* An array that an owner has. */
struct part {
    report_owner owner;
    uint32_t holder, node;
    enum use use;
    uint64_t slots, used, entries; /* entries: of buckets in all; else as used */
    uint64_t end;                  /* after the last one that is used */
    enum origin origin;
};

/* All sparse ones of an owner that are of one type. */
struct sum {
    const struct part *first;
    enum use use;
    bool one_holder;
    enum origin origin;
    uint64_t arrays, slots, used, entries, most; /* most: entries of one */
    uint64_t by_table, by_length; /* words that a Hashtbl saves, or arrays as long as is used */
};

struct finder {
    const struct report_owners *owners;
    const struct heap_graph *graph;
    REPORT_VECTOR(struct part) parts;
    struct report_owned_samples sampled;
};

REPORT_COMPARE(by_owner, struct part,
               report_order(x->owner, y->owner)
                   ?: report_order(x->holder, y->holder) ?: report_order(x->node, y->node))

/* ---- Arrays. ---- */

/* The text of its empty elements; NULL: its type does not say that they are empty. */
static const char *empty_text(const struct heap_graph *g, uint32_t node) {
    return heap_empty_text(g, heap_element_type(g, node));
}

static bool is_of_weak_set(const struct heap_graph *g, uint32_t above) {
    const char *type = above <= g->roots ? NULL : g->kind_list.at[heap_kind_of(g, above)].type;
    return type != NULL && strcmp(type, "Weak.t") == 0;
}

static struct part part_of(const struct finder *f, uint32_t node) {
    const struct heap_graph *g = f->graph;
    const uint32_t above = f->owners->held.above[node];
    struct part part = {
        .holder = f->owners->held.holder[node], .node = node, .slots = heap_words(g, node) - 1};
    struct heap_table table;
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
        if (g->fields[e] >= part.slots) continue;
        part.used++;
        part.end = g->fields[e] + 1;
    }
    part.entries = part.used;
    if (heap_table_at(g, above, node, part.slots / SPARSE, &table)) {
        part.use = TABLE;
        part.entries = table.entries;
        part.origin = table.created == 0 ? UNKNOWN : table.created < part.slots ? GROWN : CREATED;
    } else if (is_of_weak_set(g, above)) part.use = WEAK_SET;
    /* Those of another type or use count for another finding. */
    part.owner = (report_owner_of(f->owners, part.holder) * (g->types.count + 1) +
                  heap_element_type(g, node)) *
                     USES +
                 part.use;
    return part;
}

static void add_array(struct finder *f, uint32_t node) {
    const struct part part = part_of(f, node);
    if (part.entries > part.slots / SPARSE) return;
    if (part.use != TABLE && empty_text(f->graph, node) == NULL) return;
    report_owner_add_sample(f->owners, part.owner, node, &f->sampled);
    report_append(&f->parts, part);
}

/* ---- Sums. ---- */

/* The words of an array with other elements, and of what else there is for them, in place of one of
 * Hashtbl or Weak; or of a Hashtbl in place of one of the program's own. */
static uint64_t words_of_table(const struct part *part) {
    uint64_t words = LEAST_BUCKETS;
    if (part->use == WEAK_SET) return part->used > LEAST_WEAK ? part->used : LEAST_WEAK;
    while (words < part->entries) words *= 2;
    return part->use == TABLE ? words : words + TABLE_WORDS + ENTRY_WORDS * part->used;
}

static struct sum sum_parts(const struct part *parts, size_t count) {
    struct sum sum = {.first = parts, .use = parts->use, .one_holder = true, .arrays = count};
    for (size_t i = 0; i < count; i++) {
        const struct part *part = &parts[i];
        const uint64_t words = words_of_table(part);
        if (part->slots > words) sum.by_table += part->slots - words;
        sum.by_length += part->slots - part->end;
        sum.slots += part->slots;
        sum.used += part->used;
        sum.entries += part->entries;
        if (part->entries > sum.most) sum.most = part->entries;
        sum.one_holder = sum.one_holder && part->holder == parts->holder;
        sum.origin = i == 0 || sum.origin == part->origin ? part->origin : UNKNOWN;
    }
    if (sum.use == WEAK_SET) sum.by_table *= 2;
    return sum;
}

/* ---- Findings. ---- */

/* Whether arrays need only be shorter. */
static bool is_too_long(const struct sum *sum) {
    return sum->use == ARRAY && sum->by_length >= sum->by_table;
}

static uint64_t saved_by(const struct sum *sum) {
    return is_too_long(sum) ? sum->by_length : sum->by_table;
}

/* `sparse hash table: 100 entries in 131,072 buckets`, `sparse arrays: 100 of 50,000 elements of 10
 * arrays are used, the others are None`. */
static char *contents_text(const struct finder *f, const struct sum *sum) {
    char used[32], slots[32], arrays[32];
    const char *name = use_names[sum->use], *many = sum->arrays == 1 ? "" : "s";
    report_write_count(used, (double)(sum->use == TABLE ? sum->entries : sum->used));
    report_write_count(slots, (double)sum->slots);
    report_write_count(arrays, (double)sum->arrays);
    char *of = sum->arrays == 1 ? report_copy("") : report_format(" of %s %ss", arrays, name);
    char *text =
        sum->use == TABLE
            ? report_format("sparse %s%s: %s entries in %s buckets%s", name, many, used, slots, of)
        : sum->use == WEAK_SET
            ? report_format("sparse %s%s: %s of %s buckets%s are used", name, many, used, slots, of)
            : report_format("sparse %s%s: %s of %s elements%s are used, the others are %s", name,
                            many, used, slots, of, empty_text(f->graph, sum->first->node));
    free(of);
    return text;
}

static char *table_fix(const struct sum *sum) {
    static const char shrink[] = "removing entries keeps the buckets: empty it with reset, or "
                                 "replace it by of_seq (to_seq table)";
    char most[32];
    report_write_whole(most, sum->most > LEAST_BUCKETS ? sum->most : LEAST_BUCKETS);
    const char *it = sum->arrays == 1 ? "it" : "each";
    if (sum->origin == GROWN) return report_format("%s has grown, and %s", it, shrink);
    if (sum->use == WEAK_SET || sum->origin == CREATED)
        return report_format("create %s with a size of %s; it grows when it has more", it, most);
    return report_format("create %s with a size of %s; or if it has grown, %s", it, most, shrink);
}

static char *array_fix(const struct sum *sum) {
    char bytes[32], end[32];
    bool one = sum->arrays == 1;
    report_write_bytes(bytes, 8 * (double)(sum->slots - sum->by_table));
    report_write_count(end, (double)sum->first->end);
    if (!is_too_long(sum))
        return report_format(one ? "a Hashtbl from indices to elements takes %s"
                                 : "a Hashtbl each, from indices to elements, takes %s in all",
                             bytes);
    if (sum->used == 0) return report_format("make %s when it is needed", one ? "it" : "each");
    return one ? report_format("make it shorter: only the first %s are needed", end)
               : report_copy("make each as long as what is used, and when it is needed");
}

static void add_finding(struct finder *f, const struct sum *sum) {
    const double words = (double)saved_by(sum);
    const struct report_owner_text text = report_owner_text_of(
        f->owners, &f->sampled, sum->first->owner, sum->first->holder, sum->one_holder);
    char *what = contents_text(f, sum);
    if (text.has_line) report_replace(&what, report_format("%s (%s)", what, text.held));
    if (sum->arrays > 1) report_replace(&what, report_format("%s%s", what, text.from));
    const struct report_finding finding = {.line = text.line,
                                           .what = what,
                                           .fix = sum->use == ARRAY ? array_fix(sum)
                                                                    : table_fix(sum),
                                           .saves = REPORT_SAVES_HELD,
                                           .words = {words, words, words}};
    report_free(text.held, text.from);
    report_advice_add(f->owners->advice, finding);
}

bool report_advise_sparse(const struct report_owners *owners) {
    const struct heap_graph *g = owners->graph;
    const size_t before = owners->advice->findings.count;
    struct finder f = {.owners = owners, .graph = g};
    for (size_t n = g->roots + 1; n < g->nodes; n++) {
        const struct heap_kind *kind = &g->kind_list.at[heap_kind_of(g, (uint32_t)n)];
        if (kind->tag == 0 && heap_words(g, (uint32_t)n) > LEAST_SLOTS) add_array(&f, (uint32_t)n);
    }
    report_sort(&f.parts, by_owner);
    report_owned_sort(&f.sampled);
    for (size_t i = 0, end; i < f.parts.count; i = end) {
        const report_owner owner = f.parts.at[i].owner;
        for (end = i; end < f.parts.count && f.parts.at[end].owner == owner;) end++;
        const struct sum sum = sum_parts(&f.parts.at[i], end - i);
        if (saved_by(&sum) >= LEAST_SAVED) add_finding(&f, &sum);
    }
    report_free(f.parts.at, f.sampled.list.at);
    return owners->advice->findings.count > before;
}
