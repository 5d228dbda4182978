/* attach.c - `prof attach`, `prof detach`, and `prof snapshot` of a process. */
#include "memprof/attach/protocol.h"
#include "memprof/format/printable.h"
#include "memprof/format/record.h"
#include "vm/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- Answers. ---- */

/* Returns 0, or the exit status after a message. */
static int check_answer(const struct cli_process *p, const struct mp_reply *reply) {
    static const char *const starters[] = {
        [MP_BY_COMMAND] = "the command that started it",
        [MP_BY_PROGRAM] = "the program itself",
        [MP_BY_REQUEST] = "`prof attach`: `prof detach` ends it"};
    bool known = reply->started_by <= MP_BY_REQUEST;
    const char *starter = starters[known ? reply->started_by : MP_BY_COMMAND];
    switch (reply->answer) {
    case MP_ANSWER_DONE: return 0;
    case MP_ANSWER_RECORDED:
        return cli_fail(STATUS_REFUSED, p->shown, "it is recorded already, by %s", starter);
    case MP_ANSWER_NOT_RECORDED:
        return reply->recorded ? cli_fail(STATUS_REFUSED, p->shown, "it is recorded by %s", starter)
                               : cli_fail(STATUS_REFUSED, p->shown, "nobody is attached to it");
    case MP_ANSWER_FAILED:
        return cli_fail(STATUS_REFUSED, p->shown, "it cannot: %s%s",
                        mp_output_problem(reply->problem),
                        reply->problem == EDEADLK ? ": try again, or add --pause" : "");
    default: return cli_fail(STATUS_REFUSED, p->shown, "it refused the request");
    }
}

static void print_next(const char *verb, const char *path) {
    fprintf(stderr, "bactrian: next: bactrian prof %s ", verb);
    mp_put_printable(stderr, path, '?');
    fputc('\n', stderr);
}

/* Returns the exit status: whether the recording is whole. */
static int print_recording(const char *subject, const struct mp_reply *reply) {
    fputs("bactrian: ", stderr);
    mp_put_printable(stderr, subject, '?');
    fprintf(stderr, ": %" PRIu64 " samples in %.2f s, %.1f KB; recording took %.3f s\n",
            reply->samples, (double)reply->elapsed_ns / 1e9, (double)reply->file_bytes / 1024,
            (double)reply->overhead_ns / 1e9);
    if (reply->problem == 0) return 0;
    return cli_fail(STATUS_REFUSED, subject, "the recording stopped early: its file: %s: %s",
                    mp_output_problem(reply->problem), mp_output_advice(reply->problem));
}

static double megabytes(uint64_t words) { return (double)words * 8e-6; }

/* ---- Output files. ---- */

/* Opens a new file for the process to write to. Returns 0, or the exit status after a message. */
static int open_file(const struct cli_options *options, const struct cli_process *p,
                     const char *extension, struct mp_output *output, char path[PATH_MAX]) {
    enum mp_replace how = options->output == NULL ? MP_REPLACE_NONE
                          : options->force        ? MP_REPLACE_ANY
                                                  : MP_REPLACE_OUTPUT;
    char given[PATH_MAX];
    if (options->output != NULL) snprintf(given, sizeof given, "%s", options->output);
    else snprintf(given, sizeof given, "%d.%s", (int)p->pid, extension);
    int problem = mp_output_open(output, given, MP_FILE_MAGIC "*", how);
    if (problem == 0 && (output->path == NULL || output->streams)) {
        close(output->fd);
        mp_output_free(output);
        return cli_fail(STATUS_REFUSED, given,
                        "not a regular file: the process would wait for its reader");
    }
    if (problem == 0) {
        snprintf(path, PATH_MAX, "%s", mp_output_shown(output, given));
        return 0;
    }
    mp_output_free(output);
    return cli_refuse_output(given, problem);
}

/* Gives the file its name, if status is 0. Returns the exit status. */
static int close_file(struct mp_output *output, const char *path, int status) {
    close(output->fd);
    int problem = status == 0 ? mp_output_publish(output) : 0;
    if (status != 0 || problem != 0) mp_output_discard(output);
    mp_output_free(output);
    return problem != 0 ? cli_refuse_output(path, problem) : status;
}

/* ---- Recordings. ---- */

/* Waits until the recording of a connection has ended. */
static int wait_for_end(const struct cli_process *p, int connection, const char *path, bool quiet) {
    struct mp_reply reply;
    enum cli_wait why;
    while ((why = cli_read_reply(p, connection, -1, &reply)) != WAIT_READY && why != WAIT_ENDED)
        if (why == WAIT_SIGNAL && shutdown(connection, SHUT_WR) != 0) break;
    int status = 0;
    if (quiet) return 0;
    if (why == WAIT_READY) status = print_recording(path, &reply);
    else cli_fail(0, p->shown, "it has ended, and its recording with it");
    print_next("summary", path);
    return status;
}

