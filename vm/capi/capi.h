/* capi.h - every name that compiled C stubs of OCaml 4.13 to 5.4 may import.
 *
 * OCaml's manual (chapter "Interfacing C with OCaml") and its headers in /usr/lib/ocaml/caml, which
 * stubs are compiled with, document the functions; comments here note only what is special to this
 * machine. All need a machine that runs in this thread. Those that allocate or call OCaml code:
 * GC: may run. They fail by raising, which is a longjmp through the stub.
 *
 * CA1  The list in exports.list and the declarations here have the same names, among them all of
 *      OCaml's headers but those that README.md explains. */
#ifndef BACTRIAN_VM_CAPI_CAPI_H
#define BACTRIAN_VM_CAPI_CAPI_H

#include "gc/value.h"

#include <signal.h>
#include <stdarg.h>

struct vm_abi_state;
struct channel;
struct ext_table;
struct vm_md5_state;
struct bigarray;
/* What 5.3 calls caml_result. */
struct caml_result {
    int is_exception;
    value data;
};

/* ---- state.c ---- */
extern struct vm_abi_state *Caml_state; /* of the machine that runs stubs; NULL: none */
/* The same in a thread that holds the runtime lock, else NULL. Compiled stubs of 5.x test it. */
extern _Thread_local struct vm_abi_state *caml_state;
extern header *caml_atom_table;
extern volatile int caml_something_to_do; /* always 1: so callers check */
extern uintptr_t caml_allocated_words;    /* never read here */
extern int caml_debugger_in_use, caml_debugger_fork_mode;
extern volatile intptr_t caml_pending_signals[]; /* kept by vm/thread/signal.c */
extern value caml_global_data;                   /* the table of globals */
extern value caml_ephe_none;                     /* an empty slot of an ephemeron */
extern const char *caml_exe_name;                /* the program, as it was named */
extern uintptr_t caml_verb_gc;                   /* OCAMLRUNPARAM's v, as of the last collection */
extern uintptr_t caml_minor_collections_count;   /* of 5.x, as of the last one */
extern uintptr_t caml_minor_heaps_start, caml_minor_heaps_end; /* of 5.x: bounds of young blocks */
/* Called around minor collections, and around each part of marking and sweeping. */
extern void (*caml_minor_gc_begin_hook)(void), (*caml_minor_gc_end_hook)(void);
extern void (*caml_major_slice_begin_hook)(void), (*caml_major_slice_end_hook)(void);
/* Called with a function for each root, at every collection. In 5.x it has more parameters: type
 * scan_of_5 in state.c. */
extern void (*caml_scan_roots_hook)(void (*action)(value v, value *slot));
/* Called in a child process, after Unix.fork of 5.x. */
extern void (*caml_atfork_hook)(void);
extern void (*caml_enter_blocking_section_hook)(void);
extern void (*caml_leave_blocking_section_hook)(void);
extern int (*caml_sigmask_hook)(int how, const sigset_t *set, sigset_t *old);
void caml_debugger_cleanup_fork(void);

/* ---- alloc.c ---- */
value caml_alloc(uintptr_t wosize, unsigned char tag);
value caml_alloc_small(uintptr_t wosize, unsigned char tag);
value caml_alloc_shr(uintptr_t wosize, unsigned char tag);
value caml_alloc_shr_with_profinfo(uintptr_t wosize, unsigned char tag, intptr_t unused);
value caml_alloc_shr_no_track_noexc(uintptr_t wosize, unsigned char tag);
value caml_alloc_tuple(uintptr_t wosize);
value caml_alloc_float_array(uintptr_t length);
value caml_alloc_string(uintptr_t length);
value caml_alloc_initialized_string(uintptr_t length, const char *bytes);
value caml_alloc_sprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
value caml_copy_string(const char *text);
value caml_copy_string_array(const char *const *texts);
value caml_alloc_array(value (*make)(const char *text), const char *const *texts);
value caml_copy_double(double x);
value caml_copy_int32(int32_t n);
value caml_copy_int64(int64_t n);
value caml_copy_nativeint(intptr_t n);
value caml_alloc_some(value v);
/* Every inline allocation of a stub calls this: leaves a fresh block at young_ptr. 4.x passes
 * wosize, flags, a number of blocks and their sizes; 5.x the same after the domain's state. */
void caml_alloc_small_dispatch(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e);
value caml_set_oo_id(value object);
int caml_convert_flag_list(value list, const int *flags);

