/* text.h - numbers and locations as text. */
#ifndef BACTRIAN_MEMPROF_REPORT_MODEL_TEXT_H
#define BACTRIAN_MEMPROF_REPORT_MODEL_TEXT_H

#include "memprof/report/model/model.h"

/* Each writes to 32 bytes: "12.3 MB" (decimal), "12,345", "45.1 %" (of 0 to 1), "1.2 ms"; "-" if it
 * is not a finite number. */
void report_write_bytes(char out[32], double bytes);
void report_write_count(char out[32], double count);
void report_write_share(char out[32], double share);
void report_write_seconds(char out[32], double seconds);
/* Writes "12,345". */
void report_write_whole(char out[32], unsigned long long n);

/* The name of a location's function; never empty. */
const char *report_name_of(const struct report_model *model, uint32_t location);
/* Whether neither its file nor its function is known. */
bool report_is_nameless(const struct report_model *model, uint32_t location);
/* The other texts are freed with free(). A location: `List.map (list.ml:92:20-35)`. */
char *report_location_text(const struct report_model *model, uint32_t location);
/* A location's function: `List.map (list.ml)`. */
char *report_function_text(const struct report_model *model, uint32_t location);
/* The name of a collector event's kind; a literal. */
const char *report_gc_text(unsigned kind);
/* The kind of block of a tag; -1: unknown. */
char *report_tag_text(int tag);
/* A domain, and a thread with its domain. */
char *report_domain_text(struct mp_thread thread);
char *report_thread_text(struct mp_thread thread);
/* The module of a location's file: List of "src/list.ml". */
char *report_module_text(const struct report_model *model, uint32_t location);

#endif
