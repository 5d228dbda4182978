/* assert.h - ASSERT(condition): what the code relies on, stated where it relies on it.
 *
 * On in builds with -Dassertions=true (debug, sanitizer, stress and fuzz builds); otherwise the
 * condition is compiled but not evaluated. Every layer may include this file. Never on input, and
 * never with a side effect: what a program, a file or an option can cause is an error, not an
 * assertion. A comment at the line names the invariant. */
#ifndef BACTRIAN_GC_ASSERT_H
#define BACTRIAN_GC_ASSERT_H

#ifdef BACTRIAN_ASSERTIONS
#include <stdio.h>
#include <stdlib.h>

/* Reports the assertion on standard error and aborts. */
static __attribute__((cold, noinline, noreturn, unused)) void assertion_failed(
    const char *condition, const char *file, int line, const char *function) {
    fprintf(stderr, "%s:%d: %s: assertion failed: %s\n", file, line, function, condition);
    abort();
}
#define ASSERT(condition)               \
    (__builtin_expect(!!(condition), 1) \
         ? (void)0                      \
         : assertion_failed(#condition, __FILE__, __LINE__, __func__))
#else
#define ASSERT(condition) ((void)(0 && (condition)))
#endif

#endif
