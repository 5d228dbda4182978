/* watchdog.h - --timeout: a thread that stops the machine when its time is over. */
#ifndef BACTRIAN_VM_CLI_WATCHDOG_H
#define BACTRIAN_VM_CLI_WATCHDOG_H

#include "vm/state/vm.h"

struct cli_watchdog;

/* Starts the clock. A machine that doesn't answer within a second (it waits in a system call) is
 * ended together with the process, and so is one that has answered and is not over a minute later.
 * seconds 0: no watchdog, NULL. Fails: NULL with *failed set. GC: never. */
struct cli_watchdog *cli_watchdog_start(struct vm *vm, const char *shown, double seconds,
                                        bool *failed);
/* The program is over. Needs: the machine still exists. NULL is allowed. GC: never. */
void cli_watchdog_stop(struct cli_watchdog *dog);

#endif
