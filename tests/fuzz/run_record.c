/* run_record.c - see run_record.h. */
#include "tests/fuzz/run_record.h"

#include "vm/code/code.h"
#include "vm/stack/backtrace.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

/* ---- Output. ---- */

static ptrdiff_t read_nothing(void *context, void *to, size_t n) {
    (void)context, (void)to, (void)n;
    return 0;
}

static ptrdiff_t put_output(void *context, const void *from, size_t n) {
    struct run_record *record = context;
    if (!vector_reserve(&record->output, n, 4096, NULL)) abort();
    memcpy(record->output.items + record->output.count, from, n);
    record->output.count += n;
    return (ptrdiff_t)n;
}

static ssize_t put_message(void *context, const char *from, size_t n) {
    return put_output(context, from, n);
}

void run_record_begin(struct run_record *record, struct vm_options *options) {
    *record = (struct run_record){.status = -1};
    record->err = fopencookie(record, "w", (cookie_io_functions_t){.write = put_message});
    if (record->err == NULL) abort();
    setvbuf(record->err, NULL, _IONBF, 0);
    options->err = record->err;
    const struct vm_stream stream = {read_nothing, put_output, record};
    for (int i = 0; i < VM_STREAMS; i++) options->streams[i] = stream;
}

void run_record_end(struct run_record *record) {
    fclose(record->err);
    free(record->output.items);
}

/* ---- Sums. ---- */

static void add(uint64_t *sum, uint64_t word) {
    *sum = (*sum ^ word) * 0x9E3779B97F4A7C15u;
    *sum ^= *sum >> 29;
}

static void add_bytes(uint64_t *sum, const void *bytes, size_t n) {
    const unsigned char *from = bytes;
    uint64_t word;
    for (; n >= 8; from += 8, n -= 8) add(sum, (memcpy(&word, from, 8), word));
    for (; n > 0; n--) add(sum, *from++);
}

void run_record_backtrace(struct run_record *record, struct vm *vm) {
    const struct vm_backtrace *backtrace = vm->domain->backtrace;
    size_t count = vm_backtrace_count(vm->domain);
    add(&record->backtrace, count);
    add_bytes(&record->backtrace, backtrace->gpcs, count * sizeof *backtrace->gpcs);
}

/* ---- The heap: breadth first, blocks are numbered in the order of their first visits. ---- */

enum { MOST_BLOCKS = 1 << 16 };

struct blocks VECTOR(value);
struct heap_walk {
    struct vm *vm;
    struct word_map numbers;
    struct blocks blocks;
    uint64_t sum;
};

/* Collections leave out such blocks, some earlier, some later. */
static value after_forwards(value v) {
    while (is_block(v) && tag_of(v) == TAG_FORWARD && wosize_of(v) == 1) v = field(v, 0);
    return v;
}

static void add_value(struct heap_walk *w, value v) {
    v = after_forwards(v);
    if (is_int(v)) {
        add(&w->sum, (uint64_t)v);
        return;
    }
    if (tag_of(v) == TAG_DOUBLE) {
        add(&w->sum, (uint64_t)field(v, 0));
        return;
    }
    value block = block_start(v);
    add(&w->sum, (uint64_t)(v - block));
    uintptr_t *number = word_map_add(&w->numbers, (uintptr_t)block, 1024, NULL);
    if (number == NULL) abort();
    if (*number == 0) {
        *number = w->blocks.count + 1;
        if (!vector_push(&w->blocks, block, 1024, NULL)) abort();
    }
    add(&w->sum, *number);
}

/* Functions get their numbers when they are first named. Infix headers have colours. */
static void add_closure(struct heap_walk *w, value v) {
    uintptr_t first = start_env_of(field(v, 1));
    for (uintptr_t i = 0; i < wosize_of(v); i++) {
        if (i >= first) add_value(w, field(v, i));
        else if (i % 3 != 0) add(&w->sum, (uint64_t)field(v, i) & ~(uint64_t)0x300);
        else add(&w->sum, w->vm->functions[int_of_val(field(v, i))].pc);
    }
}

static void add_custom(struct heap_walk *w, value v) {
    const char *identifier = custom_ops(v)->identifier;
    add_bytes(&w->sum, identifier, strlen(identifier));
    bool is_number = strcmp(identifier, "_i") == 0 || strcmp(identifier, "_j") == 0 ||
                     strcmp(identifier, "_n") == 0;
    if (is_number) add(&w->sum, (uint64_t)field(v, 1));
}

static void add_block(struct heap_walk *w, value v) {
    unsigned tag = tag_of(v);
    uintptr_t wosize = wosize_of(v);
    add(&w->sum, wosize << 8 | tag);
    if (tag == TAG_CLOSURE) add_closure(w, v);
    else if (tag == TAG_STRING || tag == TAG_DOUBLE_ARRAY)
        add_bytes(&w->sum, (void *)v, 8 * wosize);
    else if (tag == TAG_CUSTOM) add_custom(w, v);
    else if (tag < TAG_NO_SCAN && tag != TAG_CONT)
        for (uintptr_t i = 0; i < wosize; i++) add_value(w, field(v, i));
}

void run_record_heap(struct run_record *record, struct vm *vm) {
    struct heap_walk w = {.vm = vm};
    add_value(&w, vm->global_data);
    for (size_t i = 0; i < w.blocks.count && i < MOST_BLOCKS; i++) add_block(&w, w.blocks.items[i]);
    record->heap = w.sum;
    free(w.numbers.entries);
    free(w.blocks.items);
}

const char *run_record_difference(const struct run_record *a, const struct run_record *b) {
    if (a->end != b->end) return "end";
    if (a->status != b->status) return "status";
    if (a->stopped != b->stopped) return "limit";
    if (a->output.count != b->output.count ||
        (a->output.count > 0 && memcmp(a->output.items, b->output.items, a->output.count) != 0))
        return "output";
    if (a->backtrace != b->backtrace) return "backtrace";
    return a->heap != b->heap ? "heap" : NULL;
}
