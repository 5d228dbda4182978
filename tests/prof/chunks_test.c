/* chunks_test.c - profiles with right checksums over wrong lengths, numbers, first records: each is
 * refused with its status, or read as far as it is right (PR1). */
#include "memprof/format/reader.h"
#include "tests/fuzz/profile_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

enum { START_AT = MP_FILE_HEADER_BYTES + MP_CHUNK_HEADER_BYTES, ROOM = 4096 };

static const uint8_t end[] = {MP_TAG_END, 0, 0, 0};

struct file {
    uint8_t bytes[ROOM];
    size_t length;
};

/* A file of two chunks: START, then the records. */
static struct file file_of(const uint8_t *records, size_t n) {
    struct file f = {.length = 0};
    uint8_t *made = profile_of_records(records, n, &f.length);
    assert_true(made != NULL && f.length <= ROOM);
    memcpy(f.bytes, made, f.length);
    free(made);
    return f;
}

static uint8_t *second_chunk(struct file *f) {
    uint8_t *first = f->bytes + MP_FILE_HEADER_BYTES;
    return first + MP_CHUNK_HEADER_BYTES + u32_at(first + MP_CHUNK_STORED);
}

static void seal_header(uint8_t *chunk) {
    put_u32(chunk + MP_CHUNK_HEADER_CRC, (uint32_t)crc32(0, chunk, MP_CHUNK_HEADER_CRC));
}

/* What a reader says of the whole file. */
static enum mp_read_status status_of(const struct file *f, struct mp_coverage *coverage) {
    struct mp_read_error error;
    struct mp_event event;
    struct mp_coverage found = {0};
    struct mp_reader *r = mp_reader_of_bytes(f->bytes, f->length, &error);
    if (r == NULL) return error.status;
    while (mp_reader_next(r, &event)) continue;
    mp_reader_coverage(r, &found);
    mp_reader_close(r);
    if (coverage != NULL) *coverage = found;
    return found.status;
}

static void a_file_is_closed_by_its_last_record(void **state) {
    struct mp_coverage coverage;
    struct file f = file_of(end, sizeof end);
    assert_int_equal(status_of(&f, &coverage), MP_READ_WHOLE);
    assert_int_equal(coverage.ignored_bytes, 0);
    f.length += put_plain_chunk(f.bytes + f.length, 2, end, sizeof end);
    assert_int_equal(status_of(&f, &coverage), MP_READ_WHOLE);
    assert_int_equal(coverage.ignored_bytes, MP_CHUNK_HEADER_BYTES + sizeof end);
    f = file_of(NULL, 0);
    assert_int_equal(status_of(&f, NULL), MP_READ_UNCLOSED);
}

/* One field of the second chunk's header is n. */
static enum mp_read_status with_field(size_t at, uint32_t n) {
    struct file f = file_of(end, sizeof end);
    uint8_t *chunk = second_chunk(&f);
    put_u32(chunk + at, n);
    seal_header(chunk);
    return status_of(&f, NULL);
}

static void a_header_that_lies_is_refused(void **state) {
    assert_int_equal(with_field(MP_CHUNK_SEQUENCE, 1), MP_READ_WHOLE);
    assert_int_equal(with_field(MP_CHUNK_SEQUENCE, 7), MP_READ_DAMAGED);
    assert_int_equal(with_field(MP_CHUNK_STORED, 1u << 30), MP_READ_DAMAGED);
    assert_int_equal(with_field(MP_CHUNK_STORED, 1000), MP_READ_CUT);
    assert_int_equal(with_field(MP_CHUNK_BYTES, MP_CHUNK_MAX_BYTES + 1), MP_READ_DAMAGED);
    /* Plain records are stored as they are: the two lengths are one. */
    assert_int_equal(with_field(MP_CHUNK_BYTES, sizeof end + 1), MP_READ_DAMAGED);
    for (unsigned encoding = 0; encoding < 256; encoding++) {
        struct file f = file_of(end, sizeof end);
        uint8_t *chunk = second_chunk(&f);
        chunk[MP_CHUNK_ENCODING] = (uint8_t)encoding;
        seal_header(chunk);
        assert_int_equal(status_of(&f, NULL),
                         encoding == MP_ENCODING_NONE ? MP_READ_WHOLE : MP_READ_DAMAGED);
    }
}

static void packed_records_have_the_length_that_was_said(void **state) {
    for (int more = -1; more <= 1; more++) {
        struct file f = file_of(end, sizeof end);
        uint8_t *chunk = second_chunk(&f);
        uint8_t *to = chunk + MP_CHUNK_HEADER_BYTES;
        size_t n = ZSTD_compress(to, ROOM - (size_t)(to - f.bytes), end, sizeof end, 1);
        seal_plain_chunk(chunk, n);
        chunk[MP_CHUNK_ENCODING] = MP_ENCODING_ZSTD;
        put_u32(chunk + MP_CHUNK_BYTES, (uint32_t)((int)sizeof end + more));
        seal_header(chunk);
        f.length = (size_t)(to - f.bytes) + n;
        assert_int_equal(status_of(&f, NULL), more == 0 ? MP_READ_WHOLE : MP_READ_DAMAGED);
    }
}

/* The bytes from `at` of START on are others. */
static enum mp_read_status with_start(size_t at, const void *bytes, size_t n) {
    struct file f = file_of(end, sizeof end);
    memcpy(f.bytes + START_AT + at, bytes, n);
    seal_plain_chunk(f.bytes + MP_FILE_HEADER_BYTES, 21);
    return status_of(&f, NULL);
}

