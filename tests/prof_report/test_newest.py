"""Verbs that read the newest recording, and what a recording says when a signal ends it."""
import os
import shutil
import signal
import subprocess
import unittest

import support


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Newest(support.Case):
    def record(self, name, program):
        self.write('n.ml', program.encode())
        subprocess.run(['ocamlc', '-g', '-w', '-a', 'n.ml', '-o', 'n.byte'], cwd=self.folder,
                       check=True)
        subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--rate', '1', '-o',
                        name, 'n.byte'], cwd=self.folder, check=True)

    def test_a_verb_without_a_file_reads_the_newest_recording(self):
        self.record('a.prof', 'let first = Array.make 1000 0')
        self.record('b.prof', 'let second = Array.make 2000 0')
        self.write('c.prof', b'not a profile')
        for name in ('b.prof', 'a.prof'):
            os.utime(os.path.join(self.folder, name))
            out, err, status = self.run_prof('table')
            self.assertEqual((err.decode(), status),
                             ('bactrian: the newest recording here: %s\n' % name, 0))
            self.assertEqual(out.decode(), self.prof('table', name))
        out, err, status = self.run_prof('annotate', 'n.ml')
        self.assertEqual((status, b'n.ml' in out), (0, True), err)

    def test_without_a_recording_the_usage_is_shown(self):
        self.assertEqual(self.run_prof('table')[2], 125)
        self.assertIn(b'expected the profile to read', self.run_prof('table')[1])

    def test_a_recording_that_a_signal_ends_says_what_to_do_next(self):
        self.write('n.ml', b'let () = print_endline "ready"; while true do ignore (ref 0) done')
        subprocess.run(['ocamlc', '-w', '-a', 'n.ml', '-o', 'n.byte'], cwd=self.folder, check=True)
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen(['env', '--default-signal=INT', self.settings.bactrian, 'prof',
                                   'record', '--force', '-o', 's.prof', 'n.byte'],
                                  cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as child:
                child.stdout.readline()
                child.send_signal(number)
                said = child.communicate(timeout=60)[1].decode()
            self.assertEqual((child.returncode, said), (
                -number, 'bactrian: s.prof has what was recorded; next: bactrian prof summary '
                's.prof\n'))
            self.assertIn('killed by signal', self.prof('stats', 's.prof'))
