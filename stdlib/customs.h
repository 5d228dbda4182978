/* customs.h - the kinds of custom blocks that this machine can write to messages and read back.
 *
 * _i, _j and _n are known to vm/unmarshal.c and marshal_writer.c themselves; the rows here are the
 * others that are built in. Kinds of foreign libraries come behind them: any can be written that
 * has a serialize function, those that were registered can be read back. Their functions take no
 * stream: they work on the one that struct marshal_state names while they run. */
#ifndef BACTRIAN_STDLIB_CUSTOMS_H
#define BACTRIAN_STDLIB_CUSTOMS_H

#include "vm/unmarshal.h"

struct marshal_writer;
struct prim_state;

struct custom_kind {
    struct vm_custom_reader reader; /* ops and how a payload is read */
    /* Writes the payload of v and tells the size of its data (without the operations pointer) on 32
     * and on 64 bits. GC: never. */
    void (*write)(struct marshal_writer *w, value v, uint64_t *bytes_32, uint64_t *bytes_64);
};

/* For vm_unmarshal_options: the reader for an identifier, or NULL. context: the domain.
 * GC: never. */
const struct vm_custom_reader *customs_find_reader(void *context, const char *identifier);
/* The built-in kind with these operations, or NULL. GC: never. */
const struct custom_kind *customs_find(const struct gc_custom_ops *ops);

/* Makes a foreign kind known for reading; ops must outlive the machine. GC: never. Fails: false, no
 * memory. */
bool customs_register(struct domain *d, const struct gc_custom_ops *ops);
/* Frees the list of registered kinds. GC: never. */
void customs_free(struct prim_state *state);
/* Lets a foreign kind's serialize function write v, as custom_kind.write. Needs: there is one.
 * GC: only if it raises; the writer has failed then, with w->exn. */
void customs_write_foreign(struct marshal_writer *w, value v, uint64_t *bytes_32,
                           uint64_t *bytes_64);
/* A deserialize function gives up: the message is refused with text (cut to fit). Needs: one runs.
 * GC: never. */
_Noreturn void customs_refuse(struct domain *d, const char *text);

#endif
