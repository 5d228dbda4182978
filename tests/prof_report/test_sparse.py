"""prof advise: arrays and tables of a heap snapshot that have room for many more elements than they
hold."""
import os
import shutil
import unittest

import support

# Each kind: a program, the same with the fix that its finding names, and the finding.
TABLE = '''
let table : (int, string) Hashtbl.t = Hashtbl.create 100_000
let () = for i = 1 to 100 do Hashtbl.replace table i (string_of_int i) done
'''
FUNCTOR = '''
module Key = struct type t = string let equal = String.equal let hash = Hashtbl.hash end
module Table = Hashtbl.Make (Key)
let table : int Table.t = Table.create 100_000
let () = for i = 1 to 100 do Table.replace table (string_of_int i) i done
'''
# The argument has no path: the interface does not say what the table's type is.
INLINE = '''
module Table = Hashtbl.Make
  (struct type t = string let equal = String.equal let hash = Hashtbl.hash end)
let table : int Table.t = Table.create 100_000
let () = for i = 1 to 100 do Table.replace table (string_of_int i) i done
'''
GROWN = '''
let table : (int, string) Hashtbl.t = Hashtbl.create 16
let () = for i = 1 to 100_000 do Hashtbl.replace table i "text" done
let () = for i = 1 to 100_000 do if i mod 1000 <> 0 then Hashtbl.remove table i done
'''
CLEARED = '''
let table : (int, string) Hashtbl.t = Hashtbl.create 16
let () = for i = 1 to 100_000 do Hashtbl.replace table i "text" done
let () = Hashtbl.clear table
'''
MANY = '''
type session = { id : int; names : (string, int) Hashtbl.t }
let session id =
  let names = Hashtbl.create 1000 in
  Hashtbl.replace names (string_of_int id) id;
  { id; names }
let sessions = List.init 200 session
'''
OPTIONS = '''
let found : string option array = Array.make 100_000 None
let set i text = found.(i) <- Some text
let () = for i = 1 to 100 do set (i * 999) (string_of_int i) done
let () = assert (Hashtbl.hash 1 > 0)  (* links it *)
'''
OPTIONS_FIXED = OPTIONS.replace('Array.make 100_000 None', 'Array.make 0 None').replace(
    'let set i text = found.(i) <- Some text',
    'let table = Hashtbl.create 100\nlet set i text = Hashtbl.replace table i (Some text)')
STACK = '''
type item = { id : int; name : string }
let items : item array = Array.make 100_000 (Obj.magic 0)
let () = for i = 0 to 99 do items.(i) <- { id = i; name = string_of_int i } done
'''
WEAK = FUNCTOR.replace('Hashtbl.Make', 'Weak.Make').replace('int Table.t', 'Table.t').replace(
    'Table.replace table (string_of_int i) i', 'Table.add table kept.(i)').replace(
    'module Table', 'let kept = Array.init 101 string_of_int\nmodule Table')
EPHEMERONS = FUNCTOR.replace('Hashtbl.Make', 'Ephemeron.K1.Make').replace(
    'string_of_int i', 'kept.(i)').replace(
    'module Table', 'let kept = Array.init 101 string_of_int\nmodule Table')
ENTRIES = r'^sparse hash table: 100 entries in 131,072 buckets'
CREATE = ': create it with a size of 100; it grows when it has more$'
SHRINK = (': it has grown, and removing entries keeps the buckets: empty it with reset, or replace '
          r'it by of_seq \(to_seq table\)$')
