/* plain.h - texts from outside (names of files, of functions) on their way to a terminal, which
 * nothing of them may command. */
#ifndef BACTRIAN_MEMPROF_FORMAT_PLAIN_H
#define BACTRIAN_MEMPROF_FORMAT_PLAIN_H

#include <stdio.h>

/* The bytes of the control character at p, which is before its text's end: one of ASCII's, or of
 * those from U+0080 to U+009F, in UTF-8. 0: it is none. GC: never. */
static inline size_t mp_control_bytes(const char *p) {
    unsigned char c = (unsigned char)p[0], next = (unsigned char)p[1];
    if (c < ' ' || c == 127) return 1;
    return c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2 : 0;
}

/* Prints text with `instead` for each control character. GC: never. */
static inline void mp_put_plain(FILE *out, const char *text, char instead) {
    while (*text != 0) {
        size_t control = mp_control_bytes(text);
        putc(control > 0 ? instead : *text, out);
        text += control > 0 ? control : 1;
    }
}

/* Puts a question mark for each control character in text. GC: never. */
static inline void mp_make_plain(char *text) {
    char *to = text;
    while (*text != 0) {
        size_t control = mp_control_bytes(text);
        *to++ = control > 0 ? '?' : *text;
        text += control > 0 ? control : 1;
    }
    *to = 0;
}

#endif
