"""`ulimit -s` and `ulimit -v`: what runs in a small process, what ends a smaller one."""
import os
import signal

from support import Case

STUBS = r'''
let () =
  let found = Str.search_forward (Str.regexp "a+") "bbaa" 0 in
  let thread = Thread.create (fun () -> print_endline (Unix.getcwd ())) () in
  Thread.join thread;
  print_int (found + Hashtbl.hash (Unix.stat ".").Unix.st_kind)
'''
LEAST_STACK = 64  # documented with status 139
VERBS = [['prof', 'record', '--quiet', '--force', '-o', 'small.prof', 'busy.byte'],
         ['prof', 'html', '--force', '-o', 'small.html', 'small.prof'],
         ['prof', 'snapshot', '--quiet', '--force', '-o', 'small.heap', 'busy.byte'],
         ['prof', 'heap', 'small.heap'], ['mlprof', 'busy.byte'], ['dis', 'busy.byte'],
         ['--audit', 'busy.byte'], ['trace', 'busy.byte'], ['busy.ml']]


class SmallProcesses(Case):
    def setUp(self):
        if 'ASAN_OPTIONS' in os.environ:
            self.skipTest('a sanitizer takes much of both')

    def limited(self, option, kilobytes, *words):
        script = 'ulimit %s %d; exec "$0" "$@"' % (option, kilobytes)
        return self.run_command(['sh', '-c', script, *words])

    def here(self, option, kilobytes, *words):
        return self.limited(option, kilobytes, self.place.bactrian, *words)

    def with_stubs(self):
        self.place.write('stubs.ml', STUBS)
        self.place.tool('ocamlfind', 'ocamlc', '-thread', '-package', 'threads.posix,unix,str',
                        '-linkpkg', '-g', '-o', 'stubs.byte', 'stubs.ml')
        return 'stubs.byte'

    def test_a_small_c_stack_is_enough(self):
        for words in ([self.with_stubs()], ['busy.byte'], ['raises.byte'], ['deep.byte', '100000']):
            for kilobytes in (LEAST_STACK, 100, 200):
                with self.subTest(words=words, kilobytes=kilobytes):
                    theirs = self.limited('-s', kilobytes, 'ocamlrun', *words)
                    self.assertEqual(self.here('-s', kilobytes, *words).key(), theirs.key())

    def test_a_small_c_stack_is_enough_for_all_verbs(self):
        self.expect(self.bactrian('--profile', 'count', 'busy.byte'), out=None)
        for words in VERBS:
            with self.subTest(words=words):
                self.assertEqual(self.here('-s', LEAST_STACK, *words).status, 0)

    def test_a_smaller_c_stack_runs_the_program_or_kills_it(self):
        right = self.bactrian('busy.byte').out
        for kilobytes in (8, 20, 24, 28, 32, 48):
            with self.subTest(kilobytes=kilobytes):
                done = self.here('-s', kilobytes, 'busy.byte')
                if done.status != 0:
                    self.expect(done, status=-signal.SIGSEGV, out='')
                    self.assertLess(kilobytes, LEAST_STACK)
                else:
                    self.expect(done, out=right)

    def test_too_little_memory_is_one_message(self):
        for kilobytes in (15000, 20000, 24000):
            for program in ('busy.byte', self.with_stubs()):
                with self.subTest(kilobytes=kilobytes, program=program):
                    done = self.here('-v', kilobytes, program)
                    self.refused(done, 125, program, 'memory')

    def test_a_library_that_is_too_large_is_a_lack_of_memory(self):
        self.place.write('large.c', 'char room[1 << 30]; long large(long v) { return room[v]; }\n')
        self.place.write('large.ml', 'external f : int -> int = "large" let () = exit (f 0)\n')
        self.place.tool('gcc', '-shared', '-fPIC', '-o', 'dlllarge.so', 'large.c')
        self.place.tool('ocamlc', '-dllpath', '.', '-dllib', '-llarge', '-o', 'large.byte',
                        'large.ml')
        self.refused(self.here('-v', 500000, 'large.byte'), 125, 'large.byte', 'not enough memory',
                     'dlllarge', 'raise the memory limit')

    def test_less_than_the_binary_takes_kills_it(self):
        """The system does, before the first instruction, or the loader refuses a library."""
        done = self.here('-v', 500, 'busy.byte')
        self.expect(done, status=-signal.SIGSEGV, out='', err='')
        done = self.here('-v', 4000, 'busy.byte')
        self.assertIn(done.status, (127, -signal.SIGSEGV), repr(done))
        self.assertLessEqual(done.err.count('\n'), 1, repr(done))

    def test_too_little_for_a_thread_is_an_exception(self):
        done = self.here('-v', 60000, self.with_stubs())
        self.assertEqual((done.status, done.out), (2, ''), repr(done))
        self.assertIn('Thread.create: ', done.err)
