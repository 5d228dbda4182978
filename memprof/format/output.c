/* output.c - finds, writes and names output files (output.h). */
#include "memprof/format/output.h"

#include "gc/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { START_BYTES = 512, MOST_NAMES = 10000 };

/* ---- Finding. ---- */

bool mp_starts_as(const char *path, const char *start) {
    char bytes[START_BYTES + 1];
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    ssize_t n = regular ? pread(fd, bytes, START_BYTES, 0) : -1;
    close(fd);
    bytes[n < 0 ? 0 : n] = 0;
    return n == 0 || (n > 0 && start != NULL && fnmatch(start, bytes, 0) == 0);
}

/* The descriptor that a path under /dev stands for, -1: none. A shell may have opened it on a
 * regular file, to which the output is appended. */
static int descriptor_of(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(folders[i]),
               digits = strspn(path + (strlen(path) < n ? 0 : n), "0123456789");
        if (strncmp(path, folders[i], n) == 0 && digits > 0 && digits < 6 && path[n + digits] == 0)
            return atoi(path + n);
    }
    return -1;
}

/* The absolute name of path in its folder. */
static int name_in_folder(struct mp_output *o, const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
    if (base[0] == 0) return EISDIR;
    char *folder = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : slash - path);
    char *real = folder == NULL ? NULL : realpath(folder, NULL);
    int problem = real == NULL ? errno : 0;
    if (real != NULL && asprintf(&o->path, "%s/%s", real, base) < 0) {
        o->path = NULL;
        problem = ENOMEM;
    }
    free(folder);
    free(real);
    return problem;
}

/* The same of a file that is to be created. */
static int name_new(struct mp_output *o, const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 ? ENOENT /* a link to nothing */ : name_in_folder(o, path);
}

/* Whether the folder of o->path admits a file. */
static int check_folder(const struct mp_output *o) {
    char *slash = strrchr(o->path, '/');
    ASSERT(slash != NULL);
    *slash = 0;
    const char *folder = slash == o->path ? "/" : o->path;
    int problem = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
    *slash = '/';
    return problem;
}

int mp_output_find(struct mp_output *o, const char *path, const char *start, enum mp_replace how) {
    struct stat status;
    ASSERT(how != MP_REPLACE_NONE);
    *o = (struct mp_output){.fd = -1, .duplicates = descriptor_of(path)};
    if (o->duplicates >= 0) return fcntl(o->duplicates, F_GETFD) < 0 ? errno : 0;
    int problem = stat(path, &status) == 0 ? 0 : errno;
    if (problem == ENOENT) {
        o->created = true;
        problem = name_new(o, path);
        return problem != 0 ? problem : check_folder(o);
    }
    if (problem != 0) return problem;
    if (S_ISDIR(status.st_mode)) return EISDIR;
    o->streams = !S_ISREG(status.st_mode);
    o->mode = status.st_mode & 0777;
    /* A link to /dev/stdout leads to a pipe, which has no name. */
    if ((o->path = realpath(path, NULL)) == NULL) problem = errno;
    if (problem == ENOENT && o->streams) problem = name_in_folder(o, path);
    if (problem != 0) return problem;
    if (o->streams) return faccessat(AT_FDCWD, o->path, W_OK, AT_EACCESS) == 0 ? 0 : errno;
    if (how != MP_REPLACE_ANY && !mp_starts_as(o->path, start)) return EEXIST;
    return check_folder(o);
}

/* ---- Creating. ---- */

static void forget_part(struct mp_output *o) {
    free(o->part);
    o->part = NULL;
}

/* Makes a new file beside o->path, o->part: `make` returns 0 or an errno, EEXIST to be called with
 * another name. */
static int make_part(struct mp_output *o, int (*make)(struct mp_output *o)) {
    const char *base = strrchr(o->path, '/') + 1;
    struct timespec now;
    int problem = EEXIST;
    clock_gettime(CLOCK_REALTIME, &now);
    for (unsigned i = 0; i < MOST_NAMES && problem == EEXIST; i++) {
        unsigned number = ((unsigned)now.tv_nsec ^ (unsigned)getpid() << 12) + i;
        forget_part(o);
        if (asprintf(&o->part, "%.*s.bactrian-%08x", (int)(base - o->path), o->path, number) < 0) {
            o->part = NULL;
            return ENOMEM;
        }
        problem = make(o);
    }
    if (problem != 0) forget_part(o);
    return problem;
}

static int open_part(struct mp_output *o) {
    o->fd = open(o->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                 o->created ? 0666 : 0600);
    return o->fd < 0 ? errno : 0;
}

