/* bytecode_mutants.c - runs mutants of bytecode executables in checked mode.
 *
 *   bytecode_mutants [--count N] [--seed N] [--stress LEVEL] [--one KIND] [--seconds N]
 *                    [--save FOLDER] [--tiers FUEL] [--unchanged N] FILE...
 *
 * Each file gets N mutants, of all kinds in turn, or as many as run within --seconds. They
 * run one after the other in child processes, without any capability (--pure), with limits of
 * instructions, heap, stack and output, with nothing to read. Every mutant must be refused, or end
 * by itself: with success, an exception, a limit. Where a child ends by a signal or a sanitizer's
 * report (or computes longer than SECONDS_EACH), the next child continues after that mutant, which
 * is saved. A mutant may wait for ever, as for a mutex that is not released any more, but not more
 * than one in WAITING. The last line is `N passed, M failed`.
 *
 * --tiers: those that end within FUEL instructions in the interpreter run as machine code, too, and
 * must show the same (tiers.h); only these count as passed. --unchanged: N mutations are none, but
 * the file itself, so that a mutant that was saved runs again. */
#include "tests/fuzz/bytecode_mutate.h"

#include "tests/fuzz/tiers.h"
#include "vm/image/policy.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SECONDS_EACH = 10, /* of the processor */
    SECONDS_WAITED = 20,
    WAITING = 1000,
    MUTANTS_OF_A_CHILD = 500, /* a child frees all they allocate */
    FUEL = 200000,
    DIFFERENT = 3, /* a child's status */
    MOST_ENDS = (int)RUN_ENDS > (int)TIERS_ENDS ? (int)RUN_ENDS : (int)TIERS_ENDS,
};

struct outcomes {
    uint64_t end_s;            /* of now_s: nothing is begun from then on; 0: no end */
    volatile uint64_t current; /* the mutant that runs */
    volatile uint64_t of[MOST_ENDS];
};

struct settings {
    uint64_t count, seed;
    uint64_t seconds; /* for each file; 0: as long as it takes */
    unsigned stress;
    uint64_t tiers, unchanged;
    int one; /* only this kind; -1: all */
    const char *save;
};

static enum mutation kind_of(const struct settings *settings, uint64_t i) {
    static const enum mutation accepted[] = {MUTATION_OPERAND, MUTATION_OPCODE, MUTATION_ORDER,
                                             MUTATION_CODE_BYTE, MUTATION_ORDER};
    if (settings->one >= 0) return (enum mutation)settings->one;
    if (settings->tiers != 0) return accepted[i % (sizeof accepted / sizeof *accepted)];
    return (enum mutation)(i % MUTATION_COUNT);
}

static uint8_t *make_mutant(const struct mutable_image *image, const struct settings *settings,
                            uint64_t i, size_t *length) {
    if (i >= settings->unchanged)
        return mutate_image(image, kind_of(settings, i), settings->seed + i, length);
    uint8_t *copy = malloc(image->length);
    if (copy != NULL) memcpy(copy, image->bytes, *length = image->length);
    return copy;
}

static uint64_t now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec;
}

static bool is_over(const struct settings *settings, const struct outcomes *outcomes) {
    return outcomes->current >= settings->count ||
           (outcomes->end_s != 0 && now_s() >= outcomes->end_s);
}

/* In a child: mutant i. Exactly the size, so that a sanitizer sees reads beyond its end. */
static void run_one(uint8_t *mutant, size_t length, const struct settings *settings, uint64_t i,
                    const struct vm_policy *policy, struct outcomes *outcomes) {
    uint8_t *exact = realloc(mutant, length == 0 ? 1 : length);
    const struct run_way way = {
        .policy = policy, .jit = VM_JIT_ALL, .stress = settings->stress, .fuel = FUEL};
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = SECONDS_EACH}, NULL);
    alarm(SECONDS_WAITED);
    if (settings->tiers == 0) outcomes->of[run_image(exact, length, &way)]++;
    else {
        enum tiers_end end = compare_tiers(exact, length, policy, settings->tiers,
                                           settings->seed + i);
        outcomes->of[end]++;
        if (end == TIERS_DIFFER) {
            fflush(stdout);
            _exit(DIFFERENT);
        }
    }
    free(exact);
}

/* In a child: mutants from outcomes->current on. */
static void run_some(const struct mutable_image *image, const struct settings *settings,
                     struct outcomes *outcomes) {
    struct vm_policy policy = {0};
    vm_policy_pure(&policy);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    if (settings->tiers == 0) dup2(null, 1);
    if (getenv("MUTANTS_SPEAK") == NULL) dup2(null, 2);
    uint64_t end = outcomes->current + MUTANTS_OF_A_CHILD;
    if (end > settings->count) end = settings->count;
    for (uint64_t i = outcomes->current; i < end; outcomes->current = ++i) {
        if (is_over(settings, outcomes)) break;
        size_t length;
        uint8_t *mutant = make_mutant(image, settings, i, &length);
        if (mutant == NULL) abort();
        run_one(mutant, length, settings, i, &policy, outcomes);
    }
    vm_policy_free(&policy);
}

