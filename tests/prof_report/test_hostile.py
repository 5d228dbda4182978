"""Profiles made to harm their readers: names, sources, sizes."""
import os
import subprocess
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
            self.assertRegex(err, rb'^bactrian: h.prof: expands to too much for its size, .*\n$')
            self.assertLess(time.monotonic() - start, 30)

    def memory_of(self, *words):
        """(status, error, bytes) of a verb."""
        child = subprocess.Popen([self.settings.bactrian, 'prof', *words], cwd=self.folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE)
        with child.stderr:
            err = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode, err, used.ru_maxrss << 10

    def test_a_file_of_a_megabyte_needs_less_than_a_gigabyte(self):
        """Records of one byte, or that take more in memory than their bytes: as many as are read,
        and too many."""
        if 'ASAN_OPTIONS' in os.environ:
            self.skipTest('limits of memory')
        verbs = ['merge h.prof h.prof -o o.prof --force', 'diff h.prof h.prof']
        rows = [('nodes', 7300000, verbs[0]), ('samples', 6100000, verbs[1])]
        if self.settings.long:
            rows += [('nodes', 7300000, verbs[1]), ('samples', 6100000, verbs[0])]
        for kind, most, verb in rows:
            for count in (most, 30000000):
                p = fuzzed.Profile()
                p.start(1)
                p.location(p.string(b'a.ml'), p.string(b'A.f'), 1)
                for _ in range(2600):
                    p.string(os.urandom(400))
                p.flush()
                node = 0
                for _ in range(0, count if kind == 'nodes' else 1, 900000):
                    node = p.stack(node, 1, min(900000, count - node) if kind == 'nodes' else 1)
                    p.flush()
                p.put(fuzzed.SMALL_SAMPLE, fuzzed.uint(0), fuzzed.uint(1), fuzzed.sint(node))
                p.put(fuzzed.SMALL_SAMPLE, fuzzed.uint(0), fuzzed.uint(1), fuzzed.sint(0),
                      times=count - 1 if kind == 'samples' else 1)
                p.put(fuzzed.END, fuzzed.uint(1), fuzzed.uint(0), fuzzed.uint(0))
                p.flush()
                self.write('h.prof', bytes(p.bytes))
                self.assertTrue(1 << 20 <= len(p.bytes) < 11 << 17, len(p.bytes))
                with self.subTest(kind=kind, count=count, verb=verb):
                    words = verb.split() if count == most else ['table', 'h.prof']
                    status, err, used = self.memory_of(*words)
                    self.assertLess(used, 1 << 30)
                    if count == most:
                        self.assertEqual((status, err), (0, b''))
                    else:
                        self.assertEqual(status, 125)
                        self.assertRegex(err, rb'^bactrian: h.prof: expands to too much for its '
                                              rb'size, chunk \d+, at byte \d+: record the '
                                              rb'program at a lower rate: .*\n$')

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
