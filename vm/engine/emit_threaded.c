/* emit_threaded.c - from rows (vm/code/ir.h) to words (vm/engine/loop.h).
 *
 * First each row gets an instruction of the loop, which may be a fused form that begins with it;
 * then these are emitted in order. A jump's label is emitted as the number of its row, and replaced
 * by an address when all rows have one. */
#include "vm/engine/emit_threaded.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/kinds.h"
#include "vm/code/prim.h"
#include "vm/code/version.h"
#include "vm/engine/fuse.h"
#include "vm/engine/loop.h"
#include "vm/engine/native/native.h"
#include "vm/stack/frame_layout.h"

#include <stdlib.h>

enum { MOST_WORDS = 4 /* of a row without its labels */, ID_WORDS = 2 /* an id before it */ };

/* One line of a table that is a switch. */
#define WHEN(key, result) \
    case key: return result;

struct emitter {
    const struct vm_emission *e;
    const struct vm_ir_row *rows; /* the form's */
    uint32_t row_count;
    const void *const *bodies;
    uint16_t *ops;     /* of the loop, by row */
    uint32_t *offsets; /* of the rows' first words */
    uint32_t *jumps;   /* offsets of labels of jumps */
    uint32_t jump_count;
    unsigned begun_flags; /* rows with one of these flags have words before their own: put_begin */
    uintptr_t *out;
    uint32_t used;
};

const void *const *vm_loop_bodies(const struct vm *vm) {
    return (const void *const *)vm_loop_of(vm)(vm->domain, RUN_LABELS, 0, 0);
}

/* Whether the loop runs plain bytecode, so that its instructions are counted. */
static bool counts_bytecode(const struct vm *vm) {
    const struct vm_options *options = &vm->options;
    return vm_counts_instructions(vm) &&
           (!options->count_forms || options->fuel != 0 || options->debugger != NULL);
}

/* ---- Which of the loop's instructions a row becomes. ---- */

/* The one for an instruction whose operand is that number, or op. */
static unsigned special_op(unsigned op, uint32_t operand) {
    if (operand > 0xff) return op;
    switch (op << 8 | operand) {
#define SPECIAL(name, instruction, operand) WHEN(OP_##instruction << 8 | operand, ENGINE_##name)
#include "vm/code/engine.def"
    default: return op;
    }
}

/* The one that runs a C_CALL of that primitive. */
static unsigned call_op(unsigned op, const struct vm_linked_prim *prim, bool inlines) {
    ASSERT(op >= OP_C_CALL1 && op <= OP_C_CALLN);
    if (prim->function == NULL) return ENGINE_C_CALL_MISSING;
    if (prim->stub) return ENGINE_C_CALL_STUB1 + (op - OP_C_CALL1);
    if (op == OP_C_CALLN) return op;
    if (prim->inlined != 0 && inlines) return prim->inlined;
    return vm_kinds_are_any(prim->kinds) ? op : ENGINE_C_CALL_TESTED1 + (op - OP_C_CALL1);
}

/* How the loop's instruction depends on more than the opcode. */
enum choice { CHOICE_NONE, CHOICE_PRIMITIVE, CHOICE_BY_FIRST, CHOICE_BY_SECOND };

static const uint8_t choices[OPCODE_COUNT] = {
    [OP_C_CALL1... OP_C_CALLN] = CHOICE_PRIMITIVE,
    [OP_POP] = CHOICE_BY_FIRST,
    [OP_RETURN] = CHOICE_BY_FIRST,
    [OP_APPTERM1... OP_APPTERM3] = CHOICE_BY_SECOND,
};

