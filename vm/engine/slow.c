/* slow.c - the slow paths of instructions. All run with the loop's registers saved (E2). */
#include "vm/engine/slow.h"

#include "gc/assert.h"
#include "gc/heap.h"
#include "gc/hooks.h"
#include "vm/code/checks.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/kinds.h"
#include "vm/code/opcodes.h"
#include "vm/code/prim.h"
#include "vm/code/raw.h"
#include "vm/engine/debugger.h"
#include "vm/engine/patches.h"
#include "vm/engine/prepare.h"
#include "vm/engine/tracer.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/fiber.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/limits.h"
#include "vm/stack/raise.h"
#include "vm/stack/reexecute.h"
#include "vm/stack/stack.h"

/* The instruction that left the loop, and its function; OPCODE_COUNT where it is the machine's own
 * or a frame word is saved. */
static unsigned saved_opcode(const struct domain *d, const struct vm_function **f) {
    ASSERT(d->stack.sp + SAVED_WORDS <= d->stack.high && is_int(d->stack.sp[2])); /* E2 */
    if (is_int(d->stack.sp[1])) return OPCODE_COUNT;
    struct vm_resume at = resume_of_word(d->stack.sp[1]);
    const struct vm_decoded *decoded = vm_find_decoded(d->vm, at);
    if (decoded == NULL) return OPCODE_COUNT;
    *f = &d->vm->functions[decoded->function];
    return vm_word(&d->vm->codes[(*f)->fragment]->words, vm_decoded_row(d->vm, decoded, at).pc);
}

bool vm_slow_row_says(const struct domain *d, unsigned flags) {
    const struct vm_function *f;
    unsigned op = saved_opcode(d, &f);
    return op == OPCODE_COUNT || (vm_opcodes[op].flags & flags) != 0;
}

/* Whether the call that is being made is the one before a re-executed instruction (E4). */
static bool is_before_reexecution(const struct domain *d) {
    const value *call = d->stack.sp + SAVED_WORDS;
    return call[1] == word_of_resume(d->vm->reexecute_code);
}

/* Runs pending actions; raises what one raised. */
static void process_pending(struct domain *d) {
    vm_value_or_raise(d, d->vm->upcalls->process_pending_exn(d));
}

/* The same between instructions, as vm_fiber_shed requires: not within a primitive. */
static void poll(struct domain *d) {
    process_pending(d);
    if (gc_get_params(&d->gc)->stress >= 5) vm_fiber_shed(d);
}

/* Whether the block was sampled already, before its instruction was re-executed; if so, pending
 * actions wait for the next poll. */
static bool was_sampled(const struct domain *d, size_t wosize) {
    uintptr_t p = d->gc.young_ptr - 8 * (wosize + 1);
    return d->promised_block == (value)(p + 8) && p >= d->gc.young_trigger &&
           p >= d->gc.sample_trigger;
}

/* A is a root of its own here and in vm_slow_poll: nested runs of the loop use d->accu too. */
value vm_slow_alloc(struct domain *d, size_t wosize, unsigned tag) {
    ASSERT(vm_slow_row_says(d, OP_ALLOCATES | OP_PRIMITIVE));
    ASSERT(wosize > 0 && wosize <= MAX_YOUNG_WOSIZE);
    if (was_sampled(d, wosize)) {
        d->promised_block = 0;
        return gc_bump(&d->gc, wosize, tag);
    }
    value accu = d->accu;
    GC_ROOT(&d->gc, &accu);
    if (d->gc.action_requested) process_pending(d);
    value block = gc_alloc_small_bytecode(&d->gc, wosize, tag);
    d->accu = accu;
    return block;
}

value vm_slow_alloc_or_reexecute(struct domain *d, size_t wosize, unsigned tag) {
    if (!gc_only_sample_due(&d->gc, wosize)) return vm_slow_alloc(d, wosize, tag);
    value block = d->sample(d, wosize, tag);
    ASSERT(block != 0 || (is_closure(d->accu) &&
                          d->stack.sp[1] == word_of_resume(d->vm->reexecute_code))); /* E4 */
    return block;
}

void vm_slow_reexecute_failed(struct domain *d, value exn) {
    const struct vm_profiler *profiler = &d->vm->profiler;
    GC_ROOT(&d->gc, &exn);
    profiler->reexecute_ended(profiler->state, d, exn_result(exn));
    vm_raise(d, exn);
}

