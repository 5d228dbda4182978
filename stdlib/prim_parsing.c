/* prim_parsing.c - the automaton of ocamlyacc's parsers.
 *
 * An LALR parser in tables of 16-bit numbers. The engine is a coroutine of the OCaml module
 * Parsing: the argument of a call is what happened since the last one (a command), its result what
 * it needs next (a request); between calls its state is in the environment record.
 *
 * Tables, environment and stacks come from the program: every access to them is bounded. */
#include "stdlib/prim.h"
#include "stdlib/state.h"
#include "vm/code/checks.h"

#include <stdio.h>

enum command {
    START,
    TOKEN_READ,
    STACKS_GROWN_1,
    STACKS_GROWN_2,
    SEMANTIC_ACTION_COMPUTED,
    ERROR_DETECTED
};
enum request {
    READ_TOKEN,
    RAISE_PARSE_ERROR,
    GROW_STACKS_1,
    GROW_STACKS_2,
    COMPUTE_SEMANTIC_ACTION,
    CALL_ERROR_FUNCTION
};

/* Fields of Parsing.parse_tables and of Parsing.parser_env. */
enum {
    TABLE_ACTIONS,
    TABLE_TRANSL_CONST,
    TABLE_TRANSL_BLOCK,
    TABLE_LHS,
    TABLE_LENGTH,
    TABLE_DEFAULT_REDUCTION,
    TABLE_DEFAULT_GOTO,
    TABLE_SHIFT_INDEX,
    TABLE_REDUCE_INDEX,
    TABLE_GOTO_INDEX,
    TABLE_SIZE,
    TABLE_TABLE,
    TABLE_CHECK,
    TABLE_ERROR_FUNCTION,
    TABLE_NAMES_CONST,
    TABLE_NAMES_BLOCK,
    TABLE_COUNT
};
enum {
    ENV_STATE_STACK,
    ENV_VALUE_STACK,
    ENV_START_STACK,
    ENV_END_STACK,
    ENV_STACK_SIZE,
    ENV_STACK_BASE,
    ENV_CURRENT_TOKEN,
    ENV_TOKEN_VALUE,
    ENV_SYMBOL_START,
    ENV_SYMBOL_END,
    ENV_ATTRIBUTE_SP,
    ENV_RULE_LENGTH,
    ENV_RULE_NUMBER,
    ENV_SP,
    ENV_STATE,
    ENV_ERROR_FLAG,
    ENV_COUNT
};

enum { ERROR_TOKEN = 256, TOKENS_TO_RECOVER = 3 };

struct parser {
    struct domain *d;
    value tables, env; /* no function here collects */
    intptr_t sp, state, error_flag;
    bool trace;
};

static _Noreturn void bad_tables(const struct parser *p) {
    vm_invalid_argument(p->d, "parsing: ill-formed tables or stacks");
}

static intptr_t number(const struct parser *p, int table, intptr_t i) {
    ASSERT(table >= 0 && table < TABLE_COUNT && wosize_of(p->tables) >= TABLE_COUNT);
    value t = field(p->tables, table);
    if (is_int(t) || tag_of(t) != TAG_STRING || (uintptr_t)i >= string_length(t) / 2) bad_tables(p);
    int16_t n;
    memcpy(&n, string_bytes(t) + 2 * i, 2);
    return n;
}

static intptr_t integer(const struct parser *p, value v) {
    if (is_block(v)) bad_tables(p);
    return int_of_val(v);
}
static intptr_t get(const struct parser *p, int i) { return integer(p, field(p->env, i)); }
static void set(const struct parser *p, int i, intptr_t n) {
    ASSERT(i >= 0 && i < ENV_COUNT && wosize_of(p->env) >= ENV_COUNT);
    gc_store(&p->d->gc, p->env, (size_t)i, val_of_int(n));
}

/* Element i of an array of the environment or the tables. */
static value element(const struct parser *p, value array, intptr_t i) {
    if (is_int(array) || tag_of(array) != 0 || (uintptr_t)i >= wosize_of(array)) bad_tables(p);
    return field(array, i);
}
static value stack_get(const struct parser *p, int stack, intptr_t i) {
    return element(p, field(p->env, stack), i);
}
static void stack_set(const struct parser *p, int stack, intptr_t i, value v) {
    element(p, field(p->env, stack), i);
    gc_store(&p->d->gc, field(p->env, stack), (size_t)i, v);
}

/* Whether the table has an entry for key (a token or a state) in the row that starts at index[i];
 * *at: its index. */
static bool find(const struct parser *p, int index, intptr_t i, intptr_t key, intptr_t *at) {
    intptr_t row = number(p, index, i);
    *at = row + key;
    return row != 0 && *at >= 0 && *at <= integer(p, field(p->tables, TABLE_SIZE)) &&
           number(p, TABLE_CHECK, *at) == key;
}

