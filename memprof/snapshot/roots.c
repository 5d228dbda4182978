/* roots.c - the roots of a snapshot, with what is known of their names.
 *
 * Slots of the stack are named by their frame; the frames of running fibers may lie in buffers. C
 * variables are named by the library in which they lie. */
#include "gc/walk.h"
#include "memprof/recorder/root_names.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/marshal/symbols.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <stdlib.h>

struct roots {
    struct domain *d;
    struct mp_names *names;
    struct mp_named *named;
    struct mp_frames frames;
};

static void write_root(const struct roots *r, enum mp_root_kind kind, uint64_t name, uint64_t place,
                       uint64_t slot, value v) {
    struct mp_record_root record = {(uint8_t)kind, name, place, slot, 0};
    if (gc_block_number(&r->d->gc, v, &record.block)) mp_write_root(r->names->writer, &record);
}

/* ---- Frames. ---- */

static void list_frames(struct roots *r) {
    mp_frames_list(&r->frames, r->d, r->d->stack.high);
    for (size_t i = 0; i < r->frames.count; i++) {
        const struct vm_frame *f = &r->frames.items[i];
        uintptr_t *height = word_map_add(&r->named->frames, f->gpc + 1, 64, NULL);
        if (height != NULL) *height = f->height;
    }
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

static void write_scanned(const struct roots *r, const struct gc_root *root) {
    const struct vm_frame *frame = mp_frames_with(&r->frames, root->slot);
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
        write_root(r, MP_ROOT_C, mp_names_string(r->names, mp_library_of(root->slot)), 0, 0,
                   *root->slot);
        break;
    case GC_ROOT_SCANNED: write_scanned(r, root); break;
    case GC_ROOT_FIELD: break; /* of minor collections */
    case GC_ROOT_FINALISER: write_root(r, MP_ROOT_FINALISER, 0, 0, 0, *root->slot); break;
    }
}

void mp_snapshot_roots(struct mp_named *named) {
    struct roots r = {.d = named->d, .names = named->names, .named = named};
    list_frames(&r);
    mp_snapshot_name_frames(named);
    gc_walk_roots(&r.d->gc, write_one, &r);
    mp_frames_free(&r.frames);
}
