/* compile.c - compiles a function: one pass over its rows (vm/code/ir.h), in their order.
 *
 * A row with a single predecessor inherits the state of the row before, or of the jump; the others
 * are labels (labels.h). Code that rarely runs is *late* code: out of line, after the
 * function's. */
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/engine/emit_threaded.h"
#include "vm/base/os.h"
#include "vm/code/pc_map.h"
#include "vm/code/pieces.h"
#include "vm/engine/native/arity.h"
#include "vm/engine/native/check_code.h"
#include "vm/engine/native/compiler.h"
#include "vm/engine/native/errors.h"
#include "vm/engine/native/flow.h"
#include "vm/engine/native/generic_items.h"
#include "vm/engine/native/callees.h"
#include "vm/engine/native/inlining.h"
#include "vm/engine/native/labels.h"
#include "vm/engine/native/loops.h"
#include "vm/engine/native/native.h"
#include "vm/engine/native/primitive_calls.h"
#include "vm/engine/native/references.h"
#include "vm/engine/native/self_calls.h"
#include "vm/engine/prepare.h"
#include "vm/engine/loop.h"
#include "vm/stack/frame_layout.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 8000,
    MOST_SLOTS = 1500,
    BYTES_PER_ROW = 300,                /* more than any row needs, late code included */
    MORE_VALUES = 64 + MOST_REFERENCES, /* values beyond one per slot */
    /* Functions begin in the middle of a cache line: their speed does not depend on the code before
     * them, and of four places this was the fastest (bench/HISTORY.md). */
    CODE_LINE = 64,
    CODE_PLACE = 32,
};
_Static_assert(GC_SMALL_TABLES || MOST_ROWS <= (int)VM_WHOLE_ROWS,
               "no piece is compiled to machine code");

const uintptr_t *native_words(const struct native_compiler *c, uint32_t row) {
    const uintptr_t *words = c->words + c->rows[row].decoded;
    bool counted = *words == (uintptr_t)c->loop_bodies[ENGINE_HOT] ||
                   *words == (uintptr_t)c->loop_bodies[ENGINE_NATIVE] ||
                   *words == (uintptr_t)c->loop_bodies[ENGINE_NATIVE_LOOP] ||
                   *words == (uintptr_t)c->loop_bodies[ENGINE_COLD];
    return counted ? words + VM_NATIVE_WORDS : words;
}

uintptr_t native_cell(const struct native_compiler *c, uint32_t row) {
    ASSERT(c->ir.rows[row].flags & IR_RETURNS);
    return (uintptr_t)(c->cells + CELL_WORDS * (size_t)c->rows[row].cell + 2);
}

void *native_scratch(struct native_compiler *c, size_t bytes) {
    return native_memory_get(&c->native->scratch, bytes);
}

static void *grown(struct native_compiler *c, void *items, uint32_t count, uint32_t *capacity,
                   size_t bytes) {
    if (count < *capacity) return items;
    *capacity = *capacity == 0 ? 64 : 2 * *capacity;
    void *wider = native_scratch(c, *capacity * bytes);
    return count == 0 ? wider : memcpy(wider, items, count * bytes);
}

struct native_late *native_add_late(struct native_compiler *c, uint8_t *site, unsigned kind) {
    c->late = grown(c, c->late, c->late_count, &c->late_capacity, sizeof *c->late);
    struct native_late *late = &c->late[c->late_count++];
    *late = (struct native_late){.site = site, .row = c->row, .body = (uint8_t)c->body};
    late->kind = kind;
    return late;
}

/* ---- Labels. ---- */

static bool is_merge(const struct native_compiler *c, uint32_t row) {
    return c->rows[row].entries > 1 || c->ir.rows[row].flags & IR_HEAD;
}

static void link_site(struct native_compiler *c, const struct native_site *s,
                      const uint8_t *label) {
    if (s->word < 0) emit_link(&c->e, s->site, label);
    else emit_link_table(&c->e, s->site, (uint32_t)s->word, label);
}

