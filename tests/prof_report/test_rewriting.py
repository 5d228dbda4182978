"""Profiles made of profiles: trim, merge, anonymise; and exact counts of sites."""
import json
import os
import shutil
import subprocess
import unittest

import ctf
import support

PROGRAM = '''
open Bactrian
let kept = ref []
let load n = for i = 1 to n do kept := string_of_int i :: !kept done
let churn n = for i = 1 to n do ignore (Sys.opaque_identity (Array.make (i mod 400) 0.5)) done
let () =
  Profile.phase "load" (fun () -> load 20_000);
  Profile.phase "work" (fun () -> Profile.phase "inner" (fun () -> churn 20_000));
  ignore (Sys.opaque_identity (Marshal.from_string (Marshal.to_string !kept []) 0));
  print_endline "secret"
'''
VIEWS = ('stats', 'summary', 'table', 'tree', 'flame', 'leaks', 'lifetimes', 'timeline', 'gc')


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Rewriting(support.Case):
    def setUp(self):
        super().setUp()
        self.write('p.ml', PROGRAM.encode())

    def record(self, name='p.bprof', *words):
        _, err, status = self.run_prof('record', '--quiet', '--rate', '0.01', '--gc-trace', '-o',
                                       name, *words, 'p.ml', 'argument')
        self.assertEqual((err.decode(), status), ('', 0))

    def json(self, verb, name, *words):
        return json.loads(self.prof(verb, name, '--json', *words))

    def assert_same(self, one, other):
        for view in VIEWS:
            texts = [self.prof(view, name, '--json').replace(name, 'FILE') for name in (one, other)]
            self.assertEqual(*texts, view)

    def test_a_trim_that_selects_all_keeps_all(self):
        self.record()
        self.prof('trim', 'p.bprof', '-o', 'again.bprof')
        self.prof('check', 'again.bprof')
        self.assert_same('p.bprof', 'again.bprof')
        self.prof('trim', 'again.bprof', '-o', 'third.bprof')
        self.assertEqual(self.read('again.bprof'), self.read('third.bprof'))

    def test_exact_counts_are_kept(self):
        self.record('p.bprof', '--exact-sites')
        self.prof('trim', 'p.bprof', '-o', 'again.bprof')
        self.assert_same('p.bprof', 'again.bprof')

    def test_a_trimmed_profile_has_what_was_selected(self):
        self.record()
        self.prof('trim', 'p.bprof', '--phase', 'load', '-o', 'load.bprof')
        self.prof('check', 'load.bprof')
        whole = self.json('table', 'p.bprof', '--phase', 'load', '--unit', 'samples')
        part = self.json('table', 'load.bprof', '--unit', 'samples')
        self.assertEqual(whole['rows'], part['rows'])
        self.assertEqual(self.json('stats', 'p.bprof')['phases'],
                         self.json('stats', 'load.bprof')['phases'])
        self.assertEqual(self.json('gc', 'p.bprof', '--phase', 'load')['events'],
                         self.json('gc', 'load.bprof', '--phase', 'load')['events'])

    def test_a_window_keeps_the_pauses_in_it(self):
        self.record()
        self.prof('trim', 'p.bprof', '--from', '2%', '--to', '98%', '-o', 'part.bprof')
        self.prof('check', 'part.bprof')
        pauses = [self.json('gc', name, *words)['events'][0]['count'] for name, words in (
            ('p.bprof', ['--from', '2%', '--to', '98%']), ('part.bprof', []))]
        self.assertEqual(*pauses)
        self.assertGreater(pauses[0], 0)

    def test_merged_recordings_keep_counters_and_phases(self):
        self.record()
        self.record('q.bprof', '--seed', '7')
        self.prof('merge', 'p.bprof', 'q.bprof', '-o', 'both.bprof')
        self.prof('check', 'both.bprof')
        one, other, both = [self.json('stats', name) for name in ('p.bprof', 'q.bprof',
                                                                  'both.bprof')]
        for row in range(3):
            self.assertEqual(both['calibration'][row]['exact'],
                             one['calibration'][row]['exact'] + other['calibration'][row]['exact'])
        self.assertEqual([p['phase'] for p in both['phases']], 2 * ['load', 'work', 'inner'])
        self.assertEqual(both['sampling']['samples'],
                         one['sampling']['samples'] + other['sampling']['samples'])

    def test_merges_and_differences_hold_one_file_at_a_time(self):
        if 'ASAN_OPTIONS' in os.environ:
            self.skipTest('compares memory')
        self.write('p.ml', b'let () = for i = 1 to 4_000_000 do\n'
                           b'  ignore (Sys.opaque_identity (ref i)) done\n')
        self.prof('record', '--quiet', '--rate', '1', '-o', 'p.bprof', 'p.ml')
        size = {}
        for words in (('stats', 'p.bprof'), ('diff', 'p.bprof', 'p.bprof'),
                      ('merge', 'p.bprof', 'p.bprof', '-o', 'both.bprof')):
            child = subprocess.Popen([self.settings.bactrian, 'prof', *words], cwd=self.folder,
                                     stdout=subprocess.DEVNULL)
            _, child.returncode, used = os.wait4(child.pid, 0)
            self.assertEqual(child.returncode, 0)
            size[words[0]] = used.ru_maxrss
        self.assertLess(size['merge'], 0.7 * size['stats'])
        self.assertLess(size['diff'], 1.3 * size['stats'])

    def test_recordings_from_pipes_merge(self):
        self.record()
        self.prof('merge', 'p.bprof', 'p.bprof', '-o', 'both.bprof')
        command = '"$0" prof merge <(cat p.bprof) <(cat p.bprof) -o pipes.bprof'
        subprocess.run(['bash', '-c', command, self.settings.bactrian], cwd=self.folder, check=True)
        self.assertEqual(self.read('pipes.bprof'), self.read('both.bprof'))

    def test_traces_merge_into_a_trace(self):
        self.record()
        self.prof('export', '--to', 'memtrace', 'p.bprof', '-o', 'p.ctf')
        self.prof('merge', 'p.ctf', 'p.ctf', '-o', 'both.ctf')
        self.prof('check', 'both.ctf')
        once, twice = ({row['name']: row['samples']['value'] for row in
                        self.json('table', name, '--unit', 'samples', '--top', '1000')['rows']}
                       for name in ('p.ctf', 'both.ctf'))
        self.assertEqual({name: 2 * count for name, count in once.items()}, twice)

    def test_a_recording_and_a_trace_merge(self):
        self.record()
        self.write('small.ctf', ctf.small().bytes)
        self.prof('merge', 'small.ctf', 'p.bprof', '-o', 'both.bprof')
        self.prof('check', 'both.bprof')
        samples = [self.json('stats', name)['sampling']['samples']
                   for name in ('small.ctf', 'p.bprof', 'both.bprof')]
        self.assertEqual(samples[0] + samples[1], samples[2])

    def test_an_anonymous_recording_keeps_figures_and_no_names(self):
        self.record()
        self.prof('anonymise', 'p.bprof', '-o', 'anonymous.bprof')
        self.prof('check', 'anonymous.bprof')
        text = ''.join(self.prof(view, 'anonymous.bprof') for view in VIEWS)
        for name in ('p.ml', 'load', 'churn', 'work', 'argument', 'Stdlib'):
            self.assertNotIn(name, text.replace('anonymous.bprof', '').replace('workload', ''))
        figures = [[r['bytes'] for r in self.json('table', name)['rows']]
                   for name in ('p.bprof', 'anonymous.bprof')]
        self.assertEqual(*figures)
        self.assertEqual(self.json('gc', 'p.bprof')['events'],
                         self.json('gc', 'anonymous.bprof')['events'])

    def test_the_result_goes_through_a_pipe(self):
        self.record()
        self.prof('trim', 'p.bprof', '-o', 'file.bprof')
        piped = subprocess.run([self.settings.bactrian, 'prof', 'trim', 'p.bprof'], cwd=self.folder,
                               stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(piped, self.read('file.bprof'))
