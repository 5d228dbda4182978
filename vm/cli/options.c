/* options.c - the parser of the command line, and --help, both made from options.def.
 *
 * `run`, with or without the word, takes options up to the program's name: what follows is the
 * program's. The other verbs take options and operands in any order. */
#include "vm/cli/options.h"

#include "vm/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *spelling, *argument;
    unsigned verbs;
    const char *meaning;
};

static const struct row rows[OPTION_COUNT] = {
#define OPTION(id, spelling, argument, verbs, meaning) {spelling, argument, verbs, meaning},
#include "vm/cli/options.def"
};

static const char *const verb_names[VERB_COUNT] = {
#define VERB(id, name, arguments, meaning) name,
#include "vm/cli/options.def"
};

enum { V_BITS_OF_OPTION_V = 61, MAX_STRESS = 6 };

bool cli_parse_size(const char *text, size_t *out) {
    if (*text < '0' || *text > '9') return false;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 0);
    int shift = *end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (shift != 0) end++;
    if (errno != 0 || *end != 0 || n > SIZE_MAX >> shift) return false;
    *out = (size_t)n << shift;
    return true;
}

static bool complain(const char *subject, const char *what) {
    cli_fail(STATUS_REFUSED, NULL, "%s%s%s: `bactrian --help` lists the options", what,
             subject != NULL ? " " : "", subject != NULL ? subject : "");
    return false;
}

static bool size_in_bytes(const char *option, const char *text, size_t least, size_t *bytes) {
    if (cli_parse_size(text, bytes) && *bytes >= least) return true;
    cli_fail(STATUS_REFUSED, NULL,
             "%s takes a size in bytes, with k, M or G behind it if you like, not '%s'", option,
             text);
    return false;
}

static bool bytes_argument(const char *option, const char *text, double *bytes) {
    size_t n;
    if (!size_in_bytes(option, text, 0, &n)) return false;
    *bytes = (double)n;
    return true;
}

static bool size_argument(const char *option, const char *text, size_t *words) {
    size_t n;
    if (!size_in_bytes(option, text, sizeof(value), &n)) return false;
    *words = n / sizeof(value);
    return true;
}

static bool stress_argument(const char *text, unsigned *level) {
    size_t n;
    if (!cli_parse_size(text, &n) || n > MAX_STRESS) {
        cli_fail(STATUS_REFUSED, NULL, "--gc-stress takes a level from 0 to %d, not '%s'",
                 MAX_STRESS, text);
        return false;
    }
    *level = (unsigned)n;
    return true;
}

static bool number_argument(const char *option, const char *text, uint64_t *out) {
    size_t n;
    if (!cli_parse_size(text, &n)) {
        cli_fail(STATUS_REFUSED, NULL, "%s takes a number, not '%s'", option, text);
        return false;
    }
    *out = n;
    return true;
}

static bool depth_argument(const char *text, uint64_t *out) {
    if (!number_argument("--max-depth", text, out)) return false;
    if (*out == 0) return complain(NULL, "--max-depth takes a number from 1");
    return true;
}

bool cli_parse_rate(const char *text, double *out) {
    char *end;
    double rate = strtod(text, &end);
    if (end == text || *end != 0 || !(rate > 0 && rate <= 1)) return false;
    *out = rate;
    return true;
}

static bool rate_argument(const char *text, double *out) {
    if (cli_parse_rate(text, out)) return true;
    cli_fail(STATUS_REFUSED, NULL, "--rate takes a number above 0, at most 1, not '%s'", text);
    return false;
}

static bool every_argument(const char *text, double *rate) {
    size_t words;
    if (!size_argument("--every", text, &words)) return false;
    *rate = 1 / (double)words;
    return true;
}

static bool stress_rate_argument(const char *text, double *rate) {
    if (cli_parse_rate(text, rate)) return true;
    cli_fail(STATUS_REFUSED, NULL, "--memprof-stress takes a number above 0, at most 1, not '%s'",
             text);
    return false;
}

