/* prim_compare.c - compare, (=), (<) and similar primitives on values of any type.
 *
 * Two values are traversed together, depth first, left to right. A stack holds what remains to be
 * compared: the first SMALL_STACK pairs in the C frame, further ones in a block of the major heap,
 * which becomes garbage. Only poll collects (the pairs are local roots then; an index is no heap
 * block); the walk calls it every STEPS steps, to handle signals, check limits and let other
 * threads run: a walk over cyclic values does not terminate. */
#include "gc/containers.h"
#include "stdlib/bigarray.h"
#include "stdlib/prim.h"
#include "vm/code/kinds.h"
#include "vm/code/version.h"
#include "vm/stack/limits.h"
#include "vm/stack/prim_watch.h"
#include "vm/thread/pending.h"

/* A result is -1, 0 or 1, or UNORDERED, which a nan causes: none of <, = and > holds. */
#define UNORDERED INTPTR_MIN
/* Pseudo-results: compare the content of forwarding block a (or b) instead. */
#define FOLLOW_A (INTPTR_MIN + 1)
#define FOLLOW_B (INTPTR_MIN + 2)
/* Pseudo-result: compare the fields. */
#define BY_FIELDS (INTPTR_MIN + 3)
/* Pseudo-result: the order is not known yet. */
#define UNDECIDED (INTPTR_MIN + 4)

enum { SMALL_STACK = IF_SMALL_TABLES(1, 64) };

/* Fields of a block that may be compared before a walk is begun. */
enum { FLAT_FIELDS = 8 };

/* Comparisons between two polls: about 50 us. */
enum { STEPS = 8192 };

/* Two blocks of the same size, whose fields from index next on remain to be compared. */
struct pair {
    value a, b;
    size_t next;
};

struct comparison {
    struct domain *d;
    bool total; /* nan equals itself and is below all numbers; else it is unordered */
    struct pair *stack;
    size_t depth, capacity; /* capacity < the limit of the depth; a grown stack has one pair more */
    struct pair small[SMALL_STACK];
};

enum { PAIR_WORDS = sizeof(struct pair) / sizeof(value) };

/* Pushes the fields of a and b from index next on, where the stack is full or its depth may be at
 * the limit. */
static __attribute__((noinline)) void push_slowly(struct comparison *c, value a, value b,
                                                  size_t next, bool more) {
    const size_t limit = c->d->vm->version->compare_depth;
    if (c->depth + more >= limit) vm_raise_out_of_memory(c->d);
    if (c->capacity < limit - 1) {
        size_t capacity = 2 * c->capacity < limit - 1 ? 2 * c->capacity : limit - 1;
        struct pair *wider = (struct pair *)gc_alloc_major_unsampled(
            &c->d->gc, (capacity + 1) * PAIR_WORDS, TAG_ABSTRACT);
        memcpy(wider, c->stack, c->depth * sizeof *wider);
        c->stack = wider;
        c->capacity = capacity;
    }
    c->stack[c->depth++] = (struct pair){a, b, next};
}

/* Pushes the fields of a and b from index next on. more: the blocks that the walk enters now will
 * be pushed later. OCaml has pushed them at this point, so its depth is one more than c->depth. */
static inline void push(struct comparison *c, value a, value b, size_t next, bool more) {
    ASSERT(c->depth <= c->capacity && next <= wosize_of(a) && wosize_of(a) <= wosize_of(b));
    if (__builtin_expect(c->depth < c->capacity, 1))
        c->stack[c->depth++] = (struct pair){a, b, next};
    else push_slowly(c, a, b, next, more);
}

static bool has_field(value v, size_t i) { return tag_of(v) < TAG_NO_SCAN && i < wosize_of(v); }

/* Drops the pairs that OCaml code has changed so that they can't be continued. GC: never. */
static void drop_changed_pairs(struct comparison *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->depth; i++) {
        const struct pair p = c->stack[i];
        if (!has_field(p.a, p.next) || !has_field(p.b, p.next) || wosize_of(p.a) > wosize_of(p.b))
            continue;
        c->stack[kept++] = p;
    }
    c->depth = kept;
}

/* Runs pending actions; *a and *b are the next values. GC: may run, and any OCaml code. Fails:
 * raises the exception of that code; does not return if a limit was reached. */
