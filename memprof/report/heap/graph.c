/* graph.c - reads a snapshot's records into a graph (graph.h).
 *
 * The records name blocks by their addresses, in words, and an edge may come before its target. So
 * edges are collected as addresses and translated at the end, when all blocks are known: by a table
 * of the first block at or after every 2^shift words, and a binary search from there. The table has
 * at most twice as many entries as there are blocks, whatever a file says. */
#include "memprof/report/heap/graph.h"

#include "gc/assert.h"
#include "memprof/report/heap/types.h"
#include "memprof/report/load/load.h"

#include <stdlib.h>
#include <string.h>

/* What a block and an edge take here while the graph is made and analysed. */
enum { BLOCK_BYTES = 64, EDGE_BYTES = 16, MEMBER_BYTES = 256 };
#define MEMORY_MAX(file_bytes) (((uint64_t)2 << 30) + 64 * (uint64_t)(file_bytes))

enum { TAG_CLOSURE = 247, TAG_OBJECT, TAG_NO_SCAN = 251, TAG_CUSTOM = 255 };

/* An edge that is not of a block's field. */
struct extra {
    uint32_t from, address; /* a node, or of an ephemeron an address; the target's address */
};

struct loader {
    struct mp_reader *reader;
    struct heap_graph *graph;
    const char *path;
    struct report_error *error;
    size_t file_bytes;
    REPORT_VECTOR(uint32_t) addresses, words, kinds; /* of the blocks */
    REPORT_VECTOR(uint32_t) edge_ends;         /* of each block, the index after its last edge */
    REPORT_VECTOR(uint32_t) fields;            /* of the edges */
    uint64_t next_field;                       /* of the last block: after that of its last edge */
    REPORT_VECTOR(uint32_t) targets;           /* of the edges: addresses */
    REPORT_VECTOR(struct extra) rooted, held;  /* from roots; from keys of ephemerons */
    REPORT_VECTOR(struct heap_name) variables; /* names of roots */
    REPORT_VECTOR(struct heap_module) globals; /* addresses in place of nodes */
    struct report_hash root_table, kind_table, variable_table;
    size_t next_content;  /* the block after the last one with contents */
    uint64_t end;         /* the address after the last block */
    bool in_edges;        /* of the last block there may be more edges */
    bool has_heap;        /* the record HEAP was read */
    bool last_is_of_root; /* of the names */
    uint32_t *index;      /* of addresses >> shift */
    unsigned shift;
};

static bool fail(const struct loader *l, const char *what) {
    report_fail(l->error, l->path, "take the snapshot again", "%s", what);
    return false;
}

/* ---- Roots and kinds. ---- */

static bool same_root(const void *owner, uint32_t number, const void *key) {
    const struct loader *l = owner;
    const struct heap_root *a = &l->graph->root_list.at[number], *b = key;
    return a->kind == b->kind && a->slot == b->slot && strcmp(a->name, b->name) == 0 &&
           strcmp(a->place.definition, b->place.definition) == 0 &&
           strcmp(a->place.file, b->place.file) == 0;
}

static uint64_t hash_root(const struct heap_root *r) {
    return report_hash_number(r->slot * MP_ROOT_KINDS + r->kind) ^
           report_hash_bytes(r->name, strlen(r->name)) ^
           report_hash_bytes(r->place.definition, strlen(r->place.definition));
}

static bool same_variable(const void *owner, uint32_t number, const void *key) {
    const struct heap_name *a = &((const struct loader *)owner)->variables.at[number], *b = key;
    return a->kind == b->kind && a->of == b->of && a->slot == b->slot;
}

static uint64_t hash_variable(const struct heap_name *name) {
    return report_hash_number((uint64_t)name->of << 32 ^ name->slot);
}