void vm_slow_poll(struct domain *d) {
    ASSERT(vm_slow_row_says(d, OP_POLLS));
    value accu = d->accu;
    GC_ROOT(&d->gc, &accu);
    poll(d);
    d->accu = accu;
}

/* Saves a function's frame word in place of the pc (E2): at its entry, or `word` words after it. */
static void stop_in(struct domain *d, const struct vm_function *f, unsigned word) {
    ASSERT(f >= d->vm->functions && f < d->vm->functions + d->vm->function_count); /* C1 */
    uint64_t gpc = d->vm->codes[f->fragment]->base + f->pc + word;
    bool takes_argument = f->kind != FUNCTION_MAIN || d->vm->codes[f->fragment]->loaded ||
                          f == d->vm->functions; /* NO_CODE */
    d->stack.sp[1] = (value)frame_word(gpc, takes_argument);
}

/* Grows the stack for the function's frame, or raises Stack_overflow. */
static void reserve_frame(struct domain *d, const struct vm_function *f) {
    const value *top = d->stack.sp + SAVED_WORDS;
    if (vm_stack_reserve(d, top, top - f->frame_bytes / 8)) return;
    if (d->vm->version->overflow_is_in_callee) stop_in(d, f, 1);
    vm_raise_stack_overflow(d);
}

void vm_slow_enter(struct domain *d, const struct vm_function *f) {
    ASSERT(vm_slow_row_says(d, OP_CALLS) ||
           (is_before_reexecution(d) && vm_slow_row_says(d, OP_ALLOCATES | OP_PRIMITIVE)));
    stop_in(d, f, 0);
    reserve_frame(d, f);
    poll(d);
}

void vm_slow_prepare(struct domain *d, const struct vm_function *f) {
    ASSERT(f->decoded == 0); /* C2 */
    stop_in(d, f, 0);
    if (!vm_function_prepare(d->vm, (uint32_t)(f - d->vm->functions))) vm_stop_now(d, STOP_CODE);
    reserve_frame(d, f);
}

bool vm_slow_count(struct domain *d, unsigned op, struct vm_resume at, const value *sp,
                   value extra_args) {
    const struct vm_tracer *tracer = d->vm->options.tracer;
    ASSERT(op < ENGINE_COUNT && is_int(extra_args));
    ASSERT(sp >= d->stack.low && sp <= d->stack.high); /* S1 */
    *d->vm->limits.fuel_left = 0;
    if (tracer == NULL) return vm_take_fuel(d->vm, 1);
    tracer->instruction(tracer->context, d, op, at, sp, extra_args);
    return true;
}

void vm_slow_trace_store(struct domain *d, unsigned op, struct vm_resume at, const value *sp,
                         value extra_args) {
    const struct vm_tracer *tracer = d->vm->options.tracer;
    tracer->instruction(tracer->context, d, op, at, sp, extra_args);
}

/* ---- A debugged machine. ---- */

bool vm_is_debugged(const struct domain *d) {
    return d->vm->options.debugger != NULL && d->vm->options.debugger->in_use;
}

void vm_debug_stop(struct domain *d, enum vm_debug_reason reason, value about) {
    struct vm_debugger *debugger = d->vm->options.debugger;
    if (vm_is_debugged(d)) debugger->stop(debugger, d, reason, about);
}

void *vm_slow_event(struct domain *d) {
    if (--d->vm->options.debugger->events_left == 0) vm_debug_stop(d, DEBUG_EVENT, VAL_UNIT);
    return vm_unpatched_body(d->vm, (const uintptr_t *)d->stack.sp[1]);
}

void *vm_slow_break(struct domain *d) {
    vm_debug_stop(d, DEBUG_BREAK, VAL_UNIT);
    return vm_unpatched_body(d->vm, (const uintptr_t *)d->stack.sp[1]);
}

/* The depth (vm_fiber_depth) of the innermost handler, which may be in the caller of the C code
 * that runs the loop; 0: there is none. */
static size_t handler_depth(const struct domain *d) {
    uintptr_t trap = d->stack.trap;
    if (trap == 0 && vm_in_fiber(d)) {
        const value *b = vm_boundary(d);
        const struct vm_fiber *f = vm_fiber_of_boundary(b);
        return f->trap != 0 ? vm_fiber_depth(d, f->end - f->trap, f) : vm_fiber_depth(d, b, NULL);
    }
    for (const struct vm_activation *a = d->activation; trap == 0 && a != NULL; a = a->outer)
        trap = a->outer_trap;
    return trap == 0 ? 0 : vm_fiber_depth(d, d->stack.high - trap, NULL);
}

