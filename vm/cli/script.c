/* script.c - OCaml scripts: compiled by the installed ocamlc, cached by content.
 *
 *   CACHE/bactrian/HASH.byte      the bytecode of the script whose key has that hash
 *   CACHE/bactrian/tmp-XXXXXX     a copy in progress, which rename gives its name
 *   TMPDIR/bactrian-XXXXXX/       one compilation in progress
 *
 * The key is everything that the bytecode depends on: the source, its name (locations show it), the
 * compiler (path, size and date of the file), the variables that ocamlc reads, Bactrian's version
 * and the contents of its modules, for a script that uses them. Compilations may run at the same
 * time: each has its own folder, and rename is atomic. What cannot be put into the cache, because
 * its disk is full or the cache is not usable, stays in the temporary folder for this run.
 *
 * Files of the cache are executed, so it is used only if no other user can change or replace its
 * folder, or a folder on the way to it, and a file only if it is this user's. */
#include "gc/assert.h"
#include "vm/base/md5.h"
#include "vm/cli/cli.h"
#include "vm/image/image.h"
#include "vm/stack/limits.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct job {
    const char *path, *shown;
    char *source;
    size_t length;
    char *compiler; /* ocamlc's path */
    char *modules;  /* folder of Bactrian's modules; NULL: not used, or not found */
    char *cache;    /* folder, or NULL: none */
    char hash[33];
    char folder[PATH_MAX]; /* the temporary folder; "" before it exists */
    char module[256];      /* the compilation unit's name */
    uint64_t deadline_ns;  /* 0: none */
};

/* dir/name followed by suffix, allocated; NULL when out of memory. */
static char *join(const char *dir, const char *name, const char *suffix) {
    char *path;
    return asprintf(&path, "%s/%s%s", dir, name, suffix) < 0 ? NULL : path;
}