/* Records a jump, or a word of a table, to be linked to the label of a row. */
static void add_site(struct native_compiler *c, uint8_t *site, int32_t word, uint32_t row) {
    struct native_row *to = &c->rows[row];
    struct native_site added = {site, to->sites, word};
    if (to->label != NULL) {
        link_site(c, &added, to->label);
        return;
    }
    c->sites = grown(c, c->sites, c->site_count, &c->site_capacity, sizeof *c->sites);
    c->sites[c->site_count] = added;
    to->sites = ++c->site_count;
}

static void put_label(struct native_compiler *c, uint32_t row) {
    struct native_row *at = &c->rows[row];
    at->label = emit_here(&c->e);
    for (uint32_t i = at->sites; i != 0; i = c->sites[i - 1].next)
        link_site(c, &c->sites[i - 1], at->label);
    at->sites = 0;
}

/* A row of an inlined function that jumps to a RETURN with several predecessors: it returns without
 * the jump. */
static void return_early(struct native_compiler *c, uint32_t row) {
    ASSERT(c->ir.rows[row].op == OP_RETURN);
    c->row = row;
    native_call(c, &c->ir.rows[row]);
}

void native_jump(struct native_compiler *c, uint32_t row) {
    if (c->body != 0 && is_merge(c, row)) {
        return_early(c, row);
        return;
    }
    c->reachable = false;
    if (is_merge(c, row)) native_adapt(c, row);
    else c->rows[row].state = nv_save(c);
    add_site(c, emit_jump_forward(&c->e), -1, row);
}

void native_jump_if(struct native_compiler *c, enum native_condition condition, uint32_t row) {
    uint8_t *site = emit_jump_if_forward(&c->e, condition);
    c->block++;
    if (!is_merge(c, row)) {
        c->rows[row].state = nv_save(c);
        add_site(c, site, -1, row);
        return;
    }
    struct native_late *late = native_add_late(c, site, LATE_EDGE);
    late->row = row;
    late->state = nv_save(c);
}

void native_jump_from_table(struct native_compiler *c, uint8_t *table, const uint32_t *rows,
                            uint32_t n) {
    struct native_values *state = nv_save(c);
    /* Code that adapts the state to a label with several predecessors. */
    const uint8_t **edges = native_scratch(c, n * sizeof *edges);
    for (uint32_t i = 0; i < n; i++) {
        if (!is_merge(c, rows[i])) {
            c->rows[rows[i]].state = nv_save(c);
            add_site(c, table, (int32_t)i, rows[i]);
            continue;
        }
        uint32_t same = 0;
        while (rows[same] != rows[i]) same++;
        edges[i] = same < i ? edges[same] : emit_here(&c->e);
        emit_link_table(&c->e, table, i, edges[i]);
        if (same < i) continue;
        native_jump(c, rows[i]);
        nv_restore(c, state);
    }
    c->reachable = false;
}

/* ---- Late code. ---- */

static void put_late_edge(struct native_compiler *c, struct native_late *late) {
    nv_restore(c, late->state);
    c->row = late->row;
    nv_unlock(c);
    if (c->body != 0) {
        return_early(c, late->row);
        return;
    }
    native_adapt(c, late->row);
    add_site(c, emit_jump_forward(&c->e), -1, late->row);
}

/* Leaves to the loop, which calls the closure E. */
static void put_slow_entry(struct native_compiler *c) {
    emit_constant(&c->e, R_TEMP, (int64_t)val_of_int((intptr_t)c->takes - 1));
    emit_jump(&c->e, c->native->stubs.slow_entry - c->e.run_offset);
}

/* The code of the latest exit, if it is that one; or NULL. */
static const uint8_t *code_of_exit(const struct native_compiler *c, uint32_t exit) {
    return exit == c->put_exit ? c->exit_code : NULL;
}

void native_put_exit(struct native_compiler *c, uint32_t exit) {
    const uint8_t *code = code_of_exit(c, exit);
    if (code != NULL) {
        emit_rare_jump(&c->e, code, code);
        return;
    }
    c->put_exit = exit, c->exit_code = emit_here(&c->e);
    emit_constant(&c->e, R_TEMP, exit);
    const uint8_t *to = c->native->stubs.exit - c->e.run_offset;
    c->exit_jump = emit_rare_jump(&c->e, to, c->exit_jump);
}

