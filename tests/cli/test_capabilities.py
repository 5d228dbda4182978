"""Capabilities: what is not allowed is refused, and the refusal names its flag."""
import os
import shutil
import subprocess
import unittest

from support import Case


def pure_refusal(subject, capability):
    return '%s: refused by --pure (--allow=%s permits it)' % (subject, capability)


class Capabilities(Case):
    def allowed(self, flags, words, out=None):
        done = self.bactrian(*flags, 'world.byte', *words)
        self.expect(done, out=out)
        return done

    def denied(self, flags, words, text):
        done = self.bactrian(*flags, 'world.byte', *words)
        self.expect(done, status=3, out=text)

    def test_each_capability_can_be_denied(self):
        for name, words, primitive in (
                ('proc', ['command'], 'caml_sys_system_command'),
                ('time', ['time'], 'caml_sys_time'),
                ('time', ['random'], 'caml_sys_random_seed'),
                ('signals', ['signal'], 'caml_install_signal_handler'),
                ('fs-read', ['read', 'args.ml'], 'args.ml'), ('fs-read', ['exists', '/'], '/'),
                ('fs-read', ['folder', '.'], '.'), ('fs-read', ['list', '.'], '.'),
                ('fs-read', ['getcwd'], 'caml_sys_getcwd'), ('fs-read', ['chdir', '/'], '/'),
                ('fs-write', ['write', 'new'], 'new'),
                ('fs-write', ['remove', 'args.ml'], 'args.ml'),
                ('fs-write', ['mkdir', 'new'], 'new'), ('fs-write', ['rmdir', 'home'], 'home'),
                ('fs-write', ['rename', 'args.ml', 'x'], 'args.ml'),
                ('fs-read', ['update', 'home/new'], 'home/new')):
            with self.subTest(capability=name, words=words):
                self.denied(['--deny=' + name], words,
                            '%s: refused by --deny=%s' % (primitive, name))
                self.denied(['--pure'], words, pure_refusal(primitive, name))
        self.assertTrue(os.path.exists(self.place.path('args.ml')))
        self.assertFalse(os.path.exists(self.place.path('new')))

    def test_marshalled_functions_can_be_denied_and_other_data_stays(self):
        for flag in ('--deny=marshal-closures', '--pure'):
            done = self.bactrian(flag, 'world.byte', 'closure')
            self.expect(done, status=3)
            self.assertIn('refused by ' + flag, done.out)
            self.allowed([flag], ['plain'], 'plain')
        self.allowed([], ['closure'], 'called')

    def test_stubs_of_c_libraries_can_be_denied(self):
        self.place.write('pid.ml', 'let () = print_string "up "; print_int (Unix.getppid ())')
        self.place.tool('ocamlc', '-o', 'pid.byte', 'unix.cma', 'pid.ml')
        self.expect(self.bactrian('pid.byte'), out=None)
        for flag, refusal in (('--deny=stub', r'--deny=stub'),
                              ('--pure', r'--pure \(--allow=stub permits it\)')):
            done = self.bactrian(flag, 'pid.byte')
            self.assertEqual(done.status, 2, repr(done))
            self.assertRegex(done.err, r'Sys_error\("(caml_)?unix_\w+: refused by %s"\)' % refusal)
        self.expect(self.bactrian('--pure', '--allow=stub', 'pid.byte'), out=None)

    def test_without_stubs_functions_of_other_capabilities_are_refused_as_stubs(self):
        """Module Unix is not linked: its first call would be refused before."""
        self.place.write('forks.ml', """
            external fork : unit -> int = "unix_fork"
            let () = try ignore (fork ()); print_string "done" with Sys_error s -> print_string s
            """)
        self.place.tool('ocamlc', '-dllib', '-lunix', '-o', 'forks.byte', 'forks.ml')
        self.expect(self.bactrian('--deny=stub', 'forks.byte'),
                    out='unix_fork: refused by --deny=stub')
        self.expect(self.bactrian('--deny=proc', 'forks.byte'),
                    out='unix_fork: refused by --deny=proc')

    def test_what_unix_does_can_be_denied_by_kind(self):
        self.place.write('unix_world.ml', r"""
            let act = function
              | "proc" -> ignore (Unix.fork ())
              | "net" -> ignore (Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0)
              | "fs-read" -> ignore (Unix.stat "/")
              | "fs-write" -> Unix.mkdir "made" 0o700
              | "env" -> ignore (Unix.environment ())
              | "time" -> ignore (Unix.gettimeofday ())
              | "signals" -> ignore (Unix.alarm 0)
              | _ -> ignore (Unix.openfile "unix_world.ml" [Unix.O_RDONLY] 0)
            let () = try act Sys.argv.(1); print_string "done" with Sys_error s -> print_string s
            """)
        self.place.tool('ocamlc', '-o', 'unix_world.byte', 'unix.cma', 'unix_world.ml')
        for name in ('proc', 'net', 'fs-read', 'fs-write', 'env', 'time', 'signals'):
            with self.subTest(name=name):
                done = self.bactrian('--deny=' + name, 'unix_world.byte', name)
                self.assertRegex(done.out, r'\Aunix_\w+: refused by --deny=%s\Z' % name)
        self.expect(self.bactrian('--deny=proc,net,env', 'unix_world.byte', 'fs-read'), out='done')
        for flag in ('--deny=fs-read', '--deny=fs-write', '--allow=fs-write=.'):
            done = self.bactrian(flag, 'unix_world.byte', 'open')
            self.expect(done, out='unix_open: refused by ' + flag)

    def test_a_library_lends_no_functions_of_those_it_depends_on(self):
        """system is a function of libc. The compiler refuses that name for a primitive, so it gets
        into the bytecode as text."""
        self.place.write('lends.ml', """
            external spare : string -> int = "unix_rmdir"
            let () =
              ignore (Unix.isatty Unix.stdin);
              try ignore (spare "echo made > made_by_c"); print_string "ran"
              with Failure text | Invalid_argument text | Sys_error text -> print_string text
            """)
        self.place.tool('ocamlc', '-o', 'lends.byte', 'unix.cma', 'lends.ml')
        text = self.bactrian('dis', 'lends.byte').out
        for name in ('system', 'unlink', 'uerror'):
            self.place.write('lends.basm', text.replace('unix_rmdir', name))
            self.expect(self.bactrian('asm', 'lends.basm', '-o', 'lent.byte'))
            if name != 'uerror':
                done = self.bactrian('lent.byte')
                self.assertIn(name, done.out + done.err)
                self.assertNotIn('ran', done.out)
            # In a sandbox, only known functions of a library of C stubs can be called.
            self.expect(self.bactrian('--pure', '--allow=stub', 'lent.byte'),
                        out=pure_refusal(name, 'dynlink'))
            self.expect(self.bactrian('--deny=dynlink', 'lent.byte'),
                        out='%s: refused by --deny=dynlink' % name)
        self.assertFalse(os.path.exists(self.place.path('made_by_c')))

    def test_dynlink_finds_a_library_s_own_functions_only(self):
        self.place.write('symbols.ml', """
            external open_library : bool -> string -> Obj.t = "caml_dynlink_open_lib"
            external symbol : Obj.t -> string -> Obj.t = "caml_dynlink_lookup_symbol"
            let () =
              let library = open_library true Sys.argv.(1) in
              let found name = not (Obj.is_int (symbol library name)) in
              List.iter (fun name -> print_char (if found name then '+' else '-'))
                ["unix_getpid"; "system"; "unlink"; "execve"; "caml_alloc"]
            """)
        self.place.tool('ocamlc', '-w', '-a', '-o', 'symbols.byte', 'symbols.ml')
        where = subprocess.run(['ocamlc', '-where'], stdout=subprocess.PIPE, check=True).stdout
        library = os.path.join(where.decode().strip(), 'stublibs', 'dllunix.so')
        self.expect(self.bactrian('symbols.byte', library), out='+----')

    def test_a_program_does_not_choose_a_library_in_a_sandbox(self):
        """Opening a library already runs code: its constructors."""
        os.makedirs(self.place.path('own'), exist_ok=True)
        self.place.write('own/own.c', """
            #include <fcntl.h>
            __attribute__((constructor)) void run(void) { creat("constructed", 0600); }
            long own_function(long unit) { return unit; }
            """)
        self.place.write('chooses.ml', 'external f : unit -> unit = "own_function" let () = f ()')
        self.place.tool('gcc', '-shared', '-fPIC', '-o', 'own/dllown.so', 'own/own.c')
        folder = self.place.path('own')
        self.place.tool('ocamlc', '-dllpath', folder, '-I', 'own', '-dllib', '-lown', '-o',
                        'chooses.byte', 'chooses.ml')
        self.refused(self.bactrian('--pure', '--allow=stub', 'chooses.byte'), 125, 'dllown',
                     'refused by --pure (--allow=dynlink permits it)')
        self.assertFalse(os.path.exists(self.place.path('constructed')))
        self.expect(self.bactrian('--pure', '--allow=stub,dynlink', 'chooses.byte'))
        self.assertTrue(os.path.exists(self.place.path('constructed')))

    def test_dynlink_opens_no_library_where_stubs_are_denied(self):
        """Dynlink itself is permitted; opening a library runs its constructors."""
        self.place.write('opened.c', """
            #include <fcntl.h>
            __attribute__((constructor)) void run(void) { creat("opened", 0600); }
            """)
        self.place.tool('gcc', '-shared', '-fPIC', '-o', 'dllopened.so', 'opened.c')
        self.place.write('opens.ml', """
            external open_library : bool -> string -> Obj.t = "caml_dynlink_open_lib"
            let () =
              try ignore (open_library true Sys.argv.(1)); print_string "open"
              with Failure text | Sys_error text -> print_string text
            """)
        self.place.tool('ocamlc', '-w', '-a', '-o', 'opens.byte', 'opens.ml')
        library = self.place.path('dllopened.so')
        done = self.bactrian('--deny=stub', 'opens.byte', library)
        self.expect(done, out='libraries of C code are refused to this program')
        self.assertFalse(os.path.exists(self.place.path('opened')))
        self.expect(self.bactrian('opens.byte', library), out='open')
        self.assertTrue(os.path.exists(self.place.path('opened')))

    def test_unix_gives_no_file_a_readable_name(self):
        self.place.write('names.ml', """
            let () =
              try if Sys.argv.(1) = "link" then Unix.link "secret" "shown/new"
                else Unix.rename "secret" "shown/new"
              with Sys_error text -> print_string text
            """)
        self.place.tool('ocamlc', '-o', 'names.byte', 'unix.cma', 'names.ml')
        self.place.write('secret', 'secret')
        os.makedirs(self.place.path('shown'), exist_ok=True)
        for name in ('link', 'rename'):
            done = self.bactrian('--allow=fs-read=shown', 'names.byte', name)
            self.expect(done, out='unix_%s: refused by --allow=fs-read=shown' % name)

    def test_the_functions_of_unix_and_str_are_known(self):
        self.place.write('whole.ml', '')
        self.place.tool('ocamlc', '-linkall', '-o', 'whole.byte', 'unix.cma', 'str.cma', 'whole.ml')
        done = self.bactrian('--audit', 'whole.byte')
        self.assertRegex(done.out, r'(?m)^stub: \d+ \(calls C libraries\)')
        self.assertNotIn('dynlink:', done.out)
        for name in ('fs-read', 'fs-write'):
            group = done.out.split('\n' + name + ':')[1].split(':')[0]
            self.assertIn('unix_rename', group)

    def test_a_denied_environment_is_empty(self):
        self.allowed(['--deny=env'], ['getenv'], 'none')
        self.allowed(['--deny', 'time,env'], ['getenv'], 'none')
        self.allowed([], ['getenv'], self.place.home)

    def test_a_pure_program_has_its_arguments_channels_and_exit(self):
        self.expect(self.bactrian('--pure', 'status.byte', '7'), status=7)
        self.expect(self.bactrian('--pure', 'copy.byte', stdin=b'a\nb\n'), out='a\nb\n')
        self.expect(self.bactrian('--pure', 'busy.byte'), out=None)

    def test_later_options_win(self):
        self.allowed(['--pure', '--allow', 'env'], ['getenv'], self.place.home)
        self.allowed(['--deny=env', '--allow=env'], ['getenv'], self.place.home)
        self.allowed(['--allow=env', '--pure'], ['getenv'], 'none')

    def test_a_single_folder_can_be_allowed(self):
        self.place.write('inner/data', 'text\n')
        self.place.write('other/data', 'secret\n')
        inside = ['--pure', '--allow', 'fs-read=inner']
        for path in ('inner/data', './inner//data', 'other/../inner/data',
                     self.place.path('inner/data')):
            self.allowed(inside, ['read', path], 'text')
        self.allowed(inside, ['list', 'inner'], 'data')
        self.allowed(inside, ['folder', 'inner'], 'true')
        self.allowed(inside, ['exists', 'inner/none'], 'false')
        for path in ('other/data', 'inner/../other/data', '/etc/passwd', 'innermost', '/'):
            self.denied(inside, ['read', path], path + ': refused by --allow=fs-read=inner')
        self.denied(inside, ['write', 'inner/new'], pure_refusal('inner/new', 'fs-write'))
        both = inside + ['--allow=fs-read=other']
        self.allowed(both, ['read', 'other/data'], 'secret')
        self.allowed(both, ['read', 'inner/data'], 'text')

    def test_links_do_not_lead_out_of_an_allowed_folder(self):
        self.place.write('jail/file', 'in\n')
        self.place.write('outside', 'out\n')
        for name, target in (('abs', self.place.path('outside')), ('up', '../outside'),
                             ('folder', '..'), ('fine', 'file')):
            if not os.path.lexists(self.place.path('jail/' + name)):
                os.symlink(target, self.place.path('jail/' + name))
        flags = ['--allow=fs-read=jail', '--allow=fs-write=jail']
        self.allowed(flags, ['read', 'jail/fine'], 'in')
        for words in (['read', 'jail/abs'], ['read', 'jail/up'], ['read', 'jail/folder/outside'],
                      ['list', 'jail/folder'], ['chdir', 'jail/folder'], ['exists', 'jail/abs'],
                      ['write', 'jail/folder/new'], ['remove', 'jail/folder/outside'],
                      ['mkdir', 'jail/folder/new'], ['rename', 'jail/file', 'jail/folder/new'],
                      ['rename', 'jail/folder/outside', 'jail/new']):
            with self.subTest(words=words):
                done = self.bactrian(*flags, 'world.byte', *words)
                self.expect(done, status=3)
                self.assertIn('refused by --allow=fs-', done.out)
        self.assertTrue(os.path.exists(self.place.path('outside')))

    def test_an_allowed_folder_can_be_written(self):
        os.makedirs(self.place.path('work'), exist_ok=True)
        flags = ['--pure', '--allow=fs-write=work,fs-read=work']
        for words, out in ((['write', 'work/a'], ''), (['rename', 'work/a', 'work/b'], ''),
                           (['read', 'work/b'], 'x'), (['mkdir', 'work/c'], ''),
                           (['chdir', 'work/c'], self.place.path('work/c')),
                           (['rmdir', 'work/c'], ''), (['remove', 'work/b'], '')):
            with self.subTest(words=words):
                self.allowed(flags, words, out)
        self.assertEqual(os.listdir(self.place.path('work')), [])

    def test_a_single_file_can_be_allowed(self):
        flags = ['--pure', '--allow=fs-read=args.ml']
        self.assertIn('Sys.argv', self.allowed(flags, ['read', 'args.ml']).out)
        self.denied(flags, ['read', 'busy.ml'], 'busy.ml: refused by --allow=fs-read=args.ml')

    def test_the_program_cannot_close_the_machine_s_descriptors(self):
        """Closing the descriptor of an allowed folder must not allow another folder."""
        self.place.write('closes.ml', """
            external close : int -> unit = "caml_sys_close"
            external open_file : string -> open_flag list -> int -> int = "caml_sys_open"
            external channel : int -> out_channel = "caml_ml_open_descriptor_out"
            let () =
              for fd = 3 to 1000 do
                close fd;
                try close_out (channel fd) with Sys_error _ -> ()
              done;
              let folders = List.init 4 (fun _ -> open_file "shown" [Open_rdonly] 0) in
              (try Sys.remove "mine/data" with Sys_error text -> print_string text);
              ignore folders
            """)
        self.place.tool('ocamlc', '-o', 'closes.byte', 'closes.ml')
        self.place.write('shown/data', 'text')
        os.makedirs(self.place.path('mine'), exist_ok=True)
        flags = ['--pure', '--allow=fs-read=shown,fs-write=mine']
        self.expect(self.bactrian(*flags, 'closes.byte'),
                    out='mine/data: No such file or directory')
        self.assertTrue(os.path.exists(self.place.path('shown/data')))
        record = ['prof', 'record', '-o', 'closes.prof']
        self.expect(self.bactrian(*record, 'closes.byte'), out=None, err=None)
        self.expect(self.bactrian('prof', 'summary', 'closes.prof'), out=None)

    def test_rename_does_not_make_a_file_readable(self):
        self.place.write('hidden/data', 'secret')
        os.makedirs(self.place.path('open'), exist_ok=True)
        flags = ['--pure', '--allow=fs-read=open,fs-write=open,fs-write=hidden']
        self.denied(flags, ['rename', 'hidden/data', 'open/data'],
                    'hidden/data: refused by --allow=fs-read=open')
        self.allowed(flags, ['rename', 'hidden/data', 'hidden/other'], '')
        self.allowed(flags, ['write', 'open/mine'], '')
        self.allowed(flags, ['rename', 'open/mine', 'hidden/mine'], '')

    def test_a_path_to_a_single_file_cannot_be_redirected(self):
        """A path whose folder was replaced by a link leads elsewhere."""
        self.place.write('way/folder/file', 'in')
        self.place.write('elsewhere/file', 'out')
        os.symlink(self.place.path('elsewhere'), self.place.path('way/link'))
        self.place.write('bends.ml', """
            let () =
              Sys.rename "way/folder" "way/old";
              Sys.rename "way/link" "way/folder";
              try print_string (input_line (open_in "way/folder/file"))
              with Sys_error _ -> print_string "refused"
            """)
        self.place.tool('ocamlc', '-o', 'bends.byte', 'bends.ml')
        flags = ['--pure', '--allow=fs-read=way/folder/file,fs-write=way']
        self.expect(self.bactrian(*flags, 'bends.byte'), out='refused')

    def steps(self, flags, *steps):
        """What each step prints: `read FILE`, `move FROM TO`, ..., one after the other."""
        self.place.write('steps.ml', r"""
            let both = [Open_rdonly; Open_creat]
            let step text =
              match String.split_on_char ' ' text with
              | ["read"; file] -> input_line (open_in file)
              | ["both"; file] -> input_line (open_in_gen both 0o600 file)
              | ["write"; file] -> let o = open_out file in output_string o "new"; close_out o; "ok"
              | ["move"; old; name] -> Sys.rename old name; "ok"
              | ["mkdir"; name] -> Sys.mkdir name 0o700; "ok"
              | ["rmdir"; name] -> Sys.rmdir name; "ok"
              | ["remove"; name] -> Sys.remove name; "ok"
              | ["chdir"; name] -> Sys.chdir name; "ok"
              | _ -> "what?"
            let () =
              for i = 1 to Array.length Sys.argv - 1 do
                print_endline (try step Sys.argv.(i) with Sys_error text -> text)
              done
            """)
        if not os.path.exists(self.place.path('steps.byte')):
            self.place.tool('ocamlc', '-o', 'steps.byte', 'steps.ml')
        done = self.bactrian('--pure', *flags, 'steps.byte', *steps)
        self.expect(done, out=None)
        return done.out.splitlines()

    def hidden_and_shown(self):
        """tree/shown may be read, tree/secret not, all below tree written."""
        shutil.rmtree(self.place.path('tree'), ignore_errors=True)
        self.place.write('tree/secret', 'secret\n')
        self.place.write('tree/folder/secret', 'secret\n')
        self.place.write('tree/shown/file', 'fine\n')
        os.symlink('shown', self.place.path('tree/link'))
        os.symlink('../shown', self.place.path('tree/folder/link'))

    def test_no_rename_makes_a_file_readable(self):
        """The folder itself decides, not the path that names it."""
        flags = ['--allow=fs-write=tree,fs-read=tree/shown']
        denied = ': refused by --allow=fs-read=tree/shown'
        for to in ('tree/shown/new', 'tree/link/new', 'tree/folder/link/new',
                   'tree/folder/../link/new', self.place.path('tree/link/new')):
            for what in ('tree/secret', 'tree/folder'):
                with self.subTest(what=what, to=to):
                    self.hidden_and_shown()
                    self.assertEqual(self.steps(flags, 'move %s %s' % (what, to)), [what + denied])
        self.hidden_and_shown()
        self.assertEqual(
            self.steps(flags, 'chdir tree/shown', 'move ../secret new', 'move ../link/file new',
                       'read new'), ['ok', '../secret' + denied, 'ok', 'fine'])
        # Everything may be written, one folder read.
        self.hidden_and_shown()
        for name in ('tree/link/new', './tree//link/new/', self.place.path('tree/shown/new')):
            with self.subTest(name=name):
                got = self.steps(['--allow=fs-write', '--allow=fs-read=tree/shown'],
                                 'move tree/folder ' + name, 'move tree/secret tree/other',
                                 'move tree/other tree/secret')
                self.assertEqual(got, ['tree/folder' + denied, 'ok', 'ok'])

    def test_a_granted_folder_cannot_be_moved(self):
        self.hidden_and_shown()
        os.makedirs(self.place.path('tree/shown/inner/deep'))
        flags = ['--allow=fs-write=tree,fs-read=tree/shown,fs-read=tree/shown/inner/deep']
        denied = ': refused by --allow=fs-read=tree/shown/inner/deep'
        self.assertEqual(
            self.steps(flags, 'move tree/shown tree/other', 'move tree/shown/inner tree/shown/x',
                       'move tree/link/inner/deep tree/shown/x', 'read tree/shown/file'),
            ['tree/shown' + denied, 'tree/shown/inner' + denied, 'tree/link/inner/deep' + denied,
             'fine'])

    def test_a_folder_stays_where_it_may_be_read(self):
        """Another thread may be resolving a path that leads through the folder."""
        self.hidden_and_shown()
        os.mkdir(self.place.path('tree/shown/inner'))
        flags = ['--allow=fs-write=tree,fs-read=tree/shown']
        self.assertEqual(
            self.steps(flags, 'move tree/shown/inner tree/inner', 'move tree/shown/file tree/file',
                       'move tree/folder tree/other', 'move tree/shown/inner tree/shown/other'),
            ['tree/shown/inner: refused by --allow=fs-read=tree/shown', 'ok', 'ok', 'ok'])

    def test_a_granted_file_is_that_file_and_not_its_name(self):
        self.hidden_and_shown()
        flags = ['--allow=fs-write=tree,fs-read=tree/shown/file']
        denied = 'tree/shown/file: refused by --allow=fs-read=tree/shown/file'
        self.assertEqual(
            self.steps(flags, 'read tree/shown/file', 'remove tree/shown/file',
                       'move tree/secret tree/shown/file', 'read tree/shown/file',
                       'both tree/shown/file'),
            ['fine', 'ok', 'ok', denied, denied])
        self.hidden_and_shown()
        self.assertEqual(
            self.steps(flags, 'move tree/shown tree/other', 'move tree/folder tree/shown',
                       'move tree/shown/secret tree/shown/file', 'read tree/shown/file'),
            ['ok', 'ok', 'ok', denied])
        # Nor does writing create another file with that name.
        self.hidden_and_shown()
        self.assertEqual(
            self.steps(['--allow=fs-write=tree/shown/file,fs-write=tree'], 'write tree/shown/file',
                       'remove tree/link/file', 'write tree/shown/file'),
            ['ok', 'ok', 'tree/shown/file: No such file or directory'])

    def test_a_file_is_read_and_written_by_two_grants(self):
        self.hidden_and_shown()
        flags = ['--allow=fs-write=tree,fs-read=tree/shown']
        self.assertEqual(
            self.steps(flags, 'both tree/shown/file', 'both tree/link/file', 'both tree/secret'),
            ['fine', 'tree/link/file: refused by --allow=fs-read=tree/shown',
             'tree/secret: refused by --allow=fs-read=tree/shown'])

    def test_c_code_that_replaces_a_folder_of_the_policy_gains_nothing(self):
        self.place.write('replaces.ml', """
            external open_file : string -> open_flag list -> int -> int = "caml_sys_open"
            let () =
              let mine = open_file "tree/shown" [Open_rdonly] 0 in
              for fd = 3 to 30 do
                if fd <> mine then
                  try Unix.dup2 (Obj.magic mine) (Obj.magic fd) with Unix.Unix_error _ -> ()
              done;
              try Sys.remove "mine/file"; print_string "removed"
              with Sys_error text -> print_string text
            """)
        self.place.tool('ocamlc', '-w', '-a', '-o', 'replaces.byte', 'unix.cma', 'replaces.ml')
        self.hidden_and_shown()
        os.makedirs(self.place.path('mine'), exist_ok=True)
        done = self.bactrian('--pure', '--allow=stub,fs-read=tree/shown,fs-write=mine',
                             'replaces.byte')
        self.expect(done, out='mine/file: refused by --allow=fs-write=mine')
        self.assertTrue(os.path.exists(self.place.path('tree/shown/file')))

    def test_the_memory_of_a_process_is_no_file(self):
        self.denied([], ['write', '/proc/self/mem'],
                    '/proc/self/mem: refused by checked mode')
        self.denied([], ['read', '/proc/self/task/../mem'],
                    '/proc/self/task/../mem: refused by checked mode')
        self.expect(self.bactrian('world.byte', 'read', '/proc/self/comm'), out=None)

    @unittest.skipUnless(os.geteuid() == 0, 'only root may open /proc/PID/map_files')
    def test_no_file_leads_to_machine_code_or_shared_counters(self):
        self.place.write('maps.ml', r"""
            let overwrite range =
              let out = open_out_gen [Open_wronly] 0 ("/proc/self/map_files/" ^ range) in
              output_string out "?";
              close_out out
            let try_line line =
              match String.split_on_char ' ' line with
              | range :: _ when String.contains line '(' ->
                (try overwrite range; print_endline line
                 with Sys_error text ->
                   print_endline (List.hd (List.rev (String.split_on_char ':' text))))
              | _ -> ()
            let () =
              let maps = open_in "/proc/self/maps" in
              try while true do try_line (input_line maps) done with End_of_file -> ()
            """)
        self.place.tool('ocamlc', '-w', '-a', '-o', 'maps.byte', 'maps.ml')
        done = self.bactrian('--jit=all', '--max-output=1M', 'maps.byte')
        self.expect(done, out=None)
        self.assertEqual(set(done.out.splitlines()),
                         {'Operation not permitted', ' refused by checked mode'})

    def test_unknown_capabilities_are_refused(self):
        for words in (['--allow', 'nonsense'], ['--deny', ''], ['--deny', 'fs-read=/tmp'],
                      ['--allow', 'env=HOME'], ['--allow', 'fs-read=/no/such/folder'],
                      ['--allow', 'fs-read='], ['--allow']):
            with self.subTest(words=words):
                self.refused(self.bactrian(*words, 'args.byte'), 125, words[0])
