/* runparam.c - OCAMLRUNPARAM: comma-separated letter=number, as ocamlrun reads it.
 *
 * A number has 32 bits, is decimal (leading zeros included) or 0x hexadecimal, and may end in k, M
 * or G. A letter alone, or followed by anything else, means 1. A value out of range becomes the
 * nearest valid one, except the number of domains, which ends the process as ocamlrun 5.3 does.
 * Unknown letters are skipped; so are h and H, since the heap starts empty and uses no huge
 * pages. */
#include "vm/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WINDOW = 50 };

/* The number after a letter; text starts at the `=`. */
static size_t number(const char *text) {
    if (*text != '=') return 1;
    char *end;
    bool hexadecimal = text[1] == '0' && text[2] == 'x';
    uint32_t n = (uint32_t)strtoull(text + 1, &end, hexadecimal ? 16 : 10);
    if (end == text + 1) return 1;
    return (size_t)n << (*end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

static size_t at_least_one(size_t n) { return n == 0 ? 1 : n; }
static size_t at_most(size_t n, size_t most) { return n > most ? most : n; }

static void set(struct cli_options *options, char letter, size_t n) {
    struct gc_params *gc = &options->vm.gc;
    switch (letter) {
    case 'b':
        options->vm.backtrace_level = (int)n;
        options->vm.backtrace = (int)n != 0;
        break;
    case 'c': options->vm.cleanup_at_exit = n != 0; break;
    case 'd':
        options->vm.max_domains = n;
        options->max_domains_given = true;
        break;
    case 'e': options->vm.events_log_words = n; break;
    case 'l':
        options->vm.max_stack_words = n;
        options->vm.max_stack_given = true;
        break;
    case 'o': gc->space_overhead = at_least_one(n); break;
    case 'p': options->vm.parser_trace = n != 0; break;
    case 's':
        gc->minor_words = n;
        gc->adaptive_minor = false;
        break;
    case 'v': options->verbose = n; break;
    case 'M': gc->custom_major_ratio = at_least_one(n); break;
    case 'm': gc->custom_minor_ratio = at_least_one(n); break;
    case 'n':
        gc->custom_minor_max_bytes = n;
        options->vm.custom_minor_given = true;
        break;
    case 'W': options->vm.runtime_warnings = n; break;
    /* No effect here, but programs can read them. */
    case 'a': gc->allocation_policy = at_most(n, 2); break;
    case 'i': gc->heap_increment = n; break;
    case 'O': gc->max_overhead = n; break;
    case 't': options->vm.trace_level = n; break;
    case 'V': options->vm.verify_heap = n; break;
    case 'w': gc->window_size = at_most(at_least_one(n), MAX_WINDOW); break;
    default: break;
    }
}

bool cli_jit_of_word(const char *text, enum vm_jit *out) {
    static const char *const words[] = {
        [VM_JIT_OFF] = "off", [VM_JIT_HOT] = "hot", [VM_JIT_ALL] = "all"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *out = i;
        return true;
    }
    return false;
}

void cli_read_runparam(struct cli_options *options) {
    options->vm.gc.adaptive_minor = true;
    gc_params_complete(&options->vm.gc);
    if (cli_is_privileged()) return;
    const char *jit = getenv("BACTRIAN_JIT");
    if (jit != NULL) cli_jit_of_word(jit, &options->vm.jit);
    const char *text = getenv("OCAMLRUNPARAM");
    if (text == NULL) text = getenv("CAMLRUNPARAM");
    while (text != NULL && *text != 0) {
        char letter = *text++;
        if (letter == ',') continue;
        set(options, letter, number(text));
        text = strchr(text, ',');
    }
}

void cli_check_runparam(const struct cli_options *options, const struct vm_version *version) {
    enum { MAX_DOMAINS = 4096 };
    if (!version->max_domains_is_set || !options->max_domains_given) return;
    size_t n = options->vm.max_domains;
    if (n >= 1 && n <= MAX_DOMAINS) return;
    if (n == 0) fputs("Fatal error: OCAMLRUNPARAM: max_domains(d) must be at least 1\n", stderr);
    else
        fprintf(stderr,
                "Fatal error: OCAMLRUNPARAM: max_domains(d) is too large. "
                "The maximum value is %d.\n",
                MAX_DOMAINS);
    abort();
}
