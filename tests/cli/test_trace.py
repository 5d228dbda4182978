"""`bactrian trace`: the events of a run, their depths and functions, and what selects them."""
import collections
import re

from support import Case

TRACED = r'''
let rec down n = if n = 0 then 1 else n * down (n - 1)
let rec loop n = if n = 0 then 0 else loop (n - 1)
let add a b = a + b
let add_one = add 1
let over x = fun y -> x + y
exception Stop
let rec dig n = if n = 0 then raise Stop else 1 + dig (n - 1)
let catches () = try dig 1 with Stop -> 0
let refuses () = try int_of_string "x" with Failure _ -> 0
let calls_back () = Gc.finalise (fun _ -> ()) (ref 0); Gc.full_major ()
let () =
  ignore (down 1); ignore (loop 1); ignore (add_one 2); ignore (over 1 2);
  ignore (catches ()); ignore (refuses ()); calls_back ()
'''
EXPECTED = '''call 2 Traced.add
return 2 Traced.add
call 2 Traced.down
call 3 Traced.down
return 3 Traced.down
return 2 Traced.down
call 2 Traced.loop
tail-call 2 Traced.loop
return 2 Traced.loop
call 2 Traced.add
return 2 Traced.add
call 2 Traced.over
return 2 Traced.over
call 2 Traced.catches
call 3 Traced.dig
call 4 Traced.dig
raise 4 Traced.dig Traced.Stop
unwind 4 Traced.dig
unwind 3 Traced.dig
catch 2 Traced.catches
return 2 Traced.catches
call 2 Traced.refuses
raise 2 Traced.refuses Failure("int_of_string")
catch 2 Traced.refuses
return 2 Traced.refuses
call 2 Traced.calls_back
call 3 Traced.calls_back.(fun)
return 3 Traced.calls_back.(fun)
return 2 Traced.calls_back
'''
LINE = re.compile(r'(?:\[thread (\d+)\] )?(\S+) (\d+) (\S+)(?: (.*))?')


