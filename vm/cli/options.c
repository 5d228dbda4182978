/* options.c - the parser of the command line, generated from options.def.
 *
 * `run` (with or without the word) takes options up to the program's name; the rest belongs to the
 * program. The other verbs take options and operands in any order. */
#include "vm/cli/options.h"

#include "gc/assert.h"
#include "memprof/report/command/nearest.h"
#include "vm/cli/cli.h"
#include "vm/cli/usage.h"

#include <errno.h>
#include <signal.h>
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

enum { VERBOSE_BITS_OF_V = 61, MAX_STRESS = 6 };

/* How an option's argument is read, and the type of the field that it sets. */
enum form {
    OTHER,  /* see apply */
    FLAG,   /* bool: no argument, set to true */
    TEXT,   /* const char * */
    BYTES,  /* double: a size, in bytes */
    WORDS,  /* size_t: a size of at least a word, in words */
    NUMBER, /* uint64_t */
    LIMIT,  /* uint64_t, at least 1 */
    RATE,   /* double */
};

/* The unit of the major heap: no program can start with less. */
enum { MIN_HEAP_BYTES = 65536 };
#define DEFAULT_TOLERANCE 0.01

static const char *const expected[] = {
    [BYTES] = "a size such as 64M",
    [WORDS] = "a size such as 64M",
    [NUMBER] = "a number such as 1000 or 64k",
    [LIMIT] = "a number such as 1000 or 64k",
    [RATE] = "a number above 0, at most 1",
};

static const struct {
    enum form form;
    size_t offset; /* of the field in struct cli_options */
} targets[OPTION_COUNT] = {
#define TARGET(id, form, field) [OPTION_##id] = {form, offsetof(struct cli_options, field)}
    TARGET(AT_EXIT, FLAG, snapshot.at_exit),
    TARGET(IN_PAUSE, FLAG, snapshot.in_pause),
    TARGET(VALUES, FLAG, snapshot.values),
    TARGET(HEAP_FILE, TEXT, heap_file),
    TARGET(BACKTRACE, FLAG, vm.backtrace),
    TARGET(CALLS, FLAG, trace_calls),
    TARGET(COLLECTIONS, FLAG, trace_collections),
    TARGET(COMPILATIONS, FLAG, trace_compilations),
    TARGET(EXCEPTIONS, FLAG, trace_exceptions),
    TARGET(EXPRESSION, TEXT, expression),
    TARGET(INSTRUCTIONS, FLAG, trace_instructions),
    TARGET(INTERRUPT, FLAG, interrupt),
    TARGET(OUTPUT, TEXT, output),
    TARGET(OCAML, TEXT, ocaml),
    TARGET(EXACT_SITES, FLAG, recorder.exact_sites),
    TARGET(FORCE, FLAG, force),
    TARGET(FOLLOW_FORK, FLAG, recorder.follow_fork),
    TARGET(PROMOTED, FLAG, recorder.promoted),
    TARGET(GC_TRACE, FLAG, recorder.gc_trace),
    TARGET(GC_STATS, FLAG, gc_stats),
    TARGET(GC_VERIFY, FLAG, vm.gc.verify),
    TARGET(BASELINE, TEXT, baseline),
    TARGET(MARKDOWN, TEXT, markdown),
    TARGET(IGNORE, TEXT, ignore),
    TARGET(MACHINE, FLAG, dis_machine),
    TARGET(JIT_STRESS, NUMBER, vm.jit_stress),
    TARGET(MAX_ALLOC, BYTES, max_alloc),
    TARGET(MAX_DEPTH, LIMIT, recorder.max_depth),
    TARGET(MAX_HEAP, WORDS, vm.gc.max_heap_words),
    TARGET(MAX_LEAK, BYTES, max_leak),
    TARGET(MAX_LIVE, BYTES, max_live),
    TARGET(MAX_STACK, WORDS, vm.max_stack_words),
    TARGET(PERF_MAP, FLAG, vm.perf_map),
    TARGET(PROFILE_STACK, FLAG, profile_stack),
    TARGET(OPEN, FLAG, open_page),
    TARGET(QUIET, FLAG, quiet),
    TARGET(RATE, RATE, recorder.rate),
    TARGET(SEED, NUMBER, recorder.seed),
    TARGET(STATUS, FLAG, show_state),
    TARGET(MEMPROF_STRESS, RATE, memprof_stress),
    TARGET(FUEL, LIMIT, vm.fuel),
    TARGET(MAX_OUTPUT, LIMIT, vm.max_output_bytes),
    TARGET(UNCHECKED, FLAG, vm.unchecked),
    TARGET(VERIFY, FLAG, vm.verify_all),
#undef TARGET
};

