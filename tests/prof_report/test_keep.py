"""prof record --keep: the file stays below the bound, and its estimates cover the truth."""
import json
import os
import shutil
import subprocess
import unittest

import support

LIMIT = 1_000_000
# What it allocates follows from its argument: kept, queued and dropped blocks, and their sites.
PROGRAM = '''
let kept : (int, bytes) Hashtbl.t = Hashtbl.create 16
let add i = Hashtbl.replace kept i (Bytes.create 80)
let queue = Queue.create ()
let push i =
  Queue.add (Array.make 20 i) queue;
  if Queue.length queue > 2000 then ignore (Queue.pop queue)
let drop i = ignore (Sys.opaque_identity (Array.make 3 i))
let work i =
  if i mod 50 = 0 then add i;
  if i mod 3 = 0 then push i;
  drop i
let () = for i = 1 to int_of_string Sys.argv.(1) do work i done
'''
# Records of all kinds that are not about samples.
EVENTS = '''
open Bactrian
let parts = ref []
let part () = Bigarray.(Array1.sub (Array1.create char c_layout 4000) 0 8)
let request i =
  Profile.count "request";
  if i mod 3 = 0 then Profile.count ~by:2 "third";
  if i mod 500 = 0 then parts := part () :: (if i mod 20_000 = 0 then [] else !parts);
  ignore (Sys.opaque_identity (Bytes.make (i mod 3000) 'x'))
let () =
  Profile.phase "all" (fun () ->
    for i = 1 to int_of_string Sys.argv.(1) do Profile.phase "request" (fun () -> request i) done);
  Profile.phase "end" (fun () -> request 1)
'''

