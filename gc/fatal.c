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

void gc_vtell_fatal(const char *format, va_list arguments) {
    struct gc_catcher *c = catcher;
    char text[1000];
    if (c != NULL) {
        catcher = c->outer;
        vsnprintf(c->text, sizeof c->text, format, arguments);
        _longjmp(c->escape, 1);
    }
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "Fatal error: %s\n", text); /* at once: others write there, too */
}

void gc_tell_fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    gc_vtell_fatal(format, arguments);
    va_end(arguments);
}
