/* slow_files.c - for LD_PRELOAD: a file system that answers when somebody else made the file "go".
 *
 * Calls on paths that hold the word "slow", and the first readdir, wait for that file (and remove
 * it). A machine on which nobody else can make it meanwhile waits for a minute. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_for_go(void) {
    for (int i = 0; i < 60000 && syscall(SYS_access, "go", F_OK) != 0; i++) usleep(1000);
    syscall(SYS_unlink, "go");
}

static void wait_if_slow(const char *path) {
    if (strstr(path, "slow") != NULL) wait_for_go();
}

/* Defines the function in front of the C library's. */
#define SLOW(result, name, parameters, path, arguments)                                         \
    result name parameters {                                                                    \
        result(*real) parameters = __extension__(result(*) parameters) dlsym(RTLD_NEXT, #name); \
        wait_if_slow(path);                                                                     \
        return real arguments;                                                                  \
    }

SLOW(int, unlink, (const char *path), path, (path))
SLOW(int, unlinkat, (int folder, const char *path, int flags), path, (folder, path, flags))
SLOW(int, rename, (const char *from, const char *to), from, (from, to))
SLOW(int, renameat, (int a, const char *from, int b, const char *to), from, (a, from, b, to))
SLOW(int, mkdir, (const char *path, mode_t mode), path, (path, mode))
SLOW(int, mkdirat, (int folder, const char *path, mode_t mode), path, (folder, path, mode))
SLOW(int, rmdir, (const char *path), path, (path))
SLOW(int, chdir, (const char *path), path, (path))
SLOW(int, stat, (const char *path, struct stat *about), path, (path, about))
SLOW(int, stat64, (const char *path, struct stat64 *about), path, (path, about))

static void wait_once(void) {
    static int waited;
    if (!waited++) wait_for_go();
}

struct dirent *readdir(DIR *directory) {
    struct dirent *(*real)(DIR *) = __extension__(struct dirent * (*)(DIR *))
        dlsym(RTLD_NEXT, "readdir");
    wait_once();
    return real(directory);
}

struct dirent64 *readdir64(DIR *directory) {
    struct dirent64 *(*real)(DIR *) = __extension__(struct dirent64 * (*)(DIR *))
        dlsym(RTLD_NEXT, "readdir64");
    wait_once();
    return real(directory);
}
