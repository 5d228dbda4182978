/* run_image.h - runs bytecode that nobody vouches for: checked, without any capability, within
 * limits of instructions, heap, stack and output. */
#ifndef BACTRIAN_TESTS_FUZZ_RUN_IMAGE_H
#define BACTRIAN_TESTS_FUZZ_RUN_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct vm_policy;

enum run_end {
    RUN_REFUSED,
    RUN_RETURNED,
    RUN_EXITED,
    RUN_UNCAUGHT,
    RUN_STOPPED,
    RUN_NO_MEMORY, /* the machine could not go on; its memory is lost */
    RUN_ENDS
};

/* How the run ended. Whatever the bytes are, one of these is right; the heap was verified.
 * Uncaught exceptions are printed on standard output. stress: --gc-stress, verified.
 * policy: vm_policy_pure's. */
enum run_end run_image(const uint8_t *bytes, size_t length, const struct vm_policy *policy,
                       unsigned stress, uint64_t fuel);

#endif
