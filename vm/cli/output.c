/* output.c - messages of the command line (`bactrian: SUBJECT: what is wrong: what to do`) and
 * properties of the terminal. */
#include "gc/assert.h"
#include "memprof/format/printable.h"
#include "vm/base/status.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int cli_fail(int status, const char *subject, const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    int n = subject == NULL ? 0 : snprintf(text, sizeof text, "%s: ", subject);
    if (n < 0 || (size_t)n >= sizeof text) n = 0;
    vsnprintf(text + n, sizeof text - (size_t)n, format, arguments);
    va_end(arguments);
    /* One line, even if a file's name contains newlines. */
    mp_make_printable(text);
    fprintf(stderr, "bactrian: %s\n", text);
    return status;
}

int cli_refuse(const char *subject, const struct vm_error *error) {
    const char *detail = error->detail;
    ASSERT(error->status != VM_OK);
    return cli_fail(STATUS_REFUSED, subject, "%s%s%s%s [%s]: %s", vm_status_text(error->status),
                    detail[0] != 0 ? " (" : "", detail, detail[0] != 0 ? ")" : "",
                    vm_status_code(error->status), vm_status_advice(error->status));
}

int cli_report_failed(const struct report_error *error) {
    ASSERT(error->what[0] != 0);
    return cli_fail(STATUS_REFUSED, error->subject[0] != 0 ? error->subject : NULL, "%s: %s",
                    error->what, error->advice);
}

int cli_refuse_output(const char *path, int problem) {
    return cli_fail(STATUS_REFUSED, path, "%s: %s", mp_output_problem(problem),
                    mp_output_advice(problem));
}

FILE *cli_open_output(struct mp_output *output, const char *path, const char *start, bool force) {
    int problem = mp_output_open(output, path, start, force ? MP_REPLACE_ANY : MP_REPLACE_OUTPUT);
    FILE *file = problem == 0 ? fdopen(output->fd, "w") : NULL;
    if (file != NULL) return file;
    if (problem == 0) {
        problem = errno;
        mp_output_discard(output);
        close(output->fd);
    }
    mp_output_free(output);
    cli_refuse_output(path, problem);
    return NULL;
}

int cli_close_output(struct mp_output *output, FILE *file, const char *path) {
    errno = 0;
    bool good = fflush(file) == 0 && !ferror(file);
    int problem = good ? 0 : errno;
    if (fclose(file) != 0 && good) {
        good = false;
        problem = errno;
    }
    if (good && (problem = mp_output_publish(output)) != 0) good = false;
    if (!good) mp_output_discard(output);
    mp_output_free(output);
    if (good) return 0;
    return cli_fail(STATUS_REFUSED, path, "%s: the output is incomplete",
                    problem != 0 ? strerror(problem) : "write error");
}

int cli_finish_output(int status) {
    errno = 0;
    bool failed = fflush(stdout) != 0;
    if (!failed && !ferror(stdout)) return status;
    return cli_fail(STATUS_REFUSED, "standard output", "%s: the output is incomplete",
                    errno != 0 ? strerror(errno) : "write error");
}

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
