/* forking.c - preloaded into bactrian: Sys.command "fork" forks the process itself (status 0 in the
 * child, 1 in the parent), Sys.command "wait" waits for a child. The machine has no Unix.fork of
 * its own to test with. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int system(const char *command) {
    if (strcmp(command, "fork") == 0) return fork() == 0 ? 0 : 1 << 8;
    int status = 0;
    wait(&status);
    return status;
}
