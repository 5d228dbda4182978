/* control_stubs.c - stubs that raise, call back, wait and marshal: one or more calls of each
 * exported function of control.c, marshal.c and state.c. The OCaml side is control.ml. */
#define CAML_NAME_SPACE
#define CAML_INTERNALS
#include <caml/alloc.h>
#include <caml/backtrace.h>
#include <caml/callback.h>
#include <caml/custom.h>
#include <caml/debugger.h>
#include <caml/fail.h>
#include <caml/intext.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/printexc.h>
#include <caml/signals.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Exceptions. ---- */

value t_raise(value which, value exn) {
    CAMLparam2(which, exn);
    CAMLlocalN(arguments, 2);
    const value *tag = caml_named_value("T.Pair");
    arguments[0] = caml_copy_string("one");
    arguments[1] = caml_copy_string("two");
    switch (Int_val(which)) {
    case 0: caml_raise(exn);
    case 1: caml_raise_constant(*caml_named_value("T.Constant"));
    case 2: caml_raise_with_arg(*caml_named_value("T.One"), arguments[0]);
    case 3: caml_raise_with_args(*tag, 2, arguments);
    case 4: caml_raise_with_string(*caml_named_value("T.One"), "text");
    case 5: caml_failwith("failure");
    case 6: caml_failwith_value(arguments[0]);
    case 7: caml_invalid_argument("invalid");
    case 8: caml_invalid_argument_value(arguments[1]);
    case 9: caml_array_bound_error();
    case 10: caml_raise_out_of_memory();
    case 11: caml_raise_stack_overflow();
    case 12: caml_raise_sys_error(arguments[0]);
    case 13: caml_raise_sys_blocked_io();
    case 14: caml_raise_end_of_file();
    case 15: caml_raise_zero_divide();
    case 16: caml_raise_not_found();
    case 17: caml_stat_alloc((asize_t)1 << 62);
    }
    CAMLreturn(Val_unit);
}

value t_format_exception(value exn) {
    CAMLparam1(exn);
    CAMLlocal1(s);
    char *text = caml_format_exception(exn);
    s = caml_copy_string(text);
    caml_stat_free(text);
    CAMLreturn(s);
}

value t_fatal(value unit) { caml_fatal_error("the library gives up: %d", 42); }

/* ---- Callbacks. ---- */

value t_call(value f, value n, value a) {
    CAMLparam3(f, n, a);
    CAMLlocalN(arguments, 40);
    for (int i = 0; i < 40; i++) arguments[i] = caml_alloc_sprintf("%s%d", String_val(a), i);
    switch (Int_val(n)) {
    case 1: CAMLreturn(caml_callback(f, arguments[0]));
    case 2: CAMLreturn(caml_callback2(f, arguments[0], arguments[1]));
    case 3: CAMLreturn(caml_callback3(f, arguments[0], arguments[1], arguments[2]));
    default: CAMLreturn(caml_callbackN(f, Int_val(n), arguments));
    }
}

/* The result or the exception's text, after which the locals must still be there. */
value t_call_exn(value f, value n, value a) {
    CAMLparam3(f, n, a);
    CAMLlocal3(result, kept, pair);
    CAMLlocalN(arguments, 5);
    kept = caml_alloc_sprintf("kept %s", String_val(a));
    for (int i = 0; i < 5; i++) arguments[i] = a;
    switch (Int_val(n)) {
    case 1: result = caml_callback_exn(f, a); break;
    case 2: result = caml_callback2_exn(f, a, a); break;
    case 3: result = caml_callback3_exn(f, a, a, a); break;
    default: result = caml_callbackN_exn(f, Int_val(n), arguments); break;
    }
    if (Is_exception_result(result)) {
        result = Extract_exception(result);
        result = caml_copy_string(caml_format_exception(result));
    }
    pair = caml_alloc_tuple(2);
    Store_field(pair, 0, kept);
    Store_field(pair, 1, result);
    CAMLreturn(pair);
}

/* C and OCaml call each other, n levels deep; each level has a root that it checks afterwards. */
value t_nest(value f, value n) {
    CAMLparam2(f, n);
    CAMLlocal2(own, result);
    own = caml_alloc_sprintf("level %ld", Long_val(n));
    result = caml_callback(f, n);
    char expected[30];
    snprintf(expected, sizeof expected, "level %ld", Long_val(n));
    if (strcmp(String_val(own), expected) != 0) caml_failwith("a root was lost");
    CAMLreturn(result);
}

value t_named(value name) {
    const value *v = caml_named_value(String_val(name));
    return Val_bool(v != NULL && v == caml_named_value(String_val(name)));
}

