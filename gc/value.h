/* value.h - the representation of OCaml values, bit for bit.
 *
 * A value is one 64-bit word: an odd word is the integer (word >> 1), an even word points at field
 * 0 of a block. The word before field 0 is the block's header:
 *
 *     63                          10 9    8 7      0
 *     +----------------------------+--------+-------+
 *     |     wosize (fields)        | colour |  tag  |      wosize counts words without the header,
 *     +----------------------------+--------+-------+      whsize counts it too
 *
 * V1  A block of wosize 0 is an atom: static, one per tag, never allocated.
 * V2  Tags below TAG_NO_SCAN hold only values; tags from TAG_NO_SCAN on hold raw words.
 * V3  A closure's code field is the tagged index of a function, its infix headers and closinfo are
 *     odd words: every word of a closure is a valid value. (In OCaml the code field is an address.
 *     Stub libraries that contain a virtual machine make such closures; their addresses lie outside
 *     the heap.)
 * V4  A string's last byte is the number of padding bytes before it, so its length is
 *     8 * wosize - 1 - that byte.
 * V5  The length of a float array is its wosize: a double is one word. */
#ifndef BACTRIAN_GC_VALUE_H
#define BACTRIAN_GC_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef intptr_t value;
typedef uintptr_t header;

enum {
    TAG_FORCING = 244, /* of 5.x; in 4.x a constructor's, like the next */
    TAG_CONT = 245,
    TAG_LAZY = 246,
    TAG_CLOSURE = 247,
    TAG_OBJECT = 248,
    TAG_INFIX = 249,
    TAG_FORWARD = 250,
    TAG_NO_SCAN = 251,
    TAG_ABSTRACT = 251,
    TAG_STRING = 252,
    TAG_DOUBLE = 253,
    TAG_DOUBLE_ARRAY = 254,
    TAG_CUSTOM = 255,
};

/* Colours. 0 and 1 change roles with each major cycle (see gc/mark.c); the other two are fixed. */
enum { COLOUR_0 = 0, COLOUR_1 = 1, COLOUR_FREE = 2, COLOUR_STATIC = 3 };

#define MAX_YOUNG_WOSIZE 256 /* larger blocks are allocated in the major heap */
#define MAX_WOSIZE       (((uintptr_t)1 << 54) - 1)

/* Integers. */
static inline bool is_int(value v) { return v & 1; }
static inline bool is_block(value v) { return !(v & 1); }
static inline value val_of_int(intptr_t n) { return (value)(((uintptr_t)n << 1) | 1); }
static inline intptr_t int_of_val(value v) { return v >> 1; }
static inline value val_of_bool(bool b) { return b ? 3 : 1; }
static inline bool bool_of_val(value v) { return v != 1; }

#define VAL_UNIT       ((value)1)
#define VAL_FALSE      ((value)1)
#define VAL_TRUE       ((value)3)
#define VAL_EMPTY_LIST ((value)1)
#define VAL_NONE       ((value)1)
#define MAX_INT        (((intptr_t)1 << 62) - 1)
#define MIN_INT        (-((intptr_t)1 << 62))

/* Results of callbacks: a value, or an exception with the two low bits 10. */
static inline value exn_result(value exn) { return exn | 2; }
static inline bool is_exn_result(value r) { return (r & 3) == 2; }
static inline value exn_of_result(value r) { return r & ~(value)3; }

/* Headers and fields. */
static inline header make_header(uintptr_t wosize, unsigned tag, unsigned colour) {
    return (wosize << 10) | ((header)colour << 8) | tag;
}
static inline uintptr_t wosize_of_header(header h) { return h >> 10; }
static inline unsigned tag_of_header(header h) { return h & 0xff; }
static inline unsigned colour_of_header(header h) { return (h >> 8) & 3; }

#define field(v, i) (((value *)(v))[i]) /* an lvalue; stores need gc_store or gc_init_field */
static inline header *header_ptr(value v) { return (header *)v - 1; }
static inline header header_of(value v) { return *header_ptr(v); }
static inline uintptr_t wosize_of(value v) { return wosize_of_header(header_of(v)); }
static inline unsigned tag_of(value v) { return ((unsigned char *)v)[-8]; }

/* Strings and bytes. */
static inline uintptr_t string_wosize(uintptr_t length) { return length / 8 + 1; }
static inline uintptr_t string_length(value v) {
    uintptr_t last = wosize_of(v) * 8 - 1;
    return last - ((unsigned char *)v)[last];
}
static inline char *string_bytes(value v) { return (char *)v; }
/* Whether a zero byte follows its bytes, so that C reads no others. After unsafe writes another
 * byte may be there. */