/* What a root of the stack, or an exception, is called in the program; NULL: not known. */
static const struct heap_name *variable_of(const struct loader *l,
                                           const struct mp_record_root *record) {
    struct heap_name key = {MP_NAME_VARIABLE, (uint32_t)record->place, (uint32_t)record->slot, NULL,
                            0};
    if (record->slot > UINT32_MAX) return NULL;
    if (record->kind == MP_ROOT_GLOBAL)
        key = (struct heap_name){.kind = MP_NAME_EXCEPTION, .of = (uint32_t)record->slot};
    else if (record->kind != MP_ROOT_STACK) return NULL;
    uint32_t number = report_hash_find(&l->variable_table, hash_variable(&key), same_variable, l,
                                       &key);
    return number == REPORT_NO_NUMBER ? NULL : &l->variables.at[number];
}

/* The node of a root. Slots of one function are the same root wherever it was called from. */
static uint32_t root_node(struct loader *l, const struct mp_record_root *record) {
    struct heap_graph *g = l->graph;
    const struct heap_name *variable = variable_of(l, record);
    struct heap_root root = {
        .kind = record->kind,
        .name = (char *)mp_reader_string(l->reader, (uint32_t)record->name),
        .place = *mp_reader_location(l->reader, (uint32_t)record->place),
        .slot = record->kind == MP_ROOT_GLOBAL || record->kind == MP_ROOT_STACK ? record->slot : 0,
    };
    if (variable != NULL) {
        root.name = variable->text;
        root.type = variable->type;
        root.slot = 0;
        root.is_exception = variable->kind == MP_NAME_EXCEPTION;
    }
    uint64_t hash = hash_root(&root);
    uint32_t number = report_hash_find(&l->root_table, hash, same_root, l, &root);
    if (number == REPORT_NO_NUMBER) {
        root.name = report_copy(root.name);
        root.place.file = report_copy(root.place.file);
        root.place.definition = report_copy(root.place.definition);
        number = (uint32_t)g->root_list.count;
        report_append(&g->root_list, root);
        report_hash_add(&l->root_table, hash, number);
    } else if (g->root_list.at[number].type != root.type) g->root_list.at[number].type = 0;
    g->root_list.at[number].slots++;
    return number + 1;
}

static bool same_kind(const void *owner, uint32_t number, const void *key) {
    const struct loader *l = owner;
    const struct heap_kind *a = &l->graph->kind_list.at[number], *b = key;
    if (a->tag != b->tag || a->words != b->words || a->place != b->place || a->is_module)
        return false;
    return a->name == b->name || (a->name && b->name && strcmp(a->name, b->name) == 0);
}

/* Blocks of up to 16 fields are of one kind if they have the same number, larger ones if it has
 * the same power of two. */
static uint32_t class_of(uint64_t wosize) {
    uint64_t top = 16;
    if (wosize <= top) return (uint32_t)wosize;
    while (top < wosize && top < UINT32_MAX / 2) top *= 2;
    return (uint32_t)top;
}

/* `function (file:line)`, or the part of it that is known. */
static char *closure_name(const struct mp_location *l) {
    const char *function = l->definition[0] != 0 ? l->definition : "an unknown function";
    if (l->line == 0) return report_copy(function);
    return report_format("%s (%s:%u)", function, l->file, l->line);
}

/* The kind of a block; name: its record's number, of a location or a string. False: out of
 * range. */
static bool find_kind(struct loader *l, unsigned tag, uint64_t wosize, uint64_t name,
                      uint32_t *out) {
    struct heap_kind kind = {.tag = (uint8_t)tag};
    const char *text = "";
    if (tag == TAG_CLOSURE) {
        if (name > mp_reader_location_count(l->reader)) return false;
        kind.place = (uint32_t)name;
    } else if (tag == TAG_CUSTOM) {
        if (name > mp_reader_string_count(l->reader)) return false;
        kind.name = (char *)(text = mp_reader_string(l->reader, (uint32_t)name));
    } else if (tag < TAG_NO_SCAN) kind.words = class_of(wosize);
    uint64_t hash = report_hash_number(((uint64_t)kind.words << 8 | tag) ^ (uint64_t)kind.place
                                                                               << 40) ^
                    report_hash_bytes(text, strlen(text));
    *out = report_hash_find(&l->kind_table, hash, same_kind, l, &kind);
    if (*out != REPORT_NO_NUMBER) return true;
    if (tag == TAG_CUSTOM) kind.name = report_copy(text);
    *out = (uint32_t)l->graph->kind_list.count;
    report_append(&l->graph->kind_list, kind);
    report_hash_add(&l->kind_table, hash, *out);
    return true;
}