value t_method(value object, value argument) {
    CAMLparam2(object, argument);
    value method = caml_get_public_method(object, caml_hash_variant("twice"));
    if (method == 0) CAMLreturn(Val_int(-1));
    CAMLreturn(caml_callback2(method, object, argument));
}

/* ---- Blocking sections, signals. ---- */

value t_block(value seconds) {
    caml_enter_blocking_section();
    errno = 0;
    int left = usleep(Double_val(seconds) * 1e6);
    caml_leave_blocking_section();
    return Val_int(left == -1 ? errno : 0);
}

value t_block_no_pending(value unit) {
    caml_enter_blocking_section_no_pending();
    errno = ENOENT;
    caml_leave_blocking_section();
    return Val_int(errno == ENOENT);
}

static long entered, left;
static void (*enter_before)(void), (*leave_before)(void);
static void count_enter(void) {
    entered++;
    enter_before();
}
static void count_leave(void) {
    left++;
    leave_before();
}
value t_hooks(value unit) {
    enter_before = caml_enter_blocking_section_hook;
    leave_before = caml_leave_blocking_section_hook;
    caml_enter_blocking_section_hook = count_enter;
    caml_leave_blocking_section_hook = count_leave;
    caml_enter_blocking_section();
    caml_leave_blocking_section();
    caml_enter_blocking_section_hook = enter_before;
    caml_leave_blocking_section_hook = leave_before;
    return Val_int(entered * 10 + left);
}

value t_pending(value unit) {
    if (caml_check_pending_actions() && caml_something_to_do) caml_process_pending_actions();
    return Val_unit;
}
value t_pending_exn(value unit) {
    CAMLparam0();
    CAMLlocal1(result);
    result = caml_process_pending_actions_exn();
    if (!Is_exception_result(result)) CAMLreturn(Val_unit);
    result = Extract_exception(result);
    CAMLreturn(caml_copy_string(caml_format_exception(result)));
}

value t_signal_numbers(value ocaml) {
    int system = caml_convert_signal_number(Int_val(ocaml));
    return Val_int(system * 1000 + caml_rev_convert_signal_number(system));
}

/* Blocks the signal with the hook, sends it, and checks which signals arrived. */
value t_sigmask(value number) {
    sigset_t set, old, now;
    int signal = caml_convert_signal_number(Int_val(number));
    sigemptyset(&set);
    sigaddset(&set, signal);
    int failed = caml_sigmask_hook(SIG_BLOCK, &set, &old);
    caml_sigmask_hook(SIG_SETMASK, NULL, &now);
    kill(getpid(), signal);
    long before = caml_pending_signals[signal];
    caml_sigmask_hook(SIG_SETMASK, &old, NULL);
    long after = caml_pending_signals[signal];
    return Val_int(failed * 1000 + sigismember(&now, signal) * 100 + before * 10 + after);
}

/* As Unix.fork does: the runtime's own function fails without a debugger. */
value t_debugger(value unit) {
    if (caml_debugger_in_use) caml_debugger_cleanup_fork();
    return Val_int(caml_debugger_in_use * 10 + (caml_debugger_fork_mode & ~1));
}

/* ---- Marshalling. ---- */

struct record {
    int64_t words[6];
    double floats[3];
    int32_t fours[2];
    int16_t twos[2];
    char bytes[4];
};
#define Record_val(v) ((struct record *)Data_custom_val(v))

static void record_serialize(value v, uintnat *bytes_32, uintnat *bytes_64) {
    struct record *r = Record_val(v);
    if (r->words[0] == 13) caml_failwith("this one cannot be written");
    caml_serialize_int_1((int)r->words[0]);
    caml_serialize_int_2((int)r->words[1]);
    caml_serialize_int_4((int32_t)r->words[2]);
    caml_serialize_int_8(r->words[3]);
    caml_serialize_block_8(&r->words[4], 2);
    caml_serialize_float_8(r->floats[0]);
    caml_serialize_float_4((float)r->floats[1]);
    caml_serialize_block_float_8(&r->floats[2], 1);
    caml_serialize_block_4(r->fours, 2);
    caml_serialize_block_2(r->twos, 2);
    caml_serialize_block_1(r->bytes, 4);
    caml_serialize_int_1(-2);
    caml_serialize_int_2(-3);
    caml_serialize_int_4(-4);
    caml_serialize_int_8(-5);
    *bytes_32 = *bytes_64 = sizeof(struct record);
}

