/* handles.c - handles and their scopes (bactrian.h; EM2 in embed_internal.h).
 *
 * A scope is a list of handles. The current one is the innermost of the code that has the machine:
 * threads of the program may be in the midst of primitives, each with its own, so scopes are no
 * stack. A dead handle is used again, but stays readable, so that a stale one is refused as long as
 * it is not in use. */
#include "vm/embed/embed_internal.h"

#include <stdlib.h>

static void link_handle(struct scope *scope, struct bactrian_value *h) {
    h->scope = scope;
    h->previous = NULL;
    h->next = scope->first;
    if (h->next != NULL) h->next->previous = h;
    scope->first = h;
}

static struct bactrian_value *handle_in(struct bactrian *m, struct scope *scope, value v) {
    struct bactrian_value *h = m->free_handles;
    if (h != NULL) m->free_handles = h->next;
    else if ((h = malloc(sizeof *h)) == NULL) {
        embed_fail(m, BACTRIAN_REFUSED, "no memory for a handle");
        return NULL;
    }
    h->v = v;
    h->machine = m;
    link_handle(scope, h);
    return h;
}

struct bactrian_value *embed_handle(struct bactrian *m, value v) {
    return handle_in(m, m->scope, v);
}

static void drop(struct bactrian *m, struct bactrian_value *h) {
    h->machine = NULL;
    h->v = VAL_UNIT;
    h->next = m->free_handles;
    m->free_handles = h;
}

void bactrian_release(struct bactrian_value *h) {
    if (h == NULL || h->machine == NULL || !h->machine->allowed) return;
    if (h->next != NULL) h->next->previous = h->previous;
    if (h->previous != NULL) h->previous->next = h->next;
    else h->scope->first = h->next;
    drop(h->machine, h);
}

struct bactrian_value *bactrian_keep(const struct bactrian_value *h) {
    value v;
    if (!embed_value(NULL, h, &v)) return NULL;
    return handle_in(h->machine, &h->machine->all, v);
}

bool embed_value(struct bactrian *m, const struct bactrian_value *h, value *out) {
    struct bactrian *owner = h == NULL ? NULL : h->machine;
    if (owner != NULL && owner->allowed && (m == NULL || m == owner)) {
        *out = h->v;
        return true;
    }
    if (m == NULL || !m->allowed) return false;
    const char *what = h == NULL       ? "NULL was passed for a value"
                       : owner == NULL ? "the handle is dead"
                                       : "the handle is another machine's";
    embed_fail(m, BACTRIAN_REFUSED, "%s", what);
    return false;
}

/* ---- Scopes. ---- */

struct scope *embed_open_scope(struct bactrian *m) {
    struct scope *scope = malloc(sizeof *scope);
    if (scope == NULL) return NULL;
    *scope = (struct scope){
        .outer = m->scope, .next = m->all.next, .previous = &m->all, .pending = VAL_UNIT};
    if (scope->next != NULL) scope->next->previous = scope;
    m->all.next = scope;
    return m->scope = scope;
}

static void free_scope(struct bactrian *m, struct scope *scope) {
    for (struct bactrian_value *h = scope->first, *next; h != NULL; h = next) {
        next = h->next;
        drop(m, h);
    }
    scope->previous->next = scope->next;
    if (scope->next != NULL) scope->next->previous = scope->previous;
    free(scope);
}

void embed_close_scope(struct bactrian *m, struct scope *scope) {
    struct scope *outer = scope->outer;
    while (m->scope != scope) {
        struct scope *left_open = m->scope;
        m->scope = left_open->outer;
        free_scope(m, left_open);
    }
    m->scope = outer;
    free_scope(m, scope);
}

bool bactrian_open_scope(struct bactrian *m) {
    struct scope *scope = m->allowed ? embed_open_scope(m) : NULL;
    if (scope == NULL) return false;
    scope->by_embedder = true;
    return true;
}

bool bactrian_close_scope(struct bactrian *m) {
    if (!m->allowed || !m->scope->by_embedder) return false;
    embed_close_scope(m, m->scope);
    return true;
}

/* ---- The collector, and the end. ---- */

void embed_scan(void *context, struct gc_visitor *visitor) {
    struct bactrian *m = context;
    gc_visit(visitor, &m->exception.v);
    for (struct scope *scope = &m->all; scope != NULL; scope = scope->next) {
        gc_visit(visitor, &scope->pending);
        for (struct bactrian_value *h = scope->first; h != NULL; h = h->next)
            gc_visit(visitor, &h->v);
    }
}

void embed_free_handles(struct bactrian *m) {
    while (m->all.next != NULL) free_scope(m, m->all.next);
    for (struct bactrian_value *h = m->all.first, *next; h != NULL; h = next) {
        next = h->next;
        free(h);
    }
    for (struct bactrian_value *h = m->free_handles, *next; h != NULL; h = next) {
        next = h->next;
        free(h);
    }
}
