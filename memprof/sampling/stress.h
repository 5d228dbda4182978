/* stress.h - a client of the sampler that provokes it while any program runs (--memprof-stress): it
 * changes nothing that the program can see, and ends the process when a block's story is untrue. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_STRESS_H
#define BACTRIAN_MEMPROF_SAMPLING_STRESS_H

struct domain;
struct mp_stress;

/* Starts it, for the life of the machine, whose engine owns it. rate: 0 to 1. NULL: no memory.
 * GC: never. */
struct mp_stress *mp_stress_start(struct domain *d, double rate);
/* Frees it when the heap is gone. GC: never. */
void mp_stress_release(struct mp_stress *stress);

#endif
