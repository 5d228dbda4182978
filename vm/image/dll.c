/* dll.c - see dll.h. The search is that of ocamlrun: -I, CAML_LD_LIBRARY_PATH, DLPT, the lines of
 * ld.conf; a library in none of these folders is left to the system's own search. A program that
 * may not run any C code (CAP_DYNLINK) gets no library from a folder of its own choice: neither by
 * DLPT nor by the system's search. */
#include "vm/image/dll.h"

#include "vm/image/image.h"
#include "vm/image/link.h"
#include "vm/image/policy.h"
#include "vm/state/abi.h"
#include "vm/state/options.h"
#include "vm/state/vm.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

struct vm_dll {
    struct vm_dll *next;
    void *handle; /* NULL: the machine replaces this library */
};

struct vm_dll_symbol {
    struct vm_dll_symbol *next;
    void *function; /* NULL: the built-in primitive of that name */
    char name[];
};

/* Libraries that the machine's own primitives replace. */
static bool is_built_in(const char *file) {
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;
    size_t n = strcspn(name, ".");
    return (n == 10 && memcmp(name, "dllthreads", n) == 0) ||
           (n == 17 && memcmp(name, "dllbactrian_stubs", n) == 0);
}

/* ---- The search. ---- */

static bool visit_list(const char *list, vm_dll_folder *visit, void *context) {
    if (list == NULL || *list == '\0') return false;
    for (const char *end;; list = end + 1) {
        end = strchrnul(list, ':');
        if (visit(context, list, (size_t)(end - list))) return true;
        if (*end == '\0') return false;
    }
}

static bool visit_image(const struct vm_image *image, vm_dll_folder *visit, void *context) {
    const struct vm_section *dlpt = vm_image_section(image, "DLPT");
    for (size_t at = 0, n; dlpt != NULL && at < dlpt->length; at += n + 1) {
        const char *folder = (const char *)dlpt->bytes + at;
        n = strnlen(folder, dlpt->length - at);
        if (n > 0 && visit(context, folder, n)) return true;
    }
    return false;
}

static bool visit_ld_conf(const char *library, vm_dll_folder *visit, void *context) {
    char path[PATH_MAX], line[PATH_MAX];
    if (library == NULL || snprintf(path, PATH_MAX, "%s/ld.conf", library) >= PATH_MAX)
        return false;
    FILE *conf = fopen(path, "re");
    bool found = false;
    while (conf != NULL && !found && fgets(line, sizeof line, conf) != NULL)
        found = visit(context, line, strcspn(line, "\n"));
    if (conf != NULL) fclose(conf);
    return found;
}

bool vm_dll_folders(const struct vm *vm, vm_dll_folder *visit, void *context) {
    const struct vm_dll_path *where = &vm->options.dlls;
    for (size_t i = 0; i < where->dir_count; i++)
        if (visit(context, where->dirs[i], strlen(where->dirs[i]))) return true;
    return visit_list(where->list, visit, context) ||
           (vm_policy_refusal(vm, CAP_DYNLINK) == NULL && visit_image(vm->image, visit, context)) ||
           visit_ld_conf(where->standard_library, visit, context);
}

/* A file that is searched for; found: its path. */
struct wanted {
    const char *file;
    char *path; /* of PATH_MAX bytes */
};

static bool is_there(void *context, const char *folder, size_t n) {
    const struct wanted *wanted = context;
    struct stat status;
    if (n == 0) folder = ".", n = 1; /* an empty entry is the current folder */
    int length = snprintf(wanted->path, PATH_MAX, "%.*s/%s", (int)n, folder, wanted->file);
    return length < PATH_MAX && stat(wanted->path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool search(const struct vm *vm, const char *file, char path[PATH_MAX]) {
    struct wanted wanted = {file, path};
    return strchr(file, '/') == NULL && vm_dll_folders(vm, is_there, &wanted);
}

/* ---- Opening. ---- */

/* A static binary has no dynamic section, and so no symbols that a library could import. */
const char *vm_dll_none(void) {
    extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak));
    return _DYNAMIC != NULL ? NULL
                            : "this binary of Bactrian is static, without libraries of C code";
}

