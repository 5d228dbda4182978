/* The interface of libbactrian, function by function: values, calls, primitives, limits, failures.
 *
 *     api FOLDER     the bytecode of this folder's *.ml is there */
#include "vm/embed/bactrian.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *folder;

/* ---- What the host offers. ---- */

static struct bactrian_value *host_add(struct bactrian *m, void *context, int count,
                                       struct bactrian_value *const *arguments) {
    assert_int_equal(count, 2);
    return bactrian_int(m, bactrian_get_int(arguments[0]) + bactrian_get_int(arguments[1]));
}

static struct bactrian_value *host_six(struct bactrian *m, void *context, int count,
                                       struct bactrian_value *const *arguments) {
    int64_t digits = 0;
    for (int i = 0; i < count; i++) digits = 10 * digits + bactrian_get_int(arguments[i]);
    return bactrian_int(m, digits);
}

static struct bactrian_value *host_apply(struct bactrian *m, void *context, int count,
                                         struct bactrian_value *const *arguments) {
    struct bactrian_value *result;
    enum bactrian_outcome outcome = bactrian_call(m, arguments[0], 1, &arguments[1], &result);
    if (outcome == BACTRIAN_EXCEPTION) return bactrian_raise(m, bactrian_exception(m));
    /* Once the program has ended, a primitive can only return. */
    if (outcome != BACTRIAN_OK)
        assert_int_equal(bactrian_call(m, arguments[0], 1, &arguments[1], &result), outcome);
    return result;
}

static struct bactrian_value *host_fail(struct bactrian *m, void *context, int count,
                                        struct bactrian_value *const *arguments) {
    return bactrian_fail(m, "host says no");
}

static struct bactrian_value *host_state(struct bactrian *m, void *context, int count,
                                         struct bactrian_value *const *arguments) {
    return bactrian_int(m, ++*(int *)context);
}

static int calls_of_state;
static const struct bactrian_primitive primitives[] = {
    {"host_add", "ii", host_add, NULL},
    {"host_six", "iiiiii", host_six, NULL},
    {"host_apply", "kv", host_apply, NULL},
    {"host_fail", "s", host_fail, NULL},
    {"host_state", "v", host_state, &calls_of_state},
};

/* ---- Helpers. ---- */

static const char *image(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s.byte", folder, name);
    return path;
}

/* A machine whose program has run, with the given outcome. */
static struct bactrian *run(const char *name, struct bactrian_options options,
                            enum bactrian_outcome outcome) {
    struct bactrian_error error;
    options.primitives = primitives;
    options.primitive_count = sizeof primitives / sizeof primitives[0];
    struct bactrian *m = bactrian_open(image(name), &options, &error);
    if (m == NULL) fail_msg("%s", error.text);
    enum bactrian_outcome got = bactrian_run(m);
    if (got != outcome) fail_msg("outcome %d: %s", got, bactrian_error_text(m));
    return m;
}

static struct bactrian *plugin(struct bactrian_options options) {
    return run("plugin", options, BACTRIAN_OK);
}

static const struct bactrian_options nothing;

static enum bactrian_outcome call(struct bactrian *m, const char *name,
                                  struct bactrian_value *argument, struct bactrian_value **result) {
    return bactrian_call(m, bactrian_named(m, name), 1, &argument, result);
}

static struct bactrian_value *good(struct bactrian *m, const char *name,
                                   struct bactrian_value *argument) {
    struct bactrian_value *result;
    if (call(m, name, argument, &result) != BACTRIAN_OK) fail_msg("%s", bactrian_error_text(m));
    return result;
}

static void assert_error(struct bactrian *m, const char *part) {
    if (strstr(bactrian_error_text(m), part) == NULL)
        fail_msg("'%s' is not in '%s'", part, bactrian_error_text(m));
}

struct text {
    char bytes[4096];
    size_t length;
};

