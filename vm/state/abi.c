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

/* The fields that stubs of 5.x use; before 5.3 the statistics are left out. */
#define LAYOUT_5(roots)                                                                        \
    .young_start = 16, .young_end = 24, .local_roots = (roots), .backtrace_pos = (roots) + 24, \
    .backtrace_active = (roots) + 32, .backtrace_last_exn = (roots) + 48,                      \
    .compare_unordered = (roots) + 56, .takes_domain_state = true
const struct vm_abi_layout vm_abi_5_0 = {LAYOUT_5(160)};
const struct vm_abi_layout vm_abi_5_1 = {LAYOUT_5(152)};

#define STATISTICS(minor_words)                                                  \
    .stat_minor_words = (minor_words), .stat_promoted_words = (minor_words) + 8, \
    .stat_major_words = (minor_words) + 16, .stat_forced_major_collections = (minor_words) + 24
const struct vm_abi_layout vm_abi_5_3 = {LAYOUT_5(160), .minor_heap_wsz = 272, .id = 288,
                                         .unique_id = 296, STATISTICS(384)};
const struct vm_abi_layout vm_abi_5_4 = {LAYOUT_5(192), .minor_heap_wsz = 304, .id = 320,
                                         .unique_id = 328, STATISTICS(416)};
