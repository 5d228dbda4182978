"""Bactrian was built where OCaml lies in another folder than here: libraries of C stubs are those
of the ocamlrun in PATH."""
import os
import subprocess

from support import Case

# Hides the folder of the standard library, as if no OCaml had ever been there.
HIDE = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'


class Elsewhere(Case):
    def setUp(self):
        self.where = subprocess.run(['ocamlc', '-where'], check=True,
                                    stdout=subprocess.PIPE).stdout.decode().strip()
        self.user = [] if os.geteuid() == 0 else ['--map-root-user']
        if subprocess.run(['unshare', '--mount', *self.user, 'true'], stderr=subprocess.DEVNULL,
                          check=False).returncode != 0:
            self.skipTest('unshare is not allowed here')
        for folder in ('hidden', 'moved'):
            os.makedirs(self.place.path(folder), exist_ok=True)
        self.place.write('here.ml', 'let () = print_string (Filename.basename (Unix.getcwd ()))\n')
        self.place.tool('ocamlc', 'unix.cma', '-o', 'here.byte', 'here.ml')
        with open(os.path.join(self.where, 'ld.conf'), encoding='utf-8') as file:
            folders = file.read().split()
        self.place.tool('sh', '-c', 'for f in "$@"; do test ! -e $f || cp -r "$f/." moved/; done',
                        '-', *folders)
        self.place.write('library/ld.conf', self.place.path('moved') + '\n')

    def without_library(self, runtime, *words):
        """Runs it with this text as the program ocamlrun."""
        self.place.write('path/ocamlrun', '#!/bin/sh\n' + runtime, 0o755)
        return self.run_command(
            ['unshare', '--mount', *self.user, 'sh', '-c', HIDE, '-', self.place.path('hidden'),
             self.where, self.place.bactrian, *words],
            env={'PATH': self.place.path('path') + ':/usr/bin:/bin'})

    def test_the_runtime_in_path_tells_its_folder(self):
        found = 'echo "version: 5.3.0\nstandard_library_default: %s"' % self.place.path('library')
        self.expect(self.without_library(found, 'here.byte'),
                    out=os.path.basename(self.place.folder))
        self.assertIn('\nstandard_library: %s\n' % self.place.path('library'),
                      self.without_library(found, '-config').out)

    def test_a_runtime_that_knows_nothing_is_no_error(self):
        for runtime in ('exit 2\n', 'echo mumble\n', 'exec %s "$@"\n' % self.place.bactrian):
            self.refused(self.without_library(runtime, 'here.byte'), 125, 'dllunix')
