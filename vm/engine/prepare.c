/* prepare.c - prepares a function when it is first called: verifies it, makes its intermediate form
 * and its words in the area of decoded code. The map from words back to pcs and heights is made on
 * demand. */
#include "vm/engine/prepare.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/ir.h"
#include "vm/code/pc_map.h"
#include "vm/code/pieces.h"
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

/* After a function of that many rows, the memory in which it was prepared is freed. */
enum { MANY_ROWS = 2 * VM_PIECE_ROWS };

static void free_preparation(struct vm_decoded_area *area) {
    vm_ir_free(&area->ir);
    free(area->offsets.items);
    free(area->jumps.items);
    area->offsets = area->jumps = (struct vm_word_offsets){.items = NULL};
}

static void end_preparation(struct vm_decoded_area *area) {
    if (area->ir.capacity > MANY_ROWS) free_preparation(area);
}

/* Room for the offsets of the form's rows. */
static uint32_t *offsets_for_rows(struct vm_decoded_area *area) {
    vm_must_have(vector_reserve(&area->offsets, area->ir.count, IF_SMALL_TABLES(1, 256), NULL));
    return area->offsets.items;
}

static uint32_t verified_entry(const struct vm *vm, const struct vm_function *f) {
    const struct vm_verifier *v = vm->codes[f->fragment]->verifier;
    return f->kind == FUNCTION_MAIN ? 0 : vm_find_entry(v, f->pc);
}

/* Whether a function is prepared in pieces. */
static bool is_divided(const struct vm *vm, const struct vm_function *f) {
    return f->kind == FUNCTION_MAIN && vm->codes[f->fragment]->pieces != NULL;
}

static struct vm_emission emission_of(struct vm *vm, const struct vm_function *f,
                                      const struct vm_ir *ir) {
    struct vm_code *code = vm->codes[f->fragment];
    return (struct vm_emission){
        .vm = vm,
        .code = code,
        .ir = ir,
        .fragment = f->fragment,
        .runs_once = f->kind == FUNCTION_MAIN,
        .is_piece = is_divided(vm, f),
        .goes_on = is_divided(vm, f) && code->pieces->next != 0,
        .function_id = vm->options.track_functions ? function_id(code, f) : 0,
    };
}

static void make_room(const struct vm_decoded_area *area, size_t words) {
    if (words > area->capacity - area->used)
        vm_fatal("the code area of the machine is full: raise the memory limit");
}

void vm_row_offsets(struct vm *vm, const struct vm_function *f, const struct vm_ir *ir,
                    uint32_t *offsets) {
    struct vm_decoded_area *area = vm->decoded_area;
    struct vm_emission e = emission_of(vm, f, ir);
    make_room(area, vm_threaded_words(&e));
    vm_emit_threaded(&e, area->words + area->used, offsets); /* not kept */
}

static void map_pcs(struct vm *vm, struct vm_decoded *decoded) {
    struct vm_decoded_area *area = vm->decoded_area;
    const struct vm_function *f = &vm->functions[decoded->function];
    const struct vm_code *code = vm->codes[f->fragment];
    if (is_divided(vm, f)) vm_ir_make_piece(&area->ir, code, code->pieces->from);
    else vm_ir_make(&area->ir, code, verified_entry(vm, f));
    uint32_t *offsets = offsets_for_rows(area);
    vm_row_offsets(vm, f, &area->ir, offsets);
    decoded->pcs = vm_must((void *)vm_pc_map_make(&area->maps, &area->ir, offsets));
    end_preparation(area);
}

/* Puts the words into the area. */
static void emit(struct vm *vm, struct vm_function *f, const struct vm_emission *e) {
    struct vm_decoded_area *area = vm->decoded_area;
    make_room(area, vm_threaded_words(e));
    uint32_t *offsets = offsets_for_rows(area);
    struct vm_decoded *row = vm_decoded_add(area);
    row->words = area->words + area->used;
    row->word_count = vm_emit_threaded(e, area->words + area->used, offsets);
    row->function = (uint32_t)(f - vm->functions);
    row->pcs = NULL;
    ASSERT(row->word_count > 0 && row->word_count <= area->capacity - area->used);
    f->decoded = (uint32_t)area->decoded.count;
    if (vm->options.debugger != NULL) vm_patch_decoded(e, offsets, row->word_count);
    area->used += row->word_count;
    size_t entry = 0; /* after what only backward jumps reach, if anything */
    while (e->ir->rows[entry].pc != f->pc) entry++;
    f->entry = row->words + offsets[entry];
    ASSERT(e->ir->rows[entry].height == vm_entry_of(vm, f)->arity); /* IR2 */
    ASSERT(e->ir->rows[entry].op != OP_GRAB || entry_exact(f) == row->words + offsets[entry + 1]);
}

