/* mlprof.c - `mlprof`: memprof/report does the work; here a program's magic number is found. */
#include "memprof/report/mlprof/mlprof.h"
#include "vm/base/md5.h"
#include "vm/cli/cli.h"

#include <stdlib.h>

static int magic_of(const char *program, uint32_t *magic) {
    char *path;
    struct vm_image image;
    int status = cli_open_program(program, &path, &image);
    free(path);
    if (status != 0) return status;
    uint8_t digest[16];
    vm_md5(image.code, (size_t)image.code_words * 4, digest);
    *magic = mp_counts_magic(digest);
    vm_image_close(&image);
    return 0;
}

int cli_mlprof(char **words) {
    struct report_error error = {"", "", ""};
    int status = mlprof_run(words, magic_of, stdout, &error);
    if (status >= 0) return status;
    return cli_fail(STATUS_REFUSED, error.subject[0] != 0 ? error.subject : NULL, "%s: %s",
                    error.what, error.advice);
}
