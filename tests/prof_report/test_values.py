"""prof heap: contents of blocks, of a heap snapshot that has them (tests/heap has more)."""
import json
import os
import shutil
import subprocess
import unittest

import support

PROGRAM = r'''
type color = Red | Green
type t = { yes : bool; no : bool; nothing : unit; empty : int list; none : string option;
           color : color; number : int; letter : char }
let kept = Array.init 3 (fun i ->
  { yes = i < 9; no = i > 9; nothing = (); empty = []; none = None; color = Green; number = 1;
    letter = '\'' })
let letters = Array.init 2 (fun i -> [| 'z'; '\n'; '\\'; '\127'; '\200' |])
let odd : bool array = Array.init 3 (fun i -> Obj.magic (i - 1))
let table : (int, bool) Hashtbl.t = Hashtbl.create 1
let () = Hashtbl.add table 1 true
'''
TYPED = {'{yes = true; no = false; nothing = (); empty = []; ...}',
         r"[|'z'; '\n'; '\\'; '\x7f'; '\xc8'|]", '[|-1; false; true|]',
         '{key = 1; data = true; next = Empty}'}
UNTYPED = {'(1, 0, 0, 0, 0, 1, 1, 39)', '(1, 1, 0)'}


def examples(rows):
    for row in rows:
        yield row['example']
        yield from examples(row.get('children', []))


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Values(support.Case):
    def test_constants_are_shown_as_ocaml_writes_them_where_their_types_are_known(self):
        for flags, wanted, others in ((['-g'], TYPED, UNTYPED), ([], UNTYPED, TYPED)):
            self.write('program.ml', PROGRAM.encode())
            subprocess.run(['ocamlc', *flags, 'program.ml', '-o', 'program.byte'], check=True,
                           cwd=self.folder)
            if not flags:
                os.unlink(os.path.join(self.folder, 'program.cmi'))
            self.prof('snapshot', '--quiet', '--force', '--values', '-o', 'x.heap', 'program.byte')
            found = set(examples(json.loads(self.prof('heap', 'x.heap', '--json', '--top', '1000',
                                                      '--thresh', '0.0001%'))['holders']))
            with self.subTest(flags=flags):
                self.assertLessEqual(wanted, found)
                self.assertEqual(found & others, set())
