"""Suspended fibers in recordings: whose words they are, and when. The truth: a call of `deep` that
waits for another takes four words of a stack (a return frame, an argument)."""
import gzip
import json
import os
import subprocess

import support
from test_exports import fields, varints

PROGRAM = '''
open Effect
open Effect.Deep
type _ Effect.t += Wait : int Effect.t | Other : int Effect.t
let waiting : (int, unit) continuation list ref = ref []
let rec deep n = if n = 0 then perform Wait else 1 + deep (n - 1)
let waits body =
  match_with body ()
    { retc = ignore; exnc = raise;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Wait -> Some (fun (k : (a, unit) continuation) -> waiting := k :: !waiting)
        | _ -> None }
let rec passes n body () =
  if n = 0 then body () else
    1 + match_with (passes (n - 1) body) ()
      { retc = Fun.id; exnc = raise;
        effc = fun (type a) (e : a Effect.t) -> match e with
          | Other -> Some (fun (k : (a, int) continuation) -> continue k 0)
          | _ -> None }
let argument i = int_of_string Sys.argv.(i)
let () =
  let fibers = argument 1 and depth = argument 2 and outer = argument 3 in
  for _ = 1 to fibers do waits (passes outer (fun () -> deep depth)) done;
  for _ = 1 to argument 4 do
    let k = List.hd !waiting in
    waiting := List.tl !waiting;
    continue k 0
  done;
  for _ = 1 to argument 5 do waiting := List.tl !waiting done;
  Gc.full_major ();
  let minor, promoted, major = Gc.counters () in
  Printf.printf "%d %.0f" (List.length !waiting) (minor +. major -. promoted)
'''
GENERATOR = '''
open Effect
open Effect.Deep
type _ Effect.t += Yield : int -> unit Effect.t
let rec produce n = if n > 0 then begin perform (Yield n); produce (n - 1) end
let () =
  let sum = ref 0 in
  match_with produce 20_000
    { retc = ignore; exnc = raise;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Yield n -> Some (fun (k : (a, unit) continuation) -> sum := !sum + n; continue k ())
        | _ -> None };
  print_int !sum
'''
FIBERS = ('--show', 'live', '--by', 'source')


