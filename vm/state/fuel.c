/* fuel.c - fuel, which a process and its forked children share (vm.h).
 *
 * A process reserves some instructions and counts them down. What it has reserved lies in a page
 * that reads zero in a forked child, so nothing is spent twice. */
#include "gc/assert.h"
#include "vm/state/vm.h"

#include <stdatomic.h>

bool vm_take_fuel(struct vm *vm, uint64_t n) {
    enum { RESERVE = 4096 };
    _Atomic uint64_t *shared = &vm->limits.shared->fuel_left;
    uint64_t *own = vm->limits.fuel_left;
    ASSERT(vm->options.fuel != 0);
    if (n > *own) {
        uint64_t wanted = n - *own <= UINT64_MAX - RESERVE ? n - *own + RESERVE : UINT64_MAX;
        uint64_t left = *shared;
        while (!atomic_compare_exchange_weak(shared, &left, left - (wanted < left ? wanted : left)))
            ;
        *own += wanted < left ? wanted : left;
    }
    bool enough = n <= *own;
    *own -= enough ? n : *own;
    return enough;
}

uint64_t vm_fuel_left(const struct vm *vm) {
    const struct vm_limits *limits = &vm->limits;
    if (vm->options.fuel == 0) return UINT64_MAX;
    return *limits->fuel_left + limits->shared->fuel_left;
}

void vm_charge_fuel(struct vm *vm, size_t bytes) {
    enum { BYTES_PER_INSTRUCTION = 64 };
    struct vm_limits *limits = &vm->limits;
    limits->uncharged_bytes += bytes;
    vm_take_fuel(vm, limits->uncharged_bytes / BYTES_PER_INSTRUCTION);
    limits->uncharged_bytes %= BYTES_PER_INSTRUCTION;
}
