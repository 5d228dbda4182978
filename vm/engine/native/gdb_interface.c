/* gdb_interface.c - see gdb_interface.h; the interface itself is described in gdb's manual, "JIT
 * Compilation Interface". */
#include "vm/engine/native/gdb_interface.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/engine/native/compiler.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What gdb reads, and where it stops. ---- */

struct jit_code_entry {
    struct jit_code_entry *next, *previous;
    const char *file;
    uint64_t bytes;
};
enum jit_action { JIT_NO_ACTION, JIT_REGISTER, JIT_UNREGISTER };
struct jit_descriptor {
    uint32_t version, action;
    struct jit_code_entry *relevant, *first;
};

/* Weak, as other compilers in the process have the same names. */
extern struct jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);
__attribute__((weak)) struct jit_descriptor __jit_debug_descriptor = {.version = 1};
__attribute__((weak, noinline)) void __jit_debug_register_code(void) {
    __asm__ volatile("" ::: "memory");
}
static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;

static void notify(enum jit_action action, struct jit_code_entry *entry) {
    __jit_debug_descriptor.action = action;
    __jit_debug_descriptor.relevant = entry;
    __jit_debug_register_code();
}

/* ---- The files. ---- */

enum { MOST_NAME = 200, FRAME_BYTES = 128 };
enum section {
    SECTION_NONE,
    SECTION_TEXT,
    SECTION_FRAME,
    SECTION_SYMBOLS,
    SECTION_NAMES,
    SECTIONS
};

struct native_gdb_file {
    struct jit_code_entry entry;
    struct native_gdb_file *next;
    const void *start;
    struct elf {
        Elf64_Ehdr head;
        Elf64_Shdr sections[SECTIONS];
        Elf64_Sym symbols[2];
        uint8_t frame[FRAME_BYTES]; /* .eh_frame */
        char names[MOST_NAME + 64]; /* of sections and the symbol */
    } elf;
};

/* ---- .eh_frame ---- */

static uint8_t *put_number(uint8_t *p, unsigned n) {
    for (; n >= 0x80; n >>= 7) *p++ = (uint8_t)(n | 0x80);
    *p++ = (uint8_t)n;
    return p;
}

/* The length at `start` covers what lies up to p and padding. */
static uint8_t *end_entry(uint8_t *start, uint8_t *p) {
    while ((p - start) % 8 != 4) *p++ = 0; /* DW_CFA_nop */
    uint32_t length = (uint32_t)(p - start - 4);
    memcpy(start, &length, 4);
    return p;
}

/* One entry with the rule, one that says for which code it is, and the end. */
static void put_frame(uint8_t *out, const void *start, size_t bytes, unsigned pushed) {
    /* Numbers that DWARF gives the registers. */
    static const uint8_t dwarf[R_COUNT] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
    enum { DEF_CFA = 0x0c, OFFSET = 0x80, RETURN_ADDRESS = 16 };
    static const uint8_t head[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, RETURN_ADDRESS, DEF_CFA};
    memcpy(out, head, sizeof head);
    uint8_t *p = out + sizeof head;
    *p++ = dwarf[R_C_STACK];
    p = put_number(p, pushed != 0 ? pushed + 8 : 8 * (NATIVE_KEPT + 2));
    *p++ = OFFSET | RETURN_ADDRESS, *p++ = 1;
    for (unsigned i = 0; i < NATIVE_KEPT && pushed == 0; i++)
        *p++ = OFFSET | dwarf[native_kept[i]], *p++ = (uint8_t)(i + 2);
    uint8_t *entry = end_entry(out, p);
    uint32_t distance = (uint32_t)(entry + 4 - out);
    uint64_t range[2] = {(uintptr_t)start, bytes};
    memcpy(entry + 4, &distance, 4);
    memcpy(entry + 8, range, sizeof range);
    p = end_entry(entry, entry + 8 + sizeof range);
    ASSERT(p + 4 <= out + FRAME_BYTES); /* the zeros after it end the section */
}

/* ---- A file. ---- */

static uint32_t put_name(struct elf *elf, size_t *used, const char *name) {
    size_t at = *used;
    int n = snprintf(elf->names + at, sizeof elf->names - at, "%.*s", MOST_NAME, name);
    *used += (size_t)n + 1;
    return (uint32_t)at;
}

