"""Live memory, compared with that of programs whose reachable memory is known.

At rate 1 every word is a sample, so what is proven is exact. Selected is what was allocated through
the program's own code."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import ctf
import support
from live_programs import LIST, TRUTH

OWN = 'p[.]ml'
SLACK = 1_000  # the module, and what it calls once


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Live(support.Case):
    def compile(self, program):
        self.write('p.ml', program.encode())
        subprocess.run(['ocamlc', '-g', '-w', '-a', '-I', '+threads', 'unix.cma', 'threads.cma',
                        'p.ml', '-o', 'p.byte'], cwd=self.folder, check=True)

    def record(self, *words, parameters=''):
        done = subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--force', '-o',
                               'p.bprof', *words, 'p.byte'], cwd=self.folder, timeout=300,
                              env=dict(os.environ, OCAMLRUNPARAM=parameters),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.stderr.decode(), done.returncode), ('', 0))

    def total(self, *words):
        tree = json.loads(self.prof('tree', 'p.bprof', '--json', *words))['tree']
        return tree[0]['bytes']['value'] if tree else 0

    def test_what_is_proven_is_what_is_reachable(self):
        for name, (program, peak, end) in TRUTH.items():
            with self.subTest(name):
                self.compile(program)
                self.record('--rate', '1')
                for moment, truth in (('peak', peak), ('end', end)):
                    found = self.total('--at', moment, '--focus', OWN)
                    if truth is not None:
                        self.assertLess(abs(found - truth), SLACK, moment)

    def test_intervals_of_proven_memory_hold_the_truth(self):
        # Ten functions of about 40 hits each; the lists of half of them are dropped at the end.
        length, rate, seeds = 1_333, 0.01, 500 if self.settings.long else 8
        self.compile(''.join('let rec build%d n = if n = 0 then [] else n :: build%d (n - 1)\n'
                             'let kept%d = ref (build%d %d)\n' % (i, i, i, i, length)
                             for i in range(10)) + 'let () = Gc.full_major ();\n' + ''.join(
                                 'kept%d := [];\n' % i for i in range(5)) + 'Gc.full_major ()')
        estimates = {'peak': [], 'end': []}
        for seed in range(seeds):
            self.record('--rate', str(rate), '--seed', str(seed))
            for moment, found in estimates.items():
                rows = json.loads(self.prof('table', 'p.bprof', '--json', '--by', 'fn', '--at',
                                            moment, '--top', '1000'))['rows']
                found += [row['bytes'] for row in rows if row['name'].startswith('P.build')]
        for moment, functions in (('peak', 10), ('end', 5)):
            found, truth, count = estimates[moment], length * LIST, functions * seeds
            self.assertEqual(len(found), count)
            held = sum(e['low'] <= truth <= e['high'] for e in found) / count
            bias = sum(e['value'] for e in found) / count / truth - 1
            if self.settings.long:
                print('%s: %d estimates, %.1f %% of the intervals hold the truth, bias %.2f %%' % (
                    moment, count, 100 * held, 100 * bias))
                self.assertLess(abs(bias), 0.01, moment)
            error = (0.95 * 0.05 / count) ** 0.5
            self.assertLess(abs(held - 0.95), 0.01 + 3 * error, moment)
            self.assertLess(abs(bias), 3 / (40 * count) ** 0.5, moment)

    def test_exact_live_memory_is_that_of_the_maximum(self):
        # Nothing but the recorder starts a marking before the list is dropped.
        self.compile('let kept = ref []\n'
                     'let () = for i = 1 to 300_000 do kept := i :: !kept done; kept := []')
        found = {}
        for kind in ('proven', 'exact'):
            self.record('--rate', '1', '--live', kind, parameters='o=100000')
            found[kind] = self.total('--at', 'peak', '--focus', OWN)
        self.assertLess(found['proven'], found['exact'])
        self.assertGreater(found['exact'], 0.85 * 300_000 * LIST)

    def test_markings_of_the_recorder_are_no_pauses_of_the_program(self):
        self.compile(TRUTH['a ring of arrays'][0])
        self.record('--rate', '0.01', '--live', 'exact')
        events = {event['name']: event for event in
                  json.loads(self.prof('gc', 'p.bprof', '--json'))['events']}
        run = json.loads(self.prof('stats', 'p.bprof', '--json'))['run']
        self.assertIn("the recorder's markings", events)
        self.assertGreater(run['overhead'], 0.9 * events["the recorder's markings"]['total'])
        self.assertLessEqual(events['pause, CPU time']['total'],
                             1.05 * events['pause']['total'] + 0.001)
        self.assertLessEqual(run['overhead_processor'], run['processor'])

    def test_pauses_take_the_cpu_time_that_gc_stats_says(self):
        self.compile(TRUTH['a table that grows'][0])
        done = subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--gc-stats',
                               '-o', 'p.bprof', 'p.byte'], cwd=self.folder, check=True,
                              stderr=subprocess.PIPE)
        count, total, longest = re.search(
            rb'gc: ([0-9]+) pauses, ([0-9.]+) ms in all: .*, longest ([0-9.]+) ms',
            done.stderr).groups()
        events = {event['name']: event for event in
                  json.loads(self.prof('gc', 'p.bprof', '--json'))['events']}
        found = events['pause, CPU time']
        self.assertEqual(found['count'], int(count))
        for shown, mine in ((total, found['total']), (longest, found['max'])):
            self.assertAlmostEqual(mine, float(shown) / 1e3, delta=0.0003 + mine / 10)

    def test_it_does_not_depend_on_the_minor_heap(self):
        program, truth, _ = TRUTH['a ring of arrays']
        self.compile(program)
        uncollected = []
        for size in ('s=4k', 's=32k', 's=256k', 's=1M'):
            self.record('--rate', '1', parameters=size)
            found = self.total('--at', 'peak', '--focus', OWN)
            self.assertLess(abs(found - truth), SLACK, size)
            uncollected.append(self.total('--at', 'peak', '--live', 'uncollected'))
        self.assertGreater(uncollected[-1], 4 * uncollected[0])

    def test_the_exact_count_of_a_marking_is_what_its_samples_say(self):
        for name in ('a ring of arrays', 'large arrays, one at a time'):
            with self.subTest(name):
                self.compile(TRUTH[name][0])
                self.record('--rate', '1')
                most = json.loads(self.prof('gc', 'p.bprof', '--json'))['counters']['most']
                self.assertAlmostEqual(self.total('--at', 'peak', '--live', 'uncollected') / most,
                                       1, delta=0.02)

    def test_proven_is_never_above_not_yet_collected(self):
        self.compile(TRUTH['two phases, the second larger'][0])
        self.record('--rate', '1')
        steps = [json.loads(self.prof('timeline', 'p.bprof', '--json', '--top', '50', '--live', of))
                 ['steps'] for of in ('proven', 'uncollected')]
        for proven, uncollected in zip(*steps):
            self.assertEqual(proven['allocated'], uncollected['allocated'])
            self.assertLessEqual(proven['live']['value'], uncollected['live']['value'])

    def test_titles_and_notes_say_what_live_means(self):
        self.compile(TRUTH['a ring of arrays'][0])
        self.record('--rate', '0.01')
        for words in (('table', '--at', 'peak'), ('tree', '--at', 'end'), ('leaks',),
                      ('flame', '--show', 'live')):
            self.assertIn(', proven live at the ', self.prof(words[0], 'p.bprof', *words[1:]))
        self.assertIn('Not proven: ', self.prof('table', 'p.bprof', '--at', '50%alloc'))
        self.assertIn('not yet collected at the peak (',
                      self.prof('table', 'p.bprof', '--at', 'peak', '--live', 'uncollected'))

    def test_of_a_killed_program_the_last_marking_tells(self):
        self.compile('let kept = ref [] let () = Gc.full_major ();\n'
                     'kept := List.init 100_000 Fun.id; Gc.full_major (); print_endline "ready";\n'
                     'while true do for _ = 1 to 10_000 do () done;\n'
                     'ignore (Sys.opaque_identity (ref 0)) done')
        with subprocess.Popen([self.settings.bactrian, 'prof', 'record', '--quiet', '--rate', '1',
                               '-o', 'p.bprof', 'p.byte'], cwd=self.folder,
                              stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            time.sleep(2)  # a chunk is written at least once a second
            child.send_signal(signal.SIGKILL)
        title = self.prof('table', 'p.bprof', '--at', 'end')
        self.assertRegex(title, r'proven live at the end \(.*\), as of the last marking \(')
        self.assertGreater(self.total('--at', 'end'), 100_000 * LIST)

    def test_profiles_without_markings_say_so(self):
        self.write('small.ctf', ctf.small().bytes)
        title = self.prof('table', 'small.ctf', '--at', 'end')
        self.assertIn('not yet collected at the end', title)
        _, err, status = self.run_prof('table', 'small.ctf', '--at', 'end', '--live', 'proven')
        self.assertEqual((err.decode(), status), (
            'bactrian: --live: the profile has no marking that ended: give --live uncollected\n',
            125))

    def test_budgets_are_held_against_proven_memory(self):
        program, truth, _ = TRUTH['a ring of arrays']
        self.compile(program)
        for size in ('s=4k', 's=1M'):
            done = subprocess.run([self.settings.bactrian, 'prof', 'test', '--max-live', '2M',
                                   'p.byte'], cwd=self.folder, timeout=120,
                                  env=dict(os.environ, OCAMLRUNPARAM=size),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_merge_keeps_what_its_parts_prove(self):
        self.compile(TRUTH['a ring of arrays'][0])
        self.record('--rate', '1')
        one = self.total('--at', 'end')
        shutil.copy(os.path.join(self.folder, 'p.bprof'), os.path.join(self.folder, 'q.bprof'))
        self.prof('merge', 'p.bprof', 'q.bprof', '-o', 'both.bprof')
        os.replace(os.path.join(self.folder, 'both.bprof'), os.path.join(self.folder, 'p.bprof'))
        self.assertEqual(self.total('--at', 'end'), 2 * one)
