/* own_frames.c - which frames are the user's own, and which belong to the standard library, Unix
 * and the runtime: `Bytes.sub` allocates for its caller. */
#include "gc/assert.h"
#include "memprof/report/model/text.h"
#include "memprof/report/query/query.h"

#include <string.h>

/* Whether a name is that of a module, of one below it such as Stdlib__List, or of a function
 * there. */
static bool is_of_module(const char *name, const char *module) {
    size_t n = strlen(module);
    if (strncmp(name, module, n) != 0) return false;
    return name[n] == 0 || name[n] == '.' || strncmp(name + n, "__", 2) == 0;
}

bool report_is_library_text(const char *text) {
    static const char *const modules[] = {"Stdlib", "Std_exit", "Unix", "UnixLabels"};
    static const char internal[] = "Camlinternal";
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (is_of_module(text, modules[i])) return true;
    return strncmp(text, internal, sizeof internal - 1) == 0;
}

static bool is_library(const struct report_model *model, const struct report_location *l) {
    return report_is_library_text(model->names.at[l->function]) ||
           report_is_library_text(model->names.at[l->file]);
}

bool report_is_library(const struct report_model *model, uint32_t location) {
    return is_library(model, &model->locations.at[location]) || report_is_nameless(model, location);
}

bool *report_library_nodes(const struct report_model *model) {
    bool *library = report_alloc(model->nodes.count * sizeof *library);
    for (size_t i = 1; i < model->nodes.count; i++) {
        const struct report_node *n = &model->nodes.at[i];
        const struct report_location *l = &model->locations.at[n->location];
        bool caller = n->parent == 0 || library[n->parent];
        library[i] = caller && (is_library(model, l) ||
                                (n->parent != 0 && report_is_nameless(model, n->location)));
    }
    return library;
}

void report_query_fold_library(struct report_query *query, bool leave_out) {
    const struct report_model *m = query->model;
    uint32_t *shown = report_alloc(m->nodes.count * sizeof *shown);
    bool *own = report_alloc(m->nodes.count * sizeof *own); /* some frame is the user's */
    bool *library = leave_out ? report_library_nodes(m) : NULL;
    for (size_t i = 1; i < m->nodes.count; i++) {
        const struct report_node *n = &m->nodes.at[i];
        const struct report_location *l = &m->locations.at[n->location];
        bool hidden = (query->node_flags[i] & REPORT_NODE_HIDDEN) != 0;
        bool foreign = hidden || is_library(m, l) || report_is_nameless(m, n->location);
        /* The compiler's own code, called from a line: objects, wrappers. */
        if (l->line < 0 && m->locations.at[m->nodes.at[shown[n->parent]].location].line >= 0)
            foreign = true;
        ASSERT(n->parent < i); /* PM1 */
        own[i] = own[n->parent] || !foreign;
        bool folds = hidden || (foreign && own[n->parent]);
        bool out = library != NULL && library[i];
        shown[i] = folds ? shown[n->parent] : i;
        if (out) query->node_flags[i] |= REPORT_NODE_OUT;
        query->folded = query->folded || out || (folds && !hidden);
    }
    report_free(query->shown, own, library);
    query->shown = shown;
}
