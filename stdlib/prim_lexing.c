/* prim_lexing.c - the automaton of ocamllex's lexers.
 *
 * The tables are strings of 16-bit numbers. In state s, character c leads to trans[base[s] + c] if
 * check[base[s] + c] is s, else to default[s]. A negative base is an action. At the end of the
 * buffer the engine returns -state-1; Lexing refills it and calls again with that. new_lex_engine
 * also executes moves that record the positions of `as` variables: pairs of destination and source,
 * ended by 255; source 255 is the current position.
 *
 * Tables and buffer come from the program: every access to them is bounded. */
#include "stdlib/prim.h"
#include "vm/code/version.h"

/* Fields of Lexing.lexbuf and of Lexing.lex_tables. */
enum {
    LEX_BUFFER = 1,
    LEX_BUFFER_LENGTH,
    LEX_ABS_POS,
    LEX_START_POS,
    LEX_CURR_POS,
    LEX_LAST_POS,
    LEX_LAST_ACTION,
    LEX_EOF_REACHED,
    LEX_MEM,
    LEX_START_P,
    LEX_CURR_P,
    LEXBUF_FIELDS
};
enum {
    TABLE_BASE,
    TABLE_BACKTRACK,
    TABLE_DEFAULT,
    TABLE_TRANS,
    TABLE_CHECK,
    TABLE_BASE_CODE,
    TABLE_BACKTRACK_CODE,
    TABLE_DEFAULT_CODE,
    TABLE_TRANS_CODE,
    TABLE_CHECK_CODE,
    TABLE_CODE,
    TABLE_COUNT
};

enum { END_OF_INPUT = 256, CODE_END = 255, CODE_CURRENT = 255 };

struct table {
    const uint8_t *bytes;
    size_t entries;
};

struct engine {
    struct domain *d;
    value lexbuf;
    struct table tables[TABLE_COUNT];
    const uint8_t *buffer;
    intptr_t first;         /* the position in it where the call began */
    intptr_t buffer_length; /* of the string */
    bool has_memory;
    int first_unsigned; /* tables from this one on have numbers from 0 to 65535 */
};

static _Noreturn void bad_tables(const struct engine *e) {
    vm_invalid_argument(e->d, "lexing: ill-formed tables or buffer");
}

static inline intptr_t number(const struct engine *e, int table, intptr_t i) {
    ASSERT(table >= 0 && table < TABLE_COUNT);
    const struct table *t = &e->tables[table];
    if ((uintptr_t)i >= t->entries) bad_tables(e);
    uint16_t n;
    memcpy(&n, t->bytes + 2 * i, 2);
    return table >= e->first_unsigned ? n : (int16_t)n;
}

/* Whether check[i] is state; i may be after the end of the table. */
static inline bool checks(const struct engine *e, int table, intptr_t i, intptr_t state) {
    return (uintptr_t)i < e->tables[table].entries && number(e, table, i) == state;
}

static intptr_t get(const struct engine *e, int field_number) {
    ASSERT(field_number < LEXBUF_FIELDS && tag_of(e->lexbuf) == 0);
    value v = field(e->lexbuf, field_number);
    if (is_block(v)) bad_tables(e);
    return int_of_val(v);
}

static void set(const struct engine *e, int field_number, intptr_t n) {
    gc_store(&e->d->gc, e->lexbuf, (size_t)field_number, val_of_int(n));
}

/* Executes the moves at offset; current is the current position. */
static void run_moves(const struct engine *e, intptr_t offset, intptr_t current) {
    const struct table *code = &e->tables[TABLE_CODE];
    value mem = field(e->lexbuf, LEX_MEM);
    size_t cells = is_block(mem) && tag_of(mem) == 0 ? wosize_of(mem) : 0, end = 2 * code->entries;
    for (size_t at = (size_t)offset; at < end && code->bytes[at] != CODE_END; at += 2) {
        unsigned to = code->bytes[at], from = at + 1 < end ? code->bytes[at + 1] : CODE_CURRENT;
        if (to >= cells || (from != CODE_CURRENT && from >= cells)) bad_tables(e);
        value v = from == CODE_CURRENT ? val_of_int(current) : field(mem, from);
        gc_store(&e->d->gc, mem, to, v);
    }
}