class Trace(Case):
    def program(self, name, text, *words):
        self.place.write(name + '.ml', text)
        self.place.tool('ocamlc', '-g', '-o', name + '.byte', *words, name + '.ml')
        return name + '.byte'

    def trace(self, *words, status=0):
        done = self.bactrian('trace', '--force', '-o', 'trace.txt', *words)
        self.assertEqual((done.status, done.err), (status, ''), repr(done))
        return self.place.read('trace.txt').decode()

    def check_depths(self, text):
        """Each line is in the frame that the calls, returns and unwinds before it lead to."""
        stacks = collections.defaultdict(list)
        for line in text.splitlines():
            thread, event, depth, function, _ = LINE.fullmatch(line).groups()
            stack, depth = stacks[thread], int(depth)
            if event == 'call':
                stack.append(function)
            elif event == 'tail-call':
                stack[-1] = function
            self.assertEqual(len(stack), depth, line)
            if depth > 1 or thread:  # the main program runs all modules in one frame
                self.assertEqual(stack[-1], function, line)
            if event in ('return', 'unwind'):
                stack.pop()

    def test_calls_exceptions_and_collections_are_printed(self):
        text = self.trace(self.program('traced', TRACED))
        self.check_depths(text)
        own = ''.join(line + '\n' for line in text.splitlines()
                      if ' Traced.' in line and not line.startswith('gc '))
        self.assertEqual(own, EXPECTED)
        self.assertRegex(text, r'(?m)^gc \d+ \S+ minor(\+\S+)? \d+ words promoted \d+\.\d{3} ms$')
        self.assertIn('\ngc 2 Traced.calls_back minor+mark+end-of-mark+sweep ', text)

    def test_kinds_of_events_are_chosen(self):
        program = self.program('traced', TRACED)
        for option, events in (('--calls', {'call', 'tail-call', 'return', 'unwind'}),
                               ('--exceptions', {'raise', 'catch'}), ('--collections', {'gc'}),
                               ('--instructions', {'exec'})):
            with self.subTest(option=option):
                lines = self.trace(option, program).splitlines()
                self.assertEqual({line.split(' ')[0] for line in lines}, events)

    def test_functions_are_chosen(self):
        program = self.program('traced', TRACED)
        down = 'call 2 F\ncall 3 F\nreturn 3 F\nreturn 2 F\n'.replace('F', 'Traced.down')
        for name in ('down', 'Traced.down'):
            self.assertEqual(self.trace('--function', name, program), down)
        both = self.trace('--function=down', '--function', 'over', program)
        self.assertEqual(both, down + 'call 2 Traced.over\nreturn 2 Traced.over\n')
        self.assertEqual(self.trace('--function', 'own', program), '')

    def test_instructions_are_those_of_dis_and_of_the_counts(self):
        program = self.program('traced', TRACED)
        text = self.trace('--instructions', program)
        rows = [LINE.fullmatch(line).group(5).split(' ', 2)[1:] for line in text.splitlines()]
        whole = re.sub(r',\n +', ', ', self.bactrian('dis', program).out)
        listed = {' '.join(line.split('    ;')[0].split()) for line in whole.splitlines()}
        self.assertEqual({' '.join(row) for row in rows} - listed, set())
        self.expect(self.bactrian('--count-instructions=counts', program))
        counts = dict(line.split(' ') for line in self.place.read('counts').decode().splitlines())
        for name, count in collections.Counter(row[0] for row in rows).items():
            self.assertEqual(count, int(counts[name]), name)

    def test_compilations_are_printed(self):
        program = self.program('traced', TRACED.replace('down 1', 'down 5000'))
        every = self.trace('--jit=all', '--compilations', program)
        lines = [re.fullmatch(r'compile - (\S+) (entry|loop) (\d+) bytes', line).groups()
                 for line in every.splitlines()]
        self.assertLessEqual({'Traced.down', 'Traced.catches'}, {line[0] for line in lines})
        self.assertEqual(len(lines), len({line[0] for line in lines}))
        self.assertGreater(min(int(line[2]) for line in lines), 16)
        one = r'compile - Traced\.down entry \d+ bytes\n'
        self.assertRegex(self.trace('--jit=hot', '--compilations', '--function=down', program),
                         '^' + one + '$')
        loop = self.program('rounds', 'let () = for i = 1 to 5000 do ignore (i + 1) done')
        self.assertRegex(self.trace('--jit=hot', '--compilations', loop),
                         r'compile - \(main\) loop \d+ bytes\n')
        self.assertEqual(self.trace('--jit=off', '--compilations', program), '')
        done = self.bactrian('trace', '--compilations', '--calls', program)
        self.assertEqual(done.status, 125)
        self.assertIn('--compilations', done.err)

    def test_a_trace_changes_nothing_else(self):
        for words in ((), ('--unchecked',), ('--gc-stress=1', '--gc-verify'),
                      ('--memprof-stress=0.5',)):
            with self.subTest(words=words):
                done = self.bactrian('trace', *words, '--function', 'none', 'busy.byte')
                self.assertEqual(done.key(), self.ocamlrun('busy.byte').key())
        done = self.bactrian('trace', '--exceptions', 'raises.byte')
        self.assertEqual((done.status, done.err.splitlines()[0]),
                         (2, 'raise 2 Stdlib.failwith Failure("boom")'))

    def test_each_thread_has_its_own_stack(self):
        text = self.trace(self.program('threads', """
            let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
            let work n = let r = fib n in Thread.yield (); if n = 9 then failwith "nine" else r
            let start n = Thread.create (fun () -> try work n with Failure _ -> 0) ()
            let () = List.iter Thread.join (List.map (fun n -> ignore (work 8); start n) [8; 9; 10])
            """, '-I', '+threads', 'unix.cma', 'threads.cma'))
        self.check_depths(text)
        self.assertIn('\n[thread 2] catch 2 Threads.start.(fun)\n', text)

    def test_a_large_program_keeps_its_depths(self):
        text = self.trace('--exceptions', '--calls', 'deep.byte', '3000')
        self.check_depths(text)
        self.assertIn('call 3001 Deep.f\n', text)
        self.check_depths(self.trace('busy.byte'))

    def test_wrong_use_is_refused(self):
        self.refused(self.bactrian('trace'), 125)
        self.refused(self.bactrian('trace', '--fuel=10', 'args.byte'), 125, '--fuel')
        self.refused(self.bactrian('--calls', 'args.byte'), 125, '--calls')
        self.refused(self.bactrian('trace', '-o', '/nonexistent/x', 'args.byte'), 125, 'No such')
        self.refused(self.bactrian('trace', '--instructions', 'nothing.byte'), 127)
        full = self.bactrian('trace', '-o', '/dev/full', 'status.byte', '0')
        self.refused(full, 125, '/dev/full')