/* ---- Blocks. ---- */

/* Reads a block's shape at *at, which it advances. */
static bool add_block(struct loader *l, const uint8_t **at, const uint8_t *end) {
    uint64_t skipped, shape, name = 0;
    if (!mp_get_uint(at, end, &skipped) || !mp_get_uint(at, end, &shape)) return false;
    const unsigned tag = shape & 0xff;
    const uint64_t wosize = shape >> 8, address = l->end + skipped;
    bool named = tag == TAG_CLOSURE || tag == TAG_CUSTOM;
    if (named && !mp_get_uint(at, end, &name)) return false;
    if (skipped > UINT32_MAX || wosize > UINT32_MAX || address + 1 + wosize > UINT32_MAX)
        return false;
    uint32_t kind;
    if (!find_kind(l, tag, wosize, name, &kind)) return false;
    report_append(&l->kinds, kind);
    report_append(&l->addresses, (uint32_t)address);
    report_append(&l->words, (uint32_t)(1 + wosize));
    report_append(&l->edge_ends, (uint32_t)l->targets.count);
    l->end = address + 1 + wosize;
    l->in_edges = tag < TAG_NO_SCAN;
    l->next_field = 0;
    return true;
}

/* Reads an edge of the last block, or their end. */
static bool add_edge(struct loader *l, const uint8_t **at, const uint8_t *end) {
    uint64_t code, skipped = 0;
    if (!mp_get_uint(at, end, &code)) return false;
    if (code == 0) {
        l->in_edges = false;
        return true;
    }
    code--;
    if ((code & 1) && !mp_get_uint(at, end, &skipped)) return false;
    const size_t last = l->addresses.count - 1;
    const int64_t distance = (int64_t)(code >> 2 ^ -(code >> 1 & 1));
    const uint64_t target = l->addresses.at[last] + (uint64_t)distance;
    if (target > UINT32_MAX || l->targets.count == UINT32_MAX) return false;
    report_append(&l->targets, (uint32_t)target);
    l->next_field += skipped;
    report_append(&l->fields,
                  l->next_field < HEAP_NO_FIELD ? (uint32_t)l->next_field : HEAP_NO_FIELD);
    l->next_field++;
    l->edge_ends.at[last]++;
    return true;
}

static bool add_blocks(struct loader *l, const struct mp_text *shapes) {
    const uint8_t *at = (const uint8_t *)shapes->bytes, *end = at + shapes->length;
    if (l->graph->contents.at != NULL) return fail(l, "damaged: a block after contents");
    while (at < end) {
        bool fits = l->in_edges ? add_edge(l, &at, end) : add_block(l, &at, end);
        if (!fits) return fail(l, "damaged: an invalid block or edge");
    }
    uint64_t needed = (uint64_t)BLOCK_BYTES * l->addresses.count +
                      (uint64_t)EDGE_BYTES * l->targets.count;
    return needed <= MEMORY_MAX(l->file_bytes) ||
           fail(l, "more blocks than a file of this size may have");
}

static bool add_contents(struct loader *l, const struct mp_text *values) {
    struct heap_contents *contents = &l->graph->contents;
    const uint8_t *at = (const uint8_t *)values->bytes, *end = at + values->length;
    const size_t blocks = l->addresses.count;
    while (at < end) {
        uint64_t skipped;
        bool fits = !l->in_edges && mp_get_uint(&at, end, &skipped) &&
                    skipped < blocks - l->next_content;
        if (!fits) return fail(l, "damaged: contents of no block");
        const size_t block = l->next_content + (size_t)skipped;
        const struct heap_kind *kind = &l->graph->kind_list.at[l->kinds.at[block]];
        if (!heap_contents_add(contents, blocks, block, kind->tag, l->words.at[block] - 1, &at,
                               end))
            return fail(l, "damaged: invalid contents");
        l->next_content = block + 1;
    }
    return true;
}