static void choose_ops(struct emitter *m) {
    const struct vm *vm = m->e->vm;
    const struct vm_ir_row *row = m->rows;
    bool bytecode = counts_bytecode(vm);
    for (uint16_t *out = m->ops; out < m->ops + m->row_count; out++, row++) {
        unsigned op = row->op, choice = choices[op];
        ASSERT(!(vm_opcodes[op].flags & OP_DEBUG)); /* the verifier refuses it */
        *out = (uint16_t)op;
        if (choice == CHOICE_NONE) continue;
        if (choice == CHOICE_PRIMITIVE) op = call_op(op, &vm->prims[row->operands[1]], !bytecode);
        else if (!bytecode) op = special_op(op, row->operands[choice - CHOICE_BY_FIRST]);
        *out = (uint16_t)op;
    }
}

/* ---- Its words. ---- */

static void put(struct emitter *m, uintptr_t word) {
    ASSERT(m->used < vm_threaded_words(m->e));
    m->out[m->used++] = word;
}

static void put_op(struct emitter *m, unsigned op) {
    ASSERT(op < ENGINE_COUNT && m->bodies[op] != NULL);
    put(m, (uintptr_t)m->bodies[op]);
}

static void put_jump(struct emitter *m, uint32_t row) {
    ASSERT(m->jump_count < m->e->ir->count + m->e->ir->labels.count);
    m->jumps[m->jump_count++] = m->used;
    put(m, row);
}

static void put_frame_word(struct emitter *m, uint32_t return_row) {
    const struct vm_ir_row *row = &m->rows[return_row];
    ASSERT(return_row < m->row_count && row->flags & IR_RETURNS);
    ASSERT(row->height <= VM_MAX_HEIGHT && m->e->code->base + row->pc < VM_NO_GPC);
    put(m, frame_word(m->e->code->base + row->pc, row->height)); /* E1 */
}

static void put_function(struct emitter *m, uint32_t pc) {
    uint32_t function = vm_function_at(m->e->vm, m->e->fragment, pc);
    ASSERT(function != 0); /* C1 */
    put(m, (uintptr_t)val_of_int(function));
}

/* What follows the body's address: most often nothing, or operands that need no special
 * treatment. */
enum shape {
    SHAPE_OTHER,    /* see put_others */
    SHAPE_NONE,     /* no word */
    SHAPE_WORD,     /* the first operand */
    SHAPE_WORDS,    /* both operands */
    SHAPE_SIGNED,   /* the first operand, signed */
    SHAPE_INT,      /* the first operand as a value */
    SHAPE_JUMP,     /* the first operand is a label */
    SHAPE_INT_JUMP, /* the first operand as a value, the second is a label */
};

#define IS_PLAIN(letter)                                                         \
    ((letter) == 'n' || (letter) == 'e' || (letter) == 'v' || (letter) == 'g' || \
     (letter) == 's' || (letter) == 'f' || (letter) == 't' || (letter) == 'z')
/* The second operand, if there is one. */
#define SECOND(o) ((o)[sizeof(o) > 2])
#define SHAPE(o)                                                                 \
    sizeof(o) == 1                                              ? SHAPE_NONE     \
    : sizeof(o) == 2 && IS_PLAIN((o)[0])                        ? SHAPE_WORD     \
    : sizeof(o) == 3 && IS_PLAIN((o)[0]) && IS_PLAIN(SECOND(o)) ? SHAPE_WORDS    \
    : sizeof(o) == 2 && (o)[0] == 'k'                           ? SHAPE_SIGNED   \
    : sizeof(o) == 2 && (o)[0] == 'i'                           ? SHAPE_INT      \
    : sizeof(o) == 2 && ((o)[0] == 'l' || (o)[0] == 'h')        ? SHAPE_JUMP     \
    : sizeof(o) == 3 && (o)[0] == 'i' && SECOND(o) == 'l'       ? SHAPE_INT_JUMP \
                                                                : SHAPE_OTHER

