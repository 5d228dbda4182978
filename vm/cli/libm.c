/* libm.c - the functions of libm, for the command: libm is loaded when one of them is first called.
 *
 * Most programs never call one, and loading libm makes 0.4 MB of it resident: its own constructors
 * choose between variants of its functions. The command defines functions with libm's names, so
 * that no caller needs to know; each looks up the real one at its first call. Libraries of C code
 * do not see them: before the first one is opened libm itself is loaded (vm/image/dll.c). */
#include "vm/base/os.h"

#include <dlfcn.h>
#include <fenv.h>
#include <gnu/lib-names.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#ifndef __clang__
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif

static void *open_libm(void) { return dlopen(LIBM_SO, RTLD_NOW | RTLD_NODELETE); }

/* Of a thread: opens it with a copy of the process's descriptors, one of which is closed. */
static void *open_apart(void *unused) {
    (void)unused;
    if (unshare(CLONE_FILES) != 0) return NULL;
    close(STDIN_FILENO);
    return open_libm();
}

/* The program may have opened as many files as it may. */
static void *load(void) {
    void *libm = open_libm();
    pthread_t thread;
    sigset_t all, old;
    if (libm != NULL) return libm;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for the program's threads */
    if (pthread_create(&thread, NULL, open_apart, NULL) == 0) pthread_join(thread, &libm);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return libm;
}

static __attribute__((noinline, cold)) void *look_up(_Atomic(void *) *known, const char *name) {
    void *libm = load();
    void *function = libm != NULL ? dlsym(libm, name) : NULL;
    if (function == NULL) vm_fatal("%s: check the limits of memory and of threads", dlerror());
    atomic_store_explicit(known, function, memory_order_release);
    return function;
}

#define FUNCTION(type, name, parameters, arguments)                                   \
    __attribute__((visibility("hidden"))) type name parameters {                      \
        static _Atomic(void *) known;                                                 \
        void *function = atomic_load_explicit(&known, memory_order_acquire);          \
        if (__builtin_expect(function == NULL, 0)) function = look_up(&known, #name); \
        return ((type(*) parameters)function)arguments;                               \
    }
#define UNARY(name)  FUNCTION(double, name, (double x), (x))
#define BINARY(name) FUNCTION(double, name, (double x, double y), (x, y))

UNARY(acos)
UNARY(acosh)
UNARY(asin)
UNARY(asinh)
UNARY(atan)
UNARY(atanh)
UNARY(cbrt)
UNARY(ceil)
UNARY(cos)
UNARY(cosh)
UNARY(erf)
UNARY(erfc)
UNARY(exp)
UNARY(exp2)
UNARY(expm1)
UNARY(floor)
UNARY(log)
UNARY(log10)
UNARY(log1p)
UNARY(log2)
UNARY(rint)
UNARY(round)
UNARY(sin)
UNARY(sinh)
UNARY(sqrt)
UNARY(tan)
UNARY(tanh)
UNARY(trunc)
BINARY(atan2)
BINARY(fmax)
BINARY(fmin)
BINARY(fmod)
BINARY(hypot)
BINARY(nextafter)
BINARY(pow)
FUNCTION(double, fma, (double x, double y, double z), (x, y, z))
FUNCTION(long long, llrint, (double x), (x))
FUNCTION(long long, llround, (double x), (x))
FUNCTION(int, fegetround, (void), ())
