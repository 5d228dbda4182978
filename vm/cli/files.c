/* files.c - finding and reading the files that a command line names. */
#include "vm/base/os.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_is_privileged(void) { return getauxval(AT_SECURE) != 0; }

const char *cli_standard_library(void) {
    const char *dir = cli_is_privileged() ? NULL : getenv("OCAMLLIB");
    if (dir == NULL && !cli_is_privileged()) dir = getenv("CAMLLIB");
    return dir != NULL ? dir : CLI_STANDARD_LIBRARY;
}

static bool is_regular(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

char *cli_find_program(const char *name) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') != NULL || path == NULL) return strdup(name);
    char *candidate = malloc(strlen(path) + strlen(name) + 3);
    if (candidate == NULL) return NULL;
    for (const char *dir = path;; dir++) {
        size_t length = strcspn(dir, ":");
        /* An empty entry is the current folder. */
        char *end = length == 0 ? stpcpy(candidate, ".") : mempcpy(candidate, dir, length);
        strcpy(stpcpy(end, "/"), name);
        if (is_regular(candidate)) return candidate;
        dir += length;
        if (*dir == 0) break;
    }
    strcpy(candidate, name);
    return candidate;
}

/* folder, below the binary's own, if the modules are in it. */
static char *module_folder_at(const char *self, const char *folder) {
    char path[PATH_MAX + 64], found[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/bactrian.cma", self, folder);
    if (realpath(path, found) == NULL) return NULL;
    *strrchr(found, '/') = 0;
    return strdup(found);
}

char *cli_module_folder(void) {
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return NULL;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    char *folder = module_folder_at(self, "../../stdlib/ml");
    return folder != NULL ? folder : module_folder_at(self, "../" BACTRIAN_MODULES);
}

bool cli_check_readable(const char *path, const char *subject) {
    struct stat status;
    int fd = vm_open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int problem = fd < 0 || fstat(fd, &status) != 0 ? errno : 0;
    if (fd >= 0) close(fd);
    if (problem == 0 && S_ISREG(status.st_mode)) return true;
    if (problem == 0)
        cli_fail(STATUS_NOT_FOUND, subject, "%s: name a bytecode file, a script or a text",
                 S_ISDIR(status.st_mode) ? "Is a directory" : "Not a regular file");
    else
        cli_fail(STATUS_NOT_FOUND, subject, "%s: %s", strerror(problem),
                 problem == ENOENT ? "check the name; without a slash, PATH and the current folder "
                                     "were searched"
                                   : "check the file and its permissions");
    return false;
}

static char *read_all(int fd, size_t size, size_t *length) {
    char *bytes = malloc(size + 1);
    size_t used = 0;
    while (bytes != NULL && used < size) {
        ssize_t n = read(fd, bytes + used, size - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            if (n == 0) break;
            free(bytes);
            return NULL;
        }
        used += (size_t)n;
    }
    if (bytes == NULL) return NULL;
    bytes[used] = 0;
    *length = used;
    return bytes;
}

char *cli_read_file(const char *path, size_t *length) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    char *bytes = fstat(fd, &status) == 0 ? read_all(fd, (size_t)status.st_size, length) : NULL;
    int problem = errno;
    close(fd);
    errno = problem;
    return bytes;
}
