/* repl.c - `bactrian repl WORDS...`: runs the installed toplevel.
 *
 * The command is `ocaml -I MODULES bactrian.cma bactrian_repl.cma WORDS...`; the last library
 * removes the added words from Sys.argv. */
#include "vm/cli/prompt/repl.h"

#include "vm/cli/cli.h"
#include "vm/image/image.h"

#include <stdlib.h>
#include <string.h>

#define TOPLEVEL "ocaml"

/* Frees everything and removes the recording's file. Needs: the machine is destroyed. */
static void close_repl(struct cli_repl *repl) {
    editor_close(repl->editor);
    free(repl->typed);
    if (repl->folder != NULL) cli_remove_folder(repl->folder);
    free(repl->folder);
    free(repl->profile);
    free(repl->rows);
}

/* The toplevel's command line, followed by words; allocated. */
static char **add_words(char **words, char *toplevel, char *modules) {
    char *front[] = {toplevel, "-I", modules, "bactrian.cma", "bactrian_repl.cma"};
    size_t n = 0, before = sizeof front / sizeof front[0];
    while (words[n] != NULL) n++;
    char **all = malloc((before + n + 1) * sizeof *all);
    if (all == NULL) return NULL;
    memcpy(all, front, sizeof front);
    memcpy(all + before, words, (n + 1) * sizeof *all);
    return all;
}

/* The bytecode file that a launcher of the toplevel runs, allocated; NULL: none. */
static char *toplevel_of(const char *launcher) {
    const char *const words[] = {TOPLEVEL, "-noinit", "-e", "print_endline Sys.executable_name",
                                 NULL};
    char *path = cli_first_line(launcher, words);
    if (path == NULL || vm_is_bytecode_file(path)) return path;
    free(path);
    return NULL;
}

/* The toplevel's path, allocated; NULL after a message: *status is the exit status. */
static char *find_toplevel(const struct cli_options *options, int *status) {
    char *path = cli_find_tool(options, TOPLEVEL), *bytecode = NULL;
    *status = STATUS_NOT_FOUND;
    if (path == NULL) cli_fail(*status, TOPLEVEL, "out of memory");
    else if (strchr(path, '/') == NULL)
        cli_fail(*status, TOPLEVEL,
                 "OCaml's toplevel is not in PATH: install it (Debian: ocaml-nox)");
    else if (vm_is_bytecode_file(path)) return path;
    else if ((bytecode = toplevel_of(path)) == NULL)
        cli_fail(*status = STATUS_REFUSED, path,
                 "not a bytecode toplevel: put that of OCaml 4.13 to 5.4 into PATH, or name its "
                 "folder by --ocaml");
    free(path);
    return bytecode;
}

static int run_toplevel(struct cli_options *options, struct cli_repl *repl, char *toplevel,
                        char *modules) {
    char **words = add_words(options->operands, toplevel, modules);
    if (words == NULL || !cli_repl_add_prims(repl)) {
        free(words);
        return cli_fail(STATUS_REFUSED, "repl", "out of memory");
    }
    repl->library = cli_standard_library(options);
    if (cli_compiler_is_chosen(options)) setenv("OCAMLLIB", repl->library, 1);
    if (editor_is_possible() && cli_wants_color() && getenv("OCAML_COLOR") == NULL)
        repl->chose_colour = setenv("OCAML_COLOR", "always", 1) == 0;
    options->operands = words;
    options->vm.embedder = repl;
    options->vm.profiler_rows = repl->rows;
    options->vm.profiler_row_count = repl->row_count;
    options->quiet = true; /* no summary of a recording that the session leaves open */
    int status = cli_run_direct(options, toplevel);
    close_repl(repl);
    free(words);
    return status;
}

int cli_repl(struct cli_options *options) {
    struct cli_repl repl = {.options = options, .complete = VAL_UNIT};
    struct cli_compiler c = {0};
    bool temporary = false;
    int status = STATUS_REFUSED;
    if (!cli_has_profiler()) return status;
    char *toplevel = find_toplevel(options, &status), *modules = NULL;
    if (toplevel != NULL) status = cli_find_compiler(options, "repl", &c);
    if (status == 0) modules = cli_find_modules(&c, MODULES_OF_REPL, &temporary);
    if (modules != NULL) status = run_toplevel(options, &repl, toplevel, modules);
    else if (status == 0)
        status = cli_fail(STATUS_REFUSED, "repl",
                          "bactrian_repl.cma could not be compiled: that needs the compiler's "
                          "libraries (Debian: ocaml-nox)");
    if (temporary) cli_remove_folder(modules);
    free(c.ocamlc);
    free(modules);
    free(toplevel);
    return status;
}
