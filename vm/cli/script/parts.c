/* parts.c - what a script is linked with: packages, found by findlib's command, and modules beside
 * it, found by ocamlc's list of the modules that a source refers to. */
#include "vm/cli/script/script.h"

#include "vm/stack/limits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- Words. ---- */

void script_add_own(struct script *s, struct script_words *words, char *word) {
    if (word != NULL && vector_reserve(words, 2, 8, NULL)) {
        vector_append(words, word);
        words->items[words->count] = NULL;
        return;
    }
    s->no_memory = true;
    free(word);
}

void script_add(struct script *s, struct script_words *words, const char *word) {
    script_add_own(s, words, word != NULL ? strdup(word) : NULL);
}

void script_words_free(struct script_words *words) {
    for (size_t i = 0; i < words->count; i++) free(words->items[i]);
    free(words->items);
}

/* ---- Packages. ---- */

static bool has_suffix(const char *word, const char *suffix) {
    size_t n = strlen(word), m = strlen(suffix);
    return n >= m && strcmp(word + n - m, suffix) == 0;
}

/* Of `ocamlc WORDS`, what ocamlfind would run. */
static void add_findlib_words(struct script *s, char *line) {
    char *state = NULL, *word = strtok_r(line, " ", &state);
    bool folder = false;
    while (word != NULL && (word = strtok_r(NULL, " ", &state)) != NULL) {
        script_add(s, &s->findlib, word);
        if (folder) {
            char *meta = cli_join(word, "META", "");
            script_depend(s, meta);
            free(meta);
        }
        if (folder || has_suffix(word, ".cma")) script_depend(s, word);
        folder = strcmp(word, "-I") == 0;
    }
}

int script_find_packages(struct script *s) {
    if (s->packages.count == 0) return 0;
    struct script_words command = {0};
    script_add(s, &command, "ocamlfind");
    script_add(s, &command, "ocamlc");
    script_add(s, &command, "-thread"); /* for packages that use threads; no harm to others */
    for (size_t i = 0; i < s->packages.count; i++) {
        script_add(s, &command, "-package");
        script_add(s, &command, s->packages.items[i]);
    }
    script_add(s, &command, "-linkpkg");
    script_add(s, &command, "-only-show");
    char *ocamlfind = cli_find_tool(s->options, "ocamlfind"), *line = NULL;
    bool found = ocamlfind != NULL && access(ocamlfind, X_OK) == 0 && !s->no_memory;
    int status = 0;
    if (found) {
        script_depend(s, ocamlfind);
        status = cli_output_of(&s->compiler, ocamlfind, (const char *const *)command.items, true,
                               &line);
        if (line != NULL) add_findlib_words(s, strtok(line, "\n"));
    } else {
        status = cli_fail(STATUS_NOT_FOUND, s->shown,
                          "#require needs ocamlfind: install it (Debian: ocaml-findlib)");
    }
    free(line);
    free(ocamlfind);
    script_words_free(&command);
    return status;
}

/* ---- Modules. ---- */

#define WORD_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_'"

/* The path of a module's file beside the script, if it is there and not the script itself; else
 * NULL. Present or not, the bytecode depends on it. */
static char *module_file(struct script *s, const char *name, bool lower, const char *suffix) {
    char *path = cli_join(s->beside, name, suffix);
    if (path == NULL) s->no_memory = true;
    if (path == NULL) return NULL;
    char *base = strrchr(path, '/') + 1;
    if (lower) base[0] = (char)tolower((unsigned char)base[0]);
    if (strcmp(base, script_file_name(s)) != 0) {
        script_depend(s, path);
        if (access(path, R_OK) == 0) return path;
    }
    free(path);
    return NULL;
}

/* Whether one of the archives has the module's name: a program cannot have both. */
static bool is_of_archive(const struct script_words *archives, const char *name) {
    size_t n = strlen(name);
    for (size_t i = 0; i < archives->count; i++) {
        const char *slash = strrchr(archives->items[i], '/');
        const char *archive = slash != NULL ? slash + 1 : archives->items[i];
        if (strncasecmp(archive, name, n) == 0 && strcmp(archive + n, ".cma") == 0) return true;
    }
    return false;
}

