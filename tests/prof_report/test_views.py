"""What the views print, against golden files (run --accept rewrites them)."""
import json

import ctf
import support

VIEWS = {
    'stats': ['stats'], 'summary': ['summary'], 'table': ['table'],
    'table_fn': ['table', '--by', 'fn', '--no-ci'], 'table_file': ['table', '--by', 'file'],
    'table_module': ['table', '--by', 'module', '--unit', 'words'],
    'table_source': ['table', '--by', 'source', '--unit', 'samples'],
    'table_peak': ['table', '--at', 'peak'],
    'table_window': ['table', '--from', '2ms', '--to', '3ms'],
    'tree': ['tree'], 'tree_inverted': ['tree', '--inverted', '--by', 'fn'],
    'tree_callers': ['tree', '--callers', 'balance'],
    'tree_callees': ['tree', '--callees', 'insert'],
    'flame': ['flame'], 'leaks': ['leaks'], 'lifetimes': ['lifetimes'], 'gc': ['gc'],
    'timeline': ['timeline', '--top', '8'], 'check': ['check'],
    'table_json': ['table', '--json'], 'tree_json': ['tree', '--json'],
    'table_csv': ['table', '--csv'],
}


class Views(support.Case):
    def test_views_print_what_they_did(self):
        self.write('small.ctf', ctf.small().bytes)
        for name, words in VIEWS.items():
            with self.subTest(name):
                self.golden(name + '.txt', self.prof(words[0], 'small.ctf', *words[1:]))

    def test_source_lines_get_their_figures(self):
        self.write('small.ctf', ctf.small().bytes)
        self.write('tree.ml', b''.join(b'let line_%d = ()\n' % i for i in range(1, 20)))
        self.golden('annotate.txt', self.prof('annotate', 'small.ctf', 'tree.ml'))
        self.golden('annotate_function.txt', self.prof('annotate', 'small.ctf', 'load'))

    def test_versions_of_the_trace_give_the_same_report(self):
        self.write('two.ctf', ctf.small(2).bytes)
        expected = self.prof('table', 'two.ctf')
        for version in (1, 3):
            self.write('other.ctf', ctf.small(version).bytes)
            self.assertEqual(self.prof('table', 'other.ctf'), expected)

    def test_predictions_and_recent_names_are_decoded(self):
        t = ctf.Trace()
        for code in range(1, 6):
            t.location(code, ctf.position(code, 0, 1, file='f.ml', name='f%d' % code))
        t.alloc(10, 1, [1, 2, 3, 4, 5])
        # Bucket 1 predicts 2, which predicts 3: tag 1 follows one, tag 2 as many as it says.
        t.alloc(20, 1, [], coded=(2, ctf.codeword(1, 1) + ctf.codeword(5, 0)))
        t.alloc(30, 1, [], prefix=1, coded=(1, ctf.codeword(3, 2, follow=2)))
        self.write('t.ctf', t.flush().bytes)
        self.assertEqual(self.prof('export', '--to', 'folded', '--unit', 'samples', 't.ctf'),
                         'f1 (f.ml:1);f2 (f.ml:2);f3 (f.ml:3);f4 (f.ml:4);f5 (f.ml:5) 1\n'
                         'f1 (f.ml:1);f2 (f.ml:2);f5 (f.ml:5) 1\n'
                         'f1 (f.ml:1);f3 (f.ml:3);f4 (f.ml:4);f5 (f.ml:5) 1\n')

    def test_selectors_select(self):
        self.write('small.ctf', ctf.small().bytes)

        def samples(*words):
            words = ['--json', '--unit', 'samples', *words]
            rows = json.loads(self.prof('table', 'small.ctf', *words))
            return sum(row['samples']['value'] for row in rows['rows'])
        self.assertEqual(samples(), 43)
        self.assertEqual(samples('--show', 'live'), 12)
        self.assertEqual(samples('--show', 'promoted'), 20)
        self.assertEqual(samples('--show', 'minor-dead'), 21)
        self.assertEqual(samples('--show', 'major-dead'), 10)
        self.assertEqual(samples('--at', '0.9ms'), 0)
        self.assertEqual(samples('--at', '1ms'), 1)
        self.assertEqual(samples('--from', '2ms', '--to', '3ms'), 10)
        self.assertEqual(samples('--focus', 'Tree.balance'), 26)
        self.assertEqual(samples('--ignore', 'Tree.balance'), 17)
        self.assertEqual(samples('--size', '1000..'), 2)
        self.assertEqual(samples('--life', '..1ms'), 1)
        self.assertEqual(samples('--show', 'live', '--tail', '50%'), 9)
        self.assertEqual(samples('--show', 'live', '--age-min', '2ms'), 10)

    def test_totals_of_all_views_agree(self):
        self.write('small.ctf', ctf.small().bytes)
        table = json.loads(self.prof('table', 'small.ctf', '--json'))
        tree = json.loads(self.prof('tree', 'small.ctf', '--json'))
        folded = self.prof('export', '--to', 'folded', 'small.ctf').split('\n')
        total = sum(row['bytes']['value'] for row in table['rows'])
        self.assertEqual(tree['tree'][0]['bytes']['value'], total)
        self.assertEqual(sum(int(line.split(' ')[-1]) for line in folded if line), total)

    def test_a_diff_calls_only_large_changes_real(self):
        def run(blocks):
            t = ctf.Trace(rate=0.001)
            t.location(1, ctf.position(1, 0, 1, file='a.ml', name='same'))
            t.location(2, ctf.position(2, 0, 1, file='a.ml', name='grows'))
            for i in range(103):
                t.alloc(i, 1, [1])
            for i in range(blocks):
                t.alloc(200 + i, 1, [2])
            return t.flush().bytes
        self.write('a.ctf', run(100))
        self.write('b.ctf', run(300))
        rows = json.loads(self.prof('diff', 'a.ctf', 'b.ctf', '--json'))['rows']
        real = {row['name'].split(' ')[0]: row['certain'] for row in rows}
        self.assertEqual(real, {'total': 'yes', 'grows': 'yes', 'same': 'chance'})

    def test_a_trace_that_was_cut_off_is_read(self):
        whole = ctf.small().bytes
        self.write('cut.ctf', whole + ctf.small().bytes[:100])
        self.assertIn('The end of the profile is missing', self.prof('summary', 'cut.ctf'))
