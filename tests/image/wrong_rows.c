/* wrong_rows.c - the table of instructions without a flag that the loop's bodies need. Linked into
 * the command line in place of vm/code/opcodes.c, for wrong_rows_abort.py. */
#include "vm/code/opcodes.h"

#if defined(DENY_ALLOCATES)
#define OP_ALLOCATES 0
#elif defined(DENY_CALLS)
#define OP_CALLS 0
#elif defined(DENY_POLLS)
#define OP_POLLS 0
#elif defined(DENY_PRIMITIVE)
#define OP_PRIMITIVE 0
#endif
#include "vm/code/opcodes.c"
