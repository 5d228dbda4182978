/* script.c - OCaml scripts: compiled by ocamlc (compiler.c), cached by content.
 *
 *   CACHE/bactrian/HASH.byte      the bytecode of the script whose key has that hash
 *   CACHE/bactrian/tmp-XXXXXX     a copy in progress, which rename gives its name
 *   TMPDIR/bactrian-XXXXXX/       one compilation in progress
 *
 * The key is everything that the bytecode depends on: the source, its name (locations show it), the
 * compiler (path, size and date of the file), the variables that ocamlc reads, Bactrian's version
 * and the contents of its modules, for a script that uses them. Compilations may run at the same
 * time: each has its own folder, and rename is atomic. What cannot be put into the cache, because
 * its disk is full or the cache is not usable, stays in the temporary folder for this run. */
#include "gc/assert.h"
#include "vm/base/md5.h"
#include "vm/cli/cli.h"
#include "vm/image/image.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

struct job {
    const char *path, *shown;
    char *source;
    size_t length;
    struct cli_compiler compiler;
    char *modules;          /* folder of Bactrian's modules; NULL: not used, or not found */
    bool modules_temporary; /* it is removed at the end */
    char *cache;            /* folder, or NULL: none */
    char hash[CLI_HASH_BYTES];
    char *folder;     /* the temporary folder; NULL before it exists */
    char module[256]; /* the compilation unit's name */
};

/* The modules as a compilation reads them. */
static void add_modules(const struct job *job, struct vm_md5_state *sum) {
    static const char *const files[] = {"bactrian.cma", "bactrian.cmi", "ffi.cmi"};
    for (size_t i = 0; job->modules != NULL && i < sizeof files / sizeof files[0]; i++) {
        size_t length;
        char *path = cli_join(job->modules, files[i], "");
        char *bytes = path != NULL ? cli_read_file(path, &length) : NULL;
        if (bytes != NULL) vm_md5_add(sum, bytes, length);
        free(bytes);
        free(path);
    }
}

static void hash_job(struct job *job) {
    struct vm_md5_state sum;
    const char *const parts[] = {job->modules_temporary ? NULL : job->modules, job->shown};
    vm_md5_start(&sum);
    cli_identify_compiler(&job->compiler, &sum);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        vm_md5_add(&sum, parts[i] != NULL ? parts[i] : "",
                   parts[i] != NULL ? strlen(parts[i]) + 1 : 1);
    add_modules(job, &sum);
    vm_md5_add(&sum, job->source, job->length);
    cli_hash_text(&sum, job->hash);
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
    char *root = cli_join(job->folder, "source", ""), *copy = NULL;
    if (root != NULL)
        copy = inner ? cli_join(root, job->shown, "") : cli_join(root, job->module, ".ml");
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
    char *object = cli_join(job->folder, job->module, ".cmo"), *cwd = NULL;
    char *program = cli_join(job->folder, "program", ""), *source;
    if (strncmp(job->source, "#!", 2) != 0) source = strdup(job->path);
    else source = copy_without_first_line(job, &cwd);
    int status = STATUS_REFUSED;
    if (source == NULL || object == NULL || program == NULL)
        cli_fail(status, job->shown, "%s: could not write a copy to %s", strerror(errno),
                 job->folder);
    else {
        const char *own = job->modules;
        const char *const compiling[] = {
            "ocamlc", "-g", "-c", "-o", object, "-impl", source, own ? "-I" : NULL, own, NULL};
        const char *const linking_own[] = {"ocamlc", "-g",           "-o",   program, "-I",
                                           own,      "bactrian.cma", object, NULL};
        const char *const linking[] = {"ocamlc", "-g", "-o", program, object, NULL};
        status = cli_run_compiler(&job->compiler, cwd, compiling);
        if (status == 0)
            status = cli_run_compiler(&job->compiler, NULL, own != NULL ? linking_own : linking);
    }
    free(source);
    free(cwd);
    free(object);
    free(program);
    return status;
}

/* In TMPDIR, or in the cache if there is no room. */
static bool make_temporary_folder(struct job *job) {
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] != '/') base = "/tmp";
    if (job->cache != NULL && !cli_has_room(base) && cli_has_room(job->cache)) base = job->cache;
    job->folder = cli_work_folder(base);
    return job->folder != NULL;
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
    char *bytes = cli_read_file(program, &length), *copy = cli_join(job->cache, "tmp-XXXXXX", "");
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
    int status = compile(job);
    char *program = cli_join(job->folder, "program", "");
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
    job->cache = cli_cache_folder();
    bool wanted = strstr(job->source, "Bactrian") != NULL || strstr(job->source, "Ffi") != NULL;
    if (wanted)
        job->modules = cli_find_modules(&job->compiler, MODULES_OF_PROGRAMS,
                                        &job->modules_temporary);
    hash_job(job);
    name_module(job);
    char *cached = job->cache != NULL ? cli_join(job->cache, job->hash, ".byte") : NULL;
    int status = 0;
    if (cached != NULL && cli_is_own(cached, S_IFREG) && vm_is_bytecode_file(cached))
        *bytecode = strdup(cached);
    else status = compile_and_cache(job, cached, bytecode, folder);
    free(cached);
    return status;
}

int cli_compile_script(const struct cli_options *options, const char *path, const char *shown,
                       char **bytecode, char **folder) {
    *bytecode = *folder = NULL;
    if (cli_is_privileged())
        return cli_fail(STATUS_REFUSED, shown,
                        "a set-user-ID bactrian does not compile scripts: use ocamlc");
    struct job job = {.path = path, .shown = shown};
    int status = cli_find_compiler(options, shown, &job.compiler);
    if (status == 0) status = compile_job(&job, bytecode, folder);
    if (job.modules_temporary) cli_remove_folder(job.modules);
    free(job.source);
    free(job.compiler.ocamlc);
    free(job.modules);
    free(job.cache);
    free(job.folder);
    return status;
}