static int find_needed(struct script *s, const char *interface, const char *source);

static void find_module(struct script *s, const char *name) {
    for (size_t i = 0; i < s->modules.count; i++)
        if (strcmp(s->modules.items[i].name, name) == 0) return;
    if (is_of_archive(&s->findlib, name) || is_of_archive(&s->archives, name)) return;
    struct script_module m = {.path = module_file(s, name, true, ".ml")};
    bool lower = m.path != NULL;
    if (!lower) m.path = module_file(s, name, false, ".ml");
    if (m.path == NULL) return;
    m.interface = module_file(s, name, lower, ".mli");
    m.name = strdup(name);
    /* It is in the list while its own are found, so that a circle ends: for ocamlc to refuse. */
    size_t own = s->modules.count;
    if (m.name == NULL || !vector_push(&s->modules, m, 8, NULL)) {
        s->no_memory = true;
        free(m.name);
        free(m.interface);
        free(m.path);
        return;
    }
    find_needed(s, m.interface, m.path);
    memmove(&s->modules.items[own], &s->modules.items[own + 1],
            (s->modules.count - own - 1) * sizeof m);
    s->modules.items[s->modules.count - 1] = m;
}

/* ocamlc prints `FILE: Module Module` for each file. */
static int find_needed(struct script *s, const char *interface, const char *source) {
    const char *const words[] = {"ocamlc",  "-depend", "-modules",
                                 "-impl",   source,    interface != NULL ? "-intf" : NULL,
                                 interface, NULL};
    char *lines, *state = NULL;
    int status = cli_output_of(&s->compiler, s->compiler.ocamlc, words, false, &lines);
    for (char *word = lines != NULL ? strtok_r(lines, " \n", &state) : NULL; word != NULL;
         word = strtok_r(NULL, " \n", &state))
        if (isupper((unsigned char)word[0]) && word[strlen(word) - 1] != ':') find_module(s, word);
    free(lines);
    return status;
}

/* The next capitalized word of the text, allocated, and the text after it; NULL: there is none. */
static char *next_capitalized(const char **text) {
    const char *at = *text;
    while (*at != 0 && !isupper((unsigned char)*at)) {
        size_t n = strspn(at, WORD_LETTERS);
        at += n > 0 ? n : 1;
    }
    size_t n = strspn(at, WORD_LETTERS);
    *text = at + n;
    return n > 0 ? strndup(at, n) : NULL;
}

bool script_names_module(const char *text, const char *name, size_t length) {
    bool found = false;
    for (char *word; !found && (word = next_capitalized(&text)) != NULL; free(word))
        found = strlen(word) == length && word[0] == toupper((unsigned char)name[0]) &&
                memcmp(word + 1, name + 1, length - 1) == 0;
    return found;
}

/* Whether the text may refer to a module beside the script: a capitalized word is the name of one,
 * or there are too many to look. */
static bool names_module(struct script *s, const char *text) {
    enum { MOST_WORDS = 200 };
    struct script_words seen = {0};
    bool found = false;
    for (char *word; !found && (word = next_capitalized(&text)) != NULL;) {
        bool known = false;
        for (size_t i = 0; !known && i < seen.count; i++) known = strcmp(seen.items[i], word) == 0;
        if (known) {
            free(word);
            continue;
        }
        char *path = module_file(s, word, true, ".ml");
        if (path == NULL) path = module_file(s, word, false, ".ml");
        found = path != NULL || seen.count == MOST_WORDS;
        free(path);
        script_add_own(s, &seen, word);
    }
    script_words_free(&seen);
    return found;
}

int script_find_modules(struct script *s, const char *text, const char *copy) {
    if (!names_module(s, text)) return 0; /* spares a process */
    return find_needed(s, NULL, copy) == VM_STATUS_STOPPED ? VM_STATUS_STOPPED : 0;
}
