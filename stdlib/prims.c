/* prims.c - the table of built-in primitives, made from prims.def and ffi/prims.def, and
 * what is known of other people's (stubs.def). */
#include "stdlib/prims.h"

#include "stdlib/prim.h"
#include "stdlib/state.h"

static const struct vm_prim rows[] = {
#define PRIM(name, kinds, result, capability, flags) \
    {"caml_" #name, prim_##name, kinds, result, CAP_##capability, flags},
#define ABSENT(name, kinds, result, capability, flags) \
    {"caml_" #name, NULL, kinds, result, CAP_##capability, flags},
#include "stdlib/prims.def"
#undef PRIM
#undef ABSENT
#define FFI_PRIM(name, kinds, result, capability, flags) \
    {"bactrian_ffi_" #name, prim_ffi_##name, kinds, result, CAP_##capability, flags},
#include "stdlib/ffi/prims.def"
#undef FFI_PRIM
};

static const struct vm_stub stubs[] = {
#define STUB(name, first, second) {#name, {CAP_##first, CAP_##second}},
#include "stdlib/stubs.def"
};

const struct vm_library prim_library = {
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
    .stubs = stubs,
    .stub_count = sizeof stubs / sizeof stubs[0],
    .open = prim_state_open,
    .close = prim_state_close,
};
