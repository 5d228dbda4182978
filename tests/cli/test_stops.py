"""A program cannot evade --max-output, --timeout and --fuel."""
import os
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