static ptrdiff_t append(void *context, const void *from, size_t n) {
    struct text *t = context;
    if (n > 7) n = 7; /* a stream may take less than it is offered */
    if (t->length + n >= sizeof t->bytes) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(t->bytes + t->length, from, n);
    t->length += n;
    t->bytes[t->length] = 0;
    return (ptrdiff_t)n;
}

/* ---- Values. ---- */

static void every_kind_of_value_can_be_read(void **state) {
    static const enum bactrian_kind kinds[] = {
        BACTRIAN_INT,   BACTRIAN_STRING, BACTRIAN_FLOAT,     BACTRIAN_FLOAT_ARRAY,
        BACTRIAN_INT32, BACTRIAN_INT64,  BACTRIAN_NATIVEINT, BACTRIAN_FUNCTION,
        BACTRIAN_BLOCK, BACTRIAN_OTHER};
    struct bactrian *m = plugin(nothing);
    struct bactrian_value *all = good(m, "kinds", bactrian_unit(m));
    assert_int_equal(bactrian_length(all), 10);
    for (int i = 0; i < 10; i++) assert_int_equal(bactrian_kind(bactrian_field(all, i)), kinds[i]);
    char two[8];
    assert_int_equal(bactrian_get_int(bactrian_field(all, 0)), 1);
    assert_int_equal(bactrian_get_string(bactrian_field(all, 1), two, sizeof two), 3);
    assert_string_equal(two, "two");
    assert_int_equal(bactrian_get_string(bactrian_field(all, 1), two, 2), 3);
    assert_string_equal(two, "t");
    assert_true(bactrian_get_float(bactrian_field(all, 2)) == 3.);
    assert_true(bactrian_get_float(bactrian_field(bactrian_field(all, 3), 1)) == 5.);
    for (int i = 4; i < 7; i++) assert_int_equal(bactrian_get_int(bactrian_field(all, i)), i + 2);
    assert_int_equal(bactrian_list_length(bactrian_field(all, 8)), 1);
    assert_null(bactrian_field(all, 10));
    assert_error(m, "no field 10");
    assert_int_equal(bactrian_kind(NULL), BACTRIAN_NONE);
    bactrian_close(m);
}

static void every_kind_of_value_can_be_made(void **state) {
    struct bactrian *m = plugin(nothing);
    char text[8];
    struct bactrian_value *strings[] = {bactrian_string(m, "a\0b", 3), bactrian_text(m, "cd")};
    struct bactrian_value *result;
    assert_int_equal(bactrian_call(m, bactrian_named(m, "concat"), 2, strings, &result),
                     BACTRIAN_OK);
    assert_int_equal(bactrian_get_string(result, text, sizeof text), 5);
    assert_memory_equal(text, "a\0bcd", 6);
    struct bactrian_value *ints[100];
    for (int i = 0; i < 100; i++) ints[i] = bactrian_int(m, i - 20);
    assert_int_equal(bactrian_get_int(good(m, "sum", bactrian_list(m, 100, ints))), 2950);
    assert_int_equal(bactrian_get_int(good(m, "sum", bactrian_list(m, 0, NULL))), 0);
    struct bactrian_value *pair = good(m, "swap", bactrian_block(m, 0, 2, strings));
    assert_int_equal(bactrian_length(bactrian_field(pair, 0)), 2);
    assert_true(bactrian_get_float(good(m, "half", bactrian_float(m, 5))) == 2.5);
    struct bactrian_value *boxed[] = {bactrian_int32(m, -1), bactrian_int64(m, INT64_C(1) << 62),
                                      bactrian_nativeint(m, 3)};
    assert_int_equal(bactrian_get_int(good(m, "boxed", bactrian_block(m, 0, 3, boxed))),
                     (INT64_C(1) << 62) + 2);
    assert_int_equal(bactrian_get_int(bactrian_bool(m, true)), 1);
    bactrian_close(m);
}

