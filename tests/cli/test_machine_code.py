"""What --gc-stats, limits and perf say of machine code."""
import os
import re
import shutil
import unittest

from support import Case, ocaml5

# A function that is hot, and exits where the minor heap is full.
EXITS = r'''
let rec pairs n = if n = 0 then [] else (n, n) :: pairs (n - 1)
let () = for _ = 1 to 500 do ignore (pairs 1000) done; print_int 1
'''

# Exceptions that end fibers.
RAISED = r'''
open Effect.Deep
let fiber f = match_with f () { retc = Fun.id; exnc = raise; effc = fun _ -> None }
let () =
  for _ = 1 to 100_000 do
    try fiber (fun () -> fiber (fun () -> raise Exit)) with Exit -> ()
  done
'''


class MachineCode(Case):
    def program(self, name, text, *words):
        self.place.write(name + '.ml', text)
        self.place.tool('ocamlc', '-g', '-o', name + '.byte', *words, name + '.ml')
        return name + '.byte'

    def statistics(self, *words):
        """The functions compiled and not, KB of code, and exits, of --gc-stats."""
        done = self.bactrian('--gc-stats', *words)
        self.assertEqual(done.status, 0, repr(done))
        found = re.search(r'\njit: (\d+) functions compiled in [\d.]+ ms, (\d+) not; '
                          r'([\d.]+) KB of code, [\d.]+ KB of exits\njit: exits: (\d+)\n', done.err)
        self.assertIsNotNone(found, done.err)
        return [float(word) for word in found.groups()], done.err

    def test_statistics_say_what_was_compiled_and_where_it_left(self):
        program = self.program('exits', EXITS)
        (compiled, refused, size, exits), text = self.statistics('--jit=hot', program)
        self.assertGreaterEqual(compiled, 1)
        self.assertEqual(refused, 0)
        self.assertGreater(size, 0.5)
        places = re.findall(r'\njit:   (\d+) \([\d.]+ %\) at ([A-Z0-9_]+), byte ([0-9a-f]+), '
                            r'in (\S+)', text)
        self.assertTrue(places, text)
        counts = [int(place[0]) for place in places]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertLessEqual(sum(counts), exits)
        listing = self.bactrian('dis', program).out
        for _, instruction, _, function in places:
            self.assertIn(instruction, listing)
            self.assertRegex(function, r'^[A-Z(]')
        self.assertNotIn('jit:', self.bactrian('--jit=off', '--gc-stats', program).err)

    def test_exceptions_that_end_fibers_stay_in_machine_code(self):
        self.place.write('raised.ml', RAISED)
        self.place.tool(ocaml5() + '/bin/ocamlc', '-o', 'raised.byte', 'raised.ml')
        numbers, text = self.statistics('raised.byte')
        self.assertLess(numbers[3], 1000, text)

    def test_the_environment_chooses_as_the_option_does(self):
        program = self.program('exits', EXITS)
        for word, compiles in (('hot', True), ('all', True), ('off', False), ('fast', True)):
            done = self.bactrian('--gc-stats', program, env={'BACTRIAN_JIT': word})
            self.assertEqual('\njit:' in done.err, compiles, word)
        done = self.bactrian('--jit=off', '--gc-stats', program, env={'BACTRIAN_JIT': 'all'})
        self.assertNotIn('\njit:', done.err)

    def test_code_counts_for_the_limit_of_the_heap(self):
        lines = ['let f%d a b = if a > b then (a, %d) else (b, a + %d)' % (i, i, i)
                 for i in range(4000)]
        calls = ['let _ = f%d 1 2' % i for i in range(4000)]
        program = self.program('many', '\n'.join(lines + calls))
        (compiled, refused, size, _), _ = self.statistics('--jit=all', program)
        self.assertGreaterEqual(compiled, 4000)
        (limited, left, smaller, _), _ = self.statistics('--jit=all', '--max-heap=1M', program)
        self.assertEqual(limited + left, compiled + refused)
        self.assertGreater(left, refused + 100)
        self.assertGreater(limited, 100)
        self.assertLess(smaller, size)

    def test_the_map_for_perf_has_every_function_once(self):
        program = self.program('names', r"""
            let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
            let path = Printf.sprintf "/tmp/perf-%d.map" (Unix.getpid ())
            let () = ignore (fib 20);
              let text = open_in path in
              print_string (really_input_string text (in_channel_length text)); Sys.remove path
        """, 'unix.cma')
        done = self.bactrian('--jit=all', '--perf-map', program)
        self.assertEqual((done.status, done.err), (0, ''), repr(done))
        rows = [line.split(' ', 2) for line in done.out.splitlines()]
        code = [(int(start, 16), int(size, 16), name) for start, size, name in rows]
        self.assertLessEqual({'(Bactrian)', '(main)', 'Names.fib'}, {row[2] for row in code})
        for (start, size, _), (after, _, name) in zip(code, code[1:]):
            self.assertLessEqual(start + size, after, name)

    def test_a_map_of_another_user_is_not_written_to(self):
        target = self.place.write('precious', 'precious')
        os.chmod(target, 0o666)
        script = 'ln -s %s /tmp/perf-$$.map; echo $$; exec %s --jit=all --perf-map args.byte'
        done = self.run_command(['sh', '-c', script % (target, self.place.bactrian)])
        os.remove('/tmp/perf-%s.map' % done.out.split('\n')[0])
        self.assertEqual(self.place.read('precious'), b'precious')
        self.assertEqual(done.status, 0, repr(done))
        self.assertRegex(done.err, r'^bactrian: /tmp/perf-\d+\.map: .*: perf cannot show')

    def test_perf_shows_the_names_of_functions(self):
        program = self.program('shown', r"""
            let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
            let () = print_int (fib 32)
        """)
        record = ['perf', 'record', '-q', '-e', 'cpu-clock', '-o', 'perf.data']
        if shutil.which('perf') is None:
            self.skipTest('perf is not installed')
        if self.run_command(record + ['true']).status != 0:
            self.skipTest('perf may not record here')
        done = self.run_command(record + ['sh', '-c', 'echo $$; exec "$0" "$@"',
                                          self.place.bactrian, '--jit=hot', '--perf-map', program])
        self.assertEqual(done.status, 0, repr(done))
        shown = self.run_command(['perf', 'report', '-i', 'perf.data', '--stdio', '-q'])
        os.remove('/tmp/perf-%s.map' % done.out.split('\n')[0])
        self.assertRegex(shown.out, r'(?m)^ +\d\d\.\d+% .* Shown\.fib *$')