static void make_elf(struct elf *elf, const void *start, size_t bytes, const char *name,
                     unsigned pushed) {
    size_t used = 1;
    elf->head = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                                         ELFDATA2LSB, EV_CURRENT, ELFOSABI_NONE},
                             .e_type = ET_EXEC,
                             .e_machine = EM_X86_64,
                             .e_version = EV_CURRENT,
                             .e_shoff = offsetof(struct elf, sections),
                             .e_ehsize = sizeof(Elf64_Ehdr),
                             .e_shentsize = sizeof(Elf64_Shdr),
                             .e_shnum = SECTIONS,
                             .e_shstrndx = SECTION_NAMES};
    elf->sections[SECTION_TEXT] = (Elf64_Shdr){.sh_name = put_name(elf, &used, ".text"),
                                               .sh_type = SHT_NOBITS,
                                               .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                               .sh_addr = (uintptr_t)start,
                                               .sh_size = bytes,
                                               .sh_addralign = 16};
    elf->sections[SECTION_FRAME] = (Elf64_Shdr){.sh_name = put_name(elf, &used, ".eh_frame"),
                                                .sh_type = SHT_PROGBITS,
                                                .sh_flags = SHF_ALLOC,
                                                .sh_addr = (uintptr_t)elf->frame,
                                                .sh_offset = offsetof(struct elf, frame),
                                                .sh_size = sizeof elf->frame,
                                                .sh_addralign = 8};
    elf->sections[SECTION_SYMBOLS] = (Elf64_Shdr){.sh_name = put_name(elf, &used, ".symtab"),
                                                  .sh_type = SHT_SYMTAB,
                                                  .sh_offset = offsetof(struct elf, symbols),
                                                  .sh_size = sizeof elf->symbols,
                                                  .sh_link = SECTION_NAMES,
                                                  .sh_info = 1,
                                                  .sh_addralign = 8,
                                                  .sh_entsize = sizeof(Elf64_Sym)};
    elf->sections[SECTION_NAMES] = (Elf64_Shdr){.sh_name = put_name(elf, &used, ".strtab"),
                                                .sh_type = SHT_STRTAB,
                                                .sh_offset = offsetof(struct elf, names),
                                                .sh_size = sizeof elf->names,
                                                .sh_addralign = 1};
    elf->symbols[1] = (Elf64_Sym){.st_name = put_name(elf, &used, name),
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                  .st_shndx = SECTION_TEXT,
                                  .st_value = (uintptr_t)start,
                                  .st_size = bytes};
    put_frame(elf->frame, start, bytes, pushed);
}

void native_gdb_add(struct native_gdb_file **files, const void *start, size_t bytes,
                    const char *name, unsigned pushed) {
    struct native_gdb_file *file = calloc(1, sizeof *file);
    if (file == NULL) return;
    file->start = start;
    file->next = *files;
    *files = file;
    make_elf(&file->elf, start, bytes, name, pushed);
    struct jit_code_entry *entry = &file->entry;
    pthread_mutex_lock(&list_mutex);
    *entry = (struct jit_code_entry){.next = __jit_debug_descriptor.first,
                                     .file = (const char *)&file->elf,
                                     .bytes = sizeof file->elf};
    if (entry->next != NULL) entry->next->previous = entry;
    __jit_debug_descriptor.first = entry;
    notify(JIT_REGISTER, entry);
    pthread_mutex_unlock(&list_mutex);
}

static void unregister(struct jit_code_entry *entry) {
    pthread_mutex_lock(&list_mutex);
    if (entry->next != NULL) entry->next->previous = entry->previous;
    if (entry->previous != NULL) entry->previous->next = entry->next;
    else __jit_debug_descriptor.first = entry->next;
    notify(JIT_UNREGISTER, entry);
    pthread_mutex_unlock(&list_mutex);
}

void native_gdb_remove(struct native_gdb_file **files, const void *start) {
    while (*files != NULL) {
        struct native_gdb_file *file = *files;
        if (start != NULL && file->start != start) {
            files = &file->next;
            continue;
        }
        *files = file->next;
        unregister(&file->entry);
        free(file);
    }
}

/* Without stdio, whose code a program may not need otherwise. */
bool native_is_debugged(void) {
    static const char key[] = "\nTracerPid:\t";
    char text[1024]; /* the key is in the first 200 bytes */
    int status = vm_open_file("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (status < 0) return false;
    ssize_t n = read(status, text, sizeof text - 1);
    close(status);
    text[n > 0 ? n : 0] = '\0';
    const char *tracer = strstr(text, key);
    return tracer != NULL && tracer[sizeof key - 1] != '0';
}