int cli_begin_recording(const struct cli_options *options, struct cli_process *p, bool bound,
                        char path[PATH_MAX], struct mp_reply *reply, int *connection) {
    struct mp_request request = {
        .kind = MP_REQUEST_RECORD,
        .bound = bound,
        .rate = options->recorder.rate != 0 ? options->recorder.rate : CLI_DEFAULT_RATE,
        .duration_ns = options->duration_ns,
        .keep_bytes = options->recorder.keep_bytes,
    };
    struct mp_output output;
    int status = open_file(options, p, "prof", &output, path);
    if (status != 0) return status;
    if (request.keep_bytes != 0) snprintf(request.path, sizeof request.path, "%s", output.path);
    status = cli_ask_process(p, &request, output.fd, options->interrupt, reply, connection);
    if (status == 0 && request.keep_bytes != 0 && reply->answer == MP_ANSWER_FAILED)
        status = cli_fail(STATUS_REFUSED, p->shown,
                          "it cannot write beside %s, which --keep needs: %s: give a file in a "
                          "folder where it may",
                          path, strerror(reply->problem));
    if (status == 0) status = check_answer(p, reply);
    return close_file(&output, path, status);
}

static int record(const struct cli_options *options, struct cli_process *p) {
    const bool bound = options->duration_ns != 0;
    struct mp_reply reply;
    char path[PATH_MAX];
    int connection = -1;
    int status = cli_begin_recording(options, p, bound, path, &reply, &connection);
    if (status == 0 && !options->quiet)
        cli_fail(0, path,
                 "recording %s, which held %.1f MB before; it was paused for %.3f s to count that",
                 p->shown, megabytes(reply.before_words), (double)reply.pause_ns / 1e9);
    if (status == 0 && bound) status = wait_for_end(p, connection, path, options->quiet);
    else if (status == 0 && !options->quiet)
        fprintf(stderr, "bactrian: next: bactrian prof detach %d\n", (int)p->pid);
    if (connection >= 0) close(connection);
    return status;
}

static int show_state(const struct cli_options *options, struct cli_process *p) {
    const struct mp_request request = {.kind = MP_REQUEST_STATS};
    struct mp_reply reply;
    int status = cli_ask_process(p, &request, -1, options->interrupt, &reply, NULL);
    if (status == 0) status = check_answer(p, &reply);
    if (status != 0) return status;
    printf("%s: major heap %.1f MB, %.1f MB of it not collected; in use with all else %.1f MB\n",
           p->shown, megabytes(reply.heap_words), megabytes(reply.live_words),
           megabytes(reply.in_use_words));
    if (reply.recorded)
        printf("%s: recorded for %.1f s, %" PRIu64 " samples, %.1f KB\n", p->shown,
               (double)reply.elapsed_ns / 1e9, reply.samples, (double)reply.file_bytes / 1024);
    else if (reply.problem != 0)
        printf("%s: its recording stopped early: its file: %s\n", p->shown,
               mp_output_problem(reply.problem));
    else printf("%s: not recorded\n", p->shown);
    return 0;
}

/* ---- Verbs. ---- */

int cli_attach(struct cli_options *options) {
    struct cli_process p;
    int status = cli_open_process(options->operands[0], &p);
    if (status == 0) status = options->show_state ? show_state(options, &p) : record(options, &p);
    cli_close_process(&p);
    return status;
}

int cli_detach(struct cli_options *options) {
    const struct mp_request request = {.kind = MP_REQUEST_STOP};
    struct cli_process p;
    struct mp_reply reply;
    int status = cli_open_process(options->operands[0], &p);
    if (status == 0) status = cli_ask_process(&p, &request, -1, options->interrupt, &reply, NULL);
    if (status == 0) status = check_answer(&p, &reply);
    if (status == 0 && !options->quiet) status = print_recording(p.shown, &reply);
    cli_close_process(&p);
    return status;
}

int cli_snapshot_process(struct cli_options *options) {
    const struct mp_snapshot_options *s = &options->snapshot;
    struct mp_request request = {
        .kind = MP_REQUEST_SNAPSHOT, .values = s->values, .in_pause = s->in_pause};
    struct cli_process p;
    struct mp_output output;
    struct mp_reply reply;
    char path[PATH_MAX];
    if (s->at_exit || s->at_heap_words != 0 || s->on_signal != 0)
        return cli_fail(STATUS_REFUSED, NULL,
                        "the snapshot of a process is taken now: leave out --at-exit, --at-heap "
                        "and --on");
    int status = cli_open_process(options->operands[0], &p);
    if (status == 0) status = open_file(options, &p, "heap", &output, path);
    if (status == 0) {
        if (s->values) mp_output_make_private(&output);
        snprintf(request.path, sizeof request.path, "%s", output.path);
        status = cli_ask_process(&p, &request, output.fd, options->interrupt, &reply, NULL);
        if (status == 0) status = check_answer(&p, &reply);
        status = close_file(&output, path, status);
    }
    if (status == 0 && !options->quiet) {
        cli_fail(0, path,
                 "%" PRIu64 " blocks, %.1f MB, in a file of %.1f KB; %s was paused for %.3f s",
                 reply.blocks, megabytes(reply.words), (double)reply.file_bytes / 1024, p.shown,
                 (double)reply.pause_ns / 1e9);
        print_next("heap", path);
    }
    cli_close_process(&p);
    return status;
}
