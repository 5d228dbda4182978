/* directives.c - the toplevel's directives in a script.
 *
 * A directive may appear where a phrase may begin: at the start of the file, after `;;`, or after
 * another directive. It is replaced by blanks, so that locations do not change; the text of `#use`
 * is inserted between two line directives. Strings, comments and characters are skipped as by
 * OCaml's lexer; all other errors are reported by ocamlc. */
#include "vm/cli/script/script.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEPTH = 64 }; /* of files that use files */

struct reader {
    struct script *script;
    const char *shown; /* the file's name in locations */
    const char *at, *end;
    const char *line_start;
    unsigned line, depth;
    FILE *out;
};

/* A directive with its argument. */
struct directive {
    char name[32];
    char *string; /* the argument without quotes; NULL: none, or no string */
    unsigned line;
};

/* ---- Skipping what a directive cannot begin in. ---- */

static bool at_text(const struct reader *r, const char *text) {
    size_t n = strlen(text);
    return (size_t)(r->end - r->at) >= n && memcmp(r->at, text, n) == 0;
}

static int char_at(const struct reader *r, size_t i) {
    return (size_t)(r->end - r->at) > i ? (unsigned char)r->at[i] : 0;
}

/* Whether c may be in a path of names, M.x. */
static bool is_of_path(int c) { return isalnum(c) || c == '_' || c == '.' || c == '\''; }

/* Advances by n characters and writes them, or blanks and the line ends. */
static void pass(struct reader *r, size_t n, bool blank) {
    for (; n > 0 && r->at < r->end; n--) {
        char c = *r->at++;
        bool keep = !blank || c == '\n' || c == '\t';
        fputc(keep ? c : ' ', r->out);
        if (c != '\n') continue;
        r->line++;
        r->line_start = r->at;
    }
}

static void pass_string(struct reader *r) {
    pass(r, 1, false);
    while (r->at < r->end && *r->at != '"') pass(r, *r->at == '\\' ? 2 : 1, false);
    pass(r, 1, false);
}

/* The length of a `{id|` or `{%name id|` here; 0: there is none. */
static size_t quoted_string_start(const struct reader *r) {
    size_t n = 1;
    if (char_at(r, n) == '%') {
        while (char_at(r, n) == '%') n++;
        while (is_of_path(char_at(r, n))) n++;
        while (char_at(r, n) == ' ') n++;
    }
    while (islower(char_at(r, n)) || char_at(r, n) == '_') n++;
    return char_at(r, n) == '|' ? n + 1 : 0;
}

static void pass_quoted_string(struct reader *r, size_t start) {
    const char *id = r->at + start - 1;
    while (islower((unsigned char)id[-1]) || id[-1] == '_') id--;
    size_t n = (size_t)(r->at + start - 1 - id);
    pass(r, start, false);
    for (; r->at < r->end; pass(r, 1, false))
        if (*r->at == '|' && (size_t)(r->end - r->at) > n + 1 && memcmp(r->at + 1, id, n) == 0 &&
            r->at[n + 1] == '}') {
            pass(r, n + 2, false);
            return;
        }
}

/* The length of a character literal here; 1 if the quote is part of something else. */
static size_t char_literal_length(const struct reader *r) {
    if (char_at(r, 1) == '\\') {
        size_t n = 3;
        while (n < 12 && char_at(r, n) != '\'' && char_at(r, n) != 0) n++;
        return char_at(r, n) == '\'' ? n + 1 : 1;
    }
    return char_at(r, 1) != 0 && char_at(r, 1) != '\'' && char_at(r, 2) == '\'' ? 3 : 1;
}

/* Advances by one token, or a part of one, that is neither a comment nor a directive. */
static void pass_token(struct reader *r) {
    size_t n = 1;
    if (*r->at == '"') {
        pass_string(r);
        return;
    }
    if (*r->at == '{' && (n = quoted_string_start(r)) > 0) {
        pass_quoted_string(r, n);
        return;
    }
    n = 1;
    if (*r->at == '\'') n = char_literal_length(r);
    else if (isalnum(char_at(r, 0)) || *r->at == '_')
        while (isalnum(char_at(r, n)) || char_at(r, n) == '_' || char_at(r, n) == '\'') n++;
    pass(r, n, false);
}

static void pass_comment(struct reader *r) {
    unsigned depth = 0;
    do {
        if (at_text(r, "(*")) {
            depth++;
            pass(r, 2, false);
        } else if (at_text(r, "*)")) {
            depth--;
            pass(r, 2, false);
        } else {
            pass_token(r);
        }
    } while (depth > 0 && r->at < r->end);
}

/* ---- What the directives do. ---- */

static int expand(struct reader *r);

