"""Signals that arrive when the program has ended."""
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
