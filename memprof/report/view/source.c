/* source.c - see source.h. */
#include "memprof/report/view/source.h"

#include "memprof/report/model/base.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SOURCE_BYTES = 16 << 20 };

/* Opens the regular file that a path names if it lies below a folder; else NULL. The path is the
 * profile's: it may name anything. */
static FILE *open_below(const char *folder, const char *path) {
    struct stat status;
    char *top = realpath(folder, NULL), *joined = NULL, *real = NULL;
    if (top != NULL) {
        joined = path[0] == '/' ? report_copy(path) : report_format("%s/%s", top, path);
        real = realpath(joined, NULL);
    }
    size_t n = top == NULL ? 0 : strcmp(top, "/") == 0 ? 0 : strlen(top);
    int fd = -1;
    if (real != NULL && strncmp(real, top, n) == 0 && real[n] == '/' && lstat(real, &status) == 0 &&
        S_ISREG(status.st_mode) && status.st_size <= MOST_SOURCE_BYTES)
        fd = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    report_free(top, joined, real);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (file == NULL && fd >= 0) close(fd);
    return file;
}

FILE *report_open_source(const char *folder, const char *name) {
    const char *slash = strrchr(name, '/');
    const char *folders[] = {".", folder};
    FILE *file = NULL;
    for (int i = 0; i < 2 && file == NULL; i++) {
        if (folders[i] == NULL) continue;
        file = open_below(folders[i], name);
        if (file == NULL && slash != NULL) file = open_below(folders[i], slash + 1);
    }
    return file;
}
