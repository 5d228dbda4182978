/* ocaml5_stubs.c - names that OCaml 5 adds to its C interface, compiled against its headers. The
 * OCaml side is ocaml5.ml. */
#define CAML_INTERNALS
#define CAML_NAME_SPACE
#include <caml/addrmap.h>
#include <caml/alloc.h>
#include <caml/blake2.h>
#include <caml/callback.h>
#include <caml/custom.h>
#include <caml/domain.h>
#include <caml/fail.h>
#include <caml/gc_ctrl.h>
#include <caml/io.h>
#include <caml/memory.h>
#include <caml/memprof.h>
#include <caml/minor_gc.h>
#include <caml/mlvalues.h>
#include <caml/osdeps.h>
#include <caml/roots.h>
#include <caml/runtime_events.h>
#include <caml/signals.h>
#include <caml/finalise.h>

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The state of a thread. ---- */

static void *state_of_thread(void *unused) { return Caml_state_opt; }

/* In this thread, in one that is not registered, and here within a blocking section. */
value t_states(value unit) {
    CAMLparam1(unit);
    pthread_t thread;
    void *other = NULL;
    pthread_create(&thread, NULL, state_of_thread, NULL);
    caml_enter_blocking_section();
    void *blocking = Caml_state_opt;
    pthread_join(thread, &other);
    caml_leave_blocking_section();
    CAMLreturn(caml_alloc_3(0, Val_bool(Caml_state_opt != NULL), Val_bool(other == NULL),
                            Val_bool(blocking == NULL)));
}

/* The child prints what the runtime prints for a thread without the lock, and aborts. */
value t_bad_state(value unit) {
    int status;
    pid_t child = fork();
    if (child == 0) caml_bad_caml_state();
    waitpid(child, &status, 0);
    return Val_bool(WIFSIGNALED(status));
}

/* Whether the counters in the state are plausible; the minor heap's words, the domain's index and
 * number. */
value t_state_fields(value unit) {
    caml_domain_state *s = Caml_state;
    caml_minor_collection();
    bool good = s->stat_minor_words > 0 && s->stat_promoted_words <= s->stat_minor_words &&
                s->stat_major_words < 1 << 30 && s->stat_forced_major_collections < 1000;
    return caml_alloc_4(0, Val_bool(good), Val_long(s->minor_heap_wsz), Val_int(s->id),
                        Val_int(s->unique_id));
}

/* ---- Blocks. ---- */

value t_blocks(value s) {
    CAMLparam1(s);
    CAMLlocal2(list, v);
    list = Val_emptylist;
#define ADD(block) \
    v = block;     \
    list = caml_alloc_2(Tag_cons, v, list);
    ADD(caml_alloc_1(1, s))
    ADD(caml_alloc_2(2, s, Val_int(2)))
    ADD(caml_alloc_3(3, s, Val_int(2), s))
    ADD(caml_alloc_4(4, s, Val_int(2), s, Val_int(4)))
    ADD(caml_alloc_5(5, s, Val_int(2), s, Val_int(4), s))
    ADD(caml_alloc_6(6, s, Val_int(2), s, Val_int(4), s, Val_int(6)))
    ADD(caml_alloc_7(7, s, Val_int(2), s, Val_int(4), s, Val_int(6), s))
    ADD(caml_alloc_8(8, s, Val_int(2), s, Val_int(4), s, Val_int(6), s, Val_int(8)))
    ADD(caml_alloc_9(9, s, Val_int(2), s, Val_int(4), s, Val_int(6), s, Val_int(8), s))
    CAMLreturn(list);
}

value t_atoms(value unit) {
    return Val_bool(Wosize_val(caml_atom(0)) == 0 && Tag_val(Atom(7)) == 7 &&
                    caml_atom(0) == Atom(0));
}

/* Inline allocation: the fields keep what a collection in between moves. */
value t_inline(value s) {
    CAMLparam1(s);
    CAMLlocal1(v);
    for (int i = 0; i < 1000; i++) {
        Alloc_small(v, 2, 5, Alloc_small_enter_GC);
        Field(v, 0) = s;
        Field(v, 1) = Val_int(i);
    }
    CAMLreturn(v);
}

value t_shared(value s) {
    CAMLparam1(s);
    CAMLlocal2(a, b);
    a = caml_alloc_shr_noexc(300, 3);
    for (int i = 0; i < 300; i++) caml_initialize(&Field(a, i), s);
    b = caml_alloc_shr_reserved(2, 4, 0);
    caml_initialize(&Field(b, 0), a);
    caml_initialize(&Field(b, 1), s);
    caml_adjust_minor_gc_speed(1, 1000);
    CAMLreturn(b);
}

value t_too_much(value unit) { return Val_bool(caml_alloc_shr_noexc((mlsize_t)1 << 50, 0) == 0); }

value t_cas(value block, value expected, value v) {
    return Val_bool(caml_atomic_cas_field(block, 0, expected, v));
}

