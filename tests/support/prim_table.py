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

VERSIONS = ['4_13', '4_14', '5_0', '5_1_0', '5_1_1', '5_2', '5_3', '5_4']  # enum vm_version_id
FORMATS = dict(zip(VERSIONS, (30, 31, 32, 33, 33, 34, 35, 36)))  # X030, ...

Row = collections.namedtuple('Row', 'macro name kinds result capability flags versions')


def versions_of(flags):
    """The versions of OCaml that have a primitive with these flags."""
    def bound(word, default):
        found = re.search(word + r'_(\w+)', flags)
        return VERSIONS.index(found.group(1)) if found else default
    return VERSIONS[bound('SINCE', 0):bound('UNTIL', len(VERSIONS)) + 1]


def rows(table):
    """The rows of all versions; fails if one cannot be read."""
    text = subprocess.run(['cc', '-E', '-P', '-x', 'c', os.path.join(ROOT, table)], check=True,
                          stdout=subprocess.PIPE, encoding='ascii').stdout
    text = re.sub(r'" +"', '', text)  # adjacent literals are one
    found = [Row(macro, TABLES[table] + name, *columns, versions_of(columns[-1]))
             for macro, name, *columns in re.findall(MACRO + COLUMNS, text)]
    count = len(re.findall(MACRO, text))
    if not found or len(found) != count:
        raise ValueError('%s: %d rows of %d can be read' % (table, len(found), count))
    return found
