/* push.c - sends profiles in pprof's format to a server that collects them: Pyroscope or Parca.
 *
 *     POST URL/ingest?name=...&from=...&until=...&format=pprof     Pyroscope: a form, its field
 *                                                                  `profile` is the gzipped profile
 *     POST URL/profiles/writeraw                                   Parca: JSON, with base64
 *
 * The program curl does it, which knows TLS, proxies and the user's settings, so that Bactrian
 * needs no library for what few of its users do. Its input is a file in memory. */
#include "gc/assert.h"
#include "memprof/report/export/export.h"
#include "memprof/report/load/load.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define PYROSCOPE_PATH "/ingest"
#define PARCA_PATH     "/profiles/writeraw"
enum { LEAST_INTERVAL_NS = 1000000000 };

/* What has been sent. */
struct pushes {
    const struct report_request *request;
    char *url; /* with its path, without a query of ours */
    bool to_parca;
    size_t count, bytes;
    int64_t until; /* of the last one */
};

/* ---- Requests. ---- */

/* Appends a text as a URL's query has it. */
static void put_query(struct report_buffer *b, const char *key, const char *text) {
    report_put(b, key, strlen(key));
    for (; *text != 0; text++) {
        char code[4];
        if (isalnum((unsigned char)*text) || strchr("-_.", *text) != NULL) {
            report_put_byte(b, (unsigned char)*text);
            continue;
        }
        snprintf(code, sizeof code, "%%%02X", (unsigned char)*text);
        report_put(b, code, 3);
    }
}

/* The name of the program, without folders and extension; freed with free(). */
static char *name_of(const struct report_request *request) {
    const char *title = report_title_of(request), *slash = strrchr(title, '/');
    char *name = report_copy(slash != NULL ? slash + 1 : title);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name) *dot = 0;
    return name;
}

/* The URL of a profile for Pyroscope, which wants its name and times; freed with free(). */
static char *ingest_url(const struct pushes *p, const char *name, int64_t from, int64_t to) {
    struct report_buffer b = {0};
    char number[24];
    bool has_query = strchr(p->url, '?') != NULL;
    report_put(&b, p->url, strlen(p->url));
    report_put(&b, has_query ? "&" : "?", 1);
    put_query(&b, "format=", "pprof");
    snprintf(number, sizeof number, "%lld", (long long)(from / 1000000000));
    put_query(&b, "&from=", number);
    snprintf(number, sizeof number, "%lld", (long long)(to / 1000000000));
    put_query(&b, "&until=", number);
    if (!has_query || strstr(p->url, "name=") == NULL) put_query(&b, "&name=", name);
    report_put_byte(&b, 0);
    return (char *)b.data;
}

static void put_base64(FILE *out, const unsigned char *at, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned bits = at[i] << 16 | (i + 1 < n ? at[i + 1] << 8 : 0) |
                        (i + 2 < n ? at[i + 2] : 0);
        char text[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
                        digits[bits & 63]};
        if (i + 2 >= n) text[3] = '=';
        if (i + 1 >= n) text[2] = '=';
        fwrite(text, 1, 4, out);
    }
}

static void write_parca(FILE *out, const char *name, const void *profile, size_t length) {
    fputs("{\"normalized\":true,\"series\":[{\"labels\":{\"labels\":[{\"name\":\"__name__\","
          "\"value\":\"memory\"},{\"name\":\"job\",\"value\":",
          out);
    report_write_json_string(name, out);
    fputs("}]},\"samples\":[{\"rawProfile\":\"", out);
    put_base64(out, profile, length);
    fputs("\"}]}]}", out);
}

/* ---- curl. ---- */

/* Starts curl with its descriptors. Returns its exit status, or -1 and errno. */
static int run_curl(char *const words[], int input, int output) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    int problem = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = problem;
    if (problem != 0) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Sends what a descriptor holds. Returns 0, or -1 and *error. */
static int post(const struct pushes *p, const char *url, int input) {
    char *const form[] = {"--form",
                          "profile=@-;filename=profile.pprof;type=application/octet-stream", NULL};
    char *const body[] = {"--header", "Content-Type: application/json", "--data-binary", "@-",
                          NULL};
    char *words[16] = {"curl",       "--silent", "--show-error", "--fail",   "--globoff",
                       "--max-time", "60",       "--url",        (char *)url};
    size_t n = 9;
    for (char *const *more = p->to_parca ? body : form; *more != NULL; more++) words[n++] = *more;
    ASSERT(n < 16);
    char answer[200] = "";
    int output = memfd_create("answer", MFD_CLOEXEC);
    int status = output < 0 ? -1 : run_curl(words, input, output);
    int problem = errno;
    ssize_t got = output < 0 ? 0 : pread(output, answer, sizeof answer - 1, 0);
    answer[got > 0 ? got : 0] = 0;
    answer[strcspn(answer, "\r\n")] = 0;
    if (output >= 0) close(output);
    if (status == 0) return 0;
    if (status < 0)
        return report_fail(p->request->error, "curl",
                           "install it: this verb sends profiles with it", "%s", strerror(problem));
    return report_fail(p->request->error, p->url, "check the address and the server", "%s", answer);
}