void *vm_dll_load(const char *path, int flags) {
    dlopen(LIBM_SO, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    return dlopen(path, flags);
}

static struct vm_dll *append(struct vm *vm, void *handle) {
    struct vm_dll *dll = malloc(sizeof *dll), **end = &vm->dlls;
    if (dll == NULL) return NULL;
    *dll = (struct vm_dll){.handle = handle};
    while (*end != NULL) end = &(*end)->next;
    return *end = dll;
}

/* The handle of a library; NULL: *why says why not. */
static void *open_library(struct vm *vm, const char *file, const char **why) {
    *why = vm_dll_none();
    if (*why != NULL) return NULL;
    if (vm->options.abi == NULL) *why = "this machine loads no C libraries";
    /* Opening alone runs code: the library's constructors. */
    else if (vm_policy_refusal(vm, CAP_STUB) != NULL)
        *why = "libraries of C code are refused to this program";
    else if (!vm->abi_attached) *why = vm->options.abi->attach(vm->domain);
    if (*why != NULL) return NULL;
    vm->abi_attached = true;
    void *handle = vm_dll_load(file, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE); /* DL1 */
    if (handle == NULL) *why = dlerror();
    return handle;
}

struct vm_dll *vm_dll_open(struct vm *vm, const char *file, const char **why) {
    bool built_in = is_built_in(file);
    void *handle = built_in ? NULL : open_library(vm, file, why);
    if (!built_in && handle == NULL) return NULL;
    struct vm_dll *dll = append(vm, handle);
    if (dll == NULL) *why = "out of memory";
    return dll;
}

/* The loader does not say that memory is what it lacks to map a library. */
static enum vm_status failure_of(const char *why) {
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited && strstr(why, "failed to map") != NULL ? VM_NO_MEMORY : VM_DLL;
}

enum vm_status vm_dlls_open(struct vm *vm, struct vm_error *error) {
    const struct vm_section *dlls = vm_image_section(vm->image, "DLLS");
    if (dlls == NULL || vm->options.abi == NULL) return VM_OK;
    if (vm_policy_refusal(vm, CAP_STUB) != NULL) return VM_OK; /* its functions are refused */
    char file[NAME_MAX + 8], path[PATH_MAX];
    const char *why, *flag = vm_policy_refusal(vm, CAP_DYNLINK);
    for (size_t i = 0, n; i < dlls->length; i += n + 1) {
        const char *at = (const char *)dlls->bytes + i;
        n = strnlen(at, dlls->length - i);
        if (n == 0 || n > NAME_MAX)
            return vm_error_set(error, VM_DLL, "its name in DLLS has %zu characters", n);
        snprintf(file, sizeof file, "%.*s.so", (int)n, at);
        bool found = search(vm, file, path);
        if (!found && flag != NULL)
            return vm_error_set(error, VM_DLL,
                                "%.*s: it is in no folder for libraries; refused by %s", (int)n, at,
                                flag);
        if (vm_dll_open(vm, found ? path : file, &why) == NULL)
            return vm_error_set(error, failure_of(why), "%.*s: %s", (int)n, at, why);
    }
    return VM_OK;
}

struct vm_dll *vm_dll_at(const struct vm *vm, size_t i) {
    struct vm_dll *dll = vm->dlls;
    while (dll != NULL && i-- > 0) dll = dll->next;
    return dll;
}

/* ---- Symbols. ---- */

/* The function of that name that the library itself defines, or NULL. dlsym finds those of the
 * libraries that it depends on as well, of libc for one: system, unlink. */
static void *own_function(const struct vm_dll *dll, const char *name) {
    void *function = dll->handle == NULL ? NULL : dlsym(dll->handle, name);
    struct link_map *library, *holder;
    Dl_info about;
    if (function == NULL || dlinfo(dll->handle, RTLD_DI_LINKMAP, &library) != 0 ||
        dladdr1(function, &about, (void **)&holder, RTLD_DL_LINKMAP) == 0)
        return NULL;
    return holder == library ? function : NULL;
}

void *vm_dlls_function(const struct vm *vm, const char *name) {
    for (const struct vm_dll *dll = vm->dlls; dll != NULL; dll = dll->next) {
        void *function = own_function(dll, name);
        if (function != NULL) return function;
    }
    return NULL;
}

struct vm_dll_symbol *vm_dll_symbol(struct vm *vm, const struct vm_dll *dll, const char *name) {
    const struct vm_dll *known = vm->dlls;
    while (known != NULL && known != dll) known = known->next;
    if (known == NULL) return NULL;
    const struct vm_prim *row = vm_find_builtin(vm, name);
    void *function = own_function(dll, name);
    if (dll->handle == NULL ? row == NULL : function == NULL) return NULL;
    struct vm_dll_symbol *symbol = malloc(sizeof *symbol + strlen(name) + 1);
    if (symbol == NULL) return NULL;
    symbol->function = function;
    strcpy(symbol->name, name);
    symbol->next = vm->dll_symbols;
    return vm->dll_symbols = symbol;
}

int32_t vm_dll_add_primitive(struct vm *vm, const struct vm_dll_symbol *symbol) {
    const struct vm_dll_symbol *known = vm->dll_symbols;
    while (known != NULL && known != symbol) known = known->next;
    return known == NULL ? -1 : vm_link_more(vm, symbol->name, symbol->function);
}

void vm_dlls_free(struct vm *vm) {
    for (void *next; vm->dlls != NULL; vm->dlls = next) {
        next = vm->dlls->next;
        free(vm->dlls);
    }
    for (void *next; vm->dll_symbols != NULL; vm->dll_symbols = next) {
        next = vm->dll_symbols->next;
        free(vm->dll_symbols);
    }
}
