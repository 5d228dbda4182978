/* prof_report.c - the verbs that read profiles: memprof/report does the work. */
#include "memprof/report/command/command.h"
#include "vm/cli/cli.h"
#include "vm/cli/prof.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned cli_terminal_columns(void) {
    struct winsize size;
    if (!isatty(STDOUT_FILENO)) return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool cli_wants_color(void) {
    const char *term = getenv("TERM");
    bool plain = getenv("NO_COLOR") != NULL || term == NULL || strcmp(term, "dumb") == 0;
    return cli_terminal_columns() > 0 && !plain;
}

int cli_prof_report(char **words) {
    struct report_error error = {"", "", ""};
    int status = report_run(words - 1, stdout, cli_wants_color(), cli_terminal_columns(), &error);
    if (status >= 0) return status;
    return cli_fail(STATUS_REFUSED, error.subject[0] != 0 ? error.subject : NULL, "%s: %s",
                    error.what, error.advice);
}