static void put_late_store(struct native_compiler *c, const struct native_late *late) {
    const struct native_stubs *stubs = &c->native->stubs;
    const uint8_t *stub = late->saves_floats ? stubs->store_saving_floats : stubs->store;
    emit_address(&c->e, R_TEMP, late->place);
    if (late->is_constant) emit_constant(&c->e, R_TEMP2, late->constant);
    else emit_move(&c->e, R_TEMP2, late->reg);
    emit_call(&c->e, stub - c->e.run_offset);
    emit_jump(&c->e, late->back);
}

/* Loads the public method into late->reg, after a miss of the inline cache. */
static void put_late_method(struct native_compiler *c, const struct native_late *late) {
    emit_move(&c->e, R_TEMP, late->object);
    emit_constant(&c->e, R_TEMP2, (int64_t)(uintptr_t)&native_words(c, late->row)[1]);
    emit_call(&c->e, c->native->stubs.find_method - c->e.run_offset);
    emit_move(&c->e, late->reg, R_TEMP);
    emit_alu_constant(&c->e, ALU_COMPARE, R_TEMP, 0);
    emit_jump_if(&c->e, C_NOT_EQUAL, late->back);
    native_put_exit(c, late->exit);
}

/* For --jit-stress, after an exit that native_count_test forced: restarts the count of guards. */
static void end_forced(struct native_compiler *c) {
    emit_pop_flags(&c->e);
    emit_constant(&c->e, R_TEMP, (int64_t)(uintptr_t)&c->native->stress_left);
    emit_constant(&c->e, R_TEMP2, (int64_t)c->native->stress);
    emit_store(&c->e, at_base(R_TEMP, 0), R_TEMP2);
}

static void put_late(struct native_compiler *c, uint32_t i) {
    struct native_late late = c->late[i]; /* the array may grow */
    const uint8_t *exit = late.kind == LATE_EXIT ? code_of_exit(c, late.exit) : NULL;
    const uint8_t *here = exit != NULL ? exit : emit_here(&c->e);
    native_enter_body(c, late.body);
    if (late.site != NULL) emit_link(&c->e, late.site, here);
    for (unsigned k = 0; k < 2 && late.more[k] != NULL; k++) emit_link(&c->e, late.more[k], here);
    if (exit != NULL) return;
    switch (late.kind) {
    case LATE_FORCED_EXIT: end_forced(c); /* fall through */
    case LATE_EXIT: native_put_exit(c, late.exit); break;
    case LATE_FULL:
        emit_alu_constant(&c->e, ALU_ADD, R_YOUNG, late.constant);
        native_put_exit(c, late.exit);
        break;
    case LATE_FORCED_ENTRY: end_forced(c); /* fall through */
    case LATE_ENTRY:
        if (late.is_self) native_spill_arguments(c);
        put_slow_entry(c);
        break;
    case LATE_EDGE: put_late_edge(c, &late); break;
    case LATE_TAG: /* a second tag that is accepted */
        emit_compare_byte(&c->e, at_base(late.reg, -8), late.tag);
        emit_jump_if(&c->e, C_EQUAL, late.back);
        native_put_exit(c, late.exit);
        break;
    case LATE_STORE: put_late_store(c, &late); break;
    case LATE_METHOD: put_late_method(c, &late); break;
    case LATE_FLOAT_ITEM:
        native_put_float_item(c, &late);
        native_put_exit(c, late.exit);
        break;
    case LATE_SET_FLOAT_ITEM:
        native_put_set_float_item(c, &late);
        native_put_exit(c, late.exit);
        break;
    case LATE_ERROR: native_put_error(c, &late); break;
    case LATE_OTHER_CALLEE: native_put_other_callee(c, &late); break;
    case LATE_OTHER_GLOBAL: native_put_other_global(c, &late); break;
    case LATE_RETURN: native_put_late_return(c, &late); break;
    case LATE_CALL:
        nv_restore(c, late.state);
        c->row = late.row;
        nv_unlock(c);
        native_call_primitive_late(c, &c->ir.rows[late.row]);
        emit_jump(&c->e, late.back);
        break;
    }
}

/* ---- Rows. ---- */

/* The code at a return point, where the callee has set R_A, R_BASE (to sp) and R_ENV. Slots that
 * held integers before the call still do. */
