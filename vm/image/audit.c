/* audit.c - the primitives that verified code can call, grouped by what they let a program do. */

#include "gc/assert.h"
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

struct reachable {
    unsigned group;
    const char *name;
};

static int by_group_and_name(const void *a, const void *b) {
    const struct reachable *x = a, *y = b;
    return x->group != y->group ? (x->group < y->group ? -1 : 1) : strcmp(x->name, y->name);
}

/* The names of one group under its heading, in lines of LINE_COLUMNS. */
static void print_group(const struct reachable *rows, size_t count, FILE *out) {
    ASSERT(count > 0 && rows->group < GROUP_COUNT);
    fprintf(out, "%s: %zu (%s)\n", groups[rows->group].name, count, groups[rows->group].meaning);
    size_t column = 0;
    for (size_t i = 0; i < count; i++) {
        if (column != 0 && column + 1 + strlen(rows[i].name) > LINE_COLUMNS) {
            fputc('\n', out);
            column = 0;
        }
        column += (size_t)fprintf(out, column == 0 ? "    %s" : " %s", rows[i].name);
    }
    fputc('\n', out);
}

/* Adds a primitive to the group of each capability that it needs. Libraries are not opened for an
 * audit: a name that the machine lacks is taken for one of theirs, if the program names any. */
static size_t add_rows(const struct vm *vm, const struct vm_linked_prim *prim,
                       struct reachable *rows) {
    rows[0].name = rows[1].name = prim->name;
    rows[0].group = GROUP_UNKNOWN;
    const struct vm_section *dlls = vm_image_section(vm->image, "DLLS");
    if (prim->row != NULL) {
        rows[0].group = prim->row->capability;
    } else if (dlls != NULL && dlls->length > 0) {
        struct vm_stub stub = vm_stub_named(vm, prim->name);
        rows[0].group = stub.capabilities[0];
        rows[1].group = stub.capabilities[1];
        return stub.capabilities[0] == stub.capabilities[1] ? 1 : 2;
    }
    return 1;
}

void vm_audit(const struct vm *vm, FILE *out) {
    struct reachable *rows = malloc((2 * (size_t)vm->prim_count + 1) * sizeof *rows);
    if (rows == NULL) {
        fputs("not enough memory for the list\n", out);
        return;
    }
    size_t count = 0;
    unsigned reached = 0;
    for (uint32_t p = 0; p < vm->prim_count; p++) {
        if (!vm_calls_primitive(vm->codes[0]->verifier, p)) continue;
        count += add_rows(vm, &vm->prims[p], rows + count);
        reached++;
    }
    qsort(rows, count, sizeof *rows, by_group_and_name);
    fprintf(out, "%u of %u primitives can be reached\n", reached, vm->prim_count);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && rows[i + n].group == rows[i].group;) n++;
        print_group(&rows[i], n, out);
    }
    free(rows);
}
