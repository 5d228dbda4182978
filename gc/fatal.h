/* fatal.h - where nothing is left but to end: no memory for what the collector or the machine needs
 * for itself.
 *
 * Whoever finds that out says so and ends the process, unless the thread has a catcher: an embedder
 * of machines, whose process goes on. What was being done then stays half done, so the machine that
 * it was done to must not be used any more. */
#ifndef BACTRIAN_GC_FATAL_H
#define BACTRIAN_GC_FATAL_H

#include <setjmp.h>
#include <stdarg.h>

struct gc_catcher {
    struct gc_catcher *outer; /* of the same thread */
    jmp_buf escape;           /* set by the owner, with _setjmp, before gc_catch */
    char text[200];
};

/* From gc_catch to gc_uncatch what is fatal in this thread fills text and jumps to escape, where
 * the catcher is no longer in use. They nest. GC: never. */
void gc_catch(struct gc_catcher *catcher);
void gc_uncatch(struct gc_catcher *catcher);
/* Goes to the thread's innermost catcher; if there is none, tells it on stderr and returns.
 * GC: never. */
void gc_tell_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
void gc_vtell_fatal(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

#endif