static void fields_can_be_changed(void **state) {
    struct bactrian *m = plugin(nothing);
    const double items[] = {1, 2};
    struct bactrian_value *one = bactrian_int(m, 1), *floats = bactrian_float_array(m, 2, items);
    struct bactrian_value *block = bactrian_block(m, 3, 1, &one);
    assert_int_equal(bactrian_tag(block), 3);
    assert_int_equal(bactrian_set_field(block, 0, floats), BACTRIAN_OK);
    assert_int_equal(bactrian_kind(bactrian_field(block, 0)), BACTRIAN_FLOAT_ARRAY);
    assert_int_equal(bactrian_set_field(floats, 1, bactrian_float(m, 7)), BACTRIAN_OK);
    assert_true(bactrian_get_float(bactrian_field(floats, 1)) == 7);
    assert_int_equal(bactrian_set_field(floats, 1, one), BACTRIAN_REFUSED);
    assert_int_equal(bactrian_set_field(block, 1, one), BACTRIAN_REFUSED);
    assert_null(bactrian_block(m, 250, 1, &one));
    bactrian_close(m);
}

/* Values held by handles survive collections, which move them. */
static void handles_follow_their_values(void **state) {
    enum { COUNT = 2000 };
    static struct bactrian_value *kept[COUNT];
    struct bactrian *m = plugin(nothing);
    char text[32], wanted[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "value %d", i);
        kept[i] = bactrian_text(m, text);
        if (i % 100 == 0) good(m, "work", bactrian_int(m, i));
    }
    for (int i = 0; i < COUNT; i++) {
        snprintf(wanted, sizeof wanted, "value %d", i);
        bactrian_get_string(kept[i], text, sizeof text);
        assert_string_equal(text, wanted);
    }
    bactrian_close(m);
}

static void scopes_end_their_handles(void **state) {
    struct bactrian *m = plugin(nothing);
    struct bactrian_value *outer = bactrian_text(m, "outer");
    assert_false(bactrian_close_scope(m));
    assert_true(bactrian_open_scope(m));
    struct bactrian_value *inner = bactrian_text(m, "inner"), *kept = bactrian_keep(inner);
    assert_true(bactrian_close_scope(m));
    assert_int_equal(bactrian_kind(inner), BACTRIAN_NONE);
    assert_null(bactrian_block(m, 0, 1, &inner));
    assert_error(m, "dead");
    assert_int_equal(bactrian_length(kept), 5);
    assert_int_equal(bactrian_length(outer), 5);
    bactrian_release(kept);
    bactrian_release(kept);
    assert_int_equal(bactrian_kind(kept), BACTRIAN_NONE);
    bactrian_close(m);
}

static void handles_of_other_machines_are_refused(void **state) {
    struct bactrian *a = plugin(nothing), *b = plugin(nothing);
    struct bactrian_value *of_a = bactrian_int(a, 1), *result;
    assert_int_equal(call(b, "fib", of_a, &result), BACTRIAN_REFUSED);
    assert_null(result);
    assert_error(b, "another machine");
    assert_int_equal(bactrian_call(b, NULL, 1, &of_a, NULL), BACTRIAN_REFUSED);
    assert_int_equal(bactrian_call(b, bactrian_int(b, 3), 1, &of_a, NULL), BACTRIAN_REFUSED);
    assert_error(b, "not a function");
    bactrian_close(a);
    bactrian_close(b);
}

/* ---- Calls and primitives. ---- */

static void functions_take_several_arguments_or_fewer(void **state) {
    struct bactrian *m = plugin(nothing);
    struct bactrian_value *two[] = {bactrian_int(m, 40), bactrian_int(m, 2)}, *adder, *sum;
    assert_int_equal(bactrian_call(m, bactrian_named(m, "adder"), 2, two, &sum), BACTRIAN_OK);
    assert_int_equal(bactrian_get_int(sum), 42);
    adder = good(m, "adder", two[0]);
    assert_int_equal(bactrian_kind(adder), BACTRIAN_FUNCTION);
    assert_int_equal(bactrian_call(m, adder, 1, &two[1], &sum), BACTRIAN_OK);
    assert_int_equal(bactrian_get_int(sum), 42);
    assert_int_equal(bactrian_call(m, adder, 0, two, &sum), BACTRIAN_REFUSED);
    assert_null(bactrian_named(m, "nobody"));
    assert_error(m, "'nobody'");
    bactrian_close(m);
}

