/* keys.h - the terminal's modes, and keys read from it. GC: never. */
#ifndef BACTRIAN_VM_CLI_EDITOR_KEYS_H
#define BACTRIAN_VM_CLI_EDITOR_KEYS_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Codes of keys: a control character or a byte of ASCII, or one of these. */
enum {
    KEY_CHARACTER = 256, /* any other: its bytes */
    KEY_UP,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_HOME,
    KEY_END,
    KEY_DELETE,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_PASTE,            /* the start of a pasted text: keys_read_paste */
    KEY_UNKNOWN,          /* does nothing */
    KEY_CLOSED,           /* the terminal */
    KEY_SIGNAL,           /* a signal handler ran */
    KEY_CONTROL = 0x1000, /* added to those from KEY_UP */
    KEY_META = 0x2000,    /* added to any: Alt, or Escape before it */
};
#define CONTROL(letter) ((letter)&0x1f)

struct edit_key {
    int code;
    char bytes[MB_LEN_MAX]; /* of KEY_CHARACTER */
    size_t length;
};

struct edit_terminal {
    struct termios before;
    struct sigaction resize; /* of SIGWINCH, before */
    bool raw, catches_resize;
};

/* Prepares the terminal for keys, and restores it; signals do not come from it meanwhile. */
void keys_start(struct edit_terminal *terminal);
void keys_stop(struct edit_terminal *terminal);
/* Waits for a key. */
struct edit_key keys_read(void);
/* Whether a key waits. */
bool keys_wait(void);
/* The text of a paste, with newlines between its lines, allocated; NULL when out of memory. */
char *keys_read_paste(void);

#endif