static void put_return_point(struct native_compiler *c, uint32_t row) {
    uint32_t height = c->ir.rows[row].height;
    bool is_int[MOST_SLOTS];
    bool knows = c->called_before == row && !is_merge(c, row); /* the state is the call's */
    for (uint32_t i = 0; knows && i < height; i++)
        is_int[i] = nv_at(c, c->now.slots[i].v)->facts & FACT_INT;
    c->cells[CELL_WORDS * (size_t)c->rows[row].cell] = (uintptr_t)runs_at(&c->e, emit_here(&c->e));
    nv_begin(c, height, height, true);
    for (uint32_t i = 0; knows && i < height; i++)
        if (is_int[i]) nv_at(c, c->now.slots[i].v)->facts |= FACT_INT;
    c->reachable = true;
}

static void begin_row(struct native_compiler *c, uint32_t row) {
    struct native_row *at = &c->rows[row];
    if (c->ir.rows[row].flags & IR_LEADER) c->block++;
    c->row = row;
    nv_unlock(c);
    if (at->follows_inlined) {
        put_label(c, row);
        struct native_late *late = native_add_late(c, NULL, LATE_RETURN);
        late->back = emit_here(&c->e);
        late->state = nv_save(c);
        return;
    }
    if (c->body != 0 && is_merge(c, row)) return; /* only the row before leads here */
    if (at->cell != 0xffff) {
        /* Jumps may lead to a return point, too: they skip its code. */
        bool falls_in = c->reachable;
        if (falls_in) native_adapt(c, row);
        uint8_t *around = falls_in ? emit_jump_forward(&c->e) : NULL;
        put_return_point(c, row);
        if (!is_merge(c, row) && !falls_in) return;
        native_adapt(c, row);
        if (around != NULL) emit_link(&c->e, around, emit_here(&c->e));
    } else if (is_merge(c, row)) {
        if (c->reachable) native_adapt(c, row);
    } else {
        if (!c->reachable && at->state != NULL) nv_restore(c, at->state);
        else if (!c->reachable) return;
        put_label(c, row);
        c->reachable = true;
        return;
    }
    put_label(c, row);
    native_begin_label(c, row);
    c->reachable = true;
}

static void put_entry_test(struct native_compiler *c, bool is_self) {
    uint8_t *forced = native_count_test(c);
    if (forced != NULL) native_add_late(c, forced, LATE_FORCED_ENTRY)->is_self = is_self;
    int32_t bytes = (int32_t)c->function->frame_bytes + 8 * (int32_t)c->more_words;
    int low = bytes > 8 * STACK_SMALL_FRAME_WORDS ? R_TEMP : R_BASE;
    if (low == R_TEMP) emit_address(&c->e, low, at_base(R_BASE, -bytes));
    emit_alu_load(&c->e, ALU_COMPARE, low, DOMAIN(gc.mutator_limit));
    uint8_t *site = emit_jump_if_forward(&c->e, C_BELOW);
    native_add_late(c, site, LATE_ENTRY)->is_self = is_self;
}

/* The entry: machine code jumps to the test of the stack limit, the loop to the code after that
 * test. */
static void put_entry(struct native_compiler *c) {
    c->entry = emit_here(&c->e);
    put_entry_test(c, false);
    if (c->rows[c->first].a_is_live) emit_move(&c->e, R_A, R_ENV);
    nv_begin(c, c->ir.rows[c->first].height, c->takes, c->rows[c->first].a_is_live);
    c->reachable = true;
}

/* Whether only RESTART and GRAB precede the first row. */
static bool is_entry_next(const struct native_compiler *c) {
    uint32_t i = 0;
    while (c->ir.rows[i].op == OP_RESTART || c->ir.rows[i].op == OP_GRAB) i++;
    return i == c->first;
}

/* At a loop header: the interpreted function has tested only for its own frame. */
static void need_room(struct native_compiler *c, uint32_t i) {
    int32_t bytes = (int32_t)c->function->frame_bytes + 8 * (int32_t)c->more_words;
    c->row = i;
    emit_address(&c->e, R_TEMP, at_base(R_BASE, 8 * (int32_t)c->ir.rows[i].height - bytes));
    emit_alu_load(&c->e, ALU_COMPARE, R_TEMP, DOMAIN(gc.mutator_limit));
    native_exit_if(c, C_BELOW);
}