/* ---- memory.c ---- */
void caml_modify(value *slot, value v);
void caml_initialize(value *slot, value v);
value caml_check_urgent_gc(value extra_root);
/* Memory outside the heap that blocks own: speeds up the major collection. */
void caml_alloc_dependent_memory(uintptr_t bytes);
void caml_free_dependent_memory(uintptr_t bytes);
void caml_adjust_gc_speed(uintptr_t mem, uintptr_t max);
void caml_minor_collection(void);
void caml_empty_minor_heap(void);
void caml_gc_dispatch(void);
void caml_major_collection_slice(intptr_t words);
void caml_finish_major_cycle(void);
void caml_compact_heap(intptr_t policy);
void caml_request_minor_gc(void);
void caml_request_major_slice(void);
void caml_set_minor_heap_size(size_t bytes);
int caml_page_table_lookup(void *address);
void caml_register_global_root(value *slot);
void caml_remove_global_root(value *slot);
void caml_register_generational_global_root(value *slot);
void caml_remove_generational_global_root(value *slot);
void caml_modify_generational_global_root(value *slot, value v);
void *caml_stat_alloc(size_t bytes);
void *caml_stat_alloc_noexc(size_t bytes);
void *caml_stat_calloc_noexc(size_t count, size_t bytes);
void *caml_stat_resize(void *block, size_t bytes);
void *caml_stat_resize_noexc(void *block, size_t bytes);
void caml_stat_free(void *block);
void *caml_stat_alloc_aligned(size_t bytes, int modulo, void **block);
void *caml_stat_alloc_aligned_noexc(size_t bytes, int modulo, void **block);
void caml_stat_create_pool(void);
void caml_stat_destroy_pool(void);
char *caml_stat_strdup(const char *text);
char *caml_stat_strdup_noexc(const char *text);
char *caml_stat_strconcat(int count, ...);

/* ---- alloc.c: custom blocks ---- */
value caml_alloc_custom(const struct gc_custom_ops *ops, uintptr_t bytes, uintptr_t mem,
                        uintptr_t max);
value caml_alloc_custom_mem(const struct gc_custom_ops *ops, uintptr_t bytes, uintptr_t mem);
value caml_alloc_final(uintptr_t words, void (*finalize)(value v), uintptr_t mem, uintptr_t max);
void caml_register_custom_operations(const struct gc_custom_ops *ops);
const struct gc_custom_ops *caml_find_custom_operations(const char *identifier);
const struct gc_custom_ops *caml_final_custom_operations(void (*finalize)(value v));
extern const struct gc_custom_ops caml_int32_ops, caml_int64_ops, caml_nativeint_ops;

/* ---- control.c: exceptions ---- */
_Noreturn void caml_raise(value exn);
_Noreturn void caml_raise_constant(value tag);
_Noreturn void caml_raise_with_arg(value tag, value argument);
_Noreturn void caml_raise_with_args(value tag, int count, value arguments[]);
_Noreturn void caml_raise_with_string(value tag, const char *text);
_Noreturn void caml_failwith(const char *text);
_Noreturn void caml_failwith_value(value text);
_Noreturn void caml_invalid_argument(const char *text);
_Noreturn void caml_invalid_argument_value(value text);
_Noreturn void caml_array_bound_error(void);
_Noreturn void caml_raise_out_of_memory(void);
_Noreturn void caml_raise_stack_overflow(void);
_Noreturn void caml_raise_sys_error(value text);
_Noreturn void caml_raise_sys_blocked_io(void);
_Noreturn void caml_raise_end_of_file(void);
_Noreturn void caml_raise_zero_divide(void);
_Noreturn void caml_raise_not_found(void);
/* Prints "Fatal error: ..." and aborts, as OCaml does. */
_Noreturn void caml_fatal_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern void (*caml_fatal_error_hook)(const char *format, va_list arguments); /* prints instead */
_Noreturn void caml_fatal_uncaught_exception(value exn);
char *caml_format_exception(value exn); /* to be freed with caml_stat_free */
int caml_is_special_exception(value tag);
value caml_raise_if_exception(value result);
void caml_record_backtraces(int on);
void caml_print_exception_backtrace(void);
int caml_debug_info_available(void);
int caml_debug_info_status(void);
uintptr_t caml_stack_usage(void);

/* ---- control.c: callbacks ---- */
value caml_callback(value f, value a);
value caml_callback2(value f, value a, value b);
value caml_callback3(value f, value a, value b, value c);
value caml_callbackN(value f, int count, value arguments[]);
value caml_callback_exn(value f, value a);
value caml_callback2_exn(value f, value a, value b);
value caml_callback3_exn(value f, value a, value b, value c);
value caml_callbackN_exn(value f, int count, value arguments[]);
const value *caml_named_value(const char *name);
void caml_iterate_named_values(void (*visit)(const value *slot, char *name));
value caml_get_public_method(value object, value tag);

