/* load.c - reads a profile of either format, recognised by its first bytes. */
#include "memprof/report/load/load.h"

#include "memprof/format/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char *report_read_file(const char *path, size_t *length, struct report_error *error) {
    REPORT_VECTOR(unsigned char) bytes = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        report_fail(error, path, "check the name and the permissions of the file", "%s",
                    strerror(errno));
        return NULL;
    }
    for (size_t got = 1; got > 0; bytes.count += got) {
        report_reserve(&bytes, bytes.count + (1 << 16));
        got = fread(bytes.at + bytes.count, 1, bytes.capacity - bytes.count, file);
    }
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    bytes.at[bytes.count] = 0;
    *length = bytes.count;
    if (failed == 0) return bytes.at;
    report_fail(error, path, "give a profile, not a folder or a device", "%s", strerror(failed));
    free(bytes.at);
    return NULL;
}

struct report_model *report_load(const char *path, struct report_error *error) {
    size_t length;
    struct report_model *model = NULL;
    unsigned char *bytes = report_read_file(path, &length, error);
    if (bytes == NULL) return NULL;
    if (length == 0) {
        report_fail(error, path, "record the program again", "the file is empty");
    } else if (report_ctf_recognises(bytes, length)) {
        model = report_ctf_read(bytes, length, NULL, NULL, error);
        snprintf(error->subject, sizeof error->subject, "%s", path);
    } else if (mp_reader_recognises(bytes, length)) {
        model = report_load_own(path, bytes, length, error);
    } else {
        report_fail(error, path, "give a file that `bactrian prof record` or memtrace has written",
                    "not a memory profile");
    }
    free(bytes);
    return model;
}
