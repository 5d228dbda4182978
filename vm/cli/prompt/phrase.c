/* phrase.c - see phrase.h. */
#include "vm/cli/prompt/phrase.h"

#include "vm/cli/editor/editor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const keywords[] = {
    "and",         "as",     "asr",      "assert",  "begin",   "class",     "constraint", "do",
    "done",        "downto", "effect",   "else",    "end",     "exception", "external",   "false",
    "for",         "fun",    "function", "functor", "if",      "in",        "include",    "inherit",
    "initializer", "land",   "lazy",     "let",     "lor",     "lsl",       "lsr",        "lxor",
    "match",       "method", "mod",      "module",  "mutable", "new",       "nonrec",     "object",
    "of",          "open",   "or",       "private", "rec",     "sig",       "struct",     "then",
    "to",          "true",   "try",      "type",    "val",     "virtual",   "when",       "while",
    "with",
};

struct token {
    size_t end;
    unsigned char class;
    bool open;  /* a comment or string without its end */
    bool blank; /* a comment, or white space */
};

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '\'' || (unsigned char)c >= 0x80;
}

static size_t end_of_name(const char *text, size_t at) {
    while (is_name_char(text[at])) at++;
    return at;
}

static int by_text(const void *name, const void *keyword) {
    return strcmp(name, *(const char *const *)keyword);
}

static bool is_keyword(const char *name, size_t length) {
    char copy[16];
    if (length >= sizeof copy) return false;
    memcpy(copy, name, length);
    copy[length] = 0;
    return bsearch(copy, keywords, sizeof keywords / sizeof keywords[0], sizeof keywords[0],
                   by_text) != NULL;
}

/* ---- Strings and comments: the position after them; 0: they are open. ---- */

static size_t end_of_string(const char *text, size_t at) {
    for (at++; text[at] != 0 && text[at] != '"'; at++)
        if (text[at] == '\\' && text[at + 1] != 0) at++;
    return text[at] == 0 ? 0 : at + 1;
}

/* The length of the name in `{name|`; SIZE_MAX: that is not at the position. */
static size_t quoted_name(const char *text, size_t at) {
    size_t n = 0;
    if (text[at] != '{') return (size_t)-1;
    while (islower((unsigned char)text[at + 1 + n]) || text[at + 1 + n] == '_') n++;
    return text[at + 1 + n] == '|' ? n : (size_t)-1;
}

static size_t end_of_quoted(const char *text, size_t at, size_t name) {
    const char *id = text + at + 1;
    for (at += name + 2; text[at] != 0; at++)
        if (text[at] == '|' && strncmp(text + at + 1, id, name) == 0 && text[at + 1 + name] == '}')
            return at + name + 2;
    return 0;
}

/* The position after the character literal at a quote; that after the quote, if there is none. */
static size_t end_of_char(const char *text, size_t at) {
    if (text[at + 1] == '\\' && text[at + 2] != 0) {
        size_t end = at + 3;
        while (end < at + 8 && isalnum((unsigned char)text[end])) end++;
        return text[end] == '\'' ? end + 1 : at + 1;
    }
    return text[at + 1] != 0 && text[at + 1] != '\n' && text[at + 2] == '\'' ? at + 3 : at + 1;
}

static size_t end_of_comment(const char *text, size_t at) {
    size_t depth = 0, name;
    do {
        if (text[at] == 0) return 0;
        if (text[at] == '(' && text[at + 1] == '*') {
            depth++;
            at += 2;
        } else if (text[at] == '*' && text[at + 1] == ')') {
            depth--;
            at += 2;
        } else if (text[at] == '\'') at = end_of_char(text, at);
        else if (text[at] == '"') {
            if ((at = end_of_string(text, at)) == 0) return 0;
        } else if ((name = quoted_name(text, at)) != (size_t)-1) {
            if ((at = end_of_quoted(text, at, name)) == 0) return 0;
        } else at++;
    } while (depth > 0);
    return at;
}

/* ---- Tokens. ---- */

static size_t end_of_number(const char *text, size_t at) {
    bool hexadecimal = text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
    for (;; at++) {
        char c = text[at];
        bool exponent = at > 0 && strchr(hexadecimal ? "pP" : "eE", text[at - 1]) != NULL;
        bool sign = (c == '+' || c == '-') && exponent && isdigit((unsigned char)text[at + 1]);
        if (!isalnum((unsigned char)c) && c != '_' && c != '.' && !sign) return at;
    }
}

/* A text that ends at `end`, or is open if that is 0. */
static struct token delimited(const char *text, size_t at, size_t end, unsigned char class) {
    struct token token = {.end = end, .class = class, .open = end == 0};
    if (token.open) token.end = at + strlen(text + at);
    return token;
}