static void save_mutant(const struct mutable_image *image, const struct settings *settings,
                        uint64_t i) {
    char path[4096];
    size_t length;
    uint64_t seed = settings->seed + i;
    if (settings->save == NULL) return;
    uint8_t *mutant = make_mutant(image, settings, i, &length);
    snprintf(path, sizeof path, "%s/mutant-%d-%llu.byte", settings->save, kind_of(settings, i),
             (unsigned long long)seed);
    FILE *file = fopen(path, "wb");
    if (file == NULL || mutant == NULL || fwrite(mutant, 1, length, file) != length)
        fprintf(stderr, "cannot write %s\n", path);
    else printf("    saved as %s\n", path);
    if (file != NULL) fclose(file);
    free(mutant);
}

static const char *const ends[RUN_ENDS] = {
    [RUN_REFUSED] = "refused",   [RUN_RETURNED] = "returned", [RUN_EXITED] = "exited",
    [RUN_UNCAUGHT] = "uncaught", [RUN_STOPPED] = "stopped",   [RUN_NO_MEMORY] = "without memory",
};

/* A line about a file; returns how many of its mutants passed. */
static uint64_t show_outcomes(const char *name, const struct settings *settings,
                              const struct outcomes *outcomes, uint64_t failed, uint64_t waited) {
    const char *base = strrchr(name, '/');
    bool tiers = settings->tiers != 0;
    printf("   %-28s %7llu mutants: %llu failed", base == NULL ? name : base + 1,
           (unsigned long long)outcomes->current, (unsigned long long)failed);
    for (int end = 0; end < (tiers ? (int)TIERS_ENDS : (int)RUN_ENDS); end++)
        printf(", %llu %s", (unsigned long long)outcomes->of[end],
               tiers ? tiers_texts[end] : ends[end]);
    printf(", %llu waiting\n", (unsigned long long)waited);
    return tiers ? outcomes->of[TIERS_SAME] : outcomes->current - failed;
}

/* Returns how many mutants of one file failed; *passed: how many did not. */
static uint64_t run_file(const char *name, const struct mutable_image *image,
                         const struct settings *settings, struct outcomes *outcomes,
                         uint64_t *passed) {
    uint64_t failed = 0, waited = 0;
    memset((void *)outcomes, 0, sizeof *outcomes);
    if (settings->seconds != 0) outcomes->end_s = now_s() + settings->seconds;
    while (!is_over(settings, outcomes)) {
        fflush(stdout);
        int status;
        pid_t child = fork();
        if (child == 0) {
            run_some(image, settings, outcomes);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child) exit(1);
        if (status == 0) continue;
        uint64_t i = outcomes->current++;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM &&
            ++waited <= 1 + settings->count / WAITING)
            continue;
        failed++;
        printf("FAIL %s, mutant %llu of kind %d (%s): %s %d\n", name,
               (unsigned long long)(settings->seed + i), kind_of(settings, i),
               mutation_texts[kind_of(settings, i)], WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        save_mutant(image, settings, i);
    }
    *passed += show_outcomes(name, settings, outcomes, failed, waited);
    return failed;
}

static uint8_t *read_whole(const char *name, size_t *length) {
    uint8_t *bytes = NULL;
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
    *length = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*length);
    if (bytes != NULL && fread(bytes, 1, *length, file) != *length) *length = 0;
    fclose(file);
    return bytes;
}

static struct settings read_settings(char ***words) {
    struct settings settings = {.count = 100, .seed = 1, .one = -1};
    for (; (*words)[0] != NULL && (*words)[1] != NULL && (*words)[0][0] == '-'; *words += 2) {
        const char *option = (*words)[0], *argument = (*words)[1];
        if (strcmp(option, "--count") == 0) settings.count = strtoull(argument, NULL, 10);
        if (strcmp(option, "--seed") == 0) settings.seed = strtoull(argument, NULL, 10);
        if (strcmp(option, "--seconds") == 0) settings.seconds = strtoull(argument, NULL, 10);
        if (strcmp(option, "--stress") == 0) settings.stress = (unsigned)atoi(argument);
        if (strcmp(option, "--one") == 0) settings.one = atoi(argument) % MUTATION_COUNT;
        if (strcmp(option, "--tiers") == 0) settings.tiers = strtoull(argument, NULL, 10);
        if (strcmp(option, "--unchanged") == 0) settings.unchanged = strtoull(argument, NULL, 10);
        if (strcmp(option, "--save") == 0) settings.save = argument;
    }
    return settings;
}

int main(int argc, char **argv) {
    (void)argc;
    char **names = argv + 1;
    struct settings settings = read_settings(&names);
    struct outcomes *outcomes = mmap(NULL, sizeof *outcomes, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (outcomes == MAP_FAILED) return 1;
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    uint64_t passed = 0, failed = 0;
    for (; *names != NULL; names++) {
        struct mutable_image image;
        size_t length;
        uint8_t *bytes = read_whole(*names, &length);
        if (bytes == NULL || mutable_image_open(bytes, length, &image) != 0) {
            printf("FAIL %s is not a bytecode executable\n", *names);
            failed++;
            free(bytes);
            continue;
        }
        failed += run_file(*names, &image, &settings, outcomes, &passed);
        mutable_image_close(&image);
        free(bytes);
    }
    printf("%llu passed, %llu failed\n", (unsigned long long)passed, (unsigned long long)failed);
    return failed != 0 || passed == 0;
}
