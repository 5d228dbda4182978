/* modules.c - Bactrian's OCaml modules for a compiler.
 *
 *   CACHE/bactrian/modules-HASH/   the modules, for the compiler whose key has that hash
 *   CACHE/bactrian/tmp-XXXXXX/     their compilation in progress, which rename gives its name
 *
 * The folder of the modules has their sources, and what the build made of them with the ocamlc that
 * it found: the file `compiler` has its size and date. For another compiler they are compiled on
 * first use; without a usable cache into a temporary folder, for this run. */
#include "vm/cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of bactrian.cma; then of bactrian_repl.cma, which needs the compiler's own modules. */
#define OWN_SOURCES "bactrian.mli", "bactrian.ml", "ffi.mli", "ffi.ml"
#define REPL_SOURCES                                                                              \
    "bactrian_syntax.mli", "bactrian_syntax.ml", "bactrian_complete.mli", "bactrian_complete.ml", \
        "bactrian_repl.mli", "bactrian_repl.ml"
/* It takes the place of bactrian_syntax.ml. */
#define LABELLED_SYNTAX "bactrian_syntax_5_4.ml"
static const char *const sources[] = {OWN_SOURCES, REPL_SOURCES, LABELLED_SYNTAX};
enum { SOURCES = sizeof sources / sizeof sources[0] };
#define STUBS "dllbactrian_stubs.so"

/* The folder, relative to the binary's, if it holds the modules. */
static char *folder_at(const char *binary_folder, const char *folder) {
    char path[PATH_MAX + 64], found[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/%s", binary_folder, folder, sources[0]);
    if (realpath(path, found) == NULL) return NULL;
    *strrchr(found, '/') = 0;
    return strdup(found);
}

/* The folder of the sources: beside the binary in the build folder, or where both were installed.
 * Allocated; NULL: not found. */
static char *installed_folder(void) {
    char self[PATH_MAX];
    if (!cli_own_executable(self)) return NULL;
    *strrchr(self, '/') = 0;
    char *folder = folder_at(self, "../../stdlib/ml");
    return folder != NULL ? folder : folder_at(self, "../" BACTRIAN_MODULES);
}

static const char *library_of(enum cli_modules which) {
    return which == MODULES_OF_REPL ? "bactrian_repl.cma" : "bactrian.cma";
}

static bool has_library(const char *folder, enum cli_modules which) {
    char *path = cli_join(folder, library_of(which), "");
    bool found = path != NULL && access(path, R_OK) == 0;
    free(path);
    return found;
}

/* Whether the build made the modules with that compiler. */
static bool is_built_for(const char *folder, const struct cli_compiler *c) {
    struct stat file;
    size_t length;
    char now[64], *path = cli_join(folder, "compiler", "");
    char *then = path != NULL ? cli_read_file(path, &length) : NULL;
    bool known = stat(c->ocamlc, &file) == 0;
    if (known)
        snprintf(now, sizeof now, "%lld %lld\n", (long long)file.st_size,
                 (long long)file.st_mtim.tv_sec);
    bool same = then != NULL && known && strcmp(now, then) == 0;
    free(then);
    free(path);
    return same;
}

/* The folder's name in the cache, allocated. */
static char *name_in_cache(const struct cli_compiler *c, const char *cache, const char *from,
                           enum cli_modules which) {
    struct vm_md5_state sum;
    char hash[CLI_HASH_BYTES];
    vm_md5_start(&sum);
    cli_identify_compiler(c, &sum);
    vm_md5_add(&sum, library_of(which), strlen(library_of(which)));
    for (size_t i = 0; i < SOURCES; i++) {
        size_t length;
        char *path = cli_join(from, sources[i], "");
        char *text = path != NULL ? cli_read_file(path, &length) : NULL;
        if (text != NULL) vm_md5_add(&sum, text, length);
        free(text);
        free(path);
    }
    cli_hash_text(&sum, hash);
    return cli_join(cache, "modules-", hash);
}

/* Copies the sources for a version; the library of C code gets a second name. */
static bool copy_sources(const char *from, const char *to, const struct vm_version *version) {
    bool good = true;
    for (size_t i = 0; i <= SOURCES && good; i++) {
        const char *name = i < SOURCES ? sources[i] : STUBS;
        bool other = version->has_labelled_tuples && strcmp(name, "bactrian_syntax.ml") == 0;
        char *old = cli_join(from, other ? LABELLED_SYNTAX : name, "");
        char *new = cli_join(to, name, "");
        good = old != NULL && new != NULL &&
               (i < SOURCES ? cli_copy_file(old, new) : symlink(old, new) == 0);
        free(old);
        free(new);
    }
    return good;
}

static bool compile(const struct cli_compiler *c, const char *folder, enum cli_modules which) {
#define LINKED(file) "ocamlc", "-w", "-a", "-g", "-a", "-o", file, "-dllib", "-lbactrian_stubs"
    static const char *const own[] = {LINKED("bactrian.cma"), OWN_SOURCES, NULL};
    static const char *const repl[] = {LINKED("bactrian_repl.cma"), "-I", "+compiler-libs",
                                       REPL_SOURCES, NULL};
#undef LINKED
    return cli_run_compiler(c, folder, own, STDERR_FILENO) == 0 &&
           (which != MODULES_OF_REPL || cli_run_compiler(c, folder, repl, STDERR_FILENO) == 0);
}

/* Compiles into a new folder, which becomes `cached` unless that is NULL. Allocated; NULL after a
 * message. */
static char *build(const struct cli_compiler *c, const char *from, const char *cache,
                   const char *cached, enum cli_modules which) {
    const struct vm_version *version = cli_compiler_version(c);
    if (version == NULL) return NULL;
    char *work = cli_work_folder(cached != NULL ? cache : cli_temporary_folder());
    if (work == NULL) return NULL;
    bool good = copy_sources(from, work, version);
    if (!good) cli_fail(STATUS_REFUSED, work, "Bactrian's modules could not be copied to it");
    good = good && compile(c, work, which);
    /* Another process may have been first. */
    bool moved = good && cached != NULL && rename(work, cached) == 0;
    bool found = good && cached != NULL && (moved || has_library(cached, which));
    if (!good || (found && !moved)) cli_remove_folder(work);
    if (good && !found) return work;
    free(work);
    return found ? strdup(cached) : NULL;
}

char *cli_find_modules(const struct cli_compiler *c, enum cli_modules which, bool *temporary) {
    *temporary = false;
    char *from = installed_folder();
    if (from == NULL) return NULL;
    if (is_built_for(from, c) && has_library(from, which)) return from;
    char *cache = cli_cache_folder(), *cached = NULL, *found = NULL;
    if (cache != NULL && cli_has_room(cache)) cached = name_in_cache(c, cache, from, which);
    if (cached != NULL && cli_is_own(cached, S_IFDIR) && has_library(cached, which))
        found = strdup(cached);
    else found = build(c, from, cache, cached, which);
    *temporary = found != NULL && (cached == NULL || strcmp(found, cached) != 0);
    free(cached);
    free(cache);
    free(from);
    return found;
}
