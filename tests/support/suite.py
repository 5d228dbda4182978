"""The programs of tests/lang: finding, compiling (cached by content) and running them.

Shared by difftest and coverage. The programs of tests/lang/ocaml5 are compiled by OCaml 5.3, the
others by the OCaml of this machine. Comments at the head of a program say what it needs:

  (* args: a "b c" *)        command line, split as a shell would
  (* stdin: one\ntwo\n *)    standard input, with the escapes of a Python bytes literal
  (* env: OCAMLRUNPARAM=b *) environment, several NAME=VALUE split as a shell would
  (* flags: -g *)            compiler flags (the default is none but -w -a)
  (* libs: dynlink.cma *)    libraries, before the sources
  (* with: calc.mly lex.mll *)  companion sources of the same folder, in linking order
  (* beside: plug.ml *)      compiled to a .cmo in the program's folder at run time
  (* timeout: 60 *)          seconds, if the default is too short
  (* stress: no: WHY *)      not run with --gc-stress: it tests the collector's own timing
  (* sampled: no: WHY *)     not sampled: --memprof-stress, prof record, --profile=alloc or count
  (* under: no: WHY *)       not run with --under
  (* jit: no: WHY *)         not run with --jit=all: it counts what machine code does not allocate
  (* ocaml5: no: WHY *)      not run by difftest --ocaml 5.3 or 5.4, which compile all with that
  (* ocaml: 5.4 *)           for a program of tests/lang/ocaml5: this OCaml, not 5.3
"""
import ast
import functools
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import processes

HERE = os.path.dirname(os.path.abspath(__file__))
LANG = os.path.join(os.path.dirname(HERE), 'lang')
OCAML5 = 'ocaml5' + os.sep
DIRECTIVE = re.compile(
    r'^\(\* (args|stdin|env|flags|libs|with|beside|timeout|stress|sampled|under|jit|ocaml5|ocaml)'
    r': ?(.*?) ?\*\)$')
processes.heed_signals()
REFUSED_MALLOC = re.compile(rb'^==\d+==WARNING: AddressSanitizer failed to allocate .*\n',
                            re.MULTILINE)
KEPT_ENV = ('PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'LLVM_PROFILE_FILE',
            'BACTRIAN_JIT')


class Broken(Exception):
    """A program that does not compile."""


def default_build():
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return os.path.join(cache, 'bactrian-tests')


class Outcome:
    def __init__(self, out, err, status):
        self.out, self.err, self.status = out, err, status

    def __eq__(self, other):
        return (self.out, self.err, self.status) == (other.out, other.err, other.status)


class Toolchain:
    """An OCaml: `folder` has its commands (empty: those of PATH); `identity` is in each digest."""

    def __init__(self, folder=''):
        self.folder = folder
        try:
            done = subprocess.run([self.command('ocamlc'), '-version'], stdout=subprocess.PIPE,
                                  check=True)
        except (OSError, subprocess.CalledProcessError):
            raise SystemExit('difftest: ocamlc is not installed: apt install ocaml-nox')
        self.identity = done.stdout
        self.version = done.stdout.decode('ascii').strip()

    def is_5(self):
        return self.version.startswith('5.')

    def command(self, name):
        return os.path.join(self.folder, name)

    def environment(self):
        """What a program needs to find the libraries, whatever runs it."""
        if not self.folder:
            return {}
        root = os.path.dirname(self.folder)
        return {'OCAMLLIB': os.path.join(root, 'stdlib'),
                'CAML_LD_LIBRARY_PATH': os.path.join(root, 'stubs')}


@functools.lru_cache(None)
def system_ocaml():
    return Toolchain()


