/* repl.h - `bactrian repl`: OCaml's toplevel with extensions.
 *
 * repl.c starts the toplevel with Bactrian's modules and bactrian_repl.cma loaded;
 * stdlib/ml/bactrian_repl.ml implements directives and completion on the primitives of
 * repl_prims.c. */
#ifndef BACTRIAN_VM_CLI_PROMPT_REPL_H
#define BACTRIAN_VM_CLI_PROMPT_REPL_H

#include "gc/stats.h"
#include "vm/cli/editor/editor.h"
#include "vm/cli/options.h"
#include "vm/state/vm.h"

/* The state of the primitives (vm_options.embedder). */
struct cli_repl {
    const struct cli_options *options;
    const char *library;    /* the folder that `+DIR` is relative to */
    char *term;             /* TERM, while another value stands for it */
    bool chose_colour;      /* OCAML_COLOR is set for the toplevel's start */
    struct editor *editor;  /* NULL until the first phrase is read */
    char *typed;            /* the text that was read, or NULL */
    size_t taken;           /* what the toplevel has taken of it */
    struct domain *domain;  /* the reader of the current phrase */
    value complete;         /* its completer, a root during the read */
    char *folder;           /* for temporary files; NULL: not created yet */
    char *profile;          /* the last recording, in it */
    bool recorded;          /* a recording was started */
    uint64_t started_ns;    /* start of the recording */
    struct gc_stats before; /* at its start */
    struct vm_prim *rows;   /* the profiler's primitives and our own */
    size_t row_count;
};

/* Fills rows; false: out of memory. GC: never. */
bool cli_repl_add_prims(struct cli_repl *repl);

#endif
