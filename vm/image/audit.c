/* audit.c - the primitives that verified code can call, grouped by what they let a program do. */
#include "vm/image/audit.h"

#include "vm/code/code.h"
#include "vm/code/prim.h"
#include "vm/code/verify.h"
#include "vm/image/image.h"
#include "vm/image/link.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP_UNKNOWN = CAP_COUNT, GROUP_COUNT, LINE_COLUMNS = 78 };

static const struct {
    const char *name, *meaning;
} groups[GROUP_COUNT] = {
#define CAP(id, text, meaning) [CAP_##id] = {text, meaning},
    VM_CAPABILITIES(CAP)
#undef CAP
        [GROUP_UNKNOWN] = {"unknown", "not among this machine's primitives"},
};

static bool reachable(const struct vm_verified *verified, uint32_t p) {
    return verified->reachable_primitives[p / 64] >> p % 64 & 1;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of one group under its heading, sorted, in lines of LINE_COLUMNS. */
static void print_group(unsigned group, const char **names, size_t count, FILE *out) {
    qsort(names, count, sizeof *names, by_name);
    fprintf(out, "%s: %zu (%s)\n", groups[group].name, count, groups[group].meaning);
    size_t column = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        if (column != 0 && column + 1 + length > LINE_COLUMNS) {
            fputc('\n', out);
            column = 0;
        }
        column += (size_t)fprintf(out, column == 0 ? "    %s" : " %s", names[i]);
    }
    fputc('\n', out);
}

/* Libraries are not opened for this: what the machine lacks is theirs, if the program names any. */
static unsigned group_of(const struct vm *vm, const struct vm_linked_prim *prim) {
    if (prim->row != NULL) return prim->row->capability;
    const struct vm_section *dlls = vm_image_section(vm->image, "DLLS");
    if (dlls == NULL || dlls->length == 0) return GROUP_UNKNOWN;
    const struct vm_stub *stub = vm_find_stub(vm, prim->name);
    return stub != NULL ? stub->capabilities[0] : CAP_STUB;
}

void vm_audit(const struct vm *vm, FILE *out) {
    const struct vm_verified *verified = &vm->codes[0]->verified;
    size_t count = vm->prim_count, total = 0;
    const char **names = malloc((count + 1) * sizeof *names);
    uint8_t *group = malloc(count + 1);
    if (names == NULL || group == NULL) {
        fputs("not enough memory for the list\n", out);
        free(names);
        free(group);
        return;
    }
    for (uint32_t p = 0; p < count; p++) {
        group[p] = GROUP_COUNT;
        if (!reachable(verified, p)) continue;
        group[p] = (uint8_t)group_of(vm, &vm->prims[p]);
        total++;
    }
    fprintf(out, "%zu of %zu primitives can be reached\n", total, count);
    for (unsigned g = 0; g < GROUP_COUNT; g++) {
        size_t n = 0;
        for (uint32_t p = 0; p < count; p++)
            if (group[p] == g) names[n++] = vm->prims[p].name;
        if (n > 0) print_group(g, names, n, out);
    }
    free(names);
    free(group);
}