static void primitives_are_called(void **state) {
    struct bactrian *m = plugin(nothing);
    assert_int_equal(bactrian_get_int(good(m, "host_add", bactrian_unit(m))), 42);
    assert_int_equal(bactrian_get_int(good(m, "host_six", bactrian_unit(m))), 123456);
    assert_int_equal(bactrian_get_int(good(m, "host_apply", bactrian_int(m, 4))), 8);
    calls_of_state = 10;
    good(m, "host_state", bactrian_unit(m));
    assert_int_equal(bactrian_get_int(good(m, "host_state", bactrian_unit(m))), 12);
    assert_int_equal(call(m, "host_bad", bactrian_unit(m), NULL), BACTRIAN_EXCEPTION);
    assert_error(m, "host_add");
    assert_int_equal(call(m, "host_six_bad", bactrian_unit(m), NULL), BACTRIAN_EXCEPTION);
    assert_error(m, "host_six was given a value of the wrong kind (it takes iiiiii)");
    bactrian_close(m);
}

static void exceptions_pass_primitives(void **state) {
    struct bactrian *m = plugin(nothing);
    assert_int_equal(bactrian_get_int(good(m, "host_catches", bactrian_unit(m))), 12);
    assert_int_equal(call(m, "host_apply", bactrian_int(m, 101), NULL), BACTRIAN_EXCEPTION);
    assert_error(m, "Stdlib.Exit");
    assert_int_equal(bactrian_get_int(good(m, "host_apply", bactrian_int(m, 4))), 8);
    bactrian_close(m);
}

static void exit_passes_primitives(void **state) {
    struct bactrian *m = plugin(nothing);
    assert_int_equal(call(m, "host_exits", bactrian_unit(m), NULL), BACTRIAN_EXITED);
    assert_int_equal(bactrian_exit_status(m), 9);
    bactrian_close(m);
}

/* ---- How programs end. ---- */

static void exceptions_are_values(void **state) {
    struct bactrian *m = plugin((struct bactrian_options){.backtrace = true});
    char text[1000];
    assert_null(bactrian_exception(m));
    assert_int_equal(call(m, "own", bactrian_int(m, 5), NULL), BACTRIAN_EXCEPTION);
    assert_string_equal(bactrian_error_text(m), "uncaught exception Plugin.Own(5, \"why\")");
    struct bactrian_value *exn = bactrian_exception(m);
    assert_int_equal(bactrian_get_int(bactrian_field(exn, 1)), 5);
    assert_true(bactrian_backtrace(m, text, sizeof text) > 0);
    assert_non_null(strstr(text, "Raised at Plugin"));
    assert_int_equal(bactrian_get_int(good(m, "fib", bactrian_int(m, 10))), 55);
    assert_int_equal(call(m, "missing", bactrian_unit(m), NULL), BACTRIAN_EXCEPTION);
    assert_error(m, "No such file");
    bactrian_close(m);
}

static void a_program_may_fail(void **state) {
    struct text out = {.length = 0};
    struct bactrian *m = run("uncaught",
                             (struct bactrian_options){.output = {append, &out}, .backtrace = true},
                             BACTRIAN_EXCEPTION);
    assert_string_equal(bactrian_error_text(m), "uncaught exception Failure(\"planned\")");
    assert_string_equal(out.bytes, "before");
    char text[1000];
    bactrian_backtrace(m, text, sizeof text);
    assert_non_null(strstr(text, "uncaught.ml"));
    assert_int_equal(bactrian_run(m), BACTRIAN_REFUSED);
    bactrian_close(m);
}

