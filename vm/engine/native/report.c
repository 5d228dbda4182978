/* report.c - who learns of new machine code: the options' observer, and perf. */
#include "vm/base/os.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/observer.h"
#include "vm/engine/native/perf_map.h"
#include "vm/marshal/function_name.h"

#include <stdlib.h>

void native_report_stubs(struct vm *vm, struct vm_native *n) {
    if (n->perf_map != NULL)
        native_perf_map_add(n->perf_map, n->memory.executable, n->memory.used, "(Bactrian)");
}

void native_report(struct vm *vm, const struct vm_native_code *code) {
    const struct vm_native *n = vm->native;
    const struct vm_native_observer *observer = vm->options.on_native;
    if (observer != NULL) observer->compiled(observer->context, vm, code);
    if (n->perf_map == NULL) return;
    char *name = vm_must(vm_function_name(vm, code->function));
    native_perf_map_add(n->perf_map, code->runs_at, code->bytes, name);
    free(name);
}
