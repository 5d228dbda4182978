"""prof advise: programs that waste memory, the same without the waste, and what the fix saves."""
import json
import os
import shutil
import subprocess
import unittest

import support

# Name: (the finding's text and line, the program, the words to replace, their replacement).
BUFFER = ('a buffer is enlarged by copying', 4, '''
let render n =
  let b = Buffer.create 16 in
  for i = 1 to n do Buffer.add_string b (string_of_int i) done;
  Buffer.length b
let () =
  let total = ref 0 in
  for i = 1 to 100 do total := !total + render (20000 + i) done;
  print_int !total
''', 'Buffer.create 16', 'Buffer.create 131072')
TABLE = ('a hash table is enlarged by copying', 4, '''
let fill n =
  let t = Hashtbl.create 16 in
  for i = 1 to n do Hashtbl.replace t i i done;
  Hashtbl.length t
let () = print_int (fill 300_000)
''', 'Hashtbl.create 16', 'Hashtbl.create 262144')
VECTOR = ('a buffer is enlarged by copying', 6, '''
let items = ref [| 0 |] and used = ref 0
let push x =
  let n = Array.length !items in
  if !used = n then begin
    let more = Array.make (n + n) 0 in
    Array.blit !items 0 more 0 n;
    items := more
  end;
  !items.(!used) <- x;
  incr used
let () =
  for i = 1 to 1_000_000 do push i done;
  print_int !used
''', '[| 0 |]', '(Array.make 1048576 0)')
STRING = ('each call copies the string', 4, '''
let text n =
  let s = ref "" in
  for i = 1 to n do s := !s ^ "line\\n" done;
  String.length !s
let () = print_int (text 3000)
''', '''let s = ref "" in
  for i = 1 to n do s := !s ^ "line\\n" done;
  String.length !s''', '''let b = Buffer.create 16 in
  for i = 1 to n do Buffer.add_string b "line\\n" done;
  String.length (Buffer.contents b)''')
