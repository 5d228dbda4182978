/* load.c - opens a profile of either format, by its first bytes. */
#include "memprof/report/load/load.h"

#include "memprof/format/reader.h"
#include "memprof/report/load/ctf.h"
#include "memprof/report/model/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char *report_read_file(const char *path, size_t *length, struct report_error *error) {
    unsigned char *bytes = NULL;
    size_t capacity = 0, got;
    FILE *file = fopen(path, "rb");
    *length = 0;
    if (file == NULL) {
        report_fail(error, path, "check the name and the rights of the file", "%s",
                    strerror(errno));
        return NULL;
    }
    do {
        report_grow(&bytes, &capacity, *length + (1 << 16), 1);
        got = fread(bytes + *length, 1, capacity - *length, file);
        *length += got;
    } while (got > 0);
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (failed == 0) return bytes;
    report_fail(error, path, "give a profile, not a folder or a device", "%s", strerror(failed));
    free(bytes);
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
