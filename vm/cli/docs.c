/* docs.c - a program that the build runs: `docs man` and `docs completion` print the man page and
 * the bash completion, both derived from options.def. */
#include "vm/cli/options.h"

#include <stdio.h>
#include <string.h>

/* Prints text for troff. */
static void print_troff(const char *text) {
    for (; *text != 0; text++) {
        if (*text == '-') fputs("\\-", stdout);
        else if (*text == '\\') fputs("\\e", stdout);
        else putchar(*text);
    }
}

static void print_item(const char *name, const char *argument, const char *meaning) {
    fputs(".TP\n\\fB", stdout);
    print_troff(name);
    fputs("\\fR", stdout);
    if (argument != NULL) {
        fputs(" \\fI", stdout);
        print_troff(argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_troff(meaning);
    putchar('\n');
}

static void print_heading(const char *verbs) { printf(".SS Options of %s\n", verbs); }

static void print_man(void) {
    printf(".TH BACTRIAN 1 \"\" \"bactrian %s\"\n.SH NAME\nbactrian \\- run OCaml bytecode\n",
           BACTRIAN_VERSION);
    printf(".SH SYNOPSIS\n.B bactrian\n[\\fIOPTIONS\\fR] \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR]\n.br\n"
           ".B bactrian\n\\fIVERB\\fR ...\n");
    printf(".SH DESCRIPTION\nRuns an OCaml bytecode program: a file made by\n"
           ".BR ocamlc (1),\nan OCaml script (\\fIFILE\\fR.ml, or any file whose first line is\n"
           "\\(lq#!/usr/bin/env bactrian\\(rq), which the installed ocamlc compiles first, or\n"
           "bytecode as text (\\fIFILE\\fR.basm).\n"
           "Run a file that has the name of a verb as ./\\fIFILE\\fR.\n.SH VERBS\n");
#define VERB(id, name, arguments, meaning) print_item(name, arguments, meaning);
#include "vm/cli/options.def"
    printf(
        ".SH OPTIONS\nOptions precede \\fIPROGRAM\\fR; the words after it are the program's.\n"
        "An option with two dashes takes its argument as the next word or after an equals sign.\n");
    cli_list_options(print_heading, print_item);
    printf(".SH ENVIRONMENT\n");
#define ENVIRONMENT(name, meaning) print_item(name, NULL, meaning);
#include "vm/cli/options.def"
    printf(".SH EXIT STATUS\n");
#define EXIT_STATUS(status, meaning) print_item(status, NULL, meaning);
#include "vm/cli/options.def"
    printf(".SH SEE ALSO\n.BR ocamlc (1),\n.BR ocamlrun (1)\n");
}

static void print_completion(void) {
    printf(
        "# bash completion of bactrian\n_bactrian() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n"
        "    if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W '");
#define OPTION(id, spelling, argument, verbs, meaning) printf("%s ", spelling);
#include "vm/cli/options.def"
    printf("' -- \"$word\"))\n    elif ((COMP_CWORD == 1)); then\n"
           "        COMPREPLY=($(compgen -f -W '");
#define VERB(id, name, arguments, meaning) printf("%s ", name);
#include "vm/cli/options.def"
    printf("' -- \"$word\"))\n    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
           "complete -o filenames -F _bactrian bactrian\n");
}

int main(int argc, char **argv) {
    bool completion = argc == 2 && strcmp(argv[1], "completion") == 0;
    if (completion) print_completion();
    else print_man();
    return fflush(stdout) != 0 || ferror(stdout);
}