static bool profile_argument(const char *text, enum mp_counts_kind *out) {
    static const char *const kinds[] = {
        [MP_COUNTS_OFF] = "no",
        [MP_COUNTS_TIME] = "time",
        [MP_COUNTS_ALLOC] = "alloc",
        [MP_COUNTS_COUNT] = "count",
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(text, kinds[i]) == 0) {
            *out = i;
            return true;
        }
    cli_fail(STATUS_REFUSED, NULL, "--profile takes time, alloc, count or no, not '%s'", text);
    return false;
}

static bool limit_argument(const char *option, const char *text, uint64_t *out) {
    if (!number_argument(option, text, out)) return false;
    return *out != 0 || complain(option, "a limit from 1 on must follow");
}

static bool time_argument(const char *text, double *seconds) {
    char *end;
    *seconds = strtod(text, &end);
    if (end != text && *end == 0 && *seconds > 0 && *seconds <= 1e9) return true;
    cli_fail(STATUS_REFUSED, NULL, "--timeout takes a number of seconds above 0, not '%s'", text);
    return false;
}

static bool policy_argument(const char *option, const char *list,
                            bool (*take)(struct vm_policy *, const char *, const char **,
                                         const char **),
                            struct vm_policy *policy) {
    const char *word, *what;
    if (take(policy, list, &word, &what)) return true;
    cli_fail(STATUS_REFUSED, NULL, "%s: %s '%.*s': `bactrian --audit PROGRAM` lists capabilities",
             option, what, (int)strcspn(word, ","), word);
    return false;
}

static bool add_dll_dir(struct cli_options *out, const char *dir) {
    const char **dirs = realloc(out->dll_dirs, (out->dll_dir_count + 1) * sizeof *dirs);
    if (dirs == NULL) return false;
    dirs[out->dll_dir_count++] = dir;
    out->dll_dirs = dirs;
    return true;
}

/* Only these wait for the program's name; the other actions need nothing but themselves. */
static bool action_needs_program(enum cli_option id) {
    return id == OPTION_MAGIC || id == OPTION_AUDIT;
}

static bool apply(enum cli_option id, const char *argument, struct cli_options *out) {
    switch (id) {
    case OPTION_BACKTRACE: out->vm.backtrace = true; return true;
    case OPTION_DLL_DIR: return add_dll_dir(out, argument);
    case OPTION_OUTPUT: out->output = argument; return true;
    case OPTION_TRACE: return true;
    case OPTION_VERBOSE: out->verbose |= V_BITS_OF_OPTION_V; return true;
    case OPTION_COUNT_FORMS:
    case OPTION_COUNT_INSTRUCTIONS:
        out->count_file = argument;
        out->vm.count_forms = id == OPTION_COUNT_FORMS;
        out->vm.count_instructions = true;
        return true;
    case OPTION_GC_STRESS: return stress_argument(argument, &out->vm.gc.stress);
    case OPTION_GC_STATS: out->gc_stats = true; return true;
    case OPTION_GC_VERIFY: out->vm.gc.verify = true; return true;
    case OPTION_MEMPROF_STRESS:
        return cli_has_profiler() && stress_rate_argument(argument, &out->memprof_stress);
    case OPTION_MAX_HEAP: return size_argument("--max-heap", argument, &out->vm.gc.max_heap_words);
    case OPTION_MAX_STACK:
        out->vm.max_stack_given = true;
        return size_argument("--max-stack", argument, &out->vm.max_stack_words);
    case OPTION_RATE: return rate_argument(argument, &out->recorder.rate);
    case OPTION_EVERY: return every_argument(argument, &out->recorder.rate);
    case OPTION_MAX_DEPTH: return depth_argument(argument, &out->recorder.max_depth);
    case OPTION_SEED: return number_argument("--seed", argument, &out->recorder.seed);
    case OPTION_GC_TRACE: out->recorder.gc_trace = true; return true;
    case OPTION_EXACT_SITES: out->recorder.exact_sites = true; return true;
    case OPTION_FOLLOW_FORK: out->recorder.follow_fork = true; return true;
    case OPTION_PROFILE: return cli_has_profiler() && profile_argument(argument, &out->profile);
    case OPTION_PROFILE_STACK: out->profile_stack = true; return true;
    case OPTION_MAX_LIVE: return bytes_argument("--max-live", argument, &out->max_live);
    case OPTION_MAX_ALLOC: return bytes_argument("--max-alloc", argument, &out->max_alloc);
    case OPTION_MAX_LEAK: return bytes_argument("--max-leak", argument, &out->max_leak);
    case OPTION_NO_LEAKS: out->max_leak = 0; return true;
    case OPTION_IGNORE: out->ignore = argument; return true;
    case OPTION_QUIET: out->quiet = true; return true;
    case OPTION_ALLOW: return policy_argument("--allow", argument, vm_policy_allow, &out->policy);
    case OPTION_DENY: return policy_argument("--deny", argument, vm_policy_deny, &out->policy);
    case OPTION_PURE: vm_policy_pure(&out->policy); return true;
    case OPTION_FUEL: return limit_argument("--fuel", argument, &out->vm.fuel);
    case OPTION_MAX_OUTPUT:
        return limit_argument("--max-output", argument, &out->vm.max_output_bytes);
    case OPTION_TIMEOUT: return time_argument(argument, &out->timeout);
    case OPTION_UNCHECKED: out->vm.unchecked = true; return true;
    default:
        out->has_action = true;
        out->action = id;
        return true;
    }
}