value t_is_young(value v) {
    CAMLparam1(v);
    value young = caml_alloc_small(1, 0);
    Field(young, 0) = v;
    CAMLreturn(Val_bool(Is_young(young) && caml_minor_heaps_start < caml_minor_heaps_end));
}

value t_collections(value unit) {
    uintnat before = caml_minor_collections_count;
    caml_minor_collection();
    return Val_bool(caml_minor_collections_count > before);
}

value t_sampled_block(value block) {
    caml_memprof_sample_block(block, 1, 0, CAML_MEMPROF_SRC_CUSTOM);
    return block;
}

/* ---- Roots by the hook, whose functions have other parameters than in 4.x. ---- */

static value hidden = Val_unit;
static scan_roots_hook previous;

static void scan_hidden(scanning_action action, scanning_action_flags flags, void *data,
                        caml_domain_state *state) {
    if (previous != NULL) previous(action, flags, data, state);
    action(data, hidden, &hidden);
}

value t_hide(value v) {
    if (caml_scan_roots_hook != scan_hidden) {
        previous = caml_scan_roots_hook;
        caml_scan_roots_hook = scan_hidden;
    }
    hidden = v;
    return Val_unit;
}
value t_hidden(value unit) { return hidden; }

/* ---- Exceptions as values, and results. ---- */

value t_exception(value which, value tag, value argument) {
    CAMLparam3(which, tag, argument);
    value two[2] = {argument, Val_int(2)};
    switch (Int_val(which)) {
    case 0: CAMLreturn(caml_exception_constant(tag));
    case 1: CAMLreturn(caml_exception_with_arg(tag, argument));
    case 2: CAMLreturn(caml_exception_with_args(tag, 2, two));
    case 3: CAMLreturn(caml_exception_with_string(tag, "a text"));
    case 4: CAMLreturn(caml_exception_failure("failure"));
    case 5: CAMLreturn(caml_exception_failure_value(argument));
    case 6: CAMLreturn(caml_exception_invalid_argument("invalid"));
    case 7: CAMLreturn(caml_exception_invalid_argument_value(argument));
    case 8: CAMLreturn(caml_exception_out_of_memory());
    case 9: CAMLreturn(caml_exception_stack_overflow());
    case 10: CAMLreturn(caml_exception_sys_error(argument));
    case 11: CAMLreturn(caml_exception_end_of_file());
    case 12: CAMLreturn(caml_exception_zero_divide());
    case 13: CAMLreturn(caml_exception_not_found());
    case 14: CAMLreturn(caml_exception_array_bound_error());
    default: CAMLreturn(caml_exception_sys_blocked_io());
    }
}

static value shown(caml_result result) {
    CAMLparam0();
    CAMLlocal1(data);
    data = result.data;
    CAMLreturn(caml_alloc_2(0, Val_bool(caml_result_is_exception(result)), data));
}

/* (whether f raised, its result or exception) */
value t_results(value f, value count) {
    value arguments[4] = {Val_int(1), Val_int(2), Val_int(3), Val_int(4)};
    switch (Int_val(count)) {
    case 1: return shown(caml_callback_res(f, arguments[0]));
    case 2: return shown(caml_callback2_res(f, arguments[0], arguments[1]));
    case 3: return shown(caml_callback3_res(f, arguments[0], arguments[1], arguments[2]));
    default: return shown(caml_callbackN_res(f, 4, arguments));
    }
}
value t_value_or_raise(value f) { return caml_get_value_or_raise(caml_callback_res(f, Val_unit)); }

value t_actions(value v) {
    CAMLparam1(v);
    bool good = !caml_process_pending_actions_res().is_exception;
    good = good && caml_process_pending_actions_with_root_res(v).data == v;
    good = good && !caml_do_pending_actions_res().is_exception;
    good = good && !caml_final_do_calls_res().is_exception;
    good = good && !caml_process_pending_signals_res().is_exception;
    good = good && !caml_check_pending_signals();
    CAMLreturn(Val_bool(good));
}
value t_run_handler(value number) { return shown(caml_execute_signal_res(Int_val(number))); }

/* ---- Channels. ---- */

value t_channels(value unit) {
    CAMLparam1(unit);
    CAMLlocal2(out, in);
    int ends[2];
    if (pipe(ends) != 0) caml_failwith("pipe");
    out = caml_ml_open_descriptor_out_with_flags(ends[1], 0);
    in = caml_ml_open_descriptor_in_with_flags(ends[0], 0);
    struct channel *c = Channel(out);
    caml_channel_lock(c);
    caml_putch(c, 'x');
    caml_flush_if_unbuffered(c);
    caml_channel_unlock(c);
    CAMLreturn(caml_alloc_2(0, in, out));
}

/* ---- Maps of addresses. ---- */

enum { ADDRESSES = 5000 };
static value addresses[ADDRESSES];
static intnat sum;
static void add_up(value key, value v) { sum += v - key; }

