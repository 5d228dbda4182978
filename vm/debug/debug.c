/* debug.c - requests of the debugger, and reports to it.
 *
 * The program is stopped from a report (none at the start) until the request `g`. Between them the
 * debugger reads values and frames, and sets EVENTs and BREAKs. Everything that a request names is
 * checked: fragments, frames, fields, blocks. */
#include "vm/debug/debug.h"

#include "vm/base/os.h"
#include "vm/code/checks.h"
#include "vm/code/code.h"
#include "vm/code/opcodes.h"
#include "vm/debug/debug_internal.h"
#include "vm/engine/patches.h"
#include "vm/marshal/writer.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fragment that no program has: for frames of callbacks from C, and code that is unknown. */
#define NO_FRAGMENT ((uint32_t)INT32_MAX)

struct debug {
    struct vm_debugger hooks; /* first */
    struct vm_debug_options options;
    struct debug_connection connection;
    struct debug_checkpoints checkpoints;
    struct debug_values values;
    enum vm_debug_reason reason; /* why the program is stopped */
    value accu;                  /* what request A answers */
    struct debug_frame innermost, selected;
};

/* ---- A pc: two words, the fragment and the offset in bytes. ---- */

static void put_pc(struct debug *g, uint32_t fragment, uint32_t pc) {
    debug_put_word(&g->connection, fragment);
    debug_put_word(&g->connection, 4 * pc);
}

/* The debugger's number of a fragment. */
static uint32_t number_of(const struct vm *vm, uint32_t fragment) {
    return fragment + vm->version->debugger_first_fragment;
}

/* ---- A depth on the stack: a word; in OCaml 5 the number of a fiber before it. The fibers that
 * run share a stack here, and so a number. ---- */

static void put_depth(struct debug *g, const struct vm *vm, uint32_t depth) {
    if (vm->version->debugger_counts_fibers)
        debug_put_word(&g->connection, depth == DEBUG_NO_FRAME ? DEBUG_NO_FRAME : 0);
    debug_put_word(&g->connection, depth);
}

/* Reads a depth; DEBUG_NO_FRAME: no frame has it. */
static uint32_t get_depth(struct debug *g, const struct vm *vm) {
    bool other = vm->version->debugger_counts_fibers && debug_get_word(&g->connection) != 0;
    uint32_t depth = debug_get_word(&g->connection);
    return other ? DEBUG_NO_FRAME : depth;
}

static void put_frame(struct debug *g, struct domain *d, const struct debug_frame *frame) {
    const struct vm *vm = d->vm;
    put_depth(g, vm, debug_depth(d, frame));
    const struct vm_code *code = frame->start == NULL ? NULL : vm_code_at(vm, frame->gpc);
    if (frame->start == NULL) {
        put_pc(g, 0, 0);
    } else if (code == NULL) {
        put_pc(g, NO_FRAGMENT, 0);
    } else {
        uint32_t fragment = 0;
        while (vm->codes[fragment] != code) fragment++;
        put_pc(g, number_of(vm, fragment), (uint32_t)(frame->gpc - code->base));
    }
}

/* Reads a pc, checks it, and applies the patch there. */
static void patch(struct debug *g, struct domain *d, uint8_t op) {
    uint32_t fragment = debug_get_word(&g->connection) - number_of(d->vm, 0);
    uint32_t offset = debug_get_word(&g->connection);
    if (offset % 4 == 0) vm_patch(d->vm, fragment, offset / 4, op);
}

static void put_code_of(struct debug *g, struct domain *d, value v) {
    const struct vm *vm = d->vm;
    uintptr_t index = is_closure(v) && is_int(field(v, 0)) ? (uintptr_t)int_of_val(field(v, 0)) : 0;
    if (index == 0 || index >= vm->function_count) put_pc(g, NO_FRAGMENT, 0);
    else put_pc(g, number_of(vm, vm->functions[index].fragment), vm->functions[index].pc);
}

/* ---- Frames. ---- */

static void select_frame(struct debug *g, struct domain *d, uint32_t depth) {
    struct debug_frame frame = g->innermost;
    while (frame.start != NULL && debug_depth(d, &frame) < depth) frame = debug_caller(d, &frame);
    if (frame.start != NULL && debug_depth(d, &frame) == depth) g->selected = frame;
}

