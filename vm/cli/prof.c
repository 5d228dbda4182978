/* prof.c - `bactrian prof VERB` and `bactrian mlprof`: find the function of memprof/report that
 * does the work. `prof record` and `prof test` run a program: they are verbs of options.def. */
#include "memprof/report/command/command.h"
#include "memprof/report/mlprof/mlprof.h"
#include "vm/base/md5.h"
#include "vm/cli/cli.h"

#include <stdlib.h>
#include <string.h>

static int report(char **words) {
    struct report_error error = {"", "", ""};
    int status = report_run(words, stdout, cli_wants_color(), cli_terminal_columns(), &error);
    return status >= 0 ? status : cli_report_failed(&error);
}

static const struct row {
    const char *name;
    int (*function)(char **words); /* words[0] is the verb's name */
    const char *arguments, *meaning;
} rows[] = {
#define VIEW(name, view, files, takes, arguments, meaning) {name, report, arguments, meaning},
#define WRITER(name, writer, start, files, takes, arguments, meaning) \
    {name, report, arguments, meaning},
#include "memprof/report/command/verbs.def"
    {"shell", cli_prof_shell, "FILE", "run these verbs at a prompt, or read them from a pipe"},
    {NULL, NULL, NULL, NULL},
};

static void print_verbs(FILE *out) {
    fprintf(out, "Usage: bactrian prof VERB ...\n"
                 "`bactrian prof VERB --help` lists the options of a verb.\n\nVerbs:\n");
    fprintf(out,
            "  record [OPTIONS] PROGRAM [ARGUMENTS]\n      run PROGRAM and record where its memory "
            "goes (bactrian --help lists the options)\n"
            "  test [--max-live SIZE] [--max-alloc SIZE] [--no-leaks] PROGRAM [ARGUMENTS]\n      "
            "run PROGRAM and check that its memory stays within budgets (status 3 if not)\n");
    for (const struct row *row = rows; row->name != NULL; row++)
        fprintf(out, "  %s %s\n      %s\n", row->name, row->arguments, row->meaning);
}

int cli_prof(char **words) {
    if (words[0] == NULL) {
        print_verbs(stderr);
        return STATUS_REFUSED;
    }
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "help") == 0) {
        print_verbs(stdout);
        return 0;
    }
    for (const struct row *row = rows; row->name != NULL; row++)
        if (strcmp(words[0], row->name) == 0) return row->function(words);
    return cli_fail(STATUS_REFUSED, NULL, "unknown verb prof %s: `bactrian prof --help` lists them",
                    words[0]);
}

/* The magic number that mlmon.out holds for this program. */
static int magic_of(const char *program, uint32_t *magic) {
    char *path;
    struct vm_image image;
    const struct cli_options options = {0};
    int status = cli_open_program(&options, program, &path, &image);
    free(path);
    if (status != 0) return status;
    if (vm_image_unpack_code(&image)) {
        uint8_t digest[16];
        vm_md5(image.code, (size_t)image.code_words * 4, digest);
        *magic = mp_counts_magic(digest);
    } else {
        status = cli_fail(STATUS_REFUSED, program, "out of memory");
    }
    vm_image_close(&image);
    return status;
}

int cli_mlprof(char **words) {
    struct report_error error = {"", "", ""};
    int status = mlprof_run(words, magic_of, stdout, &error);
    return status >= 0 ? status : cli_report_failed(&error);
}
