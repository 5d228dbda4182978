/* report.c - reports new machine code to the options' observer, perf and gdb. */
#include "vm/base/os.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/gdb_interface.h"
#include "vm/engine/native/observer.h"
#include "vm/engine/native/perf_map.h"
#include "vm/marshal/symbols.h"

#include <stdlib.h>

void native_report_stubs(struct vm_native *n) {
    const uint8_t *start = n->memory.executable, *end = start + n->memory.used;
    const uint8_t *exit = n->stubs.exit, *store = n->stubs.store;
    const uint8_t *with_floats = n->stubs.store_saving_floats, *method = n->stubs.find_method;
    const uint8_t *equal = n->stubs.string_equal, *errors = n->stubs.errors[0];
    unsigned pushed = 8 * NATIVE_LIGHT_SAVES, floats = 8 * X_VALUES;
    if (n->perf_map != NULL) native_perf_map_add(n->perf_map, start, n->memory.used, "(Bactrian)");
    if (!n->debugged) return;
    native_gdb_add(&n->gdb_files, start, (size_t)(exit - start), "native_enter_or_leave", 0);
    native_gdb_add(&n->gdb_files, exit, (size_t)(store - exit), "native_exit", NATIVE_EXIT_SAVES);
    native_gdb_add(&n->gdb_files, store, (size_t)(with_floats - store), "native_store", pushed);
    native_gdb_add(&n->gdb_files, with_floats, (size_t)(method - with_floats),
                   "native_store_floats", pushed + floats);
    native_gdb_add(&n->gdb_files, method, (size_t)(equal - method), "native_find_method", pushed);
    native_gdb_add(&n->gdb_files, equal, (size_t)(errors - equal), "native_string_equal",
                   8 * NATIVE_EQUAL_SAVES);
    native_gdb_add(&n->gdb_files, errors, (size_t)(end - errors), "native_raise", 0);
}

void native_report(struct vm *vm, const struct vm_native_code *code) {
    struct vm_native *n = vm->native;
    const struct vm_native_observer *observer = vm->options.on_native;
    if (observer != NULL) observer->compiled(observer->context, vm, code);
    if (n->perf_map == NULL && !n->debugged) return;
    char *name = vm_must(vm_function_name(vm, code->function));
    if (n->perf_map != NULL) native_perf_map_add(n->perf_map, code->runs_at, code->bytes, name);
    if (n->debugged) native_gdb_add(&n->gdb_files, code->runs_at, code->bytes, name, 0);
    free(name);
}
