/* docs.c - a program that the build runs: `docs FOLDER` writes the man pages, one for each command,
 * from the same rows as help (usage.h). */
#include "vm/cli/options.h"
#include "vm/cli/usage.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Prints text for troff. */
static void print_troff(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; *text != 0; text++) {
        if (*text == '-') fputs("\\-", out);
        else if (*text == '\\') fputs("\\e", out);
        else putc(*text, out);
    }
}

static void print_row(void *context, const struct cli_row *row) {
    FILE *out = context;
    if (row->name == NULL) {
        fputs(".SS ", out);
        print_troff(out, row->meaning);
        putc('\n', out);
        return;
    }
    fputs(".TP\n\\fB", out);
    print_troff(out, row->name);
    fputs("\\fR", out);
    if (row->argument != NULL) {
        fputs(" \\fI", out);
        print_troff(out, row->argument);
        fputs("\\fR", out);
    }
    putc('\n', out);
    print_troff(out, row->meaning);
    putc('\n', out);
}

/* name: with dashes for blanks. */
static void print_head(FILE *out, const char *name, const char *meaning) {
    fprintf(out, ".TH %s 1 \"\" \"bactrian %s\"\n.SH NAME\n", name, BACTRIAN_VERSION);
    print_troff(out, name);
    fputs(" \\- ", out);
    print_troff(out, meaning);
    fputs("\n.SH SYNOPSIS\n", out);
}

static void print_overview(FILE *out) {
    print_head(out, "bactrian", "run OCaml bytecode, and show where its memory goes");
    fputs(".B bactrian\n[\\fIOPTIONS\\fR] \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR]\n.br\n"
          ".B bactrian\n\\fIVERB\\fR ...\n.SH DESCRIPTION\n"
          "Runs an OCaml bytecode program: a file made by\n"
          ".BR ocamlc (1),\nan OCaml script (\\fIFILE\\fR.ml, or any file whose first line is\n"
          "\\(lq#!/usr/bin/env bactrian\\(rq), which the installed ocamlc compiles first, or\n"
          "bytecode as text (\\fIFILE\\fR.basm).\n"
          "Run a file that has the name of a verb as ./\\fIFILE\\fR.\n"
          "Options precede \\fIPROGRAM\\fR; the words after it are the program's.\n"
          "An option with two dashes takes its argument as the next word or after an equals "
          "sign.\n.SH VERBS\nEach has a page of its own, such as\n.BR bactrian\\-run (1).\n",
          out);
    for (const struct cli_command *c = cli_commands; c->name != NULL; c++)
        print_row(out, &(struct cli_row){.name = c->name, .meaning = c->meaning});
    fputs(".SH CONDITIONS\n", out);
    cli_each_condition(print_row, out);
    fputs(".SH SEE ALSO\n.BR ocamlc (1),\n.BR ocamlrun (1)\n", out);
}

static void print_page(FILE *out, const struct cli_command *command, const char *name) {
    print_head(out, name, command->meaning);
    fprintf(out, ".B bactrian %s\n", command->name);
    print_troff(out, command->arguments);
    fputs("\n.SH OPTIONS\n", out);
    cli_each_row(command, print_row, out);
    fputs(".SH SEE ALSO\n.BR bactrian (1)\n", out);
}

/* command: NULL for the page of all. */
static bool write_page(const char *folder, const struct cli_command *command) {
    char name[64] = "bactrian", path[4096];
    if (command != NULL) snprintf(name, sizeof name, "bactrian-%s", command->name);
    for (char *c = name; *c != 0; c++)
        if (*c == ' ') *c = '-';
    snprintf(path, sizeof path, "%s/%s.1", folder, name);
    FILE *out = fopen(path, "w");
    if (out == NULL) return false;
    if (command == NULL) print_overview(out);
    else print_page(out, command, name);
    bool good = !ferror(out);
    return fclose(out) == 0 && good;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    mkdir(argv[1], 0777);
    bool good = write_page(argv[1], NULL);
    for (const struct cli_command *c = cli_commands; c->name != NULL && good; c++)
        good = write_page(argv[1], c);
    return good ? 0 : 1;
}
