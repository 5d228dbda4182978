/* text.h - numbers, moments and places as people read them. */
#ifndef BACTRIAN_MEMPROF_REPORT_VIEW_TEXT_H
#define BACTRIAN_MEMPROF_REPORT_VIEW_TEXT_H

#include "memprof/report/model/model.h"

/* Each writes to 32 bytes: "12.3 MB" (decimal), "1.23 M", "12,345", "45.1 %" (of 0 to 1), "1.2 ms".
 * What is not a number is written as "-". */
void report_write_bytes(char out[32], double bytes);
void report_write_large(char out[32], double count);
void report_write_count(char out[32], double count);
void report_write_share(char out[32], double share);
void report_write_seconds(char out[32], double seconds);

/* A place: `List.map (list.ml:92:20-35)`; allocated. */
char *report_location_text(const struct report_model *model, uint32_t location);
/* A function: `List.map (list.ml)`; allocated. */
char *report_function_text(const struct report_model *model, uint32_t location);
/* What a block's tag means; tag -1: unknown. Allocated. */
char *report_tag_text(int tag);
/* The module that a file's name stands for: "src/list.ml" is List; allocated. */
char *report_module_text(const struct report_model *model, uint32_t location);

#endif
