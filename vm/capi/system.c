/* system.c - files, search paths, libraries and messages for stubs. */
#include "gc/heap.h"
#include "stdlib/prim.h"
#include "stdlib/state.h"
#include "vm/capi/capi_internal.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Errors of the system. ---- */

_Noreturn void caml_sys_error(value argument) { vm_raise_sys_error(self(), errno, argument); }

_Noreturn void caml_sys_io_error(value argument) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) vm_raise_constant(self(), EXN_SYS_BLOCKED_IO);
    caml_sys_error(argument);
}

/* -1: a signal interrupted it. */
static int transferred(ptrdiff_t n) {
    if (n == -1 && errno != EINTR) caml_sys_io_error(VAL_UNIT);
    return (int)n;
}

int caml_read_fd(int fd, int flags, void *to, int n) {
    caml_enter_blocking_section_no_pending();
    ptrdiff_t got = read(fd, to, (size_t)n);
    caml_leave_blocking_section();
    return transferred(got);
}

int caml_write_fd(int fd, int flags, void *from, int n) {
    caml_enter_blocking_section_no_pending();
    ptrdiff_t written = write(fd, from, (size_t)n);
    caml_leave_blocking_section();
    return transferred(written);
}

/* ---- Tables of pointers. ---- */

struct ext_table {
    int size, capacity;
    void **contents;
};

void caml_ext_table_init(struct ext_table *t, int capacity) {
    *t = (struct ext_table){0, capacity, caml_stat_alloc(sizeof(void *) * (size_t)capacity)};
}

int caml_ext_table_add_noexc(struct ext_table *t, void *data) {
    if (t->size == t->capacity) {
        int capacity = t->capacity == 0 ? 1 : 2 * t->capacity;
        void *more = caml_stat_resize_noexc(t->contents, sizeof(void *) * (size_t)capacity);
        if (more == NULL) return -1;
        t->contents = more;
        t->capacity = capacity;
    }
    t->contents[t->size] = data;
    return t->size++;
}

int caml_ext_table_add(struct ext_table *t, void *data) {
    int i = caml_ext_table_add_noexc(t, data);
    if (i < 0) vm_raise_out_of_memory(self());
    return i;
}

void caml_ext_table_remove(struct ext_table *t, void *data) {
    int i = 0;
    while (i < t->size && t->contents[i] != data) i++;
    if (i == t->size) return;
    caml_stat_free(t->contents[i]);
    t->size--;
    memmove(&t->contents[i], &t->contents[i + 1], sizeof(void *) * (size_t)(t->size - i));
}

void caml_ext_table_clear(struct ext_table *t, int free_entries) {
    for (int i = 0; free_entries && i < t->size; i++) caml_stat_free(t->contents[i]);
    t->size = 0;
}

void caml_ext_table_free(struct ext_table *t, int free_entries) {
    caml_ext_table_clear(t, free_entries);
    caml_stat_free(t->contents);
}

/* ---- Directories and search paths. ---- */

int caml_read_directory(char *name, struct ext_table *t) {
    DIR *directory = opendir(name);
    if (directory == NULL) return -1;
    errno = 0;
    for (struct dirent *e; (e = readdir(directory)) != NULL; errno = 0)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            caml_ext_table_add(t, caml_stat_strdup(e->d_name));
    int error = errno;
    closedir(directory);
    errno = error;
    return error == 0 ? 0 : -1;
}

char *caml_decompose_path(struct ext_table *t, char *path) {
    if (path == NULL) return NULL;
    char *copy = caml_stat_strdup(path);
    for (char *rest = copy, *part; (part = strsep(&rest, ":")) != NULL;)
        caml_ext_table_add(t, part);
    return copy;
}

char *caml_search_in_path(struct ext_table *t, const char *name) {
    struct stat status;
    bool search = strchr(name, '/') == NULL;
    for (int i = 0; search && i < t->size; i++) {
        const char *folder = t->contents[i];
        if (*folder == '\0') folder = ".";
        char *path = caml_stat_strconcat(3, folder, "/", name);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) return path;
        caml_stat_free(path);
    }
    return caml_stat_strdup(name);
}

char *caml_search_dll_in_path(struct ext_table *t, const char *name) {
    char *file = caml_stat_strconcat(2, name, ".so");
    char *path = caml_search_in_path(t, file);
    caml_stat_free(file);
    return path;
}

char *caml_search_exe_in_path(const char *name) {
    struct ext_table t;
    caml_ext_table_init(&t, 8);
    char *parts = caml_decompose_path(&t, getenv("PATH"));
    char *path = caml_search_in_path(&t, name);
    caml_stat_free(parts);
    caml_ext_table_free(&t, 0);
    return path;
}

/* ---- Libraries. ---- */

/* 4.x passes whether the library is to be executed, and then whether its names are global; 5.x only
 * the second. */
void *caml_dlopen(char *name, int a, int b) {
    int global = self()->abi_layout->takes_domain_state ? a : b;
    return dlopen(name, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
}
void caml_dlclose(void *library) { dlclose(library); }
void *caml_dlsym(void *library, const char *name) { return dlsym(library, name); }
void *caml_globalsym(const char *name) { return dlsym(RTLD_DEFAULT, name); }
char *caml_dlerror(void) { return dlerror(); }

/* ---- The process. ---- */

_Noreturn void caml_do_exit(int status) {
    prim_sys_exit(self(), val_of_int(status));
    __builtin_unreachable();
}

double caml_sys_time_unboxed(value unit) { return double_of_val(prim_sys_time(self(), unit)); }
double caml_log1p(double x) { return log1p(x); }
char *caml_secure_getenv(const char *name) { return secure_getenv(name); }

/* The file of the running program, to be freed; NULL if the system does not say. */
char *caml_executable_name(void) {
    char path[4096];
    ptrdiff_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n < 0) return NULL;
    path[n] = '\0';
    return caml_stat_strdup(path);
}

int caml_num_rows_fd(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : -1;
}

/* ---- Messages. ---- */

void caml_gc_message(int level, char *format, ...) {
    if ((caml_verb_gc & (uintptr_t)level) == 0) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
}

int caml_runtime_warnings_active(void) {
    struct prim_state *state = prim_state(self());
    if (state->runtime_warnings && !state->warned) {
        fprintf(stderr, "[ocaml] (use Sys.enable_runtime_warnings to control these warnings)\n");
        state->warned = true;
    }
    return state->runtime_warnings != 0;
}

/* ---- Primitives, which stubs also call. ---- */

#define PRIM_1(name) \
    value caml_##name(value a) { return prim_##name(self(), a); }
#define PRIM_2(name) \
    value caml_##name(value a, value b) { return prim_##name(self(), a, b); }
PRIM_1(channel_descriptor)
PRIM_1(ml_open_descriptor_in)
PRIM_1(ml_open_descriptor_out)
PRIM_1(sys_modify_argv)
PRIM_2(ba_reshape)