/* A SHORT instruction without operands has the fixed one there, for fused forms of long ones. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const uint8_t shapes[OPCODE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) [OP_##name] = SHAPE(operands),
#define SHORT(name, long_name, first, operands, delta, flags, meaning)                 \
    [OP_##name] = sizeof(operands) != 1 ? SHAPE_OTHER                                  \
                  : OP_##long_name == OP_CONSTINT || OP_##long_name == OP_PUSHCONSTINT \
                      ? SHAPE_INT                                                      \
                      : SHAPE_SIGNED,
#include "vm/code/opcodes.def"
    /* The loop's operands differ from those of bytecode. */
    [OP_APPLY... OP_APPLY3] = SHAPE_OTHER, [OP_GRAB] = SHAPE_OTHER,
    [OP_MAKEBLOCK] = SHAPE_OTHER,          [OP_OFFSETINT] = SHAPE_OTHER,
    [OP_OFFSETREF] = SHAPE_OTHER,          [OP_PERFORM... OP_RESUMETERM] = SHAPE_OTHER,
};
#pragma GCC diagnostic pop

/* One operand by its letter. */
static inline void put_operand(struct emitter *m, char letter, uint32_t word) {
    switch (letter) {
    case 'l':
    case 'h': put_jump(m, word); return;
    case 'x': put_function(m, word); return;
    case 'p':
        ASSERT(word < m->e->vm->prim_count);
        put(m, (uintptr_t)&m->e->vm->prims[word]);
        return;
    case 'k': put(m, (uintptr_t)(intptr_t)(int32_t)word); return;
    case 'i':
    case 'm': put(m, (uintptr_t)val_of_int((int32_t)word)); return;
    case 'c': put(m, 3); return;
    default: put(m, word);
    }
}

/* All of a row's operands, except the fixed one. */
static void put_operands(struct emitter *m, const struct vm_ir_row *row) {
    const struct vm_opcode_info *info = &vm_opcodes[row->op];
    const uint32_t *operand = row->operands + (info->long_op != row->op);
    for (const char *letter = info->operands; *letter != '\0'; letter++)
        put_operand(m, *letter, *operand++);
}

/* Operands of SWITCH and CLOSUREREC. */
static void put_labels(struct emitter *m, const struct vm_ir_row *row) {
    uint32_t n;
    const uint32_t *labels = vm_ir_labels(m->e->ir, row, &n);
    put(m, row->operands[0]);
    put(m, row->operands[1]);
    for (uint32_t i = 0; i < n; i++) put_operand(m, vm_opcodes[row->op].label, labels[i]);
}

/* The words after the body of row i, which is op, of SHAPE_OTHER. */
static __attribute__((noinline)) void put_others(struct emitter *m, uint32_t i, unsigned op) {
    const struct vm_ir_row *row = &m->rows[i];
    switch (vm_opcodes[row->op].long_op) {
    case OP_SWITCH:
    case OP_CLOSUREREC: put_labels(m, row); return;
    case OP_MAKEBLOCK: /* SHORT ones do not need the size */
        if (row->op == OP_MAKEBLOCK) put(m, row->operands[0]);
        put(m, make_header(row->operands[0], row->operands[1], 0));
        return;
    case OP_PUSH_RETADDR:
        put_frame_word(m, row->operands[0]);
        put_op(m, OP_BRANCH);
        put_jump(m, row->operands[0]);
        return;
    case OP_OFFSETINT:
    case OP_OFFSETREF: put(m, (uintptr_t)((intptr_t)(int32_t)row->operands[0] * 2)); return;
    case OP_GRAB:
        put(m, 2 * (uintptr_t)row->operands[0]);
        put_function(m, row->pc - 1);
        return;
    case OP_APPLY: put(m, (uintptr_t)val_of_int((intptr_t)row->operands[0] - 1)); return;
    case OP_APPLY1:
    case OP_APPLY2:
    case OP_APPLY3: put_frame_word(m, i + 1); return;
    case OP_PERFORM:
        put(m, make_header(m->e->vm->version->continuation_fields, TAG_CONT, 0));
        put(m, m->e->vm->version->perform_sets_last_fiber ? ~(uintptr_t)0 : 1);
        put_frame_word(m, i + 1);
        return;
    case OP_RESUME:
        put(m, m->e->vm->version->resume_arguments);
        put_frame_word(m, i + 1);
        return;
    case OP_RESUMETERM:
        put(m, row->operands[0]);
        put(m, m->e->vm->version->resume_arguments);
        return;
    case OP_C_CALLN: /* C_CALL_MISSING looks for the primitive where C_CALL1 has it */
        if (op == ENGINE_C_CALL_MISSING && row->op == OP_C_CALLN)
            put(m, (uintptr_t)&m->e->vm->prims[row->operands[1]]);
        break;
    default: break;
    }
    put_operands(m, row);
}

