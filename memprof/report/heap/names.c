/* names.c - see names.h. A snapshot has shapes: a block without a name is its size and tag. */
#include "memprof/report/heap/names.h"

#include "gc/assert.h"
#include "memprof/report/model/text.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    TAG_FORCING = 244,
    TAG_CONT,
    TAG_LAZY,
    TAG_CLOSURE,
    TAG_OBJECT,
    TAG_CUSTOM = 255,
    EXACT_WORDS = 16
};

static char *place_text(const struct mp_location *place) {
    const char *function = place->definition[0] != 0 ? place->definition : "an unknown function";
    return place->file[0] != 0 ? report_format("%s (%s)", function, place->file)
                               : report_copy(function);
}

char *heap_root_text(const struct heap_root *root) {
    char *text = NULL, *place;
    switch (root->kind) {
    case MP_ROOT_GLOBAL:
        text = root->name[0] != 0
                   ? report_format("%s %s", root->is_exception ? "exception" : "module", root->name)
                   : report_format("global %llu", (unsigned long long)root->slot);
        break;
    case MP_ROOT_STACK:
        place = place_text(&root->place);
        text = root->name[0] != 0
                   ? report_format("variable %s of %s", root->name, place)
                   : report_format("stack of %s, word %llu", place, (unsigned long long)root->slot);
        free(place);
        break;
    case MP_ROOT_C:
        text = root->name[0] != 0 ? report_format("C variable of %s", root->name)
                                  : report_copy("C variable");
        break;
    case MP_ROOT_FINALISER: text = report_copy("finaliser"); break;
    case MP_ROOT_MACHINE: text = report_format("the machine: %s", root->name); break;
    case MP_ROOT_KINDS: break;
    }
    ASSERT(text != NULL);
    return text;
}

char *heap_shape_text(const struct heap_kind *kind) {
    char size[60];
    unsigned long long words = kind->words;
    if (kind->name != NULL)
        return report_format("%s %s", kind->tag == TAG_CUSTOM ? "custom block" : "closure of",
                             kind->name);
    if (kind->tag == TAG_CONT) return report_copy("continuation, or block of tag 245");
    if (words <= EXACT_WORDS) snprintf(size, sizeof size, "%llu", words);
    else snprintf(size, sizeof size, "%llu to %llu", words / 2 + 1, words);
    if (kind->is_module) return report_format("structure of %s", size);
    if (kind->tag == TAG_OBJECT && kind->type != NULL && !kind->is_object)
        return report_copy("constructor");
    if (kind->tag == 0) return report_format("block of %s", size);
    if (kind->tag < TAG_LAZY) return report_format("block of %s, tag %u", size, kind->tag);
    return report_tag_text(kind->tag);
}

char *heap_kind_text(const struct heap_kind *kind) {
    char *shape = heap_shape_text(kind), *text;
    if (kind->type == NULL) return shape;
    text = report_format("%s: %s", shape, kind->type);
    free(shape);
    return text;
}

char *heap_edge_text(const struct heap_graph *graph, uint32_t from, uint32_t field) {
    if (field == HEAP_NO_FIELD) return report_copy("");
    const struct heap_name *name = heap_field_name(graph, from, field);
    if (name == NULL) return report_format(".%u", field);
    return report_format(name->kind == MP_NAME_CAPTURED ? "captured %s" : ".%s", name->text);
}

static const char from_debug[] = "debug information", from_interface[] = ".cmi",
                  from_class[] = "class", built_in[] = "built-in type";

/* Where a type that has a name comes from. */
static const char *source_of_type(const struct heap_graph *graph, const struct heap_name *name) {
    switch (graph->types.at[graph->shapes.at[name->of].type - 1].source) {
    case MP_TYPE_DEBUG: return from_debug;
    case MP_TYPE_INTERFACE: return from_interface;
    default: return built_in;
    }
}

const char *heap_edge_source(const struct heap_graph *graph, uint32_t from, uint32_t field) {
    const struct heap_name *name = heap_field_name(graph, from, field);
    if (name == NULL) return "";
    if (heap_is_of_type(name)) return source_of_type(graph, name);
    switch (name->kind) {
    case MP_NAME_CAPTURED:
    case MP_NAME_IN_METHOD: return from_debug;
    case MP_NAME_IN_TABLE: return from_class;
    default: return from_interface;
    }
}

const char *heap_root_source(const struct heap_root *root) {
    if (root->is_exception) return built_in;
    if (root->kind == MP_ROOT_GLOBAL) return root->name[0] != 0 ? "linker" : "";
    return root->kind == MP_ROOT_STACK && root->name[0] != 0 ? from_debug : "";
}

char *heap_node_text(const struct heap_graph *graph, uint32_t node) {
    ASSERT(node > 0 && node < graph->nodes);
    if (node <= graph->roots) return heap_root_text(&graph->root_list.at[node - 1]);
    return heap_kind_text(&graph->kind_list.at[heap_kind_of(graph, node)]);
}

char *heap_held_text(const struct heap_graph *graph, uint32_t node) {
    uint32_t first = 0, count = 0;
    char *what = heap_node_text(graph, node);
    if (node <= graph->roots) return what;
    for (uint32_t root = 1; root <= graph->roots; root++) {
        uint32_t e = graph->first[root];
        while (e < graph->first[root + 1] && graph->edges[e] != node) e++;
        if (e == graph->first[root + 1]) continue;
        if (count++ == 0) first = root;
    }
    if (count == 0) return what;
    char *root = heap_root_text(&graph->root_list.at[first - 1]), *text;
    if (count == 1) text = report_format("%s, from %s", what, root);
    else
        text = report_format("%s, from %s and %u more root%s", what, root, count - 1,
                             count == 2 ? "" : "s");
    report_free(what, root);
    return text;
}
