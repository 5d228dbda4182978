/* run_image.h - runs bytecode that nobody vouches for: checked, without any capability, within
 * limits of instructions, heap, stack and output. */
#ifndef BACTRIAN_TESTS_FUZZ_RUN_IMAGE_H
#define BACTRIAN_TESTS_FUZZ_RUN_IMAGE_H

#include "vm/state/options.h"

#include <stddef.h>
#include <stdint.h>

struct run_record;

enum run_end {
    RUN_REFUSED,
    RUN_RETURNED,
    RUN_EXITED,
    RUN_UNCAUGHT,
    RUN_STOPPED,
    RUN_NO_MEMORY, /* the machine could not go on; its memory is lost */
    RUN_ENDS
};

struct run_way {
    const struct vm_policy *policy; /* vm_policy_pure's */
    uint64_t fuel;                  /* 0: no limit */
    unsigned stress;                /* --gc-stress, verified */
    size_t minor_words;             /* 0: the default here */
    enum vm_jit jit;
    uint64_t jit_stress;
    struct run_record *record; /* NULL: output goes to that of the process */
};

/* How the run ended. Whatever the bytes are, one of these is right; the heap was verified. Uncaught
 * exceptions are printed. */
enum run_end run_image(const uint8_t *bytes, size_t length, const struct run_way *way);

#endif
