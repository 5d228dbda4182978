"""Options: what they print, what they change, and how wrong ones are refused."""
import os
import re

from support import Case

DEVICE_FULL = '/dev/full'


class Information(Case):
    def test_help_names_every_option_verb_and_status(self):
        done = self.bactrian('help', 'run')
        self.expect(done)
        self.assertEqual(done.key(), self.bactrian('run', '--help').key())
        for word in ('-b', '-config', '-I', '-m', '-M', '-p', '-t', '-v', '-version', '-vnum',
                     '--help', '--version', '--audit', '--max-heap', '--max-stack', '--unchecked',
                     '--gc-stress', '--gc-verify', '--gc-stats', '--count-instructions',
                     '--count-forms',
                     'OCAMLRUNPARAM', '125', '127'):
            self.assertRegex(done.out, r'(?m)^  %s\b' % re.escape(word))
        self.assertEqual([line for line in done.out.split('\n')
                          if len(line) > 100 or line.endswith(' ')], [])

    def test_each_verb_has_one_help(self):
        overview = self.bactrian('help')
        for word in ('--help', '-h', '-help'):
            self.assertEqual(self.bactrian(word).key(), overview.key())
        verbs = re.findall(r'(?m)^  ([a-z]+(?: [a-z]+)?)  ', overview.out)
        self.assertGreater(len(verbs), 25)
        for verb in verbs:
            with self.subTest(verb=verb):
                done = self.bactrian('help', *verb.split())
                self.expect(done)
                self.assertTrue(done.out.startswith('Usage: bactrian %s' % verb), done.out)
                if verb not in ('help', 'complete', 'doctor'):
                    self.assertEqual(self.bactrian(*verb.split(), '-h').out, done.out)

    def test_help_is_as_wide_as_the_terminal(self):
        self.assertLessEqual(max(map(len, self.bactrian('help', 'run').out.split('\n'))), 98)

    def test_help_shows_only_the_options_of_the_verb(self):
        self.assertRegex(self.bactrian('help', 'prof', 'test').out, r'(?m)^  --max-leak SIZE ')
        record = self.bactrian('help', 'prof', 'record').out
        self.assertRegex(record, r'(?m)^  --rate R ')
        self.assertNotIn('--max-leak', record)
        self.assertNotIn('--rate', self.bactrian('help', 'run').out)
        self.refused(self.bactrian('help', 'tabel'), 125, 'did you mean `bactrian prof table`?')
        self.refused(self.bactrian('help', 'prof', 'zzzzzz'), 125, '`bactrian help`')

    def test_each_verb_has_a_man_page(self):
        folder = os.path.join(os.path.dirname(self.place.bactrian), 'man1')
        if not os.path.exists(folder):
            self.skipTest('the man pages are not beside the binary')
        verbs = re.findall(r'(?m)^  ([a-z]+(?: [a-z]+)?)  ', self.bactrian('help').out)
        self.assertEqual(sorted(os.listdir(folder)), sorted(
            ['bactrian.1'] + ['bactrian-%s.1' % verb.replace(' ', '-') for verb in verbs]))
        for verb in verbs:
            options = re.findall(r'(?m)^  (-[-\w]+)', self.bactrian('help', *verb.split()).out)
            page = os.path.join(folder, 'bactrian-%s.1' % verb.replace(' ', '-'))
            with open(page, encoding='ascii') as file:
                text = file.read()
            for option in options:
                self.assertIn('\n\\fB%s\\fR' % option.replace('-', '\\-'), text)

    def test_doctor_lists_what_is_there_and_what_is_missing(self):
        done = self.bactrian('doctor')
        self.expect(done)
        self.assertRegex(done.out, r'(?m)^ocamlc +/.*/ocamlc, [45]\.')
        self.assertNotIn('missing', done.out)
        where = self.run_command(['ocamlc', '-where']).out
        self.assertRegex(done.out, r'(?m)^stubs +%s$' % re.escape(where.strip()))
        done = self.bactrian('doctor', env={'PATH': self.place.bin})
        self.assertEqual(done.status, 1, repr(done))
        self.assertRegex(done.out, r'(?m)^ocamlc +missing: .*Debian: ocaml-nox')
        self.refused(self.bactrian('doctor', 'x'), 125, 'unexpected argument x')

    def test_version_prints_bactrian_s_and_ocaml_s(self):
        done = self.bactrian('--version')
        self.expect(done)
        self.assertRegex(done.out, r'\Abactrian \d+\.\d+\.\d+, for bytecode of OCaml 4\.13\.1')

    def test_options_of_ocamlrun_print_the_same(self):
        for words in (['-version'], ['-vnum'], ['-M'], ['-m', 'args.byte'], ['-config'],
                      ['-I', '/somewhere', '-I', 'else', '-config']):
            with self.subTest(words=words):
                self.same(*words)

    def test_p_lists_primitives_of_ocaml_threads_and_bactrian(self):
        mine, theirs = self.bactrian('-p'), self.ocamlrun('-p')
        self.expect(mine)
        known = set(theirs.out.split())
        self.assertEqual([name for name in mine.out.split() if name in known], theirs.out.split())
        for name in set(mine.out.split()) - known:
            self.assertRegex(name, r'\A(bactrian_|caml_(thread|mutex|condition)_|caml_wait_signal)')

    def test_config_follows_ocamllib(self):
        self.same('-config', env={'OCAMLLIB': '/nowhere'})
        self.same('-config', env={'CAMLLIB': '/nowhere'})

    def test_information_is_not_lost_on_a_full_disk(self):
        for option in ('--help', '-p', '-config', '--version'):
            with self.subTest(option=option), open(DEVICE_FULL, 'wb') as full:
                done = self.bactrian(option, stdout=full)
                self.refused(done, 125, 'standard output', 'No space left on device')

    def test_a_closed_output_is_an_error(self):
        done = self.run_command(['sh', '-c', '"$0" -vnum >&-', self.place.bactrian])
        self.refused(done, 125, 'standard output')

    def test_audit_groups_by_capability(self):
        done = self.bactrian('--audit', 'status.byte')
        self.expect(done)
        self.assertIn('pure', done.out)
        self.assertIn('caml_sys_exit', done.out)
        self.assertNotIn('caml_sys_system_command', done.out)


