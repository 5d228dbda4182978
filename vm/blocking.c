/* blocking.c - see blocking.h. A machine of one thread has nobody to let in. */
#include "vm/blocking.h"

#include "vm/signal.h"
#include "vm/vm.h"

#include <errno.h>

void vm_enter_blocking(struct domain *d) {}

void vm_leave_blocking(struct domain *d) {
    int saved = errno;
    if (vm_signals_due(d)) gc_request_action(&d->gc);
    errno = saved;
}