static bool wrong_line(const struct cli_options *out, const char *before, const char *subject,
                       const char *after) {
    cli_fail(STATUS_REFUSED, NULL, "%s%s%s: see `bactrian help%s%s`", before, subject, after,
             out->verb_given ? " " : "", out->verb_given ? cli_commands[out->verb].name : "");
    return false;
}

static bool wrong_argument(enum cli_option id, const char *what, const char *text) {
    cli_fail(STATUS_REFUSED, NULL, "%s: expected %s, got \"%s\"", rows[id].spelling, what, text);
    return false;
}

bool cli_parse_size(const char *text, size_t *out) {
    if (*text < '0' || *text > '9') return false;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 0);
    size_t unit = *end == 'k' ? 1000 : *end == 'M' ? 1000000 : *end == 'G' ? 1000000000 : 1;
    if (unit != 1) end++;
    if (errno != 0 || *end != 0 || n > SIZE_MAX / unit) return false;
    *out = (size_t)n * unit;
    return true;
}

/* Whether all of text is a number above 0, at most `most`. */
static bool parse_positive(const char *text, double most, double *out) {
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end != 0 || !(x > 0 && x <= most)) return false;
    *out = x;
    return true;
}

bool cli_parse_rate(const char *text, double *out) { return parse_positive(text, 1, out); }

/* Reads the argument of an option that targets lists. */
static bool set_target(enum cli_option id, const char *text, struct cli_options *out) {
    enum form form = targets[id].form;
    void *field = (char *)out + targets[id].offset;
    size_t n = 0;
    if (form == FLAG) {
        *(bool *)field = true;
        return true;
    }
    ASSERT(text != NULL);
    if (form == TEXT) {
        *(const char **)field = text;
        return true;
    }
    bool read = form == RATE ? cli_parse_rate(text, field) : cli_parse_size(text, &n);
    if (!read) return wrong_argument(id, expected[form], text);
    size_t least = id == OPTION_MAX_HEAP ? MIN_HEAP_BYTES
                   : form == WORDS       ? sizeof(value)
                                         : form == LIMIT;
    if (form != RATE && n < least) {
        cli_fail(STATUS_REFUSED, NULL, "%s must be at least %zu", rows[id].spelling, least);
        return false;
    }
    if (form == BYTES) *(double *)field = (double)n;
    else if (form == WORDS) *(size_t *)field = n / sizeof(value);
    else if (form != RATE) *(uint64_t *)field = n;
    return true;
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
    return wrong_argument(OPTION_PROFILE, "time, alloc, count or no", text);
}

static bool keep_argument(const char *argument, uint64_t *bytes) {
    size_t n;
    bool fits = cli_parse_size(argument, &n) && n >= MP_LEAST_KEPT_BYTES;
    if (fits) *bytes = n;
    return fits || wrong_argument(OPTION_KEEP, "a size such as 512M, at least 1M", argument);
}

static bool tolerance_argument(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end) / 100;
    if (end != text && strcmp(end, "%") == 0 && *out >= 0 && *out <= 1) return true;
    return wrong_argument(OPTION_TOLERANCE, "a percentage from 0% to 100%", text);
}

static bool duration_argument(const char *text, uint64_t *out) {
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    char *end;
    double n = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (end == text || strcmp(end, units[i].unit) != 0) continue;
        if (!(n * units[i].ns >= 1e6 && n * units[i].ns <= 1e18)) break;
        *out = (uint64_t)(n * units[i].ns);
        return true;
    }
    return wrong_argument(OPTION_DURATION, "a time such as 30s, at least 1ms", text);
}

