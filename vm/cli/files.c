/* files.c - files named on the command line: finding them, reading them, and the image of the
 * program that a name stands for. */
#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_is_privileged(void) { return getauxval(AT_SECURE) != 0; }

/* ---- Folders. ---- */

/* Bactrian was built for another place of OCaml: the runtime in PATH tells its own. Allocated, or
 * NULL. OCAMLLIB ends the question where that runtime is Bactrian again. */
static char *library_of_ocamlrun(void) {
    static const char field[] = "\nstandard_library_default: ";
    const char *const words[] = {"env", "OCAMLLIB=" BACTRIAN_STANDARD_LIBRARY, "ocamlrun",
                                 "-config", NULL};
    char *runtime = cli_find_program("ocamlrun"), *env = cli_find_program("env");
    char *text = NULL, *library = NULL;
    if (runtime != NULL && env != NULL && strchr(runtime, '/') != NULL && strchr(env, '/') != NULL)
        cli_output_of(NULL, env, words, false, &text);
    char *line = text == NULL ? NULL : strstr(text, field);
    if (line != NULL) {
        line += sizeof field - 1;
        library = strndup(line, strcspn(line, "\n"));
    }
    free(text);
    free(env);
    free(runtime);
    return library;
}

const char *cli_standard_library(struct cli_options *options) {
    if (cli_is_privileged()) return BACTRIAN_STANDARD_LIBRARY;
    if (options->standard_library == NULL && cli_compiler_is_chosen(options))
        options->standard_library = cli_compiler_library(options);
    if (options->standard_library != NULL) return options->standard_library;
    const char *dir = getenv("OCAMLLIB");
    if (dir == NULL) dir = getenv("CAMLLIB");
    if (dir != NULL) return dir;
    if (access(BACTRIAN_STANDARD_LIBRARY "/ld.conf", R_OK) != 0)
        options->standard_library = library_of_ocamlrun();
    return options->standard_library != NULL ? options->standard_library
                                             : BACTRIAN_STANDARD_LIBRARY;
}

const char *cli_temporary_folder(void) {
    const char *folder = cli_is_privileged() ? NULL : getenv("TMPDIR");
    return folder != NULL && folder[0] != 0 ? folder : "/tmp";
}

void cli_make_parents(char *path) {
    ASSERT(path[0] == '/');
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
}

bool cli_own_executable(char path[PATH_MAX]) {
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (n <= 0) return false;
    path[n] = 0;
    return true;
}

/* ---- Finding and reading. ---- */

static bool is_regular(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

char *cli_find_program(const char *name) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') != NULL || path == NULL) return strdup(name);
    char *candidate = malloc(strlen(path) + strlen(name) + 3);
    if (candidate == NULL) return NULL;
    for (const char *dir = path;; dir++) {
        size_t length = strcspn(dir, ":");
        /* An empty entry is the current folder. */
        char *end = length == 0 ? stpcpy(candidate, ".") : mempcpy(candidate, dir, length);
        strcpy(stpcpy(end, "/"), name);
        if (is_regular(candidate)) return candidate;
        dir += length;
        if (*dir == 0) break;
    }
    strcpy(candidate, name);
    return candidate;
}

bool cli_check_readable(const char *path, const char *subject) {
    struct stat status;
    int fd = vm_open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int problem = fd < 0 || fstat(fd, &status) != 0 ? errno : 0;
    if (fd >= 0) close(fd);
    if (problem == 0 && S_ISREG(status.st_mode)) return true;
    if (problem == 0)
        cli_fail(STATUS_NOT_FOUND, subject, "%s: name a bytecode file, a script or a text",
                 S_ISDIR(status.st_mode) ? "Is a directory" : "Not a regular file");
    else if (problem == ENOENT && strpbrk(subject, "/.") == NULL &&
             cli_nearest_verb(subject) != NULL)
        cli_fail(STATUS_NOT_FOUND, subject, "%s: did you mean `bactrian %s`?", strerror(problem),
                 cli_nearest_verb(subject));
    else
        cli_fail(STATUS_NOT_FOUND, subject, "%s: %s", strerror(problem),
                 problem == ENOENT ? "check the name; without a slash, PATH and the current folder "
                                     "were searched"
                                   : "check the file and its permissions");
    return false;
}

char *cli_read_file(const char *path, size_t *length) {
    struct stat status = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    char *bytes = fstat(fd, &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    size_t size = (size_t)status.st_size, used = 0;
    ssize_t n = 0;
    while (bytes != NULL && used < size &&
           ((n = read(fd, bytes + used, size - used)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) used += (size_t)n;
    int problem = errno;
    close(fd);
    if (bytes != NULL && n >= 0) {
        bytes[used] = 0;
        *length = used;
        return bytes;
    }
    free(bytes);
    errno = problem;
    return NULL;
}

/* ---- The image of a program. ---- */

static bool has_suffix(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/* An OCaml script is recognised by its suffix, or by a first line that names this program. */
static bool is_script(const char *path) {
    char line[256];
    if (has_suffix(path, ".ml")) return true;
    int fd = vm_open_file(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    if (fd >= 0) close(fd);
    if (n < 2 || line[0] != '#' || line[1] != '!') return false;
    if (memchr(line, 0, (size_t)n) != NULL) return false; /* bytecode, maybe damaged */
    line[n] = 0;
    line[strcspn(line, "\n")] = 0;
    return strstr(line, "bactrian") != NULL;
}

int cli_open_bytecode(const char *path, const char *shown, struct vm_image *image) {
    struct vm_error error = {0};
    return vm_image_open(path, image, &error) == VM_OK ? 0 : cli_refuse(shown, &error);
}

static int open_script(const struct cli_options *options, const char *path, const char *shown,
                       struct vm_image *image) {
    char *bytecode, *folder;
    int status = cli_compile_script(options, path, shown, &bytecode, &folder);
    if (status != 0) return status;
    ASSERT(bytecode != NULL);
    status = cli_open_bytecode(bytecode, bytecode, image);
    /* The image holds the whole file. */
    if (folder != NULL) cli_remove_folder(folder);
    free(bytecode);
    free(folder);
    return status;
}

int cli_open_program(const struct cli_options *options, const char *shown, char **path,
                     struct vm_image *image) {
    bool no_file = options->expression != NULL || strcmp(shown, "-") == 0;
    *path = no_file ? strdup(shown) : cli_find_program(shown);
    if (*path == NULL) return cli_fail(STATUS_REFUSED, shown, "out of memory");
    if (no_file)
        return open_script(options, NULL,
                           options->expression != NULL ? "(command-line input)" : "(stdin)", image);
    if (!cli_check_readable(*path, shown)) return STATUS_NOT_FOUND;
    if (has_suffix(*path, ".basm")) return cli_assemble(*path, shown, image);
    if (!vm_is_bytecode_file(*path) && is_script(*path))
        return open_script(options, *path, shown, image);
    return cli_open_bytecode(*path, shown, image);
}

int cli_with_program(struct cli_options *options,
                     int (*use)(struct cli_options *, struct vm_image *, const char *shown)) {
    const char *shown = options->operands[0];
    char *path;
    struct vm_image image;
    ASSERT(shown != NULL); /* the parser requires a program */
    int status = cli_open_program(options, shown, &path, &image);
    options->vm.executable_name = path;
    options->vm.argv = options->operands;
    if (status == 0) status = use(options, &image, shown);
    free(path);
    return status;
}