static void open_unnamed(struct mp_output *o) {
    char *slash = strrchr(o->path, '/');
    *slash = 0;
    if (access("/proc/self/fd", X_OK) == 0) /* which gives it a name */
        o->fd = open(slash == o->path ? "/" : o->path, O_RDWR | O_TMPFILE | O_CLOEXEC,
                     o->created ? 0666 : 0600);
    *slash = '/';
    if (o->fd >= 0) o->unnamed = fcntl(o->fd, F_DUPFD_CLOEXEC, 3);
    if (o->fd >= 0 && o->unnamed < 0) {
        close(o->fd);
        o->fd = -1;
        o->unnamed = 0;
    }
}

static int create_file(struct mp_output *o) {
    open_unnamed(o);
    int problem = o->fd < 0 ? make_part(o, open_part) : 0;
    if (problem != 0 || o->created || fchmod(o->fd, o->mode) == 0) return problem;
    problem = errno;
    mp_output_discard(o);
    close(o->fd);
    o->fd = -1;
    return problem;
}

int mp_output_create(struct mp_output *o) {
    if (o->path != NULL && !o->streams) return create_file(o);
    o->fd = o->path == NULL ? fcntl(o->duplicates, F_DUPFD_CLOEXEC, 0)
                            : open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return o->fd < 0 ? errno : 0;
}

/* The number goes before ".prof" or ".heap", or to the end. */
static char *numbered(const char *path, unsigned number) {
    size_t length = strlen(path), end = length > 5 ? length - 5 : 0;
    char *name;
    if (number == 1) return strdup(path);
    if (strcmp(path + end, ".prof") != 0 && strcmp(path + end, ".heap") != 0) end = length;
    return asprintf(&name, "%.*s.%u%s", (int)end, path, number, path + end) < 0 ? NULL : name;
}

static int create_numbered(struct mp_output *o, const char *path) {
    int problem = EEXIST;
    *o = (struct mp_output){.fd = -1, .created = true};
    for (unsigned i = 1; i <= MOST_NAMES && problem == EEXIST; i++) {
        char *name = numbered(path, i);
        if (name == NULL) return ENOMEM;
        o->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        problem = o->fd < 0 ? errno : 0;
        if (problem == 0 && (o->path = realpath(name, NULL)) == NULL) {
            problem = errno;
            unlink(name);
            close(o->fd);
        }
        free(name);
    }
    return problem;
}

int mp_output_open(struct mp_output *o, const char *path, const char *start, enum mp_replace how) {
    if (how == MP_REPLACE_NONE) return create_numbered(o, path);
    int problem = mp_output_find(o, path, start, how);
    return problem != 0 ? problem : mp_output_create(o);
}

void mp_output_make_private(struct mp_output *o) {
    if (o->path == NULL || o->streams) return;
    int done = fchmod(o->fd, 0600); /* fails where files have no modes */
    (void)done;
}

/* ---- The end. ---- */

static int name_it(const struct mp_output *o, const char *name) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", o->unnamed);
    return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static int name_part(struct mp_output *o) { return name_it(o, o->part); }

static void close_unnamed(struct mp_output *o) {
    if (o->unnamed != 0) close(o->unnamed);
    o->unnamed = 0;
}

int mp_output_publish(struct mp_output *o) {
    int problem = 0;
    if (o->unnamed != 0) problem = o->created ? name_it(o, o->path) : EEXIST;
    if (problem == EEXIST) problem = make_part(o, name_part);
    if (problem == 0 && o->part != NULL && rename(o->part, o->path) != 0) problem = errno;
    if (problem != 0) return problem;
    close_unnamed(o);
    forget_part(o);
    o->created = false;
    return 0;
}

void mp_output_discard(struct mp_output *o) {
    bool unnamed = o->unnamed != 0;
    close_unnamed(o);
    if (unnamed && o->part == NULL) return;
    const char *name = o->part != NULL ? o->part : o->path;
    if (name != NULL && (o->part != NULL || (o->created && o->fd >= 0))) unlink(name);
}

void mp_output_free(struct mp_output *o) {
    close_unnamed(o);
    free(o->path);
    free(o->part);
    o->path = o->part = NULL;
}

const char *mp_output_problem(int problem) {
    switch (problem) {
    case EEXIST: return "exists, and is not recognised as an earlier output of this kind";
    case EDEADLK: return "another thread held a lock of the C library at that moment";
    default: return strerror(problem);
    }
}

const char *mp_output_advice(int problem) {
    switch (problem) {
    case EEXIST: return "choose another file, or add --force to replace it";
    case EDEADLK: return "try again, or add --pause";
    default: return "check the folder, its permissions and the space left";
    }
}

const char *mp_output_shown(const struct mp_output *o, const char *given) {
    const char *slash = strrchr(given, '/');
    if (o->path == NULL) return given;
    const char *base = strrchr(o->path, '/') + 1;
    if (strcmp(slash == NULL ? given : slash + 1, base) == 0) return given;
    return slash == NULL ? base : o->path;
}
