/* prof.c - `bactrian prof VERB` and `bactrian mlprof`: find the function of memprof/report that
 * does the work. `prof record` and `prof test` run a program: they are verbs of options.def. */
#include "memprof/report/command/command.h"
#include "memprof/report/mlprof/mlprof.h"
#include "vm/base/md5.h"
#include "vm/cli/cli.h"
#include "vm/cli/usage.h"

#include <stdlib.h>
#include <string.h>

/* The command that the words of `prof` name; NULL: none. */
static const struct cli_command *find(char **words) {
    int used;
    char *name[] = {(char *)"prof", words[0], NULL};
    const struct cli_command *command = cli_find_command(name, &used);
    return used == 2 ? command : NULL;
}

int cli_report(const struct report_model *model, const char *path, char **words) {
    const struct cli_command *command = find(words);
    if (command == NULL) return cli_refuse_verb("prof ", words[0]);
    if (cli_asks_for_help(words)) {
        cli_print_help(command);
        return 0;
    }
    struct report_error error = {"", "", ""};
    int status = report_run_on(model, path, words, stdout, cli_wants_color(),
                               cli_terminal_columns(), &error);
    return status >= 0 ? status : cli_report_failed(&error);
}

int cli_prof(char **words) {
    bool none = words[0] == NULL || strcmp(words[0], "help") == 0;
    if (none || (cli_asks_for_help(words) && find(words) == NULL)) {
        cli_print_help(&cli_commands[VERB_PROF]);
        return words[0] != NULL ? 0 : STATUS_REFUSED;
    }
    bool is_shell = strcmp(words[0], "shell") == 0 && !cli_asks_for_help(words);
    return is_shell ? cli_prof_shell(words) : cli_report(NULL, NULL, words);
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
    if (cli_asks_for_help(words)) {
        cli_print_help(&cli_commands[VERB_MLPROF]);
        return 0;
    }
    struct report_error error = {"", "", ""};
    int status = mlprof_run(words, magic_of, stdout, &error);
    return status >= 0 ? status : cli_report_failed(&error);
}
