"""prof promoted: programs of which it is known what leads to each promoted block."""
import json
import os
import shutil
import subprocess
import unittest

import support

# Every word is sampled, and no minor collection comes before Gc.minor.
HELD = {
    'held.ml': '''let kept = List.init 100 (fun i -> i)
''',
    'p.ml': '''type cell = { mutable first : int list; mutable second : string; name : string }
let cell = { first = []; second = ""; name = "cell" }
let table = Array.make 300 ""
let latest = ref (fun () -> 0)

let fields n =
  Gc.minor ();
  cell.first <- [ n ];
  cell.second <- String.make 10 'a';
  table.(7) <- String.make 20 'b';
  Array.fill table 9 2 (String.make 30 'c');
  latest := (fun () -> n);
  Gc.minor ()

let rec deep n =
  let mine = Bytes.create 50 in
  if n = 0 then Gc.minor () else deep (n - 1);
  Bytes.set mine 0 'x'

let finalised () = Gc.finalise ignore (Bytes.create 60); Gc.minor ()

let dead () = ignore (Sys.opaque_identity (Bytes.create 70)); Gc.minor ()

let both n =
  let text = String.make 80 'd' in
  cell.second <- text;
  Gc.minor ();
  n + String.length text

let () = fields 1; deep 5; finalised (); dead (); print_int (both 0)
'''}
# By the site: what must lead to it, and the share that it leads to directly.
SMALL = 'field %d of a major block of %d, set at '
LARGE = 'a field of a major block of more than 16, set at '
TRUTH = {
    'Held.kept (held.ml:1:11-37)': ('module Held', 0.0),
    'P.fields (p.ml:8:16-21)': (SMALL % (0, 3) + 'P.fields (p.ml:8:', 1.0),
    'P.fields (p.ml:9:17-35)': (SMALL % (1, 3) + 'P.fields (p.ml:9:', 1.0),
    'P.fields (p.ml:10:15-33)': (LARGE + 'P.fields (p.ml:10:', 1.0),
    'P.fields (p.ml:11:23-43)': (LARGE + 'Stdlib__Array.fill (array.ml:', 1.0),
    'P.fields.(fun) (p.ml:12:12-25)': (SMALL % (0, 1) + 'P.fields.(fun) (p.ml:12:', 1.0),
    'P.deep (p.ml:16:13-28)': ('variable mine of P.deep (p.ml:1', 1.0),
    'P.finalised (p.ml:20:38-55)': ('finaliser', 1.0),
    'P.both (p.ml:25:13-31)': (SMALL % (1, 3) + 'P.both (p.ml:26:', 1.0),
}


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Promoted(support.Case):
    def compile(self, *flags):
        for name, text in HELD.items():
            self.write(name, text.encode())
        subprocess.run(['ocamlc', *flags, *HELD, '-o', 'p.byte'], cwd=self.folder, check=True)

    def record(self, *options):
        out, err, status = self.run_prof('record', '--quiet', '--force', '--promoted', '--rate',
                                         '1', '-o', 'p.prof', *options, 'p.byte')
        self.assertEqual((out, err, status), (b'80', b'', 0))

    def holders(self, path='p.prof'):
        return json.loads(self.prof('promoted', path, '--json', '--top', '1000'))['holders']

    def test_every_block_is_promoted_by_what_leads_to_it(self):
        self.compile('-g')
        self.record()
        found = self.holders()
        for site, (holder, direct) in TRUTH.items():
            with self.subTest(site):
                rows = [row for row in found if row['name'] == site]
                self.assertAlmostEqual(sum(row['share']['value'] for row in rows), 1.0)
                for row in rows:
                    self.assertTrue(row['holder'].startswith(holder), row)
                    self.assertEqual(row['direct'], direct)
        names = [row['name'] for row in found]
        self.assertIn('P.dead (p.ml:22:9-73)', names)  # the function itself
        self.assertEqual([name for name in names if name.startswith('P.dead')],
                         ['P.dead (p.ml:22:9-73)'])
        self.assertFalse([row for row in found if row['holder'] == 'not recorded'])

    def test_without_debugging_information_functions_are_named(self):
        self.compile()
        self.record()
        holders = ' '.join(row['holder'] for row in self.holders())
        self.assertIn('module Held', holders)
        self.assertIn('stack of P.F', holders)
        self.assertNotIn('variable mine', holders)

    def test_profiles_made_of_profiles_keep_it(self):
        self.compile('-g')
        self.record()
        self.prof('trim', 'p.prof', '-o', 'trimmed.prof')
        self.assertEqual(self.holders('trimmed.prof'), self.holders())
        self.prof('merge', 'p.prof', 'p.prof', '-o', 'merged.prof')
        self.assertEqual([(row['holder'], row['direct']) for row in self.holders('merged.prof')],
                         [(row['holder'], row['direct']) for row in self.holders()])
        self.prof('anonymise', 'p.prof', '-o', 'anonymous.prof')
        shown = self.prof('promoted', 'anonymous.prof')
        for secret in ('mine', 'Held', 'finalised', 'p.ml'):
            self.assertNotIn(secret, shown)
        self.assertIn('variable name', shown)

    def test_a_recording_without_it_says_so(self):
        self.compile('-g')
        self.prof('record', '--quiet', '-o', 'p.prof', '--rate', '1', 'p.byte', status=None)
        found = self.prof('promoted', 'p.prof')
        self.assertIn('P.deep (p.ml:16:', found)
        self.assertIn('`prof record --promoted`', found)
        self.assertNotIn('first reached from', found)

    def test_options_that_exclude_it_are_refused(self):
        self.compile('-g')
        for options in (['--keep', '10M'], ['--fuel', '1000']):
            out, err, status = self.run_prof('record', '--promoted', *options, '-o', 'no.prof',
                                             'p.byte')
            self.assertEqual((out, status), (b'', 125))
            self.assertIn(b'--promoted: it cannot be combined with ' + options[0].encode(), err)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'no.prof')))
