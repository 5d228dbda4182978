/* limits.c - see limits.h. */
#include "vm/stack/limits.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/stack/backtrace.h"
#include "vm/state/vm.h"

#include <stdatomic.h>
#include <stdio.h>

static FILE *uncounted_err(const struct vm *vm) {
    return vm->options.err == NULL ? stderr : vm->options.err;
}

/* Writes as much of a message as the limit allows. */
static ssize_t write_counted(void *context, const char *text, size_t n) {
    struct vm *vm = context;
    size_t allowed = vm_output_reserve(vm, n);
    fwrite(text, 1, allowed, uncounted_err(vm));
    if (allowed < n) vm_request_stop(vm, STOP_OUTPUT);
    return (ssize_t)n;
}

static bool limit_output(struct vm *vm) {
    static const cookie_io_functions_t counted = {.write = write_counted};
    vm->limits.shared->output_left = vm->options.max_output_bytes;
    FILE *err = fopencookie(vm, "w", counted);
    if (err == NULL) return false;
    setvbuf(err, NULL, _IONBF, 0); /* a fork must not copy waiting text */
    vm->limits.err = err;
    return true;
}

static bool limit_fuel(struct vm *vm) {
    uint64_t *own = vm_unforked_page();
    if (own == NULL) return false;
    vm->limits.fuel_left = own;
    vm->limits.shared->fuel_left = vm->options.fuel;
    return true;
}

bool vm_limits_start(struct vm *vm) {
    struct vm_limits *limits = &vm->limits;
    const bool each_traced = vm->options.tracer != NULL && !vm->options.trace_stores;
    limits->unlimited_fuel = each_traced ? 0 : UINT64_MAX;
    limits->fuel_left = &limits->unlimited_fuel;
    limits->err = uncounted_err(vm);
    if (vm->options.fuel == 0 && vm->options.max_output_bytes == 0) return true;
    limits->shared = vm_shared_page();
    if (limits->shared == NULL) return false;
    return (vm->options.fuel == 0 || limit_fuel(vm)) &&
           (vm->options.max_output_bytes == 0 || limit_output(vm));
}

void vm_limits_free(struct vm *vm) {
    struct vm_limits *limits = &vm->limits;
    if (limits->err != uncounted_err(vm)) fclose(limits->err);
    if (limits->fuel_left != &limits->unlimited_fuel) {
        limits->shared->fuel_left += *limits->fuel_left;
        vm_page_free(limits->fuel_left);
    }
    vm_page_free(limits->shared);
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

void vm_stop_without_fuel(struct domain *d) {
    if (vm_fuel_left(d->vm) == 0) vm_stop_now(d, STOP_FUEL);
}

size_t vm_output_reserve(struct vm *vm, size_t n) {
    if (vm->options.max_output_bytes == 0) return n;
    _Atomic uint64_t *shared = &vm->limits.shared->output_left;
    uint64_t left = *shared;
    while (!atomic_compare_exchange_weak(shared, &left, left - (n < left ? n : left)))
        ;
    return n < left ? n : (size_t)left;
}

void vm_output_give_back(struct vm *vm, size_t n) {
    if (vm->options.max_output_bytes == 0) return;
    ASSERT(n <= vm->options.max_output_bytes - vm->limits.shared->output_left);
    vm->limits.shared->output_left += n;
}

uint64_t vm_output_left(const struct vm *vm) {
    return vm->options.max_output_bytes == 0 ? UINT64_MAX : vm->limits.shared->output_left;
}

bool vm_limits_reports_stop(struct vm *vm) {
    struct vm_shared_limits *shared = vm->limits.shared;
    return shared == NULL || !atomic_exchange(&shared->reported, true);
}

void vm_output_check(struct vm *vm) {
    if (vm->limits.requested == STOP_OUTPUT) vm->limits.stopped = STOP_OUTPUT;
}
