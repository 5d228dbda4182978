/* ephemerons_stubs.c - stubs with ephemerons and weak arrays. The OCaml side is ephemerons.ml. */
#define CAML_NAME_SPACE
#define CAML_INTERNALS
#include <caml/alloc.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/weak.h>

value t_ephe(value n) { return caml_ephemeron_create(Long_val(n)); }
value t_ephe_keys(value e) { return Val_long(caml_ephemeron_num_keys(e)); }
value t_ephe_set(value e, value i, value v) {
    if (Int_val(i) < 0) caml_ephemeron_set_data(e, v);
    else caml_ephemeron_set_key(e, Long_val(i), v);
    return Val_unit;
}
value t_ephe_unset(value e, value i) {
    if (Int_val(i) < 0) caml_ephemeron_unset_data(e);
    else caml_ephemeron_unset_key(e, Long_val(i));
    return Val_unit;
}
value t_ephe_is_set(value e, value i) {
    return Val_bool(Int_val(i) < 0 ? caml_ephemeron_data_is_set(e)
                                   : caml_ephemeron_key_is_set(e, Long_val(i)));
}
/* An option: of the content, or of a copy. */
value t_ephe_get(value e, value i, value copy) {
    CAMLparam3(e, i, copy);
    CAMLlocal1(v);
    int there;
    if (Bool_val(copy) && Int_val(i) < 0) there = caml_ephemeron_get_data_copy(e, &v);
    else if (Bool_val(copy)) there = caml_ephemeron_get_key_copy(e, Long_val(i), &v);
    else if (Int_val(i) < 0) there = caml_ephemeron_get_data(e, &v);
    else there = caml_ephemeron_get_key(e, Long_val(i), &v);
    CAMLreturn(there ? caml_alloc_some(v) : Val_none);
}
value t_ephe_blit(value from, value i, value to, value j, value n) {
    caml_ephemeron_blit_key(from, Long_val(i), to, Long_val(j), Long_val(n));
    caml_ephemeron_blit_data(from, to);
    return Val_unit;
}
/* Reads an empty slot as OCaml's own macros do. */
value t_ephe_none(value e) { return Val_bool(Field(e, CAML_EPHE_FIRST_KEY) == caml_ephe_none); }