static bool policy_argument(enum cli_option id, const char *list, struct vm_policy *policy) {
    const char *word, *what;
    if (vm_policy_change(policy, list, id == OPTION_ALLOW, &word, &what)) return true;
    cli_fail(STATUS_REFUSED, NULL, "%s: %s \"%.*s\": `bactrian --audit PROGRAM` lists them",
             rows[id].spelling, what, (int)strcspn(word, ","), word);
    return false;
}

/* Appends text to an allocated list. */
static bool append(const char ***list, size_t *count, const char *text) {
    const char **texts = realloc(*list, (*count + 1) * sizeof *texts);
    if (texts == NULL) return false;
    texts[(*count)++] = text;
    *list = texts;
    return true;
}

/* Whether an option that prints and exits also takes a program. */
static bool action_needs_program(enum cli_option id) {
    return id == OPTION_MAGIC || id == OPTION_AUDIT;
}

/* The number of a signal by its name, with or without SIG, or by its number; 0: there is none. */
static int signal_of_text(const char *text) {
    char *end;
    long number = strtol(text, &end, 10);
    if (end != text && *end == 0)
        return number > 0 && number < SIGRTMAX && number != SIGKILL && number != SIGSTOP
                   ? (int)number
                   : 0;
    if (strncmp(text, "SIG", 3) == 0) text += 3;
    for (int i = 1; i < SIGRTMIN; i++) {
        const char *name = sigabbrev_np(i);
        if (name != NULL && strcmp(name, text) == 0) return i == SIGKILL || i == SIGSTOP ? 0 : i;
    }
    return 0;
}

/* A number of bytes that holds a word, as words. */
static bool words_argument(enum cli_option id, const char *argument, size_t *words) {
    size_t bytes;
    if (!cli_parse_size(argument, &bytes) || bytes < sizeof(value))
        return wrong_argument(id, expected[WORDS], argument);
    *words = bytes / sizeof(value);
    return true;
}

static bool apply(enum cli_option id, const char *argument, struct cli_options *out) {
    size_t n;
    if (id == OPTION_MEMPROF_STRESS && !cli_has_profiler()) return false;
    if (id == OPTION_MAX_STACK) out->vm.max_stack_given = out->vm.max_stack_holds = true;
    if (targets[id].form != OTHER) return set_target(id, argument, out);
    switch (id) {
    case OPTION_DLL_DIR: return append(&out->dll_dirs, &out->dll_dir_count, argument);
    case OPTION_FUNCTION: return append(&out->functions, &out->function_count, argument);
    case OPTION_TRACE:
    case OPTION_DEBUG_EVENTS: return true;
    case OPTION_VERBOSE: out->verbose |= VERBOSE_BITS_OF_V; return true;
    case OPTION_COUNT_FORMS:
    case OPTION_COUNT_INSTRUCTIONS:
        out->count_file = argument;
        out->vm.count_forms = id == OPTION_COUNT_FORMS;
        out->vm.count_instructions = true;
        return true;
    case OPTION_GC_STRESS:
        if (!cli_parse_size(argument, &n) || n > MAX_STRESS)
            return wrong_argument(id, "a level from 0 to 6", argument);
        out->vm.gc.stress = (unsigned)n;
        return true;
    case OPTION_EVERY:
        if (!words_argument(id, argument, &n)) return false;
        out->recorder.rate = 1 / (double)n;
        return true;
    case OPTION_PROFILE: return cli_has_profiler() && profile_argument(argument, &out->profile);
    case OPTION_JIT:
        return cli_jit_of_word(argument, &out->vm.jit) ||
               wrong_argument(id, "off, hot or all", argument);
    case OPTION_LIVE:
        out->recorder.live_exact = strcmp(argument, "exact") == 0;
        return out->recorder.live_exact || strcmp(argument, "proven") == 0 ||
               wrong_argument(id, "proven or exact", argument);
    case OPTION_KEEP: return keep_argument(argument, &out->recorder.keep_bytes);
    case OPTION_AT_HEAP: return words_argument(id, argument, &out->snapshot.at_heap_words);
    case OPTION_ON_SIGNAL:
        out->snapshot.on_signal = signal_of_text(argument);
        return out->snapshot.on_signal != 0 ||
               wrong_argument(id, "a signal such as USR2, which a program can handle", argument);
    case OPTION_TOLERANCE: return tolerance_argument(argument, &out->tolerance);
    case OPTION_DURATION: return duration_argument(argument, &out->duration_ns);
    case OPTION_NO_LEAKS: out->max_leak = 0; return true;
    case OPTION_ALLOW:
    case OPTION_DENY: return policy_argument(id, argument, &out->policy);
    case OPTION_PURE: vm_policy_pure(&out->policy); return true;
    case OPTION_TIMEOUT:
        return parse_positive(argument, 1e9, &out->timeout) ||
               wrong_argument(id, "a number of seconds above 0", argument);
    default:
        out->has_action = true;
        out->action = id;
        return true;
    }
}

