/* compile.c - from a script's source to its bytecode.
 *
 * ocamlc runs in the temporary folder, so that it sees no compiled module that lies in the current
 * one; all paths that it gets are absolute, except that of a script below the current folder. A
 * copy of such a script has the same path in the temporary folder, and one process compiles and
 * links it: locations have the path, and messages show lines of the copy. Other scripts are
 * compiled under their name, read through a preprocessor, and linked by a second process. */
#include "vm/cli/script/script.h"

#include "vm/stack/limits.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The unit's name is the script's, with characters that a module's name can't have replaced. If the
 * text names that module, it means another one: `str.ml` may use Str. */
static void name_unit(struct script *s, const char *text) {
    const char *name = script_file_name(s);
    size_t n = strcspn(name, ".");
    if (n > sizeof s->unit - 8) n = sizeof s->unit - 8;
    bool starts_well = isalpha((unsigned char)name[0]) && !script_names_module(text, name, n);
    snprintf(s->unit, sizeof s->unit, "%s%.*s", starts_well ? "" : "script_", (int)n, name);
    for (char *c = s->unit; *c != 0; c++)
        if (!isalnum((unsigned char)*c) && *c != '_') *c = '_';
}

/* Whether a copy can have the same path in the temporary folder, and the unit's name is the one
 * that ocamlc derives from the path. */
static bool is_below(const struct script *s) {
    const char *name = script_file_name(s);
    size_t n = strlen(s->unit);
    return strncmp(name, s->unit, n) == 0 && strcmp(name + n, ".ml") == 0 && s->shown[0] != '/' &&
           s->shown[0] != '-' && strncmp(s->shown, "../", 3) != 0 &&
           strstr(s->shown, "/../") == NULL;
}

static void add_all(struct script *s, struct script_words *to, const struct script_words *from) {
    for (size_t i = 0; i < from->count; i++) script_add(s, to, from->items[i]);
}

/* The words that each run of ocamlc begins with, and more. */
static struct script_words first_words(struct script *s, const char *const *more) {
    struct script_words words = {0};
    script_add(s, &words, "ocamlc");
    script_add(s, &words, "-g");
    if (s->own_modules != NULL) {
        script_add(s, &words, "-I");
        script_add(s, &words, s->own_modules);
    }
    add_all(s, &words, &s->flags);
    script_add(s, &words, "-I");
    script_add(s, &words, s->folder);
    for (; *more != NULL; more++) script_add(s, &words, *more);
    return words;
}

/* Runs ocamlc, frees the words; returns its exit status, or another one after a message. */
static int run_ocamlc(struct script *s, struct script_words *words, int messages) {
    int status = s->no_memory ? cli_fail(STATUS_REFUSED, s->shown, "out of memory")
                              : cli_run_compiler(&s->compiler, s->folder,
                                                 (const char *const *)words->items, messages);
    script_words_free(words);
    return status;
}

static bool is_archive(const char *word) {
    size_t n = strlen(word);
    return n > 4 && strcmp(word + n - 4, ".cma") == 0;
}

/* What the packages add to a compilation, or to the program with its archives, too. */
static void add_packages(struct script *s, struct script_words *words, bool archives) {
    for (size_t i = 0; i < s->findlib.count; i++)
        if (archives || !is_archive(s->findlib.items[i])) script_add(s, words, s->findlib.items[i]);
}

/* Compiles a file of a module into the folder; how: -impl or -intf. */
static int compile_file(struct script *s, const char *object, const char *how, const char *source) {
    const char *const more[] = {"-c", "-o", object, how, source, NULL};
    struct script_words words = first_words(s, more);
    add_packages(s, &words, false);
    return run_ocamlc(s, &words, STDERR_FILENO);
}

static int compile_module(struct script *s, const struct script_module *m) {
    char *interface = cli_join(s->folder, m->name, ".cmi");
    char *object = cli_join(s->folder, m->name, ".cmo");
    int status = 0;
    if (interface == NULL || object == NULL) s->no_memory = true;
    if (m->interface != NULL) status = compile_file(s, interface, "-intf", m->interface);
    if (status == 0) status = compile_file(s, object, "-impl", m->path);
    free(interface);
    free(object);
    return status;
}

/* The name of an archive without its folder, compared with those of the packages. */
static bool comes_with_packages(const struct script *s, const char *archive) {
    const char *slash = strrchr(archive, '/'), *name = slash != NULL ? slash + 1 : archive;
    for (size_t i = 0; i < s->findlib.count; i++) {
        slash = strrchr(s->findlib.items[i], '/');
        if (slash != NULL && strcmp(slash + 1, name) == 0) return true;
    }
    return false;
}

/* Links the program with what its directives and packages name. The script is an object, or a
 * source to compile. */