class Fibers(support.Case):
    def record(self, text, *arguments, rate='1', flags=()):
        self.write('p.ml', text.encode())
        ocamlc = os.path.join(support.ocaml5(), 'bin', 'ocamlc')
        subprocess.run([ocamlc, '-g', 'p.ml', '-o', 'p.byte'], cwd=self.folder, check=True)
        out, err, status = self.run_prof('record', '--quiet', '--force', '--rate', rate, '-o',
                                         'p.prof', *flags, 'p.byte', *map(str, arguments))
        self.assertEqual((err.decode(), status), ('', 0))
        self.prof('check', 'p.prof')
        return out.decode()

    def view(self, *words, file='p.prof'):
        return json.loads(self.prof(words[0], file, '--json', *words[1:]))

    def fibers(self, *words, file='p.prof'):
        rows = self.view('table', *FIBERS, '--unit', 'words', *words, file=file)['rows']
        found = [row for row in rows if row['name'] == 'suspended fibers']
        return (found[0]['words']['value'], found[0]['blocks']) if found else (0, 0)

    def base(self):
        """The words of a fiber at depth 0."""
        self.record(PROGRAM, 1, 0, 0, 0, 0)
        return self.fibers()[0]

    def test_a_thousand_suspended_fibers_are_live_where_they_wait(self):
        base = self.base()
        self.assertLess(base, 20)
        for depth in 0, 7, 100:
            self.record(PROGRAM, 1000, depth, 0, 0, 0)
            self.assertEqual(self.fibers(), (1000 * (base + 4 * depth), 1000))
            self.assertEqual(self.fibers('--focus', 'P.deep'), self.fibers())
            rows = self.view('leaks', '--by', 'fn', '--unit', 'words')['rows']
            deep, = (row for row in rows if row['name'].startswith('P.deep '))
            blocks = 1000 * 3  # the continuations themselves
            self.assertEqual(deep['words']['value'], 1000 * (base + 4 * depth) + blocks)
            self.assertEqual(deep['kept'], 1)

    def test_used_and_dropped_continuations_hold_nothing(self):
        base = self.base()
        for used, dropped in ((1000, 0), (0, 1000), (300, 0), (0, 300), (100, 200)):
            out = self.record(PROGRAM, 1000, 10, 0, used, dropped)
            left = 1000 - used - dropped
            self.assertEqual(out.split()[0], str(left))
            self.assertEqual(self.fibers(), (left * (base + 40), left))
            self.assertEqual(self.fibers('--at', 'peak', '--live', 'uncollected'),
                             (1000 * (base + 40), 1000))

    def test_suspending_allocates_nothing(self):
        counted = int(self.record(PROGRAM, 1000, 100, 2, 500, 100).split()[1])
        found = self.view('table', '--by', 'source', '--unit', 'words')['rows']
        names = [row['name'] for row in found]
        self.assertNotIn('suspended fibers', names)
        words = sum(row['words']['value'] for row in found if row['name'] != 'external')
        # What was loaded before the recording, and what prints the number; the fibers have 450,000.
        self.assertLess(abs(words - counted), 10000)
        for verb in 'lifetimes', 'table':
            self.assertNotIn('suspended', self.prof(verb, 'p.prof', '--by', 'source'))
        self.record(GENERATOR)
        self.assertEqual(self.fibers(), (0, 0))
        self.assertLess(self.fibers('--at', 'peak')[0], 40)

    def test_fibers_that_an_effect_passes_are_held_where_it_was_performed(self):
        alone = self.base()
        for outer in 1, 5:
            self.record(PROGRAM, 1, 0, outer, 0, 0)
            words, fibers = self.fibers()
            self.assertEqual(fibers, outer + 1)
            self.assertGreater(words, alone + outer)
            self.record(PROGRAM, 200, 30, outer, 50, 0)
            self.assertEqual(self.fibers(), (150 * (words + 4 * 30), 150 * fibers))
            tree = self.view('table', '--show', 'live', '--by', 'site', '--unit', 'words',
                             '--focus', 'P.deep')['rows']
            self.assertEqual(tree[0]['words']['value'], 150 * (words + 4 * 30 + 3))
            self.record(PROGRAM, 200, 30, outer, 200, 0)
            self.assertEqual(self.fibers(), (0, 0))

    def test_stacks_are_cut_at_the_given_depth(self):
        self.record(PROGRAM, 10, 30, 3, 0, 0, flags=('--max-depth', '7'))
        self.assertEqual(self.view('stats')['sampling']['deepest'], 7)
        self.assertEqual(self.fibers('--focus', 'P.deep'), self.fibers())

    def test_estimates_contain_the_truth(self):
        """20 intervals of 95 %: more than four misses come once in 1,000 times."""
        truth = 1000 * (self.base() + 4 * 50)
        misses = 0
        for seed in range(20):
            self.record(PROGRAM, 1000, 50, 0, 0, 0, rate='0.003', flags=('--seed', str(seed)))
            rows = self.view('table', *FIBERS, '--unit', 'words')['rows']
            found, = (row['words'] for row in rows if row['name'] == 'suspended fibers')
            misses += not found['low'] <= truth <= found['high']
            total = self.view('summary', '--unit', 'words')['totals']['live_at_end']
            self.assertLess(total['low'], total['value'])
            self.assertGreaterEqual(total['value'], found['value'])
        self.assertLessEqual(misses, 4)

    def test_other_files_keep_them(self):
        self.record(PROGRAM, 100, 10, 1, 20, 0)
        fibers = self.fibers()
        live = self.view('summary')['totals']['live_at_end']['value']
        for verb in 'trim', 'anonymise':
            self.prof(verb, 'p.prof', '-o', 'again.prof')
            self.assertEqual(self.fibers(file='again.prof'), fibers)
            self.assertEqual(self.view('summary', file='again.prof')['totals']['allocated'],
                             self.view('summary')['totals']['allocated'])
        self.prof('merge', 'p.prof', 'p.prof', '-o', 'both.prof')
        self.assertEqual(self.fibers(file='both.prof'), tuple(2 * n for n in fibers))
        self.prof('export', '--to', 'pprof', 'p.prof', '-o', 'p.gz')
        samples = (value for field, value in fields(gzip.decompress(self.read('p.gz')))
                   if field == 2)
        columns = [list(varints(value)) for sample in samples
                   for field, value in fields(sample) if field == 2]
        self.assertEqual(sum(column[5] for column in columns), live)
        # Not in a trace, which knows allocations only.
        self.prof('export', '--to', 'memtrace', 'p.prof', '-o', 'p.ctf')
        self.prof('check', 'p.ctf')
        self.assertEqual(self.view('stats', file='p.ctf')['sampling']['samples'],
                         sum(row['samples']['value'] for row in self.view(
                             'table', '--unit', 'samples', '--top', '9999')['rows']))
