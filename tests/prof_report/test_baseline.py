"""`prof test --baseline`: a run compared with an earlier one."""
import os
import shutil
import subprocess
import unittest

import support

PROGRAM = """let keep = ref []
let part n = keep := Bytes.create n :: !keep
let () = for i = 1 to %d do
  part (800 + i mod 7);
  ignore (Sys.opaque_identity (ref i))
done
"""


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Baseline(support.Case):
    def compile(self, count, before=''):
        self.write('b.ml', (before + PROGRAM % count).encode())
        subprocess.run(['ocamlc', '-g', '-w', '-a', 'b.ml', '-o', 'b.byte'], cwd=self.folder,
                       check=True)

    def run_test(self, *words, parameters=''):
        done = subprocess.run([self.settings.bactrian, 'prof', 'test', *words, 'b.byte'],
                              cwd=self.folder, timeout=120, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE,
                              env=dict(os.environ, OCAMLRUNPARAM=parameters))
        return done.returncode, done.stderr.decode()

    def record(self, *words):
        self.assertEqual(self.run_test('--quiet', '-o', 'before.prof', *words), (0, ''))

    def test_the_same_program_passes(self):
        self.compile(2_000)
        self.record()
        status, text = self.run_test('--baseline', 'before.prof', '--markdown', 'out.md')
        self.assertEqual(status, 0, text)
        self.assertIn('allocated', text)
        self.assertIn('| allocated |', self.read('out.md').decode())
        self.assertNotIn('by site', self.read('out.md').decode())

    def test_growth_fails_and_names_the_line(self):
        self.compile(2_000)
        self.record()
        self.compile(3_000, before='(* moved *)\n')
        status, text = self.run_test('--quiet', '--baseline', 'before.prof', '--markdown', 'out.md')
        self.assertEqual(status, 3, text)
        self.assertEqual(text.count('more than before'), 3)
        page = self.read('out.md').decode()
        self.assertIn('moved from line 2 to 3](b.ml#L3)', page)
        self.assertRegex(page, r'\| allocated \| 1\.\d+ MB \| 2\.\d+ MB \| \+\d+\.\d % \| yes \|')

    def test_a_tolerance_forgives_growth(self):
        self.compile(2_000)
        self.record()
        self.compile(2_200)
        self.assertEqual(self.run_test('--quiet', '--baseline', 'before.prof')[0], 3)
        self.assertEqual(self.run_test('--quiet', '--baseline', 'before.prof', '--tolerance',
                                       '25%'), (0, ''))

    def test_baselines_of_other_settings_are_refused(self):
        self.compile(200)
        self.record()
        for words, parameters, what in (
                (['--rate', '0.1'], '', 'its --rate is another'),
                (['--live', 'exact'], '', 'its --live is another'),
                (['--max-depth', '7'], '', 'its --max-depth is another'),
                ([], 's=4k', 'its OCAMLRUNPARAM is another')):
            status, text = self.run_test('--quiet', '--baseline', 'before.prof', *words,
                                         parameters=parameters)
            self.assertEqual(status, 125)
            self.assertEqual(text, 'bactrian: before.prof: cannot be compared: %s: record it again '
                                   'as this test does (-o FILE)\n' % what)

    def test_wrong_use_is_refused_before_the_program_runs(self):
        self.compile(200)
        for words in (['--baseline', 'none.prof'], ['--markdown', 'out.md'],
                      ['--tolerance', '2']):
            status, text = self.run_test(*words)
            self.assertEqual((status, text.count('\n')), (125, 1), text)

    def test_false_alarms_are_rare(self):
        pairs = 200 if self.settings.long else 40
        self.compile(2_000)
        alarms = 0
        for seed in range(pairs):
            self.run_test('--quiet', '--force', '-o', 'before.prof', '--seed', str(seed))
            status, _ = self.run_test('--quiet', '--baseline', 'before.prof', '--seed',
                                      str(1_000 + seed), '--tolerance', '0%')
            self.assertIn(status, (0, 3))
            alarms += status == 3
        self.assertLessEqual(alarms, 0.05 * pairs + 2 * (0.05 * pairs) ** 0.5)
