/* memory_test.c - readers of foreign bytes without memory: for each input, each request in turn is
 * refused. A reader then reports it, or works without and gives the usual result; nothing leaks.
 *
 *   image_memory_test CORPUS      the folder with the fuzzers' inputs, by target
 *
 * The linker sends this program's requests to the functions __wrap_... (meson.build). */
#include "gc/containers.h"
#include "memprof/format/reader.h"
#include "vm/base/arena.h"
#include "vm/base/os.h"
#include "vm/code/verify.h"
#include "vm/code/words.h"
#include "vm/image/image.h"
#include "vm/marshal/constants.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/reader.h"
#include "vm/text/basm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_BYTES = 1 << 16, MOST_BLOCKS = 1 << 16 };
/* What a job gives besides statuses. */
enum { REFUSED = VM_STATUS_COUNT, ACCEPTED };

static struct {
    long left;      /* requests until one is refused; 0: none is */
    bool all_later; /* all later ones are refused, too */
    size_t count;
    void *blocks[MOST_BLOCKS]; /* what the readers hold */
} memory;

static const char *corpus, *assembly;
static FILE *nowhere;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t m);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t m);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);
void *__real_vm_reserve(size_t *bytes, size_t least);
void __real_vm_release(void *p, size_t bytes);
void *__wrap_vm_reserve(size_t *bytes, size_t least);
void __wrap_vm_release(void *p, size_t bytes);

static bool refused(void) {
    if (memory.left == 0) return false;
    if (memory.left > 1) memory.left--;
    else {
        memory.left = memory.all_later ? 1 : 0;
        return true;
    }
    return false;
}

static void *held(void *p) {
    if (p == NULL || memory.count == MOST_BLOCKS) abort();
    return memory.blocks[memory.count++] = p;
}

/* Blocks of the C library, which are freed here, are not among those that were asked for here. */
static void forget(void *p) {
    for (size_t i = memory.count; i-- > 0;)
        if (memory.blocks[i] == p) {
            memory.blocks[i] = memory.blocks[--memory.count];
            return;
        }
}

void *__wrap_malloc(size_t n) { return refused() ? NULL : held(__real_malloc(n > 0 ? n : 1)); }
void *__wrap_calloc(size_t n, size_t m) { return refused() ? NULL : held(__real_calloc(n, m)); }
void *__wrap_realloc(void *p, size_t n) {
    if (refused()) return NULL;
    forget(p);
    return held(__real_realloc(p, n));
}
void __wrap_free(void *p) {
    forget(p);
    __real_free(p);
}
void *__wrap_vm_reserve(size_t *bytes, size_t least) {
    return refused() ? NULL : held(__real_vm_reserve(bytes, least));
}
void __wrap_vm_release(void *p, size_t bytes) {
    forget(p);
    __real_vm_release(p, bytes);
}

/* ---- The jobs: each reads n bytes and gives a status, or one of the values above. ---- */

static int look_at(struct vm_image *image) {
    struct vm_error error;
    struct vm_words words;
    struct vm_verify_input in = {
        .words = &words,
        .version = image->version,
        .global_count = 1000,
        .primitive_count = image->primitive_count,
    };
    int status = VM_NO_MEMORY;
    if (vm_words_make(&words, image->code, image->code_words)) {
        struct vm_verifier *v = vm_verifier_create(&in, &error);
        status = v == NULL ? error.status : vm_verify_all(v, &error);
        vm_verifier_free(v);
        vm_words_free(&words);
    }
    enum vm_status printed = vm_disassemble(image, nowhere, &error);
    vm_image_close(image);
    return printed == VM_NO_MEMORY ? printed : status;
}

static int assemble(const uint8_t *bytes, size_t n) {
    struct vm_image image;
    struct vm_error error;
    enum vm_status status = vm_assemble((const char *)bytes, n, &image, &error);
    return status == VM_OK ? look_at(&image) : (int)status;
}

static int open_image(const uint8_t *bytes, size_t n) {
    struct vm_image image;
    struct vm_error error;
    enum vm_status status = vm_image_from_memory(bytes, n, &image, &error);
    return status == VM_OK ? look_at(&image) : (int)status;
}

static int read_debug(const uint8_t *bytes, size_t n) {
    struct vm_error error;
    struct vm_debuginfo *info = vm_debuginfo_read(bytes, n, &error);
    vm_debuginfo_delete(info);
    return info != NULL ? ACCEPTED : REFUSED;
}

static int unmarshal(const uint8_t *bytes, size_t n) {
    struct vm_arena arena = {0};
    struct vm_error error;
    size_t used;
    value v;
    int status = vm_marshal_read_arena(bytes, n, &arena, &v, &used, &error);
    vm_arena_free(&arena);
    return status;
}