static void a_program_may_exit(void **state) {
    struct text out = {.length = 0};
    struct bactrian *m = run("exits", (struct bactrian_options){.output = {append, &out}},
                             BACTRIAN_EXITED);
    assert_int_equal(bactrian_exit_status(m), 7);
    assert_string_equal(out.bytes, "before after");
    assert_null(bactrian_int64(m, 1));
    assert_error(m, "exit with status 7");
    bactrian_close(m);
    m = plugin(nothing);
    assert_int_equal(call(m, "exit", bactrian_int(m, 3), NULL), BACTRIAN_EXITED);
    assert_int_equal(bactrian_exit_status(m), 3);
    bactrian_close(m);
}

static void memory_is_limited(void **state) {
    struct bactrian *m = plugin((struct bactrian_options){.max_heap_bytes = 32 << 20});
    for (int i = 0; i < 3; i++) {
        assert_int_equal(call(m, "memory", bactrian_unit(m), NULL), BACTRIAN_EXCEPTION);
        assert_error(m, "Out_of_memory");
        good(m, "forget", bactrian_unit(m));
    }
    assert_null(bactrian_string(m, "", SIZE_MAX / 2));
    assert_error(m, "Out_of_memory");
    assert_int_equal(bactrian_get_int(good(m, "fib", bactrian_int(m, 10))), 55);
    struct bactrian_statistics figures;
    assert_int_equal(bactrian_read_statistics(m, &figures), BACTRIAN_OK);
    assert_in_range(figures.top_heap_bytes, 16 << 20, 33 << 20);
    bactrian_close(m);
}

/* The program's constants alone need more. */
static void a_heap_that_holds_no_program_is_an_error(void **state) {
    struct bactrian_options options = {.max_heap_bytes = 4096};
    struct bactrian_error error = {""};
    assert_null(bactrian_open(image("plugin"), &options, &error));
    assert_non_null(strstr(error.text, "memory"));
}

static void stacks_are_limited(void **state) {
    struct bactrian *m = plugin((struct bactrian_options){.max_stack_bytes = 100000});
    assert_int_equal(bactrian_get_int(good(m, "deep", bactrian_int(m, 1000))), 1000);
    assert_int_equal(call(m, "deep", bactrian_int(m, 100000), NULL), BACTRIAN_EXCEPTION);
    assert_error(m, "Stack_overflow");
    assert_int_equal(bactrian_get_int(good(m, "deep", bactrian_int(m, 1000))), 1000);
    bactrian_close(m);
}

static void fuel_is_used_up_and_renewed(void **state) {
    struct bactrian *m = plugin((struct bactrian_options){.fuel = 1000000});
    struct bactrian_statistics figures;
    assert_int_equal(call(m, "forever", bactrian_unit(m), NULL), BACTRIAN_STOPPED);
    assert_error(m, "fuel");
    char text[500];
    assert_true(bactrian_backtrace(m, text, sizeof text) > 0);
    bactrian_read_statistics(m, &figures);
    assert_int_equal(figures.fuel_left, 0);
    assert_int_equal(call(m, "fib", bactrian_int(m, 1), NULL), BACTRIAN_STOPPED);
    assert_int_equal(bactrian_set_fuel(m, 100000), BACTRIAN_OK);
    assert_int_equal(bactrian_get_int(good(m, "fib", bactrian_int(m, 10))), 55);
    bactrian_close(m);
    m = plugin(nothing);
    assert_int_equal(bactrian_set_fuel(m, 1), BACTRIAN_REFUSED);
    bactrian_close(m);
}

static struct bactrian *stopped_by_alarm;
static void on_alarm(int number) { bactrian_request_stop(stopped_by_alarm); }