void vm_slow_unwind(struct domain *d, value exn) {
    const struct vm_tracer *tracer = d->vm->options.tracer;
    if (tracer != NULL) tracer->unwind(tracer->context, d, exn);
    if (vm_is_debugged(d) && (intptr_t)handler_depth(d) <= d->vm->options.debugger->barrier)
        vm_debug_stop(d, DEBUG_TRAP, exn);
}

void vm_slow_out_of_fuel(struct domain *d) {
    const struct vm_function *f;
    unsigned op = saved_opcode(d, &f);
    /* The verifier's height at a GRAB includes arguments that are still extra. */
    if (op == OP_GRAB || op == OP_RESTART) stop_in(d, f, 0);
    vm_stop_now(d, STOP_FUEL);
}

/* Whether C1 holds for the code of a new closure. */
static bool function_index_ok(const struct domain *d, value code) {
    return is_int(code) && int_of_val(code) > 0 && int_of_val(code) < d->vm->function_count;
}

/* Allocates a block of any size for an instruction, which must set all fields by init. */
static value alloc_block(struct domain *d, size_t wosize, unsigned tag) {
    ASSERT(vm_slow_row_says(d, OP_ALLOCATES));
    if (wosize == 0) return gc_atom(&d->gc, tag);
    if (wosize > MAX_YOUNG_WOSIZE) return gc_alloc_major(&d->gc, wosize, tag);
    uintptr_t p = d->gc.young_ptr - 8 * (wosize + 1);
    if (p < d->gc.young_limit) return vm_slow_alloc(d, wosize, tag);
    d->gc.young_ptr = p;
    *(header *)p = make_header(wosize, tag, 0);
    return (value)(p + 8);
}

/* Sets n fields of a fresh block, from field i on. */
static void init(struct domain *d, value block, size_t i, const value *from, size_t n) {
    ASSERT(i + n <= wosize_of(block));
    if (wosize_of(block) <= MAX_YOUNG_WOSIZE) {
        for (size_t k = 0; k < n; k++) field(block, i + k) = from[k];
    } else {
        for (size_t k = 0; k < n; k++) gc_init_field(&d->gc, block, i + k, from[k]);
    }
}

value vm_slow_grab(struct domain *d, value restart, intptr_t extra_args) {
    ASSERT(vm_slow_row_says(d, OP_ALLOCATES) && extra_args >= 0);
    ASSERT(function_index_ok(d, restart)); /* C1 */
    const struct vm_function *f = &d->vm->functions[int_of_val(restart)];
    ASSERT(f->kind == FUNCTION_RESTART);
    /* The pc after RESTART and GRAB n: debugging information has the function's location there. */
    uint64_t gpc = d->vm->codes[f->fragment]->base + f->pc + 3;
    d->stack.sp[1] = (value)frame_word(gpc, 1);
    size_t args = (size_t)extra_args + 1;
    value closure = alloc_block(d, args + 3, TAG_CLOSURE);
    value head[] = {restart, make_closinfo(0, 2), d->stack.sp[0]};
    init(d, closure, 0, head, 3);
    init(d, closure, 3, d->stack.sp + SAVED_WORDS, args);
    return closure;
}

value vm_slow_closure(struct domain *d, uintptr_t variables, value code, const value *from) {
    ASSERT(function_index_ok(d, code) && variables > 0);
    value closure = alloc_block(d, 2 + variables, TAG_CLOSURE);
    value head[] = {code, make_closinfo(0, 2), d->accu};
    init(d, closure, 0, head, 3);
    init(d, closure, 3, from, variables - 1);
    return closure;
}

value vm_slow_closurerec(struct domain *d, const uintptr_t *operands, const value *from) {
    uintptr_t functions = operands[0], variables = operands[1];
    ASSERT(functions > 0);
    uintptr_t start_env = 3 * functions - 1;
    value block = alloc_block(d, start_env + variables, TAG_CLOSURE);
    for (uintptr_t i = 0; i < functions; i++) {
        if (i > 0) field(block, 3 * i - 1) = (value)make_header(3 * i, TAG_INFIX, 0);
        ASSERT(function_index_ok(d, (value)operands[2 + i]));
        field(block, 3 * i) = (value)operands[2 + i];
        field(block, 3 * i + 1) = make_closinfo(0, start_env - 3 * i);
    }
    if (variables == 0) return block;
    init(d, block, start_env, &d->accu, 1);
    init(d, block, start_env + 1, from, variables - 1);
    return block;
}