/* The option that word names for one of the verbs, or OPTION_COUNT. *attached: the text of
 * --name=text, else NULL. */
static enum cli_option find_option(const char *word, unsigned verbs, const char **attached) {
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word, "=") : strlen(word);
    *attached = word[length] == '=' ? word + length + 1 : NULL;
    for (unsigned id = 0; id < OPTION_COUNT; id++)
        if (strlen(rows[id].spelling) == length && memcmp(rows[id].spelling, word, length) == 0 &&
            (rows[id].verbs & verbs))
            return id;
    return OPTION_COUNT;
}

/* Writes the names of verbs, a sum of ON_ constants, as "run, repl and trace". */
static void name_verbs(unsigned verbs, char *out, size_t size) {
    size_t length = 0;
    out[0] = 0;
    for (unsigned verb = 0; verb < VERB_COUNT && length < size; verb++) {
        if (!(verbs & 1u << verb)) continue;
        verbs -= 1u << verb;
        const char *before = length == 0 ? "" : verbs == 0 ? " and " : ", ";
        length += (size_t)snprintf(out + length, size - length, "%s%s", before,
                                   cli_commands[verb].name);
    }
}

static bool unknown_option(const char *word, const struct cli_options *out) {
    char verbs[128], text[64];
    const char *attached;
    enum cli_option id = find_option(word, ~0u, &attached);
    if (id != OPTION_COUNT) {
        name_verbs(rows[id].verbs, verbs, sizeof verbs);
        cli_fail(STATUS_REFUSED, NULL, "`%s` has no option %s: it is an option of %s",
                 cli_commands[out->verb].name, rows[id].spelling, verbs);
        return false;
    }
    struct report_nearest nearest = {.text = text};
    snprintf(text, sizeof text, "%.*s", (int)strcspn(word, "="), word);
    for (id = 0; id < OPTION_COUNT; id++)
        if (rows[id].verbs & 1u << out->verb) report_try_nearest(&nearest, rows[id].spelling);
    if (nearest.word == NULL) return wrong_line(out, "unknown option ", word, "");
    cli_fail(STATUS_REFUSED, NULL, "unknown option %s: did you mean %s?", text, nearest.word);
    return false;
}

/* Parses the option at *at and its argument. */
static bool take_option(char ***at, struct cli_options *out) {
    const char *word = *(*at)++, *argument;
    enum cli_option id = find_option(word, 1u << out->verb, &argument);
    if (id == OPTION_COUNT) return unknown_option(word, out);
    if (rows[id].argument == NULL) {
        if (argument != NULL)
            return wrong_line(out, "option ", rows[id].spelling, " takes no argument");
    } else if (argument == NULL) {
        argument = *(*at);
        if (argument == NULL)
            return wrong_line(out, "option ", rows[id].spelling, " needs an argument");
        (*at)++;
    }
    return apply(id, argument, out);
}

/* Takes the verb at *at. Verbs of prof that are not in options.def are left to prof.c. */
static void take_verb(char ***at, struct cli_options *out) {
    int used;
    const struct cli_command *command = cli_find_command(*at, &used);
    out->verb = VERB_RUN;
    out->verb_given = command != NULL;
    if (command == NULL) return;
    bool is_verb = command < cli_commands + VERB_COUNT;
    out->verb = is_verb ? (enum cli_verb)(command - cli_commands) : VERB_PROF;
    *at += is_verb ? used : 1;
}

