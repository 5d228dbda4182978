/* script.c - OCaml scripts: compiled by ocamlc (compiler.c), cached by content.
 *
 *   CACHE/bactrian/KEY.deps       what else the script with that key depends on (dependencies.c)
 *   CACHE/bactrian/HASH.byte      the bytecode; HASH is that of the key and the text of KEY.deps
 *   CACHE/bactrian/tmp-XXXXXX     a copy in progress, which rename gives its name
 *   TMPDIR/bactrian-XXXXXX/       one compilation in progress
 *
 * The key is what is known before the script is read: the source, its name and folder, the
 * compiler (path, size and date of the file), the variables that ocamlc and findlib read,
 * Bactrian's version and the contents of its modules, for a script that uses them. Compilations may
 * run at the same time: each has its own folder, and rename is atomic. What cannot be put into the
 * cache, because its disk is full or the cache is not usable, stays in the temporary folder for
 * this run. */
#include "vm/cli/script/script.h"

#include "gc/assert.h"
#include "vm/base/md5.h"
#include "vm/image/image.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct job {
    struct script script;
    const char *path; /* NULL: the source is given */
    char *source;
    size_t length;
    bool modules_temporary; /* script.own_modules is removed at the end */
    char *cache;            /* folder, or NULL: none */
    char key[CLI_HASH_BYTES];
};

/* The modules as a compilation reads them. */
static void add_modules(const struct job *job, struct vm_md5_state *sum) {
    const char *folder = job->script.own_modules;
    static const char *const files[] = {"bactrian.cma", "bactrian.cmi", "ffi.cmi"};
    for (size_t i = 0; folder != NULL && i < sizeof files / sizeof files[0]; i++) {
        size_t length;
        char *path = cli_join(folder, files[i], "");
        char *bytes = path != NULL ? cli_read_file(path, &length) : NULL;
        if (bytes != NULL) vm_md5_add(sum, bytes, length);
        free(bytes);
        free(path);
    }
}

static void hash_job(struct job *job) {
    struct vm_md5_state sum;
    const char *const parts[] = {job->modules_temporary ? NULL : job->script.own_modules,
                                 job->script.shown,
                                 job->script.beside,
                                 getenv("OCAMLPATH"),
                                 getenv("OCAMLFIND_CONF"),
                                 getenv("OCAMLFIND_TOOLCHAIN"),
                                 getenv("OCAMLFIND_LDCONF")};
    vm_md5_start(&sum);
    cli_identify_compiler(&job->script.compiler, &sum);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        vm_md5_add(&sum, parts[i] != NULL ? parts[i] : "",
                   parts[i] != NULL ? strlen(parts[i]) + 1 : 1);
    add_modules(job, &sum);
    vm_md5_add(&sum, job->source, job->length);
    cli_hash_text(&sum, job->key);
}

/* ---- The cache. ---- */

/* In TMPDIR, or in the cache if there is no room. */
static bool make_temporary_folder(struct job *job) {
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] != '/') base = "/tmp";
    if (job->cache != NULL && !cli_has_room(base) && cli_has_room(job->cache)) base = job->cache;
    struct script *s = &job->script;
    s->folder = cli_work_folder(base);
    if (s->folder != NULL && (s->program = cli_join(s->folder, "program", "")) == NULL)
        cli_fail(STATUS_REFUSED, s->shown, "out of memory");
    return s->program != NULL;
}

/* Whether the script is still what was hashed. */
static bool source_unchanged(const struct job *job) {
    size_t length;
    if (job->path == NULL) return true;
    char *now = cli_read_file(job->path, &length);
    bool same = now != NULL && length == job->length && memcmp(now, job->source, length) == 0;
    free(now);
    return same;
}

/* The path of the bytecode in the cache, allocated. */
static char *name_in_cache(const struct job *job, const char *dependencies) {
    struct vm_md5_state sum;
    char hash[CLI_HASH_BYTES];
    vm_md5_start(&sum);
    vm_md5_add(&sum, job->key, sizeof job->key);
    vm_md5_add(&sum, dependencies, strlen(dependencies));
    cli_hash_text(&sum, hash);
    return cli_join(job->cache, hash, ".byte");
}

/* The path of the bytecode, allocated, if it is in the cache; else NULL. */
static char *find_in_cache(const struct job *job) {
    size_t length;
    char *path = cli_join(job->cache, job->key, ".deps"), *found = NULL;
    char *text = path != NULL && cli_is_own(path, S_IFREG) ? cli_read_file(path, &length) : NULL;
    if (text != NULL && script_dependencies_hold(text)) found = name_in_cache(job, text);
    if (found != NULL && !(cli_is_own(found, S_IFREG) && vm_is_bytecode_file(found))) {
        free(found);
        found = NULL;
    }
    free(text);
    free(path);
    return found;
}

/* Writes a file of the cache. */
static bool write_into_cache(const struct job *job, const char *bytes, size_t length,
                             const char *path) {
    char *copy = cli_join(job->cache, "tmp-XXXXXX", "");
    int fd = copy != NULL ? mkostemp(copy, O_CLOEXEC) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good = file != NULL && fwrite(bytes, 1, length, file) == length;
    if (file != NULL && fclose(file) != 0) good = false;
    good = good && rename(copy, path) == 0;
    if (fd >= 0 && !good) unlink(copy);
    free(copy);
    return good;
}

