/* doctor.c - `doctor`: what Bactrian found on this computer, and what is missing. */
#include "vm/cli/cli.h"
#include "vm/image/dll.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One line; what is missing says what that is needed for and how to get it. */
static void say(const char *subject, const char *found, const char *missing) {
    printf("%-14s %s%s\n", subject,
           found != NULL ? found : "missing: ", found != NULL ? "" : missing);
}

/* Frees path unless it is returned: the path of a program that can be run, or NULL. */
static char *if_there(char *path) {
    if (path != NULL && strchr(path, '/') != NULL && access(path, X_OK) == 0) return path;
    free(path);
    return NULL;
}

static char *with_version(const struct cli_compiler *c) {
    const struct vm_version *version = cli_compiler_version(c);
    char *text;
    if (version == NULL) return NULL;
    return asprintf(&text, "%s, %s", c->ocamlc, version->name) < 0 ? NULL : text;
}

static void say_modules(const char *subject, const struct cli_compiler *c, enum cli_modules which) {
    bool temporary;
    char *folder = cli_find_modules(c, which, &temporary);
    say(subject, folder, "they are installed beside Bactrian, and compiled by ocamlc");
    if (folder != NULL && temporary) cli_remove_folder(folder);
    free(folder);
}

static void say_tool(const struct cli_options *options, const char *name, const char *missing) {
    char *path = if_there(cli_find_tool(options, name));
    say(name, path, missing);
    free(path);
}

int cli_doctor(struct cli_options *options) {
    char self[PATH_MAX];
    struct cli_compiler c = {0};
    printf("%-14s %s, for bytecode of OCaml %s to %s\n", "bactrian", BACTRIAN_VERSION,
           vm_versions[0].name, vm_versions[OCAML_COUNT - 1].name);
    say("binary", cli_own_executable(self) ? self : NULL, "/proc is not mounted");
    bool scripts = cli_find_compiler(options, "scripts", &c) == 0;
    char *text = scripts ? with_version(&c) : NULL;
    say("ocamlc", text, "scripts need a compiler of OCaml 4.13 to 5.4 (Debian: ocaml-nox)");
    scripts = text != NULL;
    free(text);
    say_tool(options, "ocaml", "`bactrian repl` needs it (Debian: ocaml-nox)");
    say_tool(options, "ocamlfind", "#require in scripts needs it (Debian: ocaml-findlib)");
    say_tool(options, "ocamldebug", "only for debugging (Debian: ocaml-nox)");
    if (scripts) {
        say_modules("modules", &c, MODULES_OF_PROGRAMS);
        say_modules("of the prompt", &c, MODULES_OF_REPL);
    }
    say("stubs", scripts && vm_dll_none() == NULL ? cli_standard_library(options) : NULL,
        vm_dll_none() == NULL ? "ocamlc knows their folder" : vm_dll_none());
    text = cli_cache_folder();
    say("cache", text,
        "scripts are compiled each time: set HOME or XDG_CACHE_HOME to a folder "
        "that no other user can change");
    free(text);
    say("temporary", access(cli_temporary_folder(), W_OK) == 0 ? cli_temporary_folder() : NULL,
        "set TMPDIR to a folder that can be written");
    free(c.ocamlc);
    return scripts ? 0 : 1;
}
