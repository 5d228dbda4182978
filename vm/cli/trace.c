/* trace.c - `bactrian trace`: prints the events of a run, one per line.
 *
 *     EVENT DEPTH FUNCTION DETAILS
 *
 * With --compilations machine code runs, which reports no other event, and a line is
 *
 *     compile - FUNCTION entry|loop BYTES bytes
 *
 * The counting loop reports each instruction and each raise (vm/engine/tracer.h). Calls and returns
 * are derived from the base of the current frame, the distance of its return frame from the high
 * end of the stack:
 *
 *   VM stack     stack_high | main | f | g ... sp      base of g = distance of its return frame
 *                                                                  from stack_high, in words
 *   shadow       frames[]     main   f   g             bases ascend
 *
 * An instruction of a frame with a larger base is in a callee, with a smaller one in a caller, and
 * with the same base after APPTERM, or RETURN with extra arguments, in a tail call. Each thread has
 * a shadow stack. */
#include "gc/assert.h"
#include "gc/containers.h"
#include "memprof/format/printable.h"
#include "memprof/memprof.h"
#include "memprof/sampling/tracker.h"
#include "vm/base/os.h"
#include "vm/cli/cli.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/opcodes.h"
#include "vm/engine/native/observer.h"
#include "vm/engine/tracer.h"
#include "vm/machine/machine.h"
#include "vm/marshal/symbols.h"
#include "vm/text/basm.h"
#include "vm/thread/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION_CACHE_SIZE = 1 << 12 };

/* How a trace of all events starts. */
#define TRACE_START "call 1 [A-Z]*\ncall 2 *"

struct name {
    const char *text; /* NULL: not known yet */
    bool shown;       /* by --function */
};

/* An instruction, cached by the address of its decoded word, which never changes meaning. */
struct cached_instruction {
    struct vm_resume at;
    uint32_t pc, fragment, height;
    bool enters; /* the first instruction of a function */
    struct name name;
};

struct frame {
    size_t base; /* distance of the return frame from stack_high, in words */
    struct name name;
};

struct shadow {
    struct shadow *next;
    const value *stack_high; /* identifies the VM stack */
    intptr_t thread;
    struct frame *frames;
    size_t count, capacity;
    unsigned last_op; /* OPCODE_COUNT: none */
    bool left; /* an exception has left it for C code; its frames are popped at the next event */
};

struct cli_trace {
    const struct cli_options *options;
    struct vm *vm;
    FILE *out;
    struct mp_output output;
    struct vm_tracer tracer;
    struct vm_native_observer observer;
    struct mp_tracker *gc_events; /* samples nothing */
    struct vm_image image;        /* for the disassembler, which is NULL without --instructions */
    struct disassembler *disassembler;
    struct shadow *shadows, *current;
    struct name *names; /* by function */
    size_t name_count;
    char gc_kind[32]; /* of the pause */
    size_t gc_depth, gc_promoted;
    uint64_t gc_start_ns;
    struct cached_instruction instructions[INSTRUCTION_CACHE_SIZE];
};

/* ---- Names. ---- */

bool cli_shows_function(const struct cli_options *options, const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i < options->function_count; i++) {
        const char *wanted = options->functions[i];
        size_t n = strlen(wanted);
        if (n > length || strcmp(text + length - n, wanted) != 0) continue;
        if (n == length || text[length - n - 1] == '.' || text[length - n - 1] == '_') return true;
    }
    return options->function_count == 0;
}

static struct name name_of(struct cli_trace *t, const struct vm_decoded *decoded, uint64_t gpc) {
    uint32_t function = decoded->function;
    if (t->vm->functions[function].kind == FUNCTION_MAIN) { /* of all modules */
        char text[256];
        const char *module = vm_symbol_at(t->vm, gpc, text, sizeof text);
        if (module == NULL) module = "(main)";
        return (struct name){module, cli_shows_function(t->options, module)};
    }
    if (function >= t->name_count) {
        size_t count = t->vm->function_count;
        t->names = vm_must(realloc(t->names, count * sizeof *t->names));
        memset(t->names + t->name_count, 0, (count - t->name_count) * sizeof *t->names);
        t->name_count = count;
    }
    ASSERT(function < t->name_count);
    struct name *name = &t->names[function];
    if (name->text == NULL) {
        name->text = vm_must(vm_function_name(t->vm, function));
        name->shown = cli_shows_function(t->options, name->text);
    }
    return *name;
}

