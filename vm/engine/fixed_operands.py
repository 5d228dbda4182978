#!/usr/bin/env python3
"""fixed_operands.py BODIES OPCODES ENGINE OUTPUT: bodies of instructions with a fixed operand.

BODIES (bodies.h) defines NAME_OF(operand) where the operand of NAME may be fixed. OUTPUT defines
DO_SHORT as NAME_OF(number) for each row of OPCODES (opcodes.def) and ENGINE (engine.def) that makes
SHORT out of NAME and a number; and so DO_HOLD_SHORT and DO_HELD_SHORT, the halves of calls.
"""
import re
import sys


def read(path):
    with open(path, encoding='ascii') as file:
        return file.read()


bodies, opcodes, engine = map(read, sys.argv[1:4])
families = set(re.findall(r'^#define (\w+)_OF\(', bodies, re.M))
rows = re.findall(r'^SHORT\((\w+), (\w+), (-?\d+),', opcodes, re.M)
rows += re.findall(r'^SPECIAL\((\w+), (\w+), (\d+)\)', engine, re.M)
with open(sys.argv[4], 'w', encoding='ascii') as out:
    for name, long_name, operand in rows:
        for half in '', 'HOLD_', 'HELD_':
            if half + long_name in families:
                out.write('#define DO_%s%s %s%s_OF(%s)\n' % (half, name, half, long_name, operand))
