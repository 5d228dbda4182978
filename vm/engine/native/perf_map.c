/* perf_map.c - see perf_map.h. */
#include "vm/engine/native/perf_map.h"

#include "vm/marshal/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether it is safe to write to: /tmp belongs to everyone. */
static bool is_own_file(int fd) {
    struct stat s;
    if (fstat(fd, &s) != 0) return false;
    if (S_ISREG(s.st_mode) && s.st_uid == geteuid() && s.st_nlink == 1) return true;
    errno = EEXIST;
    return false;
}

FILE *native_perf_map_open(FILE *err) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    FILE *map = NULL;
    if (fd >= 0 && is_own_file(fd) && ftruncate(fd, 0) == 0) map = fdopen(fd, "w");
    if (map != NULL) return map;
    fprintf(err, "bactrian: %s: %s: perf cannot show the names of functions\n", path,
            strerror(errno));
    if (fd >= 0) close(fd);
    return NULL;
}

void native_perf_map_add(FILE *map, const void *start, size_t bytes, const char *name) {
    fprintf(map, "%jx %zx ", (uintmax_t)(uintptr_t)start, bytes);
    vm_put_name(map, name);
    putc('\n', map);
    fflush(map);
}
