/* exits.c - see exits.h. */
#include "vm/engine/native/exits.h"

#include "gc/value.h"
#include "vm/base/os.h"
#include "vm/code/decoded.h"
#include "vm/engine/native/compiler.h"
#include "vm/stack/frame_layout.h"

#include <stdlib.h>

static void put(struct native_exits *x, uint32_t word) {
    if (x->count == x->capacity) {
        x->capacity = x->capacity == 0 ? 1024 : 2 * x->capacity;
        x->words = vm_must(realloc(x->words, x->capacity * sizeof *x->words));
    }
    x->words[x->count++] = word;
}

static void put_constant(struct native_exits *x, uint32_t target, int64_t k) {
    if (k >= -2048 && k < 2048) {
        put(x, target | (uint32_t)EXIT_SMALL << 12 | (uint32_t)(k + 2048));
        return;
    }
    put(x, target | (uint32_t)EXIT_CONSTANT << 12);
    put(x, (uint32_t)(uint64_t)k);
    put(x, (uint32_t)((uint64_t)k >> 32));
}

/* Where a slot's value goes; content: in its block. */
static uint32_t to_slot(const struct native_compiler *c, uint32_t slot, bool content) {
    return (c->now.depth - 1 - slot) << 16 | (content ? EXIT_CONTENT : 0);
}

/* The frame word for the allocation of a number. */
static uint64_t frame_of_number(const struct native_compiler *c, struct native_maker maker) {
    const struct native_body *b = &c->bodies[maker.body];
    const struct vm_ir_row *made = &b->ir.rows[maker.row];
    return frame_word(b->code->base + made->pc + vm_fixed_words[made->op], c->now.depth - b->below);
}

static void put_move(struct native_compiler *c, uint32_t target, uint16_t v) {
    struct native_exits *x = &c->native->exits;
    const struct native_value *p = nv_at(c, v);
    if (p->kind == VALUE_CONSTANT) put_constant(x, target, p->k);
    else if (p->kind == VALUE_ENV) put(x, target | (uint32_t)EXIT_REGISTER << 12 | R_ENV);
    else if (p->reg != R_NONE) put(x, target | (uint32_t)EXIT_REGISTER << 12 | (uint32_t)p->reg);
    else if (p->home >= 0) {
        put(x, target | (uint32_t)EXIT_SLOT << 12);
        put(x, c->now.depth - 1 - (uint32_t)p->home);
    } else {
        ASSERT(p->xmm != R_NONE); /* NV1 */
        uint64_t word = frame_of_number(c, p->maker);
        put(x, target | (uint32_t)EXIT_XMM << 12 | (uint32_t)p->number << 4 | (uint32_t)p->xmm);
        put(x, (uint32_t)word);
        put(x, (uint32_t)(word >> 32));
    }
}

unsigned words_of_move(const uint32_t *w) {
    static const uint8_t words[] = {
        [EXIT_REGISTER] = 1, [EXIT_XMM] = 3, [EXIT_SMALL] = 1, [EXIT_CONSTANT] = 3, [EXIT_SLOT] = 2,
    };
    return words[kind_of_move(w)];
}

size_t native_exit_words(const uint32_t *exit) {
    const uint32_t *w = exit + EXIT_HEAD_WORDS;
    for (uint32_t moves = exit[EXIT_MOVES]; moves > 0; moves--) w += words_of_move(w);
    return (size_t)(w - exit);
}

uint32_t native_describe_exit(struct native_compiler *c) {
    if (c->last_exit_row == c->row && c->last_exit_changes == c->changes) return c->last_exit;
    struct native_exits *x = &c->native->exits;
    uint32_t exit = (uint32_t)x->count;
    put(x, (uint32_t)(native_words(c, c->row) - c->vm->decoded_area->words));
    put(x, c->now.base - c->now.depth);
    put(x, 0);
    put(x, 0);
    uint32_t moves = 0;
    if (c->rows[c->row].a_is_live) put_move(c, (uint32_t)EXIT_SLOT_A << 16, c->now.a);
    else put_constant(x, (uint32_t)EXIT_SLOT_A << 16, VAL_UNIT);
    for (uint32_t i = c->now.clean; i < c->now.depth; i++) {
        if (c->now.slots[i].in_memory) continue;
        put_move(c, to_slot(c, i, false), c->now.slots[i].v);
        moves++;
    }
    if (c->now.env != NO_VALUE) {
        put_move(c, (uint32_t)EXIT_SLOT_ENV << 16, c->now.env);
        moves++;
    }
    for (uint32_t k = 0; k < c->reference_count; k++) {
        const struct native_content *content = &c->now.contents[k];
        if (content->v == NO_VALUE || content->written) continue;
        put_move(c, to_slot(c, c->reference_slots[k], true), content->v);
        moves++;
    }
    x->words[exit + EXIT_MOVES] = moves + 1;
    c->last_exit = exit, c->last_exit_row = c->row, c->last_exit_changes = c->changes;
    return exit;
}

uint8_t *native_count_test(struct native_compiler *c) {
    if (c->native->stress == 0) return NULL;
    emit_push_flags(&c->e);
    emit_push(&c->e, R_TEMP);
    emit_constant(&c->e, R_TEMP, (int64_t)(uintptr_t)&c->native->stress_left);
    emit_add_memory(&c->e, at_base(R_TEMP, 0), -1);
    emit_pop(&c->e, R_TEMP);
    uint8_t *site = emit_jump_if_forward(&c->e, C_EQUAL);
    emit_pop_flags(&c->e);
    return site;
}

void native_force_exit(struct native_compiler *c, uint32_t exit) {
    uint8_t *forced = native_count_test(c);
    if (forced != NULL) native_add_late(c, forced, LATE_FORCED_EXIT)->exit = exit;
}

/* The late code of the guard before, if it is that exit. */
static struct native_late *latest_exit(struct native_compiler *c, uint32_t exit) {
    if (c->late_count == 0) return NULL;
    struct native_late *late = &c->late[c->late_count - 1];
    return late->kind == LATE_EXIT && late->exit == exit ? late : NULL;
}

void native_exit_if(struct native_compiler *c, enum native_condition condition) {
    uint32_t exit = native_describe_exit(c);
    native_force_exit(c, exit);
    uint8_t *site = emit_jump_if_forward(&c->e, condition);
    struct native_late *late = latest_exit(c, exit);
    if (late != NULL && late->more[0] == NULL) late->more[0] = site;
    else if (late != NULL && late->more[1] == NULL) late->more[1] = site;
    else native_add_late(c, site, LATE_EXIT)->exit = exit;
}

void native_exit_always(struct native_compiler *c) {
    uint32_t exit = native_describe_exit(c);
    native_add_late(c, emit_jump_forward(&c->e), LATE_EXIT)->exit = exit;
}

void native_leave(struct native_compiler *c) {
    native_exit_always(c);
    c->reachable = false;
}
