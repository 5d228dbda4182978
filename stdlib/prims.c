/* prims.c - the table of built-in primitives, made from prims.def and ffi/prims.def. */
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

const struct vm_library prim_library = {
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
    .open = prim_state_open,
    .close = prim_state_close,
};
