"""Generated programs without leaks, of which `prof leaks` must report nothing large, and with one,
which it must find. Each program runs some parts, all of which release what they allocate; a leak
is one more. --long runs 100 programs without and 20 with a leak."""
import json
import random
import re
import shutil
import subprocess
import unittest

import support

RATE = '0.01'
# What a program may do without a leak. Each allocates some kilobytes at a time, `n` times.
PARTS = {
    'queue': 'let q = Queue.create () in for i = 1 to n do Queue.add (Bytes.create 40) q;\n'
             '  if i > 60 then ignore (Queue.pop q) done',
    'ring': 'let r = Array.make 64 [||] in\n'
            'for i = 1 to n do r.(i land 63) <- Array.make 20 i done',
    'cache': 'let t = Hashtbl.create 64 in\n'
             'for i = 1 to n do Hashtbl.replace t (i mod 97) (string_of_int i) done',
    'recent': 'let t = Hashtbl.create 64 in for i = 1 to n do\n'
              '  Hashtbl.replace t i (Array.make 9 i); Hashtbl.remove t (i - 50) done',
    'shared': 'for i = 1 to n do Hashtbl.replace shared i [i; i] done; Hashtbl.reset shared',
    'tree': 'let m = ref Ints.empty in\n'
            'for i = 1 to n do m := Ints.add (i * 7919 mod n) i !m done;\n'
            'ignore (Ints.fold (fun _ -> (+)) !m 0)',
    'closures': 'let f = ref (fun x -> x) in for i = 1 to n do let g = !f in\n'
                '  f := if i mod 50 = 0 then (fun x -> x) else (fun x -> g (x + i)) done;\n'
                'ignore (!f 0)',
    'finalised': 'for i = 1 to n / 10 do Gc.finalise ignore (ref i) done; Gc.full_major ()',
    'outside': 'for _ = 1 to n / 100 do ignore (Sys.opaque_identity\n'
               '  (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 10_000)) done',
    'deep': 'let rec down k = if k = 0 then 0 else begin let x = ref k in\n'
            '  let r = down (k - 1) in r + !x end in ignore (down n)',
    'text': 'let b = Buffer.create 16 in for i = 1 to n do Buffer.add_string b (string_of_int i);\n'
            '  if i mod 500 = 0 then Buffer.reset b done; ignore (Buffer.contents b)',
    'thread': 'let work () = ignore (List.rev (List.init n string_of_int)) in\n'
              'Thread.join (Thread.create work ())',
    'weak': 'let w = Weak.create 50 in\n'
            'for i = 1 to n do Weak.set w (i mod 50) (Some (Array.make 6 i)) done',
    'exceptions': 'for i = 1 to n do\n'
                  '  try raise (Failure (string_of_int i)) with Failure _ -> () done',
    'global': 'latest := []; for i = 1 to n do latest := i :: !latest done; latest := []',
}
# What leaks, the words of it when `n` are leaked, and the variable of the module that holds it.
LEAKS = {
    'list': ('for i = 1 to n do latest_kept := i :: !latest_kept done', 3, 'latest_kept'),
    'table': ('for i = 1 to n do Hashtbl.add kept i (Bytes.create 40) done', 4 + 7, 'kept'),
    'handlers': ('for i = 1 to n do handlers := (fun x -> x + i) :: !handlers done', 3 + 4,
                 'handlers'),
    'queue that nobody drains': ('for i = 1 to n do Queue.add (Array.make 10 i) waiting done',
                                 3 + 11, 'waiting'),
    'wrong key': ('for i = 1 to n do incr next; Hashtbl.replace kept !next (Bytes.create 40);\n'
                  '  Hashtbl.remove kept (- i) done', 4 + 7, 'kept'),
    'saved by finalisers': ('for i = 1 to n do Gc.finalise (fun a -> saved := a :: !saved)\n'
                            '  (Array.make 12 i) done; Gc.full_major ()', 13 + 3, 'saved'),
    'part of a bigarray': ('for _ = 1 to n / 50 do parts := Bigarray.Array1.sub\n'
                           '  (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 4_000) 0 8\n'
                           '  :: !parts done', 10, 'parts'),
}
HEAD = '''module Ints = Map.Make (Int)
let shared : (int, int list) Hashtbl.t = Hashtbl.create 64
let latest : int list ref = ref []
let latest_kept : int list ref = ref []
let kept : (int, Bytes.t) Hashtbl.t = Hashtbl.create 64
let handlers : (int -> int) list ref = ref []
let waiting : int array Queue.t = Queue.create ()
let next = ref 0
let saved : int array list ref = ref []
type bytes_outside = (char, Bigarray.int8_unsigned_elt, Bigarray.c_layout) Bigarray.Array1.t
let parts : bytes_outside list ref = ref []
'''