/* Whether what follows the program's name belongs to the program. */
static bool runs_program(enum cli_verb verb) { return ((ON_RUN | ON_TOP) & 1u << verb) != 0; }

/* Whether a word is the process that the verb is about. */
static bool takes_process(enum cli_verb verb, const char *word) {
    if (verb == VERB_PROF_ATTACH || verb == VERB_PROF_DETACH) return true;
    return (verb == VERB_PROF_SNAPSHOT || verb == VERB_PROF_TOP) && cli_names_process(word);
}

/* Whether the verb itself, or memprof/report, parses the words. */
static bool has_own_parser(enum cli_verb verb) {
    return verb == VERB_PROF || verb == VERB_MLPROF || verb == VERB_HELP || verb == VERB_COMPLETE;
}

/* The words from the first one that is not an option of repl are passed to ocaml. */
static bool parse_repl_words(char **at, struct cli_options *out) {
    const char *attached;
    while (*at != NULL && (strncmp(*at, "--", 2) == 0 || strcmp(*at, "-h") == 0) &&
           !out->has_action && find_option(*at, ON_REPL, &attached) != OPTION_COUNT)
        if (!take_option(&at, out)) return false;
    out->operands = at;
    return true;
}

static bool parse_words(char **at, struct cli_options *out) {
    take_verb(&at, out);
    char **operands = out->operands = at;
    if (has_own_parser(out->verb)) return true;
    if (out->verb == VERB_REPL) return parse_repl_words(at, out);
    while (*at != NULL) {
        bool is_option = at[0][0] == '-' && at[0][1] != 0;
        if (is_option && strcmp(*at, "--") == 0) {
            at++;
            break;
        }
        if (!is_option && operands == out->operands)
            out->of_process = takes_process(out->verb, *at);
        if (!is_option && runs_program(out->verb) && !out->of_process) break;
        if (!is_option) *operands++ = *at++;
        else if (!take_option(&at, out)) return false;
        if (out->has_action && !action_needs_program(out->action)) return true;
        if (out->expression != NULL) {
            *--at = (char *)"-e"; /* in place of the text: the program's name */
            break;
        }
    }
    if (runs_program(out->verb) && !out->of_process) out->operands = at;
    else {
        while (*at != NULL) *operands++ = *at++;
        *operands = NULL;
    }
    return true;
}

bool cli_parse(char **argv, struct cli_options *out) {
    memset(out, 0, sizeof *out);
    out->max_live = out->max_alloc = out->max_leak = -1;
    out->tolerance = DEFAULT_TOLERANCE;
    cli_read_runparam(out);
    if (!parse_words(argv + 1, out)) return false;
    out->vm.gc.verbose = out->verbose;
    if (has_own_parser(out->verb) || out->verb == VERB_REPL) return true;
    if (out->profile_stack && out->profile == MP_COUNTS_OFF)
        return wrong_line(out, "--profile-stack needs --profile KIND", "", "");
    if (out->has_action && !action_needs_program(out->action)) return true;
    if (out->verb == VERB_DOCTOR)
        return out->operands[0] == NULL ||
               wrong_line(out, "unexpected argument ", out->operands[0], "");
    if (out->operands[0] == NULL)
        return wrong_line(out,
                          runs_program(out->verb)          ? "no program given"
                          : takes_process(out->verb, NULL) ? "no process given"
                                                           : "no file given",
                          "", "");
    if ((out->of_process || !runs_program(out->verb)) && out->operands[1] != NULL)
        return wrong_line(out, "unexpected argument ", out->operands[1],
                          out->of_process ? " after the process" : " after the file");
    if (out->verb == VERB_DIS && out->function_count > 0 && !out->dis_machine)
        return wrong_line(out, "dis takes --function with --machine only", "", "");
    if (out->verb == VERB_ASM && out->output == NULL)
        return wrong_line(out, "asm needs -o FILE", "", "");
    return true;
}

void cli_options_free(struct cli_options *options) {
    mp_output_free(&options->counts);
    free(options->dll_dirs);
    free(options->standard_library);
    free(options->functions);
    vm_policy_free(&options->policy);
}
