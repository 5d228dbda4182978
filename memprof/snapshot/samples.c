/* samples.c - the blocks of a snapshot that a recording at the same time has sampled. */
#include "gc/walk.h"
#include "memprof/recorder/recorder.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/state/domain.h"

static void write_sampled(void *context, value block, uint64_t id, uint32_t place) {
    struct mp_named *named = context;
    struct mp_record_sampled record = {.id = id};
    if (!gc_is_reachable(&named->d->gc, block)) return;
    gc_block_number(&named->d->gc, block, &record.block);
    if (place != 0) record.place = mp_names_location(named->names, place - 1);
    mp_write_sampled(named->names->writer, &record);
}

void mp_snapshot_samples(struct mp_named *named) {
    const struct mp_recorder *r = mp_recorder_of(named->d->vm);
    if (r != NULL) mp_recorder_visit_samples(r, write_sampled, named);
}
