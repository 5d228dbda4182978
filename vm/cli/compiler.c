/* compiler.c - the OCaml compiler that a command line is about: that of --ocaml FOLDER, or of
 * OCAMLFIND_TOOLCHAIN, or the one in PATH. */
#include "vm/base/os.h"
#include "vm/cli/cli.h"
#include "vm/stack/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Running it. ---- */

/* Starts a program in folder cwd (NULL: the current one), with these outputs; -1: /dev/null. */
static pid_t start(const char *program, const char *cwd, int output, int messages,
                   const char *const *words) {
    pid_t child = fork();
    if (child != 0) return child;
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(messages >= 0 ? messages : nothing, STDERR_FILENO);
    if (cwd == NULL || chdir(cwd) == 0) execv(program, (char **)words);
    _exit(STATUS_NOT_FOUND);
}

/* Waits for the end of a process; kills it at the deadline. Returns its exit status. */
static int wait_for(const struct cli_compiler *c, pid_t child) {
    const struct timespec pause = {.tv_nsec = 5000000};
    bool late = false;
    int status;
    for (;;) {
        pid_t ended = waitpid(child, &status, c->deadline_ns != 0 && !late ? WNOHANG : 0);
        if (ended == child) break;
        if (ended < 0 && errno != EINTR) return STATUS_REFUSED;
        if (ended != 0) continue;
        late = vm_now_ns() >= c->deadline_ns;
        if (late) kill(child, SIGKILL);
        else nanosleep(&pause, NULL);
    }
    if (late) return cli_fail(VM_STATUS_STOPPED, c->shown, "stopped by --timeout inside ocamlc");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cli_run_compiler(const struct cli_compiler *c, const char *cwd, const char *const *words,
                     int messages) {
    /* ocamlc's messages must not mix with the program's standard output. */
    pid_t child = start(c->ocamlc, cwd, messages, messages, words);
    if (child < 0)
        return cli_fail(STATUS_REFUSED, "ocamlc", "%s: could not start it", strerror(errno));
    return wait_for(c, child);
}

int cli_output_of(const struct cli_compiler *c, const char *program, const char *const *words,
                  bool messages, char **text) {
    static const struct cli_compiler no_deadline;
    *text = NULL;
    int output = memfd_create("output", MFD_CLOEXEC);
    pid_t child = output < 0 ? -1
                             : start(program, NULL, output, messages ? STDERR_FILENO : -1, words);
    int status = child < 0 ? STATUS_REFUSED : wait_for(c != NULL ? c : &no_deadline, child);
    off_t size = output < 0 ? 0 : lseek(output, 0, SEEK_END);
    if (status == 0 && size > 0 && (*text = calloc(1, (size_t)size + 1)) != NULL &&
        pread(output, *text, (size_t)size, 0) != size) {
        free(*text);
        *text = NULL;
    }
    if (output >= 0) close(output);
    return status != 0 || *text != NULL ? status : STATUS_REFUSED;
}

char *cli_first_line(const char *program, const char *const *words) {
    char *text;
    cli_output_of(NULL, program, words, true, &text);
    if (text != NULL) text[strcspn(text, "\n")] = 0;
    return text;
}

/* ---- Choosing it. ---- */

static const char *toolchain(void) {
    const char *name = cli_is_privileged() ? NULL : getenv("OCAMLFIND_TOOLCHAIN");
    return name != NULL && name[0] != 0 ? name : NULL;
}

bool cli_compiler_is_chosen(const struct cli_options *options) {
    return options->ocaml != NULL || toolchain() != NULL;
}

/* What ocamlfind runs as ocamlc, allocated; NULL: there is no ocamlfind, or it fails. */
static char *ocamlc_of_findlib(void) {
    const char *const words[] = {"ocamlfind", "ocamlc", "-only-show", NULL};
    char *find = cli_find_program(words[0]), *line = NULL, *found = NULL;
    if (find != NULL && strchr(find, '/') != NULL) line = cli_first_line(find, words);
    if (line != NULL) {
        line[strcspn(line, " ")] = 0;
        found = cli_find_program(line);
    }
    free(line);
    free(find);
    return found;
}

char *cli_find_tool(const struct cli_options *options, const char *tool) {
    const char *folder = options->ocaml != NULL ? options->ocaml : toolchain();
    char *path, *ocamlc = NULL;
    if (folder == NULL) return cli_find_program(tool);
    if (options->ocaml != NULL || strchr(folder, '/') != NULL)
        return asprintf(&path, "%s/bin/%s", folder, tool) < 0 ? NULL : path;
    ocamlc = ocamlc_of_findlib();
    if (ocamlc == NULL || strcmp(tool, "ocamlc") == 0) return ocamlc;
    char *slash = strrchr(ocamlc, '/');
    if (slash != NULL) *slash = 0;
    path = slash != NULL ? cli_join(ocamlc, tool, "") : cli_find_program(tool);
    free(ocamlc);
    return path;
}

int cli_find_compiler(const struct cli_options *options, const char *shown,
                      struct cli_compiler *out) {
    *out = (struct cli_compiler){.shown = shown, .deadline_ns = options->deadline_ns};
    char *path = cli_find_tool(options, "ocamlc");
    /* Without a slash it was not found in PATH; one in the current folder is not used. */
    if (path != NULL && strchr(path, '/') != NULL && access(path, X_OK) == 0) {
        /* It will be run in other folders. */
        out->ocamlc = path[0] == '/' ? strdup(path) : realpath(path, NULL);
        free(path);
        return out->ocamlc != NULL ? 0 : cli_fail(STATUS_REFUSED, shown, "out of memory");
    }
    if (options->ocaml != NULL)
        cli_fail(STATUS_NOT_FOUND, options->ocaml,
                 "no bin/ocamlc: --ocaml needs the folder where OCaml is installed");
    else if (toolchain() != NULL)
        cli_fail(STATUS_NOT_FOUND, shown, "OCAMLFIND_TOOLCHAIN: \"%s\" has no ocamlc", toolchain());
    else
        cli_fail(STATUS_NOT_FOUND, shown,
                 "ocamlc is not in PATH: install OCaml (Debian: ocaml-nox), or run bytecode");
    free(path);
    return STATUS_NOT_FOUND;
}

/* ---- What it is. ---- */

void cli_identify_compiler(const struct cli_compiler *c, struct vm_md5_state *sum) {
    struct stat file = {0};
    char identity[128];
    stat(c->ocamlc, &file);
    snprintf(identity, sizeof identity, "%lld %lld.%09ld", (long long)file.st_size,
             (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    const char *const parts[] = {
        "bactrian " BACTRIAN_VERSION, c->ocamlc,          identity,
        getenv("OCAMLPARAM"),         getenv("OCAMLLIB"), getenv("CAMLLIB")};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        vm_md5_add(sum, parts[i] != NULL ? parts[i] : "",
                   parts[i] != NULL ? strlen(parts[i]) + 1 : 1);
}

/* The line that it prints for an option; allocated. NULL: after a message. */
static char *ask(const struct cli_compiler *c, const char *question) {
    const char *const words[] = {"ocamlc", question, NULL};
    char *answer = cli_first_line(c->ocamlc, words);
    if (answer == NULL) cli_fail(STATUS_REFUSED, c->ocamlc, "no answer to %s", question);
    return answer;
}

char *cli_compiler_library(const struct cli_options *options) {
    struct cli_compiler c;
    if (cli_find_compiler(options, NULL, &c) != 0) return NULL;
    char *answer = ask(&c, "-where");
    free(c.ocamlc);
    return answer;
}

const struct vm_version *cli_compiler_version(const struct cli_compiler *c) {
    const struct vm_version *found = NULL;
    char *answer = ask(c, "-vnum");
    for (int i = 0; answer != NULL && i < OCAML_COUNT; i++) {
        size_t n = (size_t)(strrchr(vm_versions[i].name, '.') + 1 - vm_versions[i].name);
        if (strncmp(answer, vm_versions[i].name, n) == 0) found = &vm_versions[i];
    }
    if (answer != NULL && found == NULL)
        cli_fail(STATUS_REFUSED, NULL, "bactrian does not run programs of OCaml %s", answer);
    free(answer);
    return found;
}

const struct vm_version *cli_described_version(const struct cli_options *options) {
    if (!cli_compiler_is_chosen(options)) return &vm_versions[OCAML_4_13];
    struct cli_compiler c;
    if (cli_find_compiler(options, NULL, &c) != 0) return NULL;
    const struct vm_version *found = cli_compiler_version(&c);
    free(c.ocamlc);
    return found;
}