static bool add_root(struct loader *l, const struct mp_record_root *record) {
    if (record->block > UINT32_MAX) return fail(l, "damaged: a root without a block");
    const uint32_t block = (uint32_t)record->block;
    report_append(&l->rooted, (struct extra){root_node(l, record), block});
    if (record->kind == MP_ROOT_GLOBAL && record->name != 0 && record->slot < UINT32_MAX)
        report_append(&l->globals, (struct heap_module){block, (uint32_t)record->slot});
    return true;
}

static bool add_ephemeron(struct loader *l, const struct mp_record_ephemeron *record) {
    if (record->key > UINT32_MAX || record->data > UINT32_MAX)
        return fail(l, "damaged: an ephemeron without a block");
    report_append(&l->held, (struct extra){(uint32_t)record->key, (uint32_t)record->data});
    return true;
}

static void add_name(struct loader *l, const struct mp_record_name *record) {
    const char *text = mp_reader_string(l->reader, (uint32_t)record->text);
    const struct heap_name name = {record->kind, (uint32_t)record->of, (uint32_t)record->slot,
                                   report_format("%.*s", HEAP_NAME_BYTES, text), 0};
    l->last_is_of_root = name.kind == MP_NAME_VARIABLE || name.kind == MP_NAME_EXCEPTION;
    if (l->last_is_of_root) {
        report_hash_add(&l->variable_table, hash_variable(&name), (uint32_t)l->variables.count);
        report_append(&l->variables, name);
    } else report_append(&l->graph->names, name);
}

static void add_typed(const struct loader *l, const struct mp_record_typed *record) {
    struct heap_graph *g = l->graph;
    struct heap_name *name = l->last_is_of_root ? &l->variables.at[l->variables.count - 1]
                                                : &g->names.at[g->names.count - 1];
    name->type = (uint32_t)record->type;
}

static bool add_label(struct loader *l, const struct mp_record_label *record) {
    const struct heap_label label = {(uint32_t)record->block, (uint32_t)record->text};
    if (record->block > UINT32_MAX || l->graph->labels.count >= l->addresses.count)
        return fail(l, "damaged: a label without a block");
    report_append(&l->graph->labels, label);
    return true;
}

static void add_sampled(struct loader *l, const struct mp_record_sampled *record) {
    if (record->block <= UINT32_MAX)
        report_append(
            &l->graph->samples,
            (struct heap_sample){(uint32_t)record->block, (uint32_t)record->place, record->id});
}

/* What a file has of types takes no more memory than what it has of blocks may. */
static bool types_fit(const struct loader *l) {
    const struct heap_graph *g = l->graph;
    const uint64_t count = (uint64_t)g->types.count + g->shapes.count + g->members.count;
    const uint64_t needed = MEMBER_BYTES * count;
    return needed <= MEMORY_MAX(l->file_bytes) ||
           fail(l, "more types than a file of this size may have");
}

static bool add_event(struct loader *l, const struct mp_event *event) {
    switch (event->kind) {
    case MP_EVENT_ROOT: return add_root(l, &event->root);
    case MP_EVENT_BLOCKS: return add_blocks(l, &event->blocks.shapes);
    case MP_EVENT_CONTENTS: return add_contents(l, &event->contents.values);
    case MP_EVENT_EPHEMERON: return add_ephemeron(l, &event->ephemeron);
    case MP_EVENT_SAMPLED: add_sampled(l, &event->sampled); return true;
    case MP_EVENT_LABEL: return add_label(l, &event->label);
    case MP_EVENT_NAME: add_name(l, &event->name); return true;
    case MP_EVENT_TYPED: add_typed(l, &event->typed); return true;
    case MP_EVENT_TYPE:
        heap_add_type(l->graph, &event->type,
                      mp_reader_string(l->reader, (uint32_t)event->type.name));
        return types_fit(l);
    case MP_EVENT_SHAPE:
        heap_add_shape(l->graph, &event->shape,
                       mp_reader_string(l->reader, (uint32_t)event->shape.constructor));
        return types_fit(l);
    case MP_EVENT_MEMBER:
        heap_add_member(l->graph, &event->member,
                        mp_reader_string(l->reader, (uint32_t)event->member.name));
        return types_fit(l);
    case MP_EVENT_HEAP:
        l->graph->total = event->heap;
        l->has_heap = true;
        return true;
    default: return true;
    }
}

