/* decoded.c - finds decoded functions by address (vm/code/decoded.h). */
#include "vm/code/decoded.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/base/os.h"
#include "vm/state/vm.h"

struct vm_decoded *vm_decoded_add(struct vm_decoded_area *area) {
    vm_must_have(vector_reserve(&area->decoded, 1, IF_SMALL_TABLES(1, 4096), NULL));
    return &area->decoded.items[area->decoded.count++];
}

const struct vm_decoded *vm_find_decoded(const struct vm *vm, struct vm_resume where) {
    const struct vm_decoded_area *area = vm->decoded_area;
    const uintptr_t *at = (const uintptr_t *)where.address;
    if (at < area->words || at >= area->words + area->used) return NULL;
    size_t n = sorted_prefix(area->decoded.count, i, area->decoded.items[i].words <= at);
    if (n == 0) return NULL;
    const struct vm_decoded *f = &area->decoded.items[n - 1];
    ASSERT(f->word_count > 0 && f->words + f->word_count <= area->words + area->used);
    return at < f->words + f->word_count ? f : NULL;
}

static struct vm_pc_row find_row(struct vm *vm, const struct vm_decoded *f, uint32_t word) {
    struct vm_decoded_area *area = vm->decoded_area;
    ASSERT(word < f->word_count);
    if (f->pcs == NULL) area->map_pcs(vm, &area->decoded.items[f - area->decoded.items]);
    return vm_pc_map_find(f->pcs, word);
}

struct vm_pc_row vm_decoded_row(struct vm *vm, const struct vm_decoded *f, struct vm_resume at) {
    return find_row(vm, f, (uint32_t)((const uintptr_t *)at.address - f->words));
}

struct vm_pc_row vm_decoded_last_row(struct vm *vm, const struct vm_decoded *f) {
    return find_row(vm, f, f->word_count - 1);
}
