/* code.c - fragments and the table of functions (vm/code/code.h). */
#include "vm/code/code.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/base/md5.h"
#include "vm/base/os.h"
#include "vm/code/function_id.h"
#include "vm/code/opcodes.h"
#include "vm/code/pieces.h"
#include "vm/code/prim.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

static unsigned arity_of_primitive(void *context, uint32_t p) {
    const struct vm *vm = context;
    return vm->prims[p].arity;
}

/* A new row of the function table. Fails: fatally when the table is full. */
static uint32_t new_function(struct vm *vm, uint32_t fragment, uint32_t pc,
                             enum vm_function_kind kind) {
    if (vm->function_count == vm->function_capacity)
        vm_fatal("the function table is full: raise the memory limit");
    ASSERT(fragment < vm->code_count && pc < vm->codes[fragment]->word_count);
    uint32_t index = vm->function_count++;
    vm->functions[index] = (struct vm_function){
        .entry = vm->prepare_code,
        .pc = pc,
        .fragment = fragment,
        .kind = kind,
    };
    return index;
}

static void free_code(struct vm_code *code) {
    vm_words_free(&code->words);
    vm_verifier_free(code->verifier);
    vm_pieces_free(code->pieces);
    free(code->function_id_at);
    free(code);
}

/* Makes the code the machine's last fragment. */
static bool enter_code(struct vm *vm, struct vm_code *code) {
    struct vm_code **codes = realloc(vm->codes, (vm->code_count + 1) * sizeof *codes);
    if (codes == NULL) return false;
    vm->codes = codes;
    ASSERT(vm->next_gpc + code->word_count < VM_NO_GPC);
    code->base = vm->next_gpc;
    vm->codes[vm->code_count++] = code;
    vm->next_gpc += (uint64_t)code->word_count + 1;
    return true;
}

static enum vm_status verify(struct vm *vm, struct vm_code *code, uint32_t global_count,
                             struct vm_error *error) {
    struct vm_verify_input input = {
        .words = &code->words,
        .version = vm->version,
        .global_count = global_count,
        .primitive_count = vm->prim_count,
        .primitive_arity = arity_of_primitive,
        .context = vm,
        .fragment = code->loaded,
    };
    /* The loader of a fragment expects errors now, and function ids need all functions. */
    bool all = code->loaded || vm->options.verify_all || vm->options.track_functions;
    code->verifier = vm_verifier_create(&input, error);
    if (code->verifier == NULL) return error->status;
    return all ? vm_verify_all(code->verifier, error)
               : vm_verify_function(code->verifier, 0, error);
}

enum vm_status vm_code_add(struct vm *vm, struct vm_words *words, uint32_t global_count,
                           bool fragment, uint32_t *index, struct vm_error *error) {
    struct vm_code *code = calloc(1, sizeof *code);
    if (code == NULL) {
        vm_error_set(error, VM_NO_MEMORY, "%u words of code", words->count);
        vm_words_free(words);
        return VM_NO_MEMORY;
    }
    code->words = *words;
    code->word_count = words->count;
    code->loaded = fragment;
    enum vm_status status = verify(vm, code, global_count, error);
    if (status == VM_OK && !enter_code(vm, code))
        status = vm_error_set(error, VM_NO_MEMORY, "%u words of code", code->word_count);
    if (status != VM_OK) {
        free_code(code);
        return status;
    }
    *index = vm->code_count - 1;
    code->main_function = new_function(vm, *index, 0, FUNCTION_MAIN);
    if (vm->options.track_functions) vm_function_ids_add(vm, *index);
    return VM_OK;
}

void vm_code_release(struct vm *vm, uint32_t index) { vm->codes[index]->released = true; }

void vm_codes_free(struct vm *vm) {
    for (uint32_t i = 0; i < vm->code_count; i++) free_code(vm->codes[i]);
    free(vm->codes);
}

struct vm_code *vm_code_at(const struct vm *vm, uint64_t gpc) {
    size_t n = sorted_prefix(vm->code_count, i, vm->codes[i]->base <= gpc);
    return n > 0 && gpc - vm->codes[n - 1]->base < vm->codes[n - 1]->word_count ? vm->codes[n - 1]
                                                                                : NULL;
}

