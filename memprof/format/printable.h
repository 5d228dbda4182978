/* printable.h - text from outside (names of files, of functions) on its way to a terminal, which it
 * must not control. */
#ifndef BACTRIAN_MEMPROF_FORMAT_PRINTABLE_H
#define BACTRIAN_MEMPROF_FORMAT_PRINTABLE_H

#include <stdio.h>

/* The bytes of the control character at p, which is before its text's end: one of ASCII's, or of
 * U+0080 to U+009F in UTF-8. 0: it is none. GC: never. */
static inline size_t mp_control_bytes(const char *p) {
    unsigned char c = (unsigned char)p[0], next = (unsigned char)p[1];
    if (c < ' ' || c == 127) return 1;
    return c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2 : 0;
}

/* Prints text with `instead` for each control character. GC: never. */
static inline void mp_put_printable(FILE *out, const char *text, char instead) {
    while (*text != 0) {
        size_t control = mp_control_bytes(text);
        putc(control > 0 ? instead : *text, out);
        text += control > 0 ? control : 1;
    }
}

/* Replaces each control character in text by a question mark. GC: never. */
static inline void mp_make_printable(char *text) {
    char *to = text;
    while (*text != 0) {
        size_t control = mp_control_bytes(text);
        *to++ = control > 0 ? '?' : *text;
        text += control > 0 ? control : 1;
    }
    *to = 0;
}

#endif
