"""Selectors with a language of their own: --keep, --sort, --by, ages, moments."""
import json
import shutil
import unittest

import ctf
import support

PROGRAM = '''
let kept = ref []
let leaf n = kept := (n, n) :: !kept
let rec walk n = if n > 0 then (leaf n; walk (n - 1))
let other n = for i = 1 to n do ignore (Sys.opaque_identity (float_of_int i)) done
let main () = walk 3000; Gc.full_major (); other 3000; Gc.full_major (); walk 1000
let () = main ()
'''
FUNCTIONS = {'Tree.insert', 'Tree.balance', 'Main.main', 'Main.load'}


def calls():
    """main calls insert and load; insert calls balance, which calls itself."""
    return ctf.small().bytes


class Keep(support.Case):
    def setUp(self):
        super().setUp()
        self.write('small.ctf', calls())

    def kept(self, expression):
        rows = json.loads(self.prof('table', 'small.ctf', '--json', '--by', 'fn', '--keep',
                                    expression))['rows']
        return {row['name'].split(' ')[0] for row in rows}

    def test_the_language_of_mlprof(self):
        for expression, expected in (
                ('all', FUNCTIONS),
                ('Tree', {'Tree.insert', 'Tree.balance'}),
                ('"^Main\\.l"', {'Main.load'}),
                ('(not "Tree|load")', {'Main.main'}),
                ('(and Tree (not insert))', {'Tree.balance'}),
                ('(or load insert)', {'Main.load', 'Tree.insert'}),
                ('(and)', FUNCTIONS), ('(or)', set()),
                ('(succ main)', {'Main.load', 'Tree.insert'}),
                ('(pred balance)', {'Tree.insert', 'Tree.balance'}),
                ('(from insert)', {'Tree.insert', 'Tree.balance'}),
                ('(to insert)', {'Main.main', 'Tree.insert'}),
                ('(to balance)', {'Main.main', 'Tree.insert', 'Tree.balance'}),
                ('(thresh 50)', {'Main.load'}),
                ('(thresh-stack 100)', {'Main.main'}),
                ('(thresh-stack 40)', FUNCTIONS - {'Tree.balance'}),
        ):
            with self.subTest(expression):
                self.assertEqual(self.kept(expression), expected)

    def test_it_selects_the_same_in_every_verb(self):
        words = ('small.ctf', '--keep', 'Tree', '--json')
        total = sum(r['bytes']['value'] for r in json.loads(self.prof('table', *words))['rows'])
        tree = json.loads(self.prof('tree', *words))['tree'][0]['bytes']['value']
        flame = json.loads(self.prof('flame', *words))['tree'][0]['bytes']['value']
        folded = self.prof('export', '--to', 'folded', *words[:3])
        self.assertEqual({total, tree, flame}, {32000})
        self.assertEqual(sum(int(line.rsplit(' ', 1)[1]) for line in folded.splitlines()), total)

    def test_malformed_sets_are_refused(self):
        for expression, what in (
                ('(from', 'expected a set of functions'), ('(x y)', 'unknown form (x ...)'),
                ('a b', 'expected one set, got more: b'), ('(and a', 'expected ) after (and ...'),
                ('"a', 'expected a set of functions'),
                ('(thresh x)', 'thresh: expected a number from 0 to 100'),
                ('(' * 200, 'expected a word after ('), ('', 'expected a set of functions')):
            with self.subTest(expression):
                _, err, status = self.run_prof('table', 'small.ctf', '--keep', expression)
                self.assertEqual(status, 125)
                self.assertIn('bactrian: --keep: %s: write all, ' % what, err.decode())
        for pattern in ('"["', 'a' + '+' * 40):
            self.assertIn(b'--keep: expected a regular expression, got "', self.run_prof(
                'table', 'small.ctf', '--keep', pattern)[1])
        nested = '(not ' * 300 + 'a' + ')' * 300
        self.assertIn(b'too many parentheses', self.run_prof('table', 'small.ctf', '--keep',
                                                             nested)[1])


class Patterns(support.Case):
    """The C library's regular expressions would exhaust the memory for some of 40 characters."""

    def test_patterns_that_would_grow_too_large_are_refused(self):
        self.write('small.ctf', calls())
        for pattern in ('a' + '+' * 40, '((a{99}){99}){99}', 'a{1,2000}', '(' * 200 + ')' * 200,
                        '([[:alpha:]]{30}+){40}'):
            for words in (('table', '--focus'), ('table', '--ignore'), ('tree', '--callers')):
                with self.subTest(words=words, pattern=pattern):
                    _, err, status = self.run_prof(words[0], 'small.ctf', words[1], pattern)
                    self.assertEqual(status, 125)
                    self.assertIn(': expected a regular expression, got "', err.decode())

    def test_small_patterns_are_accepted(self):
        self.write('small.ctf', calls())
        for pattern in ('(a+b+)+.*', '[]+{]{900}|.', '.{0,1000}', '(' * 90 + '.*' + ')' * 90,
                        '|'.join('name%d+' % i for i in range(500)) + '|.', r'\+\{|.'):
            with self.subTest(pattern):
                self.prof('table', 'small.ctf', '--focus', pattern)


