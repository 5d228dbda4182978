/* screen.h - draws the text that is edited. GC: never. */
#ifndef BACTRIAN_VM_CLI_EDITOR_SCREEN_H
#define BACTRIAN_VM_CLI_EDITOR_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* What is shown. */
struct edit_view {
    const char *prompt; /* of the first line; the others are indented as far */
    const char *text;
    size_t length, cursor;
    const char *below; /* lines below the text, cut at the terminal's width; "" */
    /* The class of each byte (enum editor_class); NULL: without colours. */
    const unsigned char *classes, *below_classes;
};

/* Zeroes: nothing is drawn. */
struct edit_screen {
    size_t columns;
    size_t cursor_row; /* below the first row drawn */
};

/* Draws over what was drawn before. When the terminal is lower than the text, the part around the
 * cursor is drawn. */
void screen_draw(struct edit_screen *screen, const struct edit_view *view);
/* Draws all of the text, and puts the terminal's cursor at the start of the line below it. */
void screen_finish(struct edit_screen *screen, const struct edit_view *view);
/* Erases what was drawn. */
void screen_erase(struct edit_screen *screen);
/* Whether the terminal's width differs from that of the last drawing. */
bool screen_was_resized(const struct edit_screen *screen);
/* Rows of the terminal. */
size_t screen_rows(void);
/* Clears the terminal. */
void screen_clear(struct edit_screen *screen);
/* Makes the terminal's bell sound. */
void screen_beep(void);

#endif
