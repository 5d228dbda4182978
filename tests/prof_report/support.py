"""What the tests of the reports share."""
import functools
import json
import os
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Settings:
    def __init__(self, bactrian, accept, mutants, long=False):
        self.bactrian = os.path.abspath(bactrian)
        self.accept, self.mutants, self.long = accept, mutants, long


@functools.lru_cache(None)
def ocaml5():
    """The folder of a real OCaml 5.3."""
    done = subprocess.run([os.path.join(ROOT, 'tests', 'support', 'ocaml5')],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise unittest.SkipTest('no OCaml 5.3: ' + done.stderr.decode().strip())
    return done.stdout.decode().strip()


class Case(unittest.TestCase):
    settings = None
    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='prof-report-')
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, data):
        with open(os.path.join(self.folder, name), 'wb') as file:
            file.write(data)

    def read(self, name):
        with open(os.path.join(self.folder, name), 'rb') as file:
            return file.read()

    def run_prof(self, *words):
        # A program leaves the memory of custom blocks to the system; a report leaves nothing.
        asan = 'exitcode=99:detect_leaks=%d' % (words[0] not in ('record', 'test'))
        done = subprocess.run([self.settings.bactrian, 'prof', *words], cwd=self.folder,
                              timeout=120, env=dict(os.environ, ASAN_OPTIONS=asan),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        return done.stdout, done.stderr, done.returncode

    def prof(self, *words, status=0):
        """What a verb prints; status None: whatever it says."""
        out, err, found = self.run_prof(*words)
        if status is not None:
            self.assertEqual((err.decode(), found), ('', status))
        return out.decode()

    def golden(self, name, found):
        path = os.path.join(HERE, 'golden', name)
        if self.settings.accept:
            with open(path, 'w') as file:
                file.write(found)
        with open(path) as file:
            self.assertEqual(found, file.read())


class HeapAdvice(Case):
    """What `prof advise` finds in heap snapshots."""

    def compile(self, text, flags=('-g',), ocamlc='ocamlc'):
        """Makes p.byte."""
        self.write('p.ml', text.lstrip().encode())
        subprocess.run([ocamlc, *flags, 'p.ml', '-o', 'p.byte'], cwd=self.folder, check=True)

    def record(self, text, *options, rate='1e-3', **compiler):
        """Records p.byte into p.prof, and its heap into p.heap."""
        self.compile(text, **compiler)
        self.prof('record', '--quiet', '--force', '--rate', rate, '--seed', '5', '-o', 'p.prof',
                  '--snapshot', 'p.heap', *options, 'p.byte')

    def advise(self, *words):
        return json.loads(self.prof('advise', *words, '--json'))

    def found(self, *words, about):
        """The findings that begin with a text."""
        return [row for row in self.advise(*words)['rows'] if row['finding'].startswith(about)]

    def heap(self):
        return json.loads(self.prof('heap', 'p.heap', '--json', '--top', '100000'))
