"""`prof test`: budgets for a program's memory."""
import glob
import os
import shutil
import subprocess
import unittest

import support

PROGRAM = '''
let kept = ref []
let keep n = for i = 1 to n do kept := (i, i) :: !kept done
let churn n = for i = 1 to n do ignore (Sys.opaque_identity (Array.make 100 i)) done
let () =
  keep (int_of_string Sys.argv.(1));
  churn 10_000;
  print_endline "out";
  if Array.length Sys.argv > 2 then exit (int_of_string Sys.argv.(2))
'''


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Budgets(support.Case):
    def setUp(self):
        super().setUp()
        self.write('p.ml', PROGRAM.encode())
        subprocess.run(['ocamlc', '-g', 'p.ml', '-o', 'p.byte'], cwd=self.folder, check=True)

    def check(self, *words, status=0):
        """The lines on standard error about budgets."""
        done = subprocess.run([self.settings.bactrian, 'prof', 'test', *words], cwd=self.folder,
                              env=dict(os.environ, TMPDIR=self.folder), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        self.err = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (status, b'out\n'), self.err)
        self.assertEqual(glob.glob(self.folder + '/bactrian-test*'), [])
        return [line.split(': ')[1] for line in self.err.splitlines() if line[:8] == 'bactrian']

    def test_a_run_within_its_budgets_has_the_programs_status(self):
        words = ('--max-live', '20M', '--max-alloc', '1G', '--no-leaks', 'p.byte', '0')
        self.assertEqual(self.check(*words), ['--max-alloc', '--max-live', '--no-leaks'])
        self.check(*words, '7', status=7)
        self.assertEqual(self.check('--quiet', *words), [])

    def test_each_budget_names_the_sites(self):
        for words, budget, site in ((('--max-alloc', '8M'), '--max-alloc', 'P.churn'),
                                    (('--max-live', '2M'), '--max-live', 'P.keep'),
                                    (('--max-leak', '1M'), '--max-leak', 'P.keep'),
                                    (('--no-leaks',), '--no-leaks', 'P.keep')):
            with self.subTest(budget):
                shown = self.check('--quiet', *words, 'p.byte', '50000', status=3)
                self.assertEqual(shown, [budget])
                self.assertIn(', more than ', self.err.splitlines()[0])
                self.assertIn(site, self.err)

    def test_the_limit_is_what_was_given(self):
        exact = 10000 * 101 * 8
        self.check('--max-alloc', str(exact), '--quiet', 'p.byte', '0', status=3)
        self.check('--max-alloc', str(exact + 100000 * 8), '--quiet', 'p.byte', '0')

    def test_what_is_ignored_is_no_leak(self):
        self.check('--quiet', '--no-leaks', '--ignore', 'P.keep', 'p.byte', '50000')

    def test_the_recording_stays_where_it_was_asked_for(self):
        self.check('--max-live', '1k', '-o', 'kept.bprof', 'p.byte', '50000', status=3)
        self.assertIn('next: bactrian prof summary kept.bprof', self.err)
        self.assertIn('P.keep', self.prof('summary', 'kept.bprof'))

    def test_a_budget_that_is_no_size_is_refused(self):
        _, err, status = self.run_prof('test', '--max-live', 'much', 'p.byte')
        self.assertEqual(status, 125)
        self.assertEqual(err, b'bactrian: --max-live: expected a size such as 64M, got "much"\n')