/* Decodes the function of a closure's label or a main program. A function of more than one argument
 * begins with the RESTART before f->pc: both entries are in the same words, one apart. */
static void decode(struct vm *vm, struct vm_function *f, uint32_t entry) {
    struct vm_code *code = vm->codes[f->fragment];
    uint32_t arity = vm_entry_at(code->verifier, entry)->arity;
    struct vm_ir *ir = &vm->decoded_area->ir;
    vm_ir_make(ir, code, entry);
    struct vm_emission e = emission_of(vm, f, ir);
    emit(vm, f, &e);
    end_preparation(vm->decoded_area);
    f->grabs = arity > 1 && vm->options.debugger == NULL ? arity : 0;
}

/* ---- Pieces of the toplevel code (vm/code/pieces.h). ---- */

/* A program's toplevel code is divided unless its instructions or functions are observed: an
 * observer would see internal instructions, and the same code at different addresses. */
static bool may_divide(const struct vm *vm, const struct vm_function *f) {
    return f->kind == FUNCTION_MAIN && !vm->codes[f->fragment]->loaded &&
           !vm_counts_instructions(vm) && !vm->options.track_functions &&
           (!GC_SMALL_TABLES || vm->native == NULL);
}

/* Decoded words for the next piece: those of the previous one if they are enough, unless a call
 * stack may have kept addresses in them (vm/stack/callstack.h). */
static struct vm_decoded *place_piece(struct domain *d, struct vm_function *f, size_t words) {
    struct vm_decoded_area *area = d->vm->decoded_area;
    struct vm_pieces *pieces = d->vm->codes[f->fragment]->pieces;
    if (d->stack.call_stack == NULL && words <= pieces->capacity)
        return &area->decoded.items[f->decoded - 1];
    words += words / 4; /* later pieces are about as long; pages not written take no memory */
    make_room(area, words);
    struct vm_decoded *piece = vm_decoded_add(area);
    *piece = (struct vm_decoded){.words = area->words + area->used, .word_count = 1};
    piece->function = (uint32_t)(f - d->vm->functions);
    f->decoded = (uint32_t)area->decoded.count;
    pieces->capacity = words;
    area->used += words;
    return piece;
}

/* The entry of a program in pieces is a NEXT_PIECE, in words of its own. */
static void place_first(struct domain *d, struct vm_function *f) {
    uintptr_t *word = (uintptr_t *)place_piece(d, f, 1)->words;
    *word = (uintptr_t)vm_loop_bodies(d->vm)[ENGINE_NEXT_PIECE];
    f->entry = word;
}

const uintptr_t *vm_next_piece(struct domain *d) {
    struct vm *vm = d->vm;
    struct vm_decoded_area *area = vm->decoded_area;
    struct vm_code *code = vm->codes[0];
    struct vm_function *f = &vm->functions[code->main_function];
    struct vm_pieces *pieces = code->pieces;
    pieces->from = pieces->next;
    vm_drop_pages(pieces->heights, pieces->from * sizeof *pieces->heights); /* PC1 */
    pieces->next = vm_ir_make_piece(&area->ir, code, pieces->from);
    struct vm_emission e = emission_of(vm, f, &area->ir);
    struct vm_decoded *piece = place_piece(d, f, vm_threaded_words(&e));
    piece->word_count = vm_emit_threaded(&e, (uintptr_t *)piece->words, offsets_for_rows(area));
    piece->pcs = NULL;
    ASSERT(piece->word_count > 0 && piece->word_count <= pieces->capacity);
    end_preparation(area);
    f->entry = vm->functions[0].entry; /* it runs once: PC1 holds for one activation */
    return piece->words;
}

bool vm_function_prepare(struct vm *vm, uint32_t index) {
    ASSERT(index > 0 && index < vm->function_count); /* C1 */
    struct vm_function *f = &vm->functions[index];
    if (f->decoded != 0) return true;
    const struct vm_code *code = vm->codes[f->fragment];
    uint32_t entry = verified_entry(vm, f);
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
        struct vm_code *own = vm->codes[f->fragment];
        if (may_divide(vm, f)) own->pieces = vm_pieces_create(own->verifier);
        if (own->pieces != NULL && f->kind == FUNCTION_MAIN) place_first(vm->domain, f);
        else decode(vm, f, entry);
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
    area->words = vm_reserve_low(&bytes, (size_t)1 << 16);
    if (area->words == NULL) return false;
    area->capacity = bytes / 8;
    area->map_pcs = map_pcs;

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
    free_preparation(area);
    if (area->words != NULL) vm_release(area->words, area->capacity * 8);
    free(area->decoded.items);
    free(area);
}
