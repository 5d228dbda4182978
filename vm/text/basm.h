/* basm.h - bytecode as text: prints an image with labels and names, and assembles it again.
 *
 * The text of an image represents every byte of it: vm_assemble turns what vm_disassemble printed
 * into the same file. In a text written by hand almost everything is optional (tests/asm/README.md
 * describes the language, the head of asm.c has its grammar). */
#ifndef BACTRIAN_VM_TEXT_BASM_H
#define BACTRIAN_VM_TEXT_BASM_H

#include "vm/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct vm_image;

/* Prints an opened image. The code need not pass the verifier: words that are not instructions are
 * printed as WORD lines. Write errors show in ferror(out).
 * GC: never.  Fails: VM_NO_MEMORY. */
enum vm_status vm_disassemble(const struct vm_image *image, FILE *out, struct vm_error *error);

/* Prints single instructions of an image, which must outlive the disassembler. NULL: out of memory.
 * GC: never. */
struct disassembler;
struct disassembler *vm_disassembler_open(const struct vm_image *image);
/* Name and operands of the instruction at pc, on one line without its end. Needs: the code passes
 * the verifier, and an instruction starts there. */
void vm_disassembler_print(struct disassembler *d, uint32_t pc, FILE *out);
void vm_disassembler_close(struct disassembler *d); /* NULL is allowed */

/* Assembles length bytes of text (they need not end in NUL, nor outlive the call) into an image
 * that owns its bytes: out->bytes, out->length are the executable file, vm_image_close frees it.
 * GC: never.  Fails: VM_BAD_TEXT, its detail starting with "LINE:COLUMN: " so that the CLI can
 * print `FILE:LINE:COLUMN: what`; the statuses of vm_image_from_memory; VM_NO_MEMORY. */
enum vm_status vm_assemble(const char *text, size_t length, struct vm_image *out,
                           struct vm_error *error);

#endif