/* The row that word spells; for --name=text, *attached is text. OPTION_COUNT: none. */
static enum cli_option find_option(const char *word, enum cli_verb verb, const char **attached) {
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word, "=") : strlen(word);
    *attached = word[length] == '=' ? word + length + 1 : NULL;
    for (unsigned id = 0; id < OPTION_COUNT; id++)
        if (strlen(rows[id].spelling) == length && memcmp(rows[id].spelling, word, length) == 0 &&
            (rows[id].verbs & 1u << verb))
            return id;
    return OPTION_COUNT;
}

/* Takes the option at *at, and its argument, off the command line. */
static bool take_option(char ***at, struct cli_options *out) {
    const char *word = *(*at)++, *argument;
    enum cli_option id = find_option(word, out->verb, &argument);
    if (id == OPTION_COUNT) return complain(word, "unknown option");
    if (rows[id].argument == NULL) {
        if (argument != NULL) return complain(rows[id].spelling, "no argument goes with option");
    } else if (argument == NULL) {
        argument = *(*at);
        if (argument == NULL)
            return complain(rows[id].spelling, "an argument is missing for option");
        (*at)++;
    }
    return apply(id, argument, out);
}

static enum cli_verb take_verb(char ***at) {
    if (**at == NULL) return VERB_RUN;
    unsigned verb = 0;
    while (verb < VERB_COUNT && strcmp(**at, verb_names[verb]) != 0) verb++;
    if (verb == VERB_COUNT) return VERB_RUN;
    (*at)++;
    if (verb != VERB_PROF || **at == NULL) return verb;
    if (strcmp(**at, "record") == 0) verb = VERB_PROF_RECORD;
    else if (strcmp(**at, "test") == 0) verb = VERB_PROF_TEST;
    if (verb != VERB_PROF) (*at)++;
    return verb;
}

/* The verbs that take a program and what is the program's. */
static bool runs_program(enum cli_verb verb) { return (ON_RUN & 1u << verb) != 0; }

/* The verbs whose options stand elsewhere (prof.c, mlprof.c). */
static bool has_own_parser(enum cli_verb verb) { return verb == VERB_PROF || verb == VERB_MLPROF; }