class WrongCommandLines(Case):
    def test_each_is_one_line_and_125(self):
        for words in ([], ['--'], ['-x'], ['-x', 'args.byte'], ['--nothing'], ['-b=1', 'args.byte'],
                      ['-I'], ['--max-heap'], ['--max-heap', 'much', 'args.byte'],
                      ['--max-heap=', 'args.byte'], ['--max-heap=-1', 'args.byte'],
                      ['--max-heap=1T', 'args.byte'], ['--max-heap=0', 'args.byte'],
                      ['--max-heap=99999999999999999999', 'args.byte'],
                      ['--max-heap=99999999999G', 'args.byte'],
                      ['--max-stack=x', 'args.byte'], ['--gc-stress=7', 'args.byte'],
                      ['--gc-stress=x', 'args.byte'], ['--unchecked=yes', 'args.byte'],
                      ['--gc-verify=1', 'args.byte'], ['--count-instructions'],
                      ['run'], ['dis'], ['dis', '--unchecked', 'args.byte'],
                      ['dis', 'args.byte', 'copy.byte'], ['asm', 'args.byte'], ['asm', '-o', 'out'],
                      ['asm', 'x.basm', '-o'], ['-m'], ['--audit']):
            with self.subTest(words=words):
                self.refused(self.bactrian(*words), 125)

    def test_an_unknown_option_is_named(self):
        self.refused(self.bactrian('--max-heep=1M', 'args.byte'), 125,
                     'unknown option --max-heep: did you mean --max-heap?')
        self.refused(self.bactrian('--zzzzzz', 'args.byte'), 125, '--zzzzzz', 'bactrian help')
        self.refused(self.bactrian('sumary'), 127, 'did you mean `bactrian prof summary`?')
        self.refused(self.bactrian('prof', 'sumary'), 125, 'did you mean `bactrian prof summary`?')
        self.refused(self.bactrian('prof', 'table', 'x', '--focsu', '3'), 125, 'mean --focus?')

    def test_an_option_of_another_verb_is_named_with_that_verb(self):
        self.refused(self.bactrian('--rate', '1', 'args.byte'), 125,
                     '`run` has no option --rate: it is an option of prof record, prof test, prof '
                     'attach and prof top')
        self.refused(self.bactrian('dis', '--fuel=1', 'args.byte'), 125, '`dis`', 'run, repl')

    def test_a_name_with_control_characters_stays_one_line(self):
        self.refused(self.bactrian('no\nsuch\x1bfile'), 127, 'no?such?file')


