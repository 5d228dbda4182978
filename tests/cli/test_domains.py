"""Domains that wait for each other in loops."""
from support import Case, ocaml5

# Each kind of loop makes a turn 1000 times; the CPU time of all is printed in ms.
LOOPS = r"""
let rounds = 1000
let play mine pass =
  let player me () = for _ = 1 to rounds do while not (mine me) do () done; pass (1 - me) done in
  let other = Domain.spawn (player 1) in
  player 0 (); Domain.join other
let turn = Atomic.make 0
let plain = ref 0
let lock = Mutex.create () and guarded = ref 0
let locked f = while not (Mutex.try_lock lock) do () done; let v = f () in Mutex.unlock lock; v
let kind = function
  | "atomic" -> play (fun me -> Atomic.get turn = me) (Atomic.set turn)
  | "exchange" -> play (fun me -> Atomic.compare_and_set turn me 2) (Atomic.set turn)
  | "plain" -> play (fun me -> !(Sys.opaque_identity plain) = me) (fun v -> plain := v)
  | _ ->
      let is me () = !guarded = me and set v () = guarded := v in
      play (fun me -> locked (is me)) (fun v -> locked (set v))
let () = kind Sys.argv.(1); Printf.printf "%.0f" (Sys.time () *. 1000.)
"""


class Domains(Case):
    def test_a_loop_that_waits_gives_its_time_to_the_others(self):
        self.place.write('loops.ml', LOOPS)
        self.place.tool(ocaml5() + '/bin/ocamlc', '-o', 'loops.byte', 'loops.ml')
        for jit in '--jit=off', '--jit=all':
            for kind in 'atomic', 'exchange', 'plain', 'locked':
                done = self.bactrian(jit, 'loops.byte', kind)
                self.assertEqual(done.status, 0, done)
                # Whole time slices of 1 ms would be two seconds.
                self.assertLess(int(done.out), 900, (jit, kind))
