"""--ocaml and OCAMLFIND_TOOLCHAIN: which OCaml scripts, modules and descriptions are for.

other/ is an OCaml that says it is 5.3 and compiles as the installed one.
"""
import os

from support import Case

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILER = """#!/bin/sh
case $1 in
-vnum) echo 5.3.0 ;;
-where) echo %s ;;
*) echo "$(basename "$PWD") $*" >> %s
   exec ocamlc "$@" ;;
esac
"""
USES_MODULES = 'let () = ignore Bactrian.Memprof.start; print_string "done"\n'


class Compilers(Case):
    def setUp(self):
        self.log = self.place.path('compilations')
        self.write_log('')
        library = self.place.path('other/lib')
        self.place.write('other/lib/ld.conf', '/somewhere\n')
        self.place.write('other/bin/ocamlc', COMPILER % (library, self.log), 0o755)
        self.cache = self.place.path('cache of ' + self.id())
        os.makedirs(self.cache, exist_ok=True)
        self.env = {'XDG_CACHE_HOME': self.cache}

    def write_log(self, text):
        self.place.write('compilations', text)

    def compilations(self):
        with open(self.log, encoding='utf-8') as file:
            return file.read().split('\n')[:-1]

    def other(self, *words, **more):
        return self.bactrian('--ocaml', 'other', *words, **dict({'env': self.env}, **more))

    def test_descriptions_are_of_the_chosen_compiler_s_version(self):
        self.expect(self.other('-vnum'), out='5.3.0\n')
        self.expect(self.other('-version'), out='The OCaml runtime, version 5.3.0\n')
        self.expect(self.other('-M'), out='Caml1999X035\n')
        done = self.other('-config')
        self.expect(done)
        library = self.place.path('other/lib')
        for line in ('version: 5.3.0', 'standard_library: ' + library, 'no_naked_pointers: true',
                     'reserved header bits: 0', 'exec_magic_number: Caml1999X035', '  /somewhere'):
            self.assertIn(line + '\n', done.out)
        self.assertNotIn('profinfo', done.out)

    def test_p_lists_the_primitives_of_that_version(self):
        done = self.other('-p')
        self.expect(done)
        with open(os.path.join(HERE, 'primitives', '5.3.txt'), encoding='ascii') as file:
            names = file.read().split()
        self.assertEqual([name for name in done.out.split() if name in set(names)], names)

    def test_the_environment_names_a_folder_or_a_toolchain(self):
        env = dict(self.env, OCAMLFIND_TOOLCHAIN=self.place.path('other'))
        self.expect(self.bactrian('-vnum', env=env), out='5.3.0\n')
        env = dict(self.env, OCAMLFIND_TOOLCHAIN='other',
                   PATH=self.place.path('tools') + ':' + os.environ['PATH'])
        self.place.write('tools/ocamlfind',
                         '#!/bin/sh\n[ "$*" = "ocamlc -only-show" ] &&\n'
                         'echo "%s/$OCAMLFIND_TOOLCHAIN/bin/ocamlc -x"\n' % self.place.folder,
                         0o755)
        self.expect(self.bactrian('-vnum', env=env), out='5.3.0\n')

    def test_scripts_are_compiled_by_the_chosen_compiler(self):
        self.expect(self.other('args.ml', 'a'), out='args.ml\na\nargs.ml\n')
        self.assertEqual(len(self.compilations()), 1)
        self.expect(self.other('args.ml', 'a'), out='args.ml\na\nargs.ml\n')
        self.assertEqual(len(self.compilations()), 1)
        self.expect(self.bactrian('args.ml', env=self.env), out='args.ml\nargs.ml\n')
        self.assertEqual(len(self.compilations()), 1)

    def test_modules_are_compiled_once_for_another_compiler(self):
        self.place.write('modules.ml', USES_MODULES)
        self.expect(self.other('modules.ml'), out='done')
        self.assertEqual([line.endswith('ffi.ml') for line in self.compilations()],
                         [True, False])
        where = self.other('--where')
        self.expect(where)
        self.assertTrue(where.out.startswith(self.cache), where.out)
        self.assertTrue(os.path.exists(os.path.join(where.out[:-1], 'bactrian.cma')))
        self.assertEqual(len(self.compilations()), 2)
        for name in os.listdir(os.path.join(self.cache, 'bactrian')):
            self.assertRegex(name, r'\A(modules-[0-9a-f]{32}|[0-9a-f]{32}\.(byte|deps))\Z')

    def test_modules_without_a_cache_are_temporary(self):
        temporary = self.place.path('temporary')
        os.makedirs(temporary, exist_ok=True)
        self.place.write('modules.ml', USES_MODULES)
        env = {'XDG_CACHE_HOME': '/dev/null', 'TMPDIR': temporary}
        self.expect(self.other('modules.ml', env=env), out='done')
        self.assertEqual(os.listdir(temporary), [])
        self.refused(self.other('--where', env=env), 125, 'XDG_CACHE_HOME')
        self.assertEqual(os.listdir(temporary), [])

    def test_a_compiler_that_does_not_answer_is_refused(self):
        self.refused(self.bactrian('--ocaml', 'nowhere', '-vnum'), 125, 'nowhere', 'bin/ocamlc')
        self.refused(self.bactrian('--ocaml', 'nowhere', 'args.ml'), 127, 'nowhere', 'bin/ocamlc')
        self.refused(self.bactrian('args.ml', env={'OCAMLFIND_TOOLCHAIN': '/nowhere'}), 127,
                     'OCAMLFIND_TOOLCHAIN')
        self.place.write('old/bin/ocamlc', '#!/bin/sh\necho 4.02.3\n', 0o755)
        self.refused(self.bactrian('--ocaml', 'old', '-vnum'), 125, '4.02.3')
        self.place.write('old/bin/ocamlc', '#!/bin/sh\nexit 1\n', 0o755)
        self.refused(self.bactrian('--ocaml', 'old', '-vnum'), 125, 'old/bin/ocamlc')