/* ---- control.c: blocking sections, threads, signals ---- */
void caml_enter_blocking_section(void);
void caml_enter_blocking_section_no_pending(void);
void caml_leave_blocking_section(void);
void caml_process_pending_actions(void);
value caml_process_pending_actions_exn(void);
int caml_check_pending_actions(void);
void caml_set_action_pending(void);
void caml_update_young_limit(void);
value caml_do_pending_actions_exn(void);
value caml_process_pending_actions_with_root(value v);
value caml_process_pending_actions_with_root_exn(value v);
value caml_final_do_calls_exn(void);
value caml_process_pending_signals_exn(void);
value caml_execute_signal_exn(int number, int in_handler);
void caml_record_signal(int number);
int caml_set_signal_action(int number, int action);
int caml_setup_stack_overflow_detection(void);
int caml_convert_signal_number(int number);
int caml_rev_convert_signal_number(int number);

/* ---- values.c ---- */
uintptr_t caml_string_length(value s);
int caml_string_is_c_safe(value s);
uintptr_t caml_array_length(value array);
int caml_is_double_array(value array);
value caml_hash_variant(const char *tag);
uint32_t caml_hash_mix_uint32(uint32_t h, uint32_t x);
uint32_t caml_hash_mix_intnat(uint32_t h, intptr_t x);
uint32_t caml_hash_mix_int64(uint32_t h, int64_t x);
uint32_t caml_hash_mix_double(uint32_t h, double x);
uint32_t caml_hash_mix_float(uint32_t h, float x);
uint32_t caml_hash_mix_string(uint32_t h, value s);
void caml_MD5Init(struct vm_md5_state *md5);
void caml_MD5Update(struct vm_md5_state *md5, const unsigned char *bytes, uintptr_t n);
void caml_MD5Final(unsigned char *digest, struct vm_md5_state *md5);
void caml_md5_block(unsigned char *digest, void *bytes, uintptr_t n);
void caml_MD5Transform(uint32_t *state, uint32_t *words);

/* ---- channels.c ---- */
extern void (*caml_channel_mutex_lock)(struct channel *c);
extern void (*caml_channel_mutex_unlock)(struct channel *c);
extern void (*caml_channel_mutex_unlock_exn)(void);        /* NULL: a raise unlocks */
extern void (*caml_channel_mutex_free)(struct channel *c); /* never called */
struct channel *caml_open_descriptor_in(int fd);
struct channel *caml_open_descriptor_out(int fd);
void caml_close_channel(struct channel *c);
value caml_alloc_channel(struct channel *c);
int caml_channel_binary_mode(struct channel *c);
int64_t caml_channel_size(struct channel *c);
void caml_seek_in(struct channel *c, int64_t position);
void caml_seek_out(struct channel *c, int64_t position);
int64_t caml_pos_in(struct channel *c);
int64_t caml_pos_out(struct channel *c);
int caml_flush_partial(struct channel *c); /* whether the buffer is empty now */
void caml_flush(struct channel *c);
int caml_putblock(struct channel *c, char *from, intptr_t n); /* how much there was room for */
void caml_really_putblock(struct channel *c, char *from, intptr_t n);
void caml_putch(struct channel *c, int byte);
void caml_putword(struct channel *c, uint32_t word);
void caml_output_val(struct channel *c, value v, value flags);
int caml_getblock(struct channel *c, char *to, intptr_t n); /* what is there; 0: the end */
intptr_t caml_really_getblock(struct channel *c, char *to, intptr_t n);
unsigned char caml_getch(struct channel *c);
unsigned char caml_refill(struct channel *c);
uint32_t caml_getword(struct channel *c);
value caml_input_val(struct channel *c);
value caml_md5_channel(struct channel *c, intptr_t n); /* n < 0: to the end */

/* ---- ephemerons.c: the result of `get` functions says whether the slot was set ---- */
value caml_ephemeron_create(uintptr_t keys);
uintptr_t caml_ephemeron_num_keys(value e);
int caml_ephemeron_key_is_set(value e, uintptr_t i);
void caml_ephemeron_set_key(value e, uintptr_t i, value key);
void caml_ephemeron_unset_key(value e, uintptr_t i);
int caml_ephemeron_get_key(value e, uintptr_t i, value *key);
int caml_ephemeron_get_key_copy(value e, uintptr_t i, value *key);
void caml_ephemeron_blit_key(value from, uintptr_t i, value to, uintptr_t j, uintptr_t n);
int caml_ephemeron_data_is_set(value e);
void caml_ephemeron_set_data(value e, value data);
void caml_ephemeron_unset_data(value e);
int caml_ephemeron_get_data(value e, value *data);
int caml_ephemeron_get_data_copy(value e, value *data);
void caml_ephemeron_blit_data(value from, value to);

