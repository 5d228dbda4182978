/* threads_stubs.c - stubs among threads: local roots while others hold the runtime lock, and
 * threads that C made. The OCaml side is threads.ml. */
#define CAML_NAME_SPACE
#include <caml/alloc.h>
#include <caml/callback.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

extern int caml_c_thread_register(void) __attribute__((weak)); /* with threads.cma only */
extern int caml_c_thread_unregister(void) __attribute__((weak));

/* ---- Roots of several threads at once. ---- */

/* Builds a list of depth strings by a frame each; f lets other threads run between. */
static value nest(value f, int thread, int depth) {
    CAMLparam1(f);
    CAMLlocal3(text, rest, cell);
    char name[32];
    if (depth == 0) CAMLreturn(Val_emptylist);
    snprintf(name, sizeof name, "%d.%d", thread, depth);
    text = caml_copy_string(name);
    caml_callback(f, Val_int(depth));
    rest = nest(f, thread, depth - 1);
    caml_enter_blocking_section();
    usleep(10);
    caml_leave_blocking_section();
    cell = caml_alloc(2, 0);
    Store_field(cell, 0, text);
    Store_field(cell, 1, rest);
    CAMLreturn(cell);
}
value t_thread_nest(value f, value thread, value depth) {
    CAMLparam3(f, thread, depth);
    CAMLreturn(nest(f, Int_val(thread), Int_val(depth)));
}

/* ---- Threads of C's. ---- */

struct task {
    pthread_t id;
    int number, calls, sum;
    int answers[5]; /* of register and unregister */
};

static int call(int number, int i) {
    CAMLparam0();
    CAMLlocal2(text, result);
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%d:%d", number, i);
    text = caml_copy_string(buffer);
    result = caml_callback2_exn(*caml_named_value("T.called"), text, Val_int(i));
    if (Is_exception_result(result)) CAMLreturnT(int, 1000);
    CAMLreturnT(int, Int_val(result) + (int)caml_string_length(text));
}

static void *work(void *context) {
    struct task *task = context;
    task->answers[0] = caml_c_thread_unregister();
    task->answers[1] = caml_c_thread_register();
    task->answers[2] = caml_c_thread_register();
    for (int i = 0; i < task->calls; i++) {
        caml_leave_blocking_section();
        task->sum += call(task->number, i);
        caml_enter_blocking_section();
    }
    task->answers[3] = caml_c_thread_unregister();
    task->answers[4] = caml_c_thread_unregister();
    return NULL;
}

/* Tasks whose threads run while this one waits; the result lists their actions. */
value t_tasks(value count, value calls) {
    CAMLparam2(count, calls);
    CAMLlocal2(result, row);
    enum { MOST = 8 };
    struct task tasks[MOST] = {{0}};
    int n = Int_val(count), each = Int_val(calls);
    caml_enter_blocking_section();
    for (int i = 0; i < n; i++) {
        tasks[i].number = i;
        tasks[i].calls = each;
        pthread_create(&tasks[i].id, NULL, work, &tasks[i]);
    }
    for (int i = 0; i < n; i++) pthread_join(tasks[i].id, NULL);
    caml_leave_blocking_section();
    result = caml_alloc(n, 0);
    for (int i = 0; i < n; i++) {
        row = caml_alloc(6, 0);
        for (int k = 0; k < 5; k++) Store_field(row, k, Val_int(tasks[i].answers[k]));
        Store_field(row, 5, Val_int(tasks[i].sum));
        Store_field(result, i, row);
    }
    CAMLreturn(result);
}

/* One task; the caller goes on. */
static struct task background;
static int background_over;
static pthread_mutex_t background_mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work_aside(void *context) {
    work(context);
    pthread_mutex_lock(&background_mutex);
    background_over = 1;
    pthread_mutex_unlock(&background_mutex);
    return NULL;
}
value t_start(value calls) {
    background = (struct task){.number = 9, .calls = Int_val(calls)};
    pthread_create(&background.id, NULL, work_aside, &background);
    pthread_detach(background.id);
    return Val_unit;
}
value t_is_over(value unit) {
    pthread_mutex_lock(&background_mutex);
    int over = background_over;
    pthread_mutex_unlock(&background_mutex);
    return Val_bool(over);
}
value t_sum(value unit) { return Val_int(background.sum); }
