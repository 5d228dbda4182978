"""A program cannot evade --max-output, --timeout and --fuel."""
import os
import resource
import signal
import subprocess
import time

from support import Case

UNIX = ('-thread', '-package', 'threads.posix,unix', '-linkpkg')


class Stops(Case):
    def compile(self, name, source):
        self.place.write(name + '.ml', source)
        self.place.tool('ocamlfind', 'ocamlc', '-w', '-a', '-g', *UNIX, '-o', name + '.byte',
                        name + '.ml')

    def stopped(self, done, flag):
        self.assertEqual(done.status, 124, repr(done))
        self.assertIn(': stopped by %s' % flag, done.err)


class Output(Stops):
    """The limit holds for all bytes that the machine writes, its own messages among them."""

    def test_writers_that_wait_share_the_allowance(self):
        """Two threads wait for room in a pipe, each with a piece that the limit still allows."""
        self.compile('writers', '''
            external channel : int -> out_channel = "caml_ml_open_descriptor_out"
            let print length =
              let out = channel 1 in output_string out (String.make length 'x'); flush out
            let () =
              print 65536;
              List.iter Thread.join (List.init 2 (fun _ -> Thread.create print 464));
              for _ = 1 to 10 do print 100_000 done
            ''')
        source, sink = os.pipe()
        child = subprocess.Popen([self.place.bactrian, '--max-output=66000', 'writers.byte'],
                                 cwd=self.place.folder, stdout=sink, stderr=subprocess.PIPE,
                                 env=self.place.environment({}))
        os.close(sink)
        time.sleep(0.5)  # until both writers wait, as nothing reads
        with open(source, 'rb') as pipe:
            written = len(pipe.read())
        err = child.communicate()[1].decode()
        self.assertEqual(child.returncode, 124, err)
        self.assertIn('stopped by --max-output\n', err)
        self.assertIn(written, range(65536, 66001))

    def test_writes_that_fail_take_nothing_from_the_allowance(self):
        self.compile('fails', '''
            external channel : int -> out_channel = "caml_ml_open_descriptor_out"
            let () =
              let out = channel (Obj.magic (Unix.openfile "/dev/full" [Unix.O_WRONLY] 0)) in
              output_string out (String.make 60 'x');
              for _ = 1 to 10 do try flush out with Sys_error _ -> () done;
              close_out_noerr out;
              print_string (String.make 100 'y')
            ''')
        self.expect(self.bactrian('--max-output=100', 'fails.byte'), out='y' * 100)

    def test_messages_of_the_machine_count(self):
        self.compile('messages', '''
            external uncaught : exn -> unit = "caml_thread_uncaught_exception"
            external name : out_channel -> string -> unit = "caml_ml_set_channel_name"
            external channel : int -> out_channel = "caml_ml_open_descriptor_out"
            external warn : bool -> unit = "caml_ml_enable_runtime_warnings"
            let () =
              match Sys.argv.(1) with
              | "exceptions" ->
                  for _ = 1 to 1000 do uncaught (Failure (String.make 200 'm')) done
              | _ ->
                  warn true;
                  for _ = 1 to 100 do name (channel 1) (String.make 10_000 'm') done;
                  Gc.full_major ()
            ''')
        for word in ('exceptions', 'warnings'):
            with self.subTest(word=word):
                done = self.bactrian('--max-output=1000', 'messages.byte', word)
                self.stopped(done, '--max-output')
                self.assertEqual(done.err.index('bactrian: '), 1000)

    def test_the_report_of_an_uncaught_exception_counts(self):
        whole = self.bactrian('raises.byte').err
        self.expect(self.bactrian('--max-output=%d' % len(whole), 'raises.byte'), status=2,
                    err=whole)
        done = self.bactrian('--max-output=20', 'raises.byte')
        self.stopped(done, '--max-output')
        self.assertEqual(done.err.index('bactrian: '), 20)

    def test_processes_share_the_allowance(self):
        self.compile('forks', '''
            let () =
              for _ = 1 to 4 do ignore (Unix.fork ()) done;
              print_string (String.make 900 'x'); flush stdout;
              try while true do ignore (Unix.wait ()) done with Unix.Unix_error _ -> ()
            ''')
        done = self.bactrian('--max-output=1000', 'forks.byte')
        self.assertEqual(done.out, 'x' * 1000)
        self.assertEqual(done.err.count('stopped by --max-output'), 1, done.err)
        self.expect(self.bactrian('--max-output=14400', 'forks.byte'), out='x' * 14400)


