/* memory.h - allocation and growing texts for the offline half. */
#ifndef BACTRIAN_MEMPROF_REPORT_MODEL_MEMORY_H
#define BACTRIAN_MEMPROF_REPORT_MODEL_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* Memory of size bytes, zeroed; freed with free(). Fails: a message, exit status 125. */
void *report_alloc(size_t size);
/* Makes room for at least `needed` elements of `size` bytes in *array, which holds *capacity of
 * them; grows by half again. New elements are not initialised. Fails: as report_alloc. */
void report_grow(void *array, size_t *capacity, size_t needed, size_t size);
/* A copy of text; freed with free(). Fails: as report_alloc. */
char *report_copy(const char *text);
/* A text made as printf does; freed with free(). Fails: as report_alloc. */
char *report_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same as vprintf does. */
char *report_format_list(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));

/* Bytes that grow at their end. Starts as all zeroes; data is freed with free(). */
struct report_buffer {
    unsigned char *data;
    size_t length, capacity;
};

/* Appends n bytes. */
void report_put(struct report_buffer *buffer, const void *bytes, size_t n);
/* Appends one byte. */
void report_put_byte(struct report_buffer *buffer, unsigned byte);
/* Appends the `bytes` low bytes of n, the lowest first. */
void report_put_le(struct report_buffer *buffer, unsigned long long n, unsigned bytes);

#endif
