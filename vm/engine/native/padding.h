/* padding.h - bytes that keep jumps within lines of 32 bytes.
 *
 * Intel's CPUs of the families Skylake to Comet Lake, with the microcode that mends erratum SKX102
 * (jump conditional code), do not keep a line of 32 bytes in the cache of decoded instructions if a
 * jump, with the comparison that is executed together with it, crosses or touches the line's end.
 * Machine code has a jump every ten bytes or so: without padding, most of its lines are decoded
 * each time, and it takes a seventh more time. Other CPUs do not need the padding.
 *
 * The padding is prefixes without an effect of the instructions before the jump, as far as nothing
 * has their addresses; the rest is NOPs. A NOP takes time, but a prefix does not.
 *
 * NV6  With emitter.pads, no jump crosses or touches the end of a line, except those that rarely
 *      run (emit_rare_jump). */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_PADDING_H
#define BACTRIAN_VM_ENGINE_NATIVE_PADDING_H

#include <stdbool.h>
#include <stdint.h>

enum { JUMP_LINE = 32 };

/* Whether this CPU is one of them. */
bool cpu_needs_padding(void);

/* The number of bytes by which a jump of `bytes` bytes at `start` must be moved. */
static inline unsigned jump_padding(const uint8_t *start, unsigned bytes) {
    unsigned place = (unsigned)((uintptr_t)start % JUMP_LINE);
    return place + bytes < JUMP_LINE ? 0 : (JUMP_LINE - place) % JUMP_LINE;
}

/* Segment override by CS, which has no effect on memory operands of 64-bit code. */
enum { PADDING_PREFIX = 0x2e };
/* The most bytes that an instruction may have. */
enum { LONGEST_ENCODING = 15 };

/* Writes NOPs of up to LONGEST_ENCODING bytes each. */
void put_nops(uint8_t *at, unsigned bytes);

#endif
