/* stress.h - a client that checks the sampler while any program runs (--memprof-stress). The
 * program sees no difference; the process aborts when a block's events contradict each other. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_STRESS_H
#define BACTRIAN_MEMPROF_SAMPLING_STRESS_H

#include <stdbool.h>

struct domain;

/* Starts it with a rate of 0 to 1, until the machine is destroyed. False when out of memory.
 * GC: never. */
bool mp_stress_start(struct domain *d, double rate);

#endif
