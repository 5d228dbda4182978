"""The rows of the tables of primitives (stdlib/prims.def, ...), macros expanded."""
import collections
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# {table: prefix of the names}
TABLES = {'stdlib/prims.def': 'caml_', 'stdlib/ffi/prims.def': 'bactrian_ffi_',
          'memprof/prims.def': ''}
MACRO = r'\b((?:\w+_)?(?:PRIM|ABSENT))\('
COLUMNS = r'(\w+), (?:\w+, )?"(\w*)", \'(\w)\', (\w+), ([\w |]+)\)'

Row = collections.namedtuple('Row', 'macro name kinds result capability flags')


def rows(table):
    """The rows; fails if one cannot be read."""
    text = subprocess.run(['cc', '-E', '-P', '-x', 'c', os.path.join(ROOT, table)], check=True,
                          stdout=subprocess.PIPE, encoding='ascii').stdout
    text = re.sub(r'" +"', '', text)  # adjacent literals are one
    found = [Row(macro, TABLES[table] + name, *columns)
             for macro, name, *columns in re.findall(MACRO + COLUMNS, text)]
    count = len(re.findall(MACRO, text))
    if not found or len(found) != count:
        raise ValueError('%s: %d rows of %d can be read' % (table, len(found), count))
    return found