class Fuel(Stops):
    def test_primitives_are_charged_by_the_size_of_their_work(self):
        """Each takes few instructions for work that takes longer than the fuel should allow."""
        self.compile('works', '''
            let size = int_of_string Sys.argv.(2)
            let big_bytes = Bytes.create size and big_array = Array.make (size / 8) 0
            let same_bytes = Bytes.create size and same_array = Array.make (size / 8) 0
            let work = function
              | "fill" -> Bytes.fill big_bytes 0 size 'x'
              | "blit" -> Bytes.blit big_bytes 0 same_bytes 0 size
              | "cat" -> ignore (Bytes.cat big_bytes same_bytes)
              | "string_equal" -> ignore (Bytes.equal big_bytes same_bytes)
              | "string_compare" -> ignore (Bytes.compare big_bytes same_bytes)
              | "compare" -> ignore (compare big_bytes same_bytes)
              | "array_equal" -> ignore (big_array = same_array)
              | "array_make" -> ignore (Array.make (size / 8) 0.)
              | "array_sub" -> ignore (Array.sub big_array 0 (size / 8))
              | "array_append" -> ignore (Array.append big_array big_array)
              | "array_concat" -> ignore (Array.concat [big_array; big_array])
              | "array_fill" -> Array.fill big_array 0 (size / 8) 1
              | "array_blit" -> Array.blit big_array 0 same_array 0 (size / 8)
              | "bigarray_fill" ->
                  Bigarray.(Array1.fill (Array1.create char c_layout size) 'x')
              | "weak_blit" ->
                  let w = Weak.create (size / 8) in Weak.blit w 0 w 1 (size / 8 - 1)
              | "dup" -> ignore (Obj.dup (Obj.repr big_array))
              | "md5" -> ignore (Digest.bytes big_bytes)
              | "marshal" -> ignore (Marshal.to_bytes big_array [])
              | "format" -> ignore (Printf.sprintf "%*d" size 1)
              | "float" -> ignore (float_of_string (String.make size '1'))
              | "integer" -> ignore (int_of_string (String.make size '0'))
              | "reachable" -> ignore (Obj.reachable_words (Obj.repr big_array))
              | "full_major" -> Gc.full_major ()
              | "stat" -> ignore (Gc.stat ())
              | "output" ->
                  let out = open_out "/dev/null" in output_bytes out big_bytes; close_out out
              | "input" ->
                  let from = open_in "/dev/zero" in
                  really_input from big_bytes 0 size; close_in from
              | "digest" ->
                  let from = open_in "/dev/zero" in
                  ignore (Digest.channel from size); close_in from
              | "nothing" -> ()
              | word -> failwith word
            let () = work Sys.argv.(1); print_string "done"
            ''')
        creating = 4 * 1_000_000 // 64
        for word in ('fill', 'blit', 'cat', 'string_equal', 'string_compare', 'compare',
                     'array_equal', 'array_make', 'array_sub', 'array_append', 'array_concat',
                     'array_fill', 'array_blit', 'bigarray_fill', 'weak_blit', 'dup', 'md5',
                     'marshal', 'format', 'float', 'integer', 'reachable', 'full_major', 'stat',
                     'output', 'input', 'digest'):
            with self.subTest(word=word):
                flag = '--fuel=%d' % (creating + 15_000)
                self.stopped(self.bactrian(flag, 'works.byte', word, '1000000'), '--fuel')
                self.expect(self.bactrian(flag, 'works.byte', 'nothing', '1000000'), out='done')

    def test_a_long_number_is_paid_for_before_it_is_printed(self):
        """Printing one of 2 billion digits takes minutes and 10 GB."""
        self.compile('digits', """
            let () = match Sys.argv.(1) with
              | "float" -> ignore (Printf.sprintf "%.*f" 2_000_000_000 1.5)
              | "hex" -> ignore (Printf.sprintf "%.*h" 2_000_000_000 1.5)
              | "int" -> ignore (Printf.sprintf "%*x" 2_000_000_000 15)
              | _ -> print_string (Printf.sprintf "%.200f" 1.5)
            """)
        for word in ('float', 'hex', 'int'):
            with self.subTest(word=word):
                self.stopped(self.bactrian('--fuel=1M', '--timeout=20', 'digits.byte', word),
                             '--fuel')
        self.expect(self.bactrian('--fuel=100k', 'digits.byte', 'short'), out='1.5' + 199 * '0')

    def test_an_endless_file_is_not_read_for_ever(self):
        self.compile('digests', """
            let () = print_string "before"; ignore (Digest.channel (open_in "/dev/zero") (-1))
            """)
        for flag in ('--fuel=1M', '--timeout=0.5'):
            done = self.bactrian(flag, 'digests.byte')
            self.stopped(done, flag.split('=')[0])
            self.assertEqual(done.out, 'before')

    def test_processes_share_the_fuel(self):
        """Each of the processes would end by itself."""
        self.compile('spawns', '''
            let rec spin n = if n > 0 then spin (n - 1)
            let () =
              let children = int_of_string Sys.argv.(1) in
              for _ = 1 to children do
                if Unix.fork () = 0 then (spin 10_000; exit 0)
              done;
              let ended = ref 0 in
              for _ = 1 to children do
                if snd (Unix.wait ()) = Unix.WEXITED 0 then incr ended
              done;
              print_int !ended
            ''')
        def run(fuel, children):
            return self.bactrian('--fuel=%d' % fuel, 'spawns.byte', str(children))
        low, high = 0, 1_000_000  # what a run without children takes
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if run(middle, 0).status == 0 else (middle, high)
        self.expect(run(high + 1_000_000, 10), out='10')
        done = run(high + 200_000, 10)
        self.assertNotEqual(done.out, '10')
        self.assertEqual(done.err.count('stopped by --fuel'), 1, done.err)
        # A chain of processes, each of which ends as soon as it has made the next one.
        self.compile('chain', '''
            let () = while Unix.fork () = 0 do () done
            ''')
        self.assertIn('stopped by --fuel', self.bactrian('--fuel=300k', 'chain.byte').err)