/* The instruction at a decoded word; NULL: the machine's own code. */
static const struct cached_instruction *instruction_at(struct cli_trace *t, struct vm_resume at) {
    struct cached_instruction *cached =
        &t->instructions[at.address / sizeof(uintptr_t) % INSTRUCTION_CACHE_SIZE];
    if (same_resume(cached->at, at)) return cached;
    const struct vm_decoded *decoded = vm_find_decoded(t->vm, at);
    if (decoded == NULL) return NULL;
    const struct vm_function *f = &t->vm->functions[decoded->function];
    const struct vm_code *code = t->vm->codes[f->fragment];
    struct vm_pc_row row = vm_decoded_row(t->vm, decoded, at);
    uint32_t op = vm_word(&code->words, row.pc);
    bool takes = op == OP_GRAB || op == OP_RESTART; /* all arguments are extra ones */
    *cached = (struct cached_instruction){
        .at = at,
        .pc = row.pc,
        .fragment = f->fragment,
        .height = takes ? 1 : row.height,
        .enters = row.pc == f->pc || (f->grabs > 1 && row.pc == f->pc + 2),
        .name = name_of(t, decoded, code->base + row.pc),
    };
    return cached;
}

/* ---- Shadow stacks. ---- */

static struct shadow *shadow_of(struct cli_trace *t, const struct domain *d) {
    struct shadow *s = t->current;
    if (s != NULL && s->stack_high == d->stack.high) return s;
    for (s = t->shadows; s != NULL && s->stack_high != d->stack.high;) s = s->next;
    if (s == NULL) {
        s = vm_must(calloc(1, sizeof *s));
        *s = (struct shadow){.next = t->shadows, .stack_high = d->stack.high, .thread = -1};
        t->shadows = s;
    }
    if (s->thread != vm_thread_number(d)) s->count = 0; /* the memory of an ended thread's stack */
    s->thread = vm_thread_number(d);
    return t->current = s;
}

/* Starts a line of an event in the innermost frame. False: --function hides it. */
static bool begin_line(struct cli_trace *t, const struct shadow *s, const char *event) {
    struct name none = {"-", cli_shows_function(t->options, "-")};
    struct name name = s->count == 0 ? none : s->frames[s->count - 1].name;
    if (!name.shown) return false;
    if (s->thread != 0) fprintf(t->out, "[thread %" PRIdPTR "] ", s->thread);
    fprintf(t->out, "%s %zu ", event, s->count);
    mp_put_printable(t->out, name.text, '?');
    return true;
}

static void print_call(struct cli_trace *t, const struct shadow *s, const char *event) {
    if (t->options->trace_calls && begin_line(t, s, event)) fputc('\n', t->out);
}

static void pop_frames(struct cli_trace *t, struct shadow *s, size_t base, const char *event) {
    while (s->count > 0 && s->frames[s->count - 1].base > base) {
        print_call(t, s, event);
        s->count--;
    }
}

static void push_frame(struct cli_trace *t, struct shadow *s, size_t base) {
    ASSERT(s->count == 0 || s->frames[s->count - 1].base < base);
    vm_must_have(
        vector_widen((void **)&s->frames, &s->capacity, s->count + 1, 64, sizeof *s->frames, NULL));
    s->frames[s->count++] = (struct frame){.base = base};
}

static bool replaces_frame(unsigned op) {
    return op == OP_RETURN || (op >= OP_APPTERM && op <= OP_APPTERM3);
}

/* Updates the shadow stack: its last frame becomes that of an instruction at `cached`. */
static void find_frame(struct cli_trace *t, struct shadow *s,
                       const struct cached_instruction *cached, size_t base) {
    size_t before = s->count;
    pop_frames(t, s, base, s->left ? "unwind" : "return");
    bool same = s->count > 0 && s->frames[s->count - 1].base == base;
    if (same && s->left && cached->enters) { /* C code calls again */
        pop_frames(t, s, base - 1, "unwind");
        same = false;
    }
    bool tail = same && s->count == before && replaces_frame(s->last_op);
    if (!same) push_frame(t, s, base);
    s->frames[s->count - 1].name = cached->name;
    if (!same || tail) print_call(t, s, tail ? "tail-call" : "call");
    s->left = false;
}

