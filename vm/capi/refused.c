/* refused.c - names that some library imports, so that they must be there for it to be opened, but
 * that have no meaning on this machine: calling one raises Failure, or ends the process with one
 * line where no machine runs. README.md tells the reason for each. */
#include "vm/base/os.h"
#include "vm/capi/capi_internal.h"
#include "vm/stack/raise.h"

static _Noreturn void refuse(const char *name) {
    if (Caml_state == NULL)
        vm_fatal("%s: bactrian does not have this function of OCaml's C interface", name);
    vm_failwith(self(), "%s: bactrian does not have this function of OCaml's C interface", name);
}

char *caml_alloc_for_heap(uintptr_t bytes) { refuse(__func__); }
int caml_add_to_heap(char *chunk) { refuse(__func__); }
unsigned caml_allocation_color(void *block) { refuse(__func__); }
int caml_page_table_add(int kind, void *start, void *end) { refuse(__func__); }
int caml_page_table_remove(int kind, void *start, void *end) { refuse(__func__); }

void caml_main(char **argv) { refuse(__func__); }
void caml_shutdown(void) { refuse(__func__); }