/* ---- From addresses to nodes. ---- */

static void make_index(struct loader *l) {
    const size_t blocks = l->addresses.count;
    while (l->end >> l->shift > 2 * blocks) l->shift++;
    const size_t entries = (size_t)(l->end >> l->shift) + 2;
    l->index = report_alloc(entries * sizeof *l->index);
    size_t block = 0;
    for (size_t i = 0; i < entries; i++) {
        while (block < blocks && (uint64_t)l->addresses.at[block] >> l->shift < i) block++;
        l->index[i] = (uint32_t)block;
    }
}

/* The node of the block at an address; 0: there is none. */
static uint32_t node_at(const struct loader *l, uint32_t address) {
    if (address >= l->end) return 0;
    size_t low = l->index[address >> l->shift], high = l->index[(address >> l->shift) + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->addresses.at[middle] < address) low = middle + 1;
        else high = middle;
    }
    bool found = low < l->addresses.count && l->addresses.at[low] == address;
    return found ? (uint32_t)(l->graph->roots + 1 + low) : 0;
}

REPORT_COMPARE(by_source, struct extra, report_order(x->from, y->from))

/* The extra edges with nodes in place of addresses, by their sources. */
static bool translate_extras(struct loader *l) {
    report_each(e, &l->held) {
        e->from = node_at(l, e->from);
        if (e->from == 0) return fail(l, "damaged: an ephemeron without a block");
        report_append(&l->rooted, *e);
    }
    report_each(e, &l->rooted) {
        e->address = node_at(l, e->address);
        if (e->address == 0) return fail(l, "damaged: a root without a block");
    }
    report_sort(&l->rooted, by_source);
    return true;
}

/* Makes first and edges: of a block its fields' targets, then extra ones. */
static bool link_nodes(struct loader *l) {
    struct heap_graph *g = l->graph;
    size_t extra = 0, to = 0;
    uint64_t edges = (uint64_t)l->targets.count + l->rooted.count + g->roots;
    if (edges > UINT32_MAX) return fail(l, "too large: more than 4,294,967,295 edges");
    g->first = report_alloc((g->nodes + 1) * sizeof *g->first);
    g->edges = report_alloc((size_t)edges * sizeof *g->edges + 1);
    g->fields = report_alloc((size_t)edges * sizeof *g->fields + 1);
    memset(g->fields, 0xff, (size_t)edges * sizeof *g->fields); /* HEAP_NO_FIELD */
    for (size_t node = 0; node < g->nodes; node++) {
        g->first[node] = (uint32_t)to;
        for (size_t root = 1; node == 0 && root <= g->roots; root++)
            g->edges[to++] = (uint32_t)root;
        size_t block = node - g->roots - 1;
        if (node > g->roots) {
            size_t from = block == 0 ? 0 : l->edge_ends.at[block - 1];
            for (; from < l->edge_ends.at[block]; from++) {
                uint32_t target = node_at(l, l->targets.at[from]);
                if (target == 0) return fail(l, "damaged: an edge to no block");
                g->fields[to] = l->fields.at[from];
                g->edges[to++] = target;
            }
        }
        for (; extra < l->rooted.count && l->rooted.at[extra].from == node; extra++)
            g->edges[to++] = l->rooted.at[extra].address;
    }
    ASSERT(to == edges && extra == l->rooted.count); /* HG1 */
    g->first[g->nodes] = (uint32_t)to;
    return true;
}

