/* fatal.h - errors that end the process, or a machine: the collector or the machine itself is out
 * of memory.
 *
 * The error is printed and the process ends, unless the thread has a catcher: an embedder whose
 * process continues. Its machine was left in the middle of an operation and must not be used
 * again. */
#ifndef BACTRIAN_GC_FATAL_H
#define BACTRIAN_GC_FATAL_H

#include <setjmp.h>
#include <stdarg.h>

struct gc_catcher {
    struct gc_catcher *outer; /* of the same thread */
    jmp_buf escape;           /* set by the owner, with _setjmp, before gc_catch */
    char text[200];
};

/* From gc_catch to gc_uncatch a fatal error in this thread fills text, removes the catcher and
 * jumps to escape. Catchers nest. GC: never. */
void gc_catch(struct gc_catcher *catcher);
void gc_uncatch(struct gc_catcher *catcher);
/* Jumps to the thread's innermost catcher; if there is none, prints the error on standard error and
 * returns. GC: never. */
void gc_vreport_fatal(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

#endif
