/* prof_test.c - `prof test`: records a run and checks it against budgets, for continuous
 * integration. */
#include "memprof/report/view/budget.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_name_test_file(struct cli_options *options) {
    const char *folder = getenv("TMPDIR");
    char *path;
    if (folder == NULL || folder[0] == 0 || cli_is_privileged()) folder = "/tmp";
    if (asprintf(&path, "%s/bactrian-test-XXXXXX", folder) < 0) return false;
    int fd = mkstemp(path);
    if (fd < 0) {
        cli_fail(0, path, "%s: -o FILE names another place for the recording", strerror(errno));
        free(path);
        return false;
    }
    close(fd);
    options->recorder.path = path;
    return true;
}

int cli_check_budgets(const struct cli_options *options, const struct mp_recording *done,
                      int status) {
    struct report_error error = {"", "", ""};
    int exceeded = -1;
    if (done->silent) return status; /* a child process */
    if (done->failed) cli_fail(0, done->path, "the recording failed: no budget was checked");
    else {
        const struct report_budgets budgets = {
            .live = options->max_live,
            .alloc = options->max_alloc,
            .leaked = options->max_leak,
            .ignore = options->ignore,
        };
        fflush(stdout);
        exceeded = report_check_budgets(done->path, &budgets, !options->quiet, stderr, &error);
        if (exceeded < 0) cli_fail(0, error.subject, "%s: %s", error.what, error.advice);
    }
    if (options->output == NULL) unlink(done->path);
    else if (exceeded > 0) cli_show_next(done->path);
    return exceeded < 0 ? STATUS_REFUSED : exceeded > 0 ? STATUS_OVER_BUDGET : status;
}
