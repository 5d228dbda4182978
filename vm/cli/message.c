/* message.c - the one place that prints messages of our own: `bactrian: subject: what: what to do`.
 */
#include "memprof/format/plain.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

int cli_fail(int status, const char *subject, const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    int n = subject == NULL ? 0 : snprintf(text, sizeof text, "%s: ", subject);
    if (n < 0 || (size_t)n >= sizeof text) n = 0;
    vsnprintf(text + n, sizeof text - (size_t)n, format, arguments);
    va_end(arguments);
    /* A message is one line, whatever a file is called. */
    mp_make_plain(text);
    fprintf(stderr, "bactrian: %s\n", text);
    return status;
}

int cli_refuse(const char *subject, const struct vm_error *error) {
    const char *detail = error->detail;
    return cli_fail(STATUS_REFUSED, subject, "%s%s%s%s [%s]: %s", vm_status_text(error->status),
                    detail[0] != 0 ? " (" : "", detail, detail[0] != 0 ? ")" : "",
                    vm_status_code(error->status), vm_status_advice(error->status));
}

int cli_finish_output(int status) {
    errno = 0;
    bool failed = fflush(stdout) != 0;
    if (!failed && !ferror(stdout)) return status;
    return cli_fail(STATUS_REFUSED, "standard output", "%s: nothing more could be written",
                    errno != 0 ? strerror(errno) : "write error");
}