/* Whether path, no symbolic link, is this user's, of that type, and not writable by others. */
static bool is_own(const char *path, mode_t type) {
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

/* ${XDG_CACHE_HOME:-~/.cache}/bactrian, created if needed, without symbolic links; NULL if it can't
 * be used. */
static char *cache_folder(void) {
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *parent = NULL, *folder = NULL;
    if (base != NULL && base[0] == '/') parent = strdup(base);
    else if (home != NULL && home[0] == '/') parent = join(home, ".cache", "");
    if (parent != NULL) {
        mkdir(parent, 0700);
        folder = join(parent, "bactrian", "");
    }
    if (folder != NULL) mkdir(folder, 0700);
    char *found = folder != NULL ? realpath(folder, NULL) : NULL;
    if (found != NULL && !(others_cannot_replace(found) && is_own(found, S_IFDIR))) {
        free(found);
        found = NULL;
    }
    free(folder);
    free(parent);
    return found;
}

/* The modules as a compilation reads them. */
static void add_modules(const struct job *job, struct vm_md5_state *sum) {
    static const char *const files[] = {"bactrian.cma", "bactrian.cmi", "ffi.cmi"};
    for (size_t i = 0; job->modules != NULL && i < sizeof files / sizeof files[0]; i++) {
        size_t length;
        char *path = join(job->modules, files[i], "");
        char *bytes = path != NULL ? cli_read_file(path, &length) : NULL;
        if (bytes != NULL) vm_md5_add(sum, bytes, length);
        free(bytes);
        free(path);
    }
}

static void hash_job(struct job *job) {
    struct vm_md5_state sum;
    struct stat compiler = {0};
    char identity[128];
    uint8_t digest[16];
    stat(job->compiler, &compiler);
    snprintf(identity, sizeof identity, "%lld %lld.%09ld", (long long)compiler.st_size,
             (long long)compiler.st_mtim.tv_sec, compiler.st_mtim.tv_nsec);
    const char *const parts[] = {
        "bactrian " BACTRIAN_VERSION, job->compiler,     identity,     getenv("OCAMLPARAM"),
        getenv("OCAMLLIB"),           getenv("CAMLLIB"), job->modules, job->shown};
    vm_md5_start(&sum);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        vm_md5_add(&sum, parts[i] != NULL ? parts[i] : "",
                   parts[i] != NULL ? strlen(parts[i]) + 1 : 1);
    add_modules(job, &sum);
    vm_md5_add(&sum, job->source, job->length);
    vm_md5_end(&sum, digest);
    for (int i = 0; i < 16; i++) sprintf(job->hash + 2 * i, "%02x", digest[i]);
}

/* The unit's name is the script's, with characters that a module's name can't have replaced. */
static void name_module(struct job *job) {
    const char *slash = strrchr(job->shown, '/'), *name = slash != NULL ? slash + 1 : job->shown;
    size_t n = strcspn(name, ".");
    if (n > sizeof job->module - 8) n = sizeof job->module - 8;
    bool starts_well = isalpha((unsigned char)name[0]);
    snprintf(job->module, sizeof job->module, "%s%.*s", starts_well ? "" : "script_", (int)n, name);
    for (char *c = job->module; *c != 0; c++)
        if (!isalnum((unsigned char)*c) && *c != '_') *c = '_';
}

/* Waits for the end of a process; kills it at the job's deadline. Returns its exit status. */
static int wait_for(const struct job *job, pid_t child) {
    const struct timespec pause = {.tv_nsec = 5000000};
    bool late = false;
    int status;
    for (;;) {
        pid_t ended = waitpid(child, &status, job->deadline_ns != 0 && !late ? WNOHANG : 0);
        if (ended == child) break;
        if (ended < 0 && errno != EINTR) return STATUS_REFUSED;
        if (ended != 0) continue;
        late = cli_now_ns() >= job->deadline_ns;
        if (late) kill(child, SIGKILL);
        else nanosleep(&pause, NULL);
    }
    if (late) return cli_fail(VM_STATUS_STOPPED, job->shown, "stopped by --timeout inside ocamlc");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Runs ocamlc in folder cwd (NULL: the current one); returns its exit status. */
static int run_ocamlc(const struct job *job, const char *cwd, const char *const *arguments) {
    enum { MAX_WORDS = 16 };
    const char *words[MAX_WORDS] = {"ocamlc", "-g"};
    for (int i = 0; arguments[i] != NULL; i++) {
        ASSERT(i + 3 < MAX_WORDS);
        words[i + 2] = arguments[i];
    }
    pid_t child = fork();
    if (child == 0) {
        /* ocamlc's messages must not mix with the program's standard output. */
        int nothing = open("/dev/null", O_RDONLY);
        if (nothing >= 0) dup2(nothing, STDIN_FILENO);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        if (cwd == NULL || chdir(cwd) == 0) execv(job->compiler, (char **)words);
        _exit(STATUS_NOT_FOUND);
    }
    if (child < 0)
        return cli_fail(STATUS_REFUSED, "ocamlc", "%s: could not start it", strerror(errno));
    return wait_for(job, child);
}

/* Whether folder/name stays inside folder. */
static bool is_inner_path(const char *name) {
    if (name[0] == '/') return false;
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += part[0] == '/';
        if (strcmp(part, "..") == 0 || strncmp(part, "../", 3) == 0) return false;
    }
    return true;
}

/* ocamlc does not accept `#!`: such a script is compiled from a copy without that line. The copy
 * has the script's name relative to *cwd, the folder to compile in, so that ocamlc's messages show
 * name and source. If the name leads out of that folder, a line directive restores it, and messages
 * show no source. Returns the copy's name for ocamlc, NULL on failure. */
static char *copy_without_first_line(struct job *job, char **cwd) {
    bool inner = is_inner_path(job->shown);
    size_t first = strcspn(job->source, "\n");
    char *root = join(job->folder, "source", ""), *copy = NULL;
    if (root != NULL) copy = inner ? join(root, job->shown, "") : join(root, job->module, ".ml");
    if (copy != NULL) cli_make_parents(copy);
    FILE *file = copy != NULL ? fopen(copy, "wxe") : NULL;
    bool good = file != NULL;
    if (good) {
        if (!inner) fprintf(file, "# 2 \"%s\"", job->shown);
        fwrite(job->source + first, 1, job->length - first, file);
        good = !ferror(file);
        if (fclose(file) != 0) good = false;
    }
    if (good && inner) {
        *cwd = root;
        free(copy);
        return strdup(job->shown);
    }
    free(root);
    if (good) return copy;
    free(copy);
    return NULL;
}

static int compile(struct job *job) {
    char *object = join(job->folder, job->module, ".cmo"), *cwd = NULL;
    char *program = join(job->folder, "program", ""), *source;
    if (strncmp(job->source, "#!", 2) != 0) source = strdup(job->path);
    else source = copy_without_first_line(job, &cwd);
    int status = STATUS_REFUSED;
    if (source == NULL || object == NULL || program == NULL)
        cli_fail(status, job->shown, "%s: could not write a copy to %s", strerror(errno),
                 job->folder);
    else {
        const char *own = job->modules;
        const char *const compiling[] = {"-c", "-o", object, "-impl", source, own ? "-I" : NULL,
                                         own,  NULL};
        const char *const linking_own[] = {"-o", program, "-I", own, "bactrian.cma", object, NULL};
        const char *const linking[] = {"-o", program, object, NULL};
        status = run_ocamlc(job, cwd, compiling);
        if (status == 0) status = run_ocamlc(job, NULL, own != NULL ? linking_own : linking);
    }
    free(source);
    free(cwd);
    free(object);
    free(program);
    return status;
}

/* Whether the disk of a folder has room for what a compilation writes. */
static bool has_room(const char *folder) {
    enum { ROOM = 32 << 20 };
    struct statvfs disk;
    return statvfs(folder, &disk) == 0 && disk.f_bavail >= ROOM / disk.f_frsize;
}

/* In TMPDIR, or in the cache if there is no room. */
static bool make_temporary_folder(struct job *job) {
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] != '/') base = "/tmp";
    if (job->cache != NULL && !has_room(base) && has_room(job->cache)) base = job->cache;
    snprintf(job->folder, sizeof job->folder, "%s/bactrian-XXXXXX", base);
    if (mkdtemp(job->folder) != NULL) return true;
    cli_fail(STATUS_REFUSED, job->folder, "%s: could not create a folder to compile in",
             strerror(errno));
    return false;
}

