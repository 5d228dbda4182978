"""Scripts with directives, packages, and modules beside them; -e and standard input.

scripts/ holds scripts such as people write; each gives what `ocaml` gives."""
import os
import shutil
import unittest

from support import ocaml5
from test_scripts import ScriptCase

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, 'scripts')
INPUT = {'word_count.ml': b"The ring, the queue and the cache: a queue isn't a ring.\n"}
ARGUMENTS = {'arguments.ml': ['-v', 'a', 'b']}
PACKAGES = {'json_report.ml': 'yojson', 'big_numbers.ml': 'zarith', 'several_packages.ml': 're',
            'promises.ml': 'lwt.unix'}


class InTheWild(ScriptCase):
    def test_scripts_give_what_ocaml_gives(self):
        place = self.place.path('scripts')
        shutil.copytree(SCRIPTS, place)
        names = sorted(name for name in os.listdir(place) if name.endswith('.ml'))
        self.assertGreaterEqual(len(names), 15)
        for name in names:
            with self.subTest(name=name):
                found = self.run_command(['ocamlfind', 'query', PACKAGES.get(name, 'unix')])
                if found.status != 0:
                    self.skipTest('%s is not installed' % PACKAGES[name])
                words = [name] + ARGUMENTS.get(name, [])
                more = {'cwd': place, 'stdin': INPUT.get(name, b'')}
                theirs = self.run_command(['ocaml'] + words, **more)
                self.assertEqual(theirs.status, 0, repr(theirs))
                for _ in ('compiled', 'from the cache'):
                    mine = self.script(*words, **more)
                    self.assertEqual(mine.key(), theirs.key())
                if name not in PACKAGES:
                    mine = self.script('--ocaml', ocaml5(), *words, **more)
                    self.assertEqual((mine.status, mine.out), (0, theirs.out), repr(mine))


class Directives(ScriptCase):
    def test_errors_point_into_the_user_s_file(self):
        self.place.write('d/used.ml', 'let u = 1\nlet v = u ^ "x"\n')
        self.place.write('d/uses.ml', '#use "used.ml";;\nlet w = 2\n')
        self.place.write('d/later.ml', '#use "good.ml";;  let w =\n  2 + "a"\n')
        self.place.write('d/good.ml', 'let good = 1\n')
        done = self.script('d/uses.ml')
        self.assertEqual(done.status, 2)
        self.assertTrue(done.err.startswith('File "used.ml", line 2, characters 8-9:\n'), done)
        done = self.script('d/later.ml')
        self.assertTrue(done.err.startswith(
            'File "d/later.ml", line 2, characters 6-9:\n2 |   2 + "a"\n'), repr(done))

    def test_a_directive_changes_no_location_after_it(self):
        self.place.write('d/columns.ml', '#load "str.cma";; let () = print_string __LOC__\n')
        self.expect(self.script('d/columns.ml'),
                    out='File "d/columns.ml", line 1, characters 40-47')

    def test_what_a_script_cannot_do_is_said(self):
        for text, status, words in (
                ('\n#trace f;;', 125, ('line 2', '#trace', 'bactrian repl')),
                ('#use "nothing.ml";;', 127, ('nothing.ml', 'No such file')),
                ('#require;;', 125, ('#require needs a string',)),
                ('#require "no-such-package";;', 2, ('no-such-package',)),
                ('#load "no_such.cma";;', 2, ('no_such.cma',))):
            with self.subTest(text=text):
                self.place.write('d/cannot.ml', text)
                done = self.script('d/cannot.ml')
                self.assertEqual(done.status, status, repr(done))
                for word in words:
                    self.assertIn(word, done.err)

    def test_files_that_use_each_other_are_refused(self):
        self.place.write('d/a.ml', '#use "b.ml";;')
        self.place.write('d/b.ml', '#use "a.ml";;')
        self.refused(self.script('d/a.ml'), 125, 'use each other')

    def test_without_findlib_a_package_is_refused(self):
        self.place.write('d/needs.ml', '#require "str";;')
        tools = self.place.path('no-findlib')
        os.makedirs(tools, exist_ok=True)
        for tool in ('ocamlc', 'sh', 'cat'):
            if not os.path.lexists(os.path.join(tools, tool)):
                os.symlink(shutil.which(tool), os.path.join(tools, tool))
        done = self.script('d/needs.ml', env={'PATH': tools})
        self.refused(done, 127, 'ocamlfind', 'ocaml-findlib')

    def test_a_changed_file_is_seen(self):
        self.place.write('c/main.ml', '#use "used.ml";;\nlet () = print_string (used ^ Beside.x)\n')
        for used, beside in (('a', 'b'), ('a', 'c'), ('d', 'c')):
            self.place.write('c/used.ml', 'let used = "%s"\n' % used)
            self.place.write('c/beside.ml', 'let x = "%s"\n' % beside)
            for _ in range(2):
                self.expect(self.script('c/main.ml'), out=used + beside)
        self.assertEqual(len(self.kept()), 3)

    def test_a_new_module_beside_the_script_is_seen(self):
        self.place.write('n/main.ml', 'let () = print_int (List.length [1; 2])\n')
        self.expect(self.script('n/main.ml'), out='2')
        self.place.write('n/list.ml', 'let length _ = 7\n')
        self.expect(self.script('n/main.ml'), out='7')