static __attribute__((noinline)) void poll(struct comparison *c, value *a, value *b) {
    struct domain *d = c->d;
    vm_charge_work(d, STEPS * sizeof(value));
    vm_stop_without_fuel(d);
    vm_watch_ocaml(d);
    if (!d->gc.action_requested) return;
    value block = c->stack == c->small ? VAL_UNIT : (value)c->stack;
    GC_ROOT(&d->gc, a, b, &block);
    __attribute__((cleanup(gc_leave_root_scope))) struct gc_root_scope pairs = {
        {d->gc.local_roots, 1, (intptr_t)(c->depth * PAIR_WORDS), {(value *)c->stack}},
        &d->gc.local_roots};
    d->gc.local_roots = &pairs.frame;
    vm_process_pending(d);
    drop_changed_pairs(c);
}

static intptr_t order_of(intptr_t a, intptr_t b) { return (a > b) - (a < b); }

static inline intptr_t compare_doubles(bool total, double a, double b) {
    if (a < b) return -1;
    if (a > b) return 1;
    if (a == b) return 0;
    if (!total) return UNORDERED;
    return (a == a) - (b == b);
}

static intptr_t compare_double_arrays(const struct comparison *c, value a, value b) {
    size_t n = wosize_of(a);
    if (n != wosize_of(b)) return order_of((intptr_t)n, (intptr_t)wosize_of(b));
    vm_charge_work(c->d, n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        intptr_t order = compare_doubles(c->total, double_field(a, i), double_field(b, i));
        if (order != 0) return order;
    }
    return 0;
}

static __attribute__((noinline)) intptr_t compare_strings(struct domain *d, value a, value b) {
    uintptr_t n = wosize_of(a), m = wosize_of(b);
    vm_charge_work(d, 8 * (n < m ? n : m));
    return strings_order(a, b);
}

/* The order by a custom block's function; a stub reports "unordered" in the ABI's field. */
static intptr_t custom_order(const struct comparison *c, int (*compare)(value a, value b), value a,
                             value b) {
    intptr_t *unordered = abi_compare_unordered(c->d);
    *unordered = 0;
    int order = compare(a, b);
    bool is_ordered = order != GC_UNORDERED && *unordered == 0;
    if (!is_ordered && !c->total) return UNORDERED;
    return order == GC_UNORDERED ? 0 : order_of(order, 0);
}

/* The compare function identifies a kind of custom block, except for bigarrays, of which libraries
 * have kinds of their own. */
static intptr_t compare_customs(const struct comparison *c, value a, value b) {
    const struct gc_custom_ops *x = custom_ops(a), *y = custom_ops(b);
    if (x->compare != y->compare) {
        if (!vm_kind_accepts(c->d, 'B', a) || !vm_kind_accepts(c->d, 'B', b))
            return strcmp(x->identifier, y->identifier) < 0 ? -1 : 1;
    } else if (x->compare == NULL) vm_invalid_argument(c->d, "compare: abstract value");
    else if (x->compare != bigarray_ops.compare) return custom_order(c, x->compare, a, b);
    bool unordered = false;
    vm_charge_work(c->d, bigarray_bytes(bigarray_of(a)));
    intptr_t order = bigarray_compare(a, b, &unordered);
    return unordered && !c->total ? UNORDERED : order_of(order, 0);
}

static intptr_t compare_objects(value a, value b) {
    if (wosize_of(a) < 2 || wosize_of(b) < 2) return 0;
    return order_of(int_of_val(field(a, 1)), int_of_val(field(b, 1)));
}

/* An evaluated lazy value stands for what it contains. */
static bool is_forward(value v) { return tag_of(v) == TAG_FORWARD && wosize_of(v) > 0; }

/* An integer against a block: compare_ext of a custom block decides, else the integer is less. */
static intptr_t compare_mixed(const struct comparison *c, value a, value b) {
    value v = is_int(a) ? b : a;
    if (gc_in_range(&c->d->gc, v) && tag_of(v) == TAG_CUSTOM && custom_ops(v)->compare_ext != NULL)
        return custom_order(c, custom_ops(v)->compare_ext, a, b);
    return is_int(a) ? -1 : 1;
}

/* Two blocks of TAG_LAZY, or of TAG_CONT, which in OCaml 4 is the tag of a constructor. */
static intptr_t compare_rare(const struct comparison *c, value a, value b) {
    if (tag_of(a) == TAG_CONT && c->d->vm->version->continuation_fields != 0)
        vm_invalid_argument(c->d, "compare: continuation value");
    if (wosize_of(a) != wosize_of(b) || wosize_of(a) == 0)
        return order_of((intptr_t)wosize_of(a), (intptr_t)wosize_of(b));
    return BY_FIELDS;
}