value vm_slow_make_block(struct domain *d, size_t wosize, unsigned tag, const value *rest) {
    ASSERT(wosize > 0 && tag < TAG_NO_SCAN);
    value block = alloc_block(d, wosize, tag);
    init(d, block, 0, &d->accu, 1);
    init(d, block, 1, rest, wosize - 1);
    return block;
}

value vm_slow_make_float_block(struct domain *d, size_t count, const value *rest) {
    ASSERT(count > 0);
    value block = alloc_block(d, count, TAG_DOUBLE_ARRAY);
    set_double_field(block, 0, double_of_val(d->accu));
    for (size_t i = 1; i < count; i++) set_double_field(block, i, double_of_val(rest[i - 1]));
    return block;
}

/* A class table holds, from field 2 on, pairs (method, public tag) by ascending tag; field 0, read
 * as a raw word, is the index of the last tag. The cache becomes the index where the search
 * ended. */
value vm_slow_public_method(value object, value tag, uintptr_t *cache) {
    if (!has_field(object, 0)) return 0;
    value table = field(object, 0);
    if (!has_field(table, 2) || is_block(field(table, 0))) return 0;
    uintptr_t last = (uintptr_t)field(table, 0), size = wosize_of(table);
    if (last >= size || last < 3) return 0;
    uintptr_t low = 3, high = last;
    while (low < high) {
        uintptr_t middle = ((low + high) >> 1) | 1;
        if (tag < field(table, middle)) high = middle - 2;
        else low = middle;
    }
    if (field(table, low) != tag) return 0;
    if (cache != NULL) *cache = low;
    return field(table, low - 1);
}

/* The instruction that left the loop, for messages. */
static const char *stopped_opcode(struct domain *d, uint64_t *gpc) {
    struct vm_frame frame;
    if (!vm_frames_first(d, &frame)) return "?";
    *gpc = frame.gpc;
    for (uint64_t at = frame.gpc; at + 8 > frame.gpc; at--) {
        unsigned op = vm_opcode_at(d->vm, at);
        if (op < OPCODE_COUNT && (at < frame.gpc || op == OP_RAISE)) return vm_opcodes[op].name;
        if (at == 0) break;
    }
    return "?";
}

void vm_slow_type_error(struct domain *d) {
    uint64_t gpc = 0;
    const char *name = stopped_opcode(d, &gpc);
    vm_invalid_argument(d, "bytecode: %s met a value of the wrong kind before pc %llu", name,
                        (unsigned long long)gpc);
}

void vm_slow_not_applicable(struct domain *d) {
    d->stack.sp[1] = (value)frame_word(VM_NO_GPC, 0); /* the function has returned */
    vm_slow_type_error(d);
}

/* ---- Instructions on blocks of another kind than they expect (vm/code/raw.h). ---- */

static value raw_read_byte(value v, value index) {
    uintptr_t i = (uintptr_t)int_of_val(index);
    if (is_block(index) || !vm_raw_has_bytes(v, i, 1)) return 0;
    return val_of_int(((unsigned char *)v)[i]);
}

static value raw_write_byte(struct domain *d, value v, value index, value byte) {
    unsigned char c = (unsigned char)int_of_val(byte);
    uintptr_t i = (uintptr_t)int_of_val(index);
    if (is_block(index) || is_block(byte)) return 0;
    return vm_raw_write(d, v, i, 1, &c, false) ? VAL_UNIT : 0;
}

static value raw_store(value v, uintptr_t i, value x) {
    return vm_raw_store(v, i, x) ? VAL_UNIT : 0;
}

static value raw_add(value v, intptr_t n) {
    if (!vm_raw_has_bytes(v, 0, 8)) return 0;
    value sum = (value)((uintptr_t)field(v, 0) + 2 * (uintptr_t)n);
    if (!vm_raw_may_write_word(v, 0, sum)) return 0;
    field(v, 0) = sum;
    return VAL_UNIT;
}

/* Stores the double of block x as double i of block v. */
static value raw_store_double(struct domain *d, value v, uintptr_t i, value x) {
    if (is_int(x) || !vm_raw_has_bytes(x, 0, 8)) return 0;
    return vm_raw_write(d, v, 8 * i, 8, &field(x, 0), false) ? VAL_UNIT : 0;
}

