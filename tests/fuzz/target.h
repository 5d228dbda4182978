/* target.h - what a fuzz target defines, for libFuzzer, AFL++ and replay.c alike. */
#ifndef BACTRIAN_TESTS_FUZZ_TARGET_H
#define BACTRIAN_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Tries one input, which is not written to. Returns 0; a broken promise aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* image_mutator.c: a mutant of data, in its place, in at most max_size bytes; returns its length.
 * libFuzzer calls it where it is linked in. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#endif
