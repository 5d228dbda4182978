/* memory.c - allocation and growing texts for the offline half.
 *
 * A reader of profiles has nothing useful to do without memory: one function ends the process. */
#include "memprof/report/model/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void __attribute__((noreturn)) out_of_memory(void) {
    fputs("bactrian: out of memory while reading a profile: "
          "look at a part of it with --from and --to, or record at a lower rate\n",
          stderr);
    exit(125);
}

void *report_alloc(size_t size) {
    void *p = calloc(1, size > 0 ? size : 1);
    if (p == NULL) out_of_memory();
    return p;
}

void report_grow(void *array, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity) return;
    size_t wanted = *capacity + *capacity / 2 + 16;
    if (wanted < needed) wanted = needed;
    if (wanted > (size_t)-1 / 2 / size) out_of_memory();
    void **slot = array;
    void *grown = realloc(*slot, wanted * size);
    if (grown == NULL) out_of_memory();
    *slot = grown;
    *capacity = wanted;
}

char *report_copy(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(report_alloc(n), text, n);
}

char *report_format_list(const char *format, va_list arguments) {
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) out_of_memory();
    return text;
}

char *report_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = report_format_list(format, arguments);
    va_end(arguments);
    return text;
}

void report_put(struct report_buffer *buffer, const void *bytes, size_t n) {
    if (n == 0) return;
    report_grow(&buffer->data, &buffer->capacity, buffer->length + n, 1);
    memcpy(buffer->data + buffer->length, bytes, n);
    buffer->length += n;
}

void report_put_byte(struct report_buffer *buffer, unsigned byte) {
    unsigned char b = byte;
    report_put(buffer, &b, 1);
}

void report_put_le(struct report_buffer *buffer, unsigned long long n, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) report_put_byte(buffer, (n >> (8 * i)) & 255);
}
