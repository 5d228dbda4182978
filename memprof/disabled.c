/* disabled.c - replaces the profiler with -Dmemprof=false: no primitives, and nothing can be
 * started. Callers test mp_is_present first. */
#include "memprof/attach/attach.h"
#include "memprof/counts/counts.h"
#include "memprof/memprof.h"
#include "memprof/recorder/recorder.h"
#include "memprof/sampling/tracker.h"
#include "memprof/snapshot/snapshot.h"

#include <errno.h>

const bool mp_is_present = false;
const struct vm_prim mp_prim_rows[] = {{.name = NULL}};
const size_t mp_prim_row_count = 0;

void mp_recorder_prepare(struct vm_options *options) {}
struct mp_recorder *mp_recorder_start(struct vm *vm, const struct mp_recorder_options *options) {
    errno = ENOTSUP;
    return NULL;
}
struct mp_recorder *mp_recorder_of(struct vm *vm) {
    return NULL;
}
enum mp_started_by mp_recorder_started_by(const struct mp_recorder *r) { return MP_BY_COMMAND; }
uint64_t mp_recorder_flush(struct mp_recorder *r) { return 0; }
struct mp_times mp_recorder_overhead(const struct mp_recorder *r) {
    return (struct mp_times){0, 0};
}
void mp_recorder_finish(struct mp_recorder *r, enum mp_outcome outcome, unsigned status,
                        struct mp_recording *out) {}

bool mp_snapshots_start(struct vm *vm, const struct mp_snapshot_options *options) {
    errno = ENOTSUP;
    return false;
}
unsigned mp_snapshots_finish(struct vm *vm) { return 0; }

void mp_attach_listen(struct vm *vm) {}
void mp_attach_end(struct vm *vm) {}

struct mp_counts *mp_counts_start(struct vm *vm, enum mp_counts_kind kind, bool stacks) {
    errno = ENOTSUP;
    return NULL;
}
int mp_counts_finish(struct mp_counts *c) { return 0; }
struct mp_counts *mp_counts_of(struct vm *vm) {
    return NULL;
}

bool mp_stress_start(struct domain *d, double rate) { return false; }

struct mp_tracker *mp_tracker_start(struct domain *d, double rate, uint64_t seed,
                                    const struct mp_tracker_events *events, void *context) {
    return NULL;
}
void mp_tracker_stop(struct mp_tracker *tracker) {}
void mp_tracker_free(struct mp_tracker *tracker) {}
