/* memory.c - stores, roots and C memory for stubs. */
#include "gc/heap.h"
#include "gc/roots.h"
#include "vm/capi/capi_internal.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"
#include "vm/thread/thread.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>

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

/* Memory outside the heap that blocks own, charged for one cycle: freeing does not undo it. */
void caml_alloc_dependent_memory(uintptr_t bytes) { gc_charge(&self()->gc, bytes, 0); }
void caml_free_dependent_memory(uintptr_t bytes) {}
void caml_adjust_gc_speed(uintptr_t mem, uintptr_t max) {
    gc_charge(&self()->gc, mem, max > 0 ? max : 1);
}

/* ---- Collections. Finalisers that become ready run when the program next polls. ---- */

void caml_minor_collection(void) { gc_minor(&self()->gc); }
void caml_empty_minor_heap(void) { gc_minor(&self()->gc); }
void caml_gc_dispatch(void) { gc_collect_requested(&self()->gc); }
void caml_major_collection_slice(intptr_t words) {
    gc_major_slice(&self()->gc, words > 0 ? words : 0);
}
void caml_finish_major_cycle(void) { gc_finish_major_cycle(&self()->gc); }
void caml_compact_heap(intptr_t policy) { gc_compact(&self()->gc); }
void caml_request_minor_gc(void) { gc_request_minor(&self()->gc, GC_FOR_PROGRAM); }
void caml_request_major_slice(void) { gc_request_slice(&self()->gc, GC_FOR_PROGRAM); }

void caml_set_minor_heap_size(size_t bytes) {
    struct gc_params params = *gc_get_params(&self()->gc);
    params.minor_words = bytes / 8;
    params.adaptive_minor = false;
    self()->record->minor_heap_words = params.minor_words; /* for Gc.get */
    gc_set_params(&self()->gc, &params);
    gc_minor(&self()->gc);
}

/* What OCaml's headers call the class of an address: words outside the heap have none. */
int caml_page_table_lookup(void *address) {
    enum { IN_HEAP = 1, IN_YOUNG = 2, IN_STATIC_DATA = 4 };
    const struct gc_domain *g = &self()->gc;
    value v = (value)address;
    if (gc_is_young(g, v)) return IN_YOUNG;
    if (!gc_in_range(g, v)) return 0;
    return v >= gc_atom(g, 0) && v <= gc_atom(g, 255) ? IN_STATIC_DATA : IN_HEAP;
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

/* Whether this thread may use the heap: blocks are also freed in blocking sections. */
static bool has_heap(struct domain *d, const struct capi *capi) {
    if (d->vm->threads != NULL) return vm_thread_holds_runtime_lock(d->vm);
    return pthread_equal(capi->thread, pthread_self());
}

/* Adds to the bytes of all blocks. Where the machine has a limit (--max-heap), it counts them: at
 * once, or else when the thread with the runtime lock calls this next. It does not collect, since
 * stubs rely on that; so the limit may be exceeded by an eighth until the next minor collection.
 * False: the limit refuses the bytes, which are not added. */
static bool count(intptr_t bytes) {
    if (Caml_state == NULL) return true;
    struct domain *d = self();
    struct capi *capi = d->vm->abi_state;
    if (d->gc.heap == NULL || gc_get_params(&d->gc)->max_heap_words == 0) return true;
    intptr_t all = atomic_fetch_add(&capi->stat_bytes, bytes) + bytes;
    if (!has_heap(d, capi)) return true;
    size_t now = all > 0 ? (size_t)all : 0; /* stubs also free what they got from malloc itself */
    if (now <= capi->stat_counted) {
        gc_external_uncharge(d->gc.heap, capi->stat_counted - now);
    } else if (!gc_external_owe(d->gc.heap, now - capi->stat_counted) && bytes > 0) {
        atomic_fetch_sub(&capi->stat_bytes, bytes);
        return false;
    }
    capi->stat_counted = now;
    return true;
}

static intptr_t size_of(void *block) { return (intptr_t)malloc_usable_size(block); }

/* A new block, or NULL if there is none or the limit refuses it. */
static void *counted(void *block) {
    if (block == NULL || count(size_of(block))) return block;
    free(block);
    return NULL;
}

void *caml_stat_alloc_noexc(size_t bytes) { return counted(malloc(bytes > 0 ? bytes : 1)); }
void *caml_stat_alloc(size_t bytes) { return must(caml_stat_alloc_noexc(bytes)); }
void *caml_stat_calloc_noexc(size_t n, size_t bytes) { return counted(calloc(n, bytes)); }

void *caml_stat_resize_noexc(void *block, size_t bytes) {
    intptr_t before = size_of(block), more = (intptr_t)bytes - before;
    if (more > 0 && !count(more)) return NULL;
    void *moved = realloc(block, bytes > 0 ? bytes : 1);
    intptr_t after = moved == NULL ? before : size_of(moved);
    count(after - before - (more > 0 ? more : 0));
    return moved;
}
void *caml_stat_resize(void *block, size_t bytes) {
    return must(caml_stat_resize_noexc(block, bytes));
}

void caml_stat_free(void *block) {
    count(-size_of(block));
    free(block);
}

/* The result plus modulo is at the start of a page; *block is to be freed. */
void *caml_stat_alloc_aligned_noexc(size_t bytes, int modulo, void **block) {
    enum { PAGE = 4096 };
    *block = caml_stat_alloc_noexc(bytes + PAGE);
    if (*block == NULL) return NULL;
    uintptr_t at = (uintptr_t)*block + (uintptr_t)modulo;
    return (char *)*block + (PAGE - at % PAGE);
}
void *caml_stat_alloc_aligned(size_t bytes, int modulo, void **block) {
    return must(caml_stat_alloc_aligned_noexc(bytes, modulo, block));
}

/* Without a pool, which OCaml allows too: every block is malloc's. */
void caml_stat_create_pool(void) {}
void caml_stat_destroy_pool(void) {}

char *caml_stat_strdup_noexc(const char *text) { return counted(strdup(text)); }
char *caml_stat_strdup(const char *text) { return must(caml_stat_strdup_noexc(text)); }

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
