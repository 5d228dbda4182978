/* primitives.c - C functions that OCaml code calls.
 *
 * One has a context, one calls back, one raises. */
#include <bactrian.h>
#include <stdio.h>

/* external next_number : unit -> int = "host_next_number" */
static struct bactrian_value *next_number(struct bactrian *m, void *context, int count,
                                          struct bactrian_value *const *arguments) {
    int *number = context;
    return bactrian_int(m, ++*number);
}

/* external apply_twice : (int -> int) -> int -> int = "host_apply_twice" */
static struct bactrian_value *apply_twice(struct bactrian *m, void *context, int count,
                                          struct bactrian_value *const *arguments) {
    struct bactrian_value *once, *twice;
    enum bactrian_outcome outcome = bactrian_call(m, arguments[0], 1, &arguments[1], &once);
    if (outcome == BACTRIAN_OK) outcome = bactrian_call(m, arguments[0], 1, &once, &twice);
    if (outcome == BACTRIAN_OK) return twice;
    if (outcome == BACTRIAN_EXCEPTION) return bactrian_raise(m, bactrian_exception(m));
    return NULL; /* the program ended or was stopped */
}

/* external root : float -> float = "host_root" */
static struct bactrian_value *root(struct bactrian *m, void *context, int count,
                                   struct bactrian_value *const *arguments) {
    double x = bactrian_get_float(arguments[0]), y = x;
    if (x < 0) return bactrian_fail(m, "root of a negative number");
    for (int i = 0; i < 60 && y != 0; i++) y = (y + x / y) / 2;
    return bactrian_float(m, y);
}

int main(int argc, char **argv) {
    int number = 0;
    const struct bactrian_primitive primitives[] = {
        {"host_next_number", "v", next_number, &number},
        {"host_apply_twice", "ki", apply_twice, NULL},
        {"host_root", "f", root, NULL},
    };
    struct bactrian_options options = {.primitives = primitives, .primitive_count = 3};
    struct bactrian_error error;
    struct bactrian *m = bactrian_open(argv[1], &options, &error);
    if (m == NULL) fprintf(stderr, "%s\n", error.text);
    else if (bactrian_run(m) != BACTRIAN_OK) puts(bactrian_error_text(m));
    bactrian_close(m);
    return 0;
}
