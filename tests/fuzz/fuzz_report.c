/* fuzz_report.c - libFuzzer target: any bytes as a profile or a trace, read by a verb.
 *
 * The low half of the first byte chooses the verb. Its high bit: the rest is the records of a chunk
 * whose checksums are right; without it, the rest is the file. */
#include "memprof/report/command/command.h"
#include "tests/fuzz/profile_file.h"
#include "tests/fuzz/target.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORDS = 7, VERBS = 18, RECORDS = 128 };

/* FILE stands for the profile. */
static const char *const verbs[VERBS][WORDS] = {
    {"stats", "FILE"},
    {"summary", "FILE", "--json"},
    {"table", "FILE", "--by", "tag", "--at", "peak"},
    {"tree", "FILE", "--inverted", "--keep", "(from .)"},
    {"flame", "FILE", "--hide", "a"},
    {"leaks", "FILE", "--tail", "1ms"},
    {"lifetimes", "FILE", "--by", "phase"},
    {"grow", "FILE", "--by", "fn"},
    {"advise", "FILE"},
    {"timeline", "FILE", "--unit", "blocks"},
    {"gc", "FILE", "--from", "10%"},
    {"diff", "FILE", "FILE", "--unit", "words"},
    {"html", "FILE", "-o", "-"},
    {"export", "FILE", "--to", "pprof", "-o", "-"},
    {"export", "FILE", "--to", "dhat", "-o", "-"},
    {"export", "FILE", "--to", "memtrace", "-o", "-"},
    {"trim", "FILE", "--from", "1us", "-o", "-"},
    {"check", "FILE"},
};

static void run_verb(const char *const *verb, const char *path) {
    struct report_error error = {"", "", ""};
    char *words[WORDS + 1] = {NULL};
    FILE *out = fopen("/dev/null", "w");
    if (out == NULL) abort();
    for (size_t i = 0; i < WORDS && verb[i] != NULL; i++)
        words[i] = (char *)(strcmp(verb[i], "FILE") == 0 ? path : verb[i]);
    if (report_run_on(NULL, NULL, words, out, false, 100, &error) < 0 && error.what[0] == 0)
        abort();
    fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[40];
    if (size == 0) return 0;
    size_t length = size - 1;
    uint8_t *made = data[0] >= RECORDS ? profile_of_records(data + 1, length, &length) : NULL;
    const uint8_t *file = made != NULL ? made : data + 1;
    int fd = memfd_create("profile", 0);
    if (fd < 0 || write(fd, file, length) != (ssize_t)length) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    run_verb(verbs[data[0] % VERBS], path);
    close(fd);
    free(made);
    return 0;
}
