/* script.h - what an OCaml script is made of, and what its bytecode depends on. */
#ifndef BACTRIAN_VM_CLI_SCRIPT_SCRIPT_H
#define BACTRIAN_VM_CLI_SCRIPT_SCRIPT_H

#include "gc/containers.h"
#include "vm/cli/cli.h"

/* Words for a command, or paths, each allocated. The last item is followed by NULL once
 * script_words_end was called. */
struct script_words VECTOR(char *);

/* A module beside the script. */
struct script_module {
    char *name;      /* as in OCaml */
    char *interface; /* the path of its .mli, or NULL */
    char *path;      /* of its .ml */
};

struct script {
    const struct cli_options *options;
    struct cli_compiler compiler;
    const char *shown; /* the name in messages and locations */
    char *beside;      /* the folder of the script, as an absolute path */
    char *folder;      /* where it is compiled; NULL before it exists */
    char *program;     /* its bytecode there */
    char *own_modules; /* the folder of Bactrian's modules; NULL: not used, or not found */
    char unit[256];    /* the compilation unit's name */
    bool is_below;     /* its copy is compiled under the script's own path; see compile.c */
    struct script_words directories;  /* of #directory, in order */
    struct script_words packages;     /* of #require, in order */
    struct script_words archives;     /* of #load: a path, or a name for ocamlc to find */
    struct script_words flags;        /* for compiling and linking */
    struct script_words findlib;      /* what the packages add: options and archives */
    struct script_words dependencies; /* lines; see script_depend */
    struct VECTOR(struct script_module) modules; /* each after those that it needs */
    bool no_memory;
};

/* Appends a copy of word; NULL or a failure sets no_memory. */
void script_add(struct script *s, struct script_words *words, const char *word);
/* Appends word, which is allocated, and owns it. */
void script_add_own(struct script *s, struct script_words *words, char *word);
void script_words_free(struct script_words *words);

/* The last part of the script's path. */
const char *script_file_name(const struct script *s);

/* ---- directives.c ---- */

/* Follows the directives of a source: fills directories, packages, archives and flags. *text is the
 * text for ocamlc, allocated, in which directives are blanks and `#use` is the file's text. Returns
 * 0, or the exit status after a message. */
int script_follow_directives(struct script *s, const char *source, size_t length, char **text);

/* ---- parts.c ---- */

/* Finds what packages add to a command line. Returns 0, or the exit status after a message. */
int script_find_packages(struct script *s);
/* Finds the modules beside the script that the text, of which there is a copy in a file, refers to;
 * none if ocamlc cannot parse it, as it will say when it compiles that. Returns 0, or
 * VM_STATUS_STOPPED after a message. */
int script_find_modules(struct script *s, const char *text, const char *copy);
/* Whether the text has the word that names the module of a file; name: the file's, length of it. */
bool script_names_module(const char *text, const char *name, size_t length);

/* ---- compile.c ---- */

/* Compiles and links into the folder. Returns 0, or the exit status after a
 * message. */
int script_compile(struct script *s, const char *source, size_t length);

/* ---- dependencies.c ---- */

/* Notes that the bytecode depends on what is at path, or that nothing is there. Needs: it was not
 * read yet. NULL sets no_memory. */
void script_depend(struct script *s, const char *path);
/* All that was noted, as a text, allocated; NULL: it cannot be kept. */
char *script_dependencies(const struct script *s);
/* Whether it is as the text says. */
bool script_dependencies_hold(const char *text);

#endif