/* For each row where the interpreter enters: the code that it enters at, with R_BASE at sp. */
static void put_loop_entries(struct native_compiler *c, const uint8_t **enter) {
    for (uint32_t i = 0; i < c->ir.count && !c->failed && !c->e.full; i++) {
        if (c->words[c->rows[i].decoded] != (uintptr_t)c->loop_bodies[ENGINE_HOT]) continue;
        if (c->rows[i].label == NULL) { /* machine code never reaches it, only the interpreter */
            c->failed = true;
            return;
        }
        enter[i] = runs_at(&c->e, emit_here(&c->e));
        uint32_t height = c->ir.rows[i].height;
        nv_begin(c, height, height, c->rows[i].a_is_live);
        if (i != c->first && c->more_words > 0) need_room(c, i);
        native_adapt(c, i);
        emit_jump(&c->e, c->rows[i].label);
    }
}

void native_put_rows(struct native_compiler *c) {
    for (uint32_t i = 0; i < c->ir.count && !c->failed && !c->e.full; i++) {
        if (c->ir.rows[i].op == OP_RESTART || c->ir.rows[i].op == OP_GRAB) continue;
        c->rows[i].offset = (uint32_t)(emit_row(&c->e) - c->e.start);
        begin_row(c, i);
        if (c->reachable) native_form(c, &c->ir.rows[i]);
    }
}

/* Emits the code. Rows before the first one are RESTART and GRAB, or only jumps reach them. */
static void put_code(struct native_compiler *c, const uint8_t **enter) {
    if (c->has_self_entry) {
        c->self_entry = emit_here(&c->e);
        put_entry_test(c, true);
    } else {
        put_entry(c);
        if (!is_entry_next(c)) native_jump(c, c->first);
    }
    native_put_rows(c);
    c->late_start = emit_here(&c->e);
    if (c->has_self_entry && !c->failed && !c->e.full) {
        put_entry(c);
        native_jump(c, c->first);
    }
    put_loop_entries(c, enter);
    for (uint32_t i = 0; i < c->late_count && !c->failed && !c->e.full; i++) put_late(c, i);
    native_enter_body(c, 0);
}

/* ---- A function. ---- */

static void free_compiler(struct native_compiler *c) {
    if (c == NULL) return;
    if (c->bodies == NULL) vm_ir_free(&c->ir);
    native_free_bodies(c);
    free(c->tables.items);
    free(c->loops);
    native_memory_reset(&c->native->scratch);
    free(c);
}

void native_free_compiling(struct vm_native *native) {
    free_compiler(native->compiling);
    native->compiling = NULL;
}

static void set_up(struct native_compiler *c, value env) {
    const struct vm_decoded *decoded =
        &c->vm->decoded_area->decoded.items[c->function->decoded - 1];
    uint32_t entry = c->function->kind == FUNCTION_MAIN
                         ? 0
                         : vm_find_entry(c->code->verifier, c->function->pc);
    vm_ir_make(&c->ir, c->code, entry);
    c->words = decoded->words;
    c->loop_bodies = vm_loop_bodies(c->vm);
    c->rows = native_scratch(c, c->ir.count * sizeof *c->rows);
    c->takes = vm_entry_at(c->code->verifier, entry)->arity;
    uint32_t *offsets = native_scratch(c, c->ir.count * sizeof *offsets);
    vm_row_offsets(c->vm, c->function, &c->ir, offsets);
    for (size_t i = 0; i < c->ir.count; i++) {
        c->rows[i].decoded = offsets[i];
        c->rows[i].cell = 0xffff;
        if (c->ir.rows[i].flags & IR_RETURNS) c->rows[i].cell = (uint16_t)c->cell_count++;
    }
    while (c->ir.rows[c->first].pc != c->function->pc) c->first++;
    if (c->ir.rows[c->first].op == OP_GRAB) c->first++;
    if (c->ir.count > MOST_ROWS) return; /* it is not suitable, and the analyses are not linear */
    native_flow(&c->ir, c->rows, c->first);
    native_find_callees(c, env);
    native_find_inlined(c);
    c->max_depth = (uint32_t)(c->function->frame_bytes / 8) + c->more_words + 4;
    c->value_capacity = c->max_depth + MORE_VALUES;
    c->now.slots = native_scratch(c, c->max_depth * sizeof *c->now.slots);
    c->now.values = native_scratch(c, c->value_capacity * sizeof *c->now.values);
    native_find_references(c);
    native_find_loops(c);
    native_find_self_calls(c);
}

