/* state.c - creation and end of the primitives' share of a machine. */
#include "stdlib/state.h"

#include "stdlib/channel.h"
#include "stdlib/customs.h"
#include "stdlib/ffi/ffi.h"

#include <stdlib.h>

void *prim_state_open(struct vm *vm) {
    struct prim_state *state = calloc(1, sizeof *state);
    if (state == NULL) return NULL;
    state->ffi = ffi_state_open(vm);
    if (state->ffi == NULL) {
        free(state);
        return NULL;
    }
    state->vm = vm;
    state->parser_trace = vm->options.parser_trace;
    state->runtime_warnings = vm->options.runtime_warnings;
    channel_read_fault(state, getenv("BACTRIAN_FAIL_IO"));
    return state;
}

void prim_state_close(struct vm *vm, void *state) {
    struct prim_state *own = state;
    ffi_state_close(own->ffi);
    channels_free_all(own);
    customs_free(own);
    own->marshal.scratch.heap = NULL; /* it is gone */
    vm_arena_free(&own->marshal.scratch);
    free(own->marshal.input);
    free(own);
}
