/* base.h - what all rooms use: errors, allocation, vectors, hash tables, buffers. */
#ifndef BACTRIAN_MEMPROF_REPORT_MODEL_BASE_H
#define BACTRIAN_MEMPROF_REPORT_MODEL_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Printed as `bactrian: subject: what: advice`. */
struct report_error {
    char subject[240]; /* a file or an option; may be empty */
    char what[240];
    char advice[240];
};

/* Fills *error; `what` is a format as of printf. Returns -1, for `return report_fail(...)`. */
int report_fail(struct report_error *error, const char *subject, const char *advice,
                const char *what, ...) __attribute__((format(printf, 4, 5)));

/* Zeroed memory of `size` bytes; freed with free(). Fails: prints a message, exits with 125. */
void *report_alloc(size_t size);
/* A copy of text; freed with free(). Fails: as report_alloc. */
char *report_copy(const char *text);
/* A text formatted as by printf; freed with free(). Fails: as report_alloc. */
char *report_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Frees *text and replaces it by `with`, which it takes over. */
void report_replace(char **text, char *with);

/* Frees each of its arguments, as free(). */
#define report_free(...)                           \
    report_free_list((void *const[]){__VA_ARGS__}, \
                     sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))
/* Frees the `count` items of a list, not the list. */
void report_free_list(void *const *items, size_t count);

/* -1, 0 or 1: the order of two numbers. */
#define report_order(x, y) (((x) > (y)) - ((x) < (y)))
/* Defines the comparison `name` for qsort: `order` is that of two items of a type, x and y. */
#define REPORT_COMPARE(name, type, order)           \
    static int name(const void *a, const void *b) { \
        const type *x = a, *y = b;                  \
        return order;                               \
    }

/* A vector: a growing array that starts as all zeroes; `at` is freed with free(). Any structure
 * with these three fields is one. */
#define REPORT_VECTOR(type)     \
    struct {                    \
        type *at;               \
        size_t count, capacity; \
    }
/* Makes room for `needed` items in all; new items are not initialised. Fails: as report_alloc. */
#define report_reserve(vector, needed) \
    report_grow(&(vector)->at, &(vector)->capacity, needed, sizeof *(vector)->at)
/* Appends an item. Fails: as report_alloc. */
#define report_append(vector, ...)                \
    (report_reserve(vector, (vector)->count + 1), \
     (void)((vector)->at[(vector)->count] = (__VA_ARGS__)), (void)(vector)->count++)
/* Runs a statement for each item, to which `item` points; the statement must not append any. */
#define report_each(item, vector)                    \
    for (typeof(&*(vector)->at) item = (vector)->at; \
         (size_t)(item - (vector)->at) < (vector)->count; item++)
/* Sorts a vector by a function as qsort(3) takes it. */
#define report_sort(vector, compare)                                                           \
    ((vector)->count > 1 ? qsort((vector)->at, (vector)->count, sizeof *(vector)->at, compare) \
                         : (void)0)
/* Makes room for `needed` items of `size` bytes in *array, which has *capacity of them; grows by
 * half. Fails: as report_alloc. */
void report_grow(void *array, size_t *capacity, size_t needed, size_t size);

struct report_numbers {
    uint32_t *at;
    size_t count, capacity;
};

/* A hash table of numbers: each stands for an entry of an array that its owner has. Starts as all
 * zeroes; slots is freed with free(). */
struct report_hash {
    struct report_slot {
        uint32_t hash, number; /* number: plus 1; 0: free */
    } * slots;
    size_t size, used; /* size: a power of two, at least twice used */
};
enum { REPORT_NO_NUMBER = UINT32_MAX };

/* Whether the owner's entry `number` has the key. */
typedef bool report_equal(const void *owner, uint32_t number, const void *key);
/* The number that was added with `hash` and is equal to key; REPORT_NO_NUMBER if there is none. */
uint32_t report_hash_find(const struct report_hash *table, uint64_t hash, report_equal *equal,
                          const void *owner, const void *key);
/* Adds a number, whose key is not in the table. Fails: as report_alloc. */
void report_hash_add(struct report_hash *table, uint64_t hash, uint32_t number);
/* Hashes of n bytes and of a number. */
uint64_t report_hash_bytes(const void *bytes, size_t n);
uint64_t report_hash_number(uint64_t n);

/* A growing run of bytes. Starts as all zeroes; data is freed with free(). */
struct report_buffer {
    unsigned char *data;
    size_t length, capacity;
};

/* Makes room for n more bytes. Fails: as report_alloc. */
static inline void report_put_room(struct report_buffer *buffer, size_t n) {
    if (buffer->capacity - buffer->length < n)
        report_grow(&buffer->data, &buffer->capacity, buffer->length + n, 1);
}
/* Appends n bytes. */
static inline void report_put(struct report_buffer *buffer, const void *bytes, size_t n) {
    if (n == 0) return;
    report_put_room(buffer, n);
    memcpy(buffer->data + buffer->length, bytes, n);
    buffer->length += n;
}
/* Appends one byte. */
static inline void report_put_byte(struct report_buffer *buffer, unsigned byte) {
    report_put_room(buffer, 1);
    buffer->data[buffer->length++] = (unsigned char)byte;
}
/* Appends the `bytes` low bytes of n, at most 8, the lowest first. */
static inline void report_put_le(struct report_buffer *buffer, unsigned long long n,
                                 unsigned bytes) {
    report_put_room(buffer, 8);
    for (unsigned i = 0; i < bytes; i++, n >>= 8) buffer->data[buffer->length++] = (unsigned char)n;
}

#endif