uint32_t vm_function_at(struct vm *vm, uint32_t fragment, uint32_t pc) {
    ASSERT(fragment < vm->code_count);
    struct vm_verifier *v = vm->codes[fragment]->verifier;
    uint32_t index = vm_find_entry(v, pc);
    struct vm_error error;
    if (index == 0 && vm_verify_all(v, &error) == VM_OK) index = vm_find_entry(v, pc);
    if (index == 0) return 0;
    struct vm_entry *entry = vm_entry_at(v, index);
    bool restart = pc != entry->pc;
    ASSERT(!restart || (entry->arity > 1 && pc + 1 == entry->pc));
    uint32_t *function = restart ? &entry->restart : &entry->closure;
    if (*function == 0)
        *function = new_function(vm, fragment, pc, restart ? FUNCTION_RESTART : FUNCTION_CLOSURE);
    return *function;
}

const struct vm_entry *vm_entry_of(const struct vm *vm, const struct vm_function *f) {
    const struct vm_verifier *v = vm->codes[f->fragment]->verifier;
    uint32_t entry = f->kind == FUNCTION_MAIN ? 0 : vm_find_entry(v, f->pc);
    ASSERT((entry == 0) == (f->kind == FUNCTION_MAIN)); /* C1 */
    return vm_entry_at(v, entry);
}

void vm_code_sum(const struct vm_code *code, uint8_t digest[16]) {
    uint32_t words[WORD_GROUP];
    struct vm_md5_state md5;
    vm_md5_start(&md5);
    for (uint32_t group = 0; group * WORD_GROUP < code->word_count; group++) {
        uint32_t n = vm_words_of_group(&code->words, group, words);
        vm_md5_add(&md5, words, (size_t)n * 4);
    }
    vm_md5_end(&md5, digest);
}

const uint8_t *vm_code_digest(struct vm_code *code) {
    if (!code->digest_known) {
        vm_code_sum(code, code->digest);
        code->digest_known = true;
    }
    return code->digest;
}

struct vm_code *vm_code_with_digest(struct vm *vm, const uint8_t digest[16], uint32_t *index) {
    for (uint32_t i = 0; i < vm->code_count; i++) {
        if (vm->codes[i]->released || memcmp(vm_code_digest(vm->codes[i]), digest, 16) != 0)
            continue;
        *index = i;
        return vm->codes[i];
    }
    return NULL;
}

unsigned vm_opcode_at(const struct vm *vm, uint64_t gpc) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    if (code == NULL) return OPCODE_COUNT;
    uint32_t pc = (uint32_t)(gpc - code->base);
    return vm_is_reached(code->verifier, pc) ? vm_word(&code->words, pc) : OPCODE_COUNT;
}

const char *vm_primitive_called_before(const struct vm *vm, uint64_t gpc) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    if (code == NULL) return NULL;
    for (uint32_t words = 2; words <= 3 && gpc >= code->base + words; words++) {
        unsigned op = vm_opcode_at(vm, gpc - words);
        if (words == 2 ? op >= OP_C_CALL1 && op <= OP_C_CALL5 : op == OP_C_CALLN) {
            uint32_t number = vm_word(&code->words, (uint32_t)(gpc - code->base) - 1);
            return number < vm->prim_count ? vm->prims[number].name : NULL;
        }
    }
    return NULL;
}

void vm_selfcheck_code(struct vm *vm) {
    for (uint32_t i = 0; i < vm->function_count; i++) {
        const struct vm_function *f = &vm->functions[i];
        vm_require(f->entry != NULL, "C1: a function without an entry");
        vm_require(i == 0 || (f->entry == vm->prepare_code) == (f->decoded == 0),
                   "C2: an entry that is neither \"prepare me\" nor decoded code");
    }
    for (uint32_t i = 0; i < vm->code_count; i++) {
        uint8_t now[16];
        struct vm_code *code = vm->codes[i];
        if (!code->digest_known || code->digest_given) continue;
        vm_code_sum(code, now);
        vm_require(memcmp(now, code->digest, 16) == 0, "C3: the words of a fragment have changed");
    }
}
