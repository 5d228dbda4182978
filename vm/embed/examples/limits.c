/* limits.c - runs a program within limits, and says how it ended. */
#include <bactrian.h>
#include <stdio.h>

static ptrdiff_t to_stdout(void *context, const void *from, size_t n) {
    return (ptrdiff_t)fwrite(from, 1, n, stdout);
}

int main(int argc, char **argv) {
    static const char *const arguments[] = {"30", NULL}; /* Sys.argv.(1) */
    struct bactrian_options options = {
        .pure = true, /* it may compute and print, nothing else */
        .max_heap_bytes = 16 << 20,
        .max_output_bytes = 1000,
        .fuel = 10000000, /* instructions */
        .arguments = arguments,
        .output = {to_stdout, NULL},
    };
    struct bactrian_error error;
    struct bactrian *m = bactrian_open(argv[1], &options, &error);
    if (m == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    switch (bactrian_run(m)) {
    case BACTRIAN_OK: puts("it ended"); break;
    case BACTRIAN_EXITED: printf("it called exit %d\n", bactrian_exit_status(m)); break;
    default: puts(bactrian_error_text(m)); /* an exception, a limit, ... */
    }
    bactrian_close(m);
    return 0;
}
