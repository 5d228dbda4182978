/* image_mutator.c - bytecode_mutate.c for the fuzzers that change images.
 *
 * libFuzzer finds LLVMFuzzerCustomMutator in the target itself; AFL++ loads the afl_custom_
 * functions from a library (AFL_CUSTOM_MUTATOR_LIBRARY), beside its own mutations. What is not an
 * image (any more) is left to the fuzzer's own mutations. */
#include "tests/fuzz/bytecode_mutate.h"
#include "tests/fuzz/target.h"

#include <stdlib.h>
#include <string.h>

/* A mutant of an image, allocated; NULL: data is none, or no memory. */
static uint8_t *mutant_of(const uint8_t *data, size_t size, unsigned seed, size_t *length) {
    struct mutable_image image;
    uint8_t *mutant = NULL;
    if (mutable_image_open(data, size, &image) == 0)
        mutant = mutate_image(&image, (enum mutation)(seed % MUTATION_COUNT), seed, length);
    mutable_image_close(&image);
    return mutant;
}

#ifdef AFL_MUTATOR

struct mutator {
    unsigned seed;
    uint8_t *last; /* what was handed out */
};

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(struct mutator *m, uint8_t *data, size_t size, uint8_t **out,
                       const uint8_t *other, size_t other_size, size_t max_size);
void afl_custom_deinit(struct mutator *m);

void *afl_custom_init(void *afl, unsigned seed) {
    (void)afl;
    struct mutator *m = calloc(1, sizeof *m);
    if (m != NULL) m->seed = seed;
    return m;
}

size_t afl_custom_fuzz(struct mutator *m, uint8_t *data, size_t size, uint8_t **out,
                       const uint8_t *other, size_t other_size, size_t max_size) {
    (void)other, (void)other_size;
    size_t length = 0;
    free(m->last);
    m->last = mutant_of(data, size, m->seed++, &length);
    *out = m->last != NULL ? m->last : data; /* afl-fuzz ends where there is none */
    return m->last == NULL || length > max_size ? 0 : length;
}

void afl_custom_deinit(struct mutator *m) {
    free(m->last);
    free(m);
}

#else

/* libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    size_t length = 0;
    uint8_t *mutant = seed % 4 == 0 ? NULL : mutant_of(data, size, seed / 4, &length);
    if (mutant == NULL || length > max_size) length = LLVMFuzzerMutate(data, size, max_size);
    else memcpy(data, mutant, length);
    free(mutant);
    return length;
}

#endif