static void a_request_stops_a_call(void **state) {
#ifdef __SANITIZE_THREAD__
    skip(); /* ThreadSanitizer keeps signals back until the next system call */
#endif
    struct bactrian *m = stopped_by_alarm = plugin(nothing);
    signal(SIGALRM, on_alarm);
    for (int i = 0; i < 3; i++) {
        ualarm(20000, 0);
        assert_int_equal(call(m, "forever", bactrian_unit(m), NULL), BACTRIAN_STOPPED);
        assert_error(m, "requested");
        assert_int_equal(bactrian_get_int(good(m, "fib", bactrian_int(m, 10))), 55);
    }
    bactrian_request_stop(m);
    assert_int_equal(call(m, "fib", bactrian_int(m, 20), NULL), BACTRIAN_STOPPED);
    signal(SIGALRM, SIG_DFL);
    bactrian_close(m);
}

/* ---- Streams, capabilities, arguments. ---- */

static void output_goes_where_it_is_wanted(void **state) {
    struct text out = {.length = 0};
    struct bactrian *m = plugin((struct bactrian_options){.output = {append, &out}});
    good(m, "print", bactrian_text(m, "one, two, three, four"));
    assert_string_equal(out.bytes, "one, two, three, four");
    out.length = sizeof out.bytes - 1;
    assert_int_equal(call(m, "print", bactrian_text(m, "full"), NULL), BACTRIAN_EXCEPTION);
    assert_error(m, "No space left");
    out.length = 0;
    bactrian_flush(m);
    assert_string_equal(out.bytes, "full");
    bactrian_close(m);
}

/* IO2: not even what the buffer held before. */
static void nothing_is_written_to_a_closed_stream(void **state) {
    struct text out = {.length = 0};
    struct bactrian *m = plugin((struct bactrian_options){.output = {append, &out}});
    char text[40];
    bactrian_get_string(good(m, "use_closed", bactrian_unit(m)), text, sizeof text);
    assert_string_equal(text, "Bad file descriptor");
    bactrian_flush(m);
    assert_int_equal(out.length, 0);
    bactrian_close(m);
}

static void output_is_limited(void **state) {
    struct text out = {.length = 0};
    struct bactrian *m = plugin(
        (struct bactrian_options){.output = {append, &out}, .max_output_bytes = 10});
    good(m, "print", bactrian_text(m, "12345"));
    assert_int_equal(call(m, "print", bactrian_text(m, "1234567890"), NULL), BACTRIAN_STOPPED);
    assert_error(m, "output");
    bactrian_close(m);
    assert_string_equal(out.bytes, "1234512345");
}

static ptrdiff_t read_lines(void *context, void *to, size_t n) {
    int *lines = context;
    if (++*lines > 2) return 0;
    memcpy(to, "line\n", 5);
    return 5;
}

static void input_comes_from_a_function(void **state) {
    int lines = 0;
    struct bactrian *m = plugin((struct bactrian_options){.input = {read_lines, &lines}});
    for (int i = 0; i < 2; i++)
        assert_int_equal(bactrian_length(good(m, "read", bactrian_unit(m))), 4);
    assert_int_equal(call(m, "read", bactrian_unit(m), NULL), BACTRIAN_EXCEPTION);
    assert_error(m, "End_of_file");
    bactrian_close(m);
}

static void capabilities_are_granted_and_refused(void **state) {
    struct bactrian_error error;
    struct bactrian *m = plugin((struct bactrian_options){.pure = true});
    assert_int_equal(call(m, "missing", bactrian_unit(m), NULL), BACTRIAN_EXCEPTION);
    assert_error(m, "refused");
    bactrian_close(m);
    m = plugin(nothing);
    assert_int_equal(call(m, "signal", bactrian_unit(m), NULL), BACTRIAN_EXCEPTION);
    assert_error(m, "refused");
    bactrian_close(m);
    m = plugin((struct bactrian_options){.pure = true, .allowed = "signals"});
    good(m, "signal", bactrian_unit(m));
    bactrian_close(m);
    struct bactrian_options wrong = {.denied = "net,nonsense"};
    assert_null(bactrian_open(image("plugin"), &wrong, &error));
    assert_string_equal(error.text, "unknown capability 'nonsense'");
}