class RunTimeOptions(Case):
    def test_words_after_the_program_belong_to_it(self):
        self.same('args.byte', '-b', '--help', '--', '-x', '')

    def test_two_dashes_end_the_options(self):
        self.same('--', 'args.byte', 'a')

    def test_options_may_precede_the_program(self):
        for words in (['-b'], ['-t'], ['-events'], ['-I', 'x'], ['--unchecked'], ['--gc-verify'],
                      ['--max-heap=100M'], ['--max-heap', '100M'], ['--max-stack', '1M'],
                      ['--gc-stress=0']):
            with self.subTest(words=words):
                done = self.bactrian(*words, 'args.byte', 'a b')
                self.expect(done, out='args.byte\na b\nargs.byte\n')

    def test_b_prints_a_backtrace(self):
        done = self.same('-b', 'raises.byte')
        self.assertIn('Called from Raises in file "raises.ml", line 2', done.err)

    def test_max_stack_raises_stack_overflow(self):
        self.expect(self.bactrian('--max-stack=64k', 'deep.byte', '1000'), out='1000')
        self.expect(self.bactrian('--max-stack=64k', 'deep.byte', '100000'), out='overflow')
        self.expect(self.bactrian('--max-stack=1G', 'deep.byte', '2000000'), out='2000000')

    def test_a_small_address_space_is_enough(self):
        if 'ASAN_OPTIONS' in os.environ:
            self.skipTest('a sanitizer reserves address space')

        def limited(kilobytes, *words):
            script = 'ulimit -v %d; exec "$0" "$@"' % kilobytes
            return self.run_command(['sh', '-c', script, self.place.bactrian, *words])

        for kilobytes, pieces in ((40000, 100), (60000, 200), (100000, 400), (150000, 800),
                                  (300000, 1500)):
            with self.subTest(kilobytes=kilobytes):
                done = limited(kilobytes, 'hungry.byte', str(pieces))
                self.expect(done, out=str(pieces))
                self.expect(limited(kilobytes, 'deep.byte', '20000'), out=None)
                self.expect(limited(kilobytes, 'hungry.byte', '4000'), out='out of memory')
        self.refused(limited(15000, 'hungry.byte', '5'), 125, 'raise the memory limit')

    def test_max_heap_raises_out_of_memory(self):
        self.expect(self.bactrian('--max-heap=32M', 'hungry.byte', '10'), out='10')
        self.expect(self.bactrian('--max-heap=32M', 'hungry.byte', '1000'), out='out of memory')
        self.expect(self.bactrian('hungry.byte', '1000'), out='1000')

    def test_gc_stats_prints_collections_and_pauses(self):
        expected = self.ocamlrun('busy.byte')
        done = self.bactrian('--jit=off', '--gc-stats', 'busy.byte')
        self.assertEqual((done.out, done.status), (expected.out, expected.status))
        number = r'\d+(?:\.\d+)?'
        self.assertRegex(done.err, (
            r'\Agc: N minor collections of N MB in all, N % promoted\n'
            r'gc: N major collections; heap N MB at its peak, N MB at the end\n'
            r'gc: N pauses, N ms in all: p50 N ms, p99 N ms, p99\.9 N ms, longest N ms\n\Z'
        ).replace('N ', number + ' '))
        raises = self.bactrian('--gc-stats', 'raises.byte')
        self.assertEqual(raises.status, 2)
        self.assertRegex(raises.err, r'exception .*\ngc: [01] minor collections')

    def test_stress_and_verification_change_no_output(self):
        expected = self.ocamlrun('busy.byte')
        for level in '123456':
            with self.subTest(level=level):
                done = self.bactrian('--gc-stress=' + level, '--gc-verify', 'busy.byte')
                self.assertEqual(done.key(), expected.key())

    def test_counts_are_written_at_the_end(self):
        for program, status in (('status.byte', 3), ('raises.byte', 2)):
            with self.subTest(program=program):
                done = self.bactrian('--count-instructions=counts', program, '3')
                self.assertEqual(done.status, status)
                lines = self.place.read('counts').decode().split('\n')[:-1]
                rows = [line.split(' ') for line in lines]
                counts = {name: int(count) for name, count in rows}
                self.assertGreater(counts['ACC0'], 0)
                self.assertIn('caml_register_named_value', counts)
                self.assertTrue(all(count > 0 for count in counts.values()))

    def test_count_forms_names_fused_instructions(self):
        done = self.bactrian('--count-forms=counts', 'status.byte', '3')
        self.assertEqual(done.status, 3)
        self.assertRegex(self.place.read('counts').decode(), r'(?m)^\w+__\w+ \d+$')

    def test_an_unwritable_count_file_is_refused_before_the_run(self):
        done = self.bactrian('--count-instructions=/nonexistent/x', 'args.byte')
        self.refused(done, 125, '/nonexistent/x', 'No such file')

    def test_counts_that_cannot_be_written_are_a_warning(self):
        done = self.bactrian('--count-instructions=' + DEVICE_FULL, 'status.byte', '0')
        self.assertEqual((done.status, done.out), (0, ''))
        self.assertIn('No space left on device', done.err)


