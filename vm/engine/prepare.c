/* prepare.c - prepares a function when it is first called: verifies it, makes its intermediate
 * form, its words in the area of decoded code, and the map from these back to pcs and heights. */
#include "vm/engine/prepare.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/ir.h"
#include "vm/code/pc_map.h"
#include "vm/engine/emit_threaded.h"
#include "vm/engine/loop.h"
#include "vm/engine/native/native.h"
#include "vm/engine/patches.h"
#include "vm/stack/frame_layout.h"

#include <stdlib.h>

/* The id under which calls of a function are recorded (vm/code/function_id.h). */
static uint32_t function_id(const struct vm_code *code, const struct vm_function *f) {
    return code->first_function_id + vm_find_entry(code->verifier, f->pc);
}

/* Puts the words into the area. */
static void emit(struct vm *vm, struct vm_function *f, const struct vm_emission *e) {
    struct vm_decoded_area *area = vm->decoded_area;
    if (vm_threaded_words(e) > area->capacity - area->used)
        vm_fatal("the code area of the machine is full: raise the memory limit");
    uint32_t *offsets = area->offsets = vm_must(malloc(e->ir->count * sizeof *offsets));
    struct vm_decoded *row = vm_decoded_add(area);
    row->words = area->words + area->used;
    row->word_count = vm_emit_threaded(e, area->words + area->used, offsets);
    row->function = (uint32_t)(f - vm->functions);
    row->pcs = vm_must((void *)vm_pc_map_make(&area->maps, e->ir, offsets));
    ASSERT(row->word_count > 0 && row->word_count <= area->capacity - area->used);
    f->decoded = (uint32_t)area->decoded.count;
    if (vm->options.debugger != NULL) vm_patch_decoded(e, offsets, row->word_count);
    area->used += row->word_count;
    size_t entry = 0; /* after what only backward jumps reach, if anything */
    while (e->ir->rows[entry].pc != f->pc) entry++;
    f->entry = row->words + offsets[entry];
    ASSERT(e->ir->rows[entry].height == vm_entry_of(vm, f)->arity); /* IR2 */
    ASSERT(e->ir->rows[entry].op != OP_GRAB || entry_exact(f) == row->words + offsets[entry + 1]);
    free(offsets);
    area->offsets = NULL;
}

/* Decodes the function of a closure's label or a main program. A function of more than one argument
 * begins with the RESTART before f->pc: both entries are in the same words, one apart. */
static void decode(struct vm *vm, struct vm_function *f, uint32_t entry) {
    struct vm_code *code = vm->codes[f->fragment];
    uint32_t arity = vm_entry_at(code->verifier, entry)->arity;
    bool grabs = arity > 1;
    struct vm_ir *ir = &vm->decoded_area->ir;
    vm_ir_make(ir, code, entry);
    struct vm_emission e = {
        .vm = vm,
        .code = code,
        .ir = ir,
        .fragment = f->fragment,
        .runs_once = f->kind == FUNCTION_MAIN,
    };
    if (vm->options.track_functions) e.function_id = function_id(code, f);
    emit(vm, f, &e);
    vm_ir_free(ir);
    f->grabs = grabs && vm->options.debugger == NULL ? arity : 0;
}

bool vm_function_prepare(struct vm *vm, uint32_t index) {
    ASSERT(index > 0 && index < vm->function_count); /* C1 */
    struct vm_function *f = &vm->functions[index];
    if (f->decoded != 0) return true;
    const struct vm_code *code = vm->codes[f->fragment];
    uint32_t entry = f->kind == FUNCTION_MAIN ? 0 : vm_find_entry(code->verifier, f->pc);
    if (vm_verify_function(code->verifier, entry, &vm->refused) != VM_OK) return false;
    f->frame_bytes = vm_entry_at(code->verifier, entry)->frame_words * (uint64_t)8;
    if (f->frame_bytes > vm->widest_frame_bytes) vm->widest_frame_bytes = f->frame_bytes;
    if (f->kind == FUNCTION_RESTART) {
        uint32_t body = vm_function_at(vm, f->fragment, f->pc + 1);
        ASSERT(body != 0 && body != index); /* C1 */
        if (!vm_function_prepare(vm, body)) return false;
        f->decoded = vm->functions[body].decoded;
        f->entry = vm->functions[body].entry - vm_fixed_words[OP_RESTART];
    } else {
        decode(vm, f, entry);
    }
    ASSERT(f->decoded != 0 && f->entry != vm->prepare_code); /* C2 */
    return true;
}

/* Room for 2^29 decoded words; less where the system limits address space. */
bool vm_decoded_area_create(struct vm *vm) {
    struct vm_decoded_area *area = calloc(1, sizeof *area);
    if (area == NULL) return false;
    vm->decoded_area = area;
    size_t bytes = (size_t)1 << 32;
    area->words = vm_reserve(&bytes, (size_t)1 << 16);
    if (area->words == NULL) return false;
    area->capacity = bytes / 8;

    const void *const *labels = vm_loop_bodies(vm);
    uintptr_t *w = area->words;
    w[0] = frame_word(VM_NO_GPC, 0), w[1] = (uintptr_t)labels[ENGINE_LEAVE];
    w[2] = frame_word(VM_NO_GPC, 0), w[3] = (uintptr_t)labels[ENGINE_WATERMARK];
    w[4] = frame_word(VM_NO_GPC, 2), w[5] = (uintptr_t)labels[ENGINE_ENTER_TRACED];
    w[6] = frame_word(VM_NO_GPC, 0), w[7] = (uintptr_t)labels[ENGINE_REEXECUTE_ENDED];
    w[8] = (uintptr_t)labels[ENGINE_REEXECUTE_FAILED];
    w[9] = frame_word(VM_NO_GPC, 0), w[10] = (uintptr_t)labels[ENGINE_NEXT_CALL];
    w[11] = (uintptr_t)labels[ENGINE_PREPARE];
    w[12] = (uintptr_t)labels[ENGINE_NO_CODE];
    vm->leave_code = resume_at(w + 1), vm->watermark_code = resume_at(w + 3);
    vm->traced_code = resume_at(w + 5), vm->next_call_code = resume_at(w + 10);
    vm->reexecute_code = resume_at(w + 7), vm->reexecute_handler = resume_at(w + 8);
    vm->prepare_code = w + 11;
    vm->functions[0].entry = w + 12;
    w[13] = frame_word(VM_NO_GPC, 0), w[14] = (uintptr_t)labels[ENGINE_FIBER_RETURNED];
    vm->fiber_code = resume_at(w + 14);
    area->used = 15;
    vm_native_create(vm);
    return true;
}

void vm_decoded_area_destroy(struct vm *vm) {
    struct vm_decoded_area *area = vm->decoded_area;
    if (area == NULL) return;
    vm_native_destroy(vm);
    vm_arena_free(&area->maps);
    vm_ir_free(&area->ir);
    free(area->offsets);
    free(area->jumps);
    if (area->words != NULL) vm_release(area->words, area->capacity * 8);
    free(area->decoded.items);
    free(area);
}
