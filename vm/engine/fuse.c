/* fuse.c - the tables of fuse.h. */
#include "vm/engine/fuse.h"

#include <vm/fused_forms.inc>