/* ---- Profiles. ---- */

/* Sends what was allocated from one moment until before another, and what is live at that. Returns
 * 0, or -1 and *error. */
static int push(struct pushes *p, const struct report_model *m, int64_t from, int64_t to) {
    struct report_request request = *p->request;
    char *profile = NULL, *name = name_of(p->request);
    size_t length;
    int64_t epoch = m->epoch_us * 1000;
    request.model = m;
    request.selection.from = (struct report_moment){REPORT_TIME, (double)from};
    request.selection.to = (struct report_moment){REPORT_TIME, (double)to};
    FILE *memory = open_memstream(&profile, &length);
    int status = memory == NULL ? report_fail(p->request->error, "", "", "%s", strerror(errno))
                                : report_write_pprof(&request, true, memory);
    if (memory != NULL) fclose(memory);
    int input = memfd_create("profile", MFD_CLOEXEC);
    FILE *body = input < 0 ? NULL : fdopen(input, "wb");
    if (status == 0 && body == NULL)
        status = report_fail(p->request->error, "", "free some memory", "%s", strerror(errno));
    if (status == 0) {
        char *url = p->to_parca ? report_copy(p->url)
                                : ingest_url(p, name, epoch + from, epoch + to);
        if (p->to_parca) write_parca(body, name, profile, length);
        else fwrite(profile, 1, length, body);
        fflush(body);
        lseek(input, 0, SEEK_SET);
        status = post(p, url, input);
        free(url);
    }
    if (body != NULL) fclose(body);
    free(name);
    free(profile);
    if (status != 0) return -1;
    p->count++;
    p->bytes += length;
    p->until = to;
    return 0;
}

/* Whether the process that records may still run: on another computer, nobody knows. */
static bool may_run(const struct report_model *m) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (strcmp(host, m->host) != 0 || m->pid > INT32_MAX) return true;
    return kill((pid_t)m->pid, 0) == 0 || errno == EPERM;
}

/* Sends a part at each interval, until the recording has ended. Returns as push. */
static int push_repeatedly(struct pushes *p, int64_t interval) {
    for (;;) {
        struct timespec rest = {interval / 1000000000, interval % 1000000000};
        struct report_model *m = report_load(p->request->path, p->request->error);
        if (m == NULL) return -1;
        bool goes_on = m->truncated && may_run(m);
        int status = 0;
        /* More may come at the moment at which the file ends so far. */
        int64_t end = goes_on ? m->end : m->end + 1;
        if (end > p->until) status = push(p, m, p->until, end);
        report_model_free(m);
        if (status != 0 || !goes_on) return status;
        while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
    }
}

/* Sets the URL and the server's kind. Returns 0, or -1 and *error. */
static int find_server(struct pushes *p) {
    const char *url = p->request->operand, *host = strstr(url, "://");
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
        return report_fail(p->request->error, url,
                           "give an address such as http://localhost:4040, of Pyroscope, or "
                           "http://localhost:7070" PARCA_PATH ", of Parca",
                           "not the address of a server");
    const char *path = strchr(host + 3, '/');
    bool bare = path == NULL || path[1] == 0;
    p->to_parca = strstr(url, PARCA_PATH) != NULL;
    p->url = report_format("%.*s%s", bare && path != NULL ? (int)(path - url) : (int)strlen(url),
                           url, bare ? PYROSCOPE_PATH : "");
    return 0;
}

struct report_doc *report_view_push(const struct report_request *request) {
    struct pushes p = {.request = request};
    const struct report_moment *interval = &request->selection.interval;
    struct report_doc *doc = NULL;
    bool repeats = interval->kind != REPORT_NO_MOMENT;
    if (repeats && (interval->kind != REPORT_TIME || interval->value < LEAST_INTERVAL_NS)) {
        report_fail(request->error, "--interval", "give a time of one second or more, such as 10s",
                    "not an interval");
        return NULL;
    }
    if (find_server(&p) != 0) return NULL;
    int status = repeats ? push_repeatedly(&p, (int64_t)interval->value)
                         : push(&p, request->model, 0, request->model->end + 1);
    if (status == 0) {
        doc = report_doc_create("push", "Sent to %s", p.url);
        struct report_table *t = report_doc_table(doc, REPORT_FACTS, "sent", "");
        report_fact(t, "profiles", "profiles", report_count((double)p.count));
        report_fact(t, "bytes", "bytes", report_bytes((double)p.bytes));
        report_fact(t, "until", "until", report_seconds((double)p.until / 1e9));
    }
    free(p.url);
    return doc;
}
