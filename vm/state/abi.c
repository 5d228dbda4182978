/* abi.c - the layouts of abi.h. */
#include "vm/state/abi.h"

const struct vm_abi_layout vm_abi_4 = {
    .young_start = 32,
    .young_end = 40,
    .minor_heap_wsz = 80,
    .backtrace_active = 232,
    .backtrace_pos = 240,
    .backtrace_last_exn = 256,
    .compare_unordered = 264,
    .local_roots = 288,
    .stat_minor_words = 296,
    .stat_promoted_words = 304,
    .stat_major_words = 312,
    .stat_minor_collections = 320,
    .stat_major_collections = 328,
    .stat_heap_wsz = 336,
    .stat_top_heap_wsz = 344,
    .stat_compactions = 352,
    .stat_forced_major_collections = 360,
    .stat_heap_chunks = 368,
    .counts_in_doubles = true,
};

/* Of 5.x: by the offsets of local_roots, minor_heap_wsz and stat_minor_words. */
#define LAYOUT_5(roots, heap, words)                                                           \
    .young_start = 16, .young_end = 24, .local_roots = (roots), .backtrace_pos = (roots) + 24, \
    .backtrace_active = (roots) + 32, .backtrace_last_exn = (roots) + 48,                      \
    .compare_unordered = (roots) + 56, .minor_heap_wsz = (heap), .id = (heap) + 16,            \
    .unique_id = (heap) + 24, .stat_minor_words = (words), .stat_promoted_words = (words) + 8, \
    .stat_major_words = (words) + 16, .takes_domain_state = true
const struct vm_abi_layout vm_abi_5_0 = {LAYOUT_5(160, 264, 352)};
/* From 5.1 on. */
#define LAYOUT_5_1(roots) \
    LAYOUT_5((roots), (roots) + 112, (roots) + 224), .stat_forced_major_collections = (roots) + 248
const struct vm_abi_layout vm_abi_5_1 = {LAYOUT_5_1(152)};
const struct vm_abi_layout vm_abi_5_3 = {LAYOUT_5_1(160)};
const struct vm_abi_layout vm_abi_5_4 = {LAYOUT_5_1(192)};