static void select_caller(struct debug *g, struct domain *d) {
    struct debug_frame caller = debug_caller(d, &g->selected);
    if (caller.start == NULL) {
        put_depth(g, d->vm, DEBUG_NO_FRAME);
        return;
    }
    g->selected = caller;
    put_frame(g, d, &g->selected);
}

static value local(struct domain *d, const struct debug_frame *frame, uint32_t i) {
    if (frame->start == NULL || i >= frame->words) return VAL_UNIT;
    return debug_value_of_word(d, frame->start[3 + i]);
}

/* Field i of the frame's closure, which may be one of several in its block. */
static value environment(const struct debug_frame *frame, uint32_t i) {
    value env = frame->env;
    if (frame->start == NULL || !is_closure(env)) return VAL_UNIT;
    value block = block_start(env);
    size_t at = (size_t)(env - block) / sizeof(value) + i;
    return has_field(block, at) ? field(block, at) : VAL_UNIT;
}

/* ---- Values. ---- */

static void put_marshalled(struct debug *g, struct domain *d, value v) {
    /* The debugger's reader waits for a whole header, and refuses this one. */
    static const uint8_t refused[20];
    bool written = g->reason != DEBUG_TRAP &&
                   debug_put_marshalled(&g->connection, &g->values, d, g->options.customs, v,
                                        VM_MARSHAL_CLOSURES);
    if (!written) debug_put_bytes(&g->connection, refused, sizeof refused);
}

/* ---- Processes. ---- */

static void notify_libraries(struct domain *d) {
    if (d->vm->abi_attached) d->vm->options.abi->debugger_changed(d);
}

static void leave(struct vm_debugger *debugger, struct domain *d) {
    struct debug *g = (struct debug *)debugger;
    debug_close(&g->connection);
    debugger->in_use = false;
    notify_libraries(d);
}

static bool owns_descriptor(const struct vm_debugger *debugger, int fd) {
    return ((const struct debug *)debugger)->connection.fd == fd;
}

/* A program with several threads gets no checkpoint: a forked process has only one of them. */
static void checkpoint(struct debug *g, struct domain *d) {
    pid_t pid = d->vm->threads != NULL ? -1 : debug_fork(&g->connection, &g->checkpoints);
    if (pid != 0) debug_put_word(&g->connection, (uint32_t)pid);
}

/* ---- Requests. ---- */

static void answer_about_values(struct debug *g, struct domain *d, uint8_t request) {
    struct debug_connection *c = &g->connection;
    struct debug_values *values = &g->values;
    value v = VAL_UNIT;
    if (request != 'A') v = debug_get_value(c, values);
    switch (request) {
    case 'A': debug_put_value(c, values, g->accu); return;
    case 'H': debug_put_word(c, is_int(v) ? 0 : (uint32_t)header_of(v)); return;
    case 'F': debug_put_field(c, values, v, debug_get_word(c)); return;
    case 'M': put_marshalled(g, d, v); return;
    default: put_code_of(g, d, v);
    }
}

static void answer_about_frames(struct debug *g, struct domain *d, uint8_t request) {
    struct debug_connection *c = &g->connection;
    if (request == '0') g->selected = g->innermost;
    if (request == '0' || request == 'f') {
        put_frame(g, d, &g->selected);
        return;
    }
    if (request == 'S') {
        select_frame(g, d, get_depth(g, d->vm));
        return;
    }
    uint32_t word = debug_get_word(c);
    value globals = d->vm->global_data;
    switch (request) {
    case 'U': select_caller(g, d); return; /* word: the frame's size, which the verifier knows */
    case 'L': debug_put_value(c, &g->values, local(d, &g->selected, word)); return;
    case 'E': debug_put_value(c, &g->values, environment(&g->selected, word)); return;
    default:
        debug_put_value(c, &g->values, has_field(globals, word) ? field(globals, word) : VAL_UNIT);
    }
}

static void set_barrier(struct debug *g, struct domain *d) {
    uint32_t depth = get_depth(g, d->vm);
    bool none = d->vm->version->debugger_counts_fibers && depth == DEBUG_NO_FRAME;
    g->hooks.barrier = none ? -1 : (intptr_t)depth;
}

static void set_fork_mode(struct debug *g, struct domain *d) {
    g->hooks.follows_parent = debug_get_word(&g->connection) != 0;
    notify_libraries(d);
}

_Noreturn static void refuse(struct debug *g, uint8_t request) {
    char why[60];
    snprintf(why, sizeof why, "the debugger sent an unknown request: byte 0x%02x", request);
    debug_lost(&g->connection, why);
}

