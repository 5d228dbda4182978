/* history.c - see history.h. The file has a line for each text, with \n for its newlines and \\ for
 * its backslashes. Several sessions may add to it. */
#include "vm/cli/editor/history.h"

#include "gc/assert.h"
#include "vm/cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TEXTS = 1000, MAX_LINES = 2000 /* of the file, which is then shortened */ };

/* The path of the file, allocated; NULL: none. */
static char *find_file(const char *name) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path;
    bool own = state != NULL && state[0] == '/';
    if (cli_is_privileged() || (!own && (home == NULL || home[0] != '/'))) return NULL;
    if (asprintf(&path, "%s%s/bactrian/%s", own ? state : home, own ? "" : "/.local/state", name) <
        0)
        return NULL;
    cli_make_parents(path);
    return path;
}

/* ---- Lines of the file. ---- */

/* In place. */
static void decode(char *line) {
    char *to = line;
    for (; *line != 0; line++) {
        if (*line == '\\' && line[1] != 0) *to++ = *++line == 'n' ? '\n' : *line;
        else *to++ = *line;
    }
    *to = 0;
}

static void put_line(FILE *out, const char *text) {
    for (; *text != 0; text++) {
        if (*text == '\n') fputs("\\n", out);
        else if (*text == '\\') fputs("\\\\", out);
        else putc(*text, out);
    }
    putc('\n', out);
}

/* Writes texts to the file: at its end, or instead of it. A failure loses them. */
static void write_texts(const char *path, bool instead, char **texts, size_t count) {
    char *lines = NULL, *temporary = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&lines, &length);
    if (out == NULL) return;
    for (size_t i = 0; i < count; i++) put_line(out, texts[i]);
    bool whole = fclose(out) == 0;
    if (instead && asprintf(&temporary, "%s.%d", path, (int)getpid()) < 0) temporary = NULL;
    const char *target = instead ? temporary : path;
    if (whole && target != NULL) {
        int mode = instead ? O_EXCL : O_APPEND;
        int file = open(target, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | mode, 0600);
        if (file >= 0) {
            bool written = write(file, lines, length) == (ssize_t)length;
            close(file);
            if (instead && (!written || rename(temporary, path) != 0)) unlink(temporary);
        }
    }
    free(temporary);
    free(lines);
}

/* ---- Texts. ---- */

static bool is_blank(const char *text) { return text[strspn(text, " \t\n")] == 0; }

static bool keep_text(struct edit_history *h, const char *text) {
    if (h->count == MAX_TEXTS) {
        free(h->texts[0]);
        memmove(h->texts, h->texts + 1, --h->count * sizeof *h->texts);
    }
    char *copy = strdup(text);
    if (copy != NULL) h->texts[h->count++] = copy;
    return copy != NULL;
}

void history_open(struct edit_history *h, const char *name) {
    size_t length = 0, lines = 0;
    *h = (struct edit_history){.texts = calloc(MAX_TEXTS, sizeof *h->texts)};
    if (h->texts == NULL) return;
    h->path = find_file(name);
    char *text = h->path == NULL ? NULL : cli_read_file(h->path, &length), *rest = text, *line;
    h->unended = text != NULL && length > 0 && text[length - 1] != '\n';
    while ((line = strsep(&rest, "\n")) != NULL) {
        decode(line);
        if (is_blank(line)) continue;
        keep_text(h, line);
        lines++;
    }
    free(text);
    if (lines > MAX_LINES) write_texts(h->path, true, h->texts, h->count);
}

void history_close(struct edit_history *h) {
    for (size_t i = 0; i < h->count; i++) free(h->texts[i]);
    free(h->texts);
    free(h->path);
}

void history_add(struct edit_history *h, const char *text) {
    if (h->texts == NULL || is_blank(text)) return;
    if (h->count > 0 && strcmp(h->texts[h->count - 1], text) == 0) return;
    if (!keep_text(h, text) || h->path == NULL) return;
    char *lines[] = {(char *)"", h->texts[h->count - 1]};
    write_texts(h->path, false, h->unended ? lines : lines + 1, h->unended ? 2 : 1);
    h->unended = false;
}

static bool matches(const char *text, const char *wanted, bool at_start) {
    if (at_start) return strncmp(text, wanted, strlen(wanted)) == 0;
    return strstr(text, wanted) != NULL;
}

size_t history_find(const struct edit_history *h, size_t from, bool older, const char *wanted,
                    bool at_start) {
    ASSERT(from <= h->count);
    if (older) {
        while (from-- > 0)
            if (matches(h->texts[from], wanted, at_start)) return from;
        return h->count;
    }
    while (++from < h->count)
        if (matches(h->texts[from], wanted, at_start)) return from;
    return h->count;
}