/* ---- Events. ---- */

static void print_instruction(struct cli_trace *t, const struct shadow *s,
                              const struct cached_instruction *cached) {
    if (!begin_line(t, s, "exec")) return;
    const struct vm_code *code = t->vm->codes[cached->fragment];
    if (cached->fragment == 0) {
        fprintf(t->out, " %x ", cached->pc * 4);
        vm_disassembler_print(t->disassembler, cached->pc, t->out);
    } else { /* loaded at run time */
        const char *name = vm_opcodes[vm_word(&code->words, cached->pc)].name;
        uint32_t width = vm_width_at(&code->words, cached->pc);
        fprintf(t->out, " %u:%x %s", cached->fragment, cached->pc * 4, name);
        for (uint32_t i = 1; i < width; i++)
            fprintf(t->out, "%s%d", i == 1 ? " " : ", ",
                    (int32_t)vm_word(&code->words, cached->pc + i));
    }
    fputc('\n', t->out);
}

/* Whether op is a whole instruction of the program. Bodies that run before or after one are not. */
static bool is_bytecode(unsigned op) {
    return op < OPCODE_COUNT || op == ENGINE_C_CALL_MISSING ||
           (op >= ENGINE_C_CALL_STUB1 && op <= ENGINE_C_CALL_STUBN);
}

static void on_instruction(void *context, struct domain *d, unsigned op, struct vm_resume at,
                           const value *sp, value extra_args) {
    struct cli_trace *t = context;
    struct shadow *s = shadow_of(t, d);
    const struct cached_instruction *cached = instruction_at(t, at);
    size_t depth = (size_t)(d->stack.high - sp);
    if (cached != NULL && is_bytecode(op)) {
        size_t words = cached->height + (size_t)int_of_val(extra_args);
        ASSERT(words <= depth);
        find_frame(t, s, cached, depth - words);
        if (t->options->trace_instructions) print_instruction(t, s, cached);
        s->last_op = op;
    } else if (cached == NULL && (op == ENGINE_LEAVE || op == ENGINE_NEXT_CALL)) {
        pop_frames(t, s, depth, "return");
        s->last_op = OPCODE_COUNT;
    }
}

static void on_unwind(void *context, struct domain *d, value exn) {
    struct cli_trace *t = context;
    struct shadow *s = shadow_of(t, d);
    char text[400];
    bool exceptions = t->options->trace_exceptions;
    if (exceptions && begin_line(t, s, "raise")) {
        vm_format_exception(t->vm, exn, text, sizeof text);
        fputc(' ', t->out);
        mp_put_printable(t->out, text, '?');
        fputc('\n', t->out);
    }
    s->last_op = OPCODE_COUNT;
    s->left = d->stack.trap == 0;
    if (s->left) return;
    pop_frames(t, s, d->stack.trap, "unwind");
    if (exceptions && begin_line(t, s, "catch")) fputc('\n', t->out);
}

static void on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                        size_t words) {
    static const char *const kinds[] = {[GC_ACT_MINOR] = "minor",
                                        [GC_ACT_MARK] = "mark",
                                        [GC_ACT_MARK_END] = "end-of-mark",
                                        [GC_ACT_SWEEP] = "sweep"};
    struct cli_trace *t = context;
    if (begins) {
        if (t->gc_depth++ == 0) {
            t->gc_kind[0] = 0;
            t->gc_promoted = 0;
            t->gc_start_ns = vm_now_ns();
        }
        if (what == GC_ACT_PAUSE || strstr(t->gc_kind, kinds[what]) != NULL) return;
        if (t->gc_kind[0] != 0) strcat(t->gc_kind, "+");
        strcat(t->gc_kind, kinds[what]);
        return;
    }
    if (what == GC_ACT_MINOR) t->gc_promoted += words;
    ASSERT(t->gc_depth > 0);
    if (--t->gc_depth > 0 || t->gc_kind[0] == 0) return;
    if (!begin_line(t, shadow_of(t, t->vm->domain), "gc")) return;
    fprintf(t->out, " %s %zu words promoted %.3f ms\n", t->gc_kind, t->gc_promoted,
            (double)(vm_now_ns() - t->gc_start_ns) / 1e6);
}