static int refuse(const struct reader *r, const struct directive *d, const char *why) {
    return cli_fail(STATUS_REFUSED, r->shown, "line %u: #%s%s", d->line, d->name, why);
}

/* The path of a file or folder that a directive names, allocated; NULL: not found. It may be beside
 * the script, in a folder of #directory, or in the current folder. */
static char *find_named(struct script *s, const char *name) {
    if (name[0] != '/')
        for (size_t i = 0; i <= s->directories.count; i++) {
            const char *folder = i == 0 ? s->beside : s->directories.items[i - 1];
            char *path = cli_join(folder, name, "");
            if (path != NULL && access(path, F_OK) == 0) return path;
            free(path);
        }
    return access(name, F_OK) == 0 ? realpath(name, NULL) : NULL;
}

/* Writes the name of the module in a file. */
static void print_module(FILE *out, const char *file) {
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    fprintf(out, "%c%.*s", toupper((unsigned char)name[0]), (int)strcspn(name, ".") - 1, name + 1);
}

static void pad_to(const struct reader *r) {
    fprintf(r->out, "\n# %u \"%s\"\n", r->line, r->shown);
    for (const char *c = r->line_start; c < r->at; c++) fputc(' ', r->out);
}

/* `#use`: the file's text, `#mod_use`: as a module. */
static int use(struct reader *r, const struct directive *d, bool as_module) {
    size_t length;
    if (r->depth == MAX_DEPTH) return refuse(r, d, ": too many files use each other");
    char *path = find_named(r->script, d->string);
    if (path != NULL) script_depend(r->script, path);
    char *text = path != NULL ? cli_read_file(path, &length) : NULL;
    if (text == NULL) {
        cli_fail(0, r->shown, "line %u: #%s \"%s\": %s", d->line, d->name, d->string,
                 strerror(path != NULL ? errno : ENOENT));
        free(path);
        return STATUS_NOT_FOUND;
    }
    struct reader inner = {.script = r->script,
                           .shown = d->string,
                           .at = text,
                           .end = text + length,
                           .line_start = text,
                           .line = 1,
                           .depth = r->depth + 1,
                           .out = r->out};
    if (as_module) {
        fputs("module ", r->out);
        print_module(r->out, d->string);
        fputs(" = struct", r->out);
    }
    fputc('\n', r->out);
    int status = expand(&inner);
    if (as_module) fputs("\nend", r->out);
    pad_to(r);
    free(text);
    free(path);
    return status;
}

static void require(struct script *s, const char *names) {
    for (const char *at = names; at[0] != 0;) {
        size_t n = strcspn(at, " ,\t\n");
        if (n > 0) script_add_own(s, &s->packages, strndup(at, n));
        at += n + (at[n] != 0);
    }
}

/* `#load`: a file beside the script or in a folder that it names; else ocamlc looks in its own
 * folders. */
static void load(struct script *s, const char *name) {
    char *path = find_named(s, name);
    if (path == NULL) {
        script_add(s, &s->archives, name);
        return;
    }
    script_depend(s, path);
    char *folder = strdup(path);
    if (folder != NULL) {
        *strrchr(folder, '/') = 0;
        script_add(s, &s->flags, "-I");
    }
    script_add_own(s, &s->flags, folder);
    script_add_own(s, &s->archives, path);
}

static void add_directory(struct script *s, const char *name) {
    char *path = name[0] == '+' ? NULL : find_named(s, name);
    if (path != NULL) script_add(s, &s->directories, path);
    if (path != NULL) script_depend(s, path);
    script_add(s, &s->flags, "-I");
    script_add(s, &s->flags, path != NULL ? path : name);
    free(path);
}

enum action {
    ACT_USE,
    ACT_MOD_USE,
    ACT_LOAD,
    ACT_REQUIRE,
    ACT_DIRECTORY,
    ACT_FLAG, /* text: for ocamlc */
    ACT_TEXT, /* text: with the argument, in OCaml */
    ACT_NONE,
};

static const struct meaning {
    const char *name;
    enum action action;
    bool takes_string;
    const char *text;
} meanings[] = {
    {"use", ACT_USE, true, NULL},
    {"mod_use", ACT_MOD_USE, true, NULL},
    {"load", ACT_LOAD, true, NULL},
    {"load_rec", ACT_LOAD, true, NULL},
    {"require", ACT_REQUIRE, true, NULL},
    {"directory", ACT_DIRECTORY, true, NULL},
    {"thread", ACT_FLAG, false, "-thread"},
    {"rectypes", ACT_FLAG, false, "-rectypes"},
    {"principal", ACT_FLAG, false, "-principal"},
    {"quit", ACT_TEXT, false, ";;let () = Stdlib.exit 0"},
    {"cd", ACT_TEXT, true, ";;let () = Stdlib.Sys.chdir \"%s\""},
    {"warnings", ACT_TEXT, true, ";;[@@@ocaml.warning \"%s\"]"},
    {"warn_error", ACT_TEXT, true, ";;[@@@ocaml.warnerror \"%s\"]"},
    {"install_printer", ACT_NONE, false, NULL},
    {"remove_printer", ACT_NONE, false, NULL},
    {"print_depth", ACT_NONE, false, NULL},
    {"print_length", ACT_NONE, false, NULL},
};

