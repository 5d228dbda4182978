/* folder.c - where the sockets are (protocol.h); both ends look there. */
#include "memprof/attach/protocol.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char mp_attach_magic[MP_ATTACH_MAGIC_BYTES] = "bactrian: attach 4";

static bool is_own_folder(const char *path, uid_t owner, mode_t denied) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == owner &&
           (status.st_mode & denied) == 0;
}

int mp_attach_path(const char *runtime, const char *temporary, uid_t owner, pid_t pid, bool create,
                   char path[MP_ATTACH_PATH_BYTES]) {
    int n;
    if (runtime != NULL && runtime[0] == '/' && is_own_folder(runtime, owner, 0022)) {
        n = snprintf(path, MP_ATTACH_PATH_BYTES, "%s/bactrian", runtime);
    } else {
        bool set = temporary != NULL && temporary[0] == '/';
        n = snprintf(path, MP_ATTACH_PATH_BYTES, "%s/bactrian-%u", set ? temporary : "/tmp",
                     (unsigned)owner);
    }
    if (n >= MP_ATTACH_PATH_BYTES) return ENAMETOOLONG;
    if (create && mkdir(path, 0700) == 0) {
        if (geteuid() != owner && lchown(path, owner, (gid_t)-1) != 0) return errno;
    } else if (create && errno != EEXIST) {
        return errno;
    }
    if (!is_own_folder(path, owner, 0077)) return EACCES;
    int more = snprintf(path + n, MP_ATTACH_PATH_BYTES - (size_t)n, "/%d", (int)pid);
    return n + more >= MP_ATTACH_PATH_BYTES ? ENAMETOOLONG : 0;
}
