/* newest.c - the recording that a verb without a file reads. */
#include "memprof/format/output.h"
#include "memprof/format/record.h"
#include "memprof/report/command/command.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 100000 };

char *report_newest_recording(void) {
    DIR *folder = opendir(".");
    struct timespec newest = {0, 0};
    char *found = NULL;
    if (folder == NULL) return NULL;
    const struct dirent *entry;
    for (int i = 0; i < MOST_FILES && (entry = readdir(folder)) != NULL; i++) {
        struct stat status;
        if (lstat(entry->d_name, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
            continue;
        const struct timespec time = status.st_mtim;
        bool newer = time.tv_sec != newest.tv_sec ? time.tv_sec > newest.tv_sec
                                                  : time.tv_nsec > newest.tv_nsec;
        if ((found != NULL && !newer) || !mp_starts_as(entry->d_name, MP_FILE_MAGIC "*")) continue;
        newest = time;
        report_replace(&found, report_copy(entry->d_name));
    }
    closedir(folder);
    return found;
}
