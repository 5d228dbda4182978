"""A folder with programs that run on Bactrian, and with the runtime folder of their user."""
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                'support'))
import suite  # noqa: E402

PATIENCE = 60

# It runs until the file that is named exists, with 8 MB from the start, and prints a figure.
LOOP = '''
let before = Array.init 1_000 (fun _ -> Bytes.create 8_000)
let kept = ref []
let grow () = kept := Bytes.create 100 :: !kept
let () =
  Gc.full_major ();
  print_endline "ready";
  let i = ref 0 in
  while not (Sys.file_exists Sys.argv.(1)) do
    incr i;
    for _ = 1 to 1_000 do grow () done;
    if !i mod 50 = 0 then kept := [];
    Unix.sleepf 0.002
  done;
  print_int (Array.length before)'''


def check(condition, found):
    if not condition:
        raise AssertionError(found)


def wait_until(condition, what):
    end = time.time() + PATIENCE
    while not condition():
        check(time.time() < end, what)
        time.sleep(0.02)


class Program:
    """A program that runs."""

    def __init__(self, place, path, *words, **options):
        self.stop_file = os.path.join(place.folder, 'stop')
        if os.path.exists(self.stop_file):
            os.remove(self.stop_file)
        self.child = subprocess.Popen([place.bactrian, path, *(words or (self.stop_file,))],
                                      cwd=place.folder, env=place.environment,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, **options)
        place.running.append(self.child)
        self.pid = str(self.child.pid)
        self.first = self.child.stdout.readline()

    def end(self, expected=b'1000'):
        with open(self.stop_file, 'w', encoding='ascii'):
            pass
        output, errors = self.child.communicate(timeout=PATIENCE)
        check((self.child.returncode, output, errors) == (0, expected, b''),
              (self.child.returncode, output, errors))

    def descriptors(self):
        return sorted(os.listdir('/proc/%s/fd' % self.pid))

    def state(self):
        with open('/proc/%s/stat' % self.pid, encoding='ascii') as file:
            return file.read().rpartition(')')[2].split()[0]


class Place:
    """A folder with compiled programs, and the runtime folder of their user."""

    def __init__(self, bactrian, folder):
        self.bactrian, self.folder = os.path.abspath(bactrian), folder
        self.running = []
        self.runtime = os.path.join(folder, 'runtime')
        os.mkdir(self.runtime, 0o700)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.runtime, TMPDIR=folder)
        self.environment.pop('OCAMLRUNPARAM', None)

    def prof(self, *words, **options):
        return subprocess.run([self.bactrian, 'prof', *words], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE,
                              check=False, **options)

    def done(self, *words):
        done = self.prof(*words)
        check(done.returncode == 0, done)
        return done

    def refused(self, text, *words, **options):
        done = self.prof(*words, **options)
        check(done.returncode == 125 and text in done.stderr and done.stderr.count(b'\n') == 1,
              (text, done))

    def facts(self, path, *words):
        tables = json.loads(self.done('summary', '--json', *words, path).stdout)
        return {fact['key']: fact['value'] for fact in tables['totals']['facts']} \
            if 'facts' in tables['totals'] else tables['totals']

    def compile(self, source, *libraries, flags=(), toolchain=None):
        path = os.path.join(self.folder, 'program.ml')
        with open(path, 'w', encoding='ascii') as file:
            file.write(source)
        done = subprocess.run([(toolchain or suite.system_ocaml()).command('ocamlc'), '-w', '-a',
                               '-g', *flags,
                               'unix.cma', *libraries, '-o', path[:-3] + '.byte', 'program.ml'],
                              cwd=self.folder, capture_output=True, timeout=PATIENCE, check=False)
        check(done.returncode == 0, done.stderr)
        return path[:-3] + '.byte'

    def loop(self, **options):
        program = Program(self, self.compile(LOOP), **options)
        check(program.first == b'ready\n', program.first)
        return program

    def close(self):
        for child in self.running:
            if child.poll() is None:
                child.kill()
                child.communicate()


def run(tests, names, bactrian):
    """Runs the tests whose name has a part in `names`, all if it is empty; (passed, failed)."""
    passed = failed = 0
    for name, test in sorted(tests.items()):
        if not name.startswith('test_') or (names and not any(part in name for part in names)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = Place(bactrian, folder)
            try:
                test(place)
                passed += 1
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print('FAIL %s\n%s' % (name, traceback.format_exc()), flush=True)
            finally:
                place.close()
    return passed, failed