LIST = ('each @ copies the list before it', 4, '''
let collect n =
  let l = ref [] in
  for i = 1 to n do l := !l @ [ i ] done;
  List.length !l
let () = print_int (collect 1500)
''', '!l @ [ i ]', 'i :: !l')
FLOATS = ('floats are kept', 5, '''
let kept = Array.make 200_000 None
let () =
  for i = 0 to 199_999 do kept.(i) <-
    Some (float_of_int i *. 1.5)
  done
''', 'Some (float_of_int i *. 1.5)', 'Some i')
INTEGERS = ('numbers (int32, int64, nativeint) are kept', 4, '''
let kept = ref []
let () =
  for i = 1 to 200_000 do kept := Int64.of_int i :: !kept done;
  print_int (List.length !kept)
''', 'Int64.of_int i', 'i')
CLOSURES = ('closures or partial applications', 4, '''
let apply f x = f x let next x = x + 1
let sum n =
  let s = ref 0 in
  for i = 1 to n do s := !s + apply (fun x -> x + i) i done; !s
let () = print_int (sum 500_000)
'''.replace('  let s = ref 0 in\n', '  let s = ref 0 in '), '(fun x -> x + i)', 'next')
SAVING = [BUFFER, TABLE, VECTOR, STRING, LIST, FLOATS, INTEGERS, CLOSURES]
# Lives for 270,000 words.
RING = '''
let ring = Array.make 30000 []
let () =
  for i = 1 to 1_200_000 do ring.(i mod 30000) <- [ i; i; i ] done;
  print_int (List.length ring.(5))
'''
# Dead cells of the queue hold the younger ones, so that all are promoted whatever the size.
QUEUE = '''
let () =
  let q = Queue.create () in
  for i = 1 to 1_500_000 do
    Queue.add (string_of_int i) q;
    if Queue.length q > 2000 then ignore (Queue.take q)
  done;
  print_int (Queue.length q)
'''
# Blocks live for as long as it takes until chance replaces them.
COHORT = '''
let slots = Array.make 4096 None
let () =
  Random.init 11;
  for i = 1 to 500_000 do
    slots.(Random.int 4096) <- Some (Array.make (1 + Random.int 20) i)
  done
'''
# Not the same: strings of all lengths, blocks of powers of two that recursion makes.
INNOCENT = '''
let () = Random.init 7
let text n = String.make (Random.int n) 'x'
let rec sort a =
  let n = Array.length a in
  if n < 2 then a else begin
    let left = sort (Array.sub a 0 (n / 2)) and right = sort (Array.sub a (n / 2) (n - n / 2)) in
    let i = ref 0 and j = ref 0 in
    let all = Array.make n 0 in
    for k = 0 to n - 1 do
      if !j >= Array.length right || (!i < Array.length left && left.(!i) <= right.(!j))
      then (all.(k) <- left.(!i); incr i) else (all.(k) <- right.(!j); incr j)
    done;
    all
  end
let () =
  for _ = 1 to 3000 do ignore (Sys.opaque_identity (text 2000 ^ text 2000)) done;
  for _ = 1 to 300 do ignore (Sys.opaque_identity (List.init 50 Fun.id @ List.init 50 Fun.id)) done;
  let l = ref [] in
  for i = 1 to 20 do l := sort (Array.init 4096 (fun i -> i * 7919 mod 4096)) :: !l done;
  print_int (List.length !l)
'''


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Advise(support.Case):
    def record(self, text, parameters='', *options):
        self.write('p.ml', text.lstrip().encode())
        done = subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--force',
                               '--rate', '1e-3', *options, '-o', 'p.prof', 'p.ml'],
                              cwd=self.folder,
                              env=dict(os.environ, OCAMLRUNPARAM=parameters), timeout=120,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.assertEqual((done.stderr.decode(), done.returncode), ('', 0))

    def advise(self, *words):
        return json.loads(self.prof('advise', 'p.prof', '--json', *words))

    def exact(self, what):
        """Bytes by the exact counters."""
        rows = json.loads(self.prof('stats', 'p.prof', '--json'))['calibration']
        return sum(row['exact'] for row in rows if row['what'].startswith(what))

    def allocated(self):
        return self.exact('allocated')

    def test_what_is_wasted_is_found_and_what_the_fix_saves(self):
        for finding, line, text, old, new in SAVING:
            with self.subTest(finding=finding, line=line):
                self.record(text)
                rows = [row for row in self.advise()['rows'] if row['name'] != 'the whole program']
                self.assertEqual([finding in row['finding'] for row in rows], [True], rows)
                self.assertIn('p.ml:%d:' % (line - 1), rows[0]['name'])
                before, saved = self.allocated(), rows[0]['saved']
                self.assertEqual(text.count(old), 1)
                self.record(text.replace(old, new))
                self.assertEqual([row for row in self.advise()['rows']
                                  if row['name'] != 'the whole program'], [])
                # Of 20 intervals one is wrong.
                slack = (saved['high'] - saved['low']) / 2 + .1 * saved['value']
                if rows[0]['of'] == 'allocated':
                    self.assertGreaterEqual(before - self.allocated(), saved['low'] - slack)
                    self.assertLessEqual(before - self.allocated(), saved['high'] + slack)

    def test_a_list_cell_and_the_number_in_it_count_each_at_its_own_place(self):
        for number, words in (('float_of_int i *. 1.5', 2), ('Int64.of_int i', 3)):
            self.record('let kept = ref []\n'
                        'let () = for i = 1 to 200_000 do kept := (%s) :: !kept done' % number)
            rows = json.loads(self.prof('table', 'p.prof', '--by', 'site', '--json'))['rows']
            found = sorted(row['bytes']['value'] / 8 / 200_000 for row in rows)[-2:]
            with self.subTest(number=number):
                self.assertAlmostEqual(found[0], words, delta=.5)
                self.assertAlmostEqual(found[1], 3, delta=.5)

    def test_closures_of_the_library_are_not_called_those_of_the_line(self):
        for text, fix in (('Printf.sprintf "%d of %d" i i', 'without a format'),
                          ('List.sort order [ i; 7; 3; 9; 4; 1 ]', 'a loop of your own')):
            self.record('let order (a : int) b = compare a b\n'
                        'let () = for i = 1 to 50_000 do\n'
                        '  ignore (Sys.opaque_identity (%s)) done' % text)
            rows = [row for row in self.advise()['rows'] if 'closures' in row['finding']]
            with self.subTest(text=text):
                self.assertEqual([fix in row['finding'] for row in rows], [True], rows)
                self.assertIn('made in functions of the library', rows[0]['finding'])

    def test_another_minor_heap_promotes_what_the_table_says(self):
        for text, finding in ((RING, 'OCAMLRUNPARAM=s=(524288|1048576)'), (QUEUE, None),
                              (COHORT, 'OCAMLRUNPARAM=s=')):
            self.record(text, '', '--promoted')
            doc = self.advise()
            found = [row['finding'] for row in doc['rows'] if row['name'] == 'the whole program']
            table = {row['words']: row['promoted'] for row in doc['minor_heap']}
            with self.subTest(text=text):
                self.assertEqual(len(found), finding is not None)
                if finding is not None:
                    self.assertRegex(found[0], finding)
            for words in (131072, 262144, 524288):
                self.record(text, 's=%d' % words)
                truth = self.exact('promoted')
                with self.subTest(text=text, words=words):
                    self.assertAlmostEqual(table[words]['value'] / truth, 1, delta=.1)
                    self.assertGreaterEqual(truth, table[words]['low'] * .97)
                    self.assertLessEqual(truth, table[words]['high'] * 1.03)

    def test_profiles_made_of_profiles_know_what_the_dead_hold(self):
        self.record(QUEUE, '', '--promoted')
        self.prof('trim', 'p.prof', '-o', 'trimmed.prof')
        tables = [json.loads(self.prof('promoted', name, '--json'))['minor_heap']
                  for name in ('p.prof', 'trimmed.prof')]
        self.assertEqual(*tables)

    def test_without_promoted_nothing_is_said_of_the_minor_heap(self):
        self.record(RING)
        self.assertNotIn('minor_heap', self.advise())

    def test_innocent_programs_get_no_advice(self):
        self.record(INNOCENT)
        self.assertEqual(self.advise()['rows'], [])
        self.record('let () = print_string "hello"')
        self.assertIn('nothing that would save 1 %', self.prof('advise', 'p.prof'))

    def test_no_finding_is_about_a_line_of_a_library(self):
        self.record(''.join('module P%d = struct %s end\n' % (i, text)
                            for i, (_, _, text, _, _) in enumerate(SAVING)))
        rows = self.advise()['rows']
        self.assertGreaterEqual(len(rows), 5)
        self.assertLessEqual(len(rows), 10)
        for row in rows:
            self.assertRegex(row['name'], r'p\.ml|the whole program')
            self.assertGreaterEqual(row['share'], .01)
        self.assertEqual(rows, sorted(rows, key=lambda row: -row['share']))
