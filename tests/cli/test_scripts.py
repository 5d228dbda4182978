"""OCaml scripts: compiling, the cache, #! lines, errors."""
import contextlib
import os
import shutil
import subprocess
import threading

from support import Case


class ScriptCase(Case):
    def setUp(self):
        self.cache = self.place.path('cache-' + self.id().rsplit('.', 1)[1])
        os.mkdir(self.cache, 0o700)
        self.env = {'XDG_CACHE_HOME': self.cache}

    def script(self, *words, **more):
        env = dict(self.env)
        env.update(more.pop('env', {}))
        return self.bactrian(*words, env=env, **more)

    def kept(self):
        return self.programs_in(os.path.join(self.cache, 'bactrian'))

    @staticmethod
    def programs_in(folder):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        return [name for name in names if not name.endswith('.deps')]


class Scripts(ScriptCase):
    def test_a_script_runs_with_its_arguments(self):
        self.expect(self.script('args.ml', 'a', '-b'), out='args.ml\na\n-b\nargs.ml\n')
        path = self.place.path('args.ml')
        self.expect(self.script(path), out='%s\n%s\n' % (path, path))

    def test_status_input_and_exceptions_are_the_script_s(self):
        self.expect(self.script('status.ml', '7'), status=7)
        self.expect(self.script('copy.ml', stdin=b'x\n'), out='x\n')
        done = self.script('-b', 'raises.ml')
        self.expect(done, status=2, err=None)
        self.assertIn('file "raises.ml", line 2', done.err)

    def test_the_second_run_needs_no_compiler(self):
        self.expect(self.script('busy.ml'))
        self.assertEqual(len(self.kept()), 1)
        os.chmod(os.path.join(self.cache, 'bactrian'), 0o500)
        kept = os.path.join(self.cache, 'bactrian', self.kept()[0])
        before = os.stat(kept).st_mtime_ns
        self.expect(self.script('busy.ml'))
        self.assertEqual((len(self.kept()), os.stat(kept).st_mtime_ns), (1, before))

    def test_another_compiler_recompiles(self):
        self.expect(self.script('busy.ml'))
        fake = self.place.write('fake/ocamlc', '#!/bin/sh\necho compiled >&2\nexit 9\n', 0o755)
        done = self.script('busy.ml', env={'PATH': os.path.dirname(fake) + ':/bin'})
        self.expect(done, status=9, err='compiled\n')

    def test_new_content_is_recompiled(self):
        for text in ('one', 'two', 'one'):
            self.place.write('changing.ml', 'let () = print_string "%s"\n' % text)
            self.expect(self.script('changing.ml'), out=text)
        self.assertEqual(len(self.kept()), 2)

    def test_nothing_is_left_beside_the_script_or_in_the_cache(self):
        self.place.write('clean/s.ml', 'let () = print_string "x"\n')
        self.place.write('clean/bad.ml', 'let () = print_strin "x"\n')
        self.expect(self.script('clean/s.ml'), out='x')
        self.assertEqual(self.script('clean/bad.ml').status, 2)
        self.assertEqual(sorted(os.listdir(self.place.path('clean'))), ['bad.ml', 's.ml'])
        self.assertEqual([name[32:] for name in self.kept()], ['.byte'])

    def test_compile_errors_are_ocamlc_s(self):
        self.place.write('e/wrong.ml', 'let x =\n  1 + "a"\n')
        self.place.write('e/syntax.ml', 'let let\n')
        self.place.write('e/unbound.ml', 'let () = Nothing.f ()\n')
        for name in ('wrong', 'syntax', 'unbound'):
            with self.subTest(name=name):
                for path in ('e/%s.ml', './e/%s.ml', 'e/../e/%s.ml', self.place.path('e/%s.ml')):
                    theirs = self.run_command(['ocamlc', '-g', '-c', path % name])
                    mine = self.script(path % name)
                    self.assertEqual((mine.status, mine.err), (theirs.status, theirs.err))
                    self.assertEqual(mine.out, '')

    def test_link_errors_are_ocamlc_s(self):
        self.place.write('link.ml', 'external f : int -> int = "no_such_primitive"\nlet _ = f 1\n')
        done = self.script('link.ml')
        self.assertEqual(done.status, 2)
        self.assertIn('no_such_primitive', done.err)

    def test_warnings_are_shown_and_do_not_stop(self):
        self.place.write('warned.ml', 'let f = function 1 -> 2\nlet () = print_int (f 1)\n')
        done = self.script('warned.ml')
        self.expect(done, out='2', err=None)
        self.assertIn('File "warned.ml", line 1', done.err)

    def test_without_a_compiler_the_status_is_127(self):
        done = self.script('args.ml', env={'PATH': self.place.bin})
        self.refused(done, 127, 'ocamlc', 'ocaml-nox')

    def test_other_modules_recompile(self):
        """The modules are found beside the binary."""
        binary = self.place.path('copied/vm/cli/bactrian')
        modules = self.place.path('copied/stdlib/ml')
        where = self.bactrian('--where').out.rstrip('\n')
        os.makedirs(os.path.dirname(binary))
        shutil.copy(self.place.bactrian, binary)
        shutil.copytree(where, modules)
        self.place.write('modules.ml', 'module B = Bactrian\nlet () = print_string "x"\n')
        for count, name in enumerate(('bactrian.cma', 'ffi.cmi', None), 1):
            for _ in range(2):
                self.expect(self.run_command([binary, 'modules.ml'], env=self.env), out='x')
                self.assertEqual(len(self.kept()), count)
            if name is not None:
                with open(os.path.join(modules, name), 'ab') as file:
                    file.write(b' ')  # ocamlc ignores it

    def test_another_version_of_bactrian_recompiles(self):
        """A copy of the binary that calls itself by another version."""
        name = self.bactrian('--version').out.split(',')[0].encode()
        with open(self.place.bactrian, 'rb') as file:
            binary = file.read()
        other = binary.replace(name + b'\0', name[:-1] + b'x\0')
        self.assertFalse(other == binary)
        newer = self.place.write('newer', other, 0o755)
        for count, command in enumerate((self.place.bactrian, newer, self.place.bactrian)):
            self.expect(self.run_command([command, 'args.ml'], env=self.env),
                        out='args.ml\nargs.ml\n')
            self.assertEqual(len(self.kept()), min(count, 1) + 1)

    def test_a_damaged_cache_entry_is_replaced(self):
        self.expect(self.script('busy.ml'))
        path = os.path.join(self.cache, 'bactrian', self.kept()[0])
        with open(path, 'r+b') as file:
            file.truncate(1000)
        self.assertEqual(self.script('busy.ml').key(), self.ocamlrun('busy.byte').key())

    def test_scripts_started_at_once_share_the_cache(self):
        results = []
        threads = [threading.Thread(target=lambda: results.append(self.script('busy.ml').key()))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(results), {self.ocamlrun('busy.byte').key()})
        self.assertEqual(len(results), 8)
        self.assertEqual(len(self.kept()), 1)

    def test_scripts_run_without_a_cache(self):
        self.place.write('not-a-folder', 'x')
        for env in ({'XDG_CACHE_HOME': self.place.path('not-a-folder')},
                    {'XDG_CACHE_HOME': '/proc/nothing'},
                    {'XDG_CACHE_HOME': 'relative', 'HOME': None},
                    {'XDG_CACHE_HOME': None, 'HOME': None}):
            with self.subTest(env=env):
                self.expect(self.script('args.ml', env=env), out='args.ml\nargs.ml\n')
        self.assertFalse(os.path.exists(self.place.path('relative')))

    def test_a_cache_that_others_may_write_is_not_used(self):
        folder = os.path.join(self.cache, 'bactrian')
        os.mkdir(folder)
        os.chmod(folder, 0o777)
        self.expect(self.script('args.ml'), out='args.ml\nargs.ml\n')
        self.assertEqual(self.kept(), [])

    def test_a_cache_that_others_may_replace_is_not_used(self):
        """A folder on the way that others can write to, unless it has the sticky bit."""
        for mode, used in ((0o777, False), (0o770, False), (0o1777, True), (0o755, True)):
            with self.subTest(mode=oct(mode)):
                way = self.place.path('way-%o' % mode)
                os.makedirs(os.path.join(way, 'inner'), 0o755)
                os.chmod(way, mode)
                cache = os.path.join(way, 'inner', 'cache')
                self.expect(self.script('args.ml', env={'XDG_CACHE_HOME': cache}),
                            out='args.ml\nargs.ml\n')
                self.assertEqual(len(self.programs_in(os.path.join(cache, 'bactrian'))), int(used))
                self.assertEqual(os.stat(os.path.join(cache, 'bactrian')).st_mode & 0o777, 0o700)

    def test_a_cache_below_a_closed_folder_is_used(self):
        """Others cannot enter a folder of mode 0700, whatever they could do below."""
        os.chmod(self.cache, 0o700)
        inner = os.path.join(self.cache, 'open')
        os.mkdir(inner)
        os.chmod(inner, 0o777)
        self.expect(self.script('args.ml', env={'XDG_CACHE_HOME': inner}), out=None)
        self.assertEqual(len(self.programs_in(os.path.join(inner, 'bactrian'))), 1)

    def test_another_user_s_cache_is_not_used(self):
        if os.geteuid() != 0:
            self.skipTest('needs root to give files away')
        folder = os.path.join(self.cache, 'bactrian')
        os.mkdir(folder)
        os.chown(folder, 4711, 4711)
        self.expect(self.script('args.ml'), out='args.ml\nargs.ml\n')
        self.assertEqual(self.kept(), [])

    def test_entries_that_others_may_have_made_are_replaced(self):
        self.expect(self.script('busy.ml'))
        kept = os.path.join(self.cache, 'bactrian', self.kept()[0])
        good, other = self.ocamlrun('busy.byte').out, self.place.path('args.byte')

        def writable():
            shutil.copy(other, kept)
            os.chmod(kept, 0o666)

        def link():
            os.remove(kept)
            os.symlink(other, kept)

        def foreign():
            shutil.copy(other, kept)
            os.chown(kept, 4711, 4711)
        for plant in (writable, link) + ((foreign,) if os.geteuid() == 0 else ()):
            with self.subTest(plant=plant.__name__):
                plant()
                self.expect(self.script('busy.ml'), out=good)
                self.assertEqual(os.lstat(kept).st_mode & 0o170777, 0o100600)
                self.assertEqual(os.lstat(kept).st_uid, os.geteuid())

    def test_the_default_cache_is_below_home(self):
        self.expect(self.script('args.ml', env={'XDG_CACHE_HOME': None}), err='')
        self.assertTrue(os.path.isdir(os.path.join(self.place.home, '.cache', 'bactrian')))

    @contextlib.contextmanager
    def small_disk(self, size):
        folder = self.place.path('small-' + size)
        os.makedirs(folder, exist_ok=True)
        mounted = os.geteuid() == 0 and subprocess.run(
            ['mount', '-t', 'tmpfs', '-o', 'mode=755,size=' + size, 'none', folder],
            stderr=subprocess.DEVNULL).returncode == 0
        if not mounted:
            self.skipTest('needs root and mount')
        try:
            yield folder
        finally:
            subprocess.run(['umount', folder], check=True)

    def test_a_full_cache_stops_no_script(self):
        with self.small_disk('16k') as small:
            for _ in range(2):
                self.expect(self.script('args.ml', env={'XDG_CACHE_HOME': small}),
                            out='args.ml\nargs.ml\n')
            self.assertEqual(os.listdir(os.path.join(small, 'bactrian')), [])

    def test_a_cache_that_takes_only_the_bytecode_stops_no_script(self):
        self.expect(self.script('args.ml'), out='args.ml\nargs.ml\n')
        folder = os.path.join(self.cache, 'bactrian')
        names = [name for name in os.listdir(folder) if name.endswith('.deps')]
        os.unlink(os.path.join(folder, names[0]))
        os.mkdir(os.path.join(folder, names[0]))  # so that no file gets the name
        self.expect(self.script('args.ml'), out='args.ml\nargs.ml\n')

    def test_a_cache_on_another_disk_keeps_scripts(self):
        with self.small_disk('20m') as small:
            for _ in range(2):
                self.expect(self.script('args.ml', env={'XDG_CACHE_HOME': small}),
                            out='args.ml\nargs.ml\n')
                names = self.programs_in(os.path.join(small, 'bactrian'))
                self.assertEqual([name[32:] for name in names], ['.byte'])

    def test_a_full_temporary_folder_stops_no_script(self):
        with self.small_disk('16k') as small:
            self.expect(self.script('args.ml', env={'TMPDIR': small}), out='args.ml\nargs.ml\n')
        self.assertEqual([name[32:] for name in self.kept()], ['.byte'])

    def test_two_full_disks_give_one_message(self):
        with self.small_disk('16k') as small:
            done = self.script('args.ml', env={'XDG_CACHE_HOME': small, 'TMPDIR': small})
            self.assertNotIn(done.status, (0,), repr(done))
            self.assertLess(done.status, 128, repr(done))
            self.assertIn('No space left', done.err)

    def test_odd_names(self):
        for name in ('1st.ml', 'my-script.ml', 'a.b.ml', 'with space.ml', "quote'.ml", 'List.ml'):
            with self.subTest(name=name):
                self.place.write('odd/' + name, 'let () = print_string Sys.argv.(0)\n')
                self.expect(self.script('odd/' + name), out='odd/' + name)


