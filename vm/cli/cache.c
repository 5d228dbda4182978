/* cache.c - folders for what the installed compiler makes: the cache, and temporary ones.
 *
 * Files of the cache are executed, so it is used only if no other user can change or replace its
 * folder, or a folder on the way to it, and a file only if it is this user's. */
#include "gc/assert.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

char *cli_join(const char *dir, const char *name, const char *suffix) {
    char *path;
    return asprintf(&path, "%s/%s%s", dir, name, suffix) < 0 ? NULL : path;
}

bool cli_is_own(const char *path, mode_t type) {
    struct stat status;
    return lstat(path, &status) == 0 && (status.st_mode & S_IFMT) == type &&
           status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Whether no other user, except root, can replace what path leads to. Of a folder with the sticky
 * bit, others cannot replace what is not theirs; below a folder that others cannot enter they can
 * do nothing. Needs: a path from realpath, which is the same again afterwards. */
static bool others_cannot_replace(char *path) {
    for (char *end = path; (end = strchr(end + 1, '/')) != NULL;) {
        struct stat status;
        end[0] = 0;
        bool there = lstat(path, &status) == 0;
        end[0] = '/';
        bool own = there && status.st_uid == geteuid();
        if (!own && !(there && status.st_uid == 0)) return false;
        if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (status.st_mode & S_ISVTX) == 0)
            return false;
        if (own && (status.st_mode & (S_IXGRP | S_IXOTH)) == 0) return true;
    }
    return true;
}

char *cli_cache_folder(void) {
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *parent = NULL, *folder = NULL;
    if (base != NULL && base[0] == '/') parent = strdup(base);
    else if (home != NULL && home[0] == '/') parent = cli_join(home, ".cache", "");
    if (parent != NULL) {
        mkdir(parent, 0700);
        folder = cli_join(parent, "bactrian", "");
    }
    if (folder != NULL) mkdir(folder, 0700);
    char *found = folder != NULL ? realpath(folder, NULL) : NULL;
    if (found != NULL && !(others_cannot_replace(found) && cli_is_own(found, S_IFDIR))) {
        free(found);
        found = NULL;
    }
    free(folder);
    free(parent);
    return found;
}

bool cli_has_room(const char *folder) {
    enum { ROOM = 32 << 20 };
    struct statvfs disk;
    return statvfs(folder, &disk) == 0 && disk.f_bavail >= ROOM / disk.f_frsize;
}

char *cli_work_folder(const char *base) {
    char *folder = cli_join(base, "bactrian-XXXXXX", "");
    ASSERT(folder == NULL || folder[0] == '/'); /* it will be removed with its contents */
    if (folder != NULL && mkdtemp(folder) != NULL) return folder;
    cli_fail(STATUS_REFUSED, folder, "%s: could not create a folder to compile in",
             strerror(errno));
    free(folder);
    return NULL;
}

bool cli_copy_file(const char *from, const char *to) {
    size_t length;
    char *bytes = cli_read_file(from, &length);
    FILE *file = bytes != NULL ? fopen(to, "wxe") : NULL;
    bool good = file != NULL && fwrite(bytes, 1, length, file) == length;
    if (file != NULL && fclose(file) != 0) good = false;
    free(bytes);
    return good;
}

void cli_hash_text(struct vm_md5_state *sum, char text[CLI_HASH_BYTES]) {
    uint8_t digest[16];
    vm_md5_end(sum, digest);
    for (int i = 0; i < 16; i++) sprintf(text + 2 * i, "%02x", digest[i]);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where) {
    return remove(path);
}

void cli_remove_folder(const char *folder) { nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS); }
