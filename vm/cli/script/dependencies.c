/* dependencies.c - the files that decide what a script's bytecode is, besides the script itself.
 *
 * Each has a line `IDENTITY PATH`. An identity is size, time of the last change of the file's
 * entry, and number: what no program can set back. `-` stands for a file that is not there. */
#include "vm/cli/script/script.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { IDENTITY_BYTES = 96 };

static void identify(const char *path, char text[IDENTITY_BYTES]) {
    struct stat file;
    if (stat(path, &file) != 0) strcpy(text, "-");
    else
        snprintf(text, IDENTITY_BYTES, "%lld.%lld.%09ld.%llu", (long long)file.st_size,
                 (long long)file.st_ctim.tv_sec, file.st_ctim.tv_nsec,
                 (unsigned long long)file.st_ino);
}

void script_depend(struct script *s, const char *path) {
    char identity[IDENTITY_BYTES], *line = NULL;
    if (path != NULL) identify(path, identity);
    if (path == NULL || asprintf(&line, "%s %s", identity, path) < 0) line = NULL;
    script_add_own(s, &s->dependencies, line);
}

char *script_dependencies(const struct script *s) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool good = out != NULL && !s->no_memory;
    for (size_t i = 0; i < s->dependencies.count && good; i++) {
        const char *line = s->dependencies.items[i];
        good = strchr(line, '\n') == NULL;
        fprintf(out, "%s\n", line);
    }
    if (out != NULL && fclose(out) != 0) good = false;
    if (good) return text;
    free(text);
    return NULL;
}

bool script_dependencies_hold(const char *text) {
    char now[IDENTITY_BYTES], *path;
    bool same = true;
    while (same && text[0] != 0) {
        size_t line = strcspn(text, "\n"), n = strcspn(text, " ");
        same = n < line && text[line] == '\n';
        if (!same || (path = strndup(text + n + 1, line - n - 1)) == NULL) return false;
        identify(path, now);
        same = strlen(now) == n && memcmp(now, text, n) == 0;
        free(path);
        text += line + 1;
    }
    return same;
}