class HashBang(ScriptCase):
    LINE = '#!/usr/bin/env bactrian\n'

    def test_a_script_starts_itself(self):
        for name in ('hb/tool.ml', 'hb/tool', 'hb/other-tool'):
            with self.subTest(name=name):
                text = 'let () = print_endline (Sys.argv.(0) ^ Sys.argv.(1))\n'
                self.place.write(name, self.LINE + text, 0o755)
                done = self.run_command(['./' + name, '-x'], env=self.env)
                self.expect(done, out='./%s-x\n' % name)

    def test_a_script_is_found_in_path(self):
        path = self.place.write('hb/found', self.LINE + 'let () = print_string __FILE__\n', 0o755)
        done = self.run_command(['sh', '-c', 'found'], env=dict(
            self.env, PATH=os.path.dirname(path) + ':' + self.place.bin + ':' + os.environ['PATH']))
        self.expect(done, out=path)

    def test_locations_count_the_first_line(self):
        self.place.write('hb/raises', self.LINE + 'let () = failwith "x"\n', 0o755)
        done = self.script('-b', 'hb/raises')
        self.assertEqual(done.status, 2)
        self.assertIn('file "hb/raises", line 2, characters 9-21', done.err)

    def test_errors_have_name_line_and_source(self):
        self.place.write('hb/wrong', self.LINE + 'let () = print_int "x"\n', 0o755)
        done = self.script('./hb/wrong')
        self.assertEqual(done.status, 2)
        self.assertTrue(done.err.startswith(
            'File "./hb/wrong", line 2, characters 19-22:\n2 | let () = print_int "x"\n'),
            repr(done))
        done = self.script(self.place.path('hb/wrong'))
        self.assertTrue(done.err.startswith(
            'File "%s", line 2, characters 19-22:\n' % self.place.path('hb/wrong')), repr(done))

    def test_a_script_may_have_only_a_first_line(self):
        for text in (self.LINE, self.LINE.rstrip('\n')):
            self.place.write('hb/empty', text, 0o755)
            self.expect(self.script('hb/empty'), out='')

    def test_another_interpreter_s_script_is_refused(self):
        self.place.write('hb/shell', '#!/bin/sh\necho hello\n', 0o755)
        self.refused(self.script('hb/shell'), 125)
