/* customs.c - the list of the built-in kinds of custom blocks. Channels are not in it: they can
 * neither be written nor read. */
#include "stdlib/customs.h"

#include "stdlib/bigarray.h"

static const struct custom_kind kinds[] = {
    {{&bigarray_ops, bigarray_read}, bigarray_write},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

const struct vm_custom_reader *customs_find_reader(void *context, const char *identifier) {
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i].reader.ops->identifier, identifier) == 0) return &kinds[i].reader;
    return NULL;
}

const struct custom_kind *customs_find(const struct gc_custom_ops *ops) {
    for (int i = 0; i < KIND_COUNT; i++)
        if (kinds[i].reader.ops == ops) return &kinds[i];
    return NULL;
}
