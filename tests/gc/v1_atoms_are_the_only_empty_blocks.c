/* V1: a block without fields is the atom of its tag, which collections ignore. */
#include "tests/gc/gc_test.h"

static void wosize_zero_gives_the_atom(void **state) {
    struct gc_test *t = *state;
    for (unsigned tag = 0; tag < 256; tag++) {
        value atom = gc_atom(&t->g, tag);
        assert_int_equal(wosize_of(atom), 0);
        assert_int_equal(tag_of(atom), tag);
        assert_true(gc_is_heap_block(&t->g, atom));
        assert_false(gc_is_young(&t->g, atom));
        assert_int_equal(gc_alloc(&t->g, 0, tag), atom);
        assert_int_equal(gc_alloc_major(&t->g, 0, tag), atom);
    }
    t->root[0] = gc_atom(&t->g, 0);
    t->root[1] = gc_test_pair(t, gc_atom(&t->g, 3), gc_atom(&t->g, 252));
    gc_test_cycle(t);
    assert_int_equal(field(t->root[1], 0), gc_atom(&t->g, 3));
    assert_int_equal(header_of(t->root[0]), make_header(0, 0, COLOUR_STATIC));
}

GC_TEST_MAIN(GC_TEST(wosize_zero_gives_the_atom))
