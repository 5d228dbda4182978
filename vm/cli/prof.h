/* prof.h - the verbs of `bactrian prof`. */
#ifndef BACTRIAN_VM_CLI_PROF_H
#define BACTRIAN_VM_CLI_PROF_H

/* A verb: words are those behind its name on the command line, NULL-terminated; words[-1] is the
 * name. Returns the exit status: 0, 1 `check` found violations, 125 refused. Messages go through
 * cli_fail. */
typedef int cli_prof_verb(char **words);

/* Declares them all. */
#define PROF_VERB(name, function, arguments, meaning) cli_prof_verb function;
#include "vm/cli/prof_verbs.def"

/* `prof WORDS...`: calls the verb that the first word names; without one, or with --help, lists
 * them. */
int cli_prof(char **words);

#endif
