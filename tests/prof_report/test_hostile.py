"""Profiles made to harm their readers: names, sources, sizes."""
import os
import sys
import time

import support

sys.path.insert(0, os.path.join(support.ROOT, 'tests', 'support'))
import fuzzed_profiles as fuzzed  # noqa: E402

ESCAPE, OVERRIDE = '\x1b[2J', '\u202e'
NAMES = ['=cmd|1', '+1+1', '-2', '@sum', '\tx', 'say "hi", "you"', 'A.f' + ESCAPE,
         'A.' + OVERRIDE + 'g', 'A.\u2066h\u2069', 'A.\x9bm']


class Hostile(support.Case):
    def profile(self, names, file=b'a.ml', line=2):
        p = fuzzed.Profile()
        p.start(1)
        source = p.string(file)
        for name in names:
            number = p.location(source, p.string(name.encode()), line)
            p.put(fuzzed.SMALL_SAMPLE, fuzzed.uint(1), fuzzed.uint(3),
                  fuzzed.sint(p.stack(0, number, 1) - p.samples))
            p.samples += 1
        p.put(fuzzed.END, fuzzed.uint(1), fuzzed.uint(0), fuzzed.uint(0))
        p.flush()
        self.write('h.prof', bytes(p.bytes))

    def test_csv_has_no_formula_and_no_control_character(self):
        self.profile(NAMES, file=b'')
        for words in (['table', '--csv', '--by', 'fn'], ['export', '--to', 'csv'],
                      ['tree', '--csv']):
            out = self.prof(*words, 'h.prof')
            cells = [line.split(',', 3)[-1] for line in out.splitlines()]
            text = ''.join(cells)
            for name in ("'=cmd|1", "'+1+1", "'-2", "'@sum"):
                self.assertIn(name, text)
            self.assertIn('say ""hi"", ""you""', text)
            self.assertNotRegex(text, '[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]')
            self.assertNotRegex(out, r'(?m)[,\n]"?[=+@]')

    def test_texts_show_what_would_change_direction(self):
        self.profile(NAMES)
        for words in (['table'], ['tree'], ['flame'], ['summary'], ['annotate', 'h.prof', 'a.ml'],
                      ['leaks'], ['table', '--json'], ['export', '--to', 'callgrind']):
            words = words if 'h.prof' in words else words + ['h.prof']
            out = self.prof(*words)
            self.assertNotRegex(out, '[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]')
        self.assertIn('A.\\u202eg', self.prof('table', 'h.prof'))
        self.assertIn('A.\\u2066h\\u2069', self.prof('table', 'h.prof'))

    def annotated(self, file, *words):
        self.profile(['Main.f'], file=file.encode())
        return self.prof('annotate', 'h.prof', 'f', *words)

    def test_only_sources_below_the_given_folders_are_read(self):
        outside = os.path.join(self.folder, 'outside')
        inside = os.path.join(self.folder, 'inside')
        os.mkdir(outside)
        os.mkdir(inside)
        self.write('outside/b.ml', b'one\nsecret\nthree\n')
        self.write('inside/a.ml', b'one\nopen source\nthree\n')
        folder, self.folder = self.folder, inside
        os.symlink(os.path.join(outside, 'b.ml'), os.path.join(inside, 'c.ml'))
        os.mkfifo(os.path.join(inside, 'pipe'))
        os.mkdir(os.path.join(inside, 'd'))
        big = os.path.join(inside, 'big')
        with open(big, 'wb') as file:
            file.truncate(1 << 30)
        for file in ('/dev/zero', '/etc/passwd', outside + '/b.ml', '../outside/b.ml', 'c.ml', 'd',
                     'pipe', 'big', '/proc/self/mem'):
            with self.subTest(file=file):
                out = self.annotated(file)
                self.assertIn('A source file was not found below this folder', out)
                self.assertNotIn('secret', out)
        for file in ('a.ml', './a.ml', inside + '/a.ml', '/nowhere/src/a.ml'):
            with self.subTest(file=file):
                self.assertIn('open source', self.annotated(file))
        for file in ('/nowhere/b.ml', outside + '/b.ml'):
            with self.subTest(file=file):
                self.assertIn('secret', self.annotated(file, '--source', '../outside'))
        self.assertIn('not found', self.annotated('/etc/passwd', '--source', '../outside'))
        self.folder = folder

    def test_a_file_that_unpacks_to_too_much_is_refused(self):
        p = fuzzed.Profile()
        p.start(1)
        p.location(p.string(b'a.ml'), p.string(b'A.f'), 1)
        for _ in range(40):
            p.stack(0, 1, 900000)
            p.flush()
        self.write('h.prof', bytes(p.bytes))
        self.assertLess(len(p.bytes), 10000)
        for verb in ('table', 'trim', 'html'):
            start = time.monotonic()
            _, err, status = self.run_prof(verb, 'h.prof')
            self.assertEqual(status, 125)
            self.assertRegex(err, rb'^bactrian: h.prof: unpacks to too much for its size, .*\n$')
            self.assertLess(time.monotonic() - start, 30)

    def test_deep_stacks_are_shortened_in_exports(self):
        p = fuzzed.Profile()
        p.start(1)
        a = p.location(p.string(b'a.ml'), p.string(b'A.f'), 1)
        b = p.location(1, p.string(b'A.g'), 2)
        node = 0
        for _ in range(20000):
            node = p.stack(p.stack(node, a, 1), b, 1)
        p.put(fuzzed.SMALL_SAMPLE, fuzzed.uint(0), fuzzed.uint(1), fuzzed.sint(1))
        p.put(fuzzed.SMALL_SAMPLE, fuzzed.uint(0), fuzzed.uint(1), fuzzed.sint(1), times=node - 1)
        p.put(fuzzed.END, fuzzed.uint(1), fuzzed.uint(0), fuzzed.uint(0))
        p.flush()
        self.write('h.prof', bytes(p.bytes))
        for selector in ([], ['--focus', 'A[.]f'], ['--ignore', 'B'], ['--keep', 'A.']):
            folded = self.prof('export', '--to', 'folded', 'h.prof', *selector)
            self.assertLess(len(folded), 20000000)
            self.assertIn(';(frames left out);', folded)
            self.assertLess(max(line.count(';') for line in folded.splitlines()), 500)
            total = sum(int(line.split()[-1]) for line in folded.splitlines())
            self.assertEqual(total, 8 * node)
        for verb in (['tree', '--inverted'], ['annotate'], ['export', '--to', 'memtrace'],
                     ['export', '--to', 'dhat'], ['html']):
            words = verb + ['h.prof'] + (['f'] if verb == ['annotate'] else [])
            start = time.monotonic()
            _, err, status = self.run_prof(*words)
            self.assertEqual((err, status), (b'', 0), words)
            self.assertLess(time.monotonic() - start, 60)
        self.assertIn('some end before the stacks', self.prof('tree', '--inverted', '--thresh', '0',
                                                             'h.prof'))
