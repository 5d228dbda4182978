"""Each primitive whose row in a table has a capability is refused when that is denied.

The test reads the tables themselves, so it covers new rows.
"""
import os
import re
import sys

from support import Case

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, 'tests', 'support'))
import prim_table  # noqa: E402

# Arguments that are no integers, by kind (vm/code/prim.h).
LITERALS = {'s': '"x"', 'f': '1.5', 'j': '1l', 'l': '1L', 'n': '1n', 'A': '{1.0}', 'a': '(1, 2)',
            'o': '(1, 2)', 'L': '[1]'}
# No row has them; they are denied in test_capabilities.py.
ELSEWHERE = {'NET', 'CLOSURES', 'STUB'}


def rows():
    """(name, kinds, capability, whether it asks the policy by name, the first version with it)"""
    for path in prim_table.TABLES:
        for row in prim_table.rows(path):
            if row.macro != 'ABSENT':
                yield (row.name, row.kinds, row.capability, 'PRIM_BY_NAME' in row.flags,
                       row.versions[0])


def capabilities():
    with open(os.path.join(ROOT, 'vm', 'code', 'prim.h'), encoding='ascii') as header:
        return dict(re.findall(r'^ +CAP\((\w+), "([\w-]+)", ', header.read(), re.M))


def call(name, kinds, version='4_13'):
    """The text of a program that calls the primitive with arguments of the right kinds."""
    loads, values = [], []
    for kind in reversed(kinds):
        if kind in LITERALS:
            values.append(LITERALS[kind])
        loads.append('GETGLOBAL v%d' % (len(values) - 1) if kind in LITERALS else 'CONST0')
    form = 'format X0%d' % prim_table.FORMATS[version]
    lines = [form, 'code', '\n        PUSH\n'.join(loads),
             'C_CALL%d %s' % (len(kinds), name), 'STOP']
    return '\n'.join(lines + ['data'] + ['v%d: %s' % row for row in enumerate(values)]) + '\n'


class DeniedPrimitives(Case):
    def test_each_primitive_with_a_capability_is_refused_by_name(self):
        texts, met = capabilities(), set()
        for name, kinds, capability, by_name, version in rows():
            met.add(capability)
            if capability == 'PURE':
                continue
            with self.subTest(name):
                self.place.write('call.basm', call(name, kinds, version))
                done = self.bactrian('--deny', texts[capability], 'call.basm')
                refused = 'x' if by_name and 's' in kinds else name
                expected = 'Sys_error("%s: refused by --deny=%s")' % (refused, texts[capability])
                if name == 'caml_sys_getenv_opt':
                    self.expect(done, status=0)
                    continue
                if capability == 'ENV' and by_name:
                    expected = 'Not_found'
                self.expect(done, status=2, err='Fatal error: exception %s\n' % expected)
        self.assertEqual(met | ELSEWHERE, set(texts))

    def test_a_primitive_without_a_path_needs_the_whole_capability(self):
        """A folder that is granted is of no use to it."""
        names = {name for name, _, capability, by_name, _ in rows()
                 if capability in ('FS_READ', 'FS_WRITE') and not by_name}
        self.assertEqual(names, {'bactrian_units_write', 'bactrian_profile_start',
                                 'bactrian_profile_snapshot',
                                 'bactrian_profile_snapshot_values'})
        for name, kinds in (('bactrian_units_write', 'is'), ('bactrian_profile_start', 'fis'),
                            ('bactrian_profile_snapshot', 's'),
                            ('bactrian_profile_snapshot_values', 's')):
            self.place.write('call.basm', call(name, kinds))
            for flags in (['--allow=fs-write=.'], ['--pure'], ['--deny=fs-write']):
                done = self.bactrian('--profile=count', *flags, 'call.basm')
                self.assertRegex(done.err, '%s: refused by %s' % (name, flags[0]))
