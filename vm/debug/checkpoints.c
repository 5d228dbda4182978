/* checkpoints.c - copies of the debugged process, for going back in time.
 *
 * A checkpoint is a child process with its own connection; it waits for requests while its parent
 * continues. To go back, the debugger sends its requests to the child. The program may have
 * children of its own, so a process waits only for its checkpoints. */
#include "vm/base/os.h"
#include "vm/debug/debug_internal.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_NS = 1000000 };

pid_t debug_fork(struct debug_connection *c, struct debug_checkpoints *checkpoints) {
    vm_must_have(vector_reserve(checkpoints, 1, 16, NULL));
    pid_t pid = fork();
    if (pid > 0) vector_append(checkpoints, pid);
    if (pid != 0) return pid;
    checkpoints->count = 0;
    c->is_checkpoint = true;
    debug_close(c);
    if (!debug_open(c, false)) exit(0);
    return 0;
}

void debug_wait(struct debug_checkpoints *checkpoints) {
    const struct timespec pause = {.tv_nsec = POLL_NS};
    while (checkpoints->count > 0) {
        for (size_t i = 0; i < checkpoints->count; i++) {
            /* The program may have waited for it already. */
            if (waitpid(checkpoints->items[i], NULL, WNOHANG) == 0) continue;
            checkpoints->items[i] = checkpoints->items[--checkpoints->count];
            return;
        }
        nanosleep(&pause, NULL);
    }
}