# Records itself.
OWN = '''
let work () =
  for i = 1 to 700_000 do ignore (Sys.opaque_identity (Bytes.create (i * i mod 997))) done
let start keep file = match Bactrian.Profile.start ~keep file with
  | () -> Bactrian.Profile.stop (); print_endline "started"
  | exception Sys_error text -> print_endline text
  | exception Invalid_argument text -> print_endline text
let () =
  Bactrian.Profile.record ~rate:1. ~keep:1_000_000 "own.prof" work;
  start 999_999 "not.prof";
  start (-1) "not.prof";
  start 1_000_000 "/dev/null"
'''


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Keep(support.Case):
    def compile(self, text):
        self.write('p.ml', text.encode())
        modules = subprocess.run([self.settings.bactrian, '--where'], stdout=subprocess.PIPE,
                                 check=True).stdout.decode().strip()
        subprocess.run(['ocamlc', '-g', '-I', modules, 'bactrian.cma', 'p.ml', '-o', 'p.byte'],
                       cwd=self.folder, check=True)

    def record(self, *words, size, limit=LIMIT):
        """The largest size of the file that was seen while the program ran."""
        path = os.path.join(self.folder, 'p.prof')
        if os.path.exists(path):
            os.remove(path)
        child = subprocess.Popen([self.settings.bactrian, 'prof', 'record', '--quiet', '--keep',
                                  str(limit), '-o', 'p.prof', *words, 'p.byte', str(size)],
                                 cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        most = 0
        while child.poll() is None:
            try:
                child.wait(0.002)
            except subprocess.TimeoutExpired:
                pass
            if os.path.exists(path):
                most = max(most, os.path.getsize(path))
        self.assertEqual((child.communicate(), child.returncode), ((b'', b''), 0))
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if 'bactrian' in name), [])
        return most

    def json(self, *words):
        return json.loads(self.prof(*words, '--json'))

    def estimate(self, verb, name, *words):
        rows = self.json(verb, 'p.prof', '--top', '1000', *words)['rows']
        return next(row['bytes'] for row in rows if row['name'].startswith(name))

    def test_a_program_bounds_its_own_recording(self):
        self.compile(OWN)
        done = subprocess.run([self.settings.bactrian, 'p.byte'], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        wrong = 'Bactrian.Profile: keep must be at least 1,000,000 bytes'
        self.assertEqual(done.stdout.decode().splitlines(), [
            wrong, wrong, '/dev/null: keep rewrites the recording: give a regular file'])
        self.assertEqual(done.stderr, b'')
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'not.prof')))
        self.assertLess(len(self.read('own.prof')), LIMIT)
        self.prof('check', 'own.prof')
        facts = json.loads(self.prof('stats', 'own.prof', '--json'))['sampling']
        self.assertGreater(facts['weight'], 1)
        self.assertLess(facts['samples'], 700_000)

    def test_a_long_recording_stays_small_and_its_estimates_cover_the_truth(self):
        self.compile(PROGRAM)
        size, runs = 3_000_000, 20 if self.settings.long else 4
        truths = {('table', 'P.push (p.ml:6'): size // 3 * 8 * 21,
                  ('table', 'P.drop'): size * 8 * 4,
                  ('table', 'P.add (p.ml:3:3'): size // 50 * 8 * 12,
                  ('leaks', 'P.add (p.ml:3:3'): size // 50 * 8 * 12,
                  ('leaks', 'P.push (p.ml:6'): 2000 * 8 * 21}
        missed = []
        for seed in range(runs):
            self.assertLess(self.record('--rate', '0.05', '--seed', str(seed), size=size), LIMIT)
            self.prof('check', 'p.prof')
            stats = self.json('stats', 'p.prof')
            weight = stats['sampling']['weight']
            self.assertGreaterEqual(weight, 4)
            for (verb, name), truth in truths.items():
                found = self.estimate(verb, name, *(['--raw'] if verb == 'leaks' else []))
                self.assertLess(abs(found['value'] / truth - 1), 0.1, (name, found, truth))
                if not found['low'] <= truth <= found['high']:
                    missed.append((seed, verb, name, found, truth))
            missed += [(seed, row) for row in stats['calibration'] if row['within'] != 'yes']
        self.assertLessEqual(len(missed), runs * 8 // 8 + 2, missed)  # 5 % are expected

    def test_totals_and_counts_stay_exact(self):
        self.compile(EVENTS)
        most = self.record('--rate', '0.1', '--exact-sites', '--gc-trace', size=150_000)
        self.assertLess(most, LIMIT)
        self.prof('check', 'p.prof')
        stats = self.json('stats', 'p.prof')
        self.assertEqual({row['name']: row['count'] for row in stats['counts']},
                         {'request': 150_001, 'third': 100_000})
        rows = {row['name']: row for row in self.json('table', 'p.prof', '--top', '1000')['rows']}
        blocks = next(row['blocks'] for name, row in rows.items() if 'bytes.ml' in name)
        self.assertEqual(blocks, 150_001)
        notes = ' '.join(self.json('gc', 'p.prof')['notes'])
        self.assertRegex(notes, r'[1-9]\d* pauses, [1-9]\d* phases and \d+ markings before')
        self.assertEqual([row['phase'] for row in stats['phases'][:1]], ['all'])

    def test_what_writes_profiles_keeps_weights(self):
        self.compile(PROGRAM)
        self.record('--rate', '0.05', size=3_000_000)
        before = self.json('table', 'p.prof')['rows']
        self.prof('trim', 'p.prof', '-o', 'all.prof')
        self.assertEqual(self.json('table', 'all.prof')['rows'], before)
        self.prof('trim', '--focus', 'P.add', 'p.prof', '-o', 'part.prof')
        self.assertEqual(self.json('table', 'part.prof')['rows'],
                         self.json('table', 'p.prof', '--focus', 'P.add')['rows'])
        self.prof('merge', 'p.prof', 'p.prof', '-o', 'two.prof')
        total = self.json('tree', 'two.prof')['tree'][0]['bytes']
        once = self.json('tree', 'p.prof')['tree'][0]['bytes']
        value = [cell['value'] if isinstance(cell, dict) else cell for cell in (total, once)]
        self.assertAlmostEqual(value[0] / value[1], 2, delta=0.001)
        for verb in ('flame', 'lifetimes', 'timeline', 'grow', 'advise', 'summary'):
            self.assertNotEqual(self.prof(verb, 'p.prof'), '')
        self.prof('html', 'p.prof', '-o', 'p.html')

    def test_sizes_and_files_that_cannot_be_kept_are_refused(self):
        self.compile('let () = print_string "ran"')
        for words, message in (
                (['--keep', '10k'], '--keep: expected a size'),
                (['--keep', '2M', '-o', '/dev/null'], '--keep rewrites the recording')):
            out, err, status = self.run_prof('record', *words, 'p.byte')
            self.assertEqual((out, status), (b'', 125))
            self.assertIn(message, err.decode())