@functools.lru_cache(None)
def ocaml5(version='5.3', *packages):
    """That OCaml with these packages of libraries, fetched at its first use, or None, after a
    message, if it cannot be had."""
    done = subprocess.run([sys.executable, os.path.join(HERE, 'ocaml5'), '--version', version,
                           *packages], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        return None
    return Toolchain(os.path.join(os.fsdecode(done.stdout.rstrip(b'\n')), 'bin'))


class Program:
    def __init__(self, path):
        self.path = path
        self.name = os.path.relpath(path, LANG)[:-3]
        self.uses_ocaml5 = self.name.startswith(OCAML5)
        self.base = os.path.basename(path)[:-3]
        self.folder = os.path.dirname(path)
        self.says = {}
        with open(path, encoding='latin-1') as source:
            for line in source:
                found = DIRECTIVE.match(line.rstrip('\n'))
                if not found:
                    break
                self.says[found.group(1)] = found.group(2)
        self.ocaml5_version = self.says.get('ocaml', '5.3')
        self.exempt_from_stress = self.exemption('stress')
        self.exempt_from_sampling = self.exemption('sampled')
        self.exempt_from_under = self.exemption('under')
        self.exempt_from_jit = self.exemption('jit')
        self.exempt_from_ocaml5 = self.exemption('ocaml5')

    @property
    def toolchain(self):
        return ocaml5(self.ocaml5_version) if self.uses_ocaml5 else system_ocaml()

    def exemption(self, key):
        """Why the program does not run with something, or None."""
        answer, _, why = self.says.get(key, 'yes').partition(': ')
        if answer not in ('yes', 'no') or (answer == 'no' and not why):
            raise SystemExit('%s: the line is (* %s: no: WHY *)' % (self.path, key))
        return why or None

    def words(self, key):
        return shlex.split(self.says.get(key, ''))

    def sources(self):
        return self.words('with') + [self.base + '.ml']

    def digest(self):
        sum_ = hashlib.sha256(self.toolchain.identity)
        for name in self.sources() + self.words('beside'):
            with open(os.path.join(self.folder, name), 'rb') as source:
                sum_.update(name.encode() + b'\0' + source.read() + b'\0')
        return sum_.hexdigest()[:24]

    def compile(self, build):
        """The folder with the compiled program, made if its content is new."""
        home = os.path.join(build, self.digest())
        if os.path.exists(os.path.join(home, self.base + '.byte')):
            return home
        os.makedirs(build, exist_ok=True)
        work = tempfile.mkdtemp(dir=build)
        try:
            self.compile_in(work)
            try:
                os.rename(work, home)
            except OSError:
                if not os.path.exists(home):
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return home

    def compile_in(self, work):
        def tool(name, *words):
            command = [self.toolchain.command(name), *words]
            done = subprocess.run(command, cwd=work, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                raise Broken(' '.join(command) + '\n' + done.stdout.decode('latin-1'))

        linked = []
        for name in self.sources() + self.words('beside'):
            shutil.copy(os.path.join(self.folder, name), work)
        for name in self.sources():
            stem, kind = os.path.splitext(name)
            if kind == '.mly':
                tool('ocamlyacc', '-q', name)
                linked += [stem + '.mli', stem + '.ml']
            elif kind == '.mll':
                tool('ocamllex', '-q', name)
                linked.append(stem + '.ml')
            else:
                linked.append(name)
        flags = ['-w', '-a'] + self.words('flags')
        tool('ocamlc', *flags, '-o', self.base + '.byte', *self.words('libs'), *linked)
        for name in self.words('beside'):
            tool('ocamlc', *flags, '-c', name)

    def run(self, home, runtime, timeout, env=(), end=None):
        """Runs the program under `runtime` (a command prefix) in a folder of its own. At `end` (of
        time.monotonic) it is stopped even before its timeout, with status 'cut short'."""
        with tempfile.TemporaryDirectory(prefix='difftest-') as folder:
            beside = [os.path.splitext(name)[0] + '.cmo' for name in self.words('beside')]
            for name in [self.base + '.byte'] + beside:
                os.symlink(os.path.join(home, name), os.path.join(folder, name))
            return self.run_in(folder, runtime, timeout, env, end)

    def run_in(self, folder, runtime, timeout, env, end):
        environment = {k: v for k, v in os.environ.items() if k in KEPT_ENV}
        environment.update(HOME=folder, LC_ALL='C', TZ='UTC')
        # A refused malloc means Out_of_memory in the program; it is not an error of the sanitizer.
        environment['ASAN_OPTIONS'] = ':'.join(
            filter(None, [environment.get('ASAN_OPTIONS'), 'allocator_may_return_null=1']))
        environment.update(self.toolchain.environment())
        environment.update(env)
        environment.update(word.split('=', 1) for word in self.words('env'))
        text = ast.literal_eval("b'''" + self.says.get('stdin', '') + "'''")
        command = list(runtime) + [self.base + '.byte'] + self.words('args')
        child = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True)
        seconds = max(float(self.says.get('timeout', timeout)), float(timeout))
        left = seconds if end is None else max(end - time.monotonic(), 0.01)
        try:
            out, err = child.communicate(text, timeout=min(seconds, left))
            return Outcome(out, REFUSED_MALLOC.sub(b'', err), child.returncode)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)  # and its children
            out, err = child.communicate()
            return Outcome(out, err, 'cut short' if left < seconds else 'timeout')


def companions(folder, names):
    """Files of `folder` that a program there names as `with` or `beside`."""
    used = set()
    for name in names:
        program = Program(os.path.join(folder, name))
        used.update(program.words('with') + program.words('beside'))
    return used


def find_programs(patterns, version='system'):
    """All programs, or those whose name contains one of the patterns. version: 'system', those for
    the OCaml of this machine; 'own', each with its own OCaml; '5.3' or '5.4', all with it."""
    found = []
    all_with_5 = version not in ('system', 'own')
    for folder, _, names in sorted(os.walk(LANG)):
        sources = sorted(name for name in names if name.endswith('.ml'))
        helpers = companions(folder, sources)
        for name in sources:
            program = Program(os.path.join(folder, name))
            if name in helpers or (patterns and not any(p in program.name for p in patterns)):
                continue
            if program.uses_ocaml5 if version == 'system' else \
                    all_with_5 and program.exempt_from_ocaml5:
                continue
            if all_with_5:
                program.uses_ocaml5 = True
                program.ocaml5_version = program.says.get('ocaml', version)
            found.append(program)
    return found