/* ---- Names of fields. ---- */

static int order_names(const struct heap_name *x, const struct heap_name *y) {
    return report_order(x->kind, y->kind)
               ?: report_order(x->of, y->of) ?: report_order(x->slot, y->slot);
}
REPORT_COMPARE(by_name, struct heap_name, order_names(x, y))
REPORT_COMPARE(by_node, struct heap_module, report_order(x->node, y->node))

/* Gives a module's block a kind of its own, of modules with as many fields. */
static void set_module_kind(struct heap_graph *g, uint32_t node) {
    uint32_t *kind = &g->kinds[node - g->roots - 1], same = 0;
    struct heap_kind own = g->kind_list.at[*kind];
    own.is_module = true;
    while (same < g->kind_list.count &&
           !(g->kind_list.at[same].is_module && g->kind_list.at[same].words == own.words))
        same++;
    if (same == g->kind_list.count) report_append(&g->kind_list, own);
    *kind = same;
}

/* Globals that are not modules are strings and exceptions, and blocks without a name. */
static void find_modules(struct loader *l) {
    struct heap_graph *g = l->graph;
    report_each(global, &l->globals) {
        const struct heap_module module = {node_at(l, global->node), global->global};
        if (module.node == 0 || g->kind_list.at[heap_kind_of(g, module.node)].tag != 0) continue;
        report_append(&g->modules, module);
        set_module_kind(g, module.node);
    }
    report_sort(&g->modules, by_node);
}

static bool finish_names(struct loader *l) {
    struct heap_graph *g = l->graph;
    find_modules(l);
    report_each(name, &g->names) {
        if (name->kind < MP_NAME_IN_TABLE) continue;
        name->of = node_at(l, name->of);
        if (name->of == 0) return fail(l, "damaged: a name of no block");
    }
    report_sort(&g->names, by_name);
    report_each(kind, &g->kind_list) {
        if (kind->tag == TAG_CLOSURE)
            kind->name = closure_name(mp_reader_location(l->reader, kind->place));
    }
    return true;
}

/* The owner of a block's fields, as in NAME. False: they have no names. */
static bool owner_of(const struct heap_graph *g, uint32_t node, struct heap_name *key) {
    const struct heap_module module = {.node = node}, *found = NULL;
    if (node <= g->roots || g->names.count == 0) return false;
    const struct heap_kind *kind = &g->kind_list.at[heap_kind_of(g, node)];
    key->kind = kind->tag == TAG_CLOSURE ? MP_NAME_CAPTURED : MP_NAME_FIELD;
    key->of = kind->place;
    if (kind->tag == TAG_CLOSURE) return true;
    if (g->modules.count > 0)
        found = bsearch(&module, g->modules.at, g->modules.count, sizeof module, by_node);
    if (found != NULL) key->of = found->global;
    return found != NULL;
}

/* The methods of an object, to which its first field leads; 0: it is another block. */
static uint32_t methods_of(const struct heap_graph *g, uint32_t node) {
    if (node <= g->roots || g->kind_list.at[heap_kind_of(g, node)].tag != TAG_OBJECT) return 0;
    const uint32_t first = g->first[node];
    return first < g->first[node + 1] && g->fields[first] == 0 ? g->edges[first] : 0;
}

static const struct heap_name *name_of_objects(const struct heap_graph *g, enum mp_name_kind kind,
                                               uint32_t methods, uint32_t slot) {
    const struct heap_name key = {.kind = kind, .of = methods, .slot = slot};
    if (methods == 0 || g->names.count == 0) return NULL;
    return bsearch(&key, g->names.at, g->names.count, sizeof key, by_name);
}

const struct heap_name *heap_instance_variable(const struct heap_graph *g, uint32_t node,
                                               uint32_t field) {
    const uint32_t methods = methods_of(g, node);
    return name_of_objects(g, MP_NAME_IN_TABLE, methods, field)
               ?: name_of_objects(g, MP_NAME_IN_METHOD, methods, field);
}

