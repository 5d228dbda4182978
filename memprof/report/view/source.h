/* source.h - the source files that a profile names. */
#ifndef BACTRIAN_MEMPROF_REPORT_VIEW_SOURCE_H
#define BACTRIAN_MEMPROF_REPORT_VIEW_SOURCE_H

#include <stdio.h>

/* Opens a source file by the name in the profile, then by the last part of that name, below the
 * current folder and then below `folder` (--source; NULL: not given). A profile may come from
 * anyone, so nothing outside of these folders is opened, and only regular files of at most 16 MB.
 * Returns NULL if there is none. */
FILE *report_open_source(const char *folder, const char *name);

#endif