class RunParam(Case):
    def test_b_is_read_from_either_variable(self):
        for name in ('OCAMLRUNPARAM', 'CAMLRUNPARAM'):
            done = self.same('raises.byte', env={name: 'b'})
            self.assertIn('Called from', done.err)

    def test_ocamlrunparam_overrides_camlrunparam(self):
        self.same('raises.byte', env={'OCAMLRUNPARAM': '', 'CAMLRUNPARAM': 'b'})
        self.same('raises.byte', env={'OCAMLRUNPARAM': 'b=0', 'CAMLRUNPARAM': 'b'})

    def test_l_limits_the_stack_in_words(self):
        self.same('deep.byte', '20000', env={'OCAMLRUNPARAM': 'l=10k'})
        self.same('deep.byte', '1000000', env={'OCAMLRUNPARAM': 'l=0x1000000'})

    def test_the_program_reads_the_same_parameters_as_under_ocamlrun(self):
        self.place.write('shown.ml', """
            external parameters : unit -> string = "caml_runtime_parameters"
            let () =
              let c = Gc.get () in
              List.iter (fun n -> print_int n; print_char ' ')
                Gc.[c.minor_heap_size; c.major_heap_increment; c.space_overhead; c.verbose;
                    c.max_overhead; c.stack_limit; c.allocation_policy; c.window_size;
                    c.custom_major_ratio; c.custom_minor_ratio; c.custom_minor_max_size];
              print_endline (parameters ())
            """)
        self.place.tool('ocamlc', '-w', '-a', '-o', 'shown.byte', 'shown.ml')
        numbers = ('0', '1', '3', '1000', '1001', '4294967295', '4294967297', '4G', '0x1k', '-1',
                   '99999999999999999999', 'x')
        # What ocamlrun has no memory or no huge pages for.
        fatal = {'s': ('4294967295', '4G', '-1', '99999999999999999999'), 'H': numbers[1:]}
        fatal['i'] = fatal['h'] = fatal['s']
        for letter in 'sioOlawMmnhHtcpbWRv':
            texts = [n for n in numbers if n not in fatal.get(letter, ())]
            if letter == 'v':
                texts = ['0', '1', '4G']  # no messages
            for text in texts:
                with self.subTest(letter=letter, text=text):
                    self.same('shown.byte', env={'OCAMLRUNPARAM': letter + '=' + text})
        for letter in 'sih':
            with self.subTest(letter=letter):
                self.expect(self.bactrian('shown.byte', env={'OCAMLRUNPARAM': letter + '=-1'}),
                            out=None)

    def test_a_small_stack_limit_leaves_the_initial_stack(self):
        for text in ('l=0', 'l=1', 'l=4k'):
            self.same('deep.byte', '500', env={'OCAMLRUNPARAM': text})
            self.same('deep.byte', '5000', env={'OCAMLRUNPARAM': text})

    def test_malformed_parameters_are_skipped(self):
        for text in (',,,', 'z=3', 'b=', 'Q,b', 's=4k,,b=1', '=', 'l', 'h=1M,i=4,a=1,w=2,H'):
            with self.subTest(text=text):
                self.expect(self.bactrian('status.byte', '0', env={'OCAMLRUNPARAM': text}))

    def test_v_prints_statistics_at_the_end(self):
        mine = self.bactrian('busy.byte', env={'OCAMLRUNPARAM': 'v=0x400'})
        theirs = self.ocamlrun('busy.byte', env={'OCAMLRUNPARAM': 'v=0x400'})
        names = [re.sub(r'\d+', '', err) for err in (mine.err, theirs.err)]
        self.assertEqual(names[0], names[1])
        self.assertEqual(mine.out, theirs.out)

    def test_a_privileged_process_ignores_it(self):
        if os.geteuid() != 0:
            self.skipTest('needs root')
        if 'ASAN_OPTIONS' in os.environ:
            self.skipTest('a privileged sanitizer does not work')
        copy = self.place.write('privileged', self.place.read(self.place.bactrian))
        os.chown(copy, 65534, 65534)
        os.chmod(copy, 0o4755)
        done = self.run_command([copy, 'raises.byte'], env={'OCAMLRUNPARAM': 'b'})
        self.assertEqual(done.status, 2, repr(done))
        self.assertNotIn('Called from', done.err)
        done = self.run_command([copy, 'args.ml'])
        self.refused(done, 125, 'set-user-ID')