static int apply(struct reader *r, const struct directive *d) {
    const struct meaning *m = meanings, *end = meanings + sizeof meanings / sizeof meanings[0];
    struct script *s = r->script;
    while (m < end && strcmp(m->name, d->name) != 0) m++;
    if (m == end) return refuse(r, d, ": a script cannot use it; `bactrian repl` may know it");
    if (m->takes_string && d->string == NULL) return refuse(r, d, " needs a string after it");
    switch (m->action) {
    case ACT_USE:
        /* The directives that topfind defines are known here: nothing to load. */
        return strcmp(d->string, "topfind") == 0 ? 0 : use(r, d, false);
    case ACT_MOD_USE: return use(r, d, true);
    case ACT_LOAD: load(s, d->string); return 0;
    case ACT_REQUIRE: require(s, d->string); return 0;
    case ACT_DIRECTORY: add_directory(s, d->string); return 0;
    case ACT_FLAG: script_add(s, &s->flags, m->text); return 0;
    case ACT_TEXT:
        for (const char *c = m->text; *c != 0; c++)
            if (c[0] != '%') fputc(*c, r->out);
            else fputs(d->string, r->out), c++;
        pad_to(r);
        return 0;
    default: return 0;
    }
}

/* ---- Reading. ---- */

static void pass_blanks(struct reader *r, bool blank) {
    while (r->at < r->end && isspace((unsigned char)*r->at)) pass(r, 1, blank);
}

/* Reads `#name argument` and writes blanks. An argument is a string, a path or a constant. */
static void read_directive(struct reader *r, struct directive *d) {
    size_t n = 0;
    *d = (struct directive){.line = r->line};
    pass(r, 1, true);
    pass_blanks(r, true);
    while (isalnum(char_at(r, n)) || char_at(r, n) == '_') n++;
    snprintf(d->name, sizeof d->name, "%.*s", (int)n, r->at);
    pass(r, n, true);
    while (char_at(r, 0) == ' ' || char_at(r, 0) == '\t') pass(r, 1, true);
    if (char_at(r, 0) == '"') {
        const char *start = r->at + 1;
        for (n = 1; char_at(r, n) != '"' && char_at(r, n) != 0; n++) n += char_at(r, n) == '\\';
        if (char_at(r, n) == '"') d->string = strndup(start, n - 1);
        pass(r, n + 1, true);
        return;
    }
    for (n = 0; is_of_path(char_at(r, n));) n++;
    pass(r, n, true);
}

/* Whether a directive begins here; `#` with a number is a line directive of the lexer. */
static bool at_directive(const struct reader *r) {
    size_t n = 1;
    if (*r->at != '#') return false;
    while (char_at(r, n) == ' ') n++;
    return islower(char_at(r, n)) || char_at(r, n) == '_';
}

static int expand(struct reader *r) {
    bool may_begin = true; /* a phrase */
    int status = 0;
    fprintf(r->out, "# 1 \"%s\"\n", r->shown);
    if (at_text(r, "#!")) {
        const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        pass(r, (size_t)((end != NULL ? end : r->end) - r->at), true);
    }
    while (status == 0 && r->at < r->end) {
        if (isspace((unsigned char)*r->at)) {
            pass(r, 1, false);
        } else if (at_text(r, "(*")) {
            pass_comment(r);
        } else if (at_text(r, ";;")) {
            pass(r, 2, false);
            may_begin = true;
        } else if (may_begin && at_directive(r)) {
            struct directive d;
            read_directive(r, &d);
            status = apply(r, &d);
            free(d.string);
        } else {
            may_begin = false;
            pass_token(r);
        }
    }
    return status;
}

int script_follow_directives(struct script *s, const char *source, size_t length, char **text) {
    size_t size;
    *text = NULL;
    struct reader r = {.script = s,
                       .shown = s->shown,
                       .at = source,
                       .end = source + length,
                       .line_start = source,
                       .line = 1,
                       .out = open_memstream(text, &size)};
    int status = r.out != NULL ? expand(&r) : 0;
    if (r.out == NULL || fclose(r.out) != 0 || s->no_memory)
        status = cli_fail(STATUS_REFUSED, s->shown, "out of memory");
    return status;
}
