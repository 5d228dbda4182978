/* prims.c - the table of built-in primitives, made from prims.def and ffi/prims.def, the
 * capabilities of well-known stubs (stubs.def), and the primitives' state of a machine. */

#include "stdlib/channel.h"
#include "stdlib/customs.h"
#include "stdlib/events.h"
#include "stdlib/ffi/ffi.h"
#include "stdlib/prim.h"
#include "stdlib/state.h"

#include <stdlib.h>

static const struct vm_prim rows[] = {
#define PRIM(name, kinds, result, capability, flags) \
    {"caml_" #name, prim_##name, kinds, result, CAP_##capability, flags},
#define SAME_PRIM(name, as, kinds, result, capability, flags) \
    {"caml_" #name, prim_##as, kinds, result, CAP_##capability, flags},
#define ABSENT(name, kinds, result, capability, flags) \
    {"caml_" #name, NULL, kinds, result, CAP_##capability, flags},
#include "stdlib/prims.def"
#define FFI_PRIM(name, kinds, result, capability, flags) \
    {"bactrian_ffi_" #name, prim_ffi_##name, kinds, result, CAP_##capability, flags},
#include "stdlib/ffi/prims.def"
};

static const struct vm_stub stubs[] = {
#define STUB(name, first, second) {#name, {CAP_##first, CAP_##second}},
#include "stdlib/stubs.def"
};

static void *open_state(struct vm *vm) {
    struct prim_state *state = calloc(1, sizeof *state);
    if (state == NULL) return NULL;
    state->ffi = ffi_state_open(vm);
    if (state->ffi == NULL) {
        free(state);
        return NULL;
    }
    state->vm = vm;
    state->runtime_warnings = vm->options.runtime_warnings;
    channel_read_fault(state, getenv("BACTRIAN_FAIL_IO"));
    return state;
}

static void close_state(struct vm *vm, void *state) {
    struct prim_state *own = state;
    ffi_state_close(own->ffi);
    events_end(own);
    channels_free_all(own);
    customs_free(own);
    own->marshal.scratch.heap = NULL; /* it is gone */
    vm_arena_free(&own->marshal.scratch);
    free(own->marshal.input);
    free(own);
}

const struct vm_library prim_library = {
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
    .stubs = stubs,
    .stub_count = sizeof stubs / sizeof stubs[0],
    .open = open_state,
    .close = close_state,
    .domain_changed = events_domain_changed,
};
