/* statistics.c - what --gc-stats prints about machine code. */
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/opcodes.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/native.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/symbols.h"

#include <stdlib.h>

/* The exits at one instruction. */
struct exit_count {
    uint32_t decoded; /* its word in the area */
    uint64_t taken;
};
enum { SHOWN_COUNTS = 5 };

static int by_word(const void *a, const void *b) {
    const struct exit_count *x = a, *y = b;
    return (x->decoded > y->decoded) - (x->decoded < y->decoded);
}

static int by_count(const void *a, const void *b) {
    const struct exit_count *x = a, *y = b;
    return x->taken != y->taken ? (x->taken < y->taken) - (x->taken > y->taken) : by_word(a, b);
}

/* The instructions whose exits were taken, the most frequent ones first. NULL: out of memory. */
static struct exit_count *find_counts(const struct native_exits *x, size_t *count) {
    struct exit_count *counts = malloc((x->count / EXIT_HEAD_WORDS + 1) * sizeof *counts);
    size_t n = 0, different = 0;
    if (counts == NULL) return NULL;
    for (size_t i = 0; i < x->count; i += native_exit_words(x->words + i)) {
        const uint32_t *exit = x->words + i;
        if (exit[EXIT_TAKEN] != 0)
            counts[n++] = (struct exit_count){exit[EXIT_DECODED], exit[EXIT_TAKEN]};
    }
    qsort(counts, n, sizeof *counts, by_word);
    for (size_t i = 0; i < n; i++) {
        if (different > 0 && counts[different - 1].decoded == counts[i].decoded)
            counts[different - 1].taken += counts[i].taken;
        else counts[different++] = counts[i];
    }
    qsort(counts, different, sizeof *counts, by_count);
    *count = different;
    return counts;
}

static void print_count(struct vm *vm, const struct exit_count *c, uint64_t all, FILE *err) {
    struct vm_resume at = resume_at(vm->decoded_area->words + c->decoded);
    const struct vm_decoded *decoded = vm_find_decoded(vm, at);
    const struct vm_function *f = &vm->functions[decoded->function];
    uint32_t pc = vm_decoded_row(vm, decoded, at).pc;
    char *name = vm_function_name(vm, decoded->function);
    fprintf(err, "jit:   %llu (%.1f %%) at ", (unsigned long long)c->taken,
            100.0 * (double)c->taken / (double)all);
    fprintf(err, "%s, byte %x, in ", vm_opcodes[vm_word(&vm->codes[f->fragment]->words, pc)].name,
            pc * 4);
    vm_put_name(err, name != NULL ? name : "?");
    fputc('\n', err);
    free(name);
}

void vm_native_print_summary(struct vm *vm, FILE *err) {
    const struct vm_native *n = vm->native;
    if (n == NULL) return;
    fprintf(err,
            "jit: %u functions compiled in %.2f ms, %u not; %.1f KB of code, %.1f KB of exits\n",
            n->compiled, (double)n->compile_ns / 1e6, n->refused, (double)n->memory.used / 1024,
            (double)(n->exits.count * sizeof *n->exits.words) / 1024);
    fprintf(err, "jit: exits: %llu\n", (unsigned long long)n->exit_count);
    size_t count;
    struct exit_count *counts = find_counts(&n->exits, &count);
    if (counts == NULL) return;
    vm_debuginfo_open(vm, false);
    for (size_t i = 0; i < count && i < SHOWN_COUNTS; i++)
        print_count(vm, &counts[i], n->exit_count, err);
    free(counts);
}
