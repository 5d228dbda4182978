/* pattern.c - regular expressions, bounded.
 *
 * The C library copies what is repeated, `a+` twice and `a{9}` nine times, and recurses for each
 * parenthesis: thirty characters such as `a++++...` or `((a{99}){99}){99}` exhaust the memory.
 * Patterns that would grow too large are refused first. */
#include "memprof/report/query/pattern.h"

#include "gc/assert.h"
#include "memprof/report/model/base.h"

#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 100, MAX_COPIES = 1000 };

/* The end of the bracket expression that starts at `at`. */
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

/* The number of copies of {LOW,HIGH}; advances *at past it. */
static double copies_of_interval(const char **at) {
    char *end;
    double low = (double)strtoul(*at + 1, &end, 10), high = low;
    if (*end == ',') high = (double)strtoul(end + 1, &end, 10);
    *at = *end == '}' ? end + 1 : *at + 1;
    if (high < low) high = low + 1; /* {LOW,} */
    return high < 1 ? 1 : high;
}

/* Whether the pattern stays small. sizes[d] is the size of the part that is open at depth d,
 * last[d] that of its last item, which a repetition copies. */
static bool is_bounded(const char *pattern) {
    double sizes[MAX_DEPTH] = {0}, last[MAX_DEPTH] = {0}, most = MAX_COPIES + strlen(pattern);
    int depth = 0;
    for (const char *at = pattern; *at != 0;) {
        double copies = *at == '+' ? 2 : *at == '{' ? copies_of_interval(&at) : 0;
        ASSERT(depth >= 0 && depth < MAX_DEPTH);
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

uint8_t *report_match(const char *option, const char *pattern, const char *const *texts,
                      size_t count, struct report_error *error) {
    regex_t regex;
    char why[160] = "repetitions or parentheses are nested too deeply";
    int code = -1;
    if (is_bounded(pattern)) {
        code = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
        if (code != 0) regerror(code, &regex, why, sizeof why);
    }
    if (code != 0) {
        report_fail(error, option, why, "expected a regular expression, got \"%s\"", pattern);
        return NULL;
    }
    uint8_t *found = report_alloc(count);
    for (size_t i = 0; i < count; i++) found[i] = regexec(&regex, texts[i], 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}
