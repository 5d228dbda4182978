/* debug.h - a debugged program: the other end of ocamldebug (README.md has the protocol).
 *
 * The debugger listens at an address; the program connects, and serves its requests whenever it is
 * stopped (vm/state/debugger.h). */
#ifndef BACTRIAN_VM_DEBUG_DEBUG_H
#define BACTRIAN_VM_DEBUG_DEBUG_H

#include <stddef.h>

struct vm_debugger;
struct vm_marshal_customs;

struct vm_debug_options {
    const struct vm_marshal_customs *customs; /* how values are sent */
    /* The connection was lost, or the protocol was violated, for that reason: ends the process. */
    void (*lost)(const char *why) __attribute__((noreturn));
};

/* Connects to the debugger at an address, HOST:PORT or the path of a Unix socket, for
 * vm_options.debugger. The caller ends it with vm_debug_disconnect. Fails: NULL, and a text in why.
 * GC: never. */
struct vm_debugger *vm_debug_connect(const char *address, const struct vm_debug_options *options,
                                     char *why, size_t why_size);
/* NULL is fine. */
void vm_debug_disconnect(struct vm_debugger *debugger);

#endif
