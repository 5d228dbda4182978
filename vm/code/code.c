/* code.c - fragments and the table of functions (vm/code/code.h). */
#include "vm/code/code.h"

#include "vm/base/md5.h"
#include "vm/base/os.h"
#include "vm/code/function_id.h"
#include "vm/code/opcodes.h"
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
                             enum vm_function_kind kind, uint32_t frame_words) {
    if (vm->function_count == vm->function_capacity)
        vm_fatal("the function table is full: raise the limits of memory");
    uint32_t index = vm->function_count++;
    vm->functions[index] = (struct vm_function){
        .entry = vm->prepare_code,
        .frame_bytes = frame_words * 8,
        .pc = pc,
        .fragment = fragment,
        .kind = kind,
    };
    return index;
}

static void free_code(struct vm_code *code) {
    vm_words_free(&code->words);
    vm_verified_free(&code->verified);
    free(code->function_at);
    free(code->function_id_at);
    free(code);
}

static enum vm_status no_memory(uint32_t words, struct vm_error *error) {
    return vm_error_set(error, VM_NO_MEMORY, "%u words of code", words);
}

static enum vm_status keep_words(struct vm_code *code, const uint32_t *words,
                                 struct vm_error *error) {
    if (!vm_words_make(&code->words, words, code->word_count, &code->verified.heights))
        return no_memory(code->word_count, error);
    free(code->verified.far); /* heights are in pc maps from here on */
    code->verified.far = NULL;
    return VM_OK;
}

/* Makes the code the machine's last fragment. */
static enum vm_status enter_code(struct vm *vm, struct vm_code *code, struct vm_error *error) {
    code->function_at = calloc((size_t)code->verified.entry_count * 2 + 1, sizeof(uint32_t));
    struct vm_code **codes = realloc(vm->codes, (vm->code_count + 1) * sizeof *codes);
    if (codes != NULL) vm->codes = codes;
    if (codes == NULL || code->function_at == NULL) return no_memory(code->word_count, error);
    code->base = vm->next_gpc;
    vm->codes[vm->code_count++] = code;
    vm->next_gpc += (uint64_t)code->word_count + 1;
    return VM_OK;
}

enum vm_status vm_code_add(struct vm *vm, const uint32_t *words, uint32_t word_count,
                           uint32_t global_count, bool fragment, uint32_t *index,
                           struct vm_error *error) {
    struct vm_code *code = calloc(1, sizeof *code);
    if (code == NULL) return no_memory(word_count, error);
    code->word_count = word_count;
    code->loaded = fragment;
    struct vm_verify_input input = {
        .words = words,
        .word_count = word_count,
        .version = vm->version,
        .global_count = global_count,
        .primitive_count = vm->prim_count,
        .primitive_arity = arity_of_primitive,
        .context = vm,
        .fragment = fragment,
    };
    enum vm_status status = vm_verify(&input, &code->verified, error);
    if (status == VM_OK) status = keep_words(code, words, error);
    if (status == VM_OK) status = enter_code(vm, code, error);
    if (status != VM_OK) {
        free_code(code);
        return status;
    }
    *index = vm->code_count - 1;
    code->main_function = new_function(vm, *index, 0, FUNCTION_MAIN,
                                       code->verified.main_frame_words);
    if (vm->options.track_functions) vm_function_ids_add(vm, *index);
    return VM_OK;
}

/* The words go; the functions stay, since closures may still name them (they were decoded, or
 * can't be called any more because the only caller released the fragment as having none). */
void vm_code_release(struct vm *vm, uint32_t index) { vm->codes[index]->released = true; }

void vm_codes_free(struct vm *vm) {
    for (uint32_t i = 0; i < vm->code_count; i++) free_code(vm->codes[i]);
    free(vm->codes);
}

struct vm_code *vm_code_at(const struct vm *vm, uint64_t gpc) {
    uint32_t low = 0, high = vm->code_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (vm->codes[middle]->base <= gpc) low = middle;
        else high = middle;
    }
    if (high == 0) return NULL;
    struct vm_code *code = vm->codes[low];
    return gpc >= code->base && gpc - code->base < code->word_count ? code : NULL;
}

uint32_t vm_function_at(struct vm *vm, uint32_t fragment, uint32_t pc) {
    struct vm_code *code = vm->codes[fragment];
    const struct vm_entry *entry = vm_find_entry(&code->verified, pc);
    if (entry == NULL) return 0;
    bool restart = pc != entry->pc;
    uint32_t *slot = &code->function_at[2 * (entry - code->verified.entries) + restart];
    if (*slot == 0)
        *slot = new_function(vm, fragment, pc, restart ? FUNCTION_RESTART : FUNCTION_CLOSURE,
                             entry->frame_words);
    return *slot;
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
    return vm_is_start(&code->words, pc) ? vm_word(&code->words, pc) : OPCODE_COUNT;
}

const char *vm_primitive_called_before(const struct vm *vm, uint64_t gpc) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    if (code == NULL) return NULL;
    for (uint32_t words = 2; words <= 3 && gpc >= code->base + words; words++) {
        unsigned op = vm_opcode_at(vm, gpc - words);
        if (words == 2 ? op >= OP_C_CALL1 && op <= OP_C_CALL5 : op == OP_C_CALLN) {
            uint32_t number = vm_word(&code->words, (uint32_t)(gpc - code->base) - 1);
            return vm->prims[number].name;
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
