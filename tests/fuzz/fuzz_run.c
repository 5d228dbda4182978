/* fuzz_run.c - libFuzzer target: any bytes as a bytecode executable that is run.
 *
 * What the verifier accepts must terminate or reach a limit, with a valid heap. The
 * length decides how the collector is stressed, so that an input always does the same. */
#include "tests/fuzz/run_image.h"
#include "tests/fuzz/target.h"
#include "vm/image/policy.h"

enum { FUEL = 20000, STRESSED = 8, STRESS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct vm_policy policy = {0};
    vm_policy_pure(&policy);
    const struct run_way way = {
        .policy = &policy, .fuel = FUEL, .stress = size % STRESSED == 0 ? STRESS : 0};
    run_image(data, size, &way);
    vm_policy_free(&policy);
    return 0;
}