/* Two blocks of one tag, whose order deciding_fields doesn't find in their fields. */
static intptr_t compare_contents(const struct comparison *c, value a, value b, unsigned tag) {
    switch (tag) {
    case TAG_STRING: return a == b ? 0 : compare_strings(c->d, a, b);
    case TAG_DOUBLE: return compare_doubles(c->total, double_of_val(a), double_of_val(b));
    case TAG_DOUBLE_ARRAY: return compare_double_arrays(c, a, b);
    case TAG_ABSTRACT: vm_invalid_argument(c->d, "compare: abstract value");
    case TAG_CLOSURE:
    case TAG_INFIX: vm_invalid_argument(c->d, "compare: functional value");
    case TAG_OBJECT: return compare_objects(a, b);
    case TAG_CUSTOM: return compare_customs(c, a, b);
    case TAG_CONT:
    case TAG_LAZY: return compare_rare(c, a, b);
    default: return order_of((intptr_t)wosize_of(a), (intptr_t)wosize_of(b));
    }
}

/* The number of fields that decide the order of a and b; 0: it depends on something else, or their
 * tag is rare. */
static inline size_t deciding_fields(uintptr_t start, uintptr_t bytes, value a, value b) {
    const header colour = 3 << 8;
    if (is_int(a | b) || (uintptr_t)a - start >= bytes || (uintptr_t)b - start >= bytes) return 0;
    header h = header_of(a), k = header_of(b);
    return ((h ^ k) & ~colour) == 0 && tag_of_header(h) < TAG_CONT ? wosize_of_header(h) : 0;
}

/* The order of two integers, strings or floats, of different constructors, or of blocks of
 * different sizes of one constructor; else UNDECIDED. */
static inline intptr_t compare_leaves(struct domain *d, value a, value b, bool total) {
    if (is_int(a & b)) return order_of(a, b);
    const uintptr_t start = d->gc.range_start, bytes = d->gc.range_bytes;
    if (is_int(a | b)) {
        value v = is_int(a) ? b : a;
        if ((uintptr_t)v - start >= bytes || tag_of(v) >= TAG_CONT) return UNDECIDED;
        return is_int(a) ? -1 : 1;
    }
    if ((uintptr_t)a - start >= bytes || (uintptr_t)b - start >= bytes) return UNDECIDED;
    unsigned tag = tag_of(a), other = tag_of(b);
    if (tag == other) {
        if (tag == TAG_STRING) return a == b ? 0 : compare_strings(d, a, b);
        if (tag == TAG_DOUBLE) return compare_doubles(total, double_of_val(a), double_of_val(b));
    }
    if (tag >= TAG_CONT || other >= TAG_CONT) return UNDECIDED;
    if (tag != other) return tag < other ? -1 : 1;
    uintptr_t n = wosize_of(a), m = wosize_of(b);
    return n == m ? UNDECIDED : n < m ? -1 : 1;
}

/* Two values, not both integers, whose order deciding_fields doesn't find in their fields. */
static __attribute__((noinline)) intptr_t compare_others(const struct comparison *c, value a,
                                                         value b) {
    ASSERT(!is_int(a) || !is_int(b));
    intptr_t order = compare_leaves(c->d, a, b, c->total);
    if (order != UNDECIDED) return order;
    const struct gc_domain *g = &c->d->gc;
    bool heap_a = gc_is_heap_block(g, a), heap_b = gc_is_heap_block(g, b);
    if (heap_a && heap_b && tag_of(a) == tag_of(b) && tag_of(a) != TAG_FORWARD)
        return compare_contents(c, a, b, tag_of(a));
    if (heap_a && is_forward(a) && (is_int(b) || heap_b)) return FOLLOW_A;
    if (heap_b && is_forward(b) && (is_int(a) || heap_a)) return FOLLOW_B;
    if (is_int(a) || is_int(b)) return compare_mixed(c, a, b);
    if (!heap_a || !heap_b) return order_of(a, b);
    unsigned tag_a = tag_of(a), tag_b = tag_of(b);
    if (tag_a == TAG_INFIX) tag_a = TAG_CLOSURE;
    if (tag_b == TAG_INFIX) tag_b = TAG_CLOSURE;
    if (tag_a != tag_b) return order_of(tag_a, tag_b);
    return compare_contents(c, a, b, tag_a);
}

/* Pushes fields [next, n) of x and y, then all fields of a and b except the first. Returns 0. */
static __attribute__((noinline)) size_t push_rest(struct comparison *c, value a, value b, value x,
                                                  value y, size_t next, size_t n) {
    if (next < n) push(c, x, y, next, true);
    if (wosize_of(a) > 1) push(c, a, b, 1, false);
    return 0;
}

static inline void begin(struct comparison *c, struct domain *d, bool total) {
    c->d = d;
    c->total = total;
    c->stack = c->small;
    c->depth = 0;
    c->capacity = SMALL_STACK;
}

