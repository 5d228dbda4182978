/* prim_hash.c - Hashtbl's hash function.
 *
 * The hash is a bounded breadth-first walk over a value. Its results are OCaml's bit for bit, since
 * the order of iteration over hash tables depends on them. */
#include "stdlib/hash_mix.h"
#include "stdlib/prim.h"
#include "vm/code/raw.h"
#include "vm/code/version.h"

enum { QUEUE_WORDS = 256, MAX_FORWARDS = 1000, FLAT_FIELDS = 8 };

/* A walk: the hash so far, the number of meaningful words that may still be mixed in, the queue of
 * values. */
struct walk {
    const struct domain *d;
    uint32_t h;
    intptr_t meaningful;
    size_t limit, read, written;
    value queue[QUEUE_WORDS];
};

static __attribute__((noinline)) uint32_t mix_string(uint32_t h, value v) {
    return hash_mix_string(h, v);
}

/* *mixed: h with v, if that is an integer, a string or a float. */
static inline __attribute__((always_inline)) bool mix_leaf(const struct gc_domain *g, uint32_t h,
                                                           value v, uint32_t *mixed) {
    if (is_int(v)) *mixed = hash_mix_word(h, v);
    else if (!gc_in_range(g, v)) return false;
    else if (tag_of(v) == TAG_STRING) *mixed = mix_string(h, v);
    else if (tag_of(v) == TAG_DOUBLE) *mixed = hash_mix_double(h, double_of_val(v));
    else return false;
    return true;
}

static inline void enqueue_fields(struct walk *w, value v, size_t from) {
    size_t n = wosize_of(v), written = w->written;
    for (size_t i = from; i < n && written < w->limit; i++) {
        value content = field(v, i);
        if (is_block(content)) __builtin_prefetch(header_ptr(content));
        w->queue[written++] = content;
    }
    w->written = written;
}

static inline uint32_t mix_header(uint32_t h, value v) {
    return hash_mix_uint32(h, (uint32_t)make_header(wosize_of(v), tag_of(v), 0));
}

static void mix_closure(struct walk *w, value v) {
    size_t n = wosize_of(v), start_env = n > 1 ? start_env_of(field(v, 1)) : 0;
    w->h = mix_header(w->h, v);
    for (size_t i = 0; i < start_env && i < n; i++) {
        w->h = hash_mix_word(w->h, field(v, i));
        w->meaningful--;
    }
    enqueue_fields(w, v, start_env);
}

static void mix_double_array(struct walk *w, value v) {
    size_t n = wosize_of(v);
    for (size_t i = 0; i < n && w->meaningful > 0; i++, w->meaningful--)
        w->h = hash_mix_double(w->h, double_field(v, i));
}

static void mix_word(struct walk *w, value v) {
    w->h = hash_mix_word(w->h, v);
    w->meaningful--;
}

/* A block that is neither a leaf nor a forwarding block. */
static void mix_block(struct walk *w, value v) {
    ASSERT(gc_in_range(&w->d->gc, v));
    switch (tag_of(v)) {
    case TAG_DOUBLE_ARRAY: mix_double_array(w, v); break;
    case TAG_ABSTRACT: break;
    case TAG_INFIX:
        w->h = hash_mix_uint32(w->h, (uint32_t)(8 * infix_offset_words(v)));
        mix_closure(w, block_start(v));
        break;
    case TAG_OBJECT:
        if (wosize_of(v) > 1) mix_word(w, int_of_val(field(v, 1)));
        break;
    case TAG_CUSTOM:
        if (custom_ops(v)->hash != NULL) {
            w->h = hash_mix_uint32(w->h, (uint32_t)custom_ops(v)->hash(v));
            w->meaningful--;
        } else if (vm_raw_is_word(v)) mix_word(w, field(v, 1));
        break;
    case TAG_CLOSURE: mix_closure(w, v); break;
    case TAG_CONT:
        if (w->d->vm->version->continuation_fields != 0) break; /* else a constructor's */
        /* fall through */
    default: w->h = mix_header(w->h, v); enqueue_fields(w, v, 0);
    }
}

static void mix_value(struct walk *w, value v) {
    for (int i = 0; i <= MAX_FORWARDS; i++) {
        if (mix_leaf(&w->d->gc, w->h, v, &w->h)) {
            w->meaningful--;
            return;
        }
        if (!gc_in_range(&w->d->gc, v)) {
            mix_word(w, v);
            return;
        }
        if (tag_of(v) != TAG_FORWARD || wosize_of(v) == 0) {
            mix_block(w, v);
            return;
        }
        v = field(v, 0);
    }
}

static __attribute__((noinline)) uint32_t walk(struct domain *d, intptr_t meaningful,
                                               intptr_t total, uint32_t seed, value v) {
    struct walk w; /* the queue needs no initial contents */
    w.d = d;
    w.h = seed;
    w.meaningful = meaningful;
    w.limit = total >= 0 && total <= QUEUE_WORDS ? (size_t)total : QUEUE_WORDS;
    w.read = 0;
    w.written = 1;
    w.queue[0] = v;
    while (w.read < w.written && w.meaningful > 0) {
        v = w.queue[w.read++];
        if (is_int(v)) mix_word(&w, v);
        else if (gc_in_range(&d->gc, v) && tag_of(v) < TAG_CONT) {
            w.h = mix_header(w.h, v);
            enqueue_fields(&w, v, 0);
        } else mix_value(&w, v);
    }
    return w.h;
}

/* *mixed: h with v, if that is a leaf, or a small block of a constructor whose fields are leaves.
 * Most keys of tables are, and need no queue. */
static inline bool mix_flat(struct domain *d, intptr_t meaningful, intptr_t total, uint32_t h,
                            value v, uint32_t *mixed) {
    if (mix_leaf(&d->gc, h, v, mixed)) return true;
    if (!gc_in_range(&d->gc, v) || tag_of(v) >= TAG_CONT) return false;
    size_t n = wosize_of(v);
    if (n > FLAT_FIELDS || total < FLAT_FIELDS) return false;
    h = mix_header(h, v);
    for (size_t i = 0; i < n && meaningful > 0; i++, meaningful--)
        if (!mix_leaf(&d->gc, h, field(v, i), &h)) return false;
    *mixed = h;
    return true;
}

value prim_hash(struct domain *d, value meaningful, value total, value seed, value v) {
    uint32_t h = (uint32_t)int_of_val(seed);
    intptr_t words = int_of_val(meaningful), most = int_of_val(total);
    if (words > 0 && !mix_flat(d, words, most, h, v, &h)) h = walk(d, words, most, h, v);
    return val_of_int(hash_finish(h) & 0x3FFFFFFF);
}

/* The same as hash of the string. */
value prim_string_hash(struct domain *d, value seed, value s) {
    uint32_t h = hash_mix_string((uint32_t)int_of_val(seed), s);
    return val_of_int(hash_finish(h) & 0x3FFFFFFF);
}
