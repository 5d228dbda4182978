/* nearest.c - distances between words. */
#include "memprof/report/command/nearest.h"

#include <string.h>

enum { MOST_LETTERS = 40 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Insertions, omissions, replacements and exchanges of neighbours. Needs: short words. */
static unsigned distance(const char *a, const char *b) {
    unsigned rows[3][MOST_LETTERS + 1];
    size_t n = strlen(b);
    for (unsigned k = 0; k <= n; k++) rows[0][k] = k;
    for (unsigned i = 1; i <= strlen(a); i++) {
        unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (unsigned k = 1; k <= n; k++) {
            now[k] = least(last[k - 1] + (a[i - 1] != b[k - 1]), least(last[k], now[k - 1]) + 1);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = least(now[k], before[k - 2] + 1);
        }
    }
    return rows[strlen(a) % 3][n];
}

int report_try_nearest(struct report_nearest *nearest, const char *word) {
    size_t length = strlen(nearest->text);
    if (length < 2 || length > MOST_LETTERS || strlen(word) > MOST_LETTERS) return 0;
    unsigned edits = distance(nearest->text, word);
    unsigned most = nearest->word != NULL ? nearest->edits - 1
                                          : (unsigned)(length < 8 ? 1 : length / 4);
    if (nearest->word != NULL && nearest->edits == 0) return 0;
    if (edits > most || edits >= length) return 0;
    nearest->word = word;
    nearest->edits = edits;
    return 1;
}