class Sort(support.Case):
    def setUp(self):
        super().setUp()
        self.write('small.ctf', calls())

    def column(self, key, *words):
        rows = json.loads(self.prof('table', 'small.ctf', '--json', *words))['rows']
        return [row[key]['value'] if isinstance(row[key], dict) else row[key] for row in rows]

    def test_rows_follow_the_column(self):
        names = self.column('name')
        self.assertEqual(self.column('name', '--sort', 'name'), sorted(names))
        self.assertEqual(self.column('name', '--sort', '-name'), sorted(names, reverse=True))
        for key in ('share', 'bytes', 'blocks', 'promoted', 'live'):
            self.assertEqual(self.column(key, '--sort', key),
                             sorted(self.column(key), reverse=True))
            self.assertEqual(self.column(key, '--sort', '-' + key), sorted(self.column(key)))

    def test_rows_are_sorted_before_they_are_cut(self):
        smallest = min(self.column('bytes'))
        self.assertEqual(self.column('bytes', '--sort', '-bytes', '--top', '1'), [smallest])
        self.assertIn('3 rows are left out: --top 4 shows all.',
                      self.prof('table', 'small.ctf', '--sort', 'bytes', '--limit', '1'))

    def test_a_trees_siblings_are_sorted(self):
        tree = json.loads(self.prof('tree', 'small.ctf', '--sort', '-bytes', '--json'))['tree']
        main = tree[0]['children'][0]
        self.assertEqual([c['name'].split(' ')[0] for c in main['children']],
                         ['Tree.insert', 'Main.load'])
        self.assertIn('Tree.balance', main['children'][0]['children'][0]['name'])

    def test_the_total_of_a_diff_stays_on_top(self):
        for by in ('name', '-change', 'after'):
            rows = json.loads(self.prof('diff', 'small.ctf', 'small.ctf', '--sort', by,
                                        '--json'))['rows']
            self.assertEqual(rows[0]['name'], 'total')

    def test_csv_is_sorted_too(self):
        expected = self.prof('table', 'small.ctf', '--sort', 'name', '--csv')
        found = self.prof('export', '--to', 'csv', 'small.ctf', '--sort', 'name')
        self.assertEqual(found, expected)

    def test_a_column_that_is_none_is_refused(self):
        _, err, status = self.run_prof('table', 'small.ctf', '--sort', 'x')
        self.assertEqual((err.decode(), status), (
            'bactrian: --sort: `table` has no column "x": give one of share bytes blocks promoted '
            'live name\n', 125))
        _, err, status = self.run_prof('stats', 'small.ctf', '--sort', 'x')
        self.assertEqual((err.decode(), status), (
            'bactrian: --sort: `stats` does not take it: leave it out\n', 125))


class Moments(support.Case):
    def test_a_share_of_allocation_is_a_moment(self):
        self.write('small.ctf', calls())
        title = json.loads(self.prof('table', 'small.ctf', '--at', '50%alloc', '--json'))['title']
        self.assertIn('not yet collected at 8.00 ms', title)

    def test_ages_in_collections_need_counters(self):
        self.write('small.ctf', calls())
        for option in ('--age-min', '--tail'):
            _, err, status = self.run_prof('leaks', 'small.ctf', option, '2major')
            self.assertEqual((err.decode(), status), (
                'bactrian: %s: the profile does not count collections: give a time such as '
                '1.5s, 200ms or 40%%\n' % option, 125))
        for words in (['--at', '2major'], ['--age-min', '4%alloc'], ['--tail', 'x']):
            self.assertEqual(self.run_prof('leaks', 'small.ctf', *words)[2], 125)


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Recorded(support.Case):
    def setUp(self):
        super().setUp()
        self.write('p.ml', PROGRAM.encode())
        # Machine code does not allocate the floats.
        self.run_prof('record', '--quiet', '--rate', '1', '--jit=off', '-o', 'p.bprof', 'p.ml')

    def rows(self, verb, *words):
        rows = json.loads(self.prof(verb, 'p.bprof', '--json', *words))['rows']
        return {row['name'].split(' ')[0]: row for row in rows}

    def test_tags_tell_kinds_of_blocks(self):
        rows = json.loads(self.prof('table', 'p.bprof', '--json', '--by', 'tag', '--focus',
                                    'P\\.(leaf|other)'))['rows']
        self.assertEqual([(r['name'], r['blocks']) for r in rows],
                         [('block, tag 0', 8000), ('float', 3000), ('closure', 2)])
        tree = json.loads(self.prof('tree', 'p.bprof', '--json', '--by', 'tag'))['tree'][0]
        below = {child['name']: child['children'][0]['name'] for child in tree['children']}
        self.assertEqual(below['block, tag 0'].split(' ')[0], 'P')

    def test_blocks_are_as_old_as_the_collections_they_survived(self):
        words = ('--by', 'fn', '--focus', 'leaf')  # its pairs, the list, its closure
        self.assertEqual(self.rows('leaks', *words)['P.leaf']['blocks'], 8001)
        for age in ('1major', '3major', '2minor'):
            found = self.rows('leaks', *words, '--age-min', age)['P.leaf']['blocks']
            self.assertEqual(found, 6001, age)
            found = self.rows('leaks', *words, '--tail', age)['P.leaf']['blocks']
            self.assertEqual(found, 6001, age)
        self.assertEqual(self.rows('leaks', *words, '--age-min', '100major'), {})

    def test_leaks_are_grouped_by_anything(self):
        def total(by):
            rows = json.loads(self.prof('leaks', 'p.bprof', '--json', '--by', by, '--top', '1000'))
            return sum(r['bytes']['value'] for r in rows['rows'])
        for by in ('tag', 'phase', 'source', 'module'):
            self.assertEqual(total(by), total('site'))
