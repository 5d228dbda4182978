/* number_text.h - formatting and parsing numbers.
 *
 * Formats come from the program and go to snprintf after a test: text with at most one conversion,
 * of the allowed letters. The process stays in the C locale for numbers. */
#ifndef BACTRIAN_STDLIB_NUMBER_TEXT_H
#define BACTRIAN_STDLIB_NUMBER_TEXT_H

#include "gc/value.h"

struct domain;

/* Formats integer n, a value of bits 32, 63 or 64, by an OCaml format (%d %i %u %x %X %o with
 * flags, width and precision; l, n, L before the letter are ignored). u, x, X and o show the lowest
 * bits as an unsigned number. GC: may run. Fails: Invalid_argument for an invalid or too
 * long format. */
value prim_format_integer(struct domain *d, value format, int64_t n, unsigned bits);

/* Formats x by a C format with one of aAeEfFgG. GC: may run. Fails: Invalid_argument. */
value prim_format_double(struct domain *d, value format, double x);

/* Reads an integer of 32, 63 or 64 bits: sign, prefix 0x 0o 0b 0u, digits, underscores after the
 * first digit. Numbers with a prefix may use all bits; others must fit as signed ones. GC: may run
 * (to raise). Fails: Failure failure. */
int64_t prim_parse_integer(struct domain *d, value text, unsigned bits, const char *failure);

/* Reads a float: what strtod accepts, underscores ignored, and hexadecimal floats. False:
 * ill-formed. text has a zero at text[length] and no underscores. GC: never. */
bool prim_parse_double(const char *text, size_t length, double *x);

#endif
