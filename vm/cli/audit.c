/* audit.c - --audit: what a program can do to the world outside, without running it.
 *
 * The verifier finds the primitives that reachable code calls; vm_audit sorts them. */
#include "vm/cli/cli.h"

#include "vm/audit.h"

#include <stdlib.h>

static int audit_image(struct cli_options *options, struct vm_image *image, const char *shown) {
    struct vm_error error = {0};
    int status = 0;
    struct vm *vm = cli_create_machine(options, image, &error);
    if (vm == NULL) {
        vm_image_close(image);
        return cli_refuse(shown, &error);
    }
    if (vm_load(vm, image, &error) != VM_OK) status = cli_refuse(shown, &error);
    else vm_audit(vm, stdout);
    vm_destroy(vm);
    return status;
}

int cli_audit(struct cli_options *options) {
    const char *shown = options->operands[0];
    char *path = cli_find_program(shown);
    struct vm_image image;
    struct vm_error error = {0};
    int status;
    if (path == NULL) return cli_fail(STATUS_REFUSED, shown, "no memory");
    options->vm.executable_name = path;
    options->vm.argv = options->operands;
    if (!cli_check_readable(path, shown)) status = STATUS_NOT_FOUND;
    else if (vm_image_open(path, false, &image, &error) != VM_OK)
        status = cli_refuse(shown, &error);
    else status = audit_image(options, &image, shown);
    free(path);
    return status;
}
