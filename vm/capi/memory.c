/* memory.c - stores, roots and C memory for stubs. */
#include "gc/heap.h"
#include "gc/roots.h"
#include "vm/capi/capi_internal.h"
#include "vm/state/domain.h"

#include <stdarg.h>

/* A slot outside the heap needs no barrier: its owner registers it as a root. */
void caml_modify(value *slot, value v) {
    struct gc_domain *g = &self()->gc;
    if (gc_in_range(g, (value)slot)) gc_store(g, (value)slot, 0, v);
    else *slot = v;
}

void caml_initialize(value *slot, value v) {
    struct gc_domain *g = &self()->gc;
    if (gc_in_range(g, (value)slot)) gc_init_field(g, (value)slot, 0, v);
    else *slot = v;
}

value caml_check_urgent_gc(value extra_root) {
    struct gc_domain *g = &self()->gc;
    GC_ROOT(g, &extra_root);
    gc_collect_requested(g);
    return extra_root;
}

/* The charge is for one cycle, so freeing does not undo it. */
void caml_alloc_dependent_memory(uintptr_t bytes) { gc_charge(&self()->gc, bytes, 0); }
void caml_free_dependent_memory(uintptr_t bytes) {}
void caml_adjust_gc_speed(uintptr_t mem, uintptr_t max) {
    gc_charge(&self()->gc, mem, max > 0 ? max : 1);
}

/* ---- Global roots. ---- */

void caml_register_global_root(value *slot) { gc_register_mutable_root(&self()->gc, slot); }
void caml_remove_global_root(value *slot) { gc_remove_mutable_root(&self()->gc, slot); }
void caml_register_generational_global_root(value *slot) { gc_register_root(&self()->gc, slot); }
void caml_remove_generational_global_root(value *slot) { gc_remove_root(&self()->gc, slot); }
void caml_modify_generational_global_root(value *slot, value v) {
    gc_modify_root(&self()->gc, slot, v);
}

/* ---- C memory: malloc's. ---- */

void *caml_stat_alloc_noexc(size_t bytes) { return malloc(bytes > 0 ? bytes : 1); }
void *caml_stat_alloc(size_t bytes) { return must(caml_stat_alloc_noexc(bytes)); }
void *caml_stat_calloc_noexc(size_t count, size_t bytes) { return calloc(count, bytes); }
void *caml_stat_resize_noexc(void *block, size_t bytes) {
    return realloc(block, bytes > 0 ? bytes : 1);
}
void *caml_stat_resize(void *block, size_t bytes) {
    return must(caml_stat_resize_noexc(block, bytes));
}
void caml_stat_free(void *block) { free(block); }
char *caml_stat_strdup_noexc(const char *text) { return strdup(text); }
char *caml_stat_strdup(const char *text) { return must(strdup(text)); }

char *caml_stat_strconcat(int count, ...) {
    va_list texts, again;
    size_t length = 0;
    va_start(texts, count);
    va_copy(again, texts);
    for (int i = 0; i < count; i++) length += strlen(va_arg(texts, const char *));
    va_end(texts);
    char *result = caml_stat_alloc(length + 1), *end = result;
    *end = '\0';
    for (int i = 0; i < count; i++) end = stpcpy(end, va_arg(again, const char *));
    va_end(again);
    return result;
}
