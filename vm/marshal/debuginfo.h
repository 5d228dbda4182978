/* debuginfo.h - from a code position to a source location.
 *
 * ocamlc -g writes events to section DBUG: a position in the code, the kind of point, the source
 * range, the function's name. The program's table is opened when the first location is asked for,
 * finds the events of a compilation unit with the first location in it, and reads those that are
 * asked for; code loaded at run time has a table of all its events.
 *
 * DI1  The events of a table are sorted by pc, then line, start and end column.
 * DI2  A location belongs to a pc if its event is at pc, or at pc + 1 (the compiler moves an event
 *      past a following PUSH); the last of several events at pc counts, the first at pc + 1.
 * DI3  A text that the events of a list share is kept once, and lives as long as the table.
 * DI4  The event of a pc is in its unit: the last one that starts at or before it.
 * DI5  The rows of a marshalled list are sorted by descending pc, else as in the list. */
#ifndef BACTRIAN_VM_MARSHAL_DEBUGINFO_H
#define BACTRIAN_VM_MARSHAL_DEBUGINFO_H

#include "gc/value.h"
#include "vm/base/arena.h"
#include "vm/base/status.h"

struct vm;
struct vm_debuginfo;

struct vm_debug_event {
    uint32_t pc;                   /* words from the start of the code */
    int32_t line, start, end;      /* columns count from the start of the first line */
    int32_t end_line, end_column;  /* the same end, from the start of its line */
    const char *file, *definition; /* DI3 */
};

struct vm_location {
    const char *file, *definition;
    int line, start, end;
    int end_line, end_column;
};

/* Values of vm->debug_status (Printexc's). The failures are those of the file that replaces the
 * program's debug information (version.def, debug_file_replaces): the program's own stays open. */
enum vm_debug_status {
    VM_DEBUG_WRONG_MAGIC = -3,
    VM_DEBUG_DAMAGED = -2,
    VM_DEBUG_NO_FILE = -1,
    VM_DEBUG_UNREAD = 0,
    VM_DEBUG_READ = 1
};

/* Reads a DBUG section of n bytes completely. Fails: NULL and *error. GC: never. */
struct vm_debuginfo *vm_debuginfo_read(const uint8_t *bytes, size_t n, struct vm_error *error);
/* The same for events as the compiler passes them to caml_reify_bytecode: an array of lists of
 * events. NULL: v is not of that shape, or there is no memory. GC: never. */
struct vm_debuginfo *vm_debuginfo_of_events(value v);
void vm_debuginfo_delete(struct vm_debuginfo *info); /* NULL is fine */

/* The debug events that the program's debug information has of a unit, as the compiler has made
 * them. */
struct vm_debug_events {
    uint64_t start, end; /* the gpcs of the unit's code */
    value list;
    size_t bytes; /* of it, marshalled: there are fewer events */
};

/* Reads the events of the unit that a gpc lies in into an arena, or the list of the folders in
 * which it was compiled. Their shape is not checked. Needs: the program's table was opened. False:
 * there are none, they are damaged, or there is no memory. GC: never. */
bool vm_debuginfo_read_events(struct vm *vm, uint64_t gpc, struct vm_arena *arena,
                              struct vm_debug_events *out);
bool vm_debuginfo_read_folders(struct vm *vm, uint64_t gpc, struct vm_arena *arena, value *out);

/* All events of a table that was read whole (DI1). GC: never. */
const struct vm_debug_event *vm_debuginfo_events(const struct vm_debuginfo *info, size_t *count);

/* Opens the program's table if it isn't yet, from its image, or if that has none, or in any case
 * (version.def, debug_file_replaces), from the file that CAML_DEBUG_FILE names, and sets
 * vm->debug_status. whole: reads all units too. If it is damaged, a warning is printed and the
 * affected locations are missing. GC: never. */
void vm_debuginfo_open(struct vm *vm, bool whole);
/* Frees the tables of the program and of code loaded at run time. GC: never. */
void vm_debuginfo_free(struct vm *vm);

/* The location of a global pc (DI2, DI4). Its texts live as long as the table. False: unknown.
 * GC: never. */
bool vm_debuginfo_find(struct vm *vm, uint64_t gpc, struct vm_location *out);
/* The last location before a global pc, from `first` on. False: there is none. GC: never. */
bool vm_debuginfo_find_before(struct vm *vm, uint64_t gpc, uint64_t first, struct vm_location *out);

#endif
