"""Programs: how they are found, refused, started; what their exit status is; dis and asm."""
import os
import shutil
import subprocess

from support import Case


class ExitStatuses(Case):
    def test_the_status_is_the_program_s(self):
        for status in ('0', '1', '3', '125', '255', '256', '-1'):
            with self.subTest(status=status):
                self.same('status.byte', status)

    def test_an_uncaught_exception_is_2(self):
        self.expect(self.same('raises.byte'), status=2, err=None)

    def test_the_word_run_is_accepted(self):
        self.assertEqual(self.bactrian('run', 'args.byte', 'x').key(),
                         self.ocamlrun('args.byte', 'x').key())

    def test_a_program_with_the_name_of_a_verb(self):
        self.place.write('dis', self.place.read('args.byte'))
        self.expect(self.bactrian('./dis', 'x'), out='./dis\nx\n./dis\n')
        self.expect(self.bactrian('run', 'dis', 'x'), out='dis\nx\ndis\n')


class Refusals(Case):
    def test_missing_files_are_127(self):
        for words in (['nope'], ['./nope'], ['nope.ml'], ['nope.basm'], ['-m', 'nope'],
                      ['--audit', 'nope'], ['dis', 'nope'], ['asm', 'nope', '-o', 'out'],
                      ['run', 'nope'], ['args.byte/x']):
            with self.subTest(words=words):
                name = 'args.byte/x' if 'args.byte/x' in words else 'nope'
                self.refused(self.bactrian(*words), 127, name)
        self.assertFalse(os.path.exists(self.place.path('out')))

    def test_folders_are_127(self):
        for words in (['/tmp'], ['./'], ['dis', '/tmp'], ['--audit', '/tmp']):
            with self.subTest(words=words):
                self.refused(self.bactrian(*words), 127, 'Is a directory')

    def test_a_device_is_127(self):
        self.refused(self.bactrian('/dev/null'), 127, 'Not a regular file')

    def test_a_pipe_does_not_hang(self):
        os.mkfifo(self.place.path('pipe'))
        self.refused(self.bactrian('pipe'), 127, 'Not a regular file')
        os.unlink(self.place.path('pipe'))

    def test_unreadable_files_are_127(self):
        self.place.write('secret.byte', self.place.read('args.byte'), 0o000)
        self.place.write('secret.ml', 'let () = ()', 0o000)
        # root reads everything, so somebody else tries: with a copy, the build may be out of reach
        copy = shutil.copy(self.place.bactrian, os.path.join(self.place.folder, 'bactrian-copy'))
        more = {'user': 65534} if os.geteuid() == 0 else {}
        for name in ('secret.byte', 'secret.ml'):
            with self.subTest(name=name):
                self.refused(self.run_command([copy, name], **more), 127, 'Permission denied')

    def test_files_that_are_not_bytecode_are_125(self):
        whole = self.place.read('args.byte')
        for name, content in (('empty', b''), ('short', b'abc'), ('text', b'hello\n' * 100),
                              ('magic', whole[:-3] + b'099'), ('future', whole[:-3] + b'037'),
                              ('script', b'#!/bin/sh\necho hello\n')):
            with self.subTest(name=name):
                self.place.write('bad', content)
                self.refused(self.bactrian('./bad'), 125, './bad: ')

    def test_truncated_programs_are_125(self):
        whole = self.place.read('args.byte')
        step = len(whole) // 40
        for length in list(range(0, len(whole), step)) + [len(whole) - n for n in range(1, 20)]:
            with self.subTest(length=length):
                self.place.write('cut', whole[:length])
                self.refused(self.bactrian('./cut'), 125)

    def test_a_file_cut_out_of_the_middle_is_125(self):
        whole = self.place.read('args.byte')
        for cut in (1, 4, 1000, len(whole) // 2):
            with self.subTest(cut=cut):
                self.place.write('cut', whole[:100] + whole[100 + cut:])
                done = self.bactrian('./cut')
                self.assertIn(done.status, (0, 125), repr(done))


class Finding(Case):
    def test_path_is_searched_before_the_current_folder(self):
        self.place.write('one/prog', self.place.read('args.byte'))
        self.place.write('two/prog', self.place.read('args.byte'))
        self.place.write('prog', self.place.read('args.byte'))
        os.makedirs(self.place.path('zero/prog'), exist_ok=True)
        base = os.environ['PATH']
        for path in ('one:two:', 'two:one:', ':one:', '/nonexistent:zero:two:', 'one::', ''):
            full = ':'.join(self.place.path(p) if p.isalpha() else p
                            for p in path.split(':')) + base
            with self.subTest(path=path):
                self.same('prog', 'x', env={'PATH': full})

    def test_path_may_be_unset(self):
        ocamlrun = subprocess.run(['which', 'ocamlrun'], stdout=subprocess.PIPE,
                                  check=True).stdout.decode().strip()
        mine = self.bactrian('args.byte', env={'PATH': None})
        theirs = self.run_command([ocamlrun, 'args.byte'], env={'PATH': None})
        self.assertEqual(mine.key(), theirs.key())

    def test_ocamlc_use_runtime_starts_bactrian(self):
        runtime = os.path.join(self.place.bin, 'bactrian')
        self.place.tool('ocamlc', '-use-runtime', runtime, '-o', 'direct.byte', 'args.ml')
        self.assertTrue(self.place.read('direct.byte').startswith(b'#!' + runtime.encode()))
        self.expect(self.run_command(['./direct.byte', '-b', 'x']),
                    out='./direct.byte\n-b\nx\n./direct.byte\n')
        self.expect(self.run_command(['direct.byte', 'y'], env={
            'PATH': self.place.folder + ':' + os.environ['PATH']},
            executable=self.place.path('direct.byte')),
            out='%s\ny\n%s\n' % ((self.place.path('direct.byte'),) * 2))

    def test_an_option_in_the_first_line(self):
        body = self.place.read('raises.byte')
        body = body[body.index(b'\n') + 1:]
        runtime = os.path.join(self.place.bin, 'bactrian')
        self.place.write('traced', b'#!' + runtime.encode() + b' -b\n' + body, 0o755)
        done = self.run_command(['./traced'])
        self.assertEqual(done.status, 2)
        self.assertIn('Called from Raises', done.err)

    def test_the_name_of_the_process_may_be_the_program(self):
        body = self.place.read('args.byte')
        self.place.write('bare', body[body.index(b'\n') + 1:])
        done = self.run_command(['./bare', '--help', '-p'], executable=self.place.bactrian)
        self.expect(done, out='./bare\n--help\n-p\n./bare\n')

    def test_the_name_of_the_process_with_a_hash_bang_is_not(self):
        done = self.run_command(['./args.byte', '-vnum'], executable=self.place.bactrian)
        self.expect(done, out='4.13.1\n')

    def test_appended_bytecode_owns_the_command_line(self):
        body = self.place.read('args.byte')
        machine = self.place.read(self.place.bactrian)
        self.place.write('custom', machine + body[body.index(b'\n') + 1:], 0o755)
        done = self.run_command(['./custom', '-b', '--version'])
        self.expect(done, out='./custom\n-b\n--version\n./custom\n')

    def test_a_custom_executable_of_ocamlc(self):
        self.place.tool('ocamlc', '-custom', '-o', 'custom.byte', 'args.ml')
        self.expect(self.bactrian('custom.byte', 'x'), out='custom.byte\nx\ncustom.byte\n')


class Streams(Case):
    def test_input_and_output_pass_through(self):
        text = b'one\ntwo\n\xff\x00three\n'
        self.expect(self.bactrian('copy.byte', stdin=text), out=text.decode('latin-1'))

    def test_closed_streams_behave_as_under_ocamlrun(self):
        for redirect in ('<&-', '>&-', '2>&-', '<&- >&-', '<&- >&- 2>&-'):
            for program in ('copy.byte', 'args.byte', 'raises.byte'):
                with self.subTest(redirect=redirect, program=program):
                    line = '"$0" %s %s; echo $? >&2' % (program, redirect)
                    mine = self.run_command(['sh', '-c', line, self.place.bactrian])
                    theirs = self.run_command(['sh', '-c', line, 'ocamlrun'])
                    self.assertEqual(mine.key(), theirs.key())

    def test_a_full_disk_behaves_as_under_ocamlrun(self):
        results = []
        for machine in (self.place.bactrian, 'ocamlrun'):
            with open('/dev/full', 'wb') as full:
                results.append(self.run_command([machine, 'args.byte'], stdout=full).key())
        self.assertEqual(*results)

    def test_a_closed_pipe_ends_the_program(self):
        line = '(yes | "$0" copy.byte; echo $? >&2) | head -n 1'
        mine = self.run_command(['sh', '-c', line, self.place.bactrian])
        theirs = self.run_command(['sh', '-c', line, 'ocamlrun'])
        self.assertEqual(mine.key(), theirs.key())


class Text(Case):
    def test_dis_and_asm_give_the_same_file_back(self):
        for name in ('args', 'raises', 'busy'):
            with self.subTest(name=name):
                self.expect(self.bactrian('dis', name + '.byte', '-o', name + '.basm'), out='')
                self.expect(self.bactrian('asm', name + '.basm', '-o', name + '.again'), out='')
                self.assertEqual(self.place.read(name + '.again'), self.place.read(name + '.byte'))
                self.assertTrue(os.access(self.place.path(name + '.again'), os.X_OK))

    def test_dis_prints_to_standard_output(self):
        self.bactrian('dis', '-o', 'args.basm', 'args.byte')
        done = self.bactrian('dis', 'args.byte')
        self.expect(done, out=self.place.read('args.basm').decode('latin-1'))

    def test_dis_and_audit_accept_scripts_and_texts(self):
        self.place.write('hello.ml', 'let () = print_string "hello"')
        self.bactrian('dis', 'hello.ml', '-o', 'hello.basm')
        self.expect(self.bactrian('hello.basm'), out='hello')
        for name in ('hello.ml', 'hello.basm'):
            self.assertIn('caml_ml_output', self.bactrian('--audit', name).out)

    def test_a_text_runs(self):
        self.bactrian('dis', 'args.byte', '-o', 'args.basm')
        self.expect(self.bactrian('args.basm', 'x'), out='args.basm\nx\nargs.basm\n')

    def test_an_error_in_a_text_has_line_and_column(self):
        self.place.write('wrong.basm', '\n    NOSUCH 1\n')
        for words in (['wrong.basm'], ['asm', 'wrong.basm', '-o', 'out']):
            with self.subTest(words=words):
                done = self.bactrian(*words)
                self.refused(done, 125)
                self.assertRegex(done.err, r'\Abactrian: wrong\.basm:2:5: ')
        self.assertFalse(os.path.exists(self.place.path('out')))

    def test_outputs_on_a_full_disk(self):
        self.bactrian('dis', 'args.byte', '-o', 'args.basm')
        with open('/dev/full', 'wb') as full:
            self.refused(self.bactrian('dis', 'args.byte', stdout=full), 125, 'standard output')
        self.refused(self.bactrian('dis', 'args.byte', '-o', '/dev/full'), 125, '/dev/full')
        self.refused(self.bactrian('asm', 'args.basm', '-o', '/dev/full'), 125, '/dev/full')

    def test_outputs_that_cannot_be_opened(self):
        self.refused(self.bactrian('dis', 'args.byte', '-o', '/nonexistent/x'), 125, 'No such file')
        self.refused(self.bactrian('dis', 'args.byte', '-o', '/tmp'), 125, 'Is a directory')


class HostileNames(Case):
    """Names of files, on the command line and in debug information, cannot control the terminal:
    our messages show a question mark for each control character. (Programs' own output, and
    messages that ocamlrun prints too, are printed as ocamlrun does.)"""
    EVIL = 'a\x1b[31mb\N{CSI}c\x7fd'.encode()

    def plain(self, *words, shown=b'a?[31mb?c?d'):
        done = self.bactrian(*words)
        text = (done.out + done.err).encode('latin-1')
        for control in (b'\x1b', '\N{CSI}'.encode(), b'\x7f'):
            self.assertNotIn(control, text, words)
        if shown is not None:
            self.assertIn(shown, text, words)

    def test_names_on_the_command_line(self):
        evil = self.EVIL
        folder = self.place.folder.encode() + b'/'
        shutil.copy(self.place.path('busy.byte').encode(), folder + evil)
        self.place.write('rubbish', 'rubbish')
        os.rename(self.place.path('rubbish').encode(), folder + evil + b'.bad')
        for words in ([evil + b'.none'], [evil + b'.bad'], ['dis', evil + b'.bad'],
                      ['--audit', evil + b'.bad'], ['prof', 'summary', evil + b'.bad'],
                      ['--fuel=10', evil], ['prof', 'record', '-o', evil + b'.prof', evil],
                      ['prof', 'summary', evil + b'.prof'], ['prof', evil],
                      ['prof', 'test', '--max-live', '1', '-o', evil + b'.prof', evil],
                      ['prof', 'diff', evil + b'.prof', evil + b'.prof'],
                      ['--max-heap', evil, 'busy.byte']):
            with self.subTest(words=words):
                self.plain(*words)

    def test_names_in_debug_information(self):
        self.place.write('names.ml', b'# 1 "' + self.EVIL + b'.ml"\n'
                         b'let rec f x l = f (x + 1) (Bytes.create 10 :: l)\n'
                         b'let () = f 1 []\n')
        self.place.tool('ocamlc', '-g', '-o', 'names.byte', 'names.ml')
        self.plain('--fuel=1M', 'names.byte')
        record = ['prof', 'record', '--rate', '1e-2', '-o', 'names.prof', '--fuel=1M']
        self.plain(*record, 'names.byte')
        for words in (['summary'], ['tree'], ['flame'], ['leaks'], ['lifetimes'],
                      ['export', '--to', 'callgrind']):
            with self.subTest(words=words):
                verb, *rest = words
                self.plain('prof', verb, 'names.prof', *rest)
        self.plain('prof', 'export', 'names.prof', '--to', 'folded', shown=b'a_[31mb_c_d')
        self.plain('dis', 'names.byte', shown=None)