def program(seed, leak=None):
    """The text of a program, and the bytes that it leaks."""
    chosen = seed.sample(sorted(PARTS), seed.randint(3, 6))
    text, calls, leaked = HEAD, [], 0
    for name in chosen:
        text += 'let run_%s n =\n%s\n' % (name, PARTS[name])
        calls.append('run_%s %d' % (name, seed.randint(2_000, 30_000)))
    if leak is not None:
        body, words, _ = LEAKS[leak]
        n = 4 * seed.randint(1_000, 5_000)
        text += 'let leaks_it n =\n%s\n' % body
        leaked = 8 * n * words
        for _ in range(4):  # a quarter now and then
            calls.insert(seed.randint(0, len(calls)), 'leaks_it %d' % (n // 4))
    return text + 'let () =\n  ' + ';\n  '.join(calls) + '\n', leaked


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Leaks(support.Case):
    def record(self, text, *options):
        self.write('p.ml', text.encode())
        subprocess.run(['ocamlc', '-g', '-w', '-a', '-I', '+threads', 'unix.cma', 'threads.cma',
                        'p.ml', '-o', 'p.byte'], cwd=self.folder, check=True)
        self.prof('record', '--quiet', '--force', '--rate', RATE, '-o', 'p.prof', *options,
                  'p.byte')

    def reported(self):
        """The bytes of each row, the largest first; and those at the peak."""
        rows = json.loads(self.prof('leaks', 'p.prof', '--json', '--top', '1000'))['rows']
        tree = json.loads(self.prof('tree', 'p.prof', '--json', '--at', 'peak'))['tree']
        return ([(row['name'], row['bytes']) for row in rows],
                tree[0]['bytes']['value'] if tree else 0)

    def holder(self):
        """The variable that holds what leaks first, by the snapshot."""
        row = json.loads(self.prof('leaks', 'p.prof', 'p.heap', '--json'))['holders'][0]
        self.assertGreater(row['sampled'], 0.9 * row['of'])
        return re.search(r'module P > \.(\w+)|$', row['holder'])[1]

    def test_programs_without_leaks_raise_no_alarm(self):
        for number in range(100 if self.settings.long else 12):
            text, _ = program(random.Random(number))
            with self.subTest(number=number):
                self.record(text)
                rows, peak = self.reported()
                limit = max(0.05 * peak, 4_000)  # the tables of the program's own modules
                self.assertEqual([row for row in rows if row[1]['value'] > limit], [])

    def test_leaks_come_first_with_their_size(self):
        for number in range(20 if self.settings.long else len(LEAKS)):
            leak = sorted(LEAKS)[number % len(LEAKS)]
            text, leaked = program(random.Random(1_000 + number), leak)
            with self.subTest(number=number, leak=leak):
                self.record(text, '--snapshot', 'p.heap')
                rows, _ = self.reported()
                self.assertEqual(self.holder(), LEAKS[leak][2])
                own = [estimate for name, estimate in rows if 'leaks_it' in name]
                self.assertIn('leaks_it', rows[0][0])
                found = sum(e['value'] for e in own)
                half = sum(e['high'] - e['low'] for e in own) / 2
                self.assertLess(abs(found - leaked), 2 * half + 0.03 * leaked, (found, leaked))