/* ---- system.c ---- */
_Noreturn void caml_sys_error(value argument);
_Noreturn void caml_sys_io_error(value argument);
int caml_read_fd(int fd, int flags, void *to, int n); /* -1: interrupted by a signal */
int caml_write_fd(int fd, int flags, void *from, int n);
void caml_ext_table_init(struct ext_table *t, int capacity);
int caml_ext_table_add(struct ext_table *t, void *data);
void caml_ext_table_remove(struct ext_table *t, void *data);
void caml_ext_table_clear(struct ext_table *t, int free_entries);
void caml_ext_table_free(struct ext_table *t, int free_entries);
int caml_read_directory(char *name, struct ext_table *t);
char *caml_decompose_path(struct ext_table *t, char *path);
char *caml_search_in_path(struct ext_table *t, const char *name);
char *caml_search_dll_in_path(struct ext_table *t, const char *name);
char *caml_search_exe_in_path(const char *name);
/* 4.x passes whether the library is to be executed, and then whether its names are global; 5.x only
 * the second. */
void *caml_dlopen(char *name, int a, int b);
void caml_dlclose(void *library);
void *caml_dlsym(void *library, const char *name);
void *caml_globalsym(const char *name);
char *caml_dlerror(void);
_Noreturn void caml_do_exit(int status);
double caml_sys_time_unboxed(value unit);
double caml_log1p(double x);
char *caml_secure_getenv(const char *name);
char *caml_executable_name(void);
int caml_num_rows_fd(int fd);
void caml_gc_message(int level, char *format, ...) __attribute__((format(printf, 2, 3)));
int caml_runtime_warnings_active(void);
value caml_channel_descriptor(value channel);
value caml_ml_open_descriptor_in(value fd);
value caml_ml_open_descriptor_out(value fd);
value caml_sys_modify_argv(value argv);
value caml_ba_reshape(value bigarray, value dims);

/* ---- bigarray.c ---- */
extern const struct gc_custom_ops caml_ba_ops;
extern const int caml_ba_element_size[];
value caml_ba_alloc(int flags, int num_dims, void *data, intptr_t *dims);
value caml_ba_alloc_dims(int flags, int num_dims, void *data, ...);
uintptr_t caml_ba_byte_size(struct bigarray *b);
uintptr_t caml_ba_num_elts(struct bigarray *b);
void caml_ba_finalize(value v);
int caml_ba_compare(value a, value b);
intptr_t caml_ba_hash(value v);
void caml_ba_serialize(value v, uintptr_t *bytes_32, uintptr_t *bytes_64);
uintptr_t caml_ba_deserialize(void *to);

/* ---- marshal.c ---- */
intptr_t caml_output_value_to_block(value v, value flags, char *to, intptr_t room);
void caml_output_value_to_malloc(value v, value flags, char **out, intptr_t *length);
value caml_input_value_from_block(const char *bytes, intptr_t length);
value caml_input_value_from_malloc(char *bytes, intptr_t start);
/* For serialize functions ... */
void caml_serialize_int_1(int n);
void caml_serialize_int_2(int n);
void caml_serialize_int_4(int32_t n);
void caml_serialize_int_8(int64_t n);
void caml_serialize_float_4(float x);
void caml_serialize_float_8(double x);
void caml_serialize_block_1(const void *from, intptr_t n);
void caml_serialize_block_2(const void *from, intptr_t n);
void caml_serialize_block_4(const void *from, intptr_t n);
void caml_serialize_block_8(const void *from, intptr_t n);
void caml_serialize_block_float_8(const void *from, intptr_t n);
/* ... and by deserialize functions. */
int caml_deserialize_uint_1(void);
int caml_deserialize_sint_1(void);
int caml_deserialize_uint_2(void);
int caml_deserialize_sint_2(void);
uint32_t caml_deserialize_uint_4(void);
int32_t caml_deserialize_sint_4(void);
uint64_t caml_deserialize_uint_8(void);
int64_t caml_deserialize_sint_8(void);
float caml_deserialize_float_4(void);
double caml_deserialize_float_8(void);
void caml_deserialize_block_1(void *to, intptr_t n);
void caml_deserialize_block_2(void *to, intptr_t n);
void caml_deserialize_block_4(void *to, intptr_t n);
void caml_deserialize_block_8(void *to, intptr_t n);
void caml_deserialize_block_float_8(void *to, intptr_t n);
_Noreturn void caml_deserialize_error(const char *text);

