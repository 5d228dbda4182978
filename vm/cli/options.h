/* options.h - the parsed command line. */
#ifndef BACTRIAN_VM_CLI_OPTIONS_H
#define BACTRIAN_VM_CLI_OPTIONS_H

#include "memprof/counts/counts.h"
#include "memprof/format/output.h"
#include "memprof/recorder/recorder.h"
#include "memprof/snapshot/snapshot.h"
#include "vm/image/policy.h"
#include "vm/state/options.h"

enum cli_verb {
#define VERB(id, name, arguments, meaning) VERB_##id,
#include "vm/cli/options.def"
    VERB_COUNT
};

enum {
    ONLY_ON_RUN = 1 << VERB_RUN,
    ON_TEST = 1 << VERB_PROF_TEST,
    ON_RECORDING = 1 << VERB_PROF_RECORD | ON_TEST,
    ON_ATTACH = 1 << VERB_PROF_ATTACH,
    ON_TOP = 1 << VERB_PROF_TOP,
    ON_DETACH = 1 << VERB_PROF_DETACH,
    ON_SNAPSHOT = 1 << VERB_PROF_SNAPSHOT,
    ON_TRACE = 1 << VERB_TRACE,
    /* all options of a run, except that a trace has no fuel */
    ON_FUELED = ONLY_ON_RUN | ON_RECORDING | ON_SNAPSHOT,
    ON_RUN = ON_FUELED | ON_TRACE,
    ON_REPL = 1 << VERB_REPL,
    ON_DIS = 1 << VERB_DIS,
    ON_ASM = 1 << VERB_ASM,
    ON_DOCTOR = 1 << VERB_DOCTOR,
    ONLY_HELP = 1 << VERB_HELP,
    ON_ALL = (1 << VERB_COUNT) - 1,
};

enum cli_option {
#define OPTION(id, spelling, argument, verbs, meaning) OPTION_##id,
#include "vm/cli/options.def"
    OPTION_COUNT
};

struct cli_options {
    enum cli_verb verb;
    bool verb_given;        /* by its name */
    bool has_action;        /* print something and exit instead of running: */
    enum cli_option action; /* OPTION_HELP, OPTION_CONFIG, OPTION_AUDIT, ... */
    struct vm_options vm;
    const char *expression;  /* -e: the program; NULL: it is a file */
    bool max_domains_given;  /* d= */
    size_t verbose;          /* v=, including bits that the collector ignores */
    const char *count_file;  /* --count-instructions, --count-forms */
    struct mp_output counts; /* where that is */
    const char *output;      /* -o */
    bool force;              /* --force */
    const char **dll_dirs;   /* -I, in order; owned */
    size_t dll_dir_count;
    const char **functions; /* --function; owned */
    size_t function_count;
    bool dis_machine; /* --machine */
    bool trace_instructions, trace_calls, trace_collections, trace_exceptions, trace_compilations;
    struct mp_recorder_options recorder;  /* path NULL: no recording */
    struct mp_snapshot_options snapshot;  /* of prof snapshot */
    const char *heap_file;                /* of a snapshot while recording; NULL: none */
    enum mp_counts_kind profile;          /* --profile */
    bool profile_stack;                   /* --profile-stack */
    struct vm_policy policy;              /* --allow, --deny, --pure */
    bool gc_stats;                        /* --gc-stats */
    double timeout;                       /* --timeout, in seconds; 0: none */
    uint64_t deadline_ns;                 /* its end, by vm_now_ns; 0: none */
    bool quiet;                           /* --quiet */
    bool of_process;                      /* operands[0] is its number */
    bool interrupt;                       /* --interrupt */
    bool show_state;                      /* --status */
    uint64_t duration_ns;                 /* --duration; 0: none */
    bool open_page;                       /* --open */
    double memprof_stress;                /* --memprof-stress; 0: off */
    double max_live, max_alloc, max_leak; /* budgets in bytes; negative: none */
    const char *ignore;                   /* --ignore */
    const char *baseline, *markdown;      /* --baseline, --markdown */
    double tolerance;                     /* --tolerance: a share */
    const char *ocaml;                    /* --ocaml: a folder */
    char *standard_library;               /* of the compiler chosen, when it was asked; owned */
    char **operands;                      /* the program and its arguments */
};

/* Reads OCAMLRUNPARAM and the command line into *out. False: after a message. GC: never. */
bool cli_parse(char **argv, struct cli_options *out);
/* Frees what cli_parse allocated. GC: never. */
void cli_options_free(struct cli_options *options);

/* Parses a number with an optional suffix k, M or G, or a sampling rate (above 0, at most 1).
 * False: text is not one. GC: never. */
bool cli_parse_size(const char *text, size_t *out);
bool cli_parse_rate(const char *text, double *out);

#endif