const struct heap_name *heap_class(const struct heap_graph *g, uint32_t node) {
    return name_of_objects(g, MP_NAME_CLASS, methods_of(g, node), 0);
}

bool heap_has_names(const struct heap_graph *g, uint32_t node) {
    struct heap_name key;
    return owner_of(g, node, &key) || methods_of(g, node) != 0 || heap_has_members(g, node);
}

const struct heap_name *heap_own_name(const struct heap_graph *g, uint32_t node, uint32_t field) {
    struct heap_name key = {.slot = field};
    if (field == HEAP_NO_FIELD || !owner_of(g, node, &key)) return NULL;
    return bsearch(&key, g->names.at, g->names.count, sizeof key, by_name);
}

const struct heap_name *heap_field_name(const struct heap_graph *g, uint32_t node, uint32_t field) {
    const struct heap_name *name = heap_own_name(g, node, field);
    if (name == NULL) name = heap_instance_variable(g, node, field);
    if (name == NULL) name = heap_member(g, node, field);
    return name != NULL && name->text != NULL ? name : NULL;
}

uint32_t heap_named_field(const struct heap_graph *g, uint32_t from, uint32_t to) {
    if (!heap_has_names(g, from)) return HEAP_NO_FIELD;
    for (uint32_t e = g->first[from]; e < g->first[from + 1]; e++)
        if (g->edges[e] == to && heap_field_name(g, from, g->fields[e]) != NULL)
            return g->fields[e];
    return HEAP_NO_FIELD;
}

bool heap_is_module(const struct heap_graph *g, uint32_t node) {
    return node > g->roots && g->kind_list.at[heap_kind_of(g, node)].is_module;
}

/* ---- Samples. ---- */

REPORT_COMPARE(by_sampled_node, struct heap_sample, report_order(x->node, y->node))

static void finish_samples(struct loader *l) {
    struct heap_graph *g = l->graph;
    size_t kept = 0;
    report_each(sample, &g->samples) {
        const uint32_t node = node_at(l, sample->node), place = sample->place;
        if (node == 0) continue;
        while (g->places.count <= place) report_append(&g->places, (char *)NULL);
        if (g->places.at[place] == NULL)
            g->places.at[place] = place == 0 ? report_copy("an unknown place")
                                             : closure_name(mp_reader_location(l->reader, place));
        g->samples.at[kept++] = (struct heap_sample){node, place, sample->id};
    }
    g->samples.count = kept;
    if (kept > 1) qsort(g->samples.at, kept, sizeof *g->samples.at, by_sampled_node);
}

const struct heap_sample *heap_sample_of(const struct heap_graph *g, uint32_t node) {
    const struct heap_sample key = {.node = node};
    if (g->samples.count == 0) return NULL;
    return bsearch(&key, g->samples.at, g->samples.count, sizeof key, by_sampled_node);
}

/* ---- Labels. ---- */

REPORT_COMPARE(by_labelled_node, struct heap_label, report_order(x->node, y->node))

static void finish_labels(struct loader *l) {
    struct heap_graph *g = l->graph;
    report_each(label, &g->labels) { label->node = node_at(l, label->node); }
    report_sort(&g->labels, by_labelled_node);
}

uint32_t heap_label_of(const struct heap_graph *g, uint32_t node) {
    const struct heap_label key = {.node = node}, *found = NULL;
    if (g->labels.count > 0)
        found = bsearch(&key, g->labels.at, g->labels.count, sizeof key, by_labelled_node);
    return found == NULL ? 0 : found->text;
}

/* ---- The whole. ---- */

