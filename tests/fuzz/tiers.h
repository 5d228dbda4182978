/* tiers.h - an image run in the interpreter, then as machine code: both must show the same. */
#ifndef BACTRIAN_TESTS_FUZZ_TIERS_H
#define BACTRIAN_TESTS_FUZZ_TIERS_H

#include "tests/fuzz/run_image.h"

enum tiers_end {
    TIERS_REFUSED,
    TIERS_SAME,
    TIERS_ENDLESS,  /* not compared: no end within the fuel, which only the interpreter counts */
    TIERS_MEMORY,   /* not compared: it used all of the heap or of the stack */
    TIERS_UNSTEADY, /* not compared: two runs in the interpreter differ, as where addresses show */
    TIERS_DIFFER,
    TIERS_ENDS
};
extern const char *const tiers_texts[TIERS_ENDS];

/* The number chooses how machine code is made, and how often it is left. Prints differences. */
enum tiers_end compare_tiers(const uint8_t *bytes, size_t length, const struct vm_policy *policy,
                             uint64_t fuel, uint64_t number);

#endif
