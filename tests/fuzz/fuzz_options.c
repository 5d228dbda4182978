/* fuzz_options.c - libFuzzer target: any bytes as OCAMLRUNPARAM and a command line.
 *
 * The first line is the variable's value, each other line an argument of `bactrian`. What is
 * refused is refused with one line of ASCII; what is accepted is in the ranges that options.h and
 * vm.h state, and a machine with these options can be made and is in order. */
#include "gc/heap.h"
#include "stdlib/state.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/words.h"
#include "vm/cli/cli.h"
#include "vm/cli/options.h"
#include "vm/code/version.h"
#include "vm/machine/machine.h"
#include "vm/state/options.h"
#include "vm/state/vm.h"

#define REQUIRE(condition)         \
    do {                           \
        if (!(condition)) abort(); \
    } while (0)

enum { MAX_STRESS = 6 };

/* `bactrian: what is wrong: what to do`. */
static void check_message(const char *text, size_t length) {
    REQUIRE(length > 12 && memcmp(text, "bactrian: ", 10) == 0 && text[length - 1] == '\n');
    for (size_t i = 0; i + 1 < length; i++) REQUIRE((unsigned char)text[i] >= ' ');
}

static bool is_rate(double rate) { return rate == 0 || (rate > 0 && rate <= 1); }
static bool is_budget(double bytes) { return bytes == -1 || (bytes >= 0 && bytes < 1e20); }

static void check_ranges(const struct cli_options *o, char *const *words, size_t count) {
    REQUIRE(o->verb < VERB_COUNT && (!o->has_action || o->action < OPTION_COUNT));
    REQUIRE(o->operands >= words && o->operands <= words + count);
    REQUIRE(o->vm.gc.stress <= MAX_STRESS);
    REQUIRE(is_rate(o->recorder.rate) && is_rate(o->memprof_stress));
    REQUIRE(o->timeout == 0 || (o->timeout > 0 && o->timeout <= 1e9));
    REQUIRE(is_budget(o->max_live) && is_budget(o->max_alloc) && is_budget(o->max_leak));
}

static void try_machine(const struct vm_options *options) {
    struct vm_error error = {0};
    struct vm *vm = vm_create(options, &vm_versions[OCAML_4_13], &prim_library, &error);
    if (vm == NULL) {
        REQUIRE(error.status != VM_OK);
        return;
    }
    gc_verify(&vm->domain->gc, "of a new machine");
    vm_destroy(vm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct words words = words_of(data, size);
    struct cli_options options;
    char *message = NULL;
    size_t length = 0;
    FILE *usual = stderr, *heard = open_memstream(&message, &length);
    if (heard == NULL) abort();
    setenv("OCAMLRUNPARAM", words.count > 0 ? words.at[0] : "", 1);
    words.at[0] = (char[]){"bactrian"};
    stderr = heard;
    bool accepted = cli_parse(words.at, &options);
    stderr = usual;
    fclose(heard);
    if (accepted) {
        REQUIRE(length == 0);
        check_ranges(&options, words.at, words.count);
        options.vm.gc.verbose = 0;
        try_machine(&options.vm);
    } else check_message(message, length);
    cli_options_free(&options);
    free(message);
    free(words.text);
    return 0;
}
