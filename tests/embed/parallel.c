/* Many machines at once, each in a thread, all with the same work: their results must agree.
 *
 *     parallel IMAGE THREADS ROUNDS [ALLOWED]
 *
 * Each thread opens machines one after the other and calls `work` in them; odd ones are recorded by
 * a tracker, and a thread of its own asks some to stop. ALLOWED: capabilities; then
 * nobody is stopped. Prints the sum of all results. */
#include "vm/embed/bactrian.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Not for ever: under a sanitizer the same work may take longer than the time between requests. */
enum { MAX_THREADS = 64, WORKS = 4, MAX_REQUESTS = 30 };

struct worker {
    pthread_t thread;
    int number;
    long long sum;
    _Atomic(struct bactrian *) stoppable;
    pthread_mutex_t lock; /* held while stopping and while closing */
};

static const char *image;
static const char *allowed;
static int rounds;
static _Atomic bool over;
static _Atomic uint64_t samples;

static void count_sample(void *context, const struct bactrian_sample *sample) { samples++; }

static struct bactrian_value *argument_of(struct bactrian *m, int n) { return bactrian_int(m, n); }

static _Noreturn void fail(struct bactrian *m, const char *what) {
    printf("%s: %s\n", what, bactrian_error_text(m));
    exit(1);
}

static void do_work(struct worker *w, struct bactrian *m) {
    struct bactrian_value *work = bactrian_named(m, "work"), *result;
    for (int i = 0; i < WORKS; i++) {
        struct bactrian_value *argument = argument_of(m, i);
        enum bactrian_outcome outcome;
        /* A request to stop may come at any time: what it ended is done again. */
        do outcome = bactrian_call(m, work, 1, &argument, &result);
        while (outcome == BACTRIAN_STOPPED);
        if (outcome != BACTRIAN_OK) fail(m, "work");
        w->sum += bactrian_get_int(result);
        bactrian_release(argument);
        bactrian_release(result);
    }
}

static void *run_worker(void *context) {
    struct worker *w = context;
    struct bactrian_tracking tracking = {.allocated = count_sample};
    struct bactrian_options options = {.allowed = allowed};
    struct bactrian_error error;
    for (int i = 0; i < rounds; i++) {
        struct bactrian *m = bactrian_open(image, &options, &error);
        if (m == NULL) {
            printf("%s\n", error.text);
            exit(1);
        }
        if (bactrian_run(m) != BACTRIAN_OK) fail(m, "run");
        if (w->number % 2 == 1 && bactrian_track(m, 0.001, 20, &tracking) == NULL) fail(m, "track");
        w->stoppable = m;
        do_work(w, m);
        pthread_mutex_lock(&w->lock);
        w->stoppable = NULL;
        pthread_mutex_unlock(&w->lock);
        bactrian_close(m);
    }
    return NULL;
}

struct all {
    struct worker *workers;
    int count;
};

static void *stop_some(void *context) {
    const struct all *all = context;
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int i = 0; !over && i < MAX_REQUESTS; i++) {
        nanosleep(&pause, NULL);
        struct worker *w = &all->workers[i * 5 % (all->count + 2) % all->count];
        pthread_mutex_lock(&w->lock);
        struct bactrian *m = w->stoppable;
        if (m != NULL) bactrian_request_stop(m);
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    static struct worker workers[MAX_THREADS];
    if (argc < 4) return 2;
    image = argv[1];
    struct all all = {workers, atoi(argv[2])};
    rounds = atoi(argv[3]);
    allowed = argv[4];
    bool stops = allowed == NULL;
    pthread_t stopper;
    for (int i = 0; i < all.count; i++) {
        workers[i].number = i;
        pthread_mutex_init(&workers[i].lock, NULL);
        pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]);
    }
    if (stops) pthread_create(&stopper, NULL, stop_some, &all);
    for (int i = 0; i < all.count; i++) pthread_join(workers[i].thread, NULL);
    over = true;
    if (stops) pthread_join(stopper, NULL);
    for (int i = 1; i < all.count; i++)
        if (workers[i].sum != workers[0].sum) printf("thread %d differs\n", i);
    bool unheard = stops && all.count > 1 && samples == 0;
    printf("%lld%s\n", workers[0].sum, unheard ? " without samples" : "");
    return 0;
}