static struct token word_token(const char *text, size_t at) {
    size_t end = end_of_name(text, at);
    unsigned char class = isupper((unsigned char)text[at])  ? CLASS_CAPITAL
                          : is_keyword(text + at, end - at) ? CLASS_KEYWORD
                                                            : CLASS_PLAIN;
    return (struct token){.end = end, .class = class};
}

/* The token at a position before the text's end. first: of a phrase. */
static struct token next_token(const char *text, size_t at, bool first) {
    char c = text[at], next = text[at + 1];
    size_t name;
    struct token token = {.end = at + 1};
    if (isspace((unsigned char)c)) token.blank = true;
    else if (c == '(' && next == '*') {
        token = delimited(text, at, end_of_comment(text, at), CLASS_COMMENT);
        token.blank = !token.open;
    } else if (c == '"') token = delimited(text, at, end_of_string(text, at), CLASS_STRING);
    else if ((name = quoted_name(text, at)) != (size_t)-1)
        token = delimited(text, at, end_of_quoted(text, at, name), CLASS_STRING);
    else if (c == '\'') {
        token.end = end_of_char(text, at);
        if (token.end > at + 1) token.class = CLASS_STRING;
    } else if (isdigit((unsigned char)c))
        token = (struct token){.end = end_of_number(text, at), .class = CLASS_NUMBER};
    else if (is_name_char(c)) token = word_token(text, at);
    else if (c == '#' && first && islower((unsigned char)next))
        token = (struct token){.end = end_of_name(text, at + 1), .class = CLASS_DIRECTIVE};
    else if ((c == '~' || c == '?') && islower((unsigned char)next)) {
        token = (struct token){.end = end_of_name(text, at + 1), .class = CLASS_LABEL};
        if (text[token.end] == ':') token.end++;
    } else if (c == '`' && is_name_char(next))
        token = (struct token){.end = end_of_name(text, at + 1), .class = CLASS_CAPITAL};
    else if (c == ';' && next == ';') token.end = at + 2;
    return token;
}

static bool ends_phrase(const char *text, size_t at, const struct token *token) {
    return text[at] == ';' && token->end == at + 2;
}

/* ---- Phrases. ---- */

/* Its argument is a phrase, which may have lines. */
static bool takes_phrase(const char *text, size_t at, size_t end) {
    static const char name[] = "#profile";
    return end - at == sizeof name - 1 && memcmp(text + at, name, sizeof name - 1) == 0;
}

enum phrase_state phrase_first(const char *text, size_t *length) {
    enum phrase_state state = PHRASE_BLANK;
    bool open = false;
    struct token token;
    size_t at = 0;
    for (; text[at] != 0; at = token.end) {
        token = next_token(text, at, state == PHRASE_BLANK);
        if (state == PHRASE_LINE && text[at] == '\n') break;
        if (ends_phrase(text, at, &token)) {
            *length = token.end;
            return PHRASE_ENDED;
        }
        if (state == PHRASE_BLANK && !token.blank)
            state = token.class == CLASS_DIRECTIVE && !takes_phrase(text, at, token.end)
                        ? PHRASE_LINE
                        : PHRASE_OPEN;
        open = token.open;
    }
    *length = at;
    return open ? PHRASE_OPEN : state;
}

bool phrase_is_whole(const char *text) {
    enum phrase_state state;
    for (size_t length; (state = phrase_first(text, &length)) >= PHRASE_ENDED;) text += length;
    return state == PHRASE_BLANK;
}

/* ---- Classes. ---- */

enum { MAX_DEPTH = 200 };

/* The brackets that are open. Beyond MAX_DEPTH, partners are not found. */
struct brackets {
    size_t open[MAX_DEPTH];
    size_t depth;
};

static void match_bracket(struct brackets *b, char c, size_t at, size_t cursor,
                          unsigned char *classes) {
    if (c == '(' || c == '[' || c == '{') {
        if (b->depth++ < MAX_DEPTH) b->open[b->depth - 1] = at;
    } else if ((c == ')' || c == ']' || c == '}') && b->depth > 0 && --b->depth < MAX_DEPTH) {
        size_t partner = b->open[b->depth];
        bool marked = at == cursor || at + 1 == cursor || partner == cursor;
        if (marked) classes[at] = classes[partner] = CLASS_BRACKET;
    }
}

void phrase_classify(const char *text, size_t cursor, unsigned char *classes) {
    struct brackets brackets = {.depth = 0};
    struct token token;
    bool first = true;
    for (size_t at = 0; text[at] != 0; at = token.end) {
        token = next_token(text, at, first);
        first = ends_phrase(text, at, &token) || (first && token.blank);
        memset(classes + at, token.class, token.end - at);
        if (token.end == at + 1) match_bracket(&brackets, text[at], at, cursor, classes);
    }
}
