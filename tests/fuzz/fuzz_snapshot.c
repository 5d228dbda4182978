/* fuzz_snapshot.c - libFuzzer target: any bytes as a heap snapshot.
 *
 * An even first byte: the rest is a file. An odd one: the rest is the records of a chunk whose
 * checksums are right, after a first chunk that says that it is a snapshot. An accepted one has a
 * dominator tree whose sizes add up. */
#include "memprof/format/printable.h"
#include "memprof/report/advice/owners.h"
#include "memprof/report/heap/equal.h"
#include "memprof/report/heap/examples.h"
#include "memprof/report/heap/holders.h"
#include "memprof/report/heap/paths.h"
#include "tests/fuzz/profile_file.h"
#include "tests/fuzz/target.h"

static void check_tree(const struct heap_graph *g) {
    struct heap_tree *tree = heap_tree_make(g);
    struct heap_holders holders = heap_holders_find(g, tree, 1);
    uint64_t own = 0, listed = 0, unreachable = tree->unreachable;
    for (size_t i = 0; i < holders.list.count; i++) {
        own += holders.list.at[i].own;
        listed += holders.list.at[i].blocks;
        if (holders.list.at[i].own > holders.list.at[i].retained) abort();
    }
    /* Below the depth that is listed there may be more. */
    if (own > tree->retained[0] || listed + unreachable > g->nodes) abort();
    free(holders.list.at);
    heap_tree_free(tree);
}

/* What the findings since the last call save; frees their texts. */
static double saved(struct report_advice *advice) {
    double words = 0;
    report_each(f, &advice->findings) {
        words += f->words.value;
        report_free(f->line, f->what, f->fix);
    }
    advice->findings.count = 0;
    return words;
}

/* Each further copy of a string, and each array, counts for one finding at most; an array of a weak
 * set also for another one of its length. */
static void check_advice(const struct heap_graph *g, uint64_t further) {
    struct report_advice advice = {.query = NULL};
    struct report_owners owners = report_owners_find(&advice, g);
    uint64_t words = 0;
    for (uint32_t n = 1; n < g->nodes; n++) words += heap_words(g, n);
    report_advise_equal_strings(&owners);
    if (saved(&advice) > (double)further) abort();
    report_advise_sparse(&owners);
    if (saved(&advice) > 2 * (double)words) abort();
    free(advice.findings.at);
    report_owners_free(&owners);
}

/* What is shown of blocks has no control characters. */
static void check_contents(const struct heap_graph *g) {
    struct heap_tree *tree = heap_tree_make(g);
    struct heap_held held = heap_held_find(g, tree);
    struct heap_equals equals = heap_equals_find(g, &held);
    for (size_t i = 0; i < equals.list.count; i++)
        if (equals.list.at[i].held > equals.list.at[i].copies) abort();
    for (size_t n = 1; n < g->nodes; n++) {
        char *text = heap_example_text(g, (uint32_t)n);
        for (const char *p = text; *p != 0; p++)
            if (mp_control_bytes(p) > 0) abort();
        free(text);
    }
    check_advice(g, equals.words);
    heap_equals_free(&equals);
    heap_held_free(&held);
    heap_tree_free(tree);
}

static void check_paths(const struct heap_graph *g) {
    bool *wanted = calloc(g->nodes, 1);
    if (wanted == NULL) return;
    for (size_t i = g->roots + 1; i < g->nodes; i += 2) wanted[i] = true;
    struct heap_steps steps = heap_steps_find(g, wanted, 0);
    for (size_t i = 0; i < steps.list.count; i++)
        if (steps.list.at[i].words > steps.words) abort();
    free(steps.list.at);
    free(wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct report_error error = {"", "", ""};
    size_t length = size - 1;
    if (size == 0) return 0;
    uint8_t *made = data[0] % 2 == 0 ? NULL : snapshot_of_records(data + 1, size - 1, &length);
    struct heap_graph *g = heap_graph_read("x", made != NULL ? made : data + 1, length, &error);
    if (g == NULL && error.what[0] == 0) abort();
    if (g != NULL) check_tree(g);
    if (g != NULL) check_paths(g);
    if (g != NULL) check_contents(g);
    heap_graph_free(g);
    free(made);
    return 0;
}
