/* Machines made and closed, one after the other, in every state in which one can be closed.
 *
 *     churn IMAGE COUNT
 *
 * Prints by how much the process grew in the second half, in KB; run it under valgrind, too. */
#include "vm/embed/bactrian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long resident_kilobytes(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*s %ld", &pages) != 1) exit(1);
    fclose(file);
    return pages * 4;
}

static struct bactrian_value *host_apply(struct bactrian *m, void *context, int count,
                                         struct bactrian_value *const *arguments) {
    struct bactrian_value *result = NULL;
    bactrian_call(m, arguments[0], 1, &arguments[1], &result);
    return result;
}

static void call(struct bactrian *m, const char *name, int argument) {
    struct bactrian_value *n = bactrian_int(m, argument);
    bactrian_call(m, bactrian_named(m, name), 1, &n, NULL);
}

static void live(const char *image, int state) {
    static const struct bactrian_primitive primitives[] = {{"host_apply", "kv", host_apply, NULL}};
    const char *const arguments[] = {"a", "b", NULL};
    struct bactrian_options options = {.fuel = state == 4 ? 2000000 : 0,
                                       .arguments = arguments,
                                       .denied = "net",
                                       .allowed = "fs-read=/tmp",
                                       .primitives = primitives,
                                       .primitive_count = 1};
    struct bactrian_error error;
    struct bactrian *m = bactrian_open(image, &options, &error);
    if (m == NULL) {
        printf("%s\n", error.text);
        exit(1);
    }
    if (state > 0) bactrian_run(m);
    if (state == 1) call(m, "own", 1);
    if (state == 2) call(m, "host_exits", 1);
    if (state == 3) call(m, "host_apply", 1);
    if (state == 4) call(m, "forever", 1);
    if (state == 5) {
        bactrian_open_scope(m);
        bactrian_track(m, 0.01, 10, &(struct bactrian_tracking){.promoted = NULL});
        bactrian_record(m, "/dev/null", 0.01);
        call(m, "fib", 10);
        bactrian_text(m, "left over");
    }
    bactrian_close(m);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int count = atoi(argv[2]);
    long before = 0;
    for (int i = 0; i < count; i++) {
        if (i == count / 2) before = resident_kilobytes();
        live(argv[1], i % 6);
    }
    printf("%ld\n", resident_kilobytes() - before);
    return 0;
}