static int read_rows(const uint8_t *bytes, size_t n) {
    struct vm_constants rows;
    bool good = vm_constants_read(bytes, n, &rows);
    vm_constants_free(&rows);
    return good ? ACCEPTED : REFUSED;
}

static int read_profile(const uint8_t *bytes, size_t n) {
    struct mp_read_error error;
    struct mp_coverage coverage;
    struct mp_event event;
    struct mp_reader *r = mp_reader_of_bytes(bytes, n, &error);
    if (r == NULL) return error.status == MP_READ_NO_MEMORY ? VM_NO_MEMORY : REFUSED;
    while (mp_reader_next(r, &event)) continue;
    mp_reader_coverage(r, &coverage);
    mp_reader_close(r);
    return coverage.status == MP_READ_NO_MEMORY ? VM_NO_MEMORY : ACCEPTED;
}

/* ---- All inputs of a folder. ---- */

typedef int job(const uint8_t *bytes, size_t n);

static void starve(const char *name, job *work, const uint8_t *bytes, size_t n) {
    int usual = work(bytes, n);
    size_t before = memory.count;
    for (int all_later = 0; all_later < 2; all_later++) {
        bool over = false;
        for (long at = 1; !over; at++) {
            memory.left = at;
            memory.all_later = all_later;
            int got = work(bytes, n);
            over = all_later ? memory.left > 1 : memory.left > 0;
            memory.left = 0;
            bool reported = got == VM_NO_MEMORY || got == REFUSED; /* some jobs have no status */
            if (got != usual && !reported) fail_msg("%s: %d when request %ld fails", name, got, at);
            if (memory.count != before) fail_msg("%s: request %ld leaves a block", name, at);
        }
    }
}

/* skip: bytes at the start that are for the fuzzer; where the first of them has one of the bits in
 * mask, it makes something else of the input. */
static void each_file(const char *folder, size_t skip, unsigned mask, job *work) {
    static uint8_t bytes[MOST_BYTES];
    char path[PATH_MAX];
    DIR *inputs = opendir(folder);
    assert_non_null(inputs);
    int tried = 0;
    for (struct dirent *entry; (entry = readdir(inputs)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (file == NULL) continue;
        size_t n = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        if (n <= skip || (skip > 0 && bytes[0] & mask)) continue;
        starve(path, work, bytes + skip, n - skip);
        tried++;
    }
    closedir(inputs);
    assert_true(tried > 5);
}

static void each_input(const char *target, size_t skip, unsigned mask, job *work) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/%s", corpus, target);
    each_file(folder, skip, mask, work);
}

static void texts(void **state) {
    each_input("text", 0, 0, assemble);
    each_file(assembly, 0, 0, assemble);
}
static void images(void **state) { each_input("image", 0, 0, open_image); }
static void debug_information(void **state) { each_input("debuginfo", 1, 3, read_debug); }
static void marshalled_values(void **state) { each_input("unmarshal", 1, 1, unmarshal); }

/* Blocks in the first fields of blocks: the rest of each waits on a stack that outgrows the arena's
 * first chunk. */
static void a_deep_value(void **state) {
    enum { DEPTH = IF_SMALL_TABLES(50, 3000), HEADER_BYTES = 20, PAIR = 0xA0, ZERO = 0x40 };
    const uint32_t words[] = {0x8495A6BE, 2 * DEPTH + 1, DEPTH, 3 * DEPTH, 3 * DEPTH};
    uint8_t bytes[HEADER_BYTES + 2 * DEPTH + 1];
    for (int i = 0; i < HEADER_BYTES; i++) bytes[i] = (uint8_t)(words[i / 4] >> (24 - i % 4 * 8));
    memset(bytes + HEADER_BYTES, PAIR, DEPTH);
    memset(bytes + HEADER_BYTES + DEPTH, ZERO, DEPTH + 1);
    assert_int_equal(unmarshal(bytes, sizeof bytes), VM_OK);
    starve("deep", unmarshal, bytes, sizeof bytes);
}

static void rows_of_constants(void **state) { each_input("unmarshal", 1, 1, read_rows); }
static void profiles(void **state) { each_input("profile", 1, 1, read_profile); }

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(images),
        cmocka_unit_test(marshalled_values),
        cmocka_unit_test(a_deep_value),
        cmocka_unit_test(debug_information),
        cmocka_unit_test(rows_of_constants),
        cmocka_unit_test(profiles),
    };
    if (argc != 3) return 2;
    corpus = argv[1];
    assembly = argv[2];
    nowhere = fopen("/dev/null", "w");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