class Time(Stops):
    """What the time of a run covers besides the program itself."""

    def late(self, *words, **more):
        """The end of a program that takes 20 seconds and that --timeout must stop long before."""
        start = time.monotonic()
        done = self.bactrian('--timeout=0.5', *words, **more)
        self.assertLess(time.monotonic() - start, 15, repr(done))
        return done

    def test_the_compilation_of_a_script(self):
        compiler = self.place.write('slow/ocamlc', '#!/bin/sh\nexec sleep 20\n', 0o755)
        self.place.write('script.ml', 'let () = print_string "compiled"')
        path = os.path.dirname(compiler) + ':' + os.environ['PATH']
        done = self.late('script.ml', env={'PATH': path})
        self.expect(done, status=124, out='',
                    err='bactrian: script.ml: stopped by --timeout inside ocamlc\n')

    def test_forked_children(self):
        self.compile('detached', '''
            let () =
              if Unix.fork () = 0 then begin
                ignore (Unix.setsid ());
                let start = Unix.time () in
                while Unix.time () < start +. 20. do () done
              end
            ''')
        self.assertIn('stopped by --timeout', self.late('detached.byte').err)

    def test_a_program_that_is_executed_in_its_place(self):
        self.compile('replaced', '''
            let sleep () = Unix.execv "/bin/sleep" [| "sleep"; "20" |]
            let () =
              match Sys.argv.(1) with
              | "program" -> sleep ()
              | _ -> if Unix.fork () = 0 then sleep ()
            ''')
        self.expect(self.late('replaced.byte', 'program'), status=-signal.SIGKILL)
        self.expect(self.late('replaced.byte', 'child'))

    def test_commands(self):
        """They print nothing after the deadline, and the program ends normally."""
        self.compile('commands', '''
            let command = "(sleep 2; echo late) | cat; echo later"
            let () =
              print_string "first ";
              match Sys.argv.(1) with
              | "command" -> ignore (Sys.command command)
              | "process" ->
                  let words = [| "sh"; "-c"; command |] in
                  let pid = Unix.create_process "sh" words Unix.stdin Unix.stdout Unix.stderr in
                  ignore (Unix.waitpid [] pid)
              | _ ->
                  if Unix.fork () = 0 then ignore (Sys.command command)
                  else ignore (Unix.wait ())
            ''')
        for word in ('command', 'process', 'child'):
            with self.subTest(word=word):
                done = self.late('commands.byte', word)
                self.stopped(done, '--timeout\n')
                self.assertIn(done.out, ('first ', 'first first '))

    def test_commands_that_commands_have_started(self):
        """The process ends as soon as the command that it waits for is killed."""
        self.compile('many', """
            let command =
              "for i in `seq 200`; do sleep 20 >/dev/null 2>&1 & echo $! >>started; done; wait"
            let () = Thread.join (Thread.create Sys.command command)
            """)
        done = self.late('many.byte')
        started = self.place.read('started').split()
        until = time.monotonic() + 10  # a killed process takes a moment to end
        while True:
            left = [int(pid) for pid in started if self.runs(int(pid))]
            if not left or time.monotonic() > until:
                break
            time.sleep(0.1)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.stopped(done, '--timeout\n')
        self.assertNotEqual(started, [])
        self.assertEqual(left, [])

    def runs(self, pid):
        """Whether a process exists and may be suspended, but is not a zombie."""
        try:
            with open('/proc/%d/stat' % pid, encoding='latin-1') as stat:
                return stat.read().rpartition(') ')[2][0] not in 'ZX'
        except FileNotFoundError:
            return False

    def test_a_stub_that_does_not_return(self):
        self.place.write('own.c', """
            #include <signal.h>
            #include <unistd.h>
            long own_loop(long unit) {
                sigset_t all;
                sigfillset(&all);
                sigprocmask(SIG_BLOCK, &all, 0);
                for (alarm(20);;) if (unit == 3) pause();
            }
            """)
        self.place.tool('gcc', '-shared', '-fPIC', '-o', 'dllloops.so', 'own.c')
        self.place.write('loops.ml', 'external loop : bool -> unit = "own_loop"\n'
                         'let () = loop (Array.length Sys.argv > 1)')
        self.place.tool('ocamlc', '-dllpath', self.place.folder, '-I', '.', '-dllib', '-lloops',
                        '-o', 'loops.byte', 'loops.ml')
        for words in ([], ['waits']):
            done = self.late('loops.byte', *words)
            self.stopped(done, '--timeout inside a primitive')

    def test_a_pipe_that_nothing_reads(self):
        """There is no room for the message either."""
        self.compile('fills', 'let () = while true do print_string "0123456789" done')
        source, sink = os.pipe()
        child = subprocess.Popen([self.place.bactrian, '--timeout=0.5', 'fills.byte'],
                                 cwd=self.place.folder, stdout=sink, stderr=sink,
                                 env=self.place.environment({}))
        os.close(sink)
        self.assertEqual(child.wait(timeout=15), 124)
        os.close(source)

    def test_the_program_sees_no_child_of_the_machine(self):
        self.compile('waits', '''
            let children () =
              try fst (Unix.wait ()) with Unix.Unix_error (Unix.ECHILD, _, _) -> 0
            let () =
              print_int (children ());
              flush stdout;
              if Unix.fork () = 0 then exit (children ())
              else print_string (if snd (Unix.wait ()) = Unix.WEXITED 0 then " none" else " some")
            ''')
        self.expect(self.bactrian('--timeout=100', 'waits.byte'), out='0 none')


class Limited(Stops):
    """Limits that the system sets."""

    def test_a_file_that_becomes_too_large_is_an_error(self):
        self.place.write('large.ml', '''
            let () =
              let out = open_out "large" in
              output_string out (String.make 100_000 'x');
              try close_out out with Sys_error text -> print_string text; exit 3
            ''')
        self.place.tool('ocamlc', '-o', 'large.byte', 'large.ml')
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        done = self.bactrian('large.byte', preexec_fn=limit)
        self.expect(done, status=3, out='File too large')
