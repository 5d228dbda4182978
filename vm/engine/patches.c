/* patches.c - see patches.h. */
#include "vm/engine/patches.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/ir.h"
#include "vm/code/opcodes.h"
#include "vm/engine/emit_threaded.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

struct point {
    uint32_t word; /* where it is decoded, in words of the area; 0: it is not */
    uint8_t patch; /* 0: none */
};

struct vm_patches {
    struct point **points; /* by fragment, then by pc; NULL: no patch, nothing decoded */
    uint32_t fragment_count;
    uintptr_t *words; /* as they were decoded, by word of the area */
    size_t word_capacity;
};

static struct vm_patches *patches_of(struct vm *vm) {
    if (vm->patches == NULL) vm->patches = vm_must(calloc(1, sizeof *vm->patches));
    return vm->patches;
}

static struct point *point_at(struct vm *vm, uint32_t fragment, uint32_t pc) {
    struct vm_patches *p = patches_of(vm);
    ASSERT(fragment < vm->code_count && pc < vm->codes[fragment]->word_count);
    if (fragment >= p->fragment_count) {
        p->points = vm_must(realloc(p->points, vm->code_count * sizeof(struct point *)));
        while (p->fragment_count < vm->code_count) p->points[p->fragment_count++] = NULL;
    }
    struct point **points = &p->points[fragment];
    if (*points == NULL)
        *points = vm_must(calloc(vm->codes[fragment]->word_count, sizeof **points));
    return &(*points)[pc];
}

/* Puts the body there that the patch asks for (DG2). */
static void apply(struct vm *vm, const struct point *point) {
    if (point->word == 0) return;
    uintptr_t *word = &vm->decoded_area->words[point->word];
    *word = point->patch == 0 ? vm->patches->words[point->word]
                              : (uintptr_t)vm_loop_bodies(vm)[point->patch];
}

bool vm_patch(struct vm *vm, uint32_t fragment, uint32_t pc, uint8_t patch) {
    if (fragment >= vm->code_count || pc >= vm->codes[fragment]->word_count ||
        vm->codes[fragment]->released)
        return false;
    struct point *point = point_at(vm, fragment, pc);
    point->patch = patch;
    apply(vm, point);
    return true;
}

void vm_patches_forget(struct vm *vm, uint32_t fragment) {
    struct vm_patches *p = vm->patches;
    if (p == NULL || fragment >= p->fragment_count || p->points[fragment] == NULL) return;
    for (uint32_t pc = 0; pc < vm->codes[fragment]->word_count; pc++)
        if (p->points[fragment][pc].patch != 0) vm_patch(vm, fragment, pc, 0);
}

/* The body of the instruction whose first word is there: what records that the function runs comes
 * before it (vm/code/function_id.h). */
static size_t body_at(const struct vm *vm, size_t at) {
    const void *const *bodies = vm_loop_bodies(vm);
    const uintptr_t *words = vm->decoded_area->words;
    while (words[at] == (uintptr_t)bodies[ENGINE_ENTERED] ||
           words[at] == (uintptr_t)bodies[ENGINE_RESUMED])
        at += 2;
    return at;
}

void vm_patch_decoded(const struct vm_emission *e, const uint32_t *offsets, uint32_t word_count) {
    struct vm *vm = e->vm;
    struct vm_patches *p = patches_of(vm);
    size_t first = vm->decoded_area->used, end = first + word_count;
    vm_must_have(
        vector_widen((void **)&p->words, &p->word_capacity, end, end, sizeof *p->words, NULL));
    memcpy(p->words + first, vm->decoded_area->words + first, word_count * sizeof *p->words);
    for (size_t i = 0; i < e->ir->count; i++) {
        struct point *point = point_at(vm, e->fragment, e->ir->rows[i].pc);
        point->word = (uint32_t)body_at(vm, first + offsets[i]);
        apply(vm, point);
    }
}

void *vm_unpatched_body(const struct vm *vm, const uintptr_t *word) {
    size_t at = (size_t)(word - vm->decoded_area->words);
    ASSERT(vm->patches != NULL && at < vm->patches->word_capacity); /* DG2 */
    return (void *)vm->patches->words[at];
}

void vm_patches_free(struct vm *vm) {
    struct vm_patches *p = vm->patches;
    if (p == NULL) return;
    for (uint32_t i = 0; i < p->fragment_count; i++) free(p->points[i]);
    free(p->points);
    free(p->words);
    free(p);
}
