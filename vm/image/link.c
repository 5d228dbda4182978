/* link.c - see link.h. The table never moves, as decoded code points into it. */
#include "vm/image/link.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/code/kinds.h"
#include "vm/code/opcodes.h"
#include "vm/image/dll.h"
#include "vm/image/policy.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

/* Primitives that a running program may still add. */
enum { ROOM_FOR_MORE = 8192 };

/* The rows of built-in primitives, the profiler's first. A name has several rows where versions of
 * OCaml differ, at most one for each version. */
static size_t row_count(const struct vm *vm) {
    return vm->options.profiler_row_count + vm->library->count;
}
static const struct vm_prim *row_at(const struct vm *vm, size_t i) {
    size_t first = vm->options.profiler_row_count;
    return i < first ? &vm->options.profiler_rows[i] : &vm->library->rows[i - first];
}

static bool is_present(const struct vm *vm, const struct vm_prim *row) {
    return vm_prim_is_of(row, vm->version->id);
}

const struct vm_prim *vm_find_builtin(const struct vm *vm, const char *name) {
    for (size_t i = 0; i < row_count(vm); i++) {
        const struct vm_prim *row = row_at(vm, i);
        if (is_present(vm, row) && strcmp(row->name, name) == 0) return row;
    }
    return NULL;
}

/* Row numbers + 1 by the hash of their names, to link a whole table at once; 0: free. */
enum { INDEX_SLOTS = 2048 };

static uint32_t hash_of(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name != '\0'; name++) h = (h ^ (uint8_t)*name) * 16777619u;
    return h ^ h >> 15;
}

static uint16_t *slot_of(uint16_t *index, const struct vm *vm, const char *name) {
    ASSERT(row_count(vm) < INDEX_SLOTS);
    uint32_t i = hash_of(name) % INDEX_SLOTS;
    while (index[i] != 0 && strcmp(row_at(vm, index[i] - 1u)->name, name) != 0)
        i = (i + 1) % INDEX_SLOTS;
    return &index[i];
}

static void link_row(const struct vm *vm, struct vm_linked_prim *prim, const char *name,
                     const struct vm_prim *row) {
    *prim = (struct vm_linked_prim){.name = name, .row = row};
    if (!(row->flags & PRIM_BY_NAME)) prim->refused_by = vm_policy_restriction(vm, row->capability);
    prim->function = prim->refused_by != NULL ? NULL : row->function;
    prim->kinds = row->kinds;
    ASSERT(strlen(row->kinds) <= UINT8_MAX);
    prim->arity = (uint8_t)strlen(row->kinds);
    for (size_t i = 0; i < prim->arity && i < sizeof prim->kind_bits; i++)
        prim->kind_bits[i] = vm_kind_bit(row->kinds[i]);
}

struct vm_stub vm_stub_named(const struct vm *vm, const char *name) {
    for (size_t i = 0; i < vm->library->stub_count; i++)
        if (strcmp(vm->library->stubs[i].name, name) == 0) return vm->library->stubs[i];
    return (struct vm_stub){name, {CAP_DYNLINK, CAP_DYNLINK}};
}

static const char *stub_refusal(const struct vm *vm, const char *name) {
    const char *flag = vm_policy_restriction(vm, CAP_STUB);
    struct vm_stub stub = vm_stub_named(vm, name);
    for (int i = 0; flag == NULL && i < 2; i++)
        flag = vm_policy_restriction(vm, stub.capabilities[i]);
    return flag;
}

/* Links a function of a C library; NULL: there is none, and calling it raises. */
static void link_stub(const struct vm *vm, struct vm_linked_prim *prim, const char *name,
                      void *function) {
    *prim = (struct vm_linked_prim){.name = name, .refused_by = stub_refusal(vm, name)};
    if (prim->refused_by == NULL) prim->function = function;
    prim->stub = prim->function != NULL;
}

/* The instructions of the primitives that the loop implements (engine.def), by row number + 1. */
static void find_inlined(const struct vm *vm, uint16_t *index, uint16_t *op_of_row) {
    static const struct {
        const char *name;
        uint16_t op;
    } inlined[] = {
#define INLINED(name, primitive, arity, meaning) {#primitive, ENGINE_##name},
#include "vm/code/engine.def"
    };
    for (size_t i = 0; i < sizeof inlined / sizeof inlined[0]; i++)
        op_of_row[*slot_of(index, vm, inlined[i].name)] = inlined[i].op;
    op_of_row[0] = 0; /* of what this version doesn't have */
}

void vm_link_primitives(struct vm *vm, const char *const *names, uint32_t count) {
    uint16_t index[INDEX_SLOTS] = {0}, op_of_row[INDEX_SLOTS] = {0};
    for (size_t i = 0; i < row_count(vm); i++) {
        if (!is_present(vm, row_at(vm, i))) continue;
        uint16_t *slot = slot_of(index, vm, row_at(vm, i)->name);
        if (*slot == 0) *slot = (uint16_t)(i + 1);
    }
    find_inlined(vm, index, op_of_row);
    vm->prim_capacity = count + ROOM_FOR_MORE;
    vm->prims = vm_must(calloc(vm->prim_capacity, sizeof *vm->prims));
    for (vm->prim_count = 0; vm->prim_count < count; vm->prim_count++) {
        const char *name = names[vm->prim_count];
        uint16_t row = *slot_of(index, vm, name);
        struct vm_linked_prim *prim = &vm->prims[vm->prim_count];
        if (row != 0) link_row(vm, prim, name, row_at(vm, row - 1u));
        else link_stub(vm, prim, name, vm_dlls_function(vm, name));
        prim->inlined = op_of_row[row];
    }
    if (vm_counts_instructions(vm)) {
        vm->op_counts = vm_must(calloc(ENGINE_COUNT, sizeof *vm->op_counts));
        vm->prim_counts = vm_must(calloc(vm->prim_capacity, sizeof *vm->prim_counts));
    }
}

int32_t vm_link_more(struct vm *vm, const char *name, void *function) {
    ASSERT(vm->prim_count <= vm->prim_capacity);
    if (vm->prim_count == vm->prim_capacity) return -1;
    struct vm_linked_prim *prim = &vm->prims[vm->prim_count];
    const struct vm_prim *row = function == NULL ? vm_find_builtin(vm, name) : NULL;
    if (row != NULL) link_row(vm, prim, name, row);
    else link_stub(vm, prim, name, function);
    return (int32_t)vm->prim_count++;
}

void vm_link_free(struct vm *vm) {
    free(vm->prims);
    free(vm->op_counts);
    free(vm->prim_counts);
}
