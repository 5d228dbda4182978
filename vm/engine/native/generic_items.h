/* generic_items.h - elements of arrays that may be of floats or of other values. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_GENERIC_ITEMS_H
#define BACTRIAN_VM_ENGINE_NATIVE_GENERIC_ITEMS_H

struct native_compiler;
struct native_late;

/* The primitives that read or write an element. GC: never, for all of them. */
void native_get_generic_item(struct native_compiler *c);
void native_set_generic_item(struct native_compiler *c);
/* The same for floats, as late code; the code of late->exit follows. */
void native_put_float_item(struct native_compiler *c, const struct native_late *late);
void native_put_set_float_item(struct native_compiler *c, const struct native_late *late);

#endif
