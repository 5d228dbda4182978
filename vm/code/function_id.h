/* function_id.h - the function that runs, for a profiler that needs to know it at every moment.
 *
 * With vm_options.track_functions decoded code keeps domain.function_id: ENTERED precedes every
 * function's body, RESUMED every point where control returns to one. Without the option neither is
 * emitted. Ids number the functions of all fragments from 1; 0 is outside all of them.
 *
 * PL1  d->function_id is the id of the body that runs; inside a primitive, that of its caller.
 * PL2  A call is reported when its caller is not last_caller[id]. */
#ifndef BACTRIAN_VM_CODE_FUNCTION_ID_H
#define BACTRIAN_VM_CODE_FUNCTION_ID_H

#include <stdbool.h>
#include <stdint.h>

struct vm;
struct domain;
struct vm_location;

/* Numbers the functions of the fragment that was added last. GC: never. Fails: fatally. */
void vm_function_ids_add(struct vm *vm, uint32_t fragment);
void vm_function_ids_free(struct vm *vm);

/* The id of the function whose code is at gpc; 0: none was decoded there. *at_entry: gpc is a
 * function's entry, so nothing of it has run. GC: never. */
uint32_t vm_function_id_at(const struct vm *vm, uint64_t gpc, bool *at_entry);
/* Whether id is the code of a fragment outside its functions (the top level). GC: never. */
bool vm_function_id_is_main(const struct vm *vm, uint32_t id);
/* The global pc of a function's body. GC: never. */
uint64_t vm_function_id_gpc(const struct vm *vm, uint32_t id);

#endif
