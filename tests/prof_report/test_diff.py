"""`diff` across edits: sites are found again where their lines have moved."""
import json
import shutil
import subprocess
import unittest

import support

PROGRAM = """let kept = ref []
let pair i = (i, i + 1)
let build n =
  for i = 1 to n do
    kept := i :: !kept;
    kept := i :: !kept;
    ignore (Sys.opaque_identity (pair i))
  done
let () = build 20_000
"""


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Diff(support.Case):
    def record(self, name, program, *words):
        self.write('d.ml', program.encode())
        subprocess.run(['ocamlc', '-g', '-w', '-a', 'd.ml', '-o', 'd.byte'], cwd=self.folder,
                       check=True)
        subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--force', '--rate',
                        '1', *words, '-o', name, 'd.byte'], cwd=self.folder, check=True)

    def rows(self, *words):
        doc = json.loads(self.prof('diff', 'a.prof', 'b.prof', '--top', '1000', '--focus', '^D',
                                   '--json', *words))
        return {row['name']: row for row in doc['rows']}

    def test_a_comment_on_top_changes_nothing(self):
        self.record('a.prof', PROGRAM)
        self.record('b.prof', '(* one line *)\n' + PROGRAM)
        rows = self.rows()
        self.assertEqual({row['certain'] for row in rows.values()}, {'chance'})
        self.assertIn('D.build (d.ml:6:12-22), moved from line 5 to 6', rows)
        self.assertIn('D.build (d.ml:7:12-22), moved from line 6 to 7', rows)

    def test_a_site_that_is_inserted_is_the_only_new_one(self):
        self.record('a.prof', PROGRAM)
        self.record('b.prof', PROGRAM.replace(
            '  for i', '  let first = Sys.opaque_identity (ref n) in ignore first;\n  for i'))
        certain = [name for name, row in self.rows().items()
                   if row['certain'] == 'yes' and name != 'total']
        self.assertEqual(len(certain), 1, certain)
        self.assertTrue(certain[0].startswith('D.build (d.ml:4:'), certain)

    def test_a_line_that_is_edited_stays_the_same_row(self):
        self.record('a.prof', PROGRAM)
        self.record('b.prof', PROGRAM.replace('ignore (Sys', 'ignore  (Sys').replace(
            '(i, i + 1)', '(i, i + 1, i)'))
        rows = self.rows()
        pair = [row for name, row in rows.items()
                if name.startswith('D.pair') and row['before'] > 100]
        self.assertEqual([(row['before'], row['after']) for row in pair],
                         [(20_000 * 24, 20_000 * 32)])

    def test_functions_are_matched_by_their_names(self):
        self.record('a.prof', PROGRAM)
        self.record('b.prof', '\n' + PROGRAM)
        self.assertEqual({row['certain'] for row in self.rows('--by', 'fn').values()}, {'chance'})