static uintnat record_deserialize(void *to) {
    struct record *r = to;
    r->words[0] = caml_deserialize_uint_1();
    if (r->words[0] == 77) caml_deserialize_error("the library refuses this data");
    if (r->words[0] == 78) caml_failwith("an exception while reading");
    r->words[1] = caml_deserialize_uint_2();
    r->words[2] = caml_deserialize_uint_4();
    r->words[3] = (int64_t)caml_deserialize_uint_8();
    caml_deserialize_block_8(&r->words[4], 2);
    r->floats[0] = caml_deserialize_float_8();
    r->floats[1] = caml_deserialize_float_4();
    caml_deserialize_block_float_8(&r->floats[2], 1);
    caml_deserialize_block_4(r->fours, 2);
    caml_deserialize_block_2(r->twos, 2);
    caml_deserialize_block_1(r->bytes, 4);
    if (caml_deserialize_sint_1() != -2 || caml_deserialize_sint_2() != -3 ||
        caml_deserialize_sint_4() != -4 || caml_deserialize_sint_8() != -5)
        caml_deserialize_error("the signed numbers are others");
    return sizeof(struct record);
}

static long records_finalised;
static void record_finalize(value v) { records_finalised++; }
static int record_compare(value a, value b) {
    return memcmp(Record_val(a), Record_val(b), sizeof(struct record));
}

static struct custom_fixed_length record_length = {sizeof(struct record), sizeof(struct record)};
static struct custom_operations record_ops = {"test.record",
                                              record_finalize,
                                              record_compare,
                                              custom_hash_default,
                                              record_serialize,
                                              record_deserialize,
                                              custom_compare_ext_default,
                                              NULL};
static struct custom_operations fixed_ops = {"test.fixed",
                                             record_finalize,
                                             record_compare,
                                             custom_hash_default,
                                             record_serialize,
                                             record_deserialize,
                                             custom_compare_ext_default,
                                             &record_length};

value t_record_register(value unit) {
    caml_register_custom_operations(&record_ops);
    caml_register_custom_operations(&fixed_ops);
    return Val_unit;
}

value t_record(value fixed, value n) {
    value v = caml_alloc_custom(Bool_val(fixed) ? &fixed_ops : &record_ops, sizeof(struct record),
                                0, 1);
    struct record *r = Record_val(v);
    memset(r, 0, sizeof *r);
    for (int i = 0; i < 6; i++) r->words[i] = Long_val(n) + i;
    for (int i = 0; i < 3; i++) r->floats[i] = Long_val(n) / 8.0 + i;
    for (int i = 0; i < 2; i++) r->fours[i] = -i - 1, r->twos[i] = (int16_t)(-i - 2);
    memcpy(r->bytes, "\0abc", 4);
    return v;
}

value t_marshal_to_block(value v, value flags, value room) {
    CAMLparam3(v, flags, room);
    char block[3000];
    long n = caml_output_value_to_block(v, flags, block, Long_val(room));
    CAMLreturn(caml_input_value_from_block(block, n));
}

value t_marshal_to_malloc(value v, value flags) {
    CAMLparam2(v, flags);
    CAMLlocal1(s);
    char *block;
    intnat length;
    caml_output_value_to_malloc(v, flags, &block, &length);
    s = caml_alloc_string(length);
    memcpy(Bytes_val(s), block, length);
    free(block);
    CAMLreturn(s);
}

/* ---- Backtraces. ---- */

value t_most_recent(value exn) { return Val_bool(Caml_state->backtrace_last_exn == exn); }
value t_empty_backtrace(value unit) {
    Caml_state->backtrace_pos = 0;
    return Val_unit;
}
value t_backtraces_on(value unit) { return Val_bool(Caml_state->backtrace_active); }

/* ---- Functions that exist only for the linker: calls of them are refused. ---- */

extern char *caml_alloc_for_heap(asize_t);
extern int caml_add_to_heap(char *);
extern color_t caml_allocation_color(void *);
extern int caml_page_table_add(int, void *, void *);
extern int caml_page_table_remove(int, void *, void *);
extern void caml_free_for_heap(char *);
extern void caml_main(char **);
extern void caml_shutdown(void);

value t_refused(value which) {
    static char *arguments[] = {NULL};
    switch (Int_val(which)) {
    case 0: caml_alloc_for_heap(100); break;
    case 1: caml_add_to_heap(NULL); break;
    case 2: caml_allocation_color(NULL); break;
    case 3: caml_page_table_add(0, NULL, NULL); break;
    case 4: caml_page_table_remove(0, NULL, NULL); break;
    case 5: caml_main(arguments); break;
    case 6: caml_shutdown(); break;
    case 7: caml_free_for_heap(NULL); break;
    }
    return Val_unit;
}
