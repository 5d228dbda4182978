/* cli.h - what the verbs of the command line share. GC: never, except where a comment says
 * otherwise. */
#ifndef BACTRIAN_VM_CLI_CLI_H
#define BACTRIAN_VM_CLI_CLI_H

#include "memprof/format/output.h"
#include "memprof/report/model/base.h"
#include "memprof/report/model/model.h"
#include "vm/base/md5.h"
#include "vm/code/version.h"
#include "vm/cli/options.h"
#include "vm/image/image.h"
#include "vm/machine/machine.h"

#include <limits.h>
#include <signal.h>
#include <sys/types.h>

enum {
    STATUS_OVER_BUDGET = 3,
    STATUS_REFUSED = 125,   /* bad image, wrong command line, or our own output failed */
    STATUS_NOT_FOUND = 127, /* the named file cannot be opened */
};

/* ---- output.c ---- */

/* Prints `bactrian: SUBJECT: text` on standard error (no subject if it is NULL) and returns status,
 * for `return cli_fail(...)`. The format is printf's, without a newline. */
int cli_fail(int status, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with the text, details, code and advice of *error; returns STATUS_REFUSED. */
int cli_refuse(const char *subject, const struct vm_error *error);
int cli_report_failed(const struct report_error *error);
/* Refuses an output file because of an errno of memprof/format/output.h. */
int cli_refuse_output(const char *path, int problem);
/* Opens a file for output (mp_output_open; start: of an earlier output); NULL after a message.
 * Closes it and gives it its name; returns 0, or the exit status after a message, and leaves
 * nothing incomplete. */
FILE *cli_open_output(struct mp_output *output, const char *path, const char *start, bool force);
int cli_close_output(struct mp_output *output, FILE *file, const char *path);
/* Flushes standard output. Returns status, or, if printed text could not be written,
 * STATUS_REFUSED after a message. */
int cli_finish_output(int status);
/* The width of the terminal on standard output, 0 if it is not a terminal; whether to print
 * colours there. */
unsigned cli_terminal_columns(void);
bool cli_wants_color(void);

/* ---- files.c ---- */

/* The file that a program's name denotes: the name itself if it has a slash, else the first
 * regular file of that name in PATH, else the name itself. Allocated; NULL when out of memory. */
char *cli_find_program(const char *name);
/* The path of this binary. False: unknown. */
bool cli_own_executable(char path[PATH_MAX]);
/* The folder of OCaml's standard library: that of a compiler that was chosen, or from the
 * environment, or of the OCaml that the build found; where that has no ld.conf, of the ocamlrun in
 * PATH. The options keep the text. */
const char *cli_standard_library(struct cli_options *options);
/* $TMPDIR or /tmp. */
const char *cli_temporary_folder(void);
/* Creates the missing parent folders of an absolute path. A failure shows when the file is
 * opened. */
void cli_make_parents(char *path);
/* Whether path is a file that can be read; prints a message if not. subject: the name to show. */
bool cli_check_readable(const char *path, const char *subject);
/* Whether the process has more rights than its caller, so that the environment cannot be
 * trusted. */
bool cli_is_privileged(void);
/* Reads a whole file into an allocated buffer with a NUL after its *length bytes. NULL: see
 * errno. */
char *cli_read_file(const char *path, size_t *length);

/* Open a program: of any kind (README.md), looked up by cli_find_program with *path the allocated
 * result (NULL when out of memory), or a bytecode file. shown: its name in messages. Return 0, or
 * the exit status after a message. Debug information is not read yet (vm_image_open). */
int cli_open_program(const struct cli_options *options, const char *shown, char **path,
                     struct vm_image *image);
int cli_open_bytecode(const char *path, const char *shown, struct vm_image *image);
/* Opens the program that the operands name and passes the image, which use then owns. Returns what
 * use returns, or the exit status after a message. GC: may run. */
int cli_with_program(struct cli_options *options,
                     int (*use)(struct cli_options *, struct vm_image *, const char *shown));

/* ---- compiler.c ---- */

/* The OCaml compiler of a command line. */
struct cli_compiler {
    char *ocamlc;         /* its path; allocated */
    const char *shown;    /* what it compiles, for messages */
    uint64_t deadline_ns; /* of its work; 0: none */
};

/* Whether --ocaml or OCAMLFIND_TOOLCHAIN names one. */
bool cli_compiler_is_chosen(const struct cli_options *options);
/* The path of a program beside the chosen ocamlc, or in PATH; its bare name if it is not there.
 * Allocated; NULL when out of memory. */
char *cli_find_tool(const struct cli_options *options, const char *tool);
/* Returns 0, or the exit status after a message. */
int cli_find_compiler(const struct cli_options *options, const char *shown,
                      struct cli_compiler *out);
/* Adds what its output depends on, besides what it compiles: which it is, and its environment. */
void cli_identify_compiler(const struct cli_compiler *c, struct vm_md5_state *sum);
/* Runs it with words, which begin with its name, in folder cwd (NULL: the current one), with its
 * messages to that descriptor. Returns its exit status, or another one after a message. */
int cli_run_compiler(const struct cli_compiler *c, const char *cwd, const char *const *words,
                     int messages);
/* *text: what a program prints, allocated; NULL unless its exit status is 0 and it prints
 * something. messages: whether its messages are shown; c: whose deadline holds, or NULL. Returns
 * its exit status, or another one, after a message at the deadline. */
int cli_output_of(const struct cli_compiler *c, const char *program, const char *const *words,
                  bool messages, char **text);
/* The first line that a program prints, allocated; NULL if it fails. */
char *cli_first_line(const char *program, const char *const *words);
/* Its version. NULL: after a message. */
const struct vm_version *cli_compiler_version(const struct cli_compiler *c);
/* The folder of its standard library, allocated; NULL: after a message. */
char *cli_compiler_library(const struct cli_options *options);
/* The version of OCaml that -vnum, -config and so on describe: of the compiler that was chosen, or
 * 4.13. NULL: after a message. */
const struct vm_version *cli_described_version(const struct cli_options *options);

/* ---- modules.c ---- */

enum cli_modules { MODULES_OF_PROGRAMS, MODULES_OF_REPL };

/* The folder of Bactrian's OCaml modules for that compiler. Allocated; NULL: they are not
 * installed, or cannot be compiled, after ocamlc's messages. *temporary: the caller removes it
 * with cli_remove_folder. */
char *cli_find_modules(const struct cli_compiler *c, enum cli_modules which, bool *temporary);

/* ---- cache.c ---- */

/* dir/name followed by suffix, allocated; NULL when out of memory. */
char *cli_join(const char *dir, const char *name, const char *suffix);
/* ${XDG_CACHE_HOME:-~/.cache}/bactrian, created if needed, without symbolic links; NULL if it can't
 * be used. */
char *cli_cache_folder(void);
/* Whether path, no symbolic link, is this user's, of that type, and not writable by others. */
bool cli_is_own(const char *path, mode_t type);
/* Whether the disk of a folder has room for what a compilation writes. */
bool cli_has_room(const char *folder);
/* Creates a folder to compile in. Allocated; NULL: after a message. */
char *cli_work_folder(const char *base);
/* Copies to a file that does not exist. */
bool cli_copy_file(const char *from, const char *to);
/* Removes a folder and its contents. */
void cli_remove_folder(const char *folder);
/* Ends a digest, whose text names a file of the cache. */
enum { CLI_HASH_BYTES = 33 };
void cli_hash_text(struct vm_md5_state *sum, char text[CLI_HASH_BYTES]);

/* ---- script/script.c ---- */

/* The bytecode of an OCaml script, compiled unless it is in the cache. path: its file, or NULL for
 * the text of -e or else standard input; shown: the name in messages and locations. On success
 * returns 0; *bytecode is the allocated path of the file; *folder is the allocated path of a
 * temporary folder to remove with cli_remove_folder after loading, or NULL. Otherwise returns the
 * exit status, after a message (ocamlc's own for an error in the script). */
int cli_compile_script(const struct cli_options *options, const char *path, const char *shown,
                       char **bytecode, char **folder);

/* ---- text.c ---- */

/* Assembles a text into an image. Returns 0, or the exit status after a message. */
int cli_assemble(const char *path, const char *shown, struct vm_image *image);

/* ---- machine_code.c ---- */

/* Prints the machine code of the program that the operands name; image: that program, with its code
 * unpacked. Returns the exit status. */
int cli_print_machine_code(struct cli_options *options, const struct vm_image *image, FILE *out);

/* ---- runparam.c ---- */

/* Reads OCAMLRUNPARAM, or CAMLRUNPARAM, into the options; ignored in a privileged process. */
void cli_read_runparam(struct cli_options *options);
/* The word of --jit or BACTRIAN_JIT. False: it is not one. */
bool cli_jit_of_word(const char *text, enum vm_jit *out);
/* Ends the process if ocamlrun of this version would not start with a number in it. */
void cli_check_runparam(const struct cli_options *options, const struct vm_version *version);

/* ---- The verbs: each returns the exit status. ---- */

int cli_run(struct cli_options *options); /* also prof record, ..., trace (GC: may run) */
int cli_run_direct(struct cli_options *options,
                   const char *path);      /* path is bytecode (GC: may run) */
int cli_repl(struct cli_options *options); /* GC: may run */
int cli_dis(struct cli_options *options);
int cli_asm(struct cli_options *options);
int cli_prof(char **words);       /* prof WORDS */
int cli_prof_shell(char **words); /* words[0] is "shell" */
/* A verb that reads a profile, which was loaded from path or, NULL, is named by the words. */
int cli_report(const struct report_model *model, const char *path, char **words);
int cli_mlprof(char **words);                    /* mlprof WORDS */
int cli_print_info(struct cli_options *options); /* -config, --audit, ... (GC: may run) */
int cli_doctor(struct cli_options *options);
int cli_help(char **words);     /* help WORDS */
int cli_complete(char **words); /* complete WORDS */

/* ---- help.c ---- */

struct cli_command;

/* Describes a command on standard output; NULL: lists them all. */
void cli_print_help(const struct cli_command *command);
/* Whether one of the words, up to `--`, asks for help. */
bool cli_asks_for_help(char **words);
/* The name of the verb that a word probably means; NULL: none. */
const char *cli_nearest_verb(const char *word);
/* Refuses a verb that is unknown; before: "prof " or "". Returns the exit status. */
int cli_refuse_verb(const char *before, const char *word);

/* ---- run.c ---- */

/* A machine with all primitives and the profiler, for an image. NULL: after a message; *status is
 * the exit status, and the image is closed. */
struct vm *cli_create_machine(struct cli_options *options, struct vm_image *image,
                              const char *shown, int *status);
/* Whether this binary has a profiler; prints a message if not. */
bool cli_has_profiler(void);

/* ---- record.c ---- */

#define CLI_DEFAULT_RATE 1e-4

/* Before the machine is created: what --promoted needs. Returns 0, or the exit status after a
 * message. */
int cli_prepare_recording(struct cli_options *options);
/* Starts recording a loaded machine if the command line or the environment requests it; shown: the
 * program's name. Returns 0, or the exit status after a message. */
int cli_start_recording(struct cli_options *options, struct vm *vm, const char *shown);
/* The program is not started: ends the recording, if there is one. */
void cli_abandon_recording(struct vm *vm);
/* The name of a file after a program's, in the current folder, allocated; NULL: out of memory. */
char *cli_name_after_program(const char *program, const char *extension);
/* Ends the recording, if there is one, and prints a summary or checks budgets. Returns the exit
 * status, which `prof test` may change. GC: may run. */
int cli_finish_recording(struct cli_options *options, struct vm *vm, struct vm_result result,
                         int status);

/* ---- snapshot.c ---- */

/* Before anything is written: whether the options agree. Returns 0, or the exit status after a
 * message. */
int cli_prepare_snapshots(const struct cli_options *options);
/* `prof snapshot`: has snapshots taken of a loaded machine. Returns 0, or the exit status after a
 * message. */
int cli_start_snapshots(struct cli_options *options, struct vm *vm, const char *shown);
/* The program has ended: takes the last one. GC: may run. */
void cli_finish_snapshots(struct cli_options *options, struct vm *vm);

/* ---- process.c ---- */

struct mp_reply;
struct mp_request;

/* A process that runs a program. */
struct cli_process {
    pid_t pid;
    uid_t owner;
    char shown[24]; /* for messages */
    int handle, listener, signals;
    sigset_t blocked_before; /* signals, until it was opened */
    char path[108];          /* of the socket, while a request is made */
};

/* What ended a wait: what it waited for, the time, a signal to this process, the end of the
 * other. */
enum cli_wait { WAIT_READY, WAIT_TIME, WAIT_SIGNAL, WAIT_ENDED };

/* Whether a word is the number of a process, and no file. */
bool cli_names_process(const char *word);
/* Finds the process of a number. Signals that end this process are blocked until cli_close_process,
 * which is always called. Returns 0, or the exit status after a message. */
int cli_open_process(const char *word, struct cli_process *p);
void cli_close_process(struct cli_process *p);
/* Checks whether the process can be asked, sends a request, with a descriptor or -1, and waits for
 * the reply. interrupt: also if that may end a system call of the program. *connection: stays open,
 * if it is not NULL. Returns 0, or the exit status after a message. */
int cli_ask_process(struct cli_process *p, const struct mp_request *request, int file,
                    bool interrupt, struct mp_reply *reply, int *connection);
/* Waits for a further reply; timeout_ms -1: for as long as it takes. */
enum cli_wait cli_read_reply(const struct cli_process *p, int connection, int timeout_ms,
                             struct mp_reply *reply);
/* Waits until a descriptor can be read. */
enum cli_wait cli_wait_for(const struct cli_process *p, int fd, int timeout_ms);

/* ---- attach.c ---- */

/* Verbs about a process, which the operands name; each returns the exit status. */
int cli_attach(struct cli_options *options);
int cli_detach(struct cli_options *options);
int cli_snapshot_process(struct cli_options *options);
/* Has the process recorded to a file, whose name it returns. bound: until the connection is closed.
 * Returns 0, or the exit status after a message. */
int cli_begin_recording(const struct cli_options *options, struct cli_process *p, bool bound,
                        char path[PATH_MAX], struct mp_reply *reply, int *connection);

/* ---- top/top.c ---- */

/* `prof top`: returns the exit status. */
int cli_top(struct cli_options *options);

/* ---- counts.c ---- */

/* --profile: starts counting in a loaded machine (0, or the exit status after a message); writes
 * the counts at the end of the run. */
int cli_start_profile(const struct cli_options *options, struct vm *vm);
void cli_finish_profile(struct vm *vm);
/* --count-instructions, --count-forms: before the run, finds the file and whether it can be written
 * (a message if not); after it, writes the counts. A failure then is only a warning: the program
 * has done its work. */
bool cli_find_count_file(struct cli_options *options);
void cli_write_counts(const struct vm *vm, struct cli_options *options);

/* ---- trace.c ---- */

struct cli_trace;

/* Whether --function selects it: a NAME is all of text, or what follows a dot or underscore. */
bool cli_shows_function(const struct cli_options *options, const char *text);
/* `trace`: sets the machine's options for tracing. NULL: after a message, *status is the exit
 * status. */
struct cli_trace *cli_open_trace(struct cli_options *options, const char *shown, int *status);
/* Starts with a loaded machine (0, or the exit status after a message). */
int cli_start_trace(struct cli_trace *trace, struct vm *vm);
/* Completes the output of a run. Returns status, or after a message another one. Needs: the machine
 * still exists. */
int cli_finish_trace(struct cli_trace *trace, int status);
/* Frees it. Needs: the machine is destroyed. NULL is allowed. */
void cli_close_trace(struct cli_trace *trace);

/* ---- watchdog.c ---- */

struct cli_watchdog;

/* --timeout: starts what stops the machine at the deadline: here, in forked children, and in a
 * program that replaces this one by execv. If the machine does not react within a second (it waits
 * in a system call), or has not ended a minute after it did, the process is ended. deadline_ns 0:
 * returns NULL. Fails: NULL with *failed set. */
struct cli_watchdog *cli_watchdog_start(struct vm *vm, const char *shown, uint64_t deadline_ns,
                                        bool *failed);
/* The program has ended. Needs: the machine still exists. NULL is allowed. */
void cli_watchdog_stop(struct cli_watchdog *dog);

#endif
