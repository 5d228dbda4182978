/* dis_internal.h - what the disassembler's three files share: dis.c prints the parts of a file,
 * dis_code.c instructions, dis_data.c constants. */
#ifndef BACTRIAN_VM_TEXT_DIS_INTERNAL_H
#define BACTRIAN_VM_TEXT_DIS_INTERNAL_H

#include "vm/base/arena.h"
#include "vm/image/image.h"
#include "vm/marshal/constants.h"

/* Deeper values than this are printed as bytes; the assembler reads at least as deep ones. */
enum { MAX_PRINTED_DEPTH = 500, MAX_READ_DEPTH = 1000 };

enum { MARK_JUMP = 1, MARK_CLOSURE = 2, MARK_START = 4 };

struct vm_debuginfo;
struct vm_debug_event;

struct disassembler {
    const struct vm_image *image;
    FILE *out;
    uint8_t *marks;       /* per word of code: the MARK_ bits */
    uint32_t tiled_words; /* instructions tile the code up to here */
    bool *first_of_name;  /* per primitive: no earlier one has its name */
    bool data_readable;   /* DATA is printed as constants, so globals have names */
    bool predefined;      /* its first slots are the usual exceptions */
    struct vm_constants data;
    uint32_t global_count;
    uint32_t *global_rows;               /* per global: its row in data */
    const char **global_names;           /* per global: as SYMB calls it, or NULL */
    struct vm_arena arena;               /* the names */
    struct vm_debuginfo *debug;          /* or NULL */
    const struct vm_debug_event *events; /* by ascending pc */
    size_t event_count, event;           /* event: the next one to be printed */
};

/* dis_code.c. Both: GC: never. */
/* Fills marks and tiled_words. */
void dis_mark_code(struct disassembler *d);
void dis_print_code(struct disassembler *d);

/* dis_data.c. All: GC: never. */
/* Reads DATA and SYMB as far as they can be printed readably. Fails: false, without memory. */
bool dis_read_globals(struct disassembler *d);
void dis_print_data(struct disassembler *d);
/* Prints the name under which the text knows a global. */
void dis_print_global_name(struct disassembler *d, uint32_t global);
/* Prints the value of row i on one line. */
void dis_print_value(FILE *out, const struct vm_constants *constants, uint32_t i);
/* Whether the value is shallow enough for that. */
bool dis_is_printable(const struct vm_constants *constants, uint32_t i);
/* A string between quotes, so that the assembler reads the same bytes. */
void dis_print_string(FILE *out, const uint8_t *bytes, size_t length);
/* Prints a name as it is, or between quotes if the text would take it for something else. */
void dis_print_name(FILE *out, const char *name);

#endif