/* ---- The trace, in OCaml's format. ---- */

#define TRACE(p, ...)                                             \
    do {                                                          \
        if ((p)->trace) fprintf(vm_err((p)->d->vm), __VA_ARGS__); \
    } while (0)

/* Prints the name with that number in a string of names, each ended by a zero. */
static void print_name(FILE *out, value names, intptr_t n) {
    const char *name = string_bytes(names), *end = name + string_length(names);
    for (; n > 0 && name < end && *name != '\0'; n--)
        name += strnlen(name, (size_t)(end - name)) + 1;
    if (n > 0 && (name >= end || *name == '\0')) fputs("<unknown token>", out);
    else if (name < end) fwrite(name, 1, strnlen(name, (size_t)(end - name)), out);
}

static void trace_token(const struct parser *p, value token) {
    value names = field(p->tables, is_int(token) ? TABLE_NAMES_CONST : TABLE_NAMES_BLOCK);
    if (!p->trace || is_int(names) || tag_of(names) != TAG_STRING) return;
    FILE *err = vm_err(p->d->vm);
    fprintf(err, "State %d: read token ", (int)p->state);
    print_name(err, names, is_int(token) ? int_of_val(token) : (intptr_t)tag_of(token));
    if (is_block(token)) {
        value v = field(token, 0);
        fputc('(', err);
        if (is_int(v)) fprintf(err, "%ld", (long)int_of_val(v));
        else if (tag_of(v) == TAG_STRING) fwrite(string_bytes(v), 1, c_length(v), err);
        else if (tag_of(v) == TAG_DOUBLE) fprintf(err, "%g", double_of_val(v));
        else fputc('_', err);
        fputc(')', err);
    }
    fputc('\n', err);
}

/* ---- Steps. ---- */

static void take_token(struct parser *p, value token) {
    bool constant = is_int(token);
    if (!constant && !has_field(token, 0)) bad_tables(p);
    value codes = field(p->tables, constant ? TABLE_TRANSL_CONST : TABLE_TRANSL_BLOCK);
    intptr_t i = constant ? int_of_val(token) : (intptr_t)tag_of(token);
    set(p, ENV_CURRENT_TOKEN, integer(p, element(p, codes, i)));
    gc_store(&p->d->gc, p->env, ENV_TOKEN_VALUE, constant ? val_of_int(0) : field(token, 0));
    trace_token(p, token);
}

/* What to do next. STEP_RETURN: return the request. */
enum step { STEP_LOOP, STEP_PUSH, STEP_RECOVER, STEP_RETURN };

/* Goes to the state at index `at` of the table. */
static enum step shift(struct parser *p, intptr_t at, enum request *request) {
    intptr_t next = number(p, TABLE_TABLE, at);
    TRACE(p, "State %d: shift to state %d\n", (int)p->state, (int)next);
    p->state = next;
    *request = GROW_STACKS_1;
    return ++p->sp < get(p, ENV_STACK_SIZE) ? STEP_PUSH : STEP_RETURN;
}

static void push_token(struct parser *p) {
    stack_set(p, ENV_STATE_STACK, p->sp, val_of_int(p->state));
    stack_set(p, ENV_VALUE_STACK, p->sp, field(p->env, ENV_TOKEN_VALUE));
    stack_set(p, ENV_START_STACK, p->sp, field(p->env, ENV_SYMBOL_START));
    stack_set(p, ENV_END_STACK, p->sp, field(p->env, ENV_SYMBOL_END));
}

static void push_reduction(struct parser *p, value result) {
    stack_set(p, ENV_STATE_STACK, p->sp, val_of_int(p->state));
    stack_set(p, ENV_VALUE_STACK, p->sp, result);
    intptr_t last = get(p, ENV_ATTRIBUTE_SP);
    value end = stack_get(p, ENV_END_STACK, last);
    stack_set(p, ENV_END_STACK, p->sp, end);
    /* An empty production starts where it ends. */
    if (p->sp > last) stack_set(p, ENV_START_STACK, p->sp, end);
}

/* Pops the right-hand side of a rule. */
static enum step reduce(struct parser *p, intptr_t rule, enum request *request) {
    TRACE(p, "State %d: reduce by rule %d\n", (int)p->state, (int)rule);
    intptr_t length = number(p, TABLE_LENGTH, rule), lhs = number(p, TABLE_LHS, rule), at;
    set(p, ENV_ATTRIBUTE_SP, p->sp);
    set(p, ENV_RULE_NUMBER, rule);
    set(p, ENV_RULE_LENGTH, length);
    p->sp = p->sp - length + 1;
    intptr_t below = integer(p, stack_get(p, ENV_STATE_STACK, p->sp - 1));
    if (find(p, TABLE_GOTO_INDEX, lhs, below, &at)) p->state = number(p, TABLE_TABLE, at);
    else p->state = number(p, TABLE_DEFAULT_GOTO, lhs);
    *request = p->sp < get(p, ENV_STACK_SIZE) ? COMPUTE_SEMANTIC_ACTION : GROW_STACKS_2;
    return STEP_RETURN;
}