KINDS = {
    'table': (TABLE, TABLE.replace('100_000', '100'), r'^P\.table \(p\.ml:1:',
              ENTRIES + r' \(held by module P > \.table block of 4: Hashtbl\.t\)' + CREATE),
    'functor': (FUNCTOR, FUNCTOR.replace('100_000', '100'), r'^P\.table \(p\.ml:3:',
                ENTRIES + '.*' + CREATE),
    'inline': (INLINE, INLINE.replace('100_000', '100'), r'^P\.table \(p\.ml:3:',
               ENTRIES + '.*' + CREATE),
    'grown': (GROWN, GROWN + 'let table = Hashtbl.of_seq (Hashtbl.to_seq table)',
              r'^P \(p\.ml:2:', ENTRIES.replace('131,072', '65,536') + '.*' + SHRINK),
    'cleared': (CLEARED, CLEARED.replace('clear', 'reset'), r'^P \(p\.ml:2:',
                ENTRIES.replace('100 ', '0 ').replace('131,072', '65,536') + '.*' + SHRINK),
    'many': (MANY, MANY.replace('1000', '16'), r'^P\.session \(p\.ml:3:',
             r'^sparse hash tables: 200 entries in 204,800 buckets of 200 hash tables '
             r'\(held by module P > '
             r'\.sessions .*\); (\d+) of \1 sampled ones are from this line: create each with a '
             'size of 16;'),
    'options': (OPTIONS, OPTIONS_FIXED, r'^P\.found \(p\.ml:1:',
                r'^sparse array: 100 of 100,000 elements are used, the others are None '
                r'\(held by module P > \.found .*\): a Hashtbl from indices to elements takes '
                r'4\.26 kB$'),
    'stack': (STACK, STACK.replace('100_000', '100'), r'^P\.items \(p\.ml:2:',
              '^sparse array: 100 of 100,000 elements are used, the others are empty .*'
              ': make it shorter: only the first 100 are needed$'),
    'weak': (WEAK, WEAK.replace('100_000', '100'), r'^P\.table \(p\.ml:4:',
             r'^sparse weak set: \d+ of 100,000 buckets are used .*: create it with a size of '),
    'ephemerons': (EPHEMERONS, EPHEMERONS.replace('100_000', '100'), r'^P\.table \(p\.ml:4:',
                   ENTRIES + '.*' + CREATE),
}
# Elements of which few lead to blocks: here what others are stands for no value,
EMPTY = {
    'string list': '[]',
    '(int * int) list': '[]',
    'int array': '[||]',
    'cell': 'Empty',
    'int * string': 'empty',
    'record': 'empty',
    'string': 'empty',
    'record option': 'None',
    'cell list option': 'None',
}
# and here they are data, or may be.
DATA = {
    'int': '7',
    'float': '7.5',
    'char': "'x'",
    'bool': 'true',
    'unit': '()',
    'color': 'Green',
    'mixed': 'Low',
    '[ `A | `B of int ]': '`A',
    'int Lazy.t': 'Lazy.from_val 7',
    'boxed': 'Boxed 7',
    'Obj.t': 'Obj.repr 7',
    'exn': 'Not_found',
    'int64': '7L',
}
TYPES = '''
type record = { a : int; b : int }
type cell = Empty | Full of int * record
type color = Red | Green | Blue
type mixed = Low | High | Exactly of int * int
type boxed = Boxed of int [@@unboxed]
'''


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Sparse(support.HeapAdvice):
    def found(self, *words):
        return super().found(*words, about='sparse ')

    def snapshot(self, text, flags=('-g',)):
        """Writes the heap of p.byte at its end into p.heap."""
        self.compile(text, flags)
        self.snapshot_again()

    def snapshot_again(self, *options):
        self.prof('snapshot', '--quiet', '--force', *options, '-o', 'p.heap', 'p.byte')

    def check_kind(self, name, **options):
        text, fixed, line, finding = KINDS[name]
        self.record(text, '--values', **options)
        row, = self.found('p.prof')
        self.assertRegex(row['name'], line)
        self.assertRegex(row['finding'], finding)
        self.assertEqual((row['sure'], row['of']), ('likely', 'in the snapshot'))
        before = self.heap()['facts']['reachable']
        self.assertAlmostEqual(row['share'], row['saved']['value'] / before, 6)
        self.record(fixed, '--values', **options)
        saved = before - self.heap()['facts']['reachable']
        self.assertLess(abs(saved - row['saved']['value']), 4000)
        self.assertEqual(self.found('p.prof'), [])

    def test_a_second_run_saves_what_the_finding_says(self):
        for name in KINDS:
            with self.subTest(name):
                self.check_kind(name)

    def test_the_same_of_ocaml_5(self):
        compiler = os.path.join(support.ocaml5(), 'bin', 'ocamlc')
        for name in KINDS:
            with self.subTest(name):
                self.check_kind(name, ocamlc=compiler)

    def test_without_contents_it_is_not_known_whether_a_table_has_grown(self):
        for text, size in ((TABLE, 100), (GROWN, 100), (CLEARED, 16)):
            self.record(text)
            row, = self.found('p.heap')
            self.assertRegex(row['name'], r'^module P > \.table block of 4: Hashtbl\.t$')
            self.assertRegex(row['finding'], r'^sparse hash table: \d+ entries in [\d,]+ buckets: '
                             'create it with a size of %d; or if it has grown, removing' % size)

    def test_only_types_say_what_is_empty(self):
        """An array of each type, with few blocks or none; large, in a heap of its own."""
        for used in (0, 20):
            arrays = ['let array%d : (%s) array = Array.make 10_000 (%s)\n'
                      % (i, of, 'Obj.magic 0' if empty == 'empty' else empty)
                      for i, (of, empty) in enumerate([*EMPTY.items(), *DATA.items()])]
            arrays.append('let put array =\n  for i = 1 to %d do\n'
                          '    Array.unsafe_set array (i * 490) (Obj.magic (Array.make 2 i))\n'
                          '  done\n' % used)
            arrays += ['let () = put (Obj.magic array%d : int array array)\n' % i
                       for i, of in enumerate([*EMPTY, *DATA]) if of != 'float']
            self.snapshot(TYPES + ''.join(arrays))
            found = {row['name'].split()[3]: row['finding'] for row in self.found('p.heap')}
            self.assertEqual(sorted(found), ['.array%d' % i for i in range(len(EMPTY))])
            for i, empty in enumerate(EMPTY.values()):
                self.assertIn('%d of 10,000 elements are used, the others are %s:'
                              % (used, empty), found['.array%d' % i])

    def test_tables_and_arrays_of_the_right_size_are_no_finding(self):
        """Tables that are an eighth full to twice full, and small ones."""
        tables = '''
let fill table n = for i = 1 to n do Hashtbl.replace table i (string_of_int i) done; table
let tables = List.map (fun n -> fill (Hashtbl.create 8192) n) [ 1100; 4096; 8192; 16384 ]
let grown = List.init 20 (fun i -> fill (Hashtbl.create 1) (1 + i * 700))
let small = List.init 1000 (fun i -> fill (Hashtbl.create 16) 1)
let removed = fill (Hashtbl.create 1) 16000
let () = for i = 1 to 16000 do if i mod 8 > 0 then Hashtbl.remove removed i done
let options = Array.init 20_000 (fun i -> if i mod 7 = 0 then Some i else None)
let () = Array.fill options 0 5000 None
'''
        few = 'let table : (int, int) Hashtbl.t = Hashtbl.create 4000\n'
        for text in (tables, few):
            self.record(text, rate='1e-4')
            self.assertEqual(self.found('p.heap') + self.found('p.prof'), [])

    def test_without_types_nothing_is_said(self):
        self.snapshot(OPTIONS, flags=())
        row, = self.found('p.heap')  # by P's .cmi
        self.assertIn('.found', row['name'])
        os.unlink(os.path.join(self.folder, 'p.cmi'))
        self.snapshot_again()
        self.assertEqual(self.found('p.heap'), [])
        self.snapshot(TABLE, flags=())  # the interface hides what Hashtbl.t is
        self.assertEqual(self.found('p.heap'), [])

    def test_contents_show_a_hash_table_that_has_no_type(self):
        """Its size is the number of its entries; not that of something like it."""
        like = '''
type like = { size : int; buckets : Obj.t array; seed : int; initial_size : int }
let cell next = Obj.repr (ref 1, ref 2, next)
let kept =
  let buckets = Array.make 8192 (Obj.repr 0) in
  for i = 0 to 9 do buckets.(i) <- cell (cell (Obj.repr 0)) done;
  ref { size = %d; buckets; seed = 0; initial_size = %d }
'''
        for text, findings in ((TABLE, 1), (INLINE, 1), (GROWN, 1), (like % (20, 16), 1),
                               (like % (19, 16), 0), (like % (20, 17), 0),
                               (like % (20, 16384), 0)):
            self.compile(text, flags=())
            os.unlink(os.path.join(self.folder, 'p.cmi'))
            self.snapshot_again('--values')
            self.assertEqual(len(self.found('p.heap')), findings)
        self.snapshot(INLINE)
        self.assertEqual(self.found('p.heap'), [])

    def test_what_is_sparse_is_so_at_one_moment(self):
        note = 'A snapshot shows one moment: sparse arrays and tables may have held more before.'
        for text, noted in ((CLEARED, True), (CLEARED.replace('Hashtbl.clear', 'ignore'), False)):
            self.record(text)
            for name in ('p.prof', 'p.heap'):
                self.assertEqual(note in self.advise(name)['notes'], noted)

    def test_what_saves_less_than_one_percent_is_no_finding(self):
        large = 'let large = Array.make %d 0\n'
        for words, findings in ((14_000_000, 0), (12_000_000, 1)):
            self.record(large % words + TABLE, rate='1e-5')
            self.assertEqual(len(self.found('p.heap')), findings)

    def test_records_that_several_roots_hold_count_together(self):
        self.snapshot('''
let records = Array.init 20 (fun _ -> ref (Array.make 1000 None : int option array))
let () =
  let others = Array.copy records in
  at_exit (fun () -> ignore (Sys.opaque_identity others))
''')
        row, = self.found('p.heap')
        self.assertRegex(row['name'], '^block of 1.* and others like it$')
        self.assertIn('0 of 20,000 elements of 20 arrays are used, the others are None: make '
                      'each when it is needed', row['finding'])