static int link_program(struct script *s, bool is_source, const char *file, int messages) {
    const char *const more[] = {"-o", s->program, s->own_modules != NULL ? "bactrian.cma" : NULL,
                                NULL};
    struct script_words words = first_words(s, more);
    add_packages(s, &words, true);
    for (size_t i = 0; i < s->archives.count; i++)
        if (!comes_with_packages(s, s->archives.items[i]))
            script_add(s, &words, s->archives.items[i]);
    for (size_t i = 0; i < s->modules.count; i++)
        script_add_own(s, &words, cli_join(s->folder, s->modules.items[i].name, ".cmo"));
    if (is_source) script_add(s, &words, "-impl");
    script_add(s, &words, file);
    return run_ocamlc(s, &words, messages);
}

/* ---- The text. ---- */

/* The command that ocamlc runs to read the copy; it ignores the file name that ocamlc appends.
 * Allocated. */
static char *reading_command(const char *copy) {
    char *command = NULL;
    size_t size;
    FILE *out = open_memstream(&command, &size);
    if (out == NULL) return NULL;
    fputs("show() { cat '", out);
    for (const char *c = copy; *c != 0; c++) {
        if (*c == '\'') fputs("'\\'", out);
        fputc(*c, out);
    }
    fputs("'; }; show", out);
    if (fclose(out) == 0) return command;
    free(command);
    return NULL;
}

/* Writes the text between open and close. */
static int write_copy(const struct script *s, char *copy, const char *open, const char *text,
                      const char *close) {
    cli_make_parents(copy);
    FILE *file = fopen(copy, "we");
    bool good = file != NULL && fprintf(file, "%s%s\n%s", open, text, close) >= 0;
    if (file != NULL && fclose(file) != 0) good = false;
    if (good) return 0;
    return cli_fail(STATUS_REFUSED, s->shown, "%s: could not write a copy to %s", strerror(errno),
                    s->folder);
}

static int compile_under_name(struct script *s, const char *copy, const char *object,
                              int messages) {
    char *command = reading_command(copy);
    if (command == NULL) s->no_memory = true;
    const char *const more[] = {"-c", "-o", object, "-pp", command, "-impl", s->shown, NULL};
    struct script_words words = first_words(s, more);
    add_packages(s, &words, false);
    free(command);
    return run_ocamlc(s, &words, messages);
}

static int compile_copy(struct script *s, const char *copy, int messages) {
    if (s->is_below) return link_program(s, true, s->shown, messages);
    char *object = cli_join(s->folder, s->unit, ".cmo");
    if (object == NULL) s->no_memory = true;
    int status = compile_under_name(s, copy, object, messages);
    if (status == 0) status = link_program(s, false, object, messages);
    free(object);
    return status;
}

static void show(int messages) {
    char bytes[4096];
    ssize_t n;
    for (off_t at = 0; (n = pread(messages, bytes, sizeof bytes, at)) > 0; at += n)
        fwrite(bytes, 1, (size_t)n, stderr);
}

/* A type that its uses leave open is allowed at the toplevel, but not in a compiled file that
 * exports it: a text that is refused is tried again with nothing exported. */
static int compile_open_types(struct script *s, char *copy, const char *text) {
    int plain = memfd_create("messages", MFD_CLOEXEC),
        hidden = memfd_create("messages", MFD_CLOEXEC);
    int status = STATUS_REFUSED;
    if (plain < 0 || hidden < 0) cli_fail(status, s->shown, "%s: messages", strerror(errno));
    else status = compile_copy(s, copy, plain);
    bool again = status != 0 && status != VM_STATUS_STOPPED && hidden >= 0 &&
                 write_copy(s, copy, "include (struct\n", text, "end : sig end)\n") == 0 &&
                 compile_copy(s, copy, hidden) == 0;
    if (plain >= 0 && hidden >= 0) show(again ? hidden : plain);
    if (plain >= 0) close(plain);
    if (hidden >= 0) close(hidden);
    return again ? 0 : status;
}

static int compile_text(struct script *s, const char *text) {
    char *copy = cli_join(s->folder, s->is_below ? s->shown : "source", "");
    if (copy == NULL) return cli_fail(STATUS_REFUSED, s->shown, "out of memory");
    int status = write_copy(s, copy, "", text, "");
    if (status == 0) status = script_find_modules(s, text, copy);
    for (size_t i = 0; status == 0 && i < s->modules.count; i++)
        status = compile_module(s, &s->modules.items[i]);
    if (status == 0) status = compile_open_types(s, copy, text);
    free(copy);
    return status;
}

int script_compile(struct script *s, const char *source, size_t length) {
    char *text;
    int status = script_follow_directives(s, source, length, &text);
    if (status == 0) name_unit(s, text);
    s->is_below = is_below(s);
    if (status == 0) status = script_find_packages(s);
    if (status == 0) status = compile_text(s, text);
    free(text);
    return status;
}
