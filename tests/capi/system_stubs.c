/* system_stubs.c - stubs that use files, paths, libraries, messages, signals and the end of the
 * process through the runtime. The OCaml side is system.ml. */
#define CAML_NAME_SPACE
#define CAML_INTERNALS
#include <caml/alloc.h>
#include <caml/backtrace.h>
#include <caml/backtrace_prim.h>
#include <caml/callback.h>
#include <caml/fail.h>
#include <caml/finalise.h>
#include <caml/major_gc.h>
#include <caml/md5.h>
#include <caml/memory.h>
#include <caml/misc.h>
#include <caml/mlvalues.h>
#include <caml/intext.h>
#include <caml/osdeps.h>
#include <caml/printexc.h>
#include <caml/signals.h>
#include <caml/stacks.h>
#include <caml/startup_aux.h>
#include <caml/sys.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern value caml_sys_modify_argv(value argv);

/* ---- Errors, files, paths. ---- */

value t_sys_error(value which, value argument) {
    errno = Int_val(which) == 2 ? EAGAIN : ENOENT;
    if (Int_val(which) == 0) caml_sys_error(argument);
    if (Int_val(which) == 1) caml_sys_error(NO_ARG);
    caml_sys_io_error(argument);
    return Val_unit;
}

value t_fds(value in, value out) {
    char buffer[20] = "";
    int written = caml_write_fd(Int_val(out), 0, "through a pipe", 14);
    int got = caml_read_fd(Int_val(in), 0, buffer, sizeof buffer);
    if (written != 14 || got != 14) return Val_int(-1);
    value s = caml_copy_string(buffer);
    caml_read_fd(-1, 0, buffer, 1);
    return s;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }

/* The names in a folder, and those that a search path gives. */
value t_names(value folder) {
    CAMLparam1(folder);
    CAMLlocal1(result);
    struct ext_table t;
    char text[4000] = "";
    caml_ext_table_init(&t, 1);
    int done = caml_read_directory((char *)String_val(folder), &t);
    qsort(t.contents, t.size, sizeof(void *), by_name);
    if (t.size > 1) caml_ext_table_remove(&t, t.contents[1]);
    for (int i = 0; i < t.size; i++) strcat(strcat(text, t.contents[i]), " ");
    caml_ext_table_clear(&t, 1);
    int index = caml_ext_table_add(&t, caml_stat_strdup("again"));
    caml_ext_table_free(&t, 1);
    caml_ext_table_init(&t, 8);
    int missing = caml_read_directory("/no/such/folder", &t);
    int error = errno == ENOENT;
    char *parts = caml_decompose_path(&t, "first::/usr/bin:last");
    for (int i = 0; i < t.size; i++) sprintf(text + strlen(text), "[%s]", (char *)t.contents[i]);
    caml_stat_free(parts);
    caml_ext_table_free(&t, 0);
    result = caml_alloc_sprintf("%d %d %d %d %s", done, index, missing, error, text);
    CAMLreturn(result);
}

value t_search(value folder) {
    CAMLparam1(folder);
    CAMLlocal1(result);
    struct ext_table t;
    caml_ext_table_init(&t, 8);
    char *parts = caml_decompose_path(&t, (char *)String_val(folder));
    char *a = caml_search_in_path(&t, "b"), *b = caml_search_in_path(&t, "no such");
    char *c = caml_search_in_path(&t, "./b"), *d = caml_search_dll_in_path(&t, "lib");
    char *e = caml_search_exe_in_path("sh");
    result = caml_alloc_sprintf("%s %s %s %s %s", a, b, c, d, e);
    char *all[] = {a, b, c, d, e, parts};
    for (int i = 0; i < 6; i++) caml_stat_free(all[i]);
    caml_ext_table_free(&t, 0);
    CAMLreturn(result);
}

/* ---- Libraries, the process. ---- */

value t_libraries(value unit) {
    void *library = caml_dlopen("libm.so.6", 1, 0);
    if (library == NULL) caml_failwith(caml_dlerror());
    double (*cosine)(double) = (double (*)(double))caml_dlsym(library, "cos");
    int found = cosine != NULL && cosine(0) == 1;
    int none = caml_dlsym(library, "no_such_name") == NULL && caml_dlerror() != NULL;
    caml_dlclose(library);
    int global = caml_globalsym("caml_alloc") == (void *)&caml_alloc;
    return Val_int(found * 100 + none * 10 + global);
}

value t_process(value fd) {
    CAMLparam1(fd);
    char *name = caml_executable_name(), *home = caml_secure_getenv("HOME");
    int good = name != NULL && name[0] == '/' && home != NULL && caml_exe_name != NULL;
    caml_stat_free(name);
    double t = caml_sys_time_unboxed(Val_unit);
    CAMLreturn(caml_alloc_sprintf("%d %d %.6f %d %d", good, caml_num_rows_fd(Int_val(fd)),
                                  caml_log1p(0.5), t > 0 && t < 1000,
                                  caml_runtime_warnings_active()));
}