static void on_compiled(void *context, struct vm *vm, const struct vm_native_code *code) {
    struct cli_trace *t = context;
    char *name = vm_must(vm_function_name(vm, code->function));
    if (cli_shows_function(t->options, name)) {
        fputs("compile - ", t->out);
        mp_put_printable(t->out, name, '?');
        fprintf(t->out, " %s %zu bytes\n", code->loop ? "loop" : "entry", code->bytes);
    }
    free(name);
}

static void on_sample(void *context, uint64_t id, const struct mp_hit *hit) {}
static void on_promoted(void *context, const uint64_t *ids, size_t count) {}
static void on_dead(void *context, const uint64_t *ids, size_t count, bool major) {}

static const struct mp_tracker_events gc_events = {
    .born = on_sample, .promoted = on_promoted, .died = on_dead, .activity = on_activity};

/* ---- Life. ---- */

/* Returns 0, or the exit status after a message. */
static int choose_events(struct cli_trace *t, struct cli_options *options) {
    bool others = options->trace_instructions || options->trace_calls ||
                  options->trace_collections || options->trace_exceptions;
    if (options->trace_compilations && others)
        return cli_fail(STATUS_REFUSED, NULL,
                        "--compilations: no other event is traced with it, "
                        "as the interpreter reports those");
    if (options->trace_compilations) {
        t->observer = (struct vm_native_observer){on_compiled, t};
        options->vm.on_native = &t->observer;
        return 0;
    }
    if (!others)
        options->trace_calls = options->trace_collections = options->trace_exceptions = true;
    t->tracer = (struct vm_tracer){on_instruction, on_unwind, t};
    options->vm.tracer = &t->tracer;
    options->vm.count_instructions = true;
    return 0;
}

struct cli_trace *cli_open_trace(struct cli_options *options, const char *shown, int *status) {
    struct cli_trace *t = calloc(1, sizeof *t);
    char *path;
    if (t == NULL) {
        *status = cli_fail(STATUS_REFUSED, shown, "out of memory");
        return NULL;
    }
    t->options = options;
    *status = choose_events(t, options);
    if (options->trace_instructions) {
        *status = cli_open_program(options, shown, &path, &t->image);
        free(path);
        if (*status == 0 && vm_image_unpack_code(&t->image))
            t->disassembler = vm_disassembler_open(&t->image);
        if (*status == 0 && t->disassembler == NULL)
            *status = cli_fail(STATUS_REFUSED, shown, "out of memory");
    }
    t->out = options->output == NULL ? stderr : NULL;
    if (*status == 0 && t->out == NULL) {
        t->out = cli_open_output(&t->output, options->output, TRACE_START, options->force);
        if (t->out == NULL) *status = STATUS_REFUSED;
        else mp_output_publish(&t->output); /* it can be read while the program runs */
    }
    if (*status == 0) {
        setvbuf(t->out, NULL, _IOLBF, 0); /* a child process must not write its parent's lines */
        return t;
    }
    cli_close_trace(t);
    return NULL;
}

int cli_start_trace(struct cli_trace *t, struct vm *vm) {
    t->vm = vm;
    if (!t->options->trace_collections || !mp_is_present) return 0;
    t->gc_events = mp_tracker_start(vm->domain, 0, 0, &gc_events, t);
    return t->gc_events != NULL ? 0 : cli_fail(STATUS_REFUSED, NULL, "out of memory");
}

int cli_finish_trace(struct cli_trace *t, int status) {
    if (t->gc_events != NULL) {
        mp_tracker_stop(t->gc_events);
        mp_tracker_free(t->gc_events);
        t->gc_events = NULL;
    }
    if (t->out == stderr) return status;
    int closed = cli_close_output(&t->output, t->out, t->options->output);
    t->out = stderr;
    return closed != 0 ? closed : status;
}

void cli_close_trace(struct cli_trace *t) {
    if (t == NULL) return;
    if (t->out != NULL && t->out != stderr) fclose(t->out);
    mp_output_free(&t->output);
    vm_disassembler_close(t->disassembler);
    vm_image_close(&t->image);
    for (struct shadow *s = t->shadows, *next; s != NULL; s = next) {
        next = s->next;
        free(s->frames);
        free(s);
    }
    for (size_t i = 0; i < t->name_count; i++) free((char *)t->names[i].text);
    free(t->names);
    free(t);
}
