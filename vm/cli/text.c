/* text.c - the verbs dis and asm. */
#include "gc/assert.h"
#include "vm/cli/cli.h"
#include "vm/image/image.h"
#include "vm/text/basm.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An error with a position reads `FILE:LINE:COLUMN: what`, the form that editors parse. */
static int refuse_text(const char *shown, const struct vm_error *error) {
    if (error->status != VM_BAD_TEXT || !isdigit((unsigned char)error->detail[0]))
        return cli_refuse(shown, error);
    return cli_fail(STATUS_REFUSED, NULL, "%s:%s [%s]", shown, error->detail,
                    vm_status_code(error->status));
}

int cli_assemble(const char *path, const char *shown, struct vm_image *image) {
    struct vm_error error = {0};
    size_t length;
    char *text = cli_read_file(path, &length);
    if (text == NULL)
        return cli_fail(STATUS_NOT_FOUND, shown, "%s: check the file", strerror(errno));
    enum vm_status status = vm_assemble(text, length, image, &error);
    free(text);
    return status == VM_OK ? 0 : refuse_text(shown, &error);
}

static int print_text(struct cli_options *options, struct vm_image *image) {
    struct vm_error error = {0};
    if (vm_image_read_debug(image, 0, SIZE_MAX, &error) != VM_OK)
        return cli_refuse(options->operands[0], &error);
    if (!vm_image_unpack_code(image))
        return cli_fail(STATUS_REFUSED, options->operands[0], "out of memory");
    struct mp_output output;
    FILE *file = options->output == NULL
                     ? stdout
                     : cli_open_output(&output, options->output,
                                       options->dis_machine ? "machine code of *" : "format X0*",
                                       options->force);
    if (file == NULL) return STATUS_REFUSED;
    int status = 0;
    if (options->dis_machine) status = cli_print_machine_code(options, image, file);
    else if (vm_disassemble(image, file, &error) != VM_OK)
        status = cli_refuse(options->operands[0], &error);
    if (file == stdout) return status;
    int closed = cli_close_output(&output, file, options->output);
    return status != 0 ? status : closed;
}

int cli_dis(struct cli_options *options) {
    char *path;
    struct vm_image image;
    int status = cli_open_program(options, options->operands[0], &path, &image);
    free(path);
    if (status != 0) return status;
    status = print_text(options, &image);
    vm_image_close(&image);
    return status;
}

int cli_asm(struct cli_options *options) {
    const char *path = options->operands[0];
    struct vm_image image;
    if (!cli_check_readable(path, path)) return STATUS_NOT_FOUND;
    ASSERT(options->output != NULL); /* the parser requires -o */
    int status = cli_assemble(path, path, &image);
    if (status != 0) return status;
    struct mp_output output;
    bool replaces = options->force || vm_is_bytecode_file(options->output);
    FILE *file = cli_open_output(&output, options->output, NULL, replaces);
    if (file == NULL) status = STATUS_REFUSED;
    else {
        fwrite(image.bytes, 1, image.length, file);
        struct stat made;
        /* The file has a #! line: make it executable for everyone who can read it. */
        if (fstat(fileno(file), &made) == 0 && S_ISREG(made.st_mode))
            fchmod(fileno(file), made.st_mode | (made.st_mode & 0444) >> 2);
        status = cli_close_output(&output, file, options->output);
    }
    vm_image_close(&image);
    return status;
}
