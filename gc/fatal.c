/* fatal.c - see fatal.h. What belongs to a thread of the system is thread-local: nobody who runs
 * out of memory deep inside can be handed a catcher. */
#include "gc/fatal.h"

#include <stdio.h>

static __thread struct gc_catcher *catcher;

void gc_catch(struct gc_catcher *new) {
    new->outer = catcher;
    catcher = new;
}

void gc_uncatch(struct gc_catcher *old) { catcher = old->outer; }

void gc_escape(const char *text) {
    struct gc_catcher *c = catcher;
    if (c == NULL) return;
    catcher = c->outer;
    snprintf(c->text, sizeof c->text, "%s", text);
    _longjmp(c->escape, 1);
}
