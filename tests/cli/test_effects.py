"""What watches or limits a program, when its computations are suspended and resumed."""
import json
import re

from support import Case, ocaml5

# Each turn of a worker makes two boxes: one before it is suspended, one after it is resumed.
FIBERS = r"""
open Effect
open Effect.Deep
type _ Effect.t += Yield : int -> unit Effect.t
exception Stop
let box i = ref i
let leaf i = let r = box i in perform (Yield i); !r + !(box i)
let rec worker n = if n = 0 then 0 else leaf n + worker (n - 1)
let waiting : (unit, int) continuation Queue.t = Queue.create ()
let start f =
  match_with f ()
    { retc = (fun n -> n); exnc = (function Stop -> -1 | e -> raise e);
      effc = fun (type a) (e : a Effect.t) ->
        match e with
        | Yield _ -> Some (fun (k : (a, int) continuation) -> Queue.add k waiting; 0)
        | _ -> None }
let rec turns total =
  match Queue.take_opt waiting with
  | None -> total
  | Some k -> turns (total + continue k ())
let () =
  for n = 1 to int_of_string Sys.argv.(1) do ignore (start (fun () -> worker n)) done;
  let total = turns 0 in
  ignore (start (fun () -> leaf 0));
  let stopped = discontinue (Queue.take waiting) Stop in
  Printf.printf "%d %d" total stopped
"""
STUBBORN = r"""
open Effect.Deep
type _ Effect.t += Again : unit Effect.t
let rec forever () = (try Effect.perform Again with _ -> ()); forever ()
let rec handled () =
  try
    match_with forever ()
      { retc = Fun.id; exnc = (fun _ -> ());
        effc = fun (type a) (e : a Effect.t) ->
          match e with
          | Again -> Some (fun (k : (a, _) continuation) -> continue k ())
          | _ -> None }
  with _ -> handled ()
let () = print_string "before"; flush stdout; handled (); print_string "after"
"""


class Effects(Case):
    def program(self, name, text):
        self.place.write(name + '.ml', text)
        self.place.tool(ocaml5() + '/bin/ocamlc', '-w', '-a', '-g', '-o', name + '.byte',
                        name + '.ml')
        return name + '.byte'

    def counts(self, kind):
        """What each function of FIBERS has of its own."""
        program = self.program('fibers', FIBERS)
        self.expect(self.bactrian('--profile', kind, program, '10'), out='440 -1')
        table = self.bactrian('mlprof', '-raw', 'true', program)
        rows = re.findall(r'(?m)^Fibers\.(\w+) +[\d.]+% +\(([\d,]+)\)', table.out)
        return {name: int(own.replace(',', '')) for name, own in rows}

    def test_calls_are_counted_once(self):
        counts = self.counts('count')
        self.assertEqual([counts[name] for name in ('start', 'worker', 'leaf', 'box', 'turns')],
                         [11, 65, 56, 111, 56])

    def test_bytes_are_those_of_the_function_that_runs(self):
        self.assertEqual(self.counts('alloc')['box'], 111 * 16)

    def test_a_recording_has_the_stack_of_the_fiber_and_of_what_resumed_it(self):
        program = self.program('fibers', FIBERS)
        self.expect(self.bactrian('prof', 'record', '--quiet', '--rate=1', '--force', '-o',
                                  'fibers.prof', program, '10'), out='440 -1')
        done = self.bactrian('prof', 'tree', 'fibers.prof', '--callers', 'Fibers.box', '--json')
        paths = {}

        def walk(node, path):
            path = path + (node['name'].split()[0],)
            if not node['children']:
                paths[path] = node['bytes']['value']
            for child in node['children']:
                walk(child, path)

        for node in json.loads(done.out)['tree']:
            walk(node, ())
        before = ('all', 'Fibers.box', 'Fibers.leaf', 'Fibers.worker')
        self.assertEqual(paths[before + ('Fibers',)], 10 * 16)
        self.assertEqual(paths[before + ('Fibers.turns', 'Fibers')], 100 * 16)

    def test_a_trace_has_the_calls_of_every_turn(self):
        done = self.bactrian('trace', self.program('fibers', FIBERS), '3')
        self.assertEqual((done.status, done.out), (0, '20 -1'))
        calls = re.findall(r'(?m)^(?:tail-)?call \d+ Fibers\.(leaf|box)$', done.err)
        # Resuming a function is a call, too: six of seven are resumed.
        self.assertEqual((calls.count('box'), calls.count('leaf')), (13, 7 + 6))
        self.assertRegex(done.err, r'(?m)^raise \d+ \S+ Fibers\.Stop$')

    def test_fuel_stops_a_fiber(self):
        program = self.program('fibers', FIBERS)
        statuses = [self.bactrian('--fuel=%d' % fuel, program, '10').status
                    for fuel in range(1000, 31000, 1000)]
        whole = statuses.index(0)
        self.assertEqual(statuses, [124] * whole + [0] * (30 - whole))
        self.assertGreater(whole, 3)

    def test_no_handler_catches_a_limit(self):
        program = self.program('stubborn', STUBBORN)
        for flag in '--fuel=1000000', '--timeout=0.2':
            done = self.bactrian(flag, program)
            self.assertEqual((done.status, done.out), (124, 'before'), repr(done))
