/* writer_internal.h - what writer.c shares with compression.c. */
#ifndef BACTRIAN_VM_MARSHAL_WRITER_INTERNAL_H
#define BACTRIAN_VM_MARSHAL_WRITER_INTERNAL_H

#include "vm/marshal/writer.h"

/* The writer fails, unless it has failed already. text: for its exception, or NULL. */
void writer_refuse(struct vm_marshal_writer *w, enum vm_marshal_failure failure, const char *text);
/* Whether the run is being stopped or no fuel is left; the writer has failed then. */
bool writer_must_stop(struct vm_marshal_writer *w);
/* Memory from the arena, at most as much as the heap's limit. NULL: the writer failed. */
void *writer_scratch(struct vm_marshal_writer *w, size_t bytes);
/* Replaces the chunks by those of a frame that holds their data_bytes bytes. */
void writer_compress(struct vm_marshal_writer *w);

#endif