/* Whether the script is still what was hashed. */
static bool source_unchanged(const struct job *job) {
    size_t length;
    char *now = cli_read_file(job->path, &length);
    bool same = now != NULL && length == job->length && memcmp(now, job->source, length) == 0;
    free(now);
    return same;
}

/* Copies a file to a name in the cache, on another disk. */
static bool copy_into_cache(const struct job *job, const char *program, const char *cached) {
    size_t length;
    char *bytes = cli_read_file(program, &length), *copy = join(job->cache, "tmp-XXXXXX", "");
    int fd = bytes != NULL && copy != NULL ? mkostemp(copy, O_CLOEXEC) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good = file != NULL && fwrite(bytes, 1, length, file) == length;
    if (file != NULL && fclose(file) != 0) good = false;
    good = good && rename(copy, cached) == 0;
    if (fd >= 0 && !good) unlink(copy);
    free(copy);
    free(bytes);
    return good;
}

static bool put_into_cache(const struct job *job, const char *program, const char *cached) {
    if (cached == NULL || !source_unchanged(job) || chmod(program, 0600) != 0) return false;
    return rename(program, cached) == 0 || copy_into_cache(job, program, cached);
}

/* Compiles, and puts the result into the cache or leaves it in *folder. */
static int compile_and_cache(struct job *job, char *cached, char **bytecode, char **folder) {
    if (!make_temporary_folder(job)) return STATUS_REFUSED;
    ASSERT(job->folder[0] == '/'); /* it will be removed with its contents */
    int status = compile(job);
    char *program = join(job->folder, "program", "");
    if (status == 0 && program != NULL) {
        if (put_into_cache(job, program, cached)) {
            *bytecode = strdup(cached);
        } else {
            *bytecode = strdup(program);
            *folder = strdup(job->folder);
        }
    }
    if (*folder == NULL) cli_remove_folder(job->folder);
    free(program);
    return status == 0 && *bytecode == NULL ? STATUS_REFUSED : status;
}

static int compile_job(struct job *job, char **bytecode, char **folder) {
    job->source = cli_read_file(job->path, &job->length);
    if (job->source == NULL)
        return cli_fail(STATUS_NOT_FOUND, job->shown, "%s: check the file", strerror(errno));
    job->compiler = cli_find_program("ocamlc");
    /* Without a slash it was not found in PATH; one in the current folder is not used. */
    if (job->compiler == NULL || strchr(job->compiler, '/') == NULL ||
        access(job->compiler, X_OK) != 0)
        return cli_fail(STATUS_NOT_FOUND, job->shown,
                        "ocamlc is not in PATH: install OCaml (Debian: ocaml-nox), or run "
                        "bytecode");
    job->cache = cache_folder();
    bool wanted = strstr(job->source, "Bactrian") != NULL || strstr(job->source, "Ffi") != NULL;
    if (wanted) job->modules = cli_module_folder();
    hash_job(job);
    name_module(job);
    char *cached = job->cache != NULL ? join(job->cache, job->hash, ".byte") : NULL;
    int status = 0;
    if (cached != NULL && is_own(cached, S_IFREG) && vm_is_bytecode_file(cached))
        *bytecode = strdup(cached);
    else status = compile_and_cache(job, cached, bytecode, folder);
    free(cached);
    return status;
}

int cli_compile_script(const char *path, const char *shown, uint64_t deadline_ns, char **bytecode,
                       char **folder) {
    *bytecode = *folder = NULL;
    if (cli_is_privileged())
        return cli_fail(STATUS_REFUSED, shown,
                        "a set-user-ID bactrian does not compile scripts: use ocamlc");
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL) return cli_fail(STATUS_REFUSED, shown, "out of memory");
    job->path = path;
    job->shown = shown;
    job->deadline_ns = deadline_ns;
    int status = compile_job(job, bytecode, folder);
    free(job->source);
    free(job->compiler);
    free(job->modules);
    free(job->cache);
    free(job);
    return status;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where) {
    return remove(path);
}

void cli_remove_folder(const char *folder) { nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS); }
