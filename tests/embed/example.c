/* An application that runs OCaml code: two machines in two threads.
 *
 *     ocamlc -g -no-check-prims -o example.byte example.ml
 *     gcc example.c $(pkg-config --cflags --libs bactrian) -pthread -o example
 *     ./example example.byte example.bprof
 *
 * Each machine has the program of example.ml, and calls its function `statistics`, which asks the
 * application for a rate. The first one is recorded; the second one is stopped by its fuel. */
#include <bactrian.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* external rate : string -> float = "host_rate" */
static struct bactrian_value *host_rate(struct bactrian *m, void *context, int count,
                                        struct bactrian_value *const *arguments) {
    char country[8];
    bactrian_get_string(arguments[0], country, sizeof country);
    if (strcmp(country, "DE") == 0) return bactrian_float(m, 0.19);
    if (strcmp(country, "FR") == 0) return bactrian_float(m, 0.20);
    return bactrian_fail(m, "no rate for this country");
}

static struct bactrian *open_machine(const char *image, uint64_t fuel) {
    const struct bactrian_primitive primitives[] = {{"host_rate", "s", host_rate, NULL}};
    struct bactrian_options options = {
        .pure = true, /* it may compute and print, nothing else */
        .max_heap_bytes = 64 << 20,
        .fuel = fuel,
        .primitives = primitives,
        .primitive_count = 1,
    };
    struct bactrian_error error;
    struct bactrian *m = bactrian_open(image, &options, &error);
    if (m == NULL) fprintf(stderr, "%s: %s\n", image, error.text);
    return m;
}

/* Calls `statistics country [10.; 20.; ...]`. */
static void call_statistics(struct bactrian *m, const char *country) {
    struct bactrian_value *nets[100], *result;
    bactrian_open_scope(m); /* ends all handles that are made from here on */
    for (int i = 0; i < 100; i++) nets[i] = bactrian_float(m, 10. * (i + 1));
    struct bactrian_value *arguments[] = {bactrian_text(m, country), bactrian_list(m, 100, nets)};
    if (bactrian_call(m, bactrian_named(m, "statistics"), 2, arguments, &result) == BACTRIAN_OK)
        printf("%s: %d prices, %.2f in all\n", country,
               (int)bactrian_get_int(bactrian_field(result, 0)),
               bactrian_get_float(bactrian_field(result, 1)));
    else printf("%s: %s\n", country, bactrian_error_text(m));
    bactrian_close_scope(m);
}

struct job {
    const char *image, *profile;
};

static void *be_recorded(void *context) {
    const struct job *job = context;
    struct bactrian_recording recording;
    struct bactrian_statistics figures;
    struct bactrian *m = open_machine(job->image, 0);
    if (m == NULL) return NULL;
    bactrian_record(m, job->profile, 0.01);
    if (bactrian_run(m) == BACTRIAN_OK) {
        for (int i = 0; i < 100; i++) call_statistics(m, "DE");
        call_statistics(m, "XX");
    }
    bactrian_read_statistics(m, &figures);
    if (bactrian_stop_recording(m, &recording) == BACTRIAN_OK)
        printf("recorded: %s samples of %s words\n", recording.samples > 10 ? "many" : "few",
               figures.minor_words > 10000 ? "many" : "few");
    bactrian_close(m);
    return NULL;
}

static void *be_stopped(void *context) {
    const struct job *job = context;
    struct bactrian *m = open_machine(job->image, 1000000);
    if (m == NULL) return NULL;
    if (bactrian_run(m) == BACTRIAN_OK) {
        struct bactrian_value *unit = bactrian_unit(m);
        if (bactrian_call(m, bactrian_named(m, "spin"), 1, &unit, NULL) == BACTRIAN_STOPPED)
            printf("spin: %s\n", bactrian_error_text(m));
        bactrian_set_fuel(m, 1000000); /* and it goes on */
        call_statistics(m, "FR");
    }
    bactrian_close(m);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: example IMAGE PROFILE\n");
        return 2;
    }
    struct job job = {argv[1], argv[2]};
    pthread_t first, second;
    pthread_create(&first, NULL, be_recorded, &job);
    pthread_create(&second, NULL, be_stopped, &job);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