static bool is_suitable(const struct native_compiler *c) {
    return c->ir.count <= MOST_ROWS && c->max_depth <= MOST_SLOTS &&
           c->function->kind != FUNCTION_RESTART &&
           c->ir.count * BYTES_PER_ROW + 65536 < CODE_MEMORY_BYTES - c->native->memory.used &&
           CELL_WORDS * (size_t)c->cell_count + 16 <
               c->vm->decoded_area->capacity - c->vm->decoded_area->used;
}

/* The cells become decoded code (N4). */
static void put_cells(struct native_compiler *c) {
    struct vm_decoded_area *area = c->vm->decoded_area;
    if (c->cell_count == 0) return;
    struct vm_ir returns = {.rows = native_scratch(c, c->cell_count * sizeof *returns.rows)};
    uint32_t *offsets = native_scratch(c, c->cell_count * sizeof *offsets);
    for (size_t i = 0; i < c->ir.count; i++) {
        const struct vm_ir_row *row = &c->ir.rows[i];
        if (c->rows[i].cell == 0xffff) continue;
        uint32_t at = (uint32_t)(CELL_WORDS * returns.count);
        c->cells[at + 1] = frame_word(c->code->base + row->pc, row->height);
        c->cells[at + 2] = (uintptr_t)c->loop_bodies[ENGINE_NATIVE_RETURN];
        offsets[returns.count] = at + 2;
        returns.rows[returns.count++] = *row;
    }
    struct vm_decoded *decoded = vm_decoded_add(area);
    decoded->words = c->cells;
    decoded->word_count = CELL_WORDS * c->cell_count;
    decoded->function = c->index;
    decoded->pcs = vm_must((void *)vm_pc_map_make(&area->maps, &returns, offsets));
    area->used += decoded->word_count;
}

/* Makes the loop enter the code: HOT becomes NATIVE or NATIVE_LOOP. */
static void install(struct native_compiler *c, const uint8_t *const *enter) {
    for (uint32_t i = 0; i < c->ir.count; i++) {
        uintptr_t *words = (uintptr_t *)c->words + c->rows[i].decoded;
        if (*words != (uintptr_t)c->loop_bodies[ENGINE_HOT]) continue;
        unsigned native = i == c->first ? ENGINE_NATIVE : ENGINE_NATIVE_LOOP;
        words[0] = (uintptr_t)c->loop_bodies[enter != NULL ? native : ENGINE_COLD];
        if (enter != NULL) words[1] = (uintptr_t)enter[i];
    }
}

enum { LIMIT_SHARE = 8 };

/* Charges the function's code, exits and cells to the heap's limit. They may take at most an eighth
 * of it, so that a program does not run out of memory because of them. */
static bool charge(struct native_compiler *c) {
    struct vm_native *n = c->native;
    size_t limit = 8 * gc_get_params(&c->vm->domain->gc)->max_heap_words;
    size_t bytes = (size_t)(c->e.at - n->memory.writable) + n->exits.count * sizeof(uint32_t) +
                   8 * CELL_WORDS * (n->cell_count + c->cell_count);
    if (bytes <= n->charged) return true;
    if (limit != 0 && bytes > limit / LIMIT_SHARE) return false;
    if (!gc_external_try_charge(c->vm->domain->gc.heap, bytes - n->charged)) return false;
    n->charged = bytes;
    return true;
}

static void set_entry(struct native_compiler *c) {
    struct native_entry *entry = &c->native->entries[c->index];
    *entry = (struct native_entry){.address = (uintptr_t)runs_at(&c->e, c->entry),
                                   .takes = c->takes};
    if (c->first == 0 || c->ir.rows[c->first - 1].op != OP_GRAB) return;
    entry->restart = (uint32_t)c->words[c->rows[c->first - 1].decoded + 2];
    uint32_t restart = entry->restart >> 1;
    if (!vm_function_prepare(c->vm, restart)) return; /* the loop will report why */
    c->native->entries[restart] = (struct native_entry){
        .address = c->vm->functions[restart].frame_bytes, .takes = TAKES_RESTART};
}

