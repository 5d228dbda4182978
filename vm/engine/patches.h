/* patches.h - the instructions of a debugged machine that are replaced by EVENT or BREAK.
 *
 *     of each fragment    pc -> its patch, and where it is decoded
 *     of decoded code     word -> the word that was decoded
 *
 * The words of a fragment do not change (C3); a patch replaces the body of a decoded instruction,
 * whose operands, frame words and map stay. An instruction that is not decoded yet is patched when
 * it is decoded.
 *
 * DG2  The body of a decoded instruction of a debugged machine is that of its patch, or its own. */
#ifndef BACTRIAN_VM_ENGINE_PATCHES_H
#define BACTRIAN_VM_ENGINE_PATCHES_H

#include <stdbool.h>
#include <stdint.h>

struct vm;
struct vm_emission;

/* Replaces the instruction at pc of a fragment by OP_EVENT or OP_BREAK; patch 0 restores it. False:
 * no such fragment, or pc is outside it. Nothing happens if no instruction starts there. GC: never.
 * Fails: when out of memory, fatally. */
bool vm_patch(struct vm *vm, uint32_t fragment, uint32_t pc, uint8_t patch);
/* Restores all instructions of a fragment. GC: never. */
void vm_patches_forget(struct vm *vm, uint32_t fragment);
/* A function was decoded: word_count words after those in use; offsets has the first one of each
 * row. Puts its patches there. GC: never.  Fails: when out of memory, fatally. */
void vm_patch_decoded(const struct vm_emission *e, const uint32_t *offsets, uint32_t word_count);
/* The address of the original body at a patched word. GC: never. */
void *vm_unpatched_body(const struct vm *vm, const uintptr_t *word);
void vm_patches_free(struct vm *vm);

#endif
