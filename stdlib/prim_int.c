/* prim_int.c - what remains of the native integers for functions: text, comparison, byte swap. */
#include "stdlib/number_text.h"
#include "stdlib/prim.h"

value prim_format_int(struct domain *d, value format, value n) {
    return prim_format_integer(d, format, int_of_val(n), 63);
}
value prim_int_of_string(struct domain *d, value text) {
    return val_of_int(prim_parse_integer(d, text, 63, "int_of_string"));
}

/* Words are compared, so any two values have an order. */
value prim_int_compare(struct domain *d, value a, value b) { return val_of_int((a > b) - (a < b)); }
value prim_bswap16(struct domain *d, value n) {
    return val_of_int(__builtin_bswap16((uint16_t)int_of_val(n)));
}
