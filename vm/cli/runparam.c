/* runparam.c - OCAMLRUNPARAM: comma-separated letter=number, as ocamlrun reads it.
 *
 * A number is decimal or 0x hexadecimal with an optional k, M or G; a letter alone means 1. Unknown
 * letters, and those of ocamlrun's that say nothing to this machine (h H t), are skipped. */
#include "vm/cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* The number behind a letter; text is what follows it. */
static size_t number(const char *text) {
    if (*text != '=') return 1;
    char *end;
    size_t n = strtoull(text + 1, &end, 0);
    return n << (*end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

static void set(struct cli_options *options, char letter, size_t n) {
    struct gc_params *gc = &options->vm.gc;
    switch (letter) {
    case 'b':
        options->vm.backtrace = n != 0;
        options->vm.backtrace_eager = n >= 2;
        break;
    case 'c': options->vm.cleanup_at_exit = n != 0; break;
    case 'l': options->vm.max_stack_words = n < MIN_STACK_WORDS ? MIN_STACK_WORDS : n; break;
    case 'o': gc->space_overhead = (unsigned)n; break;
    case 'O': gc->max_overhead = (unsigned)n; break;
    case 'p': options->vm.parser_trace = n != 0; break;
    case 's': gc->minor_words = n; break;
    case 'v': options->verbose = (unsigned)n; break;
    case 'M': gc->custom_major_ratio = (unsigned)n; break;
    case 'm': gc->custom_minor_ratio = (unsigned)n; break;
    case 'n': gc->custom_minor_max_bytes = n; break;
    case 'W': options->vm.runtime_warnings = n != 0; break;
    /* Without effect here, but programs read them back. */
    case 'a': gc->allocation_policy = (unsigned)n; break;
    case 'i': gc->heap_increment = (unsigned)n; break;
    case 'w': gc->window_size = (unsigned)n; break;
    default: break;
    }
}

void cli_read_runparam(struct cli_options *options) {
    options->vm.gc.adaptive_minor = true;
    options->vm.gc.allocation_policy = 2;
    options->vm.gc.heap_increment = 15;
    options->vm.gc.window_size = 1;
    if (cli_is_privileged()) return;
    const char *text = getenv("OCAMLRUNPARAM");
    if (text == NULL) text = getenv("CAMLRUNPARAM");
    while (text != NULL && *text != 0) {
        char letter = *text++;
        if (letter == ',') continue;
        /* Whoever fixes the size of the young area wants that size. */
        if (letter == 's') options->vm.gc.adaptive_minor = false;
        set(options, letter, number(text));
        text = strchr(text, ',');
    }
}
