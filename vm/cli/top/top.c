/* top.c - `prof top`: the state of a program, once a second. */
#include "vm/cli/top/top.h"

#include "memprof/report/command/command.h"
#include "vm/base/os.h"
#include "vm/cli/editor/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SITES = 500, SECOND_MS = 1000 };

enum { KEY_NONE = 0x4000, KEY_LINE_UP, KEY_LINE_DOWN, KEY_LAST_PAGE, KEY_NEXT_PAGE, KEY_BACK };

struct top {
    struct cli_options *options;
    struct top_source source;
    struct report_board *board;
    struct report_board_site sites[MOST_SITES];
    struct top_view view;
    char *text; /* of a report; NULL: none is shown */
    bool shows_output;
    int snapshot; /* what `prof snapshot` says; -1: it does not run */
    pid_t snapshot_process;
    char snapshot_line[512]; /* as much as was read of a line */
    size_t snapshot_length;
    char keys[64]; /* that the terminal has sent */
    size_t key_bytes;
    char program[256], message[512];
    bool leaves;
};

/* ---- What is shown. ---- */

static void set_message(struct top *t, const char *text) {
    snprintf(t->message, sizeof t->message, "%s", text);
    t->message[strcspn(t->message, "\n")] = 0;
}

/* Reads what was added to the recording. */
static void update(struct top *t) {
    struct report_error error = {"", "", ""};
    top_find_file(&t->source);
    if (t->source.file >= 0 && t->board == NULL)
        t->board = report_board_open(t->source.file, t->source.path);
    if (t->board == NULL) return;
    if (report_board_read(t->board, &error) != 0) set_message(t, error.what);
    t->view.board = t->board;
    t->view.site_count = report_board_sites(t->board, t->sites, MOST_SITES);
}

static void draw(struct top *t) {
    t->view.sites = t->sites;
    t->view.program = t->program;
    t->view.message = t->message;
    t->view.state = t->source.ended ? "has ended" : "runs";
    t->view.text = t->shows_output ? t->source.text : t->text;
    t->view.text_is_ours = !t->shows_output;
    top_draw(&t->view);
}

static void show_table(struct top *t) {
    free(t->text);
    t->text = NULL;
    t->shows_output = false;
}

/* The report of a verb about what was recorded so far. */
static void show_report(struct top *t, const char *verb) {
    struct report_error error = {"", "", ""};
    char *words[] = {(char *)verb, "--running", NULL, NULL}, *text = NULL;
    char path[40];
    size_t length = 0;
    show_table(t);
    if (t->source.file < 0) {
        set_message(t, "nothing is recorded yet");
        return;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", t->source.file);
    words[2] = path;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) return;
    int status = report_run_on(NULL, NULL, words, out, cli_wants_color(), cli_terminal_columns(),
                               &error);
    if (fclose(out) == 0 && status >= 0) t->text = text;
    else {
        set_message(t, error.what);
        free(text);
    }
    t->view.first_line = 0;
}

static void show_output(struct top *t) {
    show_table(t);
    if (t->source.child == 0) {
        set_message(t, "only the output of a program that `prof top` started is shown");
        return;
    }
    t->shows_output = true;
    t->view.first_line = SIZE_MAX; /* its end */
}

/* ---- Snapshots. ---- */

