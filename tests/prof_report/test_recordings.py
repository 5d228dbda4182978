"""Profiles of Bactrian's own format, recorded here from a program whose allocation is known."""
import json
import os
import re
import shutil
import subprocess
import time
import unittest

import ctf
import support

PROGRAM = '''
let kept = ref []
let rec churn n = if n > 0 then (ignore (Sys.opaque_identity (n, n)); churn (n - 1))
let keep n = for i = 1 to n do kept := i :: !kept done
let () = churn 200_000; keep 50_000; churn 200_000; print_int (List.length !kept)
'''
CHURNED, KEPT = 2 * 200000 * 3 * 8, 50000 * 3 * 8


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Recordings(support.Case):
    def setUp(self):
        super().setUp()
        self.write('p.ml', PROGRAM.encode())
        subprocess.run(['ocamlc', '-g', 'p.ml', '-o', 'p.byte'], cwd=self.folder, check=True)

    def record(self, *words, arguments=()):
        _, err, status = self.run_prof('record', '--quiet', '-o', 'p.bprof', *words, 'p.byte',
                                       *arguments)
        self.assertEqual((err.decode(), status), ('', 0))

    def json(self, *words):
        return json.loads(self.prof(words[0], 'p.bprof', '--json', *words[1:]))

    def test_recording_takes_no_longer_than_the_run(self):
        """One hit reads the debugging information of a large unit: whichever it is, it counts
        once."""
        if 'ASAN_OPTIONS' in os.environ:
            self.skipTest('compares times')
        self.write('first.ml', b'''
            let rec churn n = if n > 0 then (ignore (Sys.opaque_identity (ref n)); churn (n - 1))
            let () = churn (100 + int_of_string Sys.argv.(1))
            ''')
        functions = ['let f%d n = string_of_int (n + %d)' % (i, i) for i in range(5000)]
        self.write('p.ml', '\n'.join(functions).encode())
        subprocess.run(['ocamlc', '-g', 'first.ml', 'p.ml', '-o', 'p.byte'], cwd=self.folder,
                       check=True)
        for count in range(32):
            start = time.monotonic()
            self.record('--rate', '1', arguments=[str(count)])
            took = time.monotonic() - start
            overhead = self.json('stats')['run']['overhead']
            self.assertGreater(overhead, 0)
            self.assertLess(overhead, took)

    def test_every_view_reads_them(self):
        self.record('--rate', '0.01', '--seed', '5', '--gc-trace')
        for view in ('stats', 'summary', 'table', 'tree', 'flame', 'leaks', 'lifetimes', 'timeline',
                     'gc', 'check'):
            self.assertIn(view, self.json(view)['view'])
            self.prof(view, 'p.bprof')

    def test_the_recorders_own_collection_is_no_pause(self):
        self.record('--gc-trace')
        view = self.json('gc')
        rows = {row['name']: row for row in view['events']}
        own = rows["the recorder's last collection"]
        self.assertEqual(own['count'], 1)
        self.assertGreater(rows['pause']['count'], 0)
        self.assertEqual(rows['pause']['count'],
                         len(self.json('gc', '--top', '100000')['longest']))
        self.prof('trim', 'p.bprof', '-o', 'part.bprof')
        again = json.loads(self.prof('gc', 'part.bprof', '--json'))
        self.assertEqual(view['events'], again['events'])

    def test_estimates_hold_the_known_figures(self):
        self.record('--rate', '0.01', '--seed', '5')
        rows = {row['name'].split(' ')[0]: row for row in self.json('table', '--by', 'fn')['rows']}
        churn, keep = rows['P.churn'], rows['P.keep']
        self.assertLess(abs(churn['bytes']['value'] - CHURNED), 0.05 * CHURNED)
        self.assertTrue(keep['bytes']['low'] < KEPT < keep['bytes']['high'])
        self.assertEqual((churn['live'], keep['live']), (0, 1))
        for row in self.json('stats')['calibration']:
            self.assertEqual(row['within'], 'yes', row)

    def test_a_rate_of_one_is_exact(self):
        self.record('--rate', '1')
        rows = {row['name'].split(' ')[0]: row for row in self.json('table', '--by', 'fn')['rows']}
        closure = 32  # allocated where the function is defined
        keep = rows['P.keep']['bytes']
        self.assertEqual((keep['value'], keep['low']), (KEPT + closure, keep['high']))
        self.assertEqual(rows['P.keep']['blocks'], 50000 + 1)

    def test_exact_sites_are_exact(self):
        self.record('--rate', '1e-4', '--exact-sites')
        every = self.json('table', '--by', 'fn', '--top', '1000')['rows']
        rows = {row['name'].split(' ')[0]: row for row in every}
        for name, size, blocks in (('P.churn', CHURNED, 400000), ('P.keep', KEPT + 32, 50001)):
            self.assertEqual((rows[name]['bytes'], rows[name]['blocks']),
                             ({'value': size, 'low': size, 'high': size}, blocks))
        total = sum(row['bytes']['value'] for row in every)
        exact = self.json('summary')['totals']['allocated']
        self.assertEqual({'value': total, 'low': total, 'high': total}, exact)
        self.assertEqual(total, sum(row['exact'] for row in self.json('stats')['calibration'][:2]))
        self.assertAlmostEqual(sum(row['share'] for row in every), 1, places=6)

    def test_counting_leaves_the_samples_alone(self):
        self.record('--rate', '0.01', '--seed', '5')
        before = self.json('table', '--unit', 'samples')
        self.record('--rate', '0.01', '--seed', '5', '--exact-sites')
        self.assertEqual(self.json('table', '--unit', 'samples'), before)

    def test_exports_keep_the_samples(self):
        self.record('--rate', '0.01', '--seed', '5')
        self.prof('export', '--to', 'memtrace', 'p.bprof', '-o', 'p.ctf')
        self.prof('check', 'p.ctf')
        # a trace has no columns beyond 1023
        rows = self.json('table', '--unit', 'samples', '--by', 'fn')['rows']
        again = json.loads(self.prof('table', 'p.ctf', '--json', '--unit', 'samples', '--by',
                                     'fn'))['rows']
        # A location in a trace has ten bits for its last column: long phrases lose it.
        def without_columns(row):
            return re.sub(r'(:[0-9]+):[0-9]+(-[0-9]+)?\)', r'\1)', row['name']), row['samples']
        self.assertEqual([without_columns(r) for r in rows], [without_columns(r) for r in again])

    def test_damaged_profiles_crash_no_verb(self):
        self.record('--rate', '0.001', '--seed', '5', '--gc-trace')
        self.prof('export', '--to', 'memtrace', 'p.bprof', '-o', 'p.ctf')
        for version in (1, 2, 3):
            self.write('%d.ctf' % version, ctf.small(version).bytes)
        build = os.path.dirname(os.path.dirname(os.path.dirname(self.settings.bactrian)))
        done = subprocess.run([os.path.join(build, 'tests', 'prof_report', 'mutants'),
                               str(10 * self.settings.mutants), '7', 'p.bprof', 'p.ctf', '1.ctf',
                               '2.ctf', '3.ctf'], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=1200)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:].decode('latin-1'))