static void programs_see_their_name_and_arguments(void **state) {
    const char *const arguments[] = {"one", "two", NULL};
    char text[16];
    struct bactrian *m = plugin((struct bactrian_options){.name = "host", .arguments = arguments});
    struct bactrian_value *sys = good(m, "sys", bactrian_unit(m));
    bactrian_get_string(bactrian_field(sys, 0), text, sizeof text);
    assert_string_equal(text, "host");
    assert_int_equal(bactrian_length(bactrian_field(sys, 1)), 3);
    bactrian_get_string(bactrian_field(bactrian_field(sys, 1), 2), text, sizeof text);
    assert_string_equal(text, "two");
    bactrian_close(m);
}

/* ---- Images. ---- */

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

static void images_may_lie_in_memory(void **state) {
    struct bactrian_error error;
    size_t length;
    char *bytes = read_file(image("plugin"), &length);
    struct bactrian *a = bactrian_open_memory(bytes, length, NULL, &error);
    struct bactrian *b = bactrian_open_memory(bytes, length, NULL, &error);
    assert_int_equal(bactrian_run(a), BACTRIAN_OK);
    assert_int_equal(bactrian_run(b), BACTRIAN_OK);
    assert_int_equal(bactrian_get_int(good(a, "fib", bactrian_int(a, 10))), 55);
    bactrian_close(a);
    assert_int_equal(bactrian_get_int(good(b, "fib", bactrian_int(b, 10))), 55);
    bactrian_close(b);
    free(bytes);
}

static void bad_images_are_errors(void **state) {
    struct bactrian_error error;
    size_t length;
    assert_null(bactrian_open("/nonexistent", NULL, &error));
    assert_non_null(strstr(error.text, "No such file"));
    assert_null(bactrian_open_memory("short", 5, NULL, &error));
    char *bytes = read_file(image("plugin"), &length);
    for (int i = 1; i <= 40; i++) {
        char *cut = malloc(length);
        memcpy(cut, bytes, length);
        memset(cut + length / 41 * (size_t)i, 0xa5, 64);
        struct bactrian *m = bactrian_open_memory(cut, length, NULL, &error);
        if (m == NULL) assert_true(strlen(error.text) > 10);
        bactrian_close(m);
        assert_null(bactrian_open_memory(bytes, length - (size_t)i * 1000, NULL, &error));
        free(cut);
    }
    free(bytes);
    struct bactrian_primitive wrong = {"name", "", host_add, NULL};
    struct bactrian_options options = {.primitives = &wrong, .primitive_count = 1};
    assert_null(bactrian_open(image("plugin"), &options, &error));
    assert_non_null(strstr(error.text, "primitive"));
    bactrian_close(NULL);
}

/* ---- Profiles. ---- */

struct seen {
    uint64_t allocated, freed, locations;
    struct bactrian *m;
};

static void count_allocated(void *context, const struct bactrian_sample *sample) {
    struct seen *seen = context;
    struct bactrian_location location;
    assert_int_equal(sample->id, seen->allocated++);
    for (size_t i = 0; i < sample->depth; i++)
        if (bactrian_find_location(seen->m, sample->call_stack[i], &location))
            seen->locations += strstr(location.file, "plugin.ml") != NULL && location.line > 10;
    /* A tracker must not use the machine. */
    assert_null(bactrian_int(seen->m, 1));
}

static void count_freed(void *context, uint64_t id, bool major) {
    ((struct seen *)context)->freed++;
}