/* The result of an instruction on block v; 0: it is refused. args: its operands on the stack. */
static value raw_access(struct domain *d, enum vm_opcode op, uintptr_t operand, value v,
                        const value *args) {
    switch (op) {
    case OP_GETFIELD: return vm_raw_load(d, v, operand);
    case OP_GETVECTITEM: return vm_raw_load(d, v, (uintptr_t)int_of_val(args[0]));
    case OP_SETFIELD: return raw_store(v, operand, args[0]);
    case OP_SETVECTITEM: return raw_store(v, (uintptr_t)int_of_val(args[0]), args[1]);
    case OP_OFFSETREF: return raw_add(v, (int32_t)operand);
    case OP_GETFLOATFIELD:
        if (!vm_raw_has_bytes(v, 8 * operand, 8)) return 0;
        return gc_copy_double(&d->gc, double_field(v, operand));
    case OP_SETFLOATFIELD: return raw_store_double(d, v, operand, args[0]);
    case OP_GETSTRINGCHAR:
    case OP_GETBYTESCHAR: return raw_read_byte(v, args[0]);
    case OP_SETBYTESCHAR: return raw_write_byte(d, v, args[0], args[1]);
    default: return 0;
    }
}

size_t vm_slow_raw_access(struct domain *d) {
    struct vm_resume at = resume_of_word(d->stack.sp[1]);
    const struct vm_decoded *decoded = vm_find_decoded(d->vm, at);
    ASSERT(decoded != NULL);
    const struct vm_function *f = &d->vm->functions[decoded->function];
    const struct vm_words *words = &d->vm->codes[f->fragment]->words;
    uint32_t pc = vm_decoded_row(d->vm, decoded, at).pc;
    const struct vm_opcode_info *info = &vm_opcodes[vm_word(words, pc)];
    const struct vm_opcode_info *long_info = &vm_opcodes[info->long_op];
    size_t operands = strlen(long_info->operands);
    uint32_t operand = info != long_info ? (uint32_t)info->first
                       : operands > 0    ? vm_word(words, pc + 1)
                                         : 0;
    value *args = d->stack.sp + SAVED_WORDS;
    value result = is_int(d->accu) ? 0 : raw_access(d, info->long_op, operand, d->accu, args);
    if (result == 0) vm_slow_type_error(d);
    d->accu = result;
    memmove(d->stack.sp - info->delta, d->stack.sp, SAVED_WORDS * sizeof *args);
    d->stack.sp -= info->delta;
    return operands + 1;
}

void vm_slow_convert_arguments(struct domain *d, const struct vm_linked_prim *prim) {
    ASSERT(prim->kinds != NULL && !vm_kinds_are_any(prim->kinds));
    for (unsigned i = 0; i < prim->arity; i++) {
        value *slot = i == 0 ? &d->accu : &d->stack.sp[SAVED_WORDS + i - 1];
        if (vm_argument_ok(d, prim, i, *slot)) continue;
        value converted = vm_raw_convert(d, prim->kinds[i], slot);
        if (converted == 0) vm_raise_wrong_kind(d, prim->name, prim->kinds);
        *slot = converted;
    }
}

void vm_slow_missing_primitive(struct domain *d, const struct vm_linked_prim *prim) {
    ASSERT(prim->function == NULL);
    /* C_CALLN has not pushed its first argument, as the address would say. */
    struct vm_resume at = resume_of_word(d->stack.sp[1]);
    const struct vm_decoded *decoded = vm_find_decoded(d->vm, at);
    struct vm_pc_row row = vm_decoded_row(d->vm, decoded, at);
    const struct vm_code *code = d->vm->codes[d->vm->functions[decoded->function].fragment];
    uint64_t gpc = code->base + row.pc + vm_width_at(&code->words, row.pc);
    d->stack.sp[1] = (value)frame_word(gpc, row.height);
    if (prim->refused_by != NULL) vm_raise_refused(d, prim->name, prim->refused_by);
    vm_failwith(d, "the primitive %s is not available on this machine", prim->name);
}

void vm_slow_entered(struct domain *d, uint32_t function_id) {
    const struct vm_function_ids *ids = &d->vm->function_ids;
    ASSERT(function_id > 0 && function_id < ids->count); /* PL2 */
    if (ids->entered != NULL) ids->entered(ids->context, d, d->function_id, function_id);
}

void vm_slow_record_backtrace(struct domain *d, bool reraise) {
    vm_backtrace_record(d, d->accu, reraise);
}