ENDINGS = '''
let kept = ref []
let build n = let rec go n l = if n = 0 then l else go (n - 1) (ref n :: l) in go n []
let main () = kept := build 3000
let () = main ()
let () = if Array.length Sys.argv > 1 then ignore (exit (int_of_string Sys.argv.(1)))
'''
HELD = '''
let () =
  let held = Array.init 3000 (fun i -> ref i) in
  if Array.length held > 0 then exit 0;
  print_int (Array.length held)
'''


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Endings(support.Case):
    def leaks(self, text, *words):
        self.write('p.ml', text.encode())
        _, err, status = self.run_prof('record', '--quiet', '--rate', '1', '-o', 'p.bprof', 'p.ml',
                                       *words)
        self.assertEqual((err, status), (b'', int(words[0]) if words else 0))
        rows = json.loads(self.prof('leaks', 'p.bprof', '--json', '--by', 'fn', '--focus', '^P\\.',
                                    '--unit', 'words'))['rows']
        return {row['name'].split(' ')[0]: row['words']['value'] for row in rows}

    def test_exit_keeps_what_the_end_keeps(self):
        returned = self.leaks(ENDINGS)
        self.assertGreaterEqual(sum(returned.values()), 3000 * 5)
        for status in '0', '7':
            exited = self.leaks(ENDINGS, status)
            stats = json.loads(self.prof('stats', 'p.bprof', '--json'))
            self.assertEqual(exited, returned)
            self.assertIn('exit', stats['run']['outcome'])

    def test_what_the_stack_holds_at_exit_is_live(self):
        self.assertGreaterEqual(sum(self.leaks(HELD).values()), 3000 * 2)
