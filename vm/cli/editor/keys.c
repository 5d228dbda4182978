/* keys.c - see keys.h.
 *
 * One byte is read at a time: what follows the key that ends the text belongs to the program that
 * reads the terminal next. A terminal sends a key as a character, or as an escape sequence:
 * ESC [ numbers letter, ESC O letter. */
#include "vm/cli/editor/keys.h"

#include "gc/assert.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define PASTE_ON  "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define PASTE_END "\033[201~"

enum {
    ESCAPE = 27,
    MODIFIED_BY_ALT = 2,
    MODIFIED_BY_CONTROL = 4,
    BYTE_CLOSED = -1,
    BYTE_SIGNAL = -2
};

/* ---- Modes. ---- */

static void on_resize(int number) {} /* only ends the wait for a key */

static void send(const char *text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) return; /* the next read fails, too */
}

void keys_start(struct edit_terminal *terminal) {
    ASSERT(!terminal->raw);
    struct sigaction action = {.sa_handler = on_resize};
    if (tcgetattr(STDIN_FILENO, &terminal->before) != 0) return;
    struct termios raw = terminal->before;
    raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT);
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    terminal->raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    sigaction(SIGWINCH, NULL, &terminal->resize);
    terminal->catches_resize = terminal->resize.sa_handler == SIG_DFL &&
                               sigaction(SIGWINCH, &action, NULL) == 0;
    send(PASTE_ON);
}

void keys_stop(struct edit_terminal *terminal) {
    if (!terminal->raw) return;
    send(PASTE_OFF);
    if (terminal->catches_resize) sigaction(SIGWINCH, &terminal->resize, NULL);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
    terminal->raw = false;
}

/* ---- Bytes. ---- */

static bool wait_for_input(int timeout) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, timeout) > 0;
}

bool keys_wait(void) { return wait_for_input(0); }

static int read_byte(void) {
    unsigned char byte;
    ssize_t n;
    while ((n = read(STDIN_FILENO, &byte, 1)) < 0 && errno == EAGAIN) wait_for_input(-1);
    if (n == 1) return byte;
    return n < 0 && errno == EINTR ? BYTE_SIGNAL : BYTE_CLOSED;
}

/* A byte inside a key, which a signal does not end. */
static int read_more(void) {
    int byte;
    while ((byte = read_byte()) == BYTE_SIGNAL) continue;
    return byte;
}

/* ---- Keys. ---- */

static int code_of_letter(int letter) {
    switch (letter) {
    case 'A': return KEY_UP;
    case 'B': return KEY_DOWN;
    case 'C': return KEY_RIGHT;
    case 'D': return KEY_LEFT;
    case 'F': return KEY_END;
    case 'H': return KEY_HOME;
    default: return KEY_UNKNOWN;
    }
}

static int code_of_number(unsigned number) {
    switch (number) {
    case 1:
    case 7: return KEY_HOME;
    case 3: return KEY_DELETE;
    case 4:
    case 8: return KEY_END;
    case 5: return KEY_PAGE_UP;
    case 6: return KEY_PAGE_DOWN;
    case 200: return KEY_PASTE;
    default: return KEY_UNKNOWN;
    }
}

/* The key of an escape sequence after ESC [. */
static int read_sequence(void) {
    unsigned numbers[2] = {0, 0}, i = 0;
    int byte;
    while ((byte = read_more()) >= 0 && (byte < '@' || byte > '~')) {
        if (byte == ';') i++;
        else if (byte >= '0' && byte <= '9' && i < 2 && numbers[i] < 1000)
            numbers[i] = numbers[i] * 10 + (unsigned)(byte - '0');
    }
    if (byte < 0) return KEY_CLOSED;
    int code = byte == '~' ? code_of_number(numbers[0]) : code_of_letter(byte);
    unsigned modifiers = numbers[1] > 0 ? numbers[1] - 1 : 0;
    if (code == KEY_UNKNOWN) return code;
    return code | ((modifiers & MODIFIED_BY_CONTROL) != 0 ? KEY_CONTROL : 0) |
           ((modifiers & MODIFIED_BY_ALT) != 0 ? KEY_META : 0);
}

static void read_character(int first, struct edit_key *key) {
    mbstate_t state = {0};
    size_t done = (size_t)-2;
    key->code = KEY_CHARACTER;
    for (int byte = first; byte >= 0; byte = read_more()) {
        key->bytes[key->length++] = (char)byte;
        done = mbrtowc(NULL, &key->bytes[key->length - 1], 1, &state);
        if (done != (size_t)-2 || key->length == sizeof key->bytes) break;
    }
    if (done == (size_t)-1 || done == (size_t)-2) key->code = KEY_UNKNOWN;
}

struct edit_key keys_read(void) {
    struct edit_key key = {.code = read_byte()};
    int meta = 0;
    if (key.code == ESCAPE) {
        meta = KEY_META;
        key.code = read_more();
        if (key.code == '[') return (struct edit_key){.code = read_sequence()};
        if (key.code == 'O') return (struct edit_key){.code = code_of_letter(read_more())};
    }
    if (key.code == BYTE_CLOSED) key.code = KEY_CLOSED;
    else if (key.code == BYTE_SIGNAL) key.code = KEY_SIGNAL;
    else if (key.code >= 0x80) read_character(key.code, &key);
    else {
        key.bytes[0] = (char)key.code;
        key.length = 1;
        key.code |= meta;
    }
    return key;
}

char *keys_read_paste(void) {
    static const char end[] = PASTE_END;
    const size_t end_length = sizeof end - 1;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    size_t matched = 0; /* bytes of the end */
    if (out == NULL) return NULL;
    for (int byte; matched < end_length && (byte = read_more()) >= 0;) {
        if (byte == end[matched]) {
            matched++;
            continue;
        }
        matched = byte == ESCAPE; /* other escape sequences lose their first byte */
        if (byte == '\r') byte = '\n';
        if ((byte >= ' ' && byte != 127) || byte == '\n' || byte == '\t') putc(byte, out);
    }
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
