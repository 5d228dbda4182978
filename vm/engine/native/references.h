/* references.h - blocks of one field that do not leave their function: the `ref`s of `ocamlc -g`.
 *
 * A reference is made by MAKEBLOCK1, pushed, and from then on only its slot holds it: it is used by
 * nothing but GETFIELD0, SETFIELD0 and OFFSETREF. No other instruction, and no other code, can read
 * its content, so machine code may keep that in a register (contents.h). */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_REFERENCES_H
#define BACTRIAN_VM_ENGINE_NATIVE_REFERENCES_H

struct native_compiler;

/* Sets c->reference_slots and the rows' reference and references. Needs: native_flow. GC: never. */
void native_find_references(struct native_compiler *c);

#endif