/* `prof snapshot` runs as a process of its own, since it may have to wait for the program. */
static void take_snapshot(struct top *t) {
    char self[PATH_MAX], pid[24];
    int ends[2];
    posix_spawn_file_actions_t actions;
    snprintf(pid, sizeof pid, "%d", (int)t->source.process.pid);
    char *words[] = {self, "prof", "snapshot", pid, t->options->interrupt ? "--interrupt" : NULL,
                     NULL};
    if (t->snapshot >= 0 || !cli_own_executable(self) || pipe2(ends, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (posix_spawn(&t->snapshot_process, self, &actions, NULL, words, environ) == 0) {
        t->snapshot = ends[0];
        t->snapshot_length = 0;
        set_message(t, "taking a snapshot");
    } else close(ends[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
}

/* The last line that it prints is the message, except what to do next. */
static void read_snapshot(struct top *t) {
    char *line = t->snapshot_line, *end;
    const size_t room = sizeof t->snapshot_line - 1 - t->snapshot_length;
    ssize_t n = read(t->snapshot, line + t->snapshot_length, room);
    if (n > 0) t->snapshot_length += (size_t)n;
    line[t->snapshot_length] = 0;
    while ((end = strchr(line, '\n')) != NULL ||
           t->snapshot_length == sizeof t->snapshot_line - 1) {
        if (strncmp(line, "bactrian: next: ", 16) != 0) set_message(t, line);
        const size_t taken = end != NULL ? (size_t)(end + 1 - line) : t->snapshot_length;
        t->snapshot_length -= taken;
        memmove(line, line + taken, t->snapshot_length + 1);
    }
    if (n > 0 || (n < 0 && errno == EINTR)) return;
    close(t->snapshot);
    waitpid(t->snapshot_process, NULL, 0);
    t->snapshot = -1;
}

/* ---- Keys. ---- */

/* The length of the escape sequence at the start of the bytes; 0: its end is missing. */
static size_t escape_length(const char *bytes, size_t n) {
    size_t i = 2;
    if (n < 2) return 1; /* the key Escape */
    if (bytes[1] == 'O') return n > 2 ? 3 : 0;
    if (bytes[1] != '[') return 1;
    while (i < n && bytes[i] >= 0x20 && bytes[i] < 0x40) i++; /* parameters */
    return i < n ? i + 1 : 0;
}

/* The first key of what the terminal has sent, of which *length bytes are it; 0: more will come. */
static int parse_key(const char *bytes, size_t n, size_t *length) {
    static const struct {
        const char *sequence;
        int key;
    } sequences[] = {{"\033[A", KEY_LINE_UP},    {"\033OA", KEY_LINE_UP},
                     {"\033[B", KEY_LINE_DOWN},  {"\033OB", KEY_LINE_DOWN},
                     {"\033[5~", KEY_LAST_PAGE}, {"\033[6~", KEY_NEXT_PAGE},
                     {"\033", KEY_BACK}};
    *length = bytes[0] == '\033' ? escape_length(bytes, n) : 1;
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
        if (strlen(sequences[i].sequence) == *length &&
            memcmp(bytes, sequences[i].sequence, *length) == 0)
            return sequences[i].key;
    bool is_key = *length == 1 && ((unsigned char)bytes[0] >= ' ' || bytes[0] == CONTROL('C'));
    return is_key ? (unsigned char)bytes[0] : KEY_NONE;
}

static void scroll(struct top *t, bool up, size_t lines) {
    size_t *first = &t->view.first_line;
    *first = !up ? *first + lines : *first > lines ? *first - lines : 0;
}

static void toggle_mark(struct top *t) {
    show_table(t);
    t->view.marked = !t->view.marked;
    if (t->board != NULL) report_board_mark(t->board, t->view.marked);
    update(t);
}

static void act(struct top *t, int key) {
    t->message[0] = 0;
    switch (key) {
    case 'f': show_report(t, "flame"); break;
    case 'l': show_report(t, "leaks"); break;
    case 'g': show_report(t, "gc"); break;
    case 'o': show_output(t); break;
    case 'd': toggle_mark(t); break;
    case 's': take_snapshot(t); break;
    case 't':
    case KEY_BACK: show_table(t); break;
    case KEY_LINE_UP: scroll(t, true, 1); break;
    case KEY_LINE_DOWN: scroll(t, false, 1); break;
    case KEY_LAST_PAGE: scroll(t, true, top_rows()); break;
    case KEY_NEXT_PAGE: scroll(t, false, top_rows()); break;
    case 'q':
    case CONTROL('C'): t->leaves = true; break;
    default: break;
    }
}

/* Acts on all keys. The start of an escape sequence waits for the rest. */
static void read_keys(struct top *t) {
    size_t at = 0, length = 1;
    ssize_t n = read(STDIN_FILENO, t->keys + t->key_bytes, sizeof t->keys - t->key_bytes);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) t->leaves = true; /* closed */
    if (n <= 0) return;
    t->key_bytes += (size_t)n;
    while (at < t->key_bytes && length > 0 && !t->leaves) {
        const int key = parse_key(t->keys + at, t->key_bytes - at, &length);
        at += length;
        if (length > 0) act(t, key);
    }
    if (at == 0) at = t->key_bytes; /* no sequence is that long */
    t->key_bytes -= at;
    memmove(t->keys, t->keys + at, t->key_bytes);
}

/* ---- The loop. ---- */

/* Waits for input until a moment; acts on it. */
static void wait_until(struct top *t, uint64_t moment_ns) {
    const uint64_t now = vm_now_ns();
    const int left = moment_ns > now ? (int)((moment_ns - now) / 1000000) + 1 : 0;
    struct pollfd inputs[] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = t->source.output, .events = POLLIN},
        {.fd = t->snapshot, .events = POLLIN},
        {.fd = t->source.process.signals, .events = POLLIN},
        {.fd = t->source.ended ? -1 : t->source.process.handle, .events = POLLIN}};
    if (poll(inputs, sizeof inputs / sizeof inputs[0], left) <= 0) return;
    if (inputs[1].revents != 0) top_read_output(&t->source);
    if (inputs[2].revents != 0) read_snapshot(t);
    if (inputs[3].revents != 0) t->leaves = true;
    if (inputs[4].revents != 0) {
        t->source.ended = true;
        update(t);
    }
    if (inputs[0].revents != 0) read_keys(t);
    if (inputs[0].revents != 0 || inputs[2].revents != 0 || inputs[4].revents != 0) draw(t);
}

static void watch(struct top *t) {
    struct edit_terminal terminal = {.raw = false};
    keys_start(&terminal);
    top_open_screen();
    while (!t->leaves) {
        const uint64_t next = vm_now_ns() + (uint64_t)SECOND_MS * 1000000;
        update(t);
        draw(t);
        while (!t->leaves && vm_now_ns() < next) wait_until(t, next);
    }
    top_close_screen();
    keys_stop(&terminal);
}

int cli_top(struct cli_options *options) {
    if (!top_is_possible())
        return cli_fail(STATUS_REFUSED, NULL,
                        "prof top needs a terminal with cursor movement, not TERM=dumb: use `prof "
                        "attach` or `prof record`, and `prof summary --running`");
    struct top *t = calloc(1, sizeof *t);
    if (t == NULL) return cli_fail(STATUS_REFUSED, NULL, "out of memory");
    t->options = options;
    t->snapshot = -1;
    snprintf(t->program, sizeof t->program, "%s%s", options->of_process ? "process " : "",
             options->operands[0]);
    int status = top_start(options, &t->source);
    if (status == 0) watch(t);
    if (t->snapshot >= 0) close(t->snapshot);
    const bool kept = status == 0 && !t->source.temporary;
    if (kept) fprintf(stderr, "bactrian: next: bactrian prof summary %s\n", t->source.path);
    top_end(&t->source);
    report_board_close(t->board);
    free(t->text);
    free(t);
    return status;
}
