"""prof grow: figures, and which sites leak."""
import json
import os
import random
import re
import shutil
import subprocess
import unittest

import support

STEPS = 24000
SMALL_HEAP = 's=32k,o=10'  # a marking for little allocation
# Structures without leaks, and the range of their sizes; `once` is built at that step.
STEADY = {'queue': (500, 3000), 'evicting': (50, 2000), 'slots': (50, 2000), 'cache': (50, 2000),
          'filling': (200, STEPS * 6 // 10), 'batch': (50, 1500), 'buffer': (20, 2000),
          'tree': (50, 2000), 'sessions': (50, 500), 'once': (1, STEPS), 'garbage': (4, 19)}
LEAKS = {'leak_list': (3, 12), 'leak_table': (3, 12), 'leak_listeners': (3, 12),
         'leak_removals': (3, 12), 'leak_tree': (3, 12)}


def value(cell):
    return cell['value'] if isinstance(cell, dict) else cell


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Grow(support.Case):
    def record(self, *words, flags=(), parameters=SMALL_HEAP, program='growing.byte'):
        done = subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--force',
                               '--rate', '1e-2', *flags, '-o', 'p.prof', program, *words],
                              cwd=self.folder, env=dict(os.environ, OCAMLRUNPARAM=parameters),
                              timeout=120, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.stderr.decode(), done.returncode), ('', 0))

    def compile(self):
        source = os.path.join(support.HERE, 'growing.ml')
        where = self.prof('record', '--quiet', '--rate', '1e-2', '-o', 'p.prof', source, '1', '10')
        self.assertEqual(where, '0')
        return source

    def grow(self, *words):
        return json.loads(self.prof('grow', 'p.prof', '--json', *words))

    def leaks(self, verdict='leak'):
        """The functions whose sites leak."""
        return {(re.search(r'Growing\.(\w+)', row['name']) or [row['name']] * 2)[1]
                for row in self.grow('--top', '1000')['rows'] if row['verdict'] == verdict}

    def programs(self, count, kinds):
        """Arguments of generated programs: a queue, so that there are markings, other structures
        without leaks, and one of `kinds`."""
        choose = random.Random(2026)
        for number in range(count):
            names = ['queue'] + choose.sample(sorted(set(STEADY) - {'queue'}), choose.randint(1, 3))
            if kinds:
                names.append(sorted(kinds)[number % len(kinds)])
            sizes = {**STEADY, **kinds}
            yield [str(number), str(STEPS)] + [
                '%s:%d' % (name, choose.randint(*sizes[name])) for name in names]

    def live_at(self, seconds, *words):
        rows = json.loads(self.prof('table', 'p.prof', '--json', '--at', '%.9fs' % seconds,
                                    *words))['rows']
        return {row['name']: value(row['samples']) for row in rows}

    def test_the_figures_are_those_of_the_table_at_both_moments(self):
        self.record('1', str(STEPS), 'queue:900', 'leak_list:5', 'cache:900',
                    program=self.compile())
        for by in ('site', 'fn', 'module', 'tag'):
            words = ['--by', by, '--unit', 'samples', '--top', '1000']
            doc = self.grow('--raw', *words)
            first, last = doc['cohorts'][0]['from'], doc['cohorts'][-1]['to']
            before, after = self.live_at(first, *words), self.live_at(last, *words)
            rows = {row['name']: row for row in doc['rows'][1:]}
            for name in set(before) | set(after):
                with self.subTest(by=by, name=name):
                    row = rows.get(name)
                    if row is None:  # nothing was born, nothing is gone
                        self.assertEqual(before[name], after[name])
                        continue
                    self.assertEqual(value(row['before']), before.get(name, 0))
                    self.assertEqual(row['before'] + row['born'] - row['gone'],
                                     after.get(name, 0))
                    self.assertEqual(value(row['net']), row['born'] - row['gone'])
            total = doc['rows'][0]
            self.assertEqual((total['before'], total['before'] + value(total['net'])),
                             (sum(before.values()), sum(after.values())))
            self.assertEqual(sum(step['live_4'] for step in doc['cohorts']), total['born'])

    def test_growth_is_related_to_what_the_program_counts(self):
        self.record('1', '9000', 'leak_list:5', program=self.compile())
        counts = json.loads(self.prof('stats', 'p.prof', '--json'))['counts']
        self.assertEqual([(row['name'], row['count']) for row in counts], [('operation', 9000)])
        row = self.grow()['rows'][0]
        self.assertEqual(row['name'], 'total')
        # One string in five, of 16 to 175 bytes, and three words.
        self.assertAlmostEqual(row['per_unit'], (95.5 + 12 + 24) / 5, delta=5)
        _, err, status = self.run_prof('grow', 'p.prof', '--per', 'request')
        self.assertEqual((err.decode(), status), (
            'bactrian: --per: the program counts no "request": `bactrian prof stats` lists what it '
            'counts\n', 125))

    def test_counts_are_kept_by_what_writes_profiles(self):
        self.record('1', str(STEPS), 'queue:900', 'leak_list:5', program=self.compile())
        counts, half = {}, '%.9fs' % self.grow()['cohorts'][1]['to']
        for name, words in (('all', ['trim', 'p.prof']),
                            ('end', ['trim', 'p.prof', '--from', half]),
                            ('both', ['merge', 'p.prof', 'p.prof']),
                            ('none', ['anonymise', 'p.prof'])):
            self.prof(*words, '-o', name)
            rows = json.loads(self.prof('stats', name, '--json'))['counts']
            counts[name] = {row['name']: row['count'] for row in rows}
        self.assertEqual((counts['all'], counts['both'], counts['none']),
                         ({'operation': STEPS}, {'operation': 2 * STEPS}, {'counter1': STEPS}))
        self.assertTrue(0 < counts['end']['operation'] < STEPS, counts)

    def test_a_recording_has_the_counts_of_64_names(self):
        self.write('many.ml', b'''
            let () =
              for i = 1 to 200 do
                Bactrian.Profile.count ~by:i (string_of_int (i mod 100));
                Bactrian.Profile.count ""
              done;
              match Bactrian.Profile.count ~by:(-1) "x" with
              | () -> ()
              | exception Invalid_argument text -> print_string text''')
        self.assertEqual(
            self.prof('record', '--quiet', '-o', 'p.prof', 'many.ml'),
            'Bactrian.Profile.count: by must not be negative')
        counts = json.loads(self.prof('stats', 'p.prof', '--json'))['counts']
        self.assertEqual(len(counts), 64)
        self.assertEqual([(row['name'], row['count']) for row in counts[:3]],
                         [('1', 1 + 101), ('', 200), ('2', 2 + 102)])

    def test_two_moments_can_be_chosen(self):
        self.record('1', '9000', 'leak_list:5', program=self.compile())
        self.assertIn(', from ', self.grow('--from', '10%', '--to', '60%')['title'])
        doc = self.grow('--live', 'uncollected', '--from', '100ms', '--to', '200ms')
        self.assertIn('not yet collected, from 100 ms', doc['title'])
        self.assertIn('No verdicts', doc['notes'][-2] + doc['notes'][-1])
        _, err, status = self.run_prof('grow', 'p.prof', '--from', '100h')
        self.assertEqual((err.decode(), status), (
            'bactrian: --from: nothing comes after it: give an earlier moment\n', 125))

    def test_programs_without_leaks_are_not_accused(self):
        program, accused = self.compile(), {}
        for words in self.programs(100 if self.settings.long else 25, {}):
            self.record(*words, program=program)
            found = self.leaks()
            if found:
                accused[' '.join(words)] = sorted(found)
        self.assertLessEqual(len(accused), 5 if self.settings.long else 2, accused)

    def test_caches_that_still_fill_do_not_leak(self):
        """As long as a cache fills, random keys find ever less room."""
        program, leaks, growing, count = self.compile(), [], 0, 20 if self.settings.long else 4
        steps = 5 * STEPS
        for seed in range(count):
            size = steps * (50 + 50 * seed // count) // 100
            self.record(str(seed), str(steps), 'queue:900', 'cache:%d' % size, program=program)
            leaks += [(size, name) for name in self.leaks()]
            growing += 'cache' in self.leaks('growing')
        self.assertLessEqual(len(leaks), count // 2, leaks)
        self.assertGreaterEqual(growing, count // 2)
        for words in self.programs(count, LEAKS):
            self.record(words[0], str(steps), *words[2:], program=program)
            self.assertIn(words[-1].split(':')[0], self.leaks())

    def test_leaks_are_found(self):
        program, missed, accused = self.compile(), {}, {}
        for words in self.programs(20, LEAKS):
            self.record(words[0], str(2 * STEPS), *words[2:], program=program)
            found, leak = self.leaks(), words[-1].split(':')[0]
            if leak not in found:
                missed[' '.join(words)] = sorted(found)
            if found - {leak}:
                accused[' '.join(words)] = sorted(found - {leak})
        self.assertEqual((missed, accused), ({}, {}))


SNAPSHOTS = '''
let table = Hashtbl.create 16
let log = ref []
let steady = Array.init 2000 (fun i -> string_of_int i)
let work n = for i = 1 to n do
  Hashtbl.replace table (Random.bits ()) (Bytes.create 40);
  log := (i, "x") :: !log
done
let bytes v = 8 * Obj.reachable_words (Obj.repr v)
let () =
  work 2000;
  let before = bytes table, bytes log in
  Bactrian.Profile.snapshot "a.heap";
  work 3000;
  Printf.printf "%d %d %d" (bytes table - fst before) (bytes log - snd before)
    (Array.length steady);
  Bactrian.Profile.snapshot "b.heap";
  exit 0
'''


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Snapshots(support.Case):
    def setUp(self):
        super().setUp()
        self.write('p.ml', SNAPSHOTS.encode())
        out = subprocess.run([self.settings.bactrian, 'p.ml'], cwd=self.folder, check=True,
                             stdout=subprocess.PIPE, timeout=120).stdout
        self.grown = [int(n) for n in out.split()]

    def test_growth_between_snapshots_is_exact(self):
        doc = json.loads(self.prof('grow', 'a.heap', 'b.heap', '--json'))
        everything, = doc['holders']
        table, log, steady = self.grown

        def changes(node):
            yield node['net']
            for child in node.get('children', []):
                yield from changes(child)
        found = list(changes(everything))
        self.assertIn(table, found)
        self.assertEqual(steady, 2000)
        # The list: a cell and a pair for each; the string is a constant.
        self.assertIn(3000 * 6 * 8, found)
        self.assertEqual(log, 3000 * 6 * 8)
        kinds = {row['name']: row for row in doc['kinds']}
        self.assertEqual(sum(row['net'] for row in doc['kinds']), everything['net'])
        self.assertIn(3000 * 7 * 8, [row['net'] for row in kinds.values()])  # bytes of 40

    def test_nothing_grows_between_a_snapshot_and_itself(self):
        doc = json.loads(self.prof('grow', 'a.heap', 'a.heap', '--json'))
        self.assertEqual((doc['holders'][0]['net'], doc['kinds']), (0, []))
        self.assertNotIn('children', [key for key in doc['holders'][0] if doc['holders'][0][key]])

    def test_other_files_are_refused(self):
        self.write('x', b'no snapshot')
        for words in (['a.heap', 'x'], ['a.heap'], ['a.heap', 'b.heap', 'a.heap']):
            _, err, status = self.run_prof('grow', *words)
            self.assertEqual((err.count(b'\n'), status), (1, 125), err)
