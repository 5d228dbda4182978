/* function_name.c - see function_name.h. */
#include "vm/marshal/function_name.h"

#include "gc/assert.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/symbols.h"

#include <stdio.h>
#include <string.h>

char *vm_function_name(struct vm *vm, uint32_t function) {
    const struct vm_function *f = &vm->functions[function];
    if (f->kind == FUNCTION_MAIN && f->fragment == 0) return strdup("(main)");
    ASSERT(f->decoded != 0); /* C2 */
    uint64_t base = vm->codes[f->fragment]->base;
    uint32_t last = vm_decoded_last_row(vm, &vm->decoded_area->decoded.items[f->decoded - 1]).pc;
    struct vm_location location;
    for (uint32_t pc = f->pc; pc <= last; pc++)
        if (vm_debuginfo_find(vm, base + pc, &location)) return strdup(location.definition);
    char text[256];
    if (vm_symbol_at(vm, base + f->pc, text, sizeof text) == NULL)
        snprintf(text, sizeof text, "F%x", f->pc * 4);
    return strdup(text);
}

void vm_put_name(FILE *out, const char *name) {
    for (const unsigned char *p = (const unsigned char *)name; *p != 0; p++) {
        bool control = *p < ' ' || *p == 0x7f;
        if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) control = true, p++; /* C1, in UTF-8 */
        putc(control ? '?' : *p, out);
    }
}
