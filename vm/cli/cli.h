/* cli.h - what the verbs of the command line share: messages, exit statuses, finding programs. */
#ifndef BACTRIAN_VM_CLI_CLI_H
#define BACTRIAN_VM_CLI_CLI_H

#include "vm/cli/options.h"

enum {
    STATUS_OVER_BUDGET = 3,
    STATUS_REFUSED = 125,   /* a bad image, a wrong command line, our own output failed */
    STATUS_NOT_FOUND = 127, /* the file named cannot be opened */
};

/* Prints `bactrian: SUBJECT: text` on standard error (no subject if it is NULL) and returns status,
 * for `return cli_fail(...)`. The format is printf's; no newline at its end. GC: never. */
int cli_fail(int status, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for what a reader of input found: text, details, code and advice come from *error.
 * GC: never. */
int cli_refuse(const char *subject, const struct vm_error *error);
/* Flushes standard output. Returns status, or, after a message, STATUS_REFUSED if something that
 * was printed could not be written. GC: never. */
int cli_finish_output(int status);

/* The file that a program's name stands for: the name itself if it has a slash, else the first
 * regular file of that name in PATH, else the name itself. Allocated; NULL: no memory.
 * GC: never. */
char *cli_find_program(const char *name);
/* The folder of Bactrian's OCaml modules: beside the binary in the build folder, or where both were
 * installed. Allocated; NULL: they aren't there. GC: never. */
char *cli_module_folder(void);
/* The folder of OCaml's standard library: what the environment says, or where Debian has it.
 * GC: never. */
#define CLI_STANDARD_LIBRARY "/usr/lib/ocaml"
const char *cli_standard_library(void);
/* Whether path is a file that can be read, after a message if it is not. subject: the name to show.
 * GC: never. */
bool cli_check_readable(const char *path, const char *subject);
/* Whether the process runs with more rights than its caller, so that the environment is not to be
 * trusted. GC: never. */
bool cli_is_privileged(void);

/* Reads a whole file, NUL-terminated behind its *length bytes; allocated. NULL: errno says why.
 * GC: never. */
char *cli_read_file(const char *path, size_t *length);

/* Puts OCAMLRUNPARAM, or CAMLRUNPARAM, into the options; ignored in a privileged process.
 * GC: never. */
void cli_read_runparam(struct cli_options *options);

/* A machine with all primitives and the profiler, for an image; as vm_create. GC: never. */
struct vm *cli_create_machine(struct cli_options *options, const struct vm_image *image,
                              struct vm_error *error);

/* The bytecode of the OCaml script at path, compiled if the cache does not hold it. shown: the name
 * in messages and locations. On success returns 0 and *bytecode is the allocated path of the file;
 * *folder is the allocated temporary folder to remove with cli_remove_folder after loading, or NULL
 * when the file lies in the cache. Else the exit status, after a message (ocamlc's own for an error
 * in the script). GC: never. */
int cli_compile_script(const char *path, const char *shown, char **bytecode, char **folder);
/* Removes a folder made by cli_compile_script, with what is in it. GC: never. */
void cli_remove_folder(const char *folder);

/* Open the program at path: of whatever kind of file (README.md), or bytecode alone. shown: its
 * name in messages. Return 0, or the exit status after a message. DBUG is left for later
 * (vm_image_open). GC: never. */
int cli_open_image(const char *path, const char *shown, struct vm_image *image);
int cli_open_bytecode(const char *path, const char *shown, struct vm_image *image);
/* The same as cli_open_image for the program that the user named, with *path where it was found:
 * allocated, NULL without memory. GC: never. */
int cli_open_program(const char *shown, char **path, struct vm_image *image);
/* Opens the program that the operands name and gives its image away. Returns what use returns, or
 * the exit status after a message. GC: may run. */
int cli_with_program(struct cli_options *options,
                     int (*use)(struct cli_options *, struct vm_image *, const char *shown));

/* The image that a text of bytecode assembles to. Returns 0, or the exit status after a message.
 * GC: never. */
int cli_assemble(const char *path, const char *shown, struct vm_image *image);

/* The width of the terminal that standard output is, 0 if it is none; whether colours are welcome
 * there. GC: never. */
unsigned cli_terminal_columns(void);
bool cli_wants_color(void);

/* The verbs: each returns the exit status. */
int cli_run(struct cli_options *options); /* run PROGRAM (GC: may run) */
int cli_run_direct(struct cli_options *options,
                   const char *path);            /* path is known to be bytecode */
int cli_repl(struct cli_options *options);       /* repl (GC: may run) */
int cli_audit(struct cli_options *options);      /* --audit (GC: may run) */
int cli_dis(struct cli_options *options);        /* dis (GC: never) */
int cli_asm(struct cli_options *options);        /* asm (GC: never) */
int cli_mlprof(char **words);                    /* mlprof WORDS... (GC: never) */
int cli_print_info(struct cli_options *options); /* -config, -p, -version, -m ... (GC: never) */

/* Whether this binary has a profiler; false: after a message that it has none. GC: never. */
bool cli_has_profiler(void);
/* Starts recording a loaded machine if the command line or the environment asks for it; shown: the
 * program's name. Returns 0, or the exit status after a message. GC: never. */
int cli_start_recording(struct cli_options *options, struct vm *vm, const char *shown);
/* Says how the recording at path is read. GC: never. */
void cli_show_next(const char *path);
/* The program is over: closes the recording, if there is one, and tells of it. Returns status, or
 * what `prof test` makes of it. GC: may run. */
int cli_finish_recording(struct cli_options *options, struct vm *vm, struct vm_result result,
                         int status);
/* `prof test`: makes a temporary file for the recording; false: after a message, or no memory. Then
 * checks the recording against the budgets, after which a temporary file is gone. Returns status,
 * STATUS_OVER_BUDGET, or after a message STATUS_REFUSED. GC: never. */
bool cli_name_test_file(struct cli_options *options);
int cli_check_budgets(const struct cli_options *options, const struct mp_recording *done,
                      int status);

/* --profile: starts counting in a loaded machine (0, or the exit status after a message); writes
 * the counts when the program is over. GC: never. */
int cli_start_units(const struct cli_options *options, struct vm *vm);
void cli_finish_units(struct vm *vm);

/* --count-instructions, --count-forms: whether the file can be written, before the run (after a
 * message if not); and the counts, after it. GC: never. */
bool cli_check_count_file(const char *path);
void cli_write_counts(const struct vm *vm, const char *path);

#endif
