"""The binary of `./dev package --static`, alone in a root folder of its own."""
import os
import shutil
import subprocess
import unittest

from support import Case


class Static(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(cls.place.bactrian, 'rb') as file:
            if b'__asan_init' in file.read():
                raise unittest.SkipTest('sanitizers are shared libraries')
        build = os.path.dirname(os.path.dirname(os.path.dirname(cls.place.bactrian)))
        subprocess.run(['ninja', '-C', build, '--quiet', 'vm/cli/bactrian-static'], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.root = cls.place.path('root')
        os.mkdir(cls.root)
        shutil.copy(os.path.join(build, 'vm', 'cli', 'bactrian-static'), cls.root)

    def alone(self, *words):
        """Runs it where there is no file but those of the root folder."""
        user = [] if os.geteuid() == 0 else ['--map-root-user']
        if subprocess.run(['unshare', *user, 'true'], stderr=subprocess.DEVNULL,
                          check=False).returncode != 0:
            self.skipTest('unshare is not allowed here')
        return self.run_command(['unshare', *user, '--root=' + self.root, '/bactrian-static',
                                 *words])

    def test_it_runs_records_and_reads_a_profile_without_any_other_file(self):
        shutil.copy(self.place.path('busy.byte'), self.root)
        self.expect(self.alone('busy.byte'), out=self.ocamlrun('busy.byte').out)
        self.expect(self.alone('prof', 'record', '--quiet', '--rate', '0.1', '-o', 'busy.prof',
                               'busy.byte'), out=None)
        done = self.alone('prof', 'table', '--by', 'module', 'busy.prof')
        self.expect(done)
        self.assertIn('Busy', done.out)
        self.refused(self.alone('-e', 'print_int 1'), 127, 'ocamlc')

    def test_it_refuses_libraries_of_c_code(self):
        self.place.write('root/here.ml', 'let () = print_string (Unix.getcwd ())\n')
        self.place.tool('ocamlc', 'unix.cma', '-o', 'root/here.byte', 'root/here.ml')
        self.refused(self.alone('here.byte'), 125, 'dllunix', 'static')
        self.place.write('root/abs.ml', 'let abs = Ffi.(foreign "abs" (int @-> returning int))\n')
        modules = self.bactrian('--where').out.strip()
        self.place.tool('ocamlc', '-I', modules, 'bactrian.cma', '-o', 'root/abs.byte',
                        'root/abs.ml')
        done = self.alone('abs.byte')
        self.assertEqual((done.status, done.out), (2, ''))
        self.assertIn('static', done.err)
