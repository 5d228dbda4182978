/* capi.h - every name that compiled C stubs of OCaml 4.13 may import.
 *
 * OCaml's manual (chapter "Interfacing C with OCaml") and its headers in /usr/lib/ocaml/caml, which
 * stubs are compiled with, document the functions; comments here note only what is special to this
 * machine. All need a machine that runs in this thread. Those that allocate or call OCaml code:
 * GC: may run. They fail by raising, which is a longjmp through the stub.
 *
 * CA1  The list in exports.list, the table in README.md and the prototypes here have the same
 *      names. */
#ifndef BACTRIAN_VM_CAPI_CAPI_H
#define BACTRIAN_VM_CAPI_CAPI_H

#include "gc/value.h"

#include <signal.h>

struct vm_abi_state;
struct channel;
struct vm_md5_state;
struct bigarray;

/* ---- state.c ---- */
extern struct vm_abi_state *Caml_state; /* of the machine that runs stubs; NULL: none */
extern header *caml_atom_table;
extern volatile int caml_something_to_do; /* always 1: so callers check */
extern uintptr_t caml_allocated_words;    /* never read here */
extern int caml_debugger_in_use, caml_debugger_fork_mode;
extern volatile intptr_t caml_pending_signals[]; /* kept by vm/thread/signal.c */
/* Called with a function for each root, at every collection. */
extern void (*caml_scan_roots_hook)(void (*action)(value v, value *slot));
extern void (*caml_enter_blocking_section_hook)(void);
extern void (*caml_leave_blocking_section_hook)(void);
extern int (*caml_sigmask_hook)(int how, const sigset_t *set, sigset_t *old);
void caml_debugger_cleanup_fork(void);

/* ---- alloc.c ---- */
value caml_alloc(uintptr_t wosize, unsigned char tag);
value caml_alloc_small(uintptr_t wosize, unsigned char tag);
value caml_alloc_shr(uintptr_t wosize, unsigned char tag);
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
/* Every inline allocation of a stub calls this: leaves a fresh block at young_ptr. */
void caml_alloc_small_dispatch(intptr_t wosize, int flags, int count, unsigned char *lengths);
int caml_convert_flag_list(value list, const int *flags);

/* ---- memory.c ---- */
void caml_modify(value *slot, value v);
void caml_initialize(value *slot, value v);
value caml_check_urgent_gc(value extra_root);
/* Memory outside the heap that blocks own: speeds up the major collection. */
void caml_alloc_dependent_memory(uintptr_t bytes);
void caml_free_dependent_memory(uintptr_t bytes);
void caml_adjust_gc_speed(uintptr_t mem, uintptr_t max);
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
char *caml_stat_strdup(const char *text);
char *caml_stat_strdup_noexc(const char *text);
char *caml_stat_strconcat(int count, ...);

/* ---- alloc.c: custom blocks ---- */
value caml_alloc_custom(const struct gc_custom_ops *ops, uintptr_t bytes, uintptr_t mem,
                        uintptr_t max);
value caml_alloc_custom_mem(const struct gc_custom_ops *ops, uintptr_t bytes, uintptr_t mem);
value caml_alloc_final(uintptr_t words, void (*finalize)(value v), uintptr_t mem, uintptr_t max);
void caml_register_custom_operations(const struct gc_custom_ops *ops);

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
char *caml_format_exception(value exn); /* to be freed with caml_stat_free */

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
value caml_get_public_method(value object, value tag);

/* ---- control.c: blocking sections, threads, signals ---- */
void caml_enter_blocking_section(void);
void caml_enter_blocking_section_no_pending(void);
void caml_leave_blocking_section(void);
void caml_process_pending_actions(void);
value caml_process_pending_actions_exn(void);
int caml_check_pending_actions(void);
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
void caml_flush(struct channel *c);
value caml_ml_open_descriptor_in(value fd);
value caml_ml_open_descriptor_out(value fd);

/* ---- bigarray.c ---- */
extern const struct gc_custom_ops caml_ba_ops;
extern const int caml_ba_element_size[];
value caml_ba_alloc(int flags, int num_dims, void *data, intptr_t *dims);
value caml_ba_alloc_dims(int flags, int num_dims, void *data, ...);
value caml_ba_reshape(value bigarray, value dims);
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

/* Refused: imported by libraries, but without meaning here. A call raises. */
char *caml_alloc_for_heap(uintptr_t bytes);
int caml_add_to_heap(char *chunk);
unsigned caml_allocation_color(void *block);
int caml_page_table_add(int kind, void *start, void *end);
int caml_page_table_remove(int kind, void *start, void *end);
void caml_main(char **argv);
void caml_shutdown(void);
int caml_c_thread_register(void);
int caml_c_thread_unregister(void);

#endif
