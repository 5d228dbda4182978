/* function_id.h - which function runs, for a profiler that wants to know it at every moment.
 *
 * With vm_options.track_functions decoded code tells it by itself: ENTERED stands in front of every
 * function's body, RESUMED wherever control comes back to one. Without it no such instruction is
 * made. A place is the number of a function, in all fragments together; 0 is outside of them all.
 *
 * PL1  d->function_id is the place of the body that runs; inside a primitive, that of its caller.
 * PL2  An entry is reported when its caller is not last_caller[place]. */
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

/* The place of the function whose code is at gpc, 0 if none was decoded there. *unbegun: gpc is a
 * function's entry, so that nothing of it has run. GC: never. */
uint32_t vm_function_id_at(const struct vm *vm, uint64_t gpc, bool *unbegun);
/* Whether place is the code of a fragment outside its functions (of the program: its top level). */
bool vm_function_id_is_main(const struct vm *vm, uint32_t place);
/* The global pc of a place's body. */
uint64_t vm_function_id_gpc(const struct vm *vm, uint32_t place);

#endif
