/* fuzz_selectors.c - libFuzzer target: any bytes as a verb that reads a profile, and its options.
 *
 * A line is a word. The profile is always the same small one; what could name another file is left
 * out, and so is where to write. A refusal says why. */
#include "memprof/report/command/command.h"
#include "memprof/report/load/load.h"
#include "tests/fuzz/profile_file.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/words.h"

#include <stdio.h>

/* Two functions, one of which calls the other; three blocks: one dies, one is promoted; a phase. */
static const uint8_t records[] = {
    MP_TAG_STRING,       4,  'a', '.', 'm', 'l',    /* text 1 */
    MP_TAG_STRING,       3,  'A', '.', 'f',         /* text 2 */
    MP_TAG_STRING,       3,  'A', '.', 'g',         /* text 3 */
    MP_TAG_LOCATION,     10, 1,   2,   1,   0,   5, /* code, file, name, line, columns */
    MP_TAG_LOCATION,     20, 1,   3,   7,   0,   5, /* */
    MP_TAG_STACK,        1,  2,   2,   2,           /* f calls g */
    MP_TAG_SMALL_SAMPLE, 5,  3,   4,                /* elapsed, words, at g */
    MP_TAG_PHASE_ENTER,  1,  3,                     /* named as g */
    MP_TAG_SMALL_SAMPLE, 9,  10,  0,                /* */
    MP_TAG_SAMPLE,       1,  0,   30,  2,   1,      /* born old, at f, hit three times */
    MP_TAG_PHASE_LEAVE,  1,                         /* */
    MP_TAG_PROMOTIONS,   2,  1,   2,                /* block 1 */
    MP_TAG_DEATHS,       3,  0,   1,   0,           /* block 0, young */
    MP_TAG_COUNTERS,     1,  50,  10,  30,  0,   1, 0, 80, 100, MP_TAG_FINISH, 0, 0, 0, /* */
    MP_TAG_END,          0,  0,   0,
};

static struct report_model *load_profile(void) {
    struct report_error error;
    size_t length;
    uint8_t *file = profile_of_records(records, sizeof records, &length);
    struct report_model *model = file == NULL ? NULL
                                              : report_load_own("profile", file, length, &error);
    if (model == NULL) abort();
    free(file);
    return model;
}

/* Whether an argument after the verb can stay: those that stay begin with a dash, and none ends the
 * options. */
static bool is_harmless(const char *word) {
    return word[0] == '-' && word[1] != 0 && strcmp(word, "--") != 0 && strncmp(word, "-o", 2) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct report_model *model;
    struct report_error error = {"", "", ""};
    struct words words = words_of(data, size);
    if (model == NULL) model = load_profile();
    FILE *out = fopen("/dev/null", "w");
    if (out == NULL) abort();
    size_t kept = 1;
    for (size_t i = 1; i < words.count; i++)
        if (is_harmless(words.at[i])) words.at[kept++] = words.at[i];
    words.at[kept] = NULL;
    if (words.count > 0 && report_run_on(model, "profile", words.at, out, false, 100, &error) < 0 &&
        error.what[0] == 0)
        abort();
    fclose(out);
    free(words.text);
    return 0;
}
