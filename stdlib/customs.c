/* customs.c - the kinds of custom blocks that can be marshalled: bigarrays, and the registered
 * foreign ones. Channels can neither be written nor read.
 *
 * A block of a foreign kind has an inert kind until its content is read, so that a block of a
 * refused value is never finalised. */
#include "stdlib/customs.h"

#include "gc/assert.h"
#include "stdlib/bigarray.h"
#include "stdlib/state.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"

#include <stdlib.h>

static const struct vm_marshal_custom_reader bigarrays = {&bigarray_ops, bigarray_read};

/* ---- Foreign kinds. ---- */

struct registered_custom {
    struct registered_custom *next;
    struct vm_marshal_custom_reader reader;
};

static const struct gc_custom_ops inert_ops = {.identifier = "_inert"};

/* The context of read_content. */
struct reading {
    struct marshal_state *m;
    const struct gc_custom_ops *ops;
    value v;
    size_t declared;
};

/* Runs ops->deserialize on the block's data; it may end in customs_refuse. */
static value read_content(struct domain *d, void *context) {
    struct reading *job = context;
    struct marshal_state *m = job->m;
    ASSERT(m->reader != NULL && tag_of(job->v) == TAG_CUSTOM);
    if (_setjmp(m->refusal) != 0)
        vm_marshal_fail(m->reader, m->refused_why, "a library refused it");
    else if (job->ops->deserialize(custom_data(job->v)) != job->declared)
        vm_marshal_fail_size(m->reader, "a custom block of another size than it says");
    return VAL_UNIT;
}

static value read_foreign(struct vm_marshal_reader *r, const struct gc_custom_ops *ops,
                          size_t declared) {
    struct domain *d = vm_marshal_domain(r);
    struct marshal_state *m = &prim_state(d)->marshal;
    if (declared == SIZE_MAX || declared > MAX_WOSIZE)
        return vm_marshal_fail_size(r, "a foreign custom block without its size");
    /* Reserved before, as a failure after reading would lose the content. */
    if (ops->finalize != NULL && !gc_custom_reserve(&d->gc)) vm_marshal_fail_memory(r, 1);
    value v = vm_marshal_new_custom(r, &inert_ops, declared, 0);
    if (v == 0) return 0;
    vm_marshal_initialise(r);
    struct reading job = {m, ops, v, declared};
    struct vm_marshal_reader *outer = m->reader;
    m->reader = r;
    value result = vm_protect_exn(d, read_content, &job);
    m->reader = outer;
    if (is_exn_result(result)) vm_marshal_read_raised(r, exn_of_result(result));
    if (vm_marshal_failed(r)) return 0;
    field(v, 0) = (value)ops;
    if (ops->finalize != NULL) gc_adopt_custom(&d->gc, v, 0);
    return v;
}

void customs_refuse(struct domain *d, const char *text) {
    struct marshal_state *m = &prim_state(d)->marshal;
    if (m->reader == NULL) vm_failwith(d, "%s", text);
    snprintf(m->refused_why, sizeof m->refused_why, "%s", text);
    _longjmp(m->refusal, 1);
}

bool customs_register(struct domain *d, const struct gc_custom_ops *ops) {
    struct registered_custom *kind = malloc(sizeof *kind);
    if (kind == NULL) return false;
    *kind = (struct registered_custom){prim_state(d)->customs, {ops, read_foreign}};
    prim_state(d)->customs = kind;
    return true;
}

void customs_free(struct prim_state *state) {
    for (struct registered_custom *next; state->customs != NULL; state->customs = next) {
        next = state->customs->next;
        free(state->customs);
    }
}

/* The context of serialize. */
struct writing {
    value v;
    uintptr_t bytes_32, bytes_64;
};

static value serialize(struct domain *d, void *context) {
    struct writing *job = context;
    ASSERT(prim_state(d)->marshal.writer != NULL && tag_of(job->v) == TAG_CUSTOM);
    custom_ops(job->v)->serialize(job->v, &job->bytes_32, &job->bytes_64);
    return VAL_UNIT;
}

static void write_foreign(struct vm_marshal_writer *w, value v, uint64_t *bytes_32,
                          uint64_t *bytes_64) {
    struct marshal_state *m = &prim_state(w->d)->marshal;
    struct writing job = {v, 0, 0};
    struct vm_marshal_writer *outer = m->writer;
    m->writer = w;
    value result = vm_protect_exn(w->d, serialize, &job);
    m->writer = outer;
    *bytes_32 = job.bytes_32;
    *bytes_64 = job.bytes_64;
    if (is_exn_result(result)) vm_marshal_write_raised(w, exn_of_result(result));
}

/* ---- All kinds. ---- */

static const struct vm_marshal_custom_reader *find_kind(struct domain *d, const char *identifier) {
    if (strcmp(bigarray_ops.identifier, identifier) == 0) return &bigarrays;
    struct registered_custom *kind = prim_state(d)->customs;
    while (kind != NULL && strcmp(kind->reader.ops->identifier, identifier) != 0) kind = kind->next;
    return kind == NULL ? NULL : &kind->reader;
}

const struct vm_marshal_custom_reader *customs_find_reader(void *context, const char *identifier) {
    const struct vm_marshal_custom_reader *kind = find_kind(context, identifier);
    bool readable = kind != NULL && (kind->read != read_foreign || kind->ops->deserialize != NULL);
    return readable ? kind : NULL;
}

const struct gc_custom_ops *customs_find(struct domain *d, const char *identifier) {
    const struct gc_custom_ops *boxed[] = {&vm_int32_ops, &vm_int64_ops, &vm_nativeint_ops};
    for (size_t i = 0; i < sizeof boxed / sizeof boxed[0]; i++)
        if (strcmp(boxed[i]->identifier, identifier) == 0) return boxed[i];
    const struct vm_marshal_custom_reader *kind = find_kind(d, identifier);
    return kind == NULL ? NULL : kind->ops;
}

static vm_marshal_custom_write *find_writer(const struct gc_custom_ops *ops) {
    return ops == &bigarray_ops ? bigarray_write : NULL;
}

const struct vm_marshal_customs customs_writers = {.find = find_writer, .foreign = write_foreign};
