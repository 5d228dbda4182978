/* status.h - why an input (an image, marshalled data, bytecode as text) was refused. */
#ifndef BACTRIAN_VM_BASE_STATUS_H
#define BACTRIAN_VM_BASE_STATUS_H

enum vm_status {
#define STATUS(name, code, wrong, advice) VM_##name,
#include "vm/base/status.def"
#undef STATUS
    VM_STATUS_COUNT
};

/* detail: where and with which numbers, one line without the file's name, e.g.
 * "CODE+0x1a4 (APPTERM2): slot size 7, frame height 6". */
struct vm_error {
    enum vm_status status;
    char detail[256];
};

/* Fills *error and returns status; the format is printf's. */
enum vm_status vm_error_set(struct vm_error *error, enum vm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *vm_status_code(enum vm_status status);
const char *vm_status_text(enum vm_status status);
const char *vm_status_advice(enum vm_status status);

#endif
