/* prim_hash.c - Hashtbl's hash function.
 *
 * The hash is a bounded breadth-first walk over a value. Its results are OCaml's bit for bit, since
 * the order of iteration over hash tables depends on them. */
#include "stdlib/hash_mix.h"
#include "stdlib/prim.h"
#include "vm/code/version.h"

enum { QUEUE_WORDS = 256, MAX_FORWARDS = 1000 };

/* A walk: the hash so far, the number of meaningful words that may still be mixed in, the queue of
 * values. */
struct walk {
    const struct domain *d;
    uint32_t h;
    intptr_t meaningful;
    size_t limit, read, written;
    value queue[QUEUE_WORDS];
};

static void enqueue_fields(struct walk *w, value v, size_t from) {
    size_t n = wosize_of(v);
    for (size_t i = from; i < n && w->written < w->limit; i++) {
        value content = field(v, i);
        if (is_block(content)) __builtin_prefetch(header_ptr(content));
        w->queue[w->written++] = content;
    }
}

static void mix_header(struct walk *w, value v) {
    w->h = hash_mix_uint32(w->h, (uint32_t)make_header(wosize_of(v), tag_of(v), 0));
}

static void mix_closure(struct walk *w, value v) {
    size_t n = wosize_of(v), start_env = n > 1 ? start_env_of(field(v, 1)) : 0;
    mix_header(w, v);
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

static void mix_block(struct walk *w, value v) {
    ASSERT(gc_in_range(&w->d->gc, v));
    switch (tag_of(v)) {
    case TAG_STRING:
        w->h = hash_mix_string(w->h, v);
        w->meaningful--;
        break;
    case TAG_DOUBLE:
        w->h = hash_mix_double(w->h, double_of_val(v));
        w->meaningful--;
        break;
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
        }
        break;
    case TAG_CLOSURE: mix_closure(w, v); break;
    case TAG_CONT:
        if (w->d->vm->version->continuation_fields != 0) break; /* else a constructor's */
        /* fall through */
    default: mix_header(w, v); enqueue_fields(w, v, 0);
    }
}

static void mix_value(struct walk *w, value v) {
    for (int i = 0; i <= MAX_FORWARDS; i++) {
        if (is_int(v) || !gc_in_range(&w->d->gc, v)) {
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

value prim_hash(struct domain *d, value meaningful, value total, value seed, value v) {
    struct walk w; /* the queue needs no initial contents */
    w.d = d;
    w.h = (uint32_t)int_of_val(seed);
    w.meaningful = int_of_val(meaningful);
    w.limit = QUEUE_WORDS;
    w.read = 0;
    w.written = 1;
    intptr_t limit = int_of_val(total);
    if (limit >= 0 && limit <= QUEUE_WORDS) w.limit = (size_t)limit;
    ASSERT(w.limit <= QUEUE_WORDS);
    w.queue[0] = v;
    while (w.read < w.written && w.meaningful > 0) mix_value(&w, w.queue[w.read++]);
    return val_of_int(hash_finish(w.h) & 0x3FFFFFFF);
}

/* The same as hash of the string. */
value prim_string_hash(struct domain *d, value seed, value s) {
    uint32_t h = hash_mix_string((uint32_t)int_of_val(seed), s);
    return val_of_int(hash_finish(h) & 0x3FFFFFFF);
}
