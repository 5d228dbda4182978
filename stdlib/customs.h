/* customs.h - the kinds of custom blocks that can be marshalled, besides _i, _j and _n.
 *
 * A foreign kind with a serialize function can be written, a registered one can be read back. Their
 * functions have no stream argument: they use the one in struct marshal_state. */
#ifndef BACTRIAN_STDLIB_CUSTOMS_H
#define BACTRIAN_STDLIB_CUSTOMS_H

#include "vm/marshal/reader.h"
#include "vm/marshal/writer.h"

struct prim_state;

/* For vm_marshal_read_options: the reader for an identifier, or NULL. context: the domain.
 * GC: never. */
const struct vm_marshal_custom_reader *customs_find_reader(void *context, const char *identifier);
/* The writers of all kinds. */
extern const struct vm_marshal_customs customs_writers;

/* Registers a foreign kind for reading; ops must outlive the machine. GC: never. Fails: false, no
 * memory. */
bool customs_register(struct domain *d, const struct gc_custom_ops *ops);
/* The operations of a kind that can be marshalled, or NULL. GC: never. */
const struct gc_custom_ops *customs_find(struct domain *d, const char *identifier);
/* Frees the list of registered kinds. GC: never. */
void customs_free(struct prim_state *state);
/* A deserialize function gives up: the value is refused with text (cut to fit). Needs: one runs.
 * GC: never. */
_Noreturn void customs_refuse(struct domain *d, const char *text);

#endif
