/* replay.c - the main program of a target that is built without a fuzzer: tries files.
 *
 *   fuzz_NAME FILE...
 *
 * Each file's name is printed before it is tried, so the last one is the culprit's where the
 * process dies. The last line is `N passed, 0 failed`. What a target itself writes to standard
 * output is lost. */
#include "tests/fuzz/target.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Exactly as long as the file, so that a sanitizer sees reads beyond its end. */
static uint8_t *read_exactly(const char *name, size_t *length) {
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*length == 0 ? 1 : *length);
    if (bytes != NULL && fread(bytes, 1, *length, file) != *length) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    FILE *names = fdopen(dup(STDOUT_FILENO), "w");
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (names == NULL || null < 0 || dup2(null, STDOUT_FILENO) < 0) return 1;
    for (int i = 1; i < argc; i++) {
        size_t length = 0;
        fprintf(names, "%s\n", argv[i]);
        fflush(names);
        uint8_t *bytes = read_exactly(argv[i], &length);
        if (bytes == NULL) {
            perror(argv[i]);
            return 1;
        }
        LLVMFuzzerTestOneInput(bytes, length);
        free(bytes);
    }
    fprintf(names, "%d passed, 0 failed\n", argc - 1);
    return argc == 1;
}
