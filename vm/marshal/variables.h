/* variables.h - the names of variables in frames and closures, from debug events.
 *
 * An event has the compiler's environment at its point of the code: the variables in the frame, by
 * their positions counted from its bottom, and those in the function's closure, by their fields.
 * They are needed rarely, for heap snapshots, so that debuginfo.h's table doesn't keep them: the
 * events of one unit at a time are read again. Requests for ascending positions read each once.
 *
 * VN1  A variable has a name at a gpc only if an event at that gpc has it, or the last event before
 *      it and the first one after it have the same variable in the same word: the code of a
 *      variable's scope is contiguous. Parameters need the event before it alone. */
#ifndef BACTRIAN_VM_MARSHAL_VARIABLES_H
#define BACTRIAN_VM_MARSHAL_VARIABLES_H

#include "gc/containers.h"
#include "gc/value.h"
#include "vm/base/arena.h"

struct vm;

/* Starts with vm alone set. */
struct vm_variables {
    struct vm *vm;
    uint64_t start, end; /* the gpcs of the unit whose events are in memory */
    struct vm_arena arena;
    struct VECTOR(struct vm_variables_event {
        uint64_t gpc;
        value event;
    }) events; /* by gpc */
    /* Two, for one call: they would not fit into a small C stack. */
    struct vm_variables_list *lists;
};

/* A variable: its name and identifier, until the next call; a word of a frame from its top, or a
 * field. What has a name only has an integer for an identifier. */
typedef void vm_variable_visitor(void *context, const char *name, value ident, uint32_t place);

/* Calls f with each known variable of a frame of that height whose gpc this is (frames.h).
 * GC: never, like all below. */
void vm_variables_of_frame(struct vm_variables *v, uint64_t gpc, uint32_t height,
                           vm_variable_visitor *f, void *context);
/* Calls f with each known variable that closure blocks of that function and size captured; of
 * partial applications the arguments that they have. */
void vm_variables_of_closure(struct vm_variables *v, uint32_t function, uint64_t wosize,
                             vm_variable_visitor *f, void *context);
/* Calls f with each folder in which the unit of a gpc was compiled, as a name at place 0. */
void vm_variables_folders(struct vm_variables *v, uint64_t gpc, vm_variable_visitor *f,
                          void *context);
/* Frees what v owns. */
void vm_variables_free(struct vm_variables *v);

#endif
