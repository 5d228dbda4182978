/* found_stubs.c - a library that returns the folder in which it was found. */
#define CAML_NAME_SPACE
#include <caml/alloc.h>
#include <caml/mlvalues.h>

#ifdef UNKNOWN
extern void caml_no_such_name(void);
void t_unknown(void) { caml_no_such_name(); }
#endif

value t_folder(value unit) { return caml_copy_string(FOLDER); }
