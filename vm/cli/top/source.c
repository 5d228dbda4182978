/* source.c - what `prof top` watches: a program that it starts, which `prof record` records, or a
 * process, which it attaches to. */
#include "memprof/attach/protocol.h"
#include "vm/cli/top/top.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The file. ---- */

/* Names a temporary file. Returns 0, or the exit status after a message. */
static int name_file(struct cli_options *options, struct top_source *source) {
    if (options->output != NULL) {
        snprintf(source->path, sizeof source->path, "%s", options->output);
        return 0;
    }
    snprintf(source->path, sizeof source->path, "%s/bactrian-top-XXXXXX", cli_temporary_folder());
    int fd = mkstemp(source->path);
    if (fd < 0) return cli_fail(STATUS_REFUSED, source->path, "%s", strerror(errno));
    close(fd);
    source->temporary = true;
    options->output = source->path;
    options->force = true;
    return 0;
}

void top_find_file(struct top_source *source) {
    struct stat status;
    if (source->file >= 0) return;
    int fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    bool begun = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    if (begun) source->file = fd;
    else close(fd);
}

/* ---- A program. ---- */

/* Its input is empty, since the keys are top's; its output goes to a pipe. */
static int spawn(struct top_source *source, char **words, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int problem = posix_spawn(&source->child, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

static int start_program(struct cli_options *options, struct top_source *source) {
    char self[PATH_MAX], rate[40], pid[24];
    int ends[2];
    size_t operands = 0, n = 0;
    if (!cli_own_executable(self)) return cli_fail(STATUS_REFUSED, NULL, "/proc is not there");
    while (options->operands[operands] != NULL) operands++;
    const double r = options->recorder.rate != 0 ? options->recorder.rate : CLI_DEFAULT_RATE;
    snprintf(rate, sizeof rate, "%.17g", r);
    char *head[] = {self, "prof", "record", "--quiet", "--rate", rate, "-o", source->path};
    char **words = calloc(sizeof head / sizeof head[0] + operands + 3, sizeof *words);
    if (words == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        free(words);
        return cli_fail(STATUS_REFUSED, NULL, "%s", strerror(errno));
    }
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) words[n++] = head[i];
    if (options->force) words[n++] = (char *)"--force";
    words[n++] = (char *)"--";
    for (size_t i = 0; i < operands; i++) words[n++] = options->operands[i];
    int problem = spawn(source, words, ends[1]);
    free(words);
    close(ends[1]);
    source->output = ends[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (problem != 0) return cli_fail(STATUS_REFUSED, self, "%s", strerror(problem));
    snprintf(pid, sizeof pid, "%d", (int)source->child);
    return cli_open_process(pid, &source->process);
}

void top_read_output(struct top_source *source) {
    char part[4096];
    ssize_t n;
    while (source->output >= 0 && (n = read(source->output, part, sizeof part)) >= 0) {
        if (n == 0) {
            close(source->output);
            source->output = -1;
            return;
        }
        const size_t more = (size_t)n, room = TOP_OUTPUT_BYTES - source->text_length;
        size_t drop = more > room ? more - room : 0;
        memmove(source->text, source->text + drop, source->text_length - drop);
        source->text_length -= drop;
        for (ssize_t i = 0; i < n; i++) /* texts end with 0 */
            source->text[source->text_length++] = part[i] != 0 ? part[i] : '?';
        source->text[source->text_length] = 0;
    }
}

/* ---- Life. ---- */

int top_start(struct cli_options *options, struct top_source *source) {
    struct mp_reply reply;
    *source = (struct top_source){.connection = -1, .file = -1, .output = -1};
    source->process = (struct cli_process){.handle = -1, .listener = -1, .signals = -1};
    int status = name_file(options, source);
    if (status != 0) return status;
    if (!options->of_process) return start_program(options, source);
    status = cli_open_process(options->operands[0], &source->process);
    if (status != 0) return status;
    return cli_begin_recording(options, &source->process, true, source->path, &reply,
                               &source->connection);
}

void top_end(struct top_source *source) {
    if (source->connection >= 0) close(source->connection);
    if (source->child > 0) {
        kill(source->child, SIGTERM);
        waitpid(source->child, NULL, 0);
    }
    if (source->output >= 0) close(source->output);
    if (source->file >= 0) close(source->file);
    if (source->temporary) unlink(source->path);
    cli_close_process(&source->process);
}
