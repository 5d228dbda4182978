/* status.c - the texts of status.def. */
#include "vm/base/status.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const texts[VM_STATUS_COUNT][3] = {
#define STATUS(name, code, wrong, advice) [VM_##name] = {code, wrong, advice},
#include "vm/base/status.def"
#undef STATUS
};

enum vm_status vm_error_set(struct vm_error *error, enum vm_status status, const char *format,
                            ...) {
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->detail, sizeof error->detail, format, arguments);
    va_end(arguments);
    return status;
}

const char *vm_status_code(enum vm_status status) { return texts[status][0]; }
const char *vm_status_text(enum vm_status status) { return texts[status][1]; }
const char *vm_status_advice(enum vm_status status) { return texts[status][2]; }
