/* abi.c - C functions with every class of arguments and results of the x86-64 ABI, for the tests of
 * module Ffi. Results are such that a misplaced argument changes them: each is weighted by its
 * position. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Types, named as in abi_structures.ml. ---- */

struct one_char {
    char a;
};
struct three_bytes {
    uint8_t a, b, c;
};
struct two_ints {
    int32_t a, b;
};
struct three_ints {
    int32_t a, b, c;
};
struct one_double {
    double a;
};
struct two_floats {
    float a, b;
};
struct three_floats {
    float a, b, c;
};
struct int_float {
    int32_t a;
    float b;
};
struct int_double {
    int64_t a;
    double b;
};
struct double_int {
    double a;
    int32_t b;
};
struct two_longs {
    int64_t a, b;
};
struct three_longs {
    int64_t a, b, c;
};
struct five_doubles {
    double a, b, c, d, e;
};
struct one_long_double {
    long double a;
};
struct nested {
    char tag;
    struct two_ints inner;
};
struct with_array {
    int16_t values[3];
};
struct float_array {
    float values[4];
};
struct big_array {
    int32_t n;
    uint8_t bytes[100];
};
struct pointer_and_size {
    size_t size, data;
};
struct padded {
    char a;
    struct {
        char b;
        float c;
    } inner;
};
union int_or_float {
    int32_t i;
    float f;
};
union two_doubles {
    double d[2];
    float f;
};
union long_or_doubles {
    int64_t n;
    double d[2];
};
struct vtable {
    int (*triple)(int);
    int (*nothing)(int);
};

/* ---- One scalar in, one out. ---- */

#define NEXT(type, name) \
    type next_##name(type x) { return (type)(x + 1); }
NEXT(int8_t, int8)
NEXT(uint8_t, uint8)
NEXT(int16_t, int16)
NEXT(uint16_t, uint16)
NEXT(int32_t, int32)
NEXT(uint32_t, uint32)
NEXT(int64_t, int64)
NEXT(uint64_t, uint64)
NEXT(char, char)
NEXT(float, float)
NEXT(double, double)
NEXT(long double, long_double)
_Bool negate(_Bool x) { return !x; }
float _Complex square_cf(float _Complex z) { return z * z; }
double _Complex square_cd(double _Complex z) { return z * z; }
void *same_pointer(void *p) { return p; }
void store_int(int *at, int n) { *at = n; }
int forty_two(void) { return 42; }
int counter = 7;
const char *const greeting = "hello from C";

/* Whole registers, as the ABI wants narrow arguments extended. */
long wide_of_int8(int8_t x) { return x; }
long wide_of_uint16(uint16_t x) { return x; }

/* ---- More arguments than registers. ---- */

long ten_ints(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g,
              uint64_t h, int8_t i, int64_t j) {
    return a + 2L * b + 3L * c + 4L * d + 5L * e + 6L * f + 7 * g + 8 * (long)h + 9L * i + 10 * j;
}

double ten_doubles(double a, float b, double c, float d, double e, float f, double g, float h,
                   double i, float j) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

double mixed(int a, double b, int64_t c, float d, uint8_t e, double f, int16_t g, double h, long i,
             double j, char k, double l, int m, double n, long double o, double p, double q,
             int r) {
    return a + 2 * b + 3 * (double)c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * (double)i +
           10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * (double)o + 16 * p + 17 * q + 18 * r;
}

/* ---- Structures by value. ---- */

#define TURN(name, ...)                      \
    struct name turn_##name(struct name s) { \
        return (struct name)__VA_ARGS__;     \
    }
TURN(one_char, {(char)(s.a + 1)})
TURN(three_bytes, {s.c, s.a, s.b})
TURN(two_ints, {s.b, s.a})
TURN(three_ints, {s.c, s.a, s.b})
TURN(one_double, {s.a * 2})
TURN(two_floats, {s.b, s.a})
TURN(three_floats, {s.c, s.a, s.b})
TURN(int_float, {(int32_t)s.b, (float)s.a})
TURN(int_double, {(int64_t)s.b, (double)s.a})
TURN(double_int, {(double)s.b, (int32_t)s.a})
TURN(two_longs, {s.b, s.a})
TURN(three_longs, {s.c, s.a, s.b})
TURN(five_doubles, {s.e, s.a, s.b, s.c, s.d})
TURN(one_long_double, {s.a * 2})
TURN(nested, {(char)(s.tag + 1), {s.inner.b, s.inner.a}})
TURN(with_array, {{s.values[2], s.values[0], s.values[1]}})
TURN(float_array, {{s.values[3], s.values[0], s.values[1], s.values[2]}})
TURN(big_array, {s.n + 1, {s.bytes[99], s.bytes[0]}})
TURN(pointer_and_size, {s.data, s.size})
TURN(padded, {(char)(s.a + 1), {(char)(s.inner.b + 1), s.inner.c * 2}})

union int_or_float turn_int_or_float(union int_or_float u) {
    u.i++;
    return u;
}
union two_doubles turn_two_doubles(union two_doubles u) {
    double first = u.d[0];
    u.d[0] = u.d[1];
    u.d[1] = first;
    return u;
}
union long_or_doubles turn_long_or_doubles(union long_or_doubles u) {
    u.n++;
    u.d[1] *= 2;
    return u;
}

