"""The primitives of each version of OCaml are those that its own machine lists.

primitives/VERSION.txt is what `ocamlrun -p` of that version prints, in order; 4.13's is in
test_options.py, where ocamlrun is.
"""
import glob
import os
import re
import sys

from support import Case

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), 'support'))
import prim_table  # noqa: E402

# Of libraries that are built in, and Bactrian's own.
OTHERS = re.compile(r'bactrian_|caml_(thread|mutex|condition)_|caml_wait_signal')


def rows():
    return [row for table in prim_table.TABLES for row in prim_table.rows(table)]


class PrimitiveLists(Case):
    def test_a_version_has_the_primitives_of_its_ocamlrun(self):
        files = glob.glob(os.path.join(HERE, 'primitives', '*.txt'))
        self.assertNotEqual(files, [])
        for path in files:
            version = os.path.basename(path)[:-len('.txt')].replace('.', '_')
            mine = [row.name for row in rows() if version in row.versions]
            with self.subTest(version), open(path, encoding='ascii') as file:
                self.assertEqual(sorted(name for name in mine if not OTHERS.match(name)),
                                 file.read().split())

    def test_a_version_has_one_row_for_a_name(self):
        for version in prim_table.VERSIONS:
            names = [row.name for row in rows() if version in row.versions]
            self.assertEqual([name for name in names if names.count(name) > 1], [])
