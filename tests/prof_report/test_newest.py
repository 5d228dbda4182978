"""Verbs that read the newest recording, and what a recording says when a signal ends it."""
import os
import shutil
import signal
import subprocess
import time
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
        for later, name in enumerate(('b.prof', 'a.prof')):
            os.utime(os.path.join(self.folder, name), times=(2e9 + later, 2e9 + later))
            out, err, status = self.run_prof('table')
            self.assertEqual((err.decode(), status),
                             ('bactrian: the newest recording here: %s\n' % name, 0))
            self.assertEqual(out.decode(), self.prof('table', name))
        out, err, status = self.run_prof('annotate', 'n.ml')
        self.assertEqual((status, b'n.ml' in out), (0, True), err)

    def test_without_a_recording_the_usage_is_shown(self):
        self.assertEqual(self.run_prof('table')[2], 125)
        self.assertIn(b'expected the profile to read', self.run_prof('table')[1])

    def record_and_open(self, path):
        self.write('n.ml', b'let () = ignore (Array.make 1000 0); exit 3')
        return subprocess.run([self.settings.bactrian, 'prof', 'record', '--open', '--force', '-o',
                               'o.prof', 'n.ml'], cwd=self.folder, env={**os.environ, 'PATH': path},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)

    def test_open_shows_the_page_in_the_browser(self):
        self.write('xdg-open', b'#!/bin/sh\nwc -c < "$1" > shown.new; mv shown.new shown\n')
        os.chmod(os.path.join(self.folder, 'xdg-open'), 0o755)
        done = self.record_and_open(self.folder + ':' + os.environ['PATH'])
        self.assertEqual(done.returncode, 3, done.stderr)
        for _ in range(600):
            if os.path.exists(os.path.join(self.folder, 'shown')):
                break
            time.sleep(0.1)
        self.assertEqual(int(self.read('shown')), len(self.read('o.prof.html')))
        self.assertIn(b'<meta name="generator" content="bactrian">', self.read('o.prof.html'))

    def test_open_says_where_the_page_is_if_there_is_no_browser(self):
        os.mkdir(os.path.join(self.folder, 'bin'))
        for tool in ('ocamlc', 'ocamlfind', 'cat', 'sh'):
            if shutil.which(tool):
                os.symlink(shutil.which(tool), os.path.join(self.folder, 'bin', tool))
        done = self.record_and_open(os.path.join(self.folder, 'bin'))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn('xdg-open: No such file or directory: open o.prof.html in a browser',
                      done.stderr.decode())

    def test_open_leaves_other_files_alone(self):
        self.write('o.prof.html', b'mine')
        done = self.record_and_open(os.environ['PATH'])
        self.assertEqual((done.returncode, self.read('o.prof.html')), (3, b'mine'), done.stderr)
        self.assertIn(b'o.prof.html', done.stderr)

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
