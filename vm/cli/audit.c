/* audit.c - --audit: what a program can do to the world outside, without running it.
 *
 * The verifier finds the primitives that reachable code calls; vm_audit sorts them. */
#include "vm/cli/cli.h"
#include "vm/image/audit.h"

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

int cli_audit(struct cli_options *options) { return cli_with_program(options, audit_image); }
