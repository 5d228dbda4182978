/* bytecode_mutate.h - changes a bytecode executable as damage or malice would.
 *
 * Nine kinds of change; most take instructions apart first, so that what comes out is often still
 * accepted by the verifier. The same seed gives the same mutant. */
#ifndef BACTRIAN_TESTS_FUZZ_BYTECODE_MUTATE_H
#define BACTRIAN_TESTS_FUZZ_BYTECODE_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#define MUTATIONS(KIND)                                                       \
    KIND(CODE_BIT, "a bit of CODE")                                           \
    KIND(CODE_BYTE, "a byte of CODE")                                         \
    KIND(OPERAND, "an operand: a little more, less, 0, -1, large, another's") \
    KIND(OPCODE, "an opcode: another one of the same shape")                  \
    KIND(ORDER, "instructions swapped, dropped or copied, labels kept right") \
    KIND(EIGHT_BITS, "eight bits of CODE")                                    \
    KIND(DATA, "bytes of DATA")                                               \
    KIND(ANYWHERE, "a bit anywhere")                                          \
    KIND(TRUNCATED, "the end is cut off")

enum mutation {
#define KIND(name, text) MUTATION_##name,
    MUTATIONS(KIND)
#undef KIND
        MUTATION_COUNT
};
extern const char *const mutation_texts[MUTATION_COUNT];

struct mutable_image {
    const uint8_t *bytes; /* the file */
    size_t length;
    size_t code, code_bytes, data, data_bytes; /* where CODE and DATA lie in it */
    size_t code_entry;                         /* of CODE's length in the table */
    uint32_t *starts;                          /* the word index of each instruction of CODE */
    uint32_t start_count;
};

/* Takes a good executable apart; bytes must outlive *out. Returns 0, or -1 if it is not one. */
int mutable_image_open(const uint8_t *bytes, size_t length, struct mutable_image *out);
void mutable_image_close(struct mutable_image *image);

/* The mutant of that kind and seed, malloc'ed, or NULL when memory is short. */
uint8_t *mutate_image(const struct mutable_image *image, enum mutation kind, uint64_t seed,
                      size_t *length);

#endif