/* From another disk. */
static bool copy_into_cache(const struct job *job, const char *program, const char *cached) {
    size_t length;
    char *bytes = cli_read_file(program, &length);
    bool good = bytes != NULL && write_into_cache(job, bytes, length, cached);
    free(bytes);
    return good;
}

/* Returns the path of the bytecode in the cache, allocated. NULL if it could not be put there: the
 * program then still exists, so the bytecode comes last. */
static char *put_into_cache(const struct job *job, const char *program) {
    if (job->cache == NULL || !source_unchanged(job) || chmod(program, 0600) != 0) return NULL;
    char *text = script_dependencies(&job->script), *cached = NULL;
    char *names = cli_join(job->cache, job->key, ".deps");
    if (text != NULL && names != NULL) cached = name_in_cache(job, text);
    bool named = cached != NULL && write_into_cache(job, text, strlen(text), names);
    bool good = named && (rename(program, cached) == 0 || copy_into_cache(job, program, cached));
    if (named && !good) unlink(names);
    free(text);
    free(names);
    if (good) return cached;
    free(cached);
    return NULL;
}

/* Compiles, and puts the result into the cache or leaves it in *folder. */
static int compile_and_cache(struct job *job, char **bytecode, char **folder) {
    struct script *s = &job->script;
    if (!make_temporary_folder(job)) return STATUS_REFUSED;
    int status = script_compile(s, job->source, job->length);
    if (status == 0 && (*bytecode = put_into_cache(job, s->program)) == NULL) {
        *bytecode = strdup(s->program);
        *folder = strdup(s->folder);
    }
    if (*folder == NULL) cli_remove_folder(s->folder);
    return status == 0 && *bytecode == NULL ? STATUS_REFUSED : status;
}

/* ---- A script. ---- */

/* Reads standard input to its end. */
static char *read_input(size_t *length) {
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (out == NULL) return NULL;
    for (int c; (c = getchar()) != EOF;) fputc(c, out);
    if (fclose(out) == 0 && !ferror(stdin)) return text;
    free(text);
    return NULL;
}

static bool read_source(struct job *job, const struct cli_options *options) {
    if (options->expression != NULL) {
        job->source = strdup(options->expression);
        job->length = strlen(options->expression);
    } else {
        job->source = job->path != NULL ? cli_read_file(job->path, &job->length)
                                        : read_input(&job->length);
    }
    if (job->source == NULL)
        cli_fail(STATUS_NOT_FOUND, job->script.shown, "%s: check the file", strerror(errno));
    return job->source != NULL;
}

/* As an absolute path, allocated; NULL: see errno. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return realpath(".", NULL);
    char *folder = strndup(path, (size_t)(slash - path) + 1);
    char *found = folder != NULL ? realpath(folder, NULL) : NULL;
    free(folder);
    return found;
}

static int compile_job(struct job *job, char **bytecode, char **folder) {
    struct script *s = &job->script;
    if (!read_source(job, s->options)) return STATUS_NOT_FOUND;
    s->beside = folder_of(job->path != NULL ? job->path : "");
    if (s->beside == NULL)
        return cli_fail(STATUS_NOT_FOUND, s->shown, "%s: the folder of the script",
                        strerror(errno));
    job->cache = cli_cache_folder();
    bool wanted = strstr(job->source, "Bactrian") != NULL || strstr(job->source, "Ffi") != NULL;
    if (wanted)
        s->own_modules = cli_find_modules(&s->compiler, MODULES_OF_PROGRAMS,
                                          &job->modules_temporary);
    hash_job(job);
    if (job->cache != NULL) *bytecode = find_in_cache(job);
    return *bytecode != NULL ? 0 : compile_and_cache(job, bytecode, folder);
}

const char *script_file_name(const struct script *s) {
    const char *slash = strrchr(s->shown, '/');
    return slash != NULL ? slash + 1 : s->shown;
}

static void free_script(struct script *s) {
    struct script_words *const words[] = {&s->directories, &s->packages, &s->archives,
                                          &s->flags,       &s->findlib,  &s->dependencies};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) script_words_free(words[i]);
    for (size_t i = 0; i < s->modules.count; i++) {
        free(s->modules.items[i].name);
        free(s->modules.items[i].interface);
        free(s->modules.items[i].path);
    }
    free(s->modules.items);
    free(s->compiler.ocamlc);
    free(s->own_modules);
    free(s->beside);
    free(s->folder);
    free(s->program);
}

int cli_compile_script(const struct cli_options *options, const char *path, const char *shown,
                       char **bytecode, char **folder) {
    *bytecode = *folder = NULL;
    if (cli_is_privileged())
        return cli_fail(STATUS_REFUSED, shown,
                        "a set-user-ID bactrian does not compile scripts: use ocamlc");
    struct job job = {.path = path, .script = {.options = options, .shown = shown}};
    int status = cli_find_compiler(options, shown, &job.script.compiler);
    if (status == 0) status = compile_job(&job, bytecode, folder);
    if (job.modules_temporary) cli_remove_folder(job.script.own_modules);
    free_script(&job.script);
    free(job.source);
    free(job.cache);
    return status;
}
