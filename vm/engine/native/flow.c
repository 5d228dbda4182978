/* flow.c - see flow.h. */
#include "vm/engine/native/flow.h"

#include "vm/code/ir.h"
#include "vm/engine/native/compiler.h"

/* What an instruction does with A. */
enum { A_KEPT, A_USED, A_SET };

static unsigned use_of_a(const struct vm_ir_row *row) {
    switch (vm_opcodes[row->op].long_op) {
    case OP_ACC:
    case OP_ENVACC:
    case OP_OFFSETCLOSURE:
    case OP_GETGLOBAL:
    case OP_GETGLOBALFIELD:
    case OP_ATOM:
    case OP_CONSTINT: return A_SET;
    case OP_CLOSURE: return row->operands[0] == 0 ? A_SET : A_USED;
    case OP_CLOSUREREC: return row->operands[1] == 0 ? A_SET : A_USED;
    case OP_POP:
    case OP_POPTRAP:
    case OP_PUSHTRAP:
    case OP_CHECK_SIGNALS:
    case OP_PUSH_RETADDR:
    case OP_BRANCH: return A_KEPT;
    default: return A_USED;
    }
}

static void enter(struct native_row *row) {
    if (row->entries < 2) row->entries++;
}

static void find_entries(const struct vm_ir *ir, struct native_row *rows) {
    for (uint32_t i = 0; i < ir->count; i++) {
        const struct vm_opcode_info *info = &vm_opcodes[ir->rows[i].op];
        bool falls = !(info->flags & OP_ENDS) && ir->rows[i].op != OP_GRAB &&
                     ir->rows[i].op != OP_RESTART;
        if (falls) enter(&rows[i + 1]);
        if (!native_jumps(info)) continue;
        uint32_t n;
        const uint32_t *labels = vm_ir_labels(ir, &ir->rows[i], &n);
        for (uint32_t k = 0; k < n; k++) enter(&rows[labels[k]]);
    }
}

/* One pass from the last row to the first; true: something has changed. */
static bool find_live(const struct vm_ir *ir, struct native_row *rows) {
    bool changed = false;
    for (uint32_t i = (uint32_t)ir->count; i-- > 0;) {
        const struct vm_opcode_info *info = &vm_opcodes[ir->rows[i].op];
        unsigned use = use_of_a(&ir->rows[i]);
        bool live = use == A_USED;
        if (use == A_KEPT) {
            if (!(info->flags & OP_ENDS)) live = rows[i + 1].a_is_live;
            if (info->label == 'l') live |= rows[ir->rows[i].operands[0]].a_is_live;
        }
        changed |= live != rows[i].a_is_live;
        rows[i].a_is_live = live;
    }
    return changed;
}

void native_flow(const struct vm_ir *ir, struct native_row *rows, uint32_t first) {
    find_entries(ir, rows);
    enter(&rows[first]);
    while (find_live(ir, rows)) continue;
}