static void open_engine(struct engine *e, struct domain *d, value tables, value lexbuf,
                        bool has_memory) {
    e->d = d;
    e->lexbuf = lexbuf;
    e->has_memory = has_memory;
    e->first_unsigned = d->vm->version->lexer_moves_unsigned ? TABLE_BASE_CODE : TABLE_COUNT;
    if (tag_of(tables) != 0 || wosize_of(tables) < TABLE_COUNT || tag_of(lexbuf) != 0 ||
        wosize_of(lexbuf) < LEXBUF_FIELDS)
        bad_tables(e);
    for (int i = 0; i < TABLE_COUNT; i++) {
        value t = field(tables, i);
        if (is_int(t) || tag_of(t) != TAG_STRING) bad_tables(e);
        e->tables[i] = (struct table){(const uint8_t *)string_bytes(t), string_length(t) / 2};
    }
    value buffer = field(lexbuf, LEX_BUFFER);
    if (is_int(buffer) || tag_of(buffer) != TAG_STRING) bad_tables(e);
    e->buffer = (const uint8_t *)string_bytes(buffer);
    e->buffer_length = (intptr_t)string_length(buffer);
}

/* The state after character c (or END_OF_INPUT); negative: there is no transition. */
static intptr_t next_state(const struct engine *e, intptr_t state, intptr_t base, int c) {
    if (checks(e, TABLE_CHECK, base + c, state)) return number(e, TABLE_TRANS, base + c);
    return number(e, TABLE_DEFAULT, state);
}

/* Executes the moves of the transition from state by c. */
static void run_transition_moves(const struct engine *e, intptr_t state, int c, intptr_t current) {
    intptr_t i = number(e, TABLE_BASE_CODE, state) + c;
    intptr_t code = checks(e, TABLE_CHECK_CODE, i, state) ? number(e, TABLE_TRANS_CODE, i)
                                                          : number(e, TABLE_DEFAULT_CODE, state);
    if (code > 0) run_moves(e, code, current);
}

/* No further transition: returns to the last accepting position and its action. */
static value take_last_action(const struct engine *e) {
    set(e, LEX_CURR_POS, get(e, LEX_LAST_POS));
    intptr_t action = get(e, LEX_LAST_ACTION);
    if (action == -1) vm_failwith(e->d, "lexing: empty token");
    return val_of_int(action);
}

/* Ends a call that has read the buffer up to pos. */
static value charged(const struct engine *e, intptr_t pos, value result) {
    vm_charge_work(e->d, 8 * (size_t)(pos - e->first));
    return result;
}

static value run(struct engine *e, intptr_t state) {
    intptr_t pos = get(e, LEX_CURR_POS), length = get(e, LEX_BUFFER_LENGTH);
    if (length > e->buffer_length || pos < 0) bad_tables(e);
    e->first = pos;
    if (state >= 0) {
        set(e, LEX_START_POS, pos);
        set(e, LEX_LAST_POS, pos);
        set(e, LEX_LAST_ACTION, -1);
    } else {
        state = -state - 1;
    }
    for (;;) {
        intptr_t base = number(e, TABLE_BASE, state);
        if (base < 0) {
            if (e->has_memory) run_moves(e, number(e, TABLE_BASE_CODE, state), -1);
            set(e, LEX_CURR_POS, pos);
            return charged(e, pos, val_of_int(-base - 1));
        }
        intptr_t action = number(e, TABLE_BACKTRACK, state);
        if (action >= 0) {
            if (e->has_memory) run_moves(e, number(e, TABLE_BACKTRACK_CODE, state), -1);
            set(e, LEX_LAST_POS, pos);
            set(e, LEX_LAST_ACTION, action);
        }
        int c = END_OF_INPUT;
        if (pos < length) {
            ASSERT(pos < e->buffer_length);
            c = e->buffer[pos++];
        } else if (get(e, LEX_EOF_REACHED) == 0) {
            set(e, LEX_CURR_POS, pos);
            return charged(e, pos, val_of_int(-state - 1));
        }
        intptr_t next = next_state(e, state, base, c);
        if (next < 0) return charged(e, pos, take_last_action(e));
        if (e->has_memory) run_transition_moves(e, state, c, pos);
        if (c == END_OF_INPUT) set(e, LEX_EOF_REACHED, 0);
        state = next;
    }
}

value prim_lex_engine(struct domain *d, value tables, value state, value lexbuf) {
    struct engine e;
    open_engine(&e, d, tables, lexbuf, false);
    return run(&e, int_of_val(state));
}

value prim_new_lex_engine(struct domain *d, value tables, value state, value lexbuf) {
    struct engine e;
    open_engine(&e, d, tables, lexbuf, true);
    return run(&e, int_of_val(state));
}