static void the_first_record_says_what_can_be(void **state) {
    static const double rates[] = {0, -0.5, 1.5, 1e300, __builtin_inf(), __builtin_nan("")};
    static const double half = 0.5;
    assert_int_equal(with_start(2, &half, sizeof half), MP_READ_WHOLE);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        assert_int_equal(with_start(2, &rates[i], sizeof *rates), MP_READ_DAMAGED);
    assert_int_equal(with_start(0, &(uint8_t){MP_TAG_END}, 1), MP_READ_DAMAGED);
    assert_int_equal(with_start(1, &(uint8_t){32}, 1), MP_READ_DAMAGED);
    /* A number of ten bytes, for START's time, then too few fields. */
    static const uint8_t late[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40};
    struct file f = file_of(end, sizeof end);
    uint8_t *start = f.bytes + START_AT;
    memmove(start + 14 + sizeof late, start + 15, f.length - START_AT - 15);
    memcpy(start + 14, late, sizeof late);
    f.length += sizeof late - 1;
    seal_plain_chunk(f.bytes + MP_FILE_HEADER_BYTES, 21 + sizeof late - 1);
    assert_int_equal(status_of(&f, NULL), MP_READ_DAMAGED);
    for (size_t n = 0; n < 21; n++) {
        f = file_of(end, sizeof end);
        seal_plain_chunk(f.bytes + MP_FILE_HEADER_BYTES, n);
        f.length = START_AT + n;
        assert_int_equal(status_of(&f, NULL), MP_READ_DAMAGED);
    }
}

static void the_file_s_header_is_looked_at_first(void **state) {
    struct file f = file_of(end, sizeof end);
    f.bytes[8]++;
    assert_int_equal(status_of(&f, NULL), MP_READ_DAMAGED);
    put_u32(f.bytes + 12, (uint32_t)crc32(0, f.bytes, 12));
    assert_int_equal(status_of(&f, NULL), MP_READ_NEWER);
    f.bytes[0]++;
    assert_int_equal(status_of(&f, NULL), MP_READ_FOREIGN);
    f = file_of(end, sizeof end);
    for (size_t n = 0; n < START_AT + 21; n++) {
        f.length = n;
        enum mp_read_status wanted = n < 8                      ? MP_READ_FOREIGN
                                     : n < MP_FILE_HEADER_BYTES ? MP_READ_DAMAGED
                                                                : MP_READ_CUT;
        assert_int_equal(status_of(&f, NULL), wanted);
    }
}

/* Byte by byte, with only those bytes at hand that were not read yet. */
static void a_file_that_grows_is_read_on(void **state) {
    static const uint8_t resident[] = {MP_TAG_RESIDENT, 1, 5};
    struct mp_read_error error;
    struct mp_coverage coverage;
    struct mp_event event;
    struct file f = file_of(resident, sizeof resident);
    const size_t first = (size_t)(second_chunk(&f) - f.bytes);
    f.length += put_plain_chunk(f.bytes + f.length, 2, resident, sizeof resident);
    f.length += put_plain_chunk(f.bytes + f.length, 3, end, sizeof end);
    struct mp_reader *r = mp_reader_of_bytes(f.bytes, first, &error);
    unsigned events = 0;
    uint64_t time_us = 0;
    assert_non_null(r);
    for (size_t n = first; n <= f.length; n++) {
        mp_reader_coverage(r, &coverage);
        uint64_t from = coverage.read_bytes;
        mp_reader_extend(r, f.bytes + from, from, n - from);
        while (mp_reader_next(r, &event)) {
            events++;
            time_us = event.time_us;
        }
        mp_reader_coverage(r, &coverage);
        assert_true(coverage.status == (n == f.length ? MP_READ_WHOLE : MP_READ_UNCLOSED) ||
                    (coverage.status == MP_READ_CUT && n < f.length));
    }
    assert_int_equal(events, 3);
    assert_int_equal(time_us, 2);
    mp_reader_close(r);
}

/* What was added to a damaged file is not read. */
static void a_damaged_file_that_grows_stays_damaged(void **state) {
    struct mp_read_error error;
    struct mp_coverage coverage;
    struct mp_event event;
    struct file f = file_of(end, sizeof end);
    uint8_t *chunk = second_chunk(&f);
    chunk[0]++;
    struct mp_reader *r = mp_reader_of_bytes(f.bytes, f.length, &error);
    assert_non_null(r);
    assert_false(mp_reader_next(r, &event));
    chunk[0]--;
    mp_reader_extend(r, f.bytes, 0, f.length);
    assert_false(mp_reader_next(r, &event));
    mp_reader_coverage(r, &coverage);
    assert_int_equal(coverage.status, MP_READ_DAMAGED);
    mp_reader_close(r);
}

static void no_reader_may_be_closed(void **state) { mp_reader_close(NULL); }

static void each_status_has_words_of_its_own(void **state) {
    for (int i = MP_READ_WHOLE; i <= MP_READ_NO_MEMORY; i++)
        for (int j = MP_READ_WHOLE; j < i; j++)
            assert_string_not_equal(mp_read_status_text(i), mp_read_status_text(j));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_closed_by_its_last_record),
        cmocka_unit_test(a_header_that_lies_is_refused),
        cmocka_unit_test(packed_records_have_the_length_that_was_said),
        cmocka_unit_test(the_first_record_says_what_can_be),
        cmocka_unit_test(the_file_s_header_is_looked_at_first),
        cmocka_unit_test(a_file_that_grows_is_read_on),
        cmocka_unit_test(a_damaged_file_that_grows_stays_damaged),
        cmocka_unit_test(no_reader_may_be_closed),
        cmocka_unit_test(each_status_has_words_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
