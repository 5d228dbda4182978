/* words.h - a command line from the bytes of a fuzzer: one word per line. */
#ifndef BACTRIAN_TESTS_FUZZ_WORDS_H
#define BACTRIAN_TESTS_FUZZ_WORDS_H

#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 40 };

/* A line ends at a newline, and a word at a NUL within. */
struct words {
    char *text;
    size_t count;
    char *at[MAX_WORDS + 1]; /* NULL-terminated */
};

static inline struct words words_of(const uint8_t *data, size_t size) {
    struct words words = {.text = malloc(size + 1)};
    if (words.text == NULL) abort();
    if (size > 0) memcpy(words.text, data, size); /* data may be NULL, too */
    words.text[size] = 0;
    char *rest = words.text;
    while (rest < words.text + size && words.count < MAX_WORDS) {
        char *end = memchr(rest, '\n', (size_t)(words.text + size - rest));
        words.at[words.count++] = rest;
        if (end == NULL) break;
        *end = 0;
        rest = end + 1;
    }
    return words;
}

#endif
