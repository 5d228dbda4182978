/* runparam.c - OCAMLRUNPARAM: comma-separated letter=number, as ocamlrun reads it.
 *
 * A number is decimal (also with zeros in front) or 0x hexadecimal, with an optional k, M or G; a
 * letter alone, or with something else behind the `=`, means 1. What is out of range becomes the
 * nearest that will do. Unknown letters, and those of ocamlrun's that say nothing to this machine
 * (h H t), are skipped. */
#include "vm/cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WINDOW = 50 };

/* The number behind a letter; text is what follows it. */
static size_t number(const char *text) {
    if (*text != '=') return 1;
    char *end;
    bool hexadecimal = text[1] == '0' && text[2] == 'x';
    size_t n = strtoull(text + 1, &end, hexadecimal ? 16 : 10);
    if (end == text + 1) return 1;
    return n << (*end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

static unsigned within(size_t least, size_t n, size_t most) {
    return (unsigned)(n < least ? least : n > most ? most : n);
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
    case 'o': gc->space_overhead = within(1, n, INT_MAX); break;
    case 'O': gc->max_overhead = (unsigned)n; break;
    case 'p': options->vm.parser_trace = n != 0; break;
    case 's': gc->minor_words = n == 0 ? 1 : n; break; /* 0 would be the default */
    case 'v': options->verbose = (unsigned)n; break;
    case 'M': gc->custom_major_ratio = within(1, n, INT_MAX); break;
    case 'm': gc->custom_minor_ratio = within(1, n, INT_MAX); break;
    case 'n': gc->custom_minor_max_bytes = n; break;
    case 'W': options->vm.runtime_warnings = n != 0; break;
    /* Without effect here, but programs read them back. */
    case 'a': gc->allocation_policy = within(0, n, 2); break;
    case 'i': gc->heap_increment = (unsigned)n; break;
    case 'w': gc->window_size = within(1, n, MAX_WINDOW); break;
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