/* Compares a and b by their fields [next, n) or, if n is 0, as a whole. Not inlined, so that the
 * fast paths of the primitives need no large frame. The state of a step fits into registers: the
 * walk is bound by the loads of headers, and with few instructions between them the processor has
 * several in flight. (Prefetching more fields gained nothing.) */
static __attribute__((noinline)) intptr_t walk(struct domain *d, value a, value b, bool total,
                                               size_t next, size_t n) {
    struct comparison c;
    begin(&c, d, total);
    const uintptr_t start = d->gc.range_start, bytes = d->gc.range_bytes;
    /* After a and b come fields [next, n) of x and y, then what is on the stack. */
    value x = a, y = b;
    if (n > 0) a = field(x, next), b = field(y, next), next++;
    unsigned steps = STEPS;
    intptr_t order;
    for (;;) {
        if (__builtin_expect(--steps == 0, 0)) {
            steps = STEPS;
            if (next < n) push(&c, x, y, next, deciding_fields(start, bytes, a, b) > 1);
            next = n = 0;
            value p = a, q = b; /* a and b stay in registers */
            poll(&c, &p, &q);
            a = p;
            b = q;
        }
        if (a != b || (!total && is_block(a))) {
            size_t fields = deciding_fields(start, bytes, a, b);
            if (fields > 0) {
                if (next < n) push(&c, x, y, next, fields > 1);
                x = a;
                y = b;
                next = 1;
                n = fields;
                a = field(x, 0);
                b = field(y, 0);
                continue;
            }
            order = is_int(a & b) ? order_of(a, b) : compare_others(&c, a, b);
            if (order != 0) {
                if (order != BY_FIELDS && order != FOLLOW_A && order != FOLLOW_B) break;
                if (order == BY_FIELDS) next = n = push_rest(&c, a, b, x, y, next, n);
                if (order != FOLLOW_B) a = field(a, 0);
                if (order != FOLLOW_A) b = field(b, 0);
                continue;
            }
        }
        if (next == n) {
            if (c.depth == 0) {
                order = 0;
                break;
            }
            const struct pair *top = &c.stack[--c.depth];
            x = top->a;
            y = top->b;
            next = top->next;
            n = wosize_of(x);
        }
        a = field(x, next);
        b = field(y, next);
        next++;
    }
    vm_charge_work(d, (STEPS - steps) * sizeof(value));
    return order;
}

/* Two values, not both integers. Most are leaves or small blocks of them, which need no stack. */
static __attribute__((noinline)) intptr_t compare_blocks(struct domain *d, value a, value b,
                                                         bool total) {
    const size_t n = deciding_fields(d->gc.range_start, d->gc.range_bytes, a, b);
    intptr_t order = UNDECIDED;
    size_t i = 0;
    if (n == 0) order = compare_leaves(d, a, b, total);
    else if (n <= FLAT_FIELDS) {
        vm_charge_work(d, sizeof(value));
        for (order = 0; i < n; i++) {
            value x = field(a, i), y = field(b, i);
            if (x == y && (total || is_int(x))) continue;
            order = is_int(x & y) ? order_of(x, y) : compare_leaves(d, x, y, total);
            if (order != 0) break;
        }
    }
    ASSERT(order != UNDECIDED || n == 0 || i < n);
    return order != UNDECIDED ? order : walk(d, a, b, total, i, n);
}

static inline bool is_string(const struct domain *d, value v) {
    return gc_is_heap_block(&d->gc, v) && tag_of(v) == TAG_STRING;
}

static inline intptr_t compare_values(struct domain *d, value a, value b, bool total) {
    if (is_int(a & b)) return order_of(a, b);
    if (is_string(d, a) && is_string(d, b)) return a == b ? 0 : compare_strings(d, a, b);
    return compare_blocks(d, a, b, total);
}

#define COMPARISON(name, total, result)                     \
    value prim_##name(struct domain *d, value a, value b) { \
        intptr_t order = compare_values(d, a, b, total);    \
        return result;                                      \
    }
COMPARISON(compare, true, val_of_int(order))
COMPARISON(equal, false, val_of_bool(order == 0))
COMPARISON(notequal, false, val_of_bool(order != 0))
COMPARISON(lessthan, false, val_of_bool(order < 0 && order != UNORDERED))
COMPARISON(lessequal, false, val_of_bool(order <= 0 && order != UNORDERED))
COMPARISON(greaterthan, false, val_of_bool(order > 0))
COMPARISON(greaterequal, false, val_of_bool(order >= 0))
