"""Signals while a program is recorded: they are its own, and may come when it has ended."""
import os
import signal
import subprocess
import time

from support import Case


class LateSignals(Case):
    def test_a_late_request_for_a_snapshot_does_not_end_the_process(self):
        self.place.write('big.ml', """
            let () =
              let keep = Array.init 1000 (fun i -> Array.make 10000 i) in
              print_string "x"; flush stdout; ignore (Sys.opaque_identity keep)
            """)
        self.place.tool('ocamlc', '-o', 'big.byte', 'big.ml')
        for _ in range(10):
            command = [self.place.bactrian, 'prof', 'record', '--quiet', '-o', 'big.prof']
            child = subprocess.Popen(command + ['big.byte'], cwd=self.place.folder,
                                     env=self.place.environment({}), stdout=subprocess.PIPE)
            child.stdout.read(1)
            while child.poll() is None:
                child.send_signal(signal.SIGUSR1)
                time.sleep(0.0005)
            child.stdout.close()
            self.assertEqual(child.returncode, 0)
        self.assertTrue(os.path.exists(self.place.path('big.prof')))


class OwnSignals(Case):
    def test_a_recording_takes_none_that_the_program_has_blocked(self):
        self.place.write('pending.ml', """
            let () =
              ignore (Unix.sigprocmask Unix.SIG_BLOCK [Sys.sigprof]);
              Unix.kill (Unix.getpid ()) Sys.sigprof;
              let finish = Sys.time () +. 0.1 in
              while Sys.time () < finish do () done;
              print_string (string_of_bool (List.mem Sys.sigprof (Unix.sigpending ())))
            """)
        self.place.tool('ocamlc', 'unix.cma', '-o', 'pending.byte', 'pending.ml')
        self.expect(self.bactrian('prof', 'record', '--quiet', '-o', 'pending.prof',
                                  'pending.byte'), out='true')
