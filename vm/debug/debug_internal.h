/* debug_internal.h - what the files of this room share. */
#ifndef BACTRIAN_VM_DEBUG_DEBUG_INTERNAL_H
#define BACTRIAN_VM_DEBUG_DEBUG_INTERNAL_H

#include "gc/containers.h"
#include "gc/value.h"
#include "vm/debug/debug.h"
#include "vm/state/debugger.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

struct domain;

/* ---- connection.c: bytes and numbers. Output is buffered, and sent before the next read that
 * waits. A failure ends the process. ---- */

struct debug_connection {
    int fd; /* -1: closed */
    struct sockaddr_storage address;
    socklen_t address_size;
    void (*lost)(const char *why) __attribute__((noreturn));
    bool is_checkpoint; /* no `g` came since the process was forked: ends without a message */
    size_t read, received, written;
    uint8_t in[4096], out[4096];
};

/* Connects and introduces the process: first, with the word -1 before its pid, or as a checkpoint.
 * Needs: the address was found. Fails: false, errno. */
bool debug_open(struct debug_connection *c, bool first);
/* Finds the address. Fails: false, and a text in why. */
bool debug_find_address(struct debug_connection *c, const char *address, char *why, size_t size);
void debug_close(struct debug_connection *c);
uint8_t debug_get_byte(struct debug_connection *c);
uint32_t debug_get_word(struct debug_connection *c); /* 4 bytes, big-endian */
uint64_t debug_get_raw(struct debug_connection *c);  /* 8 bytes in the order of the host */
void debug_put_bytes(struct debug_connection *c, const void *bytes, size_t n);
void debug_put_byte(struct debug_connection *c, uint8_t byte);
void debug_put_word(struct debug_connection *c, uint32_t word);
_Noreturn void debug_lost(struct debug_connection *c, const char *why);

/* ---- values.c: values, and references to them that the debugger holds. ---- */

/* The blocks that the debugger knows. None moves before it is emptied (DG1). */
struct debug_values {
    struct word_map known; /* by address; the words mean nothing */
};

/* Any word of the stack or of a block as a value; VAL_UNIT if it is not one. */
value debug_value_of_word(struct domain *d, value word);
void debug_put_value(struct debug_connection *c, struct debug_values *values, value v);
/* What the debugger sent: a block that it knows, or an integer; else VAL_UNIT. */
value debug_get_value(struct debug_connection *c, const struct debug_values *values);
void debug_forget_values(struct debug_values *values);
/* Answers: field i of v; the marshalled v. */
void debug_put_field(struct debug_connection *c, struct debug_values *values, value v, uint32_t i);
/* False: v cannot be marshalled; nothing was sent. GC: never, except where a C library's function
 * raises: then false, and values is empty. */
bool debug_put_marshalled(struct debug_connection *c, struct debug_values *values, struct domain *d,
                          const struct vm_marshal_customs *customs, value v, unsigned flags);

/* ---- selection.c: the selected frame. ---- */

#define DEBUG_NO_FRAME UINT32_MAX

struct debug_frame {
    const struct vm_fiber *in; /* in whose buffer the frame is; NULL: it is on the stack */
    value *start;   /* three words before its locals: the loop's saved registers of the innermost
                       frame, the return frame below another one; NULL: no frame */
    uint32_t words; /* after these: locals, temporaries, arguments */
    value env;
    uint64_t gpc; /* of the next instruction; VM_NO_GPC: of the machine's own code, where a
                     callback from C ends */
};

/* The innermost frame of d, which is stopped at an instruction (E2). GC: never. */
struct debug_frame debug_innermost(struct domain *d);
/* The caller's frame. start NULL: there is none. GC: never. */
struct debug_frame debug_caller(struct domain *d, const struct debug_frame *frame);
/* The words from a frame's start to the base of the stack (vm_fiber_depth). */
uint32_t debug_depth(struct domain *d, const struct debug_frame *frame);

/* ---- checkpoints.c: copies of the process. ---- */

/* The pids of those of this process. */
struct debug_checkpoints VECTOR(pid_t);

/* Forks. Returns the child's pid, -1 on failure; 0 in the child, which has its own connection. */
pid_t debug_fork(struct debug_connection *c, struct debug_checkpoints *checkpoints);
/* Waits until a checkpoint of this process has ended. */
void debug_wait(struct debug_checkpoints *checkpoints);

#endif
