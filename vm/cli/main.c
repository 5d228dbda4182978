/* main.c - entry point of the process: finds out how it was started, and which verb is meant.
 *
 * Like ocamlrun, the binary may be asked to run a program by its own name: when argv[0] names a
 * bytecode file that has a launcher of its own, or when bytecode is appended to the binary itself
 * (ocamlc -custom), the whole command line belongs to that program. */
#include "vm/base/os.h"
#include "vm/cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool starts_with_hash_bang(const char *path) {
    char start[2] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = fd >= 0 && read(fd, start, 2) == 2 && start[0] == '#' && start[1] == '!';
    if (fd >= 0) close(fd);
    return found;
}

/* The path of the bytecode file that the process was started as, allocated; NULL if there is none.
 * The kernel passes a file with a `#!` line as an argument instead. */
static char *own_program(const char *argv0) {
    char self[PATH_MAX];
    char *named = argv0 != NULL ? cli_find_program(argv0) : NULL;
    if (named != NULL && vm_is_bytecode_file(named) && !starts_with_hash_bang(named)) return named;
    free(named);
    return cli_own_executable(self) && vm_is_bytecode_file(self) ? strdup(self) : NULL;
}

static int perform(struct cli_options *options) {
    if (options->timeout != 0)
        options->deadline_ns = vm_now_ns() + (uint64_t)(options->timeout * 1e9);
    if (options->has_action) return cli_print_info(options);
    switch (options->verb) {
    case VERB_REPL: return cli_repl(options);
    case VERB_DIS: return cli_dis(options);
    case VERB_PROF: return cli_prof(options->operands);
    case VERB_MLPROF: return cli_mlprof(options->operands);
    case VERB_DOCTOR: return cli_doctor(options);
    case VERB_HELP: return cli_help(options->operands);
    case VERB_COMPLETE: return cli_complete(options->operands);
    case VERB_ASM: return cli_asm(options);
    case VERB_PROF_ATTACH: return cli_attach(options);
    case VERB_PROF_TOP: return cli_top(options);
    case VERB_PROF_DETACH: return cli_detach(options);
    case VERB_PROF_SNAPSHOT:
        return options->of_process ? cli_snapshot_process(options) : cli_run(options);
    case VERB_RUN:
    case VERB_TRACE:
    case VERB_PROF_RECORD:
    case VERB_PROF_TEST: return cli_run(options);
    case VERB_COUNT: break;
    }
    return STATUS_REFUSED;
}

static void ignore(int signal) {}

/* A write beyond `ulimit -f` fails with EFBIG instead of ending the process. Unlike SIG_IGN, a
 * handler is not passed on to other programs. */
static void survive_large_files(void) {
    struct sigaction action;
    sigaction(SIGXFSZ, NULL, &action);
    if (action.sa_handler != SIG_DFL) return;
    action = (struct sigaction){.sa_handler = ignore, .sa_flags = SA_RESTART};
    sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv) {
    struct cli_options options = {0};
    char *nothing[] = {"bactrian", NULL};
    survive_large_files();
    char *program = own_program(argv[0]);
    int status = STATUS_REFUSED;
    if (program != NULL) {
        cli_read_runparam(&options);
        options.vm.gc.verbose = options.verbose;
        options.operands = argv;
        status = cli_run_direct(&options, program);
    } else if (cli_parse(argc > 0 ? argv : nothing, &options)) {
        status = perform(&options);
    }
    free(program);
    cli_options_free(&options);
    return cli_finish_output(status);
}
