/* Profiles with damage: whatever is in the file, a verb ends with a report or an error.
 *
 *   mutants COUNT SEED FILE...
 *
 * Mutants of the files are read in child processes, each from where the last one ended. Every other
 * mutant of Bactrian's own format is damaged in its unpacked records and gets right checksums. A
 * child that dies of a signal, exits with another status than 0 or 125, or takes longer than
 * SECONDS for one mutant has failed; its number makes it again. */
#include "memprof/report/command/command.h"
#include "tests/prof/chunk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

enum { SECONDS = 20, RESTS_MAX = 6, OUT_OF_MEMORY = 125 };

struct bytes {
    unsigned char *at;
    size_t length;
};

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static size_t below(uint64_t *state, size_t limit) {
    return limit > 0 ? next_random(state) % limit : 0;
}

static struct bytes read_file(const char *path) {
    struct bytes b = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) exit(2);
    b.length = (size_t)ftell(file);
    b.at = malloc(b.length + 1);
    rewind(file);
    if (b.at == NULL || fread(b.at, 1, b.length, file) != b.length) exit(2);
    fclose(file);
    return b;
}

/* One to four small changes, in place; the length may shrink. */
static void damage(struct bytes *b, uint64_t *state) {
    for (size_t n = 1 + below(state, 4); n > 0 && b->length > 0; n--) {
        size_t at = below(state, b->length), few = 1 + below(state, 8);
        if (few > b->length - at) few = b->length - at;
        switch (below(state, 6)) {
        case 0: b->at[at] ^= (unsigned char)(1 << below(state, 8)); break;
        case 1: b->at[at] = (unsigned char)next_random(state); break;
        case 2: memset(b->at + at, 0xff, few); break;
        case 3: memmove(b->at + at, b->at + below(state, b->length - few + 1), few); break;
        case 4:
            memmove(b->at + at, b->at + at + few, b->length - at - few);
            b->length -= few;
            break;
        default:
            if (below(state, 4) == 0) b->length = at;
        }
    }
}

/* The same file with a damaged chunk, or an empty one if there is no chunk to damage. */
static struct bytes damage_records(const struct bytes *file, uint64_t *state) {
    enum { HEADER = MP_FILE_HEADER_BYTES, CHUNK = MP_CHUNK_HEADER_BYTES };
    struct bytes records = {malloc(MP_CHUNK_MAX_BYTES), 0}, made = {NULL, 0};
    size_t at = HEADER, chunks = 0, end;
    for (end = HEADER; end + CHUNK <= file->length; chunks++)
        end += CHUNK + u32_at(file->at + end + MP_CHUNK_STORED);
    for (size_t skip = below(state, chunks); skip > 0; skip--)
        at += CHUNK + u32_at(file->at + at + MP_CHUNK_STORED);
    size_t stored = u32_at(file->at + at + MP_CHUNK_STORED);
    records.length = u32_at(file->at + at + MP_CHUNK_BYTES);
    if (file->at[at + MP_CHUNK_ENCODING] == MP_ENCODING_ZSTD)
        ZSTD_decompress(records.at, MP_CHUNK_MAX_BYTES, file->at + at + CHUNK, stored);
    else memcpy(records.at, file->at + at + CHUNK, stored);
    damage(&records, state);
    made.length = file->length - stored + records.length;
    made.at = malloc(made.length);
    memcpy(made.at, file->at, at + CHUNK);
    unsigned char *head = made.at + at;
    memcpy(head + CHUNK, records.at, records.length);
    memcpy(head + CHUNK + records.length, file->at + at + CHUNK + stored,
           file->length - at - CHUNK - stored);
    seal_plain_chunk(head, records.length);
    free(records.at);
    return made;
}

static struct bytes mutant_of(const struct bytes *file, uint64_t *state) {
    struct bytes made;
    bool own = file->length > MP_FILE_HEADER_BYTES + MP_CHUNK_HEADER_BYTES &&
               memcmp(file->at, MP_FILE_MAGIC, 8) == 0;
    if (own && below(state, 2) == 0) return damage_records(file, state);
    made = (struct bytes){malloc(file->length), file->length};
    memcpy(made.at, file->at, file->length);
    damage(&made, state);
    return made;
}

/* Verbs with what follows the file's name. */
static const char *const verbs[][RESTS_MAX] = {
    {"summary"},
    {"check"},
    {"lifetimes", "--json"},
    {"grow", "--json"},
    {"advise", "--json"},
    {"tree", "--inverted"},
    {"table", "--by", "phase"},
    {"table", "--csv", "--at", "peak"},
    {"leaks"},
    {"gc"},
    {"timeline"},
    {"flame", "--hide", "a"},
    {"export", "--to", "pprof"},
    {"export", "--to", "memtrace"},
    {"export", "--to", "dhat"},
    {"export", "--to", "callgrind"},
    {"export", "--to", "speedscope"},
    {"export", "--to", "chrome"},
    {"html"},
    {"trim", "--from", "1ms"},
};

static void read_mutant(const char *path, size_t verb, FILE *out) {
    char *words[RESTS_MAX + 6] = {NULL};
    struct report_error error = {.subject = ""};
    size_t n = 0;
    words[n++] = (char *)verbs[verb][0];
    words[n++] = (char *)path;
    for (size_t i = 1; i < RESTS_MAX && verbs[verb][i] != NULL; i++)
        words[n++] = (char *)verbs[verb][i];
    report_run_on(NULL, NULL, words, out, false, 100, &error);
}

/* Reads mutants from *next on; *next says which one it is at. */
static void read_mutants(const struct bytes *files, size_t count, size_t seed, size_t end,
                         volatile size_t *next) {
    char path[40];
    FILE *out = fopen("/dev/null", "wb");
    int fd = memfd_create("mutant", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (; *next < end; (*next)++) {
        uint64_t state = (seed << 32 | *next) * 0x9E3779B97F4A7C15u;
        next_random(&state);
        struct bytes made = mutant_of(&files[*next % count], &state);
        if (ftruncate(fd, 0) != 0 || pwrite(fd, made.at, made.length, 0) < 0) _exit(2);
        free(made.at);
        alarm(SECONDS);
        read_mutant(path, below(&state, sizeof verbs / sizeof *verbs), out);
    }
    _exit(0);
}

int main(int argc, char **argv) {
    struct bytes files[16];
    size_t count = 0, failed = 0;
    volatile size_t *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc < 4 || argc > 16 || next == MAP_FAILED) return 2;
    size_t end = strtoul(argv[1], NULL, 10), seed = strtoul(argv[2], NULL, 10);
    for (int i = 3; i < argc; i++) files[count++] = read_file(argv[i]);
    for (; *next < end && failed < 20; (*next)++) {
        int status;
        pid_t child = fork();
        if (child == 0) read_mutants(files, count, seed, end, next);
        if (child < 0 || waitpid(child, &status, 0) != child) return 2;
        if (*next >= end) break;
        if (WIFEXITED(status) && WEXITSTATUS(status) == OUT_OF_MEMORY) continue;
        failed++;
        printf("FAIL mutant %zu of seed %zu: %s %d\n", *next, seed,
               WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    while (count > 0) free(files[--count].at);
    printf("%zu mutants were read, %zu crashes\n", *next, failed);
    return failed > 0;
}