value t_messages(value unit) {
    uintnat before = caml_verb_gc;
    caml_gc_message(-1, "unseen %d\n", 1);
    caml_verb_gc = 0x10;
    caml_gc_message(0x10, "a message of level %x\n", 0x10);
    caml_gc_message(0x20, "unseen %d\n", 2);
    caml_verb_gc = before;
    return Val_long(before);
}

value t_modify_argv(value argv) { return caml_sys_modify_argv(argv); }

value t_md5(value unit) {
    CAMLparam0();
    uint32_t state[4] = {1, 2, 3, 4}, words[16];
    unsigned char digest[16];
    char text[200] = "";
    for (int i = 0; i < 16; i++) words[i] = i * 0x01010101u;
    caml_MD5Transform(state, words);
    caml_md5_block(digest, "abc", 3);
    for (int i = 0; i < 4; i++) sprintf(text + strlen(text), "%08x ", state[i]);
    for (int i = 0; i < 16; i++) sprintf(text + strlen(text), "%02x", digest[i]);
    CAMLreturn(caml_copy_string(text));
}

value t_input_from_malloc(value s) {
    char *bytes = malloc(caml_string_length(s) + 40);
    memcpy(bytes + 3, String_val(s), caml_string_length(s));
    return caml_input_value_from_malloc(bytes, 3);
}

/* ---- The end: each in a child process. ---- */

static void fatal(char *format, va_list arguments) {
    fprintf(stderr, "fatal, in the library's words: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    exit(7);
}
value t_end(value which, value exn) {
    if (Int_val(which) == 0) caml_do_exit(3);
    if (Int_val(which) == 1) caml_fatal_uncaught_exception(exn);
    caml_fatal_error_hook = fatal;
    caml_fatal_error("%s %d", "number", 5);
}

/* ---- Exceptions and backtraces. ---- */

static long named;
static void count_named(const value *slot, char *name) {
    if (strcmp(name, "T.named") == 0 && strcmp(String_val(*slot), "its value") == 0) named += 100;
    named++;
}
value t_iterate(value unit) {
    named = 0;
    caml_iterate_named_values(count_named);
    return Val_bool(named > 100 && named < 200);
}

/* As old stubs raise. */
value t_global(value unit) { caml_raise_constant(Field(caml_global_data, NOT_FOUND_EXN)); }

value t_special(value exn) { return Val_bool(caml_is_special_exception(exn)); }
value t_raise_if(value f) { return caml_raise_if_exception(caml_callback_exn(f, Val_unit)); }
value t_print_backtrace(value unit) {
    caml_print_exception_backtrace();
    return Val_bool(caml_debug_info_available());
}
value t_record_backtraces(value on) {
    caml_record_backtraces(Bool_val(on));
    return Val_int(caml_debug_info_status());
}
value t_stack(value unit) { return Val_long(caml_stack_usage()); }

/* ---- Pending actions and signals. ---- */

static value text_of(value result) {
    if (!Is_exception_result(result)) return caml_copy_string("no exception");
    char *text = caml_format_exception(Extract_exception(result));
    value s = caml_copy_string(text);
    caml_stat_free(text);
    return s;
}

value t_actions(value which, value number, value v) {
    CAMLparam3(which, number, v);
    int signal = caml_convert_signal_number(Int_val(number));
    caml_update_young_limit();
    switch (Int_val(which)) {
    case 0: CAMLreturn(text_of(caml_execute_signal_exn(signal, 0)));
    case 1: caml_record_signal(signal); CAMLreturn(text_of(caml_process_pending_signals_exn()));
    case 2: caml_record_signal(signal); CAMLreturn(text_of(caml_do_pending_actions_exn()));
    case 3: {
        caml_record_signal(signal);
        value result = caml_process_pending_actions_with_root_exn(v);
        CAMLreturn(Is_exception_result(result) ? text_of(result) : result);
    }
    case 4: caml_record_signal(signal); CAMLreturn(caml_process_pending_actions_with_root(v));
    case 5: caml_set_action_pending(); CAMLreturn(Val_bool(caml_check_pending_actions()));
    case 6:
        caml_empty_minor_heap();
        caml_finish_major_cycle();
        caml_finish_major_cycle();
        CAMLreturn(text_of(caml_final_do_calls_exn()));
    default: CAMLreturn(Val_int(caml_setup_stack_overflow_detection()));
    }
}

value t_signal_action(value number, value action) {
    return Val_int(
        caml_set_signal_action(caml_convert_signal_number(Int_val(number)), Int_val(action)));
}