class Modules(ScriptCase):
    def test_modules_beside_the_script_are_compiled_in_order(self):
        self.place.write('m/main.ml', 'let () = print_int (Upper.f 1 + Lower.g 1)\n')
        self.place.write('m/upper.ml', 'let f x = Lower.g x + Common.c\n')
        self.place.write('m/upper.mli', 'val f : int -> int\n')
        self.place.write('m/Lower.ml', 'let g x = x * Common.c\n')
        self.place.write('m/common.ml', 'let c = 10\n')
        self.place.write('m/unused.ml', 'this is no OCaml\n')
        before = sorted(os.listdir(self.place.path('m')))
        self.expect(self.script('m/main.ml'), out='30')
        self.expect(self.script('main.ml', cwd=self.place.path('m')), out='30')
        self.assertEqual(sorted(os.listdir(self.place.path('m'))), before)

    def test_an_error_in_a_module_has_its_name(self):
        self.place.write('w/main.ml', 'let () = Wrong.f ()\n')
        self.place.write('w/wrong.ml', 'let f () = 1 + "a"\n')
        done = self.script('w/main.ml')
        self.assertEqual(done.status, 2)
        self.assertTrue(done.err.startswith(
            'File "%s", line 1, characters 15-18:\n1 | let f () = 1 + "a"\n'
            % self.place.path('w/wrong.ml')), repr(done))

    def test_modules_that_need_each_other_are_ocamlc_s_to_refuse(self):
        self.place.write('o/main.ml', 'let () = print_int One.x\n')
        self.place.write('o/one.ml', 'let x = Two.x\n')
        self.place.write('o/two.ml', 'let x = One.x\n')
        done = self.script('o/main.ml')
        self.assertEqual(done.status, 2)
        self.assertIn('Unbound module', done.err)


class Texts(ScriptCase):
    SHOW = 'Array.iter print_endline Sys.argv'

    def test_an_expression_runs_with_arguments(self):
        self.expect(self.script('-e', self.SHOW, 'a', '-b'), out='-e\na\n-b\n')
        self.expect(self.script('--fuel', '1000000', '-e', 'print_string "x"'), out='x')

    def test_standard_input_is_a_script(self):
        self.expect(self.script('-', 'a', stdin=self.SHOW.encode()), out='-\na\n')

    def test_errors_say_where_the_text_came_from(self):
        done = self.script('-e', 'print_int "a"')
        self.assertTrue(done.err.startswith(
            'File "(command-line input)", line 1, characters 10-13:\n1 | print_int "a"\n'), done)
        self.assertEqual(done.status, 2)
        done = self.script('-', stdin=b'print_int "a"')
        self.assertTrue(done.err.startswith('File "(stdin)", line 1, '), repr(done))

    def test_dash_e_needs_a_text(self):
        self.refused(self.script('-e'), 125, '-e')


if __name__ == '__main__':
    unittest.main()
