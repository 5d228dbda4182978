"""Limits: each is hit exactly, and the message names its flag."""
import os
import resource
import signal
import subprocess
import time

from support import Case, PEAK


class Limits(Case):
    def stopped(self, done, flag, *texts):
        self.assertEqual(done.status, 124, repr(done))
        self.assertRegex(done.err, r'\Abactrian: world\.byte: stopped by %s\n' % flag)
        for text in texts:
            self.assertIn(text, done.err)

    def run_out(self, fuel, count):
        return self.bactrian('--fuel=%d' % fuel, 'world.byte', 'count', str(count))

    def test_fuel_ends_at_the_same_instruction_every_time(self):
        low, high = 1, 1 << 22
        while low + 1 < high:
            middle = (low + high) // 2
            if self.run_out(middle, 100).status == 0:
                high = middle
            else:
                low = middle
        self.expect(self.run_out(high, 100), out='done')
        self.stopped(self.run_out(low, 100), '--fuel')
        # Each iteration of the loop takes a fixed number of instructions.
        with self.subTest('one more turn needs more'):
            self.stopped(self.run_out(high, 101), '--fuel')
        per_turn = next(n for n in range(1, 100) if self.run_out(high + n, 101).status == 0)
        self.expect(self.run_out(high + 10 * per_turn, 110), out='done')
        self.stopped(self.run_out(high + 10 * per_turn - 1, 110), '--fuel')

    def test_fuel_may_end_at_any_instruction(self):
        """Also at entries of functions whose arguments are still outside their frame."""
        self.place.write('partial.ml', '''
            let f a b c d e = a + b + c + d + e
            let () = let g = Sys.opaque_identity f in ignore (Sys.opaque_identity (g 1 2) 3 4 5)
            ''')
        self.place.tool('ocamlc', '-g', '-o', 'partial.byte', 'partial.ml')
        low, high = 1, 1 << 20
        while low + 1 < high:
            middle = (low + high) // 2
            done = self.bactrian('--fuel=%d' % middle, 'partial.byte')
            low, high = (low, middle) if done.status == 0 else (middle, high)
        for fuel in range(max(1, low - 150), low + 1):
            done = self.bactrian('--fuel=%d' % fuel, 'partial.byte')
            self.assertEqual(done.status, 124, '%d: %r' % (fuel, done))

    def test_a_stop_keeps_the_output_and_prints_the_call_stack(self):
        self.stopped(self.bactrian('--fuel', '1M', 'world.byte', 'spin'), '--fuel',
                     'Called from World', 'world.ml')
        self.assertEqual(self.bactrian('--fuel', '1M', 'world.byte', 'spin').out, 'before')

    def test_without_debug_information_a_stop_names_ocamlc_g(self):
        self.place.write('bare.ml', 'let rec f x = f x let () = f ()')
        self.place.tool('ocamlc', '-o', 'bare.byte', 'bare.ml')
        done = self.bactrian('--fuel=1k', 'bare.byte')
        self.expect(done, status=124, err='bactrian: bare.byte: stopped by --fuel: '
                    'compile it with ocamlc -g to see where\n')

    def test_fuel_does_not_pay_for_blocks_that_there_is_no_room_for(self):
        self.place.write('huge.ml', """
let refused make = match make () with _ -> "made" | exception Out_of_memory -> "refused"
let () =
  print_string (refused (fun () -> Obj.repr (Bytes.create Sys.max_string_length)));
  print_string (refused (fun () -> Obj.repr (Array.make Sys.max_array_length 0)));
  print_string (refused (fun () -> Obj.repr (Array.create_float (Sys.max_array_length / 2))))
""")
        self.place.tool('ocamlc', '-o', 'huge.byte', 'huge.ml')
        self.expect(self.bactrian('--fuel=1M', 'huge.byte'), out='refusedrefusedrefused')

    def test_a_stop_cannot_be_caught(self):
        done = self.bactrian('--fuel=100k', 'world.byte', 'catch')
        self.stopped(done, '--fuel')
        self.assertEqual(done.out, '')

    def test_time(self):
        for words in (['spin'], ['catch']):
            start = time.monotonic()
            done = self.bactrian('--timeout', '0.2', 'world.byte', *words)
            self.stopped(done, '--timeout')
            self.assertLess(time.monotonic() - start, 60)
            self.assertGreaterEqual(time.monotonic() - start, 0.2)
        self.expect(self.bactrian('--timeout', '100', 'world.byte', 'count', '5'), out='done')

    def timed_out(self, is_reached, *words, **more):
        """The end of a program that --timeout stopped, with as long a time as it takes on a busy
        machine to get where it is to be stopped."""
        for seconds in (0.2, 2, 20):
            done = self.bactrian('--timeout=%g' % seconds, *words, **more)
            if is_reached(done):
                break
        return done

    def test_a_suspended_machine_gets_time_to_react(self):
        """A process that was suspended at the deadline is not inside a primitive."""
        child = subprocess.Popen([self.place.bactrian, '--timeout=0.4', 'world.byte', 'spin'],
                                 cwd=self.place.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=self.place.environment({}))
        time.sleep(0.1)
        child.send_signal(signal.SIGSTOP)
        time.sleep(1.6)  # the deadline has passed, and the second after it
        child.send_signal(signal.SIGCONT)
        out, err = child.communicate()
        self.assertEqual((child.returncode, out), (124, b'before'), err)
        self.assertRegex(err, rb'stopped by --timeout\nStopped at World.spin')

    def test_a_machine_that_has_stopped_may_take_time_to_end(self):
        """The process waits here until its message is read; usually, to close a large recording."""
        source, sink = os.pipe()
        os.set_blocking(sink, False)
        filled = 0
        while True:
            try:
                filled += os.write(sink, b' ' * 4096)
            except BlockingIOError:
                break
        os.set_blocking(sink, True)
        child = subprocess.Popen([self.place.bactrian, '--timeout=0.2', 'world.byte', 'spin'],
                                 cwd=self.place.folder, stdout=subprocess.PIPE, stderr=sink,
                                 env=self.place.environment({}))
        os.close(sink)
        time.sleep(2)
        with open(source, 'rb') as pipe:
            said = pipe.read()[filled:]
        out = child.communicate()[0]
        self.assertEqual((child.returncode, out), (124, b'before'), said)
        self.assertRegex(said, rb'stopped by --timeout\nStopped at World.spin')
        self.assertEqual(said.count(b'stopped by'), 1, said)

    def test_endless_primitives_are_stopped(self):
        """Values that hold themselves; ocamlrun can only be killed."""
        self.place.write('endless.ml', r"""
            let forward () =
              let f = Obj.dup (Obj.repr (ref 0)) in
              Obj.set_tag f Obj.forward_tag; Obj.set_field f 0 f; f
            let rec ones = 1 :: ones
            let rec others = 1 :: others
            let () =
              print_string "before";
              match Sys.argv.(1) with
              | "equal" -> let f = forward () in ignore (f = f)
              | "forwards" -> ignore (compare (forward ()) (forward ()))
              | "integer" -> ignore (compare (Obj.repr 3) (forward ()))
              | "lists" -> ignore (ones < others)
              | _ -> ignore (Marshal.to_string ones [Marshal.No_sharing])
            """)
        self.place.tool('ocamlc', '-g', '-w', '-a', '-o', 'endless.byte', 'endless.ml')
        for word in ('equal', 'forwards', 'integer', 'lists', 'marshal'):
            with self.subTest(word=word, flag='--timeout'):
                self.endless(word, '--timeout', self.timed_out(
                    lambda done: done.out != '', 'endless.byte', word))
            with self.subTest(word=word, flag='--fuel'):
                self.endless(word, '--fuel', self.bactrian('--fuel=10k', 'endless.byte', word))

    def endless(self, word, flag, done):
        self.assertEqual(done.status, 124, repr(done))
        self.assertEqual(done.out, 'before')
        self.assertIn('stopped by %s\n' % flag, done.err)
        self.assertIn('Endless in file "endless.ml"', done.err)

    def test_time_ends_a_program_that_waits(self):
        source, sink = os.pipe()
        try:
            done = self.timed_out(lambda done: 'primitive' in done.err, 'world.byte', 'wait',
                                  stdin_file=source)
        finally:
            os.close(source)
            os.close(sink)
        self.assertEqual(done.status, 124, repr(done))
        self.assertIn('stopped by --timeout inside a primitive', done.err)

    def test_a_heap_too_small_for_the_program_s_data(self):
        for size in ('65536', '131072'):
            self.refused(self.bactrian('--max-heap=' + size, 'status.byte', '0'), 125,
                         'status.byte: out of memory', 'while it was loaded: raise --max-heap')

    def test_the_heap_limit_is_exact_to_64_kilobytes(self):
        self.place.write('spans.ml', '''
            let () =
              let held = Array.make 400 [||] and n = ref 0 in
              (try while true do held.(!n) <- Array.make 8191 0; incr n done
               with Out_of_memory -> ());
              Printf.printf "%d %d" !n ((Gc.quick_stat ()).Gc.heap_words * 8)
            ''')
        self.place.tool('ocamlc', '-o', 'spans.byte', 'spans.ml')
        most = {}
        for size in (8192, 8192 + 63, 8192 + 64, 8192 + 128, 16384):
            done = self.bactrian('--max-heap=%d' % (size * 1024), 'spans.byte')
            most[size], heap = map(int, done.out.split())
            self.assertEqual(heap, size // 64 * 65536, repr(done))
        self.assertEqual([most[size] - most[8192] for size in sorted(most)], [0, 0, 1, 2, 128])

    def test_small_blocks_stay_within_the_heap_limit(self):
        self.place.write('cells.ml', '''
            let () =
              let l = ref [] and n = ref 0 and top = ref 0 in
              (try while true do
                 l := !n :: !l; incr n;
                 if !n land 1023 = 0 then top := max !top (Gc.quick_stat ()).Gc.heap_words
               done with Out_of_memory -> ());
              Printf.printf "%d %d" (List.length !l * 24) (!top * 8)
            ''')
        self.place.tool('ocamlc', '-o', 'cells.byte', 'cells.ml')
        for size in (8 << 20, 12 << 20):
            held, top = map(int, self.bactrian('--max-heap=%d' % size, 'cells.byte').out.split())
            self.assertLessEqual(top, size)
            # All memory except what the program itself and the last, partly filled spans take.
            self.assertGreater(held, size - (3 << 20))
            self.assertLessEqual(held, size + (32 << 10))

    def test_the_stack_limit_is_exact_to_a_frame(self):
        self.place.write('deepest.ml', '''
            let deepest = ref 0
            let rec f n = deepest := n; 1 + f (n + 1)
            let () = (try ignore (f 0) with Stack_overflow -> ()); print_int !deepest
            ''')
        self.place.tool('ocamlc', '-o', 'deepest.byte', 'deepest.ml')
        frame, start = 4 * 8, 64 << 10
        depths = [int(self.bactrian('--max-stack=%d' % (start + extra), 'deepest.byte').out)
                  for extra in (0, *range(8, frame, 8), frame, 2 * frame, 1000 * frame)]
        first = depths[0]
        self.assertEqual([depth - first for depth in depths[4:]], [1, 2, 1000])
        # The limit is exact to less than the size of a frame: one more word decides.
        steps = [depth - first for depth in depths[:5]]
        self.assertEqual((steps, set(steps)), (sorted(steps), {0, 1}))

    def test_gc_set_does_not_raise_the_stack_limit(self):
        self.place.write('raised.ml', '''
            let deepest = ref 0
            let rec f n = deepest := n; 1 + f (n + 1)
            let measure limit =
              Gc.set { (Gc.get ()) with Gc.stack_limit = limit };
              (try ignore (f 0) with Stack_overflow -> ());
              Printf.printf "%d %d\\n" (Gc.get ()).Gc.stack_limit !deepest
            let () = List.iter measure [8192; 16384; 100_000_000; -1]
            ''')
        self.place.tool('ocamlc', '-o', 'raised.byte', 'raised.ml')
        done = self.bactrian('--max-stack=131072', 'raised.byte')
        lower, first, *higher = done.out.splitlines()
        self.assertEqual(first.split()[0], '16384', repr(done))
        self.assertEqual(lower.split()[0], '8192', repr(done))
        self.assertLess(int(lower.split()[1]), int(first.split()[1]) * 6 // 10)
        self.assertEqual(higher, [first, first], repr(done))
        free = self.bactrian('raised.byte', env={'OCAMLRUNPARAM': 'l=16k'}).out.splitlines()
        self.assertEqual(free[2].split()[0], '100000000')

    def test_memory_outside_the_heap_counts_towards_the_limit(self):
        """Under --max-heap=64M; memory that is no longer held does not count."""
        self.place.write('outside.ml', """
            open Bigarray
            external channel : int -> out_channel = "caml_ml_open_descriptor_out"
            external set_name : out_channel -> string -> unit = "caml_ml_set_channel_name"
            external named : string -> int -> unit = "caml_register_named_value"
            external code : bytes array -> int -> int -> int = "caml_reify_bytecode"
            let megabyte () = Array1.create char c_layout 1_000_000
            let message = Marshal.to_string (megabyte ()) []
            let name = String.make 1_000_000 'x'
            let held = ref []
            let hold f i = held := Obj.repr (f i) :: !held
            let act = function
              | "bigarrays" -> hold (fun _ -> megabyte ())
              | "views" -> hold (fun _ -> Array1.sub (megabyte ()) 500_000 5)
              | "messages" -> hold (fun _ : (char, int8_unsigned_elt, c_layout) Array1.t ->
                                      Marshal.from_string message 0)
              | "channels" -> hold (fun _ -> List.init 10 (fun _ -> channel 1))
              | "names" -> hold (fun _ -> let c = channel 1 in set_name c name; c)
              | "named" -> fun i -> named (string_of_int i ^ name) 0
              | "floats" -> fun _ -> ignore (Printf.sprintf "%.*f" 100_000_000 1.)
              | "integers" -> fun _ -> ignore (Printf.sprintf "%*d" 100_000_000 1)
              | "code" -> fun _ -> ignore (code (Array.make 1000 (Bytes.create 1_000_000)) 0 0)
              | "dropped" -> fun _ -> ignore (megabyte ()); ignore (channel 1);
                                      ignore (Array1.sub (megabyte ()) 10 10)
              | _ -> fun _ -> let c = channel 1 in set_name c name; set_name c name; set_name c ""
            let () =
              let act = act Sys.argv.(1) and count = ref 0 in
              try
                while !count < 1000 do act !count; incr count done; print_string "no end"
              with Out_of_memory | Failure _ -> held := []; print_int !count
            """)
        self.place.tool('ocamlc', '-w', '-a', '-o', 'outside.byte', 'outside.ml')
        for word, least, most in (
                ('bigarrays', 62, 67), ('views', 62, 67), ('messages', 62, 67),
                ('channels', 95, 102), ('names', 55, 63), ('named', 60, 67),
                ('floats', 0, 0), ('integers', 0, 0), ('code', 0, 0)):
            with self.subTest(word=word):
                done = self.bactrian('--max-heap=67108864', 'outside.byte', word)
                self.expect(done, out=None)
                self.assertIn(int(done.out), range(least, most + 1))
        for word in ('dropped', 'renamed'):
            self.expect(self.bactrian('--max-heap=64M', 'outside.byte', word), out='no end')

    def peak_kilobytes(self, *words):
        """What a run takes in all, and its output."""
        with open(self.place.path('peak.out'), 'w+b') as out:
            child = subprocess.Popen([self.place.bactrian, *words], cwd=self.place.folder,
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                     env=self.place.environment({}))
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
            out.seek(0)
            self.assertEqual(status, 0, out.read())
            return usage.ru_maxrss

    def test_buffers_of_closed_channels_take_no_memory(self):
        self.place.write('closed.ml', """
            let buffer = Bytes.create 65536
            let read _ =
              let file = open_in_bin "large" in
              let n = input file buffer 0 65536 in
              close_in file;
              file, n
            let files = List.init (int_of_string Sys.argv.(1)) read
            let () = assert (List.for_all (fun (file, n) -> n = 65536 && pos_in file = 65536) files)
            """ + PEAK)
        self.place.write('large', 65536 * 'x')
        self.place.tool('ocamlc', '-o', 'closed.byte', 'closed.ml')
        one, many = (int(self.bactrian('closed.byte', n).out) for n in ('1', '400'))
        # A sanitizer keeps freed memory for a while.
        self.assertLess(many - one, 400 * (48 if 'ASAN_OPTIONS' in os.environ else 16))

    def test_tables_outside_the_heap_count_towards_the_limit(self):
        """S7 among them: threads' stacks. Each program holds ever more of one kind of thing, or
        works on ever more, which was all in tables or C memory beside a heap of 64 MB."""
        self.place.write('tables.ml', """
            let held = ref []
            let hold f i = held := Obj.repr (f i) :: !held
            let track = { Gc.Memprof.null_tracker with alloc_minor = fun _ -> Some () }
            let rec deep n f = if n = 0 then f () else 1 + deep (n - 1) f
            let threads depth =
              let m = Mutex.create () in
              Mutex.lock m;
              let wait () = Mutex.lock m; 0 in
              let body () = try ignore (deep depth wait) with Out_of_memory -> () in
              hold (fun _ -> Thread.create body ())
            let act = function
              | "finalise" -> hold (fun i -> let r = ref i in Gc.finalise ignore r; r)
              | "again" -> let r = ref 0 in hold (fun _ -> r) 0; fun _ -> Gc.finalise ignore r
              | "last" -> let r = ref 0 in hold (fun _ -> r) 0; fun _ -> Gc.finalise_last ignore r
              | "mutex" -> hold (fun _ -> Mutex.create ())
              | "condition" -> hold (fun _ -> Condition.create ())
              | "ephemeron" -> hold (fun _ -> Ephemeron.K1.create ())
              | "weak" ->
                  hold (fun i -> let w = Weak.create 1 in Weak.set w 0 (Some (ref i)); w)
              | "bigarray" -> hold (fun _ -> Bigarray.(Array1.create char c_layout 0))
              | "memprof" ->
                  Gc.Memprof.start ~sampling_rate:1. ~callstack_size:9 track; hold (fun i -> ref i)
              | "remember" ->
                  let a = Array.make 7_000_000 (ref 0) in
                  fun i -> Array.fill a 0 7_000_000 (ref i); if i > 3 then raise Out_of_memory
              | "reach" ->
                  fun i ->
                    hold (fun i -> i) i;
                    if i land 0xfffff = 0 then ignore (Obj.reachable_words (Obj.repr !held))
              | "marshal" ->
                  fun i ->
                    hold (fun i -> i) i;
                    if i land 0xfffff = 0 then Marshal.to_channel (open_out "/dev/null") !held []
              | "message" ->
                  let header = "\\x84\\x95\\xA6\\xBF\\x00\\x00\\x00\\x00" in
                  let out = open_out_bin "message" in
                  output_string out (header ^ "\\x00\\x00\\x01" ^ String.make 21 '\\x00');
                  seek_out out 500_000_000; output_char out ' '; close_out out;
                  fun i -> (input_value (open_in_bin "message") : unit)
              | "threads" -> threads 0
              | "stacks" -> threads 100_000
              | _ -> hold (fun i -> i)
            let () =
              let act = act Sys.argv.(1) and count = ref 0 in
              try while true do act !count; incr count done
              with Out_of_memory -> Gc.Memprof.(try stop () with Failure _ -> ()); exit 0
            """)
        self.place.tool('ocamlfind', 'ocamlc', '-w', '-a', '-thread', '-package', 'threads.posix',
                        '-linkpkg', '-o', 'tables.byte', 'tables.ml')
        for word in ('integers', 'finalise', 'again', 'last', 'mutex', 'condition', 'ephemeron',
                     'weak', 'bigarray', 'memprof', 'remember', 'reach', 'marshal', 'message',
                     'threads', 'stacks'):
            with self.subTest(word=word):
                peak = self.peak_kilobytes('--max-heap=64M', 'tables.byte', word)
                if 'ASAN_OPTIONS' not in os.environ:
                    self.assertLess(peak, 64 * 1024 * 9 // 8 + 6 * 1024)

    def test_freed_memory_no_longer_counts(self):
        self.place.write('drops.ml', """
            let () =
              for i = 1 to 1_000_000 do
                ignore (Mutex.create ()); ignore (Condition.create ());
                ignore (Ephemeron.K1.create ()); Gc.finalise_last ignore (ref i);
                if i mod 1000 = 0 then Thread.join (Thread.create ignore ())
              done
            """)
        self.place.tool('ocamlfind', 'ocamlc', '-w', '-a', '-thread', '-package', 'threads.posix',
                        '-linkpkg', '-o', 'drops.byte', 'drops.ml')
        self.expect(self.bactrian('--max-heap=8M', 'drops.byte'))

    def test_callbacks_nest_within_the_c_stack(self):
        self.place.write('nests.ml', """
            let depth = ref 0
            let rec nest _ =
              incr depth; Gc.finalise_release (); Gc.finalise nest (ref !depth); Gc.full_major ()
            let () =
              try nest (ref 0)
              with Stack_overflow -> print_string (if !depth > 100 then "deep" else "")
            """)
        self.place.tool('ocamlc', '-o', 'nests.byte', 'nests.ml')
        # A sanitizer makes C frames larger.
        for kilobytes in (1024 if 'ASAN_OPTIONS' in os.environ else 512, 8192):
            size = kilobytes * 1024
            limit = lambda: resource.setrlimit(resource.RLIMIT_STACK, (size, size))
            with self.subTest(kilobytes=kilobytes):
                self.expect(self.bactrian('nests.byte', preexec_fn=limit), out='deep')

    def test_the_output_limit_is_exact_to_a_byte(self):
        self.expect(self.bactrian('--max-output=100', 'world.byte', 'digits', '100'), out='7' * 100)
        done = self.bactrian('--max-output=100', 'world.byte', 'digits', '101')
        self.stopped(done, '--max-output')
        self.assertEqual(done.out, '7' * 100)
        done = self.bactrian('--max-output=70000', 'world.byte', 'digits', '200000')
        self.stopped(done, '--max-output')
        self.assertEqual(done.out, '7' * 70000)

    def test_wrong_limits_are_refused(self):
        for words in (['--fuel', '0'], ['--fuel', 'x'], ['--timeout', '0'], ['--timeout', 'soon'],
                      ['--max-output', '0'], ['--timeout=-1'], ['--fuel']):
            with self.subTest(words=words):
                self.refused(self.bactrian(*words, 'args.byte'), 125, words[0].split('=')[0])
        for flag, least in (('--max-heap', 65536), ('--max-stack', 8)):
            self.refused(self.bactrian('%s=%d' % (flag, least - 1), 'args.byte'), 125,
                         '%s must be at least %d' % (flag, least))
