/* roots_stubs.c - a local root, registered by hand where the headers of an OCaml 5 put it: the
 * argument is the offset of local_roots in caml_state (`local_roots` in run). */
#include <stdint.h>
#include <string.h>

extern __thread char *caml_state;
extern intptr_t caml_alloc_string(uintptr_t length);
extern void caml_minor_collection(void);

struct roots {
    struct roots *next;
    intptr_t tables, items;
    intptr_t *table[5];
};

intptr_t kept_by_a_local_root(intptr_t offset) {
    static const char text[] = "kept through a minor collection";
    intptr_t string = caml_alloc_string(sizeof text - 1);
    struct roots **list = (struct roots **)(caml_state + (offset >> 1));
    struct roots roots = {*list, 1, 1, {&string}};
    memcpy((char *)string, text, sizeof text - 1);
    *list = &roots;
    intptr_t before = string;
    caml_minor_collection();
    *list = roots.next;
    return string == before ? caml_alloc_string(0) : string;
}
