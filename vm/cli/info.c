/* info.c - options that print something about Bactrian or about a program, and exit. */
#include "memprof/memprof.h"
#include "stdlib/state.h"
#include "vm/cli/cli.h"
#include "vm/cli/usage.h"
#include "vm/image/link.h"

#include <stdlib.h>
#include <string.h>

/* OCaml's own primitives come first. */
static int by_name(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    bool own_x = strncmp(x, "caml_", 5) != 0, own_y = strncmp(y, "caml_", 5) != 0;
    return own_x != own_y ? own_x - own_y : strcmp(x, y);
}

/* ocamlc -use-runtime reads this list and numbers primitives in its order, which is ocamlrun's. */
static int print_primitives(enum vm_version_id version) {
    size_t count = prim_library.count + mp_prim_row_count, n = 0;
    const char **names = malloc(count * sizeof *names);
    if (names == NULL) return cli_fail(STATUS_REFUSED, NULL, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const struct vm_prim *row = i < prim_library.count ? &prim_library.rows[i]
                                                           : &mp_prim_rows[i - prim_library.count];
        if (vm_prim_is_of(row, version)) names[n++] = row->name;
    }
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++) puts(names[i]);
    free(names);
    return 0;
}

/* Prints the lines of the standard library's ld.conf, if it exists. */
static void print_ld_conf(const char *library) {
    char *path, *text = NULL;
    size_t length;
    if (asprintf(&path, "%s/ld.conf", library) >= 0) {
        text = cli_read_file(path, &length);
        free(path);
    }
    for (char *line = text; line != NULL && *line != 0;) {
        size_t n = strcspn(line, "\n");
        printf("  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
    free(text);
}

/* As Debian's OCaml names it. */
#ifdef __x86_64__
static const char host[] = "x86_64-pc-linux-gnu";
#elif defined __aarch64__
static const char host[] = "aarch64-unknown-linux-gnu";
#else
static const char host[] = "unknown-linux-gnu";
#endif

/* The lines and values of `ocamlrun -config`, including the two word sizes that it swaps. */
static int print_config(struct cli_options *options, const struct vm_version *version) {
    printf("version: %s\n", version->name);
    const char *library = cli_standard_library(options);
    printf("standard_library_default: %s\n",
           options->standard_library != NULL ? library : BACTRIAN_STANDARD_LIBRARY);
    printf("standard_library: %s\n", library);
    printf("int_size: %d\nword_size: %d\n", 64, 63);
    printf("os_type: Unix\nhost: %s\n", host);
    printf("flat_float_array: true\nsupports_afl: true\nwindows_unicode: false\n");
    printf("supports_shared_libraries: true\n%s", version->config);
    printf("exec_magic_number: %s\n", version->magic);
    printf("shared_libs_path:\n");
    for (size_t i = 0; i < options->dll_dir_count; i++) printf("  %s\n", options->dll_dirs[i]);
    print_ld_conf(library);
    return 0;
}

static int print_magic(struct cli_options *options, struct vm_image *image, const char *shown) {
    puts(image->version->magic);
    vm_image_close(image);
    return 0;
}

/* The verifier finds the primitives that reachable code calls; vm_audit sorts them. */
static int audit(struct cli_options *options, struct vm_image *image, const char *shown) {
    struct vm_error error = {0};
    int status = 0;
    options->vm.verify_all = true;
    struct vm *vm = cli_create_machine(options, image, shown, &status);
    if (vm == NULL) return status;
    if (vm_load(vm, image, &error) != VM_OK) status = cli_refuse(shown, &error);
    else vm_audit(vm, stdout);
    vm_destroy(vm);
    return status;
}

static int print_module_folder(const struct cli_options *options) {
    struct cli_compiler c;
    bool temporary;
    int status = cli_find_compiler(options, NULL, &c);
    char *folder = status == 0 ? cli_find_modules(&c, MODULES_OF_PROGRAMS, &temporary) : NULL;
    free(c.ocamlc);
    if (folder == NULL) return status != 0 ? status : STATUS_REFUSED;
    if (temporary) {
        cli_remove_folder(folder);
        status = cli_fail(STATUS_REFUSED, NULL,
                          "no cache to compile Bactrian's modules into: set XDG_CACHE_HOME");
    } else {
        puts(folder);
    }
    free(folder);
    return status;
}

static int print_version(void) {
    printf("bactrian %s, for bytecode of OCaml", BACTRIAN_VERSION);
    for (int id = 0; id < OCAML_COUNT; id++) printf(" %s", vm_versions[id].name);
    putchar('\n');
    return 0;
}

/* Options that describe the OCaml that bactrian stands for. */
static int describe(struct cli_options *options) {
    const struct vm_version *version = cli_described_version(options);
    if (version == NULL) return STATUS_REFUSED;
    switch (options->action) {
    case OPTION_CONFIG: return print_config(options, version);
    case OPTION_PRIMITIVES: return print_primitives(version->id);
    case OPTION_OCAML_VERSION: printf("The OCaml runtime, version %s\n", version->name); return 0;
    default: puts(options->action == OPTION_OWN_MAGIC ? version->magic : version->name); return 0;
    }
}

int cli_print_info(struct cli_options *options) {
    switch (options->action) {
    case OPTION_AUDIT: return cli_with_program(options, audit);
    case OPTION_MAGIC: return cli_with_program(options, print_magic);
    case OPTION_CONFIG:
    case OPTION_OWN_MAGIC:
    case OPTION_PRIMITIVES:
    case OPTION_OCAML_VERSION:
    case OPTION_OCAML_VNUM: return describe(options);
    case OPTION_WHERE: return print_module_folder(options);
    case OPTION_VERSION: return print_version();
    default: cli_print_help(options->verb_given ? &cli_commands[options->verb] : NULL); return 0;
    }
}
