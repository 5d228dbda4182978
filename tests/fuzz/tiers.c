/* tiers.c - see tiers.h. */
#include "tests/fuzz/tiers.h"

#include "tests/fuzz/run_record.h"
#include "vm/state/vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const char *const tiers_texts[TIERS_ENDS] = {
    [TIERS_REFUSED] = "refused",         [TIERS_SAME] = "the same",
    [TIERS_ENDLESS] = "not terminating", [TIERS_MEMORY] = "out of memory",
    [TIERS_UNSTEADY] = "varying",        [TIERS_DIFFER] = "different",
};

static const struct {
    enum vm_jit jit;
    uint64_t jit_stress;
    unsigned stress;
} ways[] = {
    {VM_JIT_ALL, 0, 0}, {VM_JIT_ALL, 1, 0}, {VM_JIT_HOT, 0, 0}, {VM_JIT_ALL, 3, 0},
    {VM_JIT_ALL, 0, 0}, {VM_JIT_ALL, 2, 2}, {VM_JIT_ALL, 7, 0}, {VM_JIT_ALL, 0, 1},
};
enum { WAYS = sizeof ways / sizeof *ways, PIECES = 512 };

static bool says(const struct run_record *record, const char *text) {
    return record->output.count > 0 &&
           memmem(record->output.items, record->output.count, text, strlen(text)) != NULL;
}

/* A run that reaches such a limit may reach it a little sooner as machine code, which counts for
 * the heap's and has frames for the arguments beyond a function's. */
static bool used_all_memory(const struct run_record *record) {
    return record->end == RUN_NO_MEMORY || says(record, "Stack_overflow") ||
           says(record, "Stack overflow") || says(record, "Out_of_memory") ||
           says(record, "Out of memory");
}

static void show(const char *title, const struct run_record *record) {
    size_t n = record->output.count, shown = n > 300 ? 300 : n;
    printf("   %s: end %d, status %d, limit %d, backtrace %llx, heap %llx, %zu bytes: ...%.*s\n",
           title, (int)record->end, record->status, record->stopped,
           (unsigned long long)record->backtrace, (unsigned long long)record->heap, n, (int)shown,
           n == 0 ? "" : record->output.items + n - shown);
}

/* Takes a piece of each size that malloc gives again, or frees them. */
static void take_pieces(void *pieces[PIECES], bool take) {
    for (size_t i = 0; i < PIECES; i++)
        if (take) pieces[i] = malloc(16 * i + 8);
        else free(pieces[i]);
}

/* Whether the interpreter itself shows something else when blocks lie elsewhere: in minor heaps of
 * other sizes, and after memory was taken that moves what is mapped and allocated later. */
static bool is_unsteady(const uint8_t *bytes, size_t length, struct run_way way,
                        const struct run_record *before) {
    static const size_t minor_words[] = {8192, 5000, 20000};
    bool differs = false;
    for (size_t i = 0; i < sizeof minor_words / sizeof *minor_words && !differs; i++) {
        struct run_record again;
        void *pieces[PIECES];
        take_pieces(pieces, true);
        size_t moves_bytes = (i + 1) << 22;
        void *moves = mmap(NULL, moves_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        way.jit = VM_JIT_OFF, way.jit_stress = 0;
        way.minor_words = minor_words[i];
        way.record = &again;
        run_image(bytes, length, &way);
        differs = run_record_difference(before, &again) != NULL;
        run_record_end(&again);
        munmap(moves, moves_bytes);
        take_pieces(pieces, false);
    }
    return differs;
}

static enum tiers_end judge(const uint8_t *bytes, size_t length, const struct run_way *way,
                            const struct run_record *loop, const struct run_record *native) {
    const char *what = run_record_difference(loop, native);
    if (what == NULL) return TIERS_SAME;
    if (used_all_memory(loop) || used_all_memory(native)) return TIERS_MEMORY;
    if (is_unsteady(bytes, length, *way, loop)) return TIERS_UNSTEADY;
    printf("   %s differs with --jit=%s --jit-stress=%llu --gc-stress=%u\n", what,
           way->jit == VM_JIT_ALL ? "all" : "hot", (unsigned long long)way->jit_stress,
           way->stress);
    show("the interpreter", loop);
    show("machine code", native);
    return TIERS_DIFFER;
}

enum tiers_end compare_tiers(const uint8_t *bytes, size_t length, const struct vm_policy *policy,
                             uint64_t fuel, uint64_t number) {
    struct run_record loop, native;
    struct run_way way = {.policy = policy, .fuel = fuel, .jit = VM_JIT_OFF, .record = &loop};
    enum tiers_end end = TIERS_REFUSED;
    run_image(bytes, length, &way);
    if (loop.end == RUN_STOPPED && loop.stopped == STOP_FUEL) end = TIERS_ENDLESS;
    else if (loop.end == RUN_NO_MEMORY) end = TIERS_MEMORY;
    else if (loop.end != RUN_REFUSED) {
        way = (struct run_way){.policy = policy,
                               .jit = ways[number % WAYS].jit,
                               .jit_stress = ways[number % WAYS].jit_stress,
                               .stress = ways[number % WAYS].stress,
                               .record = &native};
        run_image(bytes, length, &way);
        end = judge(bytes, length, &way, &loop, &native);
        run_record_end(&native);
    }
    run_record_end(&loop);
    return end;
}