/* ---- ocaml5.c ---- */
_Noreturn void caml_bad_caml_state(void); /* the calling thread does not hold the runtime lock */
/* The exceptions that the functions caml_raise_... raise. */
value caml_exception_constant(value tag);
value caml_exception_with_arg(value tag, value argument);
value caml_exception_with_args(value tag, int count, value arguments[]);
value caml_exception_with_string(value tag, const char *text);
value caml_exception_failure(const char *text);
value caml_exception_failure_value(value text);
value caml_exception_invalid_argument(const char *text);
value caml_exception_invalid_argument_value(value text);
value caml_exception_array_bound_error(void);
value caml_exception_out_of_memory(void);
value caml_exception_stack_overflow(void);
value caml_exception_sys_error(value text);
value caml_exception_sys_blocked_io(void);
value caml_exception_end_of_file(void);
value caml_exception_zero_divide(void);
value caml_exception_not_found(void);
/* As the functions ..._exn. */
struct caml_result caml_callback_res(value f, value a);
struct caml_result caml_callback2_res(value f, value a, value b);
struct caml_result caml_callback3_res(value f, value a, value b, value c);
struct caml_result caml_callbackN_res(value f, int count, value arguments[]);
struct caml_result caml_process_pending_actions_res(void);
struct caml_result caml_process_pending_actions_with_root_res(value v);
struct caml_result caml_do_pending_actions_res(void);
struct caml_result caml_final_do_calls_res(void);
struct caml_result caml_process_pending_signals_res(void);
struct caml_result caml_execute_signal_res(int number);
int caml_check_pending_signals(void);
value caml_atom(unsigned char tag);
value caml_alloc_1(unsigned tag, value a);
value caml_alloc_2(unsigned tag, value a, value b);
value caml_alloc_3(unsigned tag, value a, value b, value c);
value caml_alloc_4(unsigned tag, value a, value b, value c, value d);
value caml_alloc_5(unsigned tag, value a, value b, value c, value d, value e);
value caml_alloc_6(unsigned tag, value a, value b, value c, value d, value e, value f);
value caml_alloc_7(unsigned tag, value a, value b, value c, value d, value e, value f, value g);
value caml_alloc_8(unsigned tag, value a, value b, value c, value d, value e, value f, value g,
                   value h);
value caml_alloc_9(unsigned tag, value a, value b, value c, value d, value e, value f, value g,
                   value h, value i);
value caml_alloc_shr_noexc(uintptr_t wosize, unsigned tag);
value caml_alloc_shr_reserved(uintptr_t wosize, unsigned tag, uintptr_t unused);
int caml_atomic_cas_field(value block, intptr_t i, value expected, value v);
void caml_adjust_minor_gc_speed(uintptr_t mem, uintptr_t max);
void caml_memprof_sample_block(value block, size_t allocated, size_t sampled, int source);
void caml_channel_lock(struct channel *c);
void caml_channel_unlock(struct channel *c);
void caml_flush_if_unbuffered(struct channel *c);
value caml_ml_open_descriptor_in_with_flags(int fd, int flags);
value caml_ml_open_descriptor_out_with_flags(int fd, int flags);
void caml_runtime_events_start(void);
void caml_runtime_events_pause(void);
void caml_runtime_events_resume(void);
int caml_runtime_events_are_active(void);
void caml_runtime_events_post_fork(void); /* in the child */
void caml_ev_lifecycle(int what, int64_t data);
char *caml_runtime_events_current_location(void); /* to be freed; NULL: not started */
value caml_runtime_events_user_register(value name, value tag, value type);
value caml_runtime_events_user_write(value buffer, value event, value content);
value caml_runtime_events_user_resolve(const char *name, int type);
intptr_t caml_domain_is_multicore(void);
char *caml_strerror(int error, char *text, size_t room);
int caml_ext_table_add_noexc(struct ext_table *t, void *data); /* -1: out of memory */

/* Refused: imported by libraries, but without meaning here. A call raises. */
char *caml_alloc_for_heap(uintptr_t bytes);
int caml_add_to_heap(char *chunk);
unsigned caml_allocation_color(void *block);
int caml_page_table_add(int kind, void *start, void *end);
int caml_page_table_remove(int kind, void *start, void *end);
void caml_free_for_heap(char *chunk);
void caml_main(char **argv);
void caml_shutdown(void);
int caml_c_thread_register(void);
int caml_c_thread_unregister(void);

#endif