/* ---- A function's words. ---- */

/* Whether the row's own words are preceded by words that record that the function runs, or count
 * how often. */
static inline bool has_begin(const struct emitter *m, const struct vm_ir_row *row) {
    return row->flags & m->begun_flags;
}

/* Writes these at p; returns where the row's own words begin. */
static __attribute__((noinline)) uintptr_t *put_begin(struct emitter *m,
                                                      const struct vm_ir_row *row, uintptr_t *p) {
    ASSERT(row->pc < m->e->code->word_count);
    if (m->e->function_id == 0) {
        *p++ = (uintptr_t)m->bodies[ENGINE_HOT];
        *p++ = vm_native_threshold(m->e->vm);
        return p;
    }
    m->used = (uint32_t)(p - m->out);
    m->e->code->function_id_at[row->pc] = m->e->function_id;
    if (row->flags & IR_BODY) {
        put_op(m, ENGINE_ENTERED);
        put(m, m->e->function_id);
    }
    if (row->flags & IR_RETURNS) {
        put_op(m, ENGINE_RESUMED);
        put(m, m->e->function_id);
    }
    return m->out + m->used;
}

/* The rows that have such words. */
static unsigned begun_flags(const struct vm_emission *e) {
    bool once = e->runs_once && e->vm->options.jit != VM_JIT_ALL;
    if (e->function_id != 0) return IR_BODY | IR_RETURNS;
    if (e->is_piece || !vm_native_counts(e->vm)) return 0;
    return once ? IR_HEAD : IR_BODY | IR_HEAD;
}

/* Whether row i lies right after the one before, with nothing between their words. */
static bool is_adjacent(const struct emitter *m, uint32_t i) {
    const struct vm_ir_row *before = &m->rows[i - 1];
    uint32_t width = vm_fixed_words[before->op];
    if (width == 0 || before->pc + width != before[1].pc) return false;
    return !has_begin(m, &m->rows[i]);
}

/* Where a jump to a row goes. A jump to the body's first instruction is not an entry. */
static uintptr_t address_of(const struct emitter *m, uintptr_t row) {
    bool is_body = m->e->function_id != 0 && m->e->ir->rows[row].flags & IR_BODY;
    ASSERT(row < m->e->ir->count && m->e->ir->rows[row].flags & IR_LEADER); /* IR3 */
    return (uintptr_t)&m->out[m->offsets[row] + (is_body ? ID_WORDS : 0)];
}

size_t vm_threaded_words(const struct vm_emission *e) {
    size_t row = MOST_WORDS + (e->function_id != 0 ? 2 * ID_WORDS : VM_NATIVE_WORDS);
    return e->ir->count * row + e->ir->labels.count;
}

/* Sets the longest fused form that begins at row i; returns its number of rows. */
static inline unsigned fuse_row(struct emitter *m, uint32_t i) {
    unsigned length = 0, state = vm_form_begin[m->ops[i]], next = state;
    if (state == 0) return 1;
    do {
        state = next;
        length++;
        next = i + length < m->row_count ? vm_form_next(state, m->ops[i + length]) : 0;
    } while (next != 0 && is_adjacent(m, i + length));
    ASSERT(length <= LONGEST_FORM && (vm_form_of[state] != 0) == (length > 1));
    if (length > 1) m->ops[i] = vm_form_of[state];
    return length;
}