value t_addresses(value unit) {
    struct addrmap map = ADDRMAP_INIT;
    bool good = !caml_addrmap_contains(&map, (value)addresses) &&
                !caml_addrmap_iter_ok(&map, caml_addrmap_iterator(&map));
    caml_addrmap_iter(&map, add_up);
    for (int i = 0; i < ADDRESSES; i++) {
        value key = (value)&addresses[i];
        if (i % 2 == 0) caml_addrmap_insert(&map, key, key + 2 * i);
        else *caml_addrmap_insert_pos(&map, key) = key + 2 * i;
        good = good && *caml_addrmap_insert_pos(&map, key) == key + 2 * i;
    }
    good = good && !caml_addrmap_contains(&map, (value)&sum);
    for (int i = 0; i < ADDRESSES; i++) {
        value key = (value)&addresses[i];
        good = good && caml_addrmap_contains(&map, key) &&
               caml_addrmap_lookup(&map, key) == key + 2 * i;
    }
    caml_addrmap_iter(&map, add_up);
    for (addrmap_iterator i = caml_addrmap_iterator(&map); caml_addrmap_iter_ok(&map, i);
         i = caml_addrmap_next(&map, i))
        sum += caml_addrmap_iter_value(&map, i) - caml_addrmap_iter_key(&map, i);
    caml_addrmap_clear(&map);
    good = good && map.entries == NULL;
    caml_addrmap_init(&map);
    return Val_bool(good && map.size == 0 && sum == 2 * (intnat)ADDRESSES * (ADDRESSES - 1));
}

/* ---- Digests. ---- */

value t_blake2(value key, value s, value length) {
    CAMLparam3(key, s, length);
    struct BLAKE2_context context;
    unsigned char digest[64];
    size_t n = caml_string_length(s);
    caml_BLAKE2Init(&context, Int_val(length), caml_string_length(key),
                    (const unsigned char *)String_val(key));
    caml_BLAKE2Update(&context, (const unsigned char *)String_val(s), n / 2);
    caml_BLAKE2Update(&context, (const unsigned char *)String_val(s) + n / 2, n - n / 2);
    caml_BLAKE2Final(&context, Int_val(length), digest);
    CAMLreturn(caml_alloc_initialized_string(Int_val(length), (const char *)digest));
}

/* ---- Hooks and figures of the collector. ---- */

static int begun, ended, terminated;
static void finalisers_begin(void) { begun++; }
static void finalisers_end(void) { ended++; }
static void domain_terminated(void) { terminated++; }

value t_watch(value unit) {
    caml_finalise_begin_hook = finalisers_begin;
    caml_finalise_end_hook = finalisers_end;
    caml_domain_terminated_hook = domain_terminated;
    caml_init_callbacks();
    return Val_unit;
}
value t_watched(value unit) {
    return caml_alloc_3(0, Val_int(begun), Val_int(ended), Val_int(terminated));
}
value t_figures(value unit) {
    caml_minor_collection();
    return caml_alloc_2(0, Val_long(caml_custom_major_ratio),
                        Val_bool(caml_custom_get_max_major() > 10000 &&
                                 caml_major_slice_epoch <= caml_minor_collections_count));
}

/* ---- Others. ---- */

value t_system(value unit) {
    char text[100];
    struct ext_table table;
    caml_ext_table_init(&table, 1);
    int second = (caml_ext_table_add_noexc(&table, "a"), caml_ext_table_add_noexc(&table, "b"));
    caml_ext_table_free(&table, 0);
    caml_atfork_hook();
    return caml_alloc_sprintf("%s %d %d", caml_strerror(ENOENT, text, sizeof text), second,
                              caml_domain_is_multicore() != 0);
}

value t_events(value type) {
    CAMLparam1(type);
    CAMLlocal4(name, event, again, buffer);
    int before = caml_runtime_events_are_active();
    char *nowhere = caml_runtime_events_current_location();
    name = caml_copy_string("stub.event");
    event = caml_runtime_events_user_register(name, Val_int(0), type);
    again = caml_runtime_events_user_resolve("stub.event", EV_USER_ML_TYPE_UNIT);
    caml_runtime_events_start();
    int started = caml_runtime_events_are_active();
    buffer = caml_alloc_string(100);
    caml_runtime_events_user_write(buffer, event, Val_unit);
    caml_runtime_events_pause();
    int paused = !caml_runtime_events_are_active();
    caml_runtime_events_resume();
    caml_ev_lifecycle(EV_FORK_PARENT, 7);
    char *somewhere = caml_runtime_events_current_location();
    uint64_t now = caml_time_counter();
    caml_runtime_events_post_fork();
    bool good = !before && nowhere == NULL && event == again && started && paused &&
                somewhere != NULL && access(somewhere, R_OK) == 0 && now > 0 &&
                caml_time_counter() >= now && caml_runtime_events_are_active();
    caml_stat_free(somewhere);
    CAMLreturn(Val_bool(good));
}