/* False: the function has an instruction that cannot be compiled, or there is no memory for it. */
static bool compile(struct native_compiler *c) {
    struct code_memory *memory = &c->native->memory;
    const uint8_t **enter = native_scratch(c, c->ir.count * sizeof *enter);
    size_t exits = c->native->exits.count;
    c->cells = c->vm->decoded_area->words + c->vm->decoded_area->used;
    c->e = (struct emitter){.start = memory->writable + memory->used,
                            .at = memory->writable + memory->used,
                            .end = memory->writable + CODE_MEMORY_BYTES,
                            .run_offset = memory->executable - memory->writable,
                            .pads = c->native->pads};
    emit_align(&c->e, CODE_LINE, CODE_PLACE);
    c->e.start = emit_here(&c->e);
    put_code(c, enter);
    bool done = !c->failed && !c->e.full && charge(c);
    if (done) {
        if (native_checks_code(c->vm)) native_require_code(c, enter, exits);
        memory->used = (size_t)(c->e.at - memory->writable);
        put_cells(c);
        install(c, enter);
        c->native->compiled++;
        c->native->cell_count += c->cell_count;
        set_entry(c);
    } else {
        c->native->exits.count = exits;
    }
    return done;
}

/* Whether the HOT at `words` counts the iterations of a loop. */
static bool counts_iterations(const struct native_compiler *c, const uintptr_t *words) {
    uint32_t i = 0;
    while (c->words + c->rows[i].decoded != words) i++;
    return c->ir.rows[i].flags & IR_HEAD;
}

static void report(struct native_compiler *c, const uintptr_t *hot) {
    struct vm_native_row *rows = native_scratch(c, c->ir.count * sizeof *rows);
    struct vm_native_code code = {.function = c->index,
                                  .runs_at = runs_at(&c->e, c->e.start),
                                  .bytes = (size_t)(c->e.at - c->e.start),
                                  .loop = hot != NULL && counts_iterations(c, hot),
                                  .rows = rows,
                                  .late_offset = (uint32_t)(c->late_start - c->e.start),
                                  .tables = c->tables.items,
                                  .table_count = c->tables.count};
    for (uint32_t i = 0; i < c->ir.count; i++)
        if (c->ir.rows[i].op != OP_RESTART && c->ir.rows[i].op != OP_GRAB)
            rows[code.row_count++] = (struct vm_native_row){c->ir.rows[i].pc, c->rows[i].offset};
    native_report(c->vm, &code);
}

/* hot: the HOT whose counter has reached 0, or NULL. env: the closure, or an integer. */
static void compile_decoded(struct vm *vm, const struct vm_decoded *decoded, const uintptr_t *hot,
                            value env) {
    uint64_t start_ns = vm_now_ns();
    struct native_compiler *c = vm_must(calloc(1, sizeof *c));
    vm->native->compiling = c;
    c->vm = vm;
    c->native = vm->native;
    c->index = decoded->function;
    c->function = &vm->functions[c->index];
    c->code = vm->codes[c->function->fragment];
    c->checks = !vm->options.unchecked;
    c->last_exit_row = c->called_before = UINT32_MAX;
    set_up(c, env);
    bool refused = !native_begin(vm) || !code_memory_is_own(&vm->native->memory) ||
                   !is_suitable(c) || !compile(c);
    if (refused) {
        vm->native->refused++;
        install(c, NULL);
    } else {
        report(c, hot);
        code_memory_written(&vm->native->memory);
    }
    native_free_compiling(vm->native);
    vm->native->compile_ns += vm_now_ns() - start_ns;
}

void vm_native_compile(struct vm *vm, uintptr_t *hot, value env) {
    compile_decoded(vm, vm_find_decoded(vm, resume_at(hot)), hot, env);
}

bool vm_native_compile_early(struct vm *vm, uint32_t index) {
    if (!vm_function_prepare(vm, index)) return false;
    const struct vm_function *f = &vm->functions[index];
    if (f->kind != FUNCTION_RESTART && vm->native != NULL)
        compile_decoded(vm, &vm->decoded_area->decoded.items[f->decoded - 1], NULL, VAL_UNIT);
    return true;
}
