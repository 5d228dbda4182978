/* code_memory.c - see code_memory.h. */
#include "vm/engine/native/code_memory.h"

#include "gc/assert.h"

#include <sys/mman.h>
#include <unistd.h>

bool code_memory_create(struct code_memory *m) {
    *m = (struct code_memory){.owner = getpid()};
    int fd = memfd_create("bactrian code", MFD_CLOEXEC);
    if (fd < 0) return false;
    void *writable = MAP_FAILED, *executable = MAP_FAILED;
    if (ftruncate(fd, CODE_MEMORY_BYTES) == 0) {
        writable = mmap(NULL, CODE_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        executable = mmap(NULL, CODE_MEMORY_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    }
    close(fd);
    m->writable = writable == MAP_FAILED ? NULL : writable;
    m->executable = executable == MAP_FAILED ? NULL : executable;
    if (m->writable != NULL && m->executable != NULL) return true;
    code_memory_destroy(m);
    return false;
}

void code_memory_destroy(struct code_memory *m) {
    if (m->writable != NULL) munmap(m->writable, CODE_MEMORY_BYTES);
    if (m->executable != NULL) munmap((void *)m->executable, CODE_MEMORY_BYTES);
    *m = (struct code_memory){.writable = NULL};
}

bool code_memory_is_own(const struct code_memory *m) {
    ASSERT(m->used <= CODE_MEMORY_BYTES);
    return m->writable != NULL && m->owner == getpid();
}
