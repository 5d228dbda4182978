/* printable.h - escapes untrusted text (names of files, of functions) that is printed on a
 * terminal, which it must not control. */
#ifndef BACTRIAN_MEMPROF_FORMAT_PRINTABLE_H
#define BACTRIAN_MEMPROF_FORMAT_PRINTABLE_H

#include <stdbool.h>
#include <stdio.h>

/* The code of the character at p if it changes the direction of text around it (Unicode's
 * bidirectional controls), with which one name can look like another; 0: it does not. GC: never. */
static inline unsigned mp_direction_control(const char *p) {
    unsigned char c = (unsigned char)p[0], next = (unsigned char)p[1];
    if (c == 0xd8 && next == 0x9c) return 0x61c;
    if (c != 0xe2 || (next != 0x80 && next != 0x81)) return 0;
    unsigned code = 0x2000 | (next & 1u) << 6 | ((unsigned char)p[2] & 0x3fu);
    bool marks = code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e);
    return marks || (code >= 0x2066 && code <= 0x2069) ? code : 0;
}

/* The bytes of the UTF-8 character at p, in a text that a NUL ends; 0 if it is not well-formed.
 * GC: never. */
static inline unsigned mp_utf8_bytes(const char *p) {
    const unsigned char *s = (const unsigned char *)p;
    unsigned n = s[0] < 0x80                   ? 1
                 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                               : 0;
    for (unsigned i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
    if (s[0] == 0xED && s[1] > 0x9F) return 0;
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return n;
}

/* The bytes of the control character at p, which is before its text's end: one of ASCII's, of
 * U+0080 to U+009F in UTF-8, or of the above; else 0. GC: never. */
static inline size_t mp_control_bytes(const char *p) {
    unsigned char c = (unsigned char)p[0], next = (unsigned char)p[1];
    if (c < ' ' || c == 127) return 1;
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) return 2;
    return c >= 0xd8 && mp_direction_control(p) != 0 ? (c == 0xd8 ? 2 : 3) : 0;
}

/* Prints the byte or control character at p: `instead` for a control character, a code for one
 * that changes direction. Returns its bytes. GC: never. */
static inline size_t mp_put_printable_character(FILE *out, const char *p, char instead) {
    size_t control = mp_control_bytes(p);
    unsigned code = control > 1 ? mp_direction_control(p) : 0;
    if (code != 0) fprintf(out, "\\u%04x", code);
    else putc(control > 0 ? instead : *p, out);
    return control > 0 ? control : 1;
}

/* The same for a text. GC: never. */
static inline void mp_put_printable(FILE *out, const char *text, char instead) {
    while (*text != 0) text += mp_put_printable_character(out, text, instead);
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
