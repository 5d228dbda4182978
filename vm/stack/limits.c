/* limits.c - see limits.h. */
#include "vm/stack/limits.h"

#include "gc/assert.h"
#include "vm/stack/backtrace.h"
#include "vm/state/vm.h"

static uint64_t limit(uint64_t option) { return option == 0 ? UINT64_MAX : option; }

void vm_limits_start(struct vm *vm) {
    vm->limits.fuel_left = vm->options.tracer != NULL ? 0 : limit(vm->options.fuel);
    vm->limits.output_left = limit(vm->options.max_output_bytes);
}

void vm_request_stop(struct vm *vm, enum vm_stop why) {
    vm->limits.requested = (int)why;
    gc_request_action(&vm->domain->gc);
}

void vm_stop_if_requested(struct domain *d) {
    if (d->vm->limits.requested != STOP_NONE) vm_stop_now(d, (enum vm_stop)d->vm->limits.requested);
}

void vm_stop_now(struct domain *d, enum vm_stop why) {
    d->vm->limits.stopped = why;
    vm_backtrace_record_stop(d);
    d->vm->upcalls->exit(d, VM_STATUS_STOPPED);
}

void vm_limits_charge(struct domain *d, uint64_t fuel) {
    if (d->vm->options.fuel == 0) return;
    if (d->vm->limits.fuel_left < fuel) vm_stop_now(d, STOP_FUEL);
    d->vm->limits.fuel_left -= fuel;
}

size_t vm_output_allowed(const struct vm *vm, size_t n) {
    return n < vm->limits.output_left ? n : (size_t)vm->limits.output_left;
}

void vm_output_written(struct vm *vm, size_t n) {
    ASSERT(n <= vm->limits.output_left);
    if (vm->limits.output_left != UINT64_MAX) vm->limits.output_left -= n;
}