/* What follows the first word that is none of our options is ocaml's, its options too. */
static bool parse_repl_words(char **at, struct cli_options *out) {
    const char *attached;
    while (*at != NULL && strncmp(*at, "--", 2) == 0 && !out->has_action &&
           find_option(*at, VERB_REPL, &attached) != OPTION_COUNT)
        if (!take_option(&at, out)) return false;
    out->operands = at;
    return true;
}

static bool parse_words(char **at, struct cli_options *out) {
    out->verb = take_verb(&at);
    char **operands = out->operands = at;
    if (has_own_parser(out->verb)) return true;
    if (out->verb == VERB_REPL) return parse_repl_words(at, out);
    while (*at != NULL) {
        bool is_option = at[0][0] == '-' && at[0][1] != 0;
        if (is_option && strcmp(*at, "--") == 0) {
            at++;
            break;
        }
        if (!is_option && runs_program(out->verb)) break;
        if (!is_option) *operands++ = *at++;
        else if (!take_option(&at, out)) return false;
        if (out->has_action && !action_needs_program(out->action)) return true;
    }
    if (runs_program(out->verb)) out->operands = at;
    else {
        while (*at != NULL) *operands++ = *at++;
        *operands = NULL;
    }
    return true;
}

bool cli_parse(char **argv, struct cli_options *out) {
    memset(out, 0, sizeof *out);
    out->max_live = out->max_alloc = out->max_leak = -1;
    cli_read_runparam(out);
    if (!parse_words(argv + 1, out)) return false;
    out->vm.gc.verbose = out->verbose;
    if (has_own_parser(out->verb) || out->verb == VERB_REPL) return true;
    if (out->profile_stack && out->profile == MP_COUNTS_OFF)
        return complain(NULL, "--profile-stack goes with --profile KIND");
    if (out->has_action && !action_needs_program(out->action)) return true;
    if (out->operands[0] == NULL)
        return complain(NULL, runs_program(out->verb) ? "no bytecode file specified"
                                                      : "no file specified");
    if (!runs_program(out->verb) && out->operands[1] != NULL)
        return complain(out->operands[1], "one file at a time, not also");
    if (out->verb == VERB_ASM && out->output == NULL) return complain(NULL, "asm needs -o FILE");
    return true;
}

void cli_options_free(struct cli_options *options) {
    free(options->dll_dirs);
    vm_policy_free(&options->policy);
}

static void print_wrapped(const char *text, int indent) {
    enum { WIDTH = 98 };
    int column = indent;
    for (const char *blank = ""; *text != 0; blank = " ") {
        int length = (int)strcspn(text, " ");
        if (column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            blank = "";
            column = indent;
        }
        column += printf("%s%.*s", blank, length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

static void print_row(const char *name, const char *argument, const char *meaning) {
    enum { INDENT = 30 };
    int used = printf("  %s%s%s", name, argument[0] == 0 ? "" : " ", argument);
    if (used >= INDENT) printf("\n%*s", INDENT, "");
    else printf("%*s", INDENT - used, "");
    print_wrapped(meaning, INDENT);
}

void cli_print_help(void) {
    printf(
        "Usage: bactrian [OPTIONS] PROGRAM [ARGUMENTS]\n"
        "PROGRAM is OCaml bytecode, an OCaml script (FILE.ml), or bytecode as text (FILE.basm).\n"
        "\nVerbs:\n");
#define VERB(id, name, arguments, meaning) print_row(name, arguments, meaning);
#include "vm/cli/options.def"
    printf("\nOptions:\n");
#define OPTION(id, spelling, argument, verbs, meaning) \
    print_row(spelling, argument == NULL ? "" : argument, meaning);
#include "vm/cli/options.def"
    print_row("--", "", "end of the options");
    printf("\nEnvironment:\n");
#define ENVIRONMENT(name, meaning) print_row(name, "", meaning);
#include "vm/cli/options.def"
    printf("\nExit status:\n");
#define EXIT_STATUS(status, meaning) print_row(status, "", meaning);
#include "vm/cli/options.def"
}