/* Sets the fused forms of the rows that control reaches after another row's form, by a jump, or
 * after a primitive whose inlined body calls C. The others hardly ever run. */
static void fuse_rows(struct emitter *m) {
    unsigned runs = 0; /* bit k: control reaches row i + k after a form */
    unsigned needed = m->e->runs_once ? IR_LOOP : 0;
    for (uint32_t i = 0; i < m->row_count; i++, runs >>= 1) {
        unsigned flags = m->rows[i].flags;
        if (choices[m->rows[i].op] == CHOICE_PRIMITIVE) runs |= 2;
        if (!(runs & 1) && !(flags & (IR_LEADER | IR_RETURNS))) continue;
        runs |= 1u << ((flags & needed) == needed ? fuse_row(m, i) : 1);
    }
}

/* Writes all rows, and the offset of each; returns the number of words. */
static uint32_t put_rows(struct emitter *m) {
    const struct vm_ir_row *row = m->rows, *end = row + m->row_count;
    const uint16_t *op = m->ops;
    const void *const *bodies = m->bodies;
    uintptr_t *out = m->out, *p = out;
    for (uint32_t *offset = m->offsets; row < end; row++, op++, offset++) {
        *offset = (uint32_t)(p - out);
        if (has_begin(m, row)) p = put_begin(m, row, p);
        ASSERT(*op < ENGINE_COUNT && bodies[*op] != NULL);
        *p++ = (uintptr_t)bodies[*op];
        switch (shapes[row->op]) {
        case SHAPE_NONE: break;
        case SHAPE_WORDS:
            *p++ = row->operands[0];
            *p++ = row->operands[1];
            break;
        case SHAPE_WORD: *p++ = row->operands[0]; break;
        case SHAPE_SIGNED: *p++ = (uintptr_t)(intptr_t)(int32_t)row->operands[0]; break;
        case SHAPE_INT: *p++ = (uintptr_t)val_of_int((int32_t)row->operands[0]); break;
        case SHAPE_INT_JUMP:
            *p++ = (uintptr_t)val_of_int((int32_t)row->operands[0]);
            m->jumps[m->jump_count++] = (uint32_t)(p - out);
            *p++ = row->operands[1];
            break;
        case SHAPE_JUMP:
            m->jumps[m->jump_count++] = (uint32_t)(p - out);
            *p++ = row->operands[0];
            break;
        default:
            m->used = (uint32_t)(p - out);
            put_others(m, (uint32_t)(row - m->rows), *op);
            p = out + m->used;
        }
    }
    return (uint32_t)(p - out);
}

uint32_t vm_emit_threaded(const struct vm_emission *e, uintptr_t *out, uint32_t *offsets) {
    uint32_t count = (uint32_t)e->ir->count, jumps = count + (uint32_t)e->ir->labels.count;
    size_t ops_room = (count + 1) / 2;
    struct vm_word_offsets *room = &e->vm->decoded_area->jumps;
    vm_must_have(vector_reserve(room, jumps + ops_room, IF_SMALL_TABLES(1, 256), NULL));
    struct emitter m = {
        .e = e,
        .rows = e->ir->rows,
        .row_count = count,
        .bodies = vm_loop_bodies(e->vm),
        .begun_flags = begun_flags(e),
        .offsets = offsets,
        .jumps = room->items,
        .ops = (uint16_t *)(room->items + jumps),
        .out = out,
    };
    choose_ops(&m);
    if (e->goes_on) m.ops[count - 1] = ENGINE_NEXT_PIECE;
    if (!counts_bytecode(e->vm) && (!e->runs_once || e->ir->loops)) fuse_rows(&m);
    uint32_t words = put_rows(&m);
    ASSERT(words <= vm_threaded_words(e));
    for (uint32_t i = 0; i < m.jump_count; i++) out[m.jumps[i]] = address_of(&m, out[m.jumps[i]]);
    return words;
}
