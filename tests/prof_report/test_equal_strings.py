"""prof advise: strings with the same text, of a heap snapshot that has contents."""
import json
import os
import shutil
import unittest

import support

TOWNS = '''
type person = { name : string; town : string }
let people : (int, person) Hashtbl.t = Hashtbl.create 16
let read line =
  match String.split_on_char ',' line with
  | [ name; town ] -> { name; town }
  | _ -> failwith line
let () =
  for i = 1 to 20_000 do
    Hashtbl.replace people i (read (string_of_int i ^ ",town " ^ string_of_int (i mod 40)))
  done
'''
SHARED = TOWNS.replace('let read', 'let towns = Hashtbl.create 16\nlet read').replace(
    '-> { name; town }', '''->
    let town = match Hashtbl.find_opt towns town with
      | Some town -> town
      | None -> Hashtbl.add towns town town; town in
    { name; town }''')
# The same texts twice, in two tables.
TWICE = '''
let texts () = Array.init 20_000 (fun i -> "number " ^ string_of_int i)
let first = texts ()
let second = texts ()
'''
# 12 holders, each with a twelfth of all strings.
MANY = ''.join('let field%d = Array.init 2000 (fun i -> "text" ^ string_of_int (i mod 7))\n' % i
               for i in range(12))


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class EqualStrings(support.HeapAdvice):
    def found(self, *words):
        return super().found(*words, about='equal strings: ')

    def test_sharing_them_saves_what_the_finding_says(self):
        self.record(TOWNS, '--values')
        row, = self.found('p.prof')
        self.assertRegex(row['name'], r'^P\.read \(p\.ml:4:')
        self.assertRegex(row['finding'], r'^equal strings: 20,000 held by module P > \.people .* '
                         r'have 40 texts, such as "town \d+" \(500 times\); (\d+) of \1 sampled '
                         r'ones are from this line: .* Hashtbl')
        self.assertEqual((row['sure'], row['of']), ('yes', 'in the snapshot'))
        self.assertEqual(row['saved'], dict.fromkeys(('value', 'low', 'high'), 19_960 * 16))
        before = self.heap()['facts']['reachable']
        self.assertAlmostEqual(row['share'], 19_960 * 16 / before, 6)
        self.record(SHARED, '--values')
        saved = before - self.heap()['facts']['reachable']
        self.assertLess(abs(saved - row['saved']['value']), 3000)  # the table of towns
        self.assertEqual(self.found('p.prof'), [])

    def test_a_snapshot_alone_names_the_holder(self):
        self.record(TOWNS, '--values')
        doc = self.advise('p.heap')
        row, = doc['rows']
        self.assertRegex(row['name'], r'^module P > \.people block of 4: Hashtbl\.t$')
        self.assertRegex(row['finding'], '^equal strings: 20,000 held there have 40 texts')
        self.assertIn('of the heap of', doc['title'])
        with_both, = self.found('p.prof', 'p.heap')
        self.assertEqual(row['saved'], with_both['saved'])
        self.assertIn('P.read', with_both['name'])

    def test_a_line_of_the_snapshot_is_named_unless_it_is_of_a_library(self):
        own = '''external make : int -> bytes = "caml_create_bytes"
let text i =
  let b = make 9 in
  Bytes.unsafe_fill b 0 9 (Char.chr (97 + i mod 5)); Bytes.unsafe_to_string b
let kept = List.init 9000 text
'''
        for text, line in ((own, r'^P\.text \(p\.ml:3\)$'),
                           (own.replace('make 9 in', 'Bytes.create 9 in'), r'^P\.text|^module P'),
                           (TOWNS, '^module P')):
            self.record(text, '--values', rate='1e-2')
            row, = self.found('p.heap')
            self.assertRegex(row['name'], line)

    def test_one_of_each_text_stays_where_most_are_held(self):
        self.record(TWICE, '--values')
        rows = self.found('p.prof')
        self.assertEqual(len(rows), 1, rows)
        self.assertIn('20,000 held by module P > .', rows[0]['finding'])
        self.assertRegex(rows[0]['finding'], r'have 20,000 texts, 20,000 of them also held '
                         r'elsewhere, such as "number \d+" \(1 time\)')
        self.assertIn('drop the table then: it takes about 800 kB', rows[0]['finding'])
        total = sum(row['further'] for row in self.heap()['equals'] if 'number' in row['name'])
        self.assertEqual(rows[0]['saved']['value'], total)

    def test_records_that_several_roots_hold_count_together(self):
        self.record('''
let records = Array.init 20_000 (fun i -> ref ("text" ^ string_of_int (i mod 3)))
let () =
  let others = Array.copy records in
  at_exit (fun () -> ignore (Sys.opaque_identity others))
''', '--values')
        row, = self.found('p.heap')
        self.assertRegex(row['name'], '^block of 1.* and others like it$')
        self.assertIn('20,000 held there have 3 texts', row['finding'])

    def test_few_equal_strings_are_no_finding(self):
        text = ('let large = Array.make 1_000_000 0\n'
                'let texts = List.init %d (fun _ -> String.concat "" ["a"; "b"])\n')
        for count, findings in ((4000, 0), (6000, 1)):  # of two words each
            self.record(text % count, '--values')
            rows = self.found('p.prof') + self.found('p.heap')
            self.assertEqual(len(rows), 2 * findings, rows)
            for row in rows:
                self.assertGreaterEqual(row['share'], .01)
        self.record('let kept = Array.init 20_000 string_of_int', '--values')
        self.assertEqual(self.found('p.prof') + self.found('p.heap'), [])
        self.assertIn('nothing that would save 1 %', self.prof('advise', 'p.heap'))

    def test_what_may_be_bytes_is_likely_and_new_buffers_are_no_texts(self):
        for make, of_type, expected in (('Bytes.make 20 \'x\'', 'Obj.t array', ['likely']),
                                        ('Bytes.make 20 \'\\000\'', 'Obj.t array', []),
                                        ('Bytes.make 20 \'x\'', 'bytes array', []),
                                        ('String.make 20 \'x\'', 'string array', ['yes'])):
            self.record('let kept : %s = Array.init 20_000 (fun _ -> Obj.magic (%s))'
                        % (of_type, make), '--values')
            with self.subTest(make=make, of_type=of_type):
                self.assertEqual([row['sure'] for row in self.found('p.heap')], expected)

    def test_bytes_are_no_equal_strings(self):
        """Where a field's type says that they are: the program may change each of them."""
        self.record('''
type message = { text : string; data : bytes }
let text s = String.concat "" [s]
let messages = List.init 9 (fun _ -> { text = text "sent"; data = Bytes.of_string "sent" })
let array = Array.init 7 (fun _ -> Bytes.of_string "queued")
let option = List.init 7 (fun _ -> Some (Bytes.of_string "maybe"))
let add, all = let kept = ref [] in (fun (b : bytes) -> kept := b :: !kept), (fun () -> !kept)
let () = for _ = 1 to 5 do add (Bytes.of_string "captured") done
''', '--values', rate='0.1')
        found = {row['name']: row['copies'] for row in self.heap()['equals']}
        names = ('"sent"', '"queued"', '"maybe"', '"captured"')  # "sent" is a constant twice
        self.assertEqual([found.get(name) for name in names], [11, None, None, None])

    def test_all_findings_together_are_at_most_ten_the_largest_first(self):
        self.record(MANY + 'let slow = ref ""\n'
                    'let () = for _ = 1 to 3000 do slow := !slow ^ "more text" done', '--values')
        rows = self.advise('p.prof')['rows']
        self.assertEqual(len(rows), 10)
        self.assertEqual(rows, sorted(rows, key=lambda row: -row['share']))
        self.assertIn('each call copies the string', rows[0]['finding'])
        self.assertEqual(len(self.found('p.prof')), 9)
        for row in rows:
            self.assertNotIn('Stdlib', row['name'])

    def test_without_contents_it_says_how_to_get_them(self):
        self.record(TOWNS)
        doc = self.advise('p.prof')
        self.assertEqual(self.found('p.prof'), [])
        missing = ('The snapshot has no contents, by which equal strings are found: take it with '
                   '--values for that.')
        for found in (doc, self.advise('p.heap')):
            self.assertEqual([note for note in found['notes'] if '--values' in note], [missing])

    def test_what_became_of_a_snapshot_that_cannot_be_used_is_said(self):
        self.record(TOWNS, '--values')
        whole = self.read('p.heap')
        for name, data, why in (('p.heap', whole[:len(whole) // 2], 'cut off within a chunk'),
                                ('p.heap', b'text', 'not a heap snapshot.'),
                                ('p.heap.part', whole, 'No such file or directory.')):
            os.unlink(os.path.join(self.folder, 'p.heap'))
            self.write(name, data)
            for verb in ('advise', 'leaks'):
                notes = json.loads(self.prof(verb, 'p.prof', '--json'))['notes']
                with self.subTest(why=why, verb=verb):
                    self.assertTrue(any('p.heap, but it cannot be used: ' + why in note
                                        for note in notes), notes)
                    self.assertEqual([note for note in notes if '--values' in note], [])

    def test_selectors_are_about_a_recording(self):
        self.record(TOWNS, '--values')
        self.assertEqual(self.found('p.prof', '--size', '2..'), [])
        for words, message in (
                (('p.heap', '--size', '2..'), b'--size: `advise of a heap snapshot alone` does not '
                                              b'take it: leave it out'),
                (('p.heap', 'p.prof'), b'p.heap: this is a heap snapshot: give the recording '
                                       b'first, then its snapshot')):
            self.assertEqual(self.run_prof('advise', *words),
                             (b'', b'bactrian: ' + message + b'\n', 125))
        os.rename(os.path.join(self.folder, 'p.heap'), os.path.join(self.folder, 'old.heap'))
        self.record(SHARED, '--values')
        out, err, status = self.run_prof('advise', 'p.prof', 'old.heap')
        self.assertEqual((out, status), (b'', 125))
        self.assertIn(b'old.heap: not a snapshot of the run that was recorded', err)

