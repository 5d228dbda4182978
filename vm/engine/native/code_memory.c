/* code_memory.c - see code_memory.h. */
#include "vm/engine/native/code_memory.h"

#include "gc/assert.h"
#include "vm/base/os.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static void *map(int protection, int flags, int fd) {
    void *made = mmap(NULL, CODE_MEMORY_BYTES, protection, MAP_SHARED | flags, fd, 0);
    return made == MAP_FAILED ? NULL : made;
}

/* The second mapping is a duplicate of the first. */
static void map_anonymous(struct code_memory *m) {
    m->writable = map(PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1);
    if (m->writable == NULL) return;
    void *again = mremap(m->writable, 0, CODE_MEMORY_BYTES, MREMAP_MAYMOVE);
    if (again == MAP_FAILED) return;
    if (mprotect(again, CODE_MEMORY_BYTES, PROT_READ | PROT_EXEC) == 0) m->executable = again;
    else munmap(again, CODE_MEMORY_BYTES);
}

/* The seals leave the first mapping as the only way to write: not /proc/PID/map_files either. */
static void map_file(struct code_memory *m) {
    const int seals = F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    int fd = memfd_create("bactrian code", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return;
    if (ftruncate(fd, CODE_MEMORY_BYTES) == 0) {
        m->writable = map(PROT_READ | PROT_WRITE, 0, fd);
        if (fcntl(fd, F_ADD_SEALS, seals) == 0) m->executable = map(PROT_READ | PROT_EXEC, 0, fd);
    }
    close(fd);
}

bool code_memory_create(struct code_memory *m, bool anonymous) {
    *m = (struct code_memory){.owner = getpid()};
    (anonymous ? map_anonymous : map_file)(m);
    if (m->writable != NULL && m->executable != NULL) return true;
    code_memory_destroy(m);
    return false;
}

void code_memory_destroy(struct code_memory *m) {
    if (m->writable != NULL) munmap(m->writable, CODE_MEMORY_BYTES);
    if (m->executable != NULL) munmap((void *)m->executable, CODE_MEMORY_BYTES);
    *m = (struct code_memory){.writable = NULL};
}

void code_memory_written(const struct code_memory *m) { vm_drop_pages(m->writable, m->used); }

bool code_memory_is_own(const struct code_memory *m) {
    ASSERT(m->used <= CODE_MEMORY_BYTES);
    return m->writable != NULL && m->owner == getpid();
}
