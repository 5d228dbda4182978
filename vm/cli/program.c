/* program.c - the program that a word names: where it is, what kind of file it is, its image. */
#include "vm/base/os.h"
#include "vm/cli/cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_suffix(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/* An OCaml script: by its suffix, or by a first line that names this program. */
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

static int open_script(const char *path, const char *shown, struct vm_image *image) {
    char *bytecode, *folder;
    int status = cli_compile_script(path, shown, &bytecode, &folder);
    if (status != 0) return status;
    status = cli_open_bytecode(bytecode, bytecode, image);
    /* The image holds all of the file. */
    if (folder != NULL) cli_remove_folder(folder);
    free(bytecode);
    free(folder);
    return status;
}

int cli_open_image(const char *path, const char *shown, struct vm_image *image) {
    if (has_suffix(path, ".basm")) return cli_assemble(path, shown, image);
    if (!vm_is_bytecode_file(path) && is_script(path)) return open_script(path, shown, image);
    return cli_open_bytecode(path, shown, image);
}

int cli_open_program(const char *shown, char **path, struct vm_image *image) {
    *path = cli_find_program(shown);
    if (*path == NULL) return cli_fail(STATUS_REFUSED, shown, "no memory");
    if (!cli_check_readable(*path, shown)) return STATUS_NOT_FOUND;
    return cli_open_image(*path, shown, image);
}

int cli_with_program(struct cli_options *options,
                     int (*use)(struct cli_options *, struct vm_image *, const char *shown)) {
    const char *shown = options->operands[0];
    char *path;
    struct vm_image image;
    int status = cli_open_program(shown, &path, &image);
    options->vm.executable_name = path;
    options->vm.argv = options->operands;
    if (status == 0) status = use(options, &image, shown);
    free(path);
    return status;
}
