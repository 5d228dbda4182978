/* prim_nativeint.c - nativeint, which has 64 bits here. */
#include "stdlib/boxed_arithmetic.h"

BOXED_ARITHMETIC(nativeint, intptr_t, uintptr_t, 64, "Nativeint")
