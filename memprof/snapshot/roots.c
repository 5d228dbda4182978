/* roots.c - the roots of a snapshot, with what is known of their names.
 *
 * Slots of the stack are named by their frame; the frames of running fibers may lie in buffers. C
 * variables are named by the library in which they lie. */
#include "gc/walk.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/marshal/symbols.h"
#include "vm/stack/frames.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct roots {
    struct domain *d;
    struct mp_names *names;
    struct mp_named *named;
    struct VECTOR(struct vm_frame) frames; /* by base */
    bool lost;                             /* no memory for all frames: their words have no names */
};

static void write_root(const struct roots *r, enum mp_root_kind kind, uint64_t name, uint64_t place,
                       uint64_t slot, value v) {
    struct mp_record_root record = {(uint8_t)kind, name, place, slot, 0};
    if (gc_block_number(&r->d->gc, v, &record.block)) mp_write_root(r->names->writer, &record);
}

/* ---- Frames. ---- */

static int by_base(const void *a, const void *b) {
    const struct vm_frame *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

static void list_frames(struct roots *r) {
    struct vm_frame frame;
    for (bool more = vm_frames_first(r->d, &frame); more && !r->lost;
         more = vm_frames_next(r->d, &frame))
        r->lost = !vector_push(&r->frames, frame, 256, NULL);
    if (r->lost) r->frames.count = 0;
    for (size_t i = 0; i < r->frames.count; i++) {
        const struct vm_frame *f = &r->frames.items[i];
        uintptr_t *height = word_map_add(&r->named->frames, f->gpc + 1, 64, NULL);
        if (height != NULL) *height = f->height;
    }
    if (r->frames.count > 1)
        qsort(r->frames.items, r->frames.count, sizeof *r->frames.items, by_base);
}

/* The frame in which the slot lies; NULL: none. */
static const struct vm_frame *frame_of(const struct roots *r, const value *slot) {
    const struct vm_frame *frames = r->frames.items;
    size_t n = sorted_prefix(r->frames.count, i, frames[i].base <= slot);
    return n > 0 && slot < frames[n - 1].base + frames[n - 1].height ? &frames[n - 1] : NULL;
}

/* ---- By kind. ---- */

static void write_globals(const struct roots *r) {
    struct vm *vm = r->d->vm;
    const value globals = vm->global_data;
    write_root(r, MP_ROOT_MACHINE, mp_names_string(r->names, "the table of globals"), 0, 0,
               globals);
    for (uint32_t i = 0; is_block(globals) && i < wosize_of(globals); i++) {
        const char *name = vm_global_name(vm, i);
        uint32_t number = name == NULL ? 0 : mp_names_string(r->names, name);
        write_root(r, MP_ROOT_GLOBAL, number, 0, i, field(globals, i));
    }
}

/* The base name of the shared library that an address lies in; "": none, or Bactrian itself. */
static const char *library_of(const void *address) {
    Dl_info found, own;
    if (dladdr(address, &found) == 0 || found.dli_fname == NULL) return "";
    if (dladdr((const void *)library_of, &own) != 0 && own.dli_fbase == found.dli_fbase) return "";
    const char *slash = strrchr(found.dli_fname, '/');
    return slash == NULL ? found.dli_fname : slash + 1;
}

static void write_scanned(const struct roots *r, const struct gc_root *root) {
    const struct vm_frame *frame = frame_of(r, root->slot);
    if (root->slot == &r->d->vm->global_data) {
        write_globals(r);
    } else if (frame != NULL) {
        write_root(r, MP_ROOT_STACK, 0, mp_names_location(r->names, frame->gpc),
                   (uint64_t)(root->slot - frame->base), *root->slot);
    } else {
        write_root(r, MP_ROOT_MACHINE, mp_names_string(r->names, root->scanner), 0, 0, *root->slot);
    }
}

static void write_one(void *context, const struct gc_root *root) {
    const struct roots *r = context;
    uint64_t block;
    if (!gc_block_number(&r->d->gc, *root->slot, &block)) return;
    switch (root->kind) {
    case GC_ROOT_IN_C: write_root(r, MP_ROOT_C, 0, 0, 0, *root->slot); break;
    case GC_ROOT_SLOT:
        write_root(r, MP_ROOT_C, mp_names_string(r->names, library_of(root->slot)), 0, 0,
                   *root->slot);
        break;
    case GC_ROOT_SCANNED: write_scanned(r, root); break;
    case GC_ROOT_FINALISER: write_root(r, MP_ROOT_FINALISER, 0, 0, 0, *root->slot); break;
    }
}

void mp_snapshot_roots(struct mp_named *named) {
    struct roots r = {.d = named->d, .names = named->names, .named = named};
    list_frames(&r);
    mp_snapshot_name_frames(named);
    gc_walk_roots(&r.d->gc, write_one, &r);
    free(r.frames.items);
}
