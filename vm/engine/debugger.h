/* debugger.h - a debugged machine.
 *
 * It runs the counting loop on plain bytecode: no fused forms, no inlined primitives, and calls do
 * not skip GRAB. Some instructions are replaced by EVENT and BREAK (vm/engine/patches.h). The
 * machine stops by calling its debugger's `stop` (vm/state/debugger.h), which returns when the
 * program is to continue. */
#ifndef BACTRIAN_VM_ENGINE_DEBUGGER_H
#define BACTRIAN_VM_ENGINE_DEBUGGER_H

#include "gc/value.h"
#include "vm/state/debugger.h"

struct domain;

/* The program stops, if it is debugged, for a reason that is not an instruction's. GC: as stop. */
void vm_debug_stop(struct domain *d, enum vm_debug_reason reason, value about);
/* Whether a debugger is connected. GC: never. */
bool vm_is_debugged(const struct domain *d);

#endif