static void trackers_report_samples(void **state) {
    struct bactrian *m = plugin(nothing);
    struct seen seen = {.m = m};
    struct bactrian_tracking tracking = {
        .allocated = count_allocated, .freed = count_freed, .context = &seen};
    struct bactrian_tracker *tracker = bactrian_track(m, 0.01, 64, &tracking);
    assert_non_null(tracker);
    assert_null(bactrian_track(m, 0, 64, &tracking));
    for (int i = 0; i < 10; i++) good(m, "work", bactrian_int(m, i));
    assert_in_range(seen.allocated, 100, 1000000);
    assert_in_range(seen.freed, 10, seen.allocated);
    assert_in_range(seen.locations, 100, UINT64_MAX);
    bactrian_untrack(tracker);
    uint64_t before = seen.allocated;
    good(m, "work", bactrian_int(m, 1));
    assert_int_equal(seen.allocated, before);
    seen.allocated = 0;
    bactrian_track(m, 0.01, 64, &tracking);
    bactrian_text(m, "values created by C code are sampled too");
    bactrian_close(m);
}

static void recordings_are_files(void **state) {
    char path[4096];
    snprintf(path, sizeof path, "%s/api.bprof", folder);
    struct bactrian_recording recording;
    struct bactrian *m = plugin(nothing);
    assert_int_equal(bactrian_record(m, "/nonexistent/file", 0.01), BACTRIAN_REFUSED);
    assert_error(m, "No such file");
    assert_int_equal(bactrian_record(m, path, 2), BACTRIAN_REFUSED);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bactrian_record(m, path, 0.01), BACTRIAN_OK);
        assert_int_equal(bactrian_record(m, path, 0.01), BACTRIAN_REFUSED);
        good(m, "work", bactrian_int(m, 1));
        assert_int_equal(bactrian_stop_recording(m, &recording), BACTRIAN_OK);
        assert_true(recording.samples > 100 && !recording.failed);
        assert_int_equal(bactrian_stop_recording(m, &recording), BACTRIAN_REFUSED);
    }
    bactrian_record(m, path, 0.01);
    bactrian_close(m); /* completes it */
}

static void read_handlers(sighandler_t *handlers) {
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigaction(number, NULL, &action);
        handlers[number] = action.sa_handler;
    }
}

static void the_process_is_left_alone(void **state) {
    static sighandler_t before[NSIG], after[NSIG];
    read_handlers(before);
    struct bactrian *m = plugin((struct bactrian_options){.fuel = 100000000});
    bactrian_record(m, "/dev/null", 0.01);
    good(m, "work", bactrian_int(m, 1));
    call(m, "forever", bactrian_unit(m), NULL);
    read_handlers(after);
    assert_memory_equal(before, after, sizeof before);
    bactrian_close(m);
    assert_string_equal(bactrian_version(), "0.1.0");
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_can_be_read),
        cmocka_unit_test(every_kind_of_value_can_be_made),
        cmocka_unit_test(fields_can_be_changed),
        cmocka_unit_test(handles_follow_their_values),
        cmocka_unit_test(scopes_end_their_handles),
        cmocka_unit_test(handles_of_other_machines_are_refused),
        cmocka_unit_test(functions_take_several_arguments_or_fewer),
        cmocka_unit_test(primitives_are_called),
        cmocka_unit_test(exceptions_pass_primitives),
        cmocka_unit_test(exit_passes_primitives),
        cmocka_unit_test(exceptions_are_values),
        cmocka_unit_test(a_program_may_fail),
        cmocka_unit_test(a_program_may_exit),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(a_heap_that_holds_no_program_is_an_error),
        cmocka_unit_test(stacks_are_limited),
        cmocka_unit_test(fuel_is_used_up_and_renewed),
        cmocka_unit_test(a_request_stops_a_call),
        cmocka_unit_test(output_goes_where_it_is_wanted),
        cmocka_unit_test(nothing_is_written_to_a_closed_stream),
        cmocka_unit_test(output_is_limited),
        cmocka_unit_test(input_comes_from_a_function),
        cmocka_unit_test(capabilities_are_granted_and_refused),
        cmocka_unit_test(programs_see_their_name_and_arguments),
        cmocka_unit_test(images_may_lie_in_memory),
        cmocka_unit_test(bad_images_are_errors),
        cmocka_unit_test(trackers_report_samples),
        cmocka_unit_test(recordings_are_files),
        cmocka_unit_test(the_process_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
