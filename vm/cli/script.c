/* script.c - OCaml scripts: compiled by the installed ocamlc, cached by content.
 *
 *   CACHE/bactrian/HASH.byte      the bytecode of the script whose key has that hash
 *   CACHE/bactrian/tmp-XXXXXX/    one compilation in progress; its result moves out by rename
 *
 * The key is everything that the bytecode depends on: the source, its name (locations show it), the
 * compiler (path, size and date of the file) and the variables that ocamlc reads. Compilations may
 * run at the same time: each has its own folder, and rename is atomic. Without a usable cache
 * folder the result stays in the temporary folder for this run. */
#include "gc/assert.h"
#include "vm/base/md5.h"
#include "vm/cli/cli.h"
#include "vm/image/image.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
};

/* dir/name followed by suffix, allocated; NULL when out of memory. */
static char *join(const char *dir, const char *name, const char *suffix) {
    char *path;
    return asprintf(&path, "%s/%s%s", dir, name, suffix) < 0 ? NULL : path;
}

static bool is_own_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* ${XDG_CACHE_HOME:-~/.cache}/bactrian, created if needed; NULL if it can't be used. A folder that
 * others can write to is not used: its files would be executed. */
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
    if (folder != NULL && (!is_own_folder(folder) || access(folder, W_OK) != 0)) {
        free(folder);
        folder = NULL;
    }
    free(parent);
    return folder;
}

static void hash_job(struct job *job) {
    struct vm_md5_state sum;
    struct stat compiler = {0};
    char identity[128];
    uint8_t digest[16];
    stat(job->compiler, &compiler);
    snprintf(identity, sizeof identity, "%lld %lld.%09ld", (long long)compiler.st_size,
             (long long)compiler.st_mtim.tv_sec, compiler.st_mtim.tv_nsec);
    const char *const parts[] = {"bactrian script 1",  job->compiler,      identity,
                                 getenv("OCAMLPARAM"), getenv("OCAMLLIB"), getenv("CAMLLIB"),
                                 job->modules,         job->shown};
    vm_md5_start(&sum);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        vm_md5_add(&sum, parts[i] != NULL ? parts[i] : "",
                   parts[i] != NULL ? strlen(parts[i]) + 1 : 1);
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
    int status;
    if (child < 0)
        return cli_fail(STATUS_REFUSED, "ocamlc", "%s: could not start it", strerror(errno));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return STATUS_REFUSED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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

static bool make_temporary_folder(struct job *job) {
    const char *base = getenv("TMPDIR");
    if (job->cache != NULL) base = job->cache;
    else if (base == NULL || base[0] != '/') base = "/tmp";
    snprintf(job->folder, sizeof job->folder, "%s/%sXXXXXX", base,
             job->cache != NULL ? "tmp-" : "bactrian-");
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

/* Compiles into the cache, or into *folder. */
static int compile_into_cache(struct job *job, char *cached, char **bytecode, char **folder) {
    if (!make_temporary_folder(job)) return STATUS_REFUSED;
    ASSERT(job->folder[0] == '/'); /* it will be removed with its contents */
    int status = compile(job);
    char *program = join(job->folder, "program", "");
    if (status == 0 && program != NULL) {
        if (cached != NULL && source_unchanged(job) && rename(program, cached) == 0) {
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
    if (cached != NULL && vm_is_bytecode_file(cached)) *bytecode = strdup(cached);
    else status = compile_into_cache(job, cached, bytecode, folder);
    free(cached);
    return status;
}

int cli_compile_script(const char *path, const char *shown, char **bytecode, char **folder) {
    *bytecode = *folder = NULL;
    if (cli_is_privileged())
        return cli_fail(STATUS_REFUSED, shown,
                        "a set-user-ID bactrian does not compile scripts: use ocamlc");
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL) return cli_fail(STATUS_REFUSED, shown, "out of memory");
    job->path = path;
    job->shown = shown;
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