static bool finish_graph(struct loader *l) {
    struct heap_graph *g = l->graph;
    const struct mp_record_heap *total = &g->total;
    if (l->in_edges || !l->has_heap || total->blocks != l->addresses.count ||
        total->edges != l->targets.count)
        return fail(l, "incomplete: it lacks blocks");
    g->roots = g->root_list.count;
    g->nodes = 1 + g->roots + l->addresses.count;
    if (g->nodes > UINT32_MAX) return fail(l, "too large: more than 4,294,967,295 blocks");
    g->words = l->words.at;
    g->kinds = l->kinds.at;
    l->words.at = l->kinds.at = NULL;
    make_index(l);
    if (!finish_names(l)) return false;
    finish_samples(l);
    finish_labels(l);
    if (!translate_extras(l) || !link_nodes(l)) return false;
    heap_find_types(g);
    return true;
}

/* ---- Files. ---- */

static bool read_events(struct loader *l) {
    struct mp_event event;
    struct mp_coverage coverage;
    while (mp_reader_next(l->reader, &event))
        if (!add_event(l, &event)) return false;
    mp_reader_coverage(l->reader, &coverage);
    if (coverage.status == MP_READ_WHOLE) return finish_graph(l);
    report_fail(l->error, l->path, "take the snapshot again", "%s%s%s",
                mp_read_status_text(coverage.status), coverage.detail[0] != 0 ? ", " : "",
                coverage.detail);
    return false;
}

struct heap_graph *heap_graph_read(const char *path, const uint8_t *bytes, size_t length,
                                   struct report_error *error) {
    struct mp_read_error why;
    struct loader l = {.path = path, .error = error, .file_bytes = length};
    if (!mp_reader_recognises(bytes, length)) {
        report_fail(error, path, "give a file that `bactrian prof snapshot` has written",
                    "not a heap snapshot");
        return NULL;
    }
    l.reader = mp_reader_of_bytes(bytes, length, &why);
    if (l.reader == NULL) {
        report_fail(error, path, "take the snapshot again", "%s", mp_read_status_text(why.status));
        return NULL;
    }
    const struct mp_record_start *start = mp_reader_start(l.reader);
    bool read = (start->flags & MP_SNAPSHOT) != 0;
    l.graph = report_alloc(sizeof *l.graph);
    l.graph->program = report_copy(start->program.bytes);
    l.graph->ocaml = report_copy(start->ocaml.bytes);
    l.graph->host = report_copy(start->host.bytes);
    l.graph->pid = start->pid;
    l.graph->contents.written = (start->flags & MP_VALUES) != 0;
    if (!read)
        report_fail(error, path, "read it with `bactrian prof summary`",
                    "a recording, not a heap snapshot");
    read = read && read_events(&l);
    mp_reader_close(l.reader);
    report_each(name, &l.variables) { free(name->text); }
    report_free(l.variables.at, l.globals.at, l.variable_table.slots, l.addresses.at, l.words.at,
                l.kinds.at, l.edge_ends.at, l.fields.at, l.targets.at, l.rooted.at, l.held.at,
                l.root_table.slots, l.kind_table.slots, l.index);
    if (read) return l.graph;
    heap_graph_free(l.graph);
    return NULL;
}

struct heap_graph *heap_graph_load(const char *path, struct report_error *error) {
    size_t length;
    unsigned char *bytes = report_read_file(path, &length, error);
    if (bytes == NULL) return NULL;
    struct heap_graph *graph = heap_graph_read(path, bytes, length, error);
    free(bytes);
    return graph;
}

void heap_graph_free(struct heap_graph *g) {
    if (g == NULL) return;
    report_each(root, &g->root_list) {
        report_free(root->name, (char *)root->place.file, (char *)root->place.definition);
    }
    report_each(kind, &g->kind_list) { report_free(kind->name, kind->type); }
    report_each(name, &g->names) { free(name->text); }
    report_each(place, &g->places) { free(*place); }
    heap_types_free(g);
    heap_contents_free(&g->contents);
    report_free(g->names.at, g->modules.at, g->labels.at, g->samples.at, g->places.at);
    report_free(g->first, g->edges, g->fields, g->words, g->kinds, g->root_list.at, g->kind_list.at,
                g->program, g->ocaml, g->host, g);
}