/* Structures after the registers are used up, and between other arguments. */
double structs_among(int a, struct int_double b, double c, struct two_ints d, struct five_doubles e,
                     struct two_floats f, struct int_double g, struct int_double h,
                     struct two_longs i, int j) {
    return a + 2 * (double)b.a + 3 * b.b + 4 * c + 5 * d.a + 6 * d.b + 7 * e.a + 8 * e.e + 9 * f.a +
           10 * f.b + 11 * (double)g.a + 12 * g.b + 13 * (double)h.a + 14 * h.b + 15 * (double)i.a +
           16 * (double)i.b + 17 * j;
}

/* ---- Variadic. ---- */

double variadic_sum(int n, const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (kinds[i] == 'i') sum += (i + 1) * va_arg(list, int);
        else if (kinds[i] == 'l') sum += (double)(i + 1) * (double)va_arg(list, long);
        else if (kinds[i] == 's') sum += (i + 1) * (double)strlen(va_arg(list, char *));
        else sum += (i + 1) * va_arg(list, double);
    }
    va_end(list);
    return sum;
}

/* ---- Callbacks. ---- */

int call_int(int (*f)(int), int x) { return f(x); }
int call_twice(int (*f)(int), int x) { return f(x) + 100 * f(x + 1); }
void call_void(void (*f)(void)) { f(); }
double call_mixed(double (*f)(int8_t, uint16_t, float, double, int64_t, const char *, void *, int,
                              int, double)) {
    return f(-1, 65535, 1.5f, 2.5, -4000000000, "text", NULL, 7, 8, 9.25);
}
int8_t call_int8(int8_t (*f)(int8_t), int8_t x) { return f(x); }
uint16_t call_uint16(uint16_t (*f)(uint16_t), uint16_t x) { return f(x); }
float call_float(float (*f)(float), float x) { return f(x); }
long double call_long_double(long double (*f)(long double), long double x) { return f(x); }
struct two_ints call_two_ints(struct two_ints (*f)(struct two_ints), struct two_ints s) {
    return f(s);
}
struct int_double call_int_double(struct int_double (*f)(struct int_double), struct int_double s) {
    return f(s);
}
struct five_doubles call_five_doubles(struct five_doubles (*f)(struct five_doubles),
                                      struct five_doubles s) {
    return f(s);
}

static int (*kept)(int);
void keep(int (*f)(int)) { kept = f; }
int call_kept(int x) { return kept(x); }
int (*give_back(void))(int) { return kept; }

static int triple(int x) { return 3 * x; }
int (*a_function(void))(int) { return triple; }
int (*no_function(void))(int) { return NULL; }
struct vtable the_vtable = {triple, NULL};

/* How often f was called, although its results say that it failed. */
int count_calls(int (*f)(int), int n) {
    int zeros = 0;
    for (int i = 0; i < n; i++) zeros += f(i) == 0;
    return zeros;
}

/* The same in a thread that is not registered with OCaml. */
struct thread_call {
    int (*f)(int);
    int x;
};
static void *run_thread(void *context) {
    struct thread_call *call = context;
    call->x = call->f(call->x);
    return NULL;
}
int call_in_thread(int (*f)(int), int x) {
    struct thread_call call = {f, x};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_thread, &call) != 0) return -1;
    pthread_join(thread, NULL);
    return call.x;
}

/* n calls in another thread, while the caller continues. */
static struct thread_call started;
static int started_is_over;
static void *run_calls(void *context) {
    struct thread_call *call = context;
    for (int i = 0; i < call->x; i++) call->f(i);
    __atomic_store_n(&started_is_over, 1, __ATOMIC_RELEASE);
    return NULL;
}
void start_calls(int (*f)(int), int n) {
    pthread_t thread;
    started = (struct thread_call){f, n};
    if (pthread_create(&thread, NULL, run_calls, &started) == 0) pthread_detach(thread);
}
int calls_over(void) { return __atomic_load_n(&started_is_over, __ATOMIC_ACQUIRE); }

/* A barrier: waits until n threads are in it at the same time. */
void meet(int n) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
    static int came;
    pthread_mutex_lock(&mutex);
    if (++came >= n) pthread_cond_broadcast(&all);
    while (came < n) pthread_cond_wait(&all, &mutex);
    pthread_mutex_unlock(&mutex);
}

/* ---- Memory, strings, errno. ---- */

char *new_text(void) { return strdup("allocated in C"); }
static int freed;
void free_text(char *text) {
    freed++;
    free(text);
}
int freed_texts(void) { return freed; }
void upper(char *text) {
    for (; *text != 0; text++)
        if (*text >= 'a' && *text <= 'z') *text -= 32;
}
char *null_text(void) { return NULL; }
long sum_bytes(const unsigned char *p, size_t n) {
    long sum = 0;
    for (size_t i = 0; i < n; i++) sum += p[i];
    return sum;
}
int fail_with(int number) {
    errno = number;
    return -1;
}
uint64_t largest(void) { return UINT64_MAX; }
int64_t least(void) { return INT64_MIN; }
