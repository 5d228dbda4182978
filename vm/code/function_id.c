/* function_id.c - see function_id.h. */
#include "vm/code/function_id.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/verify.h"
#include "vm/state/vm.h"

#include <stdlib.h>

void vm_function_ids_add(struct vm *vm, uint32_t fragment) {
    struct vm_function_ids *p = &vm->function_ids;
    ASSERT(fragment + 1 == vm->code_count);
    struct vm_code *code = vm->codes[fragment];
    uint32_t first = p->count == 0 ? 1 : p->count;
    uint32_t count = first + vm_entry_count(code->verifier);
    p->last_caller = vm_must(realloc(p->last_caller, count * sizeof *p->last_caller));
    for (uint32_t i = p->count; i < count; i++) p->last_caller[i] = VM_NO_FUNCTION_ID;
    p->count = count;
    code->first_function_id = first;
    code->function_id_at = vm_must(
        calloc((size_t)code->word_count + 1, sizeof *code->function_id_at));
}

void vm_function_ids_free(struct vm *vm) { free(vm->function_ids.last_caller); }

static bool is_entry(const struct vm_code *code, uint32_t pc) {
    uint32_t entry = vm_find_entry(code->verifier, pc);
    return entry != 0 && vm_entry_at(code->verifier, entry)->pc == pc;
}

uint32_t vm_function_id_at(const struct vm *vm, uint64_t gpc, bool *at_entry) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    *at_entry = false;
    if (code == NULL) return 0;
    uint32_t pc = (uint32_t)(gpc - code->base);
    ASSERT(code->function_id_at != NULL);
    *at_entry = is_entry(code, pc);
    return code->function_id_at[pc];
}

/* The fragment of a function. */
static const struct vm_code *code_of(const struct vm *vm, uint32_t id) {
    ASSERT(id > 0 && id < vm->function_ids.count);
    return vm->codes[sorted_prefix(vm->code_count, i, vm->codes[i]->first_function_id <= id) - 1];
}

bool vm_function_id_is_main(const struct vm *vm, uint32_t id) {
    return code_of(vm, id)->first_function_id == id;
}

uint64_t vm_function_id_gpc(const struct vm *vm, uint32_t id) {
    const struct vm_code *code = code_of(vm, id);
    if (id == code->first_function_id) return code->base;
    const struct vm_entry *entry = vm_entry_at(code->verifier, id - code->first_function_id);
    return code->base + entry->pc + (entry->arity > 1 ? 2 : 0);
}
