/* pattern.c - see pattern.h.
 *
 * The C library copies what is repeated: `a+` twice, `a{9}` nine times, so that thirty signs like
 * `a++++...` or `((a{99}){99}){99}` take all memory there is, and it goes down one call a
 * parenthesis. What would grow beyond measure is refused before it gets there. */
#include "memprof/report/query/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 100, MAX_COPIES = 1000 };

/* Behind a bracket expression whose [ is at. */
static const char *after_bracket(const char *at) {
    at += at[1] == '^' ? 2 : 1;
    if (*at == ']') at++;
    while (*at != 0 && *at != ']') {
        const char *end = at[0] == '[' && at[1] != 0 && strchr(".:=", at[1]) != NULL
                              ? strchr(at + 2, ']')
                              : NULL;
        at = end != NULL ? end + 1 : at + 1;
    }
    return *at == 0 ? at : at + 1;
}

/* How often a {LOW,HIGH} copies, and *at behind it. */
static double copies_of_interval(const char **at) {
    char *end;
    double low = (double)strtoul(*at + 1, &end, 10), high = low;
    if (*end == ',') high = (double)strtoul(end + 1, &end, 10);
    *at = *end == '}' ? end + 1 : *at + 1;
    if (high < low) high = low + 1; /* {LOW,} */
    return high < 1 ? 1 : high;
}

/* Whether the pattern stays small: sizes[d] is that of what is open at depth d, last[d] that of its
 * last part, which a repetition copies. */
static bool is_bounded(const char *pattern) {
    double sizes[MAX_DEPTH] = {0}, last[MAX_DEPTH] = {0}, most = MAX_COPIES + strlen(pattern);
    int depth = 0;
    for (const char *at = pattern; *at != 0;) {
        double copies = *at == '+' ? 2 : *at == '{' ? copies_of_interval(&at) : 0;
        if (copies > 0) {
            if (*at == '+') at++;
            sizes[depth] += last[depth] * (copies - 1);
            last[depth] *= copies;
        } else if (*at == '(') {
            if (++depth == MAX_DEPTH) return false;
            sizes[depth] = last[depth] = 0;
            at++;
        } else if (*at == ')' && depth > 0) {
            depth--;
            last[depth] = sizes[depth + 1] + 1;
            sizes[depth] += last[depth];
            at++;
        } else if (*at == '*' || *at == '?') {
            at++;
        } else {
            sizes[depth] += 1;
            last[depth] = 1;
            at = *at == '[' ? after_bracket(at) : at + (at[0] == '\\' && at[1] != 0 ? 2 : 1);
        }
        if (sizes[depth] > most) return false;
    }
    return true;
}

bool report_compile_pattern(regex_t *regex, const char *pattern, char why[REPORT_WHY]) {
    if (!is_bounded(pattern)) {
        snprintf(why, REPORT_WHY, "repetitions or parentheses are nested too deeply");
        return false;
    }
    int code = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (code != 0) regerror(code, regex, why, REPORT_WHY);
    return code == 0;
}
