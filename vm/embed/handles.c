/* handles.c - handles and their scopes (bactrian.h; EM2 in embed_internal.h).
 *
 * A scope is a list of handles. The current one is the innermost of the code that controls the
 * machine. Scopes are not a stack, since several threads of the program may be inside primitives,
 * each with its own. A dead handle is reused but never freed, so that a stale one is recognised
 * until then. */
#include "vm/embed/embed_internal.h"

#include <stdlib.h>

static struct bactrian_value *handle_in(struct bactrian *m, struct scope *scope, value v) {
    struct bactrian_value *h = m->free_handles;
    if (h != NULL) m->free_handles = h->next;
    else if ((h = malloc(sizeof *h)) == NULL) {
        embed_fail(m, BACTRIAN_REFUSED, "out of memory");
        return NULL;
    }
    *h = (struct bactrian_value){.v = v, .machine = m, .next = scope->first, .scope = scope};
    if (h->next != NULL) {
        ASSERT(h->next->scope == scope && h->next->previous == NULL); /* EM2 */
        h->next->previous = h;
    }
    scope->first = h;
    return h;
}

struct bactrian_value *embed_handle(struct bactrian *m, value v) {
    return handle_in(m, m->scope, v);
}

/* Puts a handle that its scope no longer lists into the free list. */
static void free_handle(struct bactrian *m, struct bactrian_value *h) {
    ASSERT(h->machine == m); /* EM2 */
    h->machine = NULL;
    h->v = VAL_UNIT;
    h->next = m->free_handles;
    m->free_handles = h;
}

void bactrian_release(struct bactrian_value *h) {
    if (h == NULL || h->machine == NULL || !h->machine->usable) return;
    if (h->next != NULL) h->next->previous = h->previous;
    if (h->previous != NULL) h->previous->next = h->next;
    else h->scope->first = h->next;
    free_handle(h->machine, h);
}

struct bactrian_value *bactrian_keep(const struct bactrian_value *h) {
    value v;
    if (!embed_value(NULL, h, &v)) return NULL;
    return handle_in(h->machine, &h->machine->all, v);
}

bool embed_value(struct bactrian *m, const struct bactrian_value *h, value *out) {
    struct bactrian *owner = h == NULL ? NULL : h->machine;
    if (owner != NULL && owner->usable && (m == NULL || m == owner)) {
        *out = h->v;
        return true;
    }
    if (m == NULL || !m->usable) return false;
    const char *what = h == NULL       ? "NULL was passed as a value"
                       : owner == NULL ? "the handle is dead"
                                       : "the handle belongs to another machine";
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
    ASSERT(scope != &m->all && scope->previous != NULL);
    for (struct bactrian_value *h = scope->first, *next; h != NULL; h = next) {
        next = h->next;
        free_handle(m, h);
    }
    scope->previous->next = scope->next;
    if (scope->next != NULL) scope->next->previous = scope->previous;
    free(scope);
}

void embed_close_scope(struct bactrian *m, struct scope *scope) {
    struct scope *outer = scope->outer;
    while (m->scope != scope) {
        ASSERT(m->scope != &m->all);
        struct scope *left_open = m->scope;
        m->scope = left_open->outer;
        free_scope(m, left_open);
    }
    m->scope = outer;
    free_scope(m, scope);
}

bool bactrian_open_scope(struct bactrian *m) {
    struct scope *scope = m->usable ? embed_open_scope(m) : NULL;
    if (scope == NULL) return false;
    scope->by_embedder = true;
    return true;
}

bool bactrian_close_scope(struct bactrian *m) {
    if (!m->usable || !m->scope->by_embedder) return false;
    embed_close_scope(m, m->scope);
    return true;
}

/* ---- Scanning and freeing. ---- */

void embed_scan(void *context, struct gc_visitor *visitor) {
    struct bactrian *m = context;
    gc_visit(visitor, &m->exception);
    for (struct scope *scope = &m->all; scope != NULL; scope = scope->next) {
        gc_visit(visitor, &scope->pending);
        for (struct bactrian_value *h = scope->first; h != NULL; h = h->next)
            gc_visit(visitor, &h->v);
    }
}

static void free_list(struct bactrian_value *h) {
    for (struct bactrian_value *next; h != NULL; h = next) {
        next = h->next;
        free(h);
    }
}

void embed_free_handles(struct bactrian *m) {
    while (m->all.next != NULL) free_scope(m, m->all.next);
    free_list(m->all.first);
    free_list(m->free_handles);
}
