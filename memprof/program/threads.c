/* threads.c - profiles and the machine's threads (vm/thread/thread.h).
 *
 * As in OCaml, allocations are told in the thread that allocated, everything else in whichever
 * thread comes by; and a thread that runs a callback samples nothing, while others do: the common
 * lane is suspended as often as the running thread suspended it. The lanes of start_another belong
 * to the machine: while one of their callbacks runs no thread is sampled in them. */
#include "memprof/program/profile.h"

uintptr_t mp_switch_thread(void *state, intptr_t number, uintptr_t word) {
    struct mp_engine *engine = state;
    unsigned left = engine->silenced ? 0 : engine->lane.suspended, entered = (unsigned)word;
    engine->thread = (uint32_t)number;
    if (engine->silenced) return 0;
    while (engine->lane.suspended < entered) mp_lane_suspend(engine->sampler, &engine->lane);
    while (engine->lane.suspended > entered) mp_lane_resume(engine->sampler, &engine->lane);
    return left;
}

void mp_thread_ended(void *state, intptr_t number) {
    struct mp_engine *engine = state;
    for (struct mp_profile *p = engine->profiles; p != NULL; p = p->next)
        mp_tracked_drop_births(&p->entries, (uint32_t)number);
}
