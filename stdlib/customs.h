/* customs.h - the kinds of custom blocks that this machine can write to messages and read back.
 *
 * _i, _j and _n are known to vm/unmarshal.c and marshal_writer.c themselves; the rows here are the
 * others that are built in. Kinds that foreign libraries register will be looked up behind them, in
 * a list of the machine that the C ABI keeps; their serialize and deserialize functions take no
 * stream, so they will work on one that struct prim_state names while they run. */
#ifndef BACTRIAN_STDLIB_CUSTOMS_H
#define BACTRIAN_STDLIB_CUSTOMS_H

#include "vm/unmarshal.h"

struct marshal_writer;

struct custom_kind {
    struct vm_custom_reader reader; /* ops and how a payload is read */
    /* Writes the payload of v and tells the size of its data (without the operations pointer) on 32
     * and on 64 bits. GC: never. */
    void (*write)(struct marshal_writer *w, value v, uint64_t *bytes_32, uint64_t *bytes_64);
};

/* For vm_unmarshal_options: the reader for an identifier, or NULL. context: not used. GC: never. */
const struct vm_custom_reader *customs_find_reader(void *context, const char *identifier);
/* The kind with these operations, or NULL: such blocks can't be written. GC: never. */
const struct custom_kind *customs_find(const struct gc_custom_ops *ops);

#endif