/* Performs a request. False: the program must continue. */
static bool perform(struct debug *g, struct domain *d, uint8_t request) {
    struct debug_connection *c = &g->connection;
    switch (request) {
    case 'e': patch(g, d, OP_EVENT); break;
    case 'B': patch(g, d, OP_BREAK); break;
    case 'i': patch(g, d, 0); break;
    case 'b': set_barrier(g, d); break;
    case 'K': set_fork_mode(g, d); break;
    case 'c': checkpoint(g, d); break;
    case 'w': debug_wait(&g->checkpoints); break;
    case 's': exit(0);
    case '0':
    case 'f':
    case 'S':
    case 'U':
    case 'L':
    case 'E':
    case 'G': answer_about_frames(g, d, request); break;
    case 'A':
    case 'H':
    case 'F':
    case 'M':
    case 'C': answer_about_values(g, d, request); break;
    case 'g': g->hooks.events_left = debug_get_word(c); return false;
    default: refuse(g, request);
    }
    return true;
}

/* ---- Reports. ---- */

static void report(struct debug *g, struct domain *d, value about) {
    static const uint8_t codes[] = {
        [DEBUG_EVENT] = 'e',       [DEBUG_BREAK] = 'b',         [DEBUG_TRAP] = 's',
        [DEBUG_EXITED] = 'x',      [DEBUG_UNCAUGHT] = 'u',      [DEBUG_EVENTS_ADDED] = 'D',
        [DEBUG_CODE_LOADED] = 'L', [DEBUG_CODE_UNLOADED] = 'U',
    };
    struct debug_connection *c = &g->connection;
    debug_put_byte(c, codes[g->reason]);
    if (g->reason == DEBUG_CODE_LOADED || g->reason == DEBUG_CODE_UNLOADED)
        debug_put_word(c, number_of(d->vm, (uint32_t)int_of_val(about)));
    if (g->reason == DEBUG_EVENTS_ADDED &&
        !debug_put_marshalled(c, &g->values, d, g->options.customs, about, 0))
        debug_lost(c, "the debug events of new code cannot be marshalled");
    debug_put_word(c, g->hooks.events_left);
    if (g->innermost.start != NULL) {
        put_frame(g, d, &g->innermost);
    } else if (d->vm->version->debugger_counts_fibers) {
        put_depth(g, d->vm, DEBUG_NO_FRAME);
        put_pc(g, 0, 0);
    } else {
        debug_put_word(c, 0);
        debug_put_word(c, UINT32_MAX);
        debug_put_word(c, 0);
    }
}

static void stop(struct vm_debugger *debugger, struct domain *d, enum vm_debug_reason reason,
                 value about) {
    struct debug *g = (struct debug *)debugger;
    const struct debug_frame none = {.start = NULL};
    bool at_instruction = reason == DEBUG_EVENT || reason == DEBUG_BREAK;
    g->reason = reason;
    g->accu = at_instruction ? d->accu : about;
    g->innermost = g->selected = at_instruction ? debug_innermost(d) : none;
    if (reason != DEBUG_BEGIN) report(g, d, about);
    while (perform(g, d, debug_get_byte(&g->connection))) {}
    g->connection.is_checkpoint = false;
    debug_forget_values(&g->values);
}

/* ---- The life of a connection. ---- */

struct vm_debugger *vm_debug_connect(const char *address, const struct vm_debug_options *options,
                                     char *why, size_t why_size) {
    struct debug *g = vm_must(calloc(1, sizeof *g));
    g->hooks.stop = stop;
    g->hooks.leave = leave;
    g->hooks.owns_descriptor = owns_descriptor;
    g->hooks.in_use = g->hooks.follows_parent = true;
    g->options = *options;
    g->connection.lost = options->lost;
    g->connection.fd = -1;
    bool found = debug_find_address(&g->connection, address, why, why_size);
    if (found && debug_open(&g->connection, true)) return &g->hooks;
    if (found) snprintf(why, why_size, "%s", strerror(errno));
    vm_debug_disconnect(&g->hooks);
    return NULL;
}

void vm_debug_disconnect(struct vm_debugger *debugger) {
    struct debug *g = (struct debug *)debugger;
    if (g == NULL) return;
    debug_close(&g->connection);
    debug_forget_values(&g->values);
    free(g->checkpoints.items);
    free(g);
}
