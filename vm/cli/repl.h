/* repl.h - `bactrian repl`: OCaml's toplevel, with what the prompt adds to it.
 *
 * repl.c starts the toplevel with the modules of Bactrian and bactrian_repl.cma loaded;
 * stdlib/ml/bactrian_repl.ml does what concerns OCaml (directives, completion), on the primitives
 * of repl_prims.c. */
#ifndef BACTRIAN_VM_CLI_REPL_H
#define BACTRIAN_VM_CLI_REPL_H

#include "gc/stats.h"
#include "vm/cli/line.h"
#include "vm/state/vm.h"

/* The files in the temporary folder: the last recording, and what it was at the last report. */
#define CLI_REPL_NOW    "now"
#define CLI_REPL_BEFORE "last_report"

/* What the primitives keep: vm_options.embedder. */
struct cli_repl {
    struct cli_line *line;  /* NULL until the first line is read */
    struct domain *domain;  /* that reads a line */
    value complete;         /* its completer; rooted while it reads */
    char *folder;           /* of temporary files; NULL: not made yet */
    char *profile;          /* CLI_REPL_NOW in it */
    bool recorded;          /* there was a recording */
    uint64_t started_ns;    /* of the recording that runs */
    struct gc_stats before; /* when it started */
    struct vm_prim *rows;   /* the profiler's and these primitives */
    size_t row_count;
};

/* Fills rows; false: no memory. GC: never. */
bool cli_repl_add_prims(struct cli_repl *repl);
/* Frees all, and removes the recording's file. Needs: the machine is gone. GC: never. */
void cli_repl_close(struct cli_repl *repl);

#endif
