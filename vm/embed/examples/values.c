/* values.c - calls OCaml functions with values that C makes, and reads what they return. */
#include <bactrian.h>
#include <stdio.h>

/* Prints the pairs of a list such as [("be", 2); ("not", 1)]. */
static void print_pairs(struct bactrian_value *list) {
    char word[32];
    /* A cell of a list is a block of two fields; the empty list is an integer. */
    for (; bactrian_kind(list) == BACTRIAN_BLOCK; list = bactrian_field(list, 1)) {
        struct bactrian_value *pair = bactrian_field(list, 0);
        bactrian_get_string(bactrian_field(pair, 0), word, sizeof word);
        printf("%s %d\n", word, (int)bactrian_get_int(bactrian_field(pair, 1)));
    }
}

int main(int argc, char **argv) {
    static const char *const words[] = {"to", "be", "or", "not", "to", "be"};
    struct bactrian_error error;
    struct bactrian *m = bactrian_open(argv[1], NULL, &error);
    if (m == NULL || bactrian_run(m) != BACTRIAN_OK) {
        fprintf(stderr, "%s\n", m == NULL ? error.text : bactrian_error_text(m));
        bactrian_close(m);
        return 1;
    }
    bactrian_open_scope(m); /* the handles made from here on end with it */
    struct bactrian_value *items[6], *list, *result;
    for (int i = 0; i < 6; i++) items[i] = bactrian_text(m, words[i]);
    list = bactrian_list(m, 6, items);
    if (bactrian_call(m, bactrian_named(m, "count"), 1, &list, &result) == BACTRIAN_OK)
        print_pairs(result);
    struct bactrian_value *empty = bactrian_list(m, 0, NULL);
    if (bactrian_call(m, bactrian_named(m, "longest"), 1, &empty, &result) == BACTRIAN_EXCEPTION)
        puts(bactrian_error_text(m));
    bactrian_close_scope(m);
    bactrian_close(m);
    return 0;
}
