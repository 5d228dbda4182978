"""Causes of pauses, ticks of CPU time, resident memory, rates of allocation."""
import json
import os
import subprocess

import support

PROGRAM = '''
let kept = ref []
let churn n = for i = 1 to n do ignore (Sys.opaque_identity (ref i)) done
let keep n = kept := Array.init n (fun i -> Some i) :: !kept
let outside n =
  for _ = 1 to n do
    ignore (Sys.opaque_identity
      (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 4_000_000))
  done
let rec spin n = if n > 0 then (ignore (Sys.opaque_identity (n * n)); spin (n - 1))
let () =
  match Sys.argv.(1) with
  | "churn" -> churn 3_000_000
  | "keep" -> for _ = 1 to 40 do keep 20_000 done
  | "outside" -> outside 60
  | "program" -> for _ = 1 to 5 do Gc.minor (); Gc.full_major (); Gc.compact () done
  | "limit" -> (try for _ = 1 to 1000 do keep 100_000 done with Out_of_memory -> kept := [])
  | _ -> spin 60_000_000; churn 2_000_000
'''
CAUSES = {'churn': 'minor heap full', 'keep': 'growth of the major heap',
          'outside': 'memory outside the heap', 'program': 'the program: Gc',
          'limit': 'limit of memory'}


class Timeline(support.Case):
    def record(self, what, *flags, env=None):
        self.write('p.ml', PROGRAM.encode())
        subprocess.run(['ocamlc', '-g', 'p.ml', '-o', 'p.byte'], cwd=self.folder, check=True)
        done = subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--force',
                               '-o', 'p.prof', *flags, 'p.byte', what], cwd=self.folder,
                              env=dict(os.environ, **(env or {})), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)
        self.assertEqual((done.stderr, done.returncode), (b'', 0))

    def gc(self, *words, name='p.prof'):
        return json.loads(self.prof('gc', name, '--json', *words))

    def causes(self, **names):
        return {row['name']: row for row in self.gc(**names)['causes']}

    def test_each_pause_has_its_cause(self):
        for what, cause in CAUSES.items():
            with self.subTest(what):
                self.record(what, *(['--max-heap', '12M'] if what == 'limit' else []))
                doc = self.gc('--top', '100000')
                rows = {row['name']: row for row in doc['causes']}
                self.assertIn(cause, rows)
                self.assertNotIn('unknown', rows)
                if what != 'program':
                    self.assertNotIn('the program: Gc', rows)
                if what not in ('keep', 'limit'):
                    self.assertEqual(max(rows, key=lambda name: rows[name]['count']), cause)
                pauses = doc['events'][0]
                self.assertEqual(pauses['name'], 'pause')
                for key in ('count', 'words'):
                    self.assertEqual(sum(row[key] for row in rows.values()), pauses[key])
                longest = [p['cause'] for p in doc['longest']]
                self.assertEqual({c: longest.count(c) for c in rows},
                                 {c: row['count'] for c, row in rows.items()})

    def test_the_causes_of_the_programs_requests_are_counted(self):
        self.record('program')
        # Gc.minor is one pause, Gc.full_major and Gc.compact are two each.
        self.assertEqual(self.causes()['the program: Gc']['count'], 5 * 5)

    def test_ticks_show_who_uses_the_processor(self):
        for jit in ('on', 'off'):
            self.record('spin', env={'BACTRIAN_JIT': jit})
            rows = self.gc()['processor']
            self.assertEqual(rows[0]['name'], 'P.spin (p.ml)')
            self.assertGreater(rows[0]['share'], 0.5)
            self.assertAlmostEqual(sum(row['share'] for row in rows), 1)
            ticks = sum(row['seconds'] for row in rows)
            used = json.loads(self.prof('stats', 'p.prof', '--json'))['run']['processor']
            self.assertLess(ticks, 1.1 * used + 0.02)
            self.assertGreater(ticks, 0.5 * used - 0.05)

    def test_parts_and_copies_keep_them(self):
        self.record('spin')
        whole = self.gc()
        self.prof('trim', 'p.prof', '-o', 'copy.prof')
        copy = self.gc(name='copy.prof')
        for key in ('causes', 'processor', 'modules'):
            self.assertEqual(copy[key], whole[key])
        self.assertEqual(copy['counters']['resident_max'], whole['counters']['resident_max'])
        self.prof('merge', 'p.prof', 'p.prof', '-o', 'twice.prof')
        twice = self.gc(name='twice.prof')
        self.assertEqual([2 * row['count'] for row in whole['causes']],
                         [row['count'] for row in twice['causes']])
        self.prof('anonymise', 'p.prof', '-o', 'anonymous.prof')
        self.assertNotIn('spin', json.dumps(self.gc(name='anonymous.prof')))

    def test_resident_memory_is_that_of_the_system(self):
        self.record('keep')
        most = self.gc()['counters']['resident_max']
        heap = self.gc()['counters']['heap_max']
        self.assertTrue(heap / 2 < most < heap + 100e6, (heap, most))

    def test_rates_are_those_of_the_table(self):
        self.record('churn', '--rate', '1e-3')
        doc, rows = self.gc(), json.loads(self.prof('table', 'p.prof', '--by', 'module',
                                                    '--json'))['rows']
        length = json.loads(self.prof('stats', 'p.prof', '--json'))['run']['duration']
        self.assertEqual([r['bytes'] for r in doc['modules']],
                         [r['bytes'] for r in rows[:len(doc['modules'])]])
        first = doc['modules'][0]
        self.assertEqual(first['name'], 'P')
        self.assertAlmostEqual(first['rate'] * length / first['bytes']['value'], 1, delta=1e-3)

    def test_chrome_has_the_timeline(self):
        self.record('spin', '--rate', '1e-3')
        self.prof('export', '--to', 'chrome', 'p.prof', '-o', 'p.json')
        events = json.loads(self.read('p.json'))['traceEvents']
        causes = [e['args']['cause'] for e in events if e['name'] == 'pause']
        self.assertEqual({c: causes.count(c) for c in causes},
                         {c: row['count'] for c, row in self.causes().items()})
        ticks = [e for e in events if e['name'] == 'P.spin (p.ml)']
        shown = {row['name']: row['seconds'] for row in self.gc()['processor']}
        self.assertAlmostEqual(sum(e['args']['ticks'] for e in ticks) / 100, shown['P.spin (p.ml)'])
        ends = [(e['ts'], e['ts'] + e['dur']) for e in events if e.get('tid') == 3 and 'ts' in e]
        self.assertTrue(all(a[1] <= b[0] + 1e-3 for a, b in zip(ends, ends[1:])))
        names = {e['name'] for e in events if e['ph'] == 'C'}
        self.assertIn('resident memory (bytes)', names)
        rates = [e for e in events if e['name'].startswith('allocation by module')]
        step = (rates[1]['ts'] - rates[0]['ts']) / 1e6
        total = sum(sum(e['args'].values()) * step for e in rates)
        exact = json.loads(self.prof('summary', 'p.prof', '--json'))['totals']['allocated']
        exact = exact['value'] if isinstance(exact, dict) else exact
        self.assertAlmostEqual(total / exact, 1, delta=0.01)