static inline bool string_is_ended(value v) { return string_bytes(v)[string_length(v)] == 0; }
/* The number of bytes before the first zero byte, at most all. */
static inline uintptr_t c_length(value v) { return strnlen(string_bytes(v), string_length(v)); }
/* Whether C reads all of it and no more. */
static inline bool is_c_string(value v) {
    return string_is_ended(v) && c_length(v) == string_length(v);
}
enum { STRING_WORDS_INLINE = 8 }; /* longer strings are compared by memcmp */
/* Padding included: equal words mean equal lengths and contents. */
static inline bool strings_are_equal(value a, value b) {
    if (a == b) return true;
    uintptr_t n = wosize_of(a);
    if (n != wosize_of(b)) return false;
    if (n > STRING_WORDS_INLINE) return memcmp((void *)a, (void *)b, 8 * n) == 0;
    for (uintptr_t i = 0; i < n; i++)
        if (field(a, i) != field(b, i)) return false;
    return true;
}
/* Lexicographic order of unsigned bytes: -1, 0 or 1. Whole words are compared, most significant
 * byte first, with the byte that counts the padding taken as zero, like the padding: so a prefix is
 * not larger than its extensions, and if all words are equal the lengths decide. */
static inline int strings_order(value a, value b) {
    const uintptr_t content = UINTPTR_MAX >> 8; /* of a last word */
    uintptr_t n = wosize_of(a), m = wosize_of(b), least = n < m ? n : m;
    uintptr_t first = least > 1 ? (uintptr_t)field(a, 0) : 0;
    uintptr_t other = least > 1 ? (uintptr_t)field(b, 0) : 0;
    if (first != other) return __builtin_bswap64(first) < __builtin_bswap64(other) ? -1 : 1;
    if (least > STRING_WORDS_INLINE) {
        uintptr_t la = string_length(a), lb = string_length(b);
        int c = memcmp((void *)a, (void *)b, la < lb ? la : lb);
        return c != 0 ? (c > 0) - (c < 0) : (la > lb) - (la < lb);
    }
    for (uintptr_t i = 0; i < least; i++) {
        uintptr_t x = (uintptr_t)field(a, i), y = (uintptr_t)field(b, i);
        if (x == y) continue;
        if (i + 1 == n) x &= content;
        if (i + 1 == m) y &= content;
        if (x != y) return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1 : 1;
        uintptr_t la = string_length(a), lb = string_length(b);
        return (la > lb) - (la < lb);
    }
    return (n > m) - (n < m);
}

/* Doubles. */
static inline double double_of_val(value v) {
    double x;
    memcpy(&x, (void *)v, 8);
    return x;
}
static inline double double_field(value v, uintptr_t i) {
    double x;
    memcpy(&x, (char *)v + 8 * i, 8);
    return x;
}
static inline void set_double_field(value v, uintptr_t i, double x) {
    memcpy((char *)v + 8 * i, &x, 8);
}

/* Closures: field 0 the code (tagged function index), field 1 closinfo, then the environment. */
static inline value make_closinfo(unsigned arity, uintptr_t start_env) {
    return (value)(((uintptr_t)arity << 56) | (start_env << 1) | 1);
}
static inline uintptr_t start_env_of(value closinfo) { return ((uintptr_t)closinfo << 8) >> 9; }
static inline uintptr_t infix_offset_words(value v) { return wosize_of(v); }

/* The block that holds v: v itself, or the closure block around an infix closure. */
static inline value block_start(value v) {
    return tag_of(v) == TAG_INFIX ? v - (value)(8 * infix_offset_words(v)) : v;
}

/* Operations of custom blocks; field 0 of such a block points at them. The layout is the C ABI's.
 * compare returns <0, 0, >0, or GC_UNORDERED; fixed_length may be null. */
struct gc_custom_fixed_length {
    intptr_t bsize_32, bsize_64;
};
struct gc_custom_ops {
    const char *identifier;
    void (*finalize)(value v);
    int (*compare)(value a, value b);
    intptr_t (*hash)(value v);
    void (*serialize)(value v, uintptr_t *bsize_32, uintptr_t *bsize_64);
    uintptr_t (*deserialize)(void *dst);
    int (*compare_ext)(value a, value b);
    const struct gc_custom_fixed_length *fixed_length;
};
#define GC_UNORDERED INT32_MIN
static inline const struct gc_custom_ops *custom_ops(value v) {
    return *(const struct gc_custom_ops **)v;
}
/* Whether v is a custom block with these operations. */
static inline bool is_custom_of(value v, const struct gc_custom_ops *ops) {
    return is_block(v) && tag_of(v) == TAG_CUSTOM && custom_ops(v) == ops;
}
static inline void *custom_data(value v) { return (value *)v + 1; }

#endif