/* Pops states until one can shift the error token, at index *at of the table. */
static bool find_recovery(struct parser *p, intptr_t *at) {
    for (;;) {
        intptr_t state = integer(p, stack_get(p, ENV_STATE_STACK, p->sp));
        if (find(p, TABLE_SHIFT_INDEX, state, ERROR_TOKEN, at)) {
            TRACE(p, "Recovering in state %d\n", (int)state);
            return true;
        }
        TRACE(p, "Discarding state %d\n", (int)state);
        if (p->sp <= get(p, ENV_STACK_BASE)) {
            TRACE(p, "No more states to discard\n");
            return false;
        }
        p->sp--;
    }
}

static enum step use_token(struct parser *p, enum request *request) {
    intptr_t token = get(p, ENV_CURRENT_TOKEN), at;
    if (find(p, TABLE_SHIFT_INDEX, p->state, token, &at)) {
        set(p, ENV_CURRENT_TOKEN, -1);
        if (p->error_flag > 0) p->error_flag--;
        return shift(p, at, request);
    }
    if (find(p, TABLE_REDUCE_INDEX, p->state, token, &at))
        return reduce(p, number(p, TABLE_TABLE, at), request);
    if (p->error_flag > 0) return STEP_RECOVER;
    *request = CALL_ERROR_FUNCTION;
    return STEP_RETURN;
}

static enum step recover(struct parser *p, enum request *request) {
    intptr_t at;
    *request = RAISE_PARSE_ERROR;
    if (p->error_flag < TOKENS_TO_RECOVER) {
        p->error_flag = TOKENS_TO_RECOVER;
        return find_recovery(p, &at) ? shift(p, at, request) : STEP_RETURN;
    }
    if (get(p, ENV_CURRENT_TOKEN) == 0) return STEP_RETURN;
    TRACE(p, "Discarding last token read\n");
    set(p, ENV_CURRENT_TOKEN, -1);
    return STEP_LOOP;
}

static enum step loop(struct parser *p, enum request *request) {
    intptr_t rule = number(p, TABLE_DEFAULT_REDUCTION, p->state);
    if (rule != 0) return reduce(p, rule, request);
    if (get(p, ENV_CURRENT_TOKEN) >= 0) return use_token(p, request);
    *request = READ_TOKEN;
    return STEP_RETURN;
}

/* The first step after a command. */
static enum step start(struct parser *p, enum command command, value argument,
                       enum request *request) {
    p->sp = get(p, ENV_SP);
    p->state = command == START ? 0 : get(p, ENV_STATE);
    p->error_flag = command == START ? 0 : get(p, ENV_ERROR_FLAG);
    switch (command) {
    case START: return STEP_LOOP;
    case TOKEN_READ: take_token(p, argument); return use_token(p, request);
    case ERROR_DETECTED: return STEP_RECOVER;
    case STACKS_GROWN_1: return STEP_PUSH;
    case STACKS_GROWN_2: *request = COMPUTE_SEMANTIC_ACTION; return STEP_RETURN;
    case SEMANTIC_ACTION_COMPUTED: push_reduction(p, argument); return STEP_LOOP;
    }
    bad_tables(p);
}

static bool traces(const struct domain *d) {
    const struct vm *vm = d->vm;
    return d->record->parser_trace || (vm->options.parser_trace && vm->version->parser_trace_stays);
}

value prim_parse_engine(struct domain *d, value tables, value env, value command, value argument) {
    struct parser p = {d, tables, env, 0, 0, 0, traces(d)};
    if (tag_of(tables) != 0 || wosize_of(tables) < TABLE_COUNT || tag_of(env) != 0 ||
        wosize_of(env) < ENV_COUNT)
        bad_tables(&p);
    enum request request = RAISE_PARSE_ERROR;
    enum step step = start(&p, (enum command)int_of_val(command), argument, &request);
    while (step != STEP_RETURN) {
        if (step == STEP_RECOVER) {
            step = recover(&p, &request);
            continue;
        }
        if (step == STEP_PUSH) push_token(&p);
        step = loop(&p, &request);
    }
    set(&p, ENV_SP, p.sp);
    set(&p, ENV_STATE, p.state);
    set(&p, ENV_ERROR_FLAG, p.error_flag);
    return val_of_int(request);
}

/* Returns the previous setting. */
value prim_set_parser_trace(struct domain *d, value on) {
    bool before = traces(d);
    d->record->parser_trace = bool_of_val(on);
    return val_of_bool(before);
}
