"""Functions that run one instruction or inlined primitive each, as bytecode text.

Operands are of the right kind and of others: constants, in registers, in xmm registers, in the
frame after a label, in a loop, and in references that a loop reads and assigns. The tables name
every instruction that only computes, every INLINED primitive, and those of integers.def; the
others (CONTROL) need programs of their own, tests/asm and tests/forms.
"""
import glob
import itertools
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PER_PROGRAM = 200
PLACES = ['straight', 'label', 'loop', 'reference']

# Instructions that leave an operand in A.
FLOAT = 'GETGLOBAL float PUSHGETGLOBAL float C_CALL2 caml_add_float'
OPERANDS = ['CONSTINT 5', 'CONST0', 'CONSTINT -1', 'CONSTINT 1073741823', 'ACC0',
            'CONST2 PUSHCONST1 MAKEBLOCK2,0', 'GETGLOBAL text', 'GETGLOBAL float',
            'GETGLOBAL floats', 'GETGLOBAL pair', 'ATOM0', FLOAT]
RIGHT = ['CONSTINT 1', 'CONST0', 'ACC0', 'CONST2 PUSHCONST1 MAKEBLOCK2,0', 'GETGLOBAL text',
         'GETGLOBAL float PUSHGETGLOBAL float C_CALL2 caml_mul_float', 'GETGLOBAL floats']
INTEGERS = RIGHT[:3]
RAW = ['GETGLOBAL floats', 'GETGLOBAL text']
# For stores into the globals, which show then and are new each time.
NEW = ('CONSTINT 4\nPUSHCONST3\nMAKEBLOCK2 0\nSETGLOBAL pair\nGETGLOBAL float\nPUSH\nPUSH\n'
       'MAKEFLOATBLOCK 3\nSETGLOBAL floats')
SHOWN = '\nGETGLOBAL pair\nPUSHGETGLOBAL floats\nPUSHGETGLOBAL text\nMAKEBLOCK3 0'
STORED = ['CONSTINT 7', FLOAT]
INDICES = ['CONST0', 'CONST1', 'CONSTINT 100', 'CONSTINT -1', FLOAT]
OBJECTS = ['GETGLOBAL pair', 'GETGLOBAL floats', 'GETGLOBAL text', 'CONST0',
           'CONST2 PUSHCONST1 MAKEBLOCK2,0', 'CONST2 PUSHCONST1 MAKEBLOCK2,248']


def primitives(arity, *names):
    return ['C_CALL%d caml_%s' % (arity, name) for name in names]


def branch(instruction):
    """A becomes whether it jumps."""
    return '%s y{n}\nCONST0\nBRANCH z{n}\ny{n}:\nCONST1\nz{n}:' % instruction


def deep(k, instruction):
    """With eight words more on the stack, of which it pushes k."""
    return 'PUSH\nCONST1\nPUSH\nCONST2\n' + 'PUSH\n' * 6 + instruction + '\nPOP %d' % (8 + k)


UNARY = ['NEGINT', 'BOOLNOT', 'ISINT', 'OFFSETINT 7', 'OFFSETINT 1073741824', 'GETFIELD0',
         'GETFIELD1', 'GETFIELD2', 'GETFIELD3', 'GETFIELD 9', 'GETFLOATFIELD 0', 'GETFLOATFIELD 5',
         'VECTLENGTH', 'OFFSETREF 3' + SHOWN, 'MAKEBLOCK1 3',
         'SETGLOBAL scratch\nGETGLOBAL scratch',
         'PUSH\nCONST2\nASSIGN 0\nPOP 1', 'GETGLOBALFIELD pair, 1',
         'PUSHGETGLOBALFIELD pair, 0\nMAKEBLOCK2 0', 'SWITCH a{n}, b{n} | c{n}\na{n}:\nCONST2\n'
         'BRANCH z{n}\nb{n}:\nCONST3\nBRANCH z{n}\nc{n}:\nCONST1\nz{n}:',
         'SWITCH a{n} | b{n}, c{n}\na{n}:\nCONST2\nBRANCH z{n}\nb{n}:\nGETFIELD0\n'
         'BRANCH z{n}\nc{n}:\nGETFIELD1\nz{n}:', 'BRANCHIF y{n}\nSWITCH |\ny{n}:',
         'PUSHACC0\nGETFIELD0\nPUSHACC1\nGETFIELD1\nMAKEBLOCK2 0\nPOP 1'] + [
    branch(op) for op in ('BRANCHIF', 'BRANCHIFNOT')] + [
    branch('%s %d,' % (op, k)) for op in ('BEQ', 'BNEQ', 'BLTINT', 'BLEINT', 'BGTINT', 'BGEINT',
                                         'BULTINT', 'BUGEINT') for k in (5, -1)] + [
    deep(0, 'ACC%d' % k) for k in range(8)] + [
    deep(1, 'PUSHACC%d' % k) for k in range(8)] + [
    deep(0, 'ACC 6'), deep(1, 'PUSHACC 6')] + [
    op + '\nMAKEBLOCK2 0' for op in (
        'PUSHCONST0', 'PUSHCONST1', 'PUSHCONST2', 'PUSHCONST3', 'PUSHCONSTINT -9', 'PUSHATOM0',
        'PUSHATOM 5', 'PUSHGETGLOBAL text', 'PUSH\nCONST2', 'PUSH\nCONST3', 'PUSH\nATOM 7')
    ] + ['PUSH\nCONST1\nPUSH\nCONST2\n' + op for op in (
        'MAKEBLOCK3 0', 'MAKEBLOCK 3, 2', 'MAKEFLOATBLOCK 3')] + primitives(
    1, 'ml_string_length', 'ml_bytes_length', 'neg_float', 'abs_float', 'sqrt_float',
    'float_of_int', 'obj_tag', 'int_of_float', 'int64_of_int', 'string_of_bytes',
    'bytes_of_string', 'atomic_load')
BINARY = ['ADDINT', 'SUBINT', 'MULINT', 'DIVINT', 'MODINT', 'ANDINT', 'ORINT', 'XORINT', 'LSLINT',
          'LSRINT', 'ASRINT', 'EQ', 'NEQ', 'LTINT', 'LEINT', 'GTINT', 'GEINT', 'ULTINT', 'UGEINT',
          'GETVECTITEM', 'GETSTRINGCHAR', 'GETBYTESCHAR', 'MAKEBLOCK2 1', 'MAKEFLOATBLOCK 2',
          'SETFIELD0', 'SETFIELD1', 'SETFIELD2', 'SETFIELD3', 'SETFIELD 1',
          'SETFLOATFIELD 1'] + primitives(
    2, 'array_get', 'array_get_addr', 'array_unsafe_get', 'string_get', 'bytes_get',
    'floatarray_get', 'compare', 'equal', 'notequal', 'lessthan', 'lessequal', 'greaterthan',
    'greaterequal', 'int_compare', 'add_float', 'sub_float', 'mul_float', 'div_float', 'lt_float',
    'le_float', 'gt_float', 'ge_float', 'eq_float', 'neq_float', 'string_equal', 'string_notequal',
    'atomic_exchange', 'atomic_fetch_add', 'string_get16', 'bytes_get32', 'string_get64')
TERNARY = ['SETVECTITEM', 'SETBYTESCHAR'] + primitives(
    3, 'array_set', 'array_set_addr', 'array_unsafe_set', 'bytes_set', 'floatarray_set',
    'atomic_cas')

TYPES = ['int32', 'int64', 'nativeint']


def boxed(of):
    """Numbers of a type: made by machine code that multiplies, by one that converts, by C."""
    def number(n):
        return 'CONSTINT %d C_CALL1 caml_%s_of_int' % (n, of)

    product = '%s PUSH %s C_CALL2 caml_%s_mul' % (number(70000), number(69999), of)
    return [product, number(-9), '%s C_CALL1 caml_%s_bswap' % (number(5), of)]


def integer_operations():
    """The primitives of integers.def, as (type, number of operands, name)."""
    with open(os.path.join(ROOT, 'vm/engine/native/integers.def')) as file:
        rows = re.findall(r'^INTEGER\(\w+, (\w+), "(\w+)"', file.read(), re.MULTILINE)
    with open(os.path.join(ROOT, 'stdlib/prims.def')) as file:
        conversions = set(re.findall(r'^BOXED\((\w+),', file.read(), re.MULTILINE))
    assert len(rows) > 15
    for of, (name, operands) in itertools.product(TYPES, rows):
        if not re.match('(of|to)_(int32|nativeint)', name) or of + '_' + name in conversions:
            yield of, len(operands), 'caml_%s_%s' % (of, name)


# These show addresses, or store them as numbers, unless an operand is an integer.
SHOW_ADDRESSES = {'LTINT', 'LEINT', 'GTINT', 'GEINT', 'ULTINT', 'UGEINT', 'SETFIELD0', 'SETFIELD1',
                  'SETFIELD2', 'SETFIELD3', 'SETFIELD 1', 'SETFLOATFIELD 1',
                  'C_CALL2 caml_int_compare', 'C_CALL2 caml_atomic_exchange',
                  'C_CALL2 caml_atomic_fetch_add'}
STORE_NUMBERS = {'SETBYTESCHAR', 'C_CALL3 caml_bytes_set', 'C_CALL3 caml_floatarray_set'}

# Calls, closures, handlers, objects, effects: no single function shows what they do.
CONTROL = re.compile(
    r'(PUSH)?(ENVACC|OFFSETCLOSURE)\w*|PUSH_RETADDR|APPLY\d?|APPTERM\d?|RETURN|RESTART|GRAB|'
    r'CLOSURE|CLOSUREREC|PUSHTRAP|POPTRAP|RAISE|RERAISE|RAISE_NOTRACE|CHECK_SIGNALS|C_CALL\w+|'
    r'GETMETHOD|GETPUBMET|GETDYNMET|STOP|BRANCH|POP|PUSH|EVENT|BREAK|'
    r'PERFORM|RESUME|RESUMETERM|REPERFORMTERM|caml_atomic_\w+_field')
# The debugger puts the first two into code, no closure has a variable where the next two read one,
# and effects are OCaml 5's: tests/lang/ocaml5 has them.
NOT_AS_TEXT = {'EVENT', 'BREAK', 'ENVACC1', 'PUSHENVACC1', 'PERFORM', 'RESUME', 'RESUMETERM',
               'REPERFORMTERM'}

# Calls the function that it is given and prints the number that it returns, or -1 for an exception.
HEAD = """code
  CONST1
  C_CALL1 caml_ml_open_descriptor_out
  SETGLOBAL out
%s
  GETGLOBAL out
  C_CALL1 caml_ml_flush
  STOP
check:
  PUSHTRAP caught
  CONST0
  PUSHACC 5
  APPLY1
  POPTRAP
  BRANCH shown
caught:
  CONSTINT -1
shown:
  PUSHGETGLOBAL decimal
  C_CALL2 caml_format_int
  PUSHCONST0
  PUSHACC1
  C_CALL1 caml_ml_string_length
  PUSHCONST0
  PUSHACC3
  PUSHGETGLOBAL out
  C_CALL4 caml_ml_output
  CONSTINT 10
  PUSHGETGLOBAL out
  C_CALL2 caml_ml_output_char
  RETURN 3
%s
data
out: 0
decimal: "%%d"
text: "twelve bytes"
float: 2.5
floats: {1.0, -2.25, 0.5}
pair: (3, 4)
scratch: 0
"""


def lines_of(text):
    """The instructions of an operand, one per line."""
    words, lines = text.replace('MAKEBLOCK2,', 'MAKEBLOCK2 ').split(), []
    for word in words:
        if word.isupper() or word.rstrip('0123456789').isupper():
            lines.append('  ' + word)
        else:
            lines[-1] += ' ' + word
    return lines


def indented(text):
    return ['  ' + line for line in text.split('\n')]


HASHED = ['  PUSHCONST0', '  PUSHCONSTINT 100', '  PUSHCONSTINT 10', '  C_CALL4 caml_hash',
          '  RETURN 1']


def with_references(name, operands, instruction):
    """The operands, the result, and a counter are contents of references, as `ocamlc -g` has them;
    the result also becomes the first operand, unless its address might show."""
    new = ['  MAKEBLOCK1 0', '  PUSH']
    lines = []
    for height, operand in enumerate(operands):  # ACC0 is the function's argument
        lines += lines_of(operand.replace('ACC0', 'ACC %d' % height)) + new
    lines += ['  CONST0'] + new + ['  CONST3'] + new + ['again%s:' % name, '  CHECK_SIGNALS']
    for _ in operands[:-1]:
        lines += ['  ACC %d' % (1 + len(operands)), '  GETFIELD0', '  PUSH']
    lines += ['  ACC %d' % (1 + len(operands)), '  GETFIELD0']
    lines += indented(instruction.replace('{n}', name))
    lines += ['  PUSHACC2', '  SETFIELD0', '  ACC0', '  OFFSETREF -1', '  ACC0', '  GETFIELD0',
              '  BRANCHIFNOT end%s' % name]
    if SHOWN not in instruction and instruction not in SHOW_ADDRESSES:
        lines += ['  ACC1', '  GETFIELD0', '  PUSHACC %d' % (2 + len(operands)), '  SETFIELD0']
    return lines + ['  BRANCH again%s' % name, 'end%s:' % name, '  ACC1', '  GETFIELD0',
                    '  POP %d' % (2 + len(operands))]


def function(number, place, operands, instruction):
    """Returns the hash of what the instruction gives."""
    name = str(number)
    lines = ['f%s:' % name] + indented(NEW if SHOWN in instruction else '')
    if place == 'reference':
        return lines + with_references(name, operands, instruction) + HASHED
    if place == 'loop':
        lines += ['  CONST3', '  PUSH', 'again%s:' % name, '  CHECK_SIGNALS']
    for operand in operands[:-1]:
        lines += lines_of(operand) + ['  PUSH']
    lines += lines_of(operands[-1])
    if place == 'label':
        lines += ['  PUSHCONST1', '  BRANCHIF join%s' % name, '  CONST0', 'join%s:' % name,
                  '  ACC0', '  POP 1']
    lines += indented(instruction.replace('{n}', name))
    if place == 'loop':
        lines += ['  PUSHACC1', '  OFFSETINT -1', '  ASSIGN 1', '  ACC1',
                  '  BRANCHIFNOT end%s' % name, '  POP 1', '  BRANCH again%s' % name,
                  'end%s:' % name, '  ACC0', '  POP 2']
    return lines + HASHED


def cases():
    for place in PLACES:
        for instruction in UNARY:
            for operand in OPERANDS:
                yield place, [operand], instruction
    for place in PLACES:
        for instruction in BINARY:
            for right in INTEGERS if instruction in SHOW_ADDRESSES else RIGHT:
                for left in OPERANDS:
                    shown = SHOWN if instruction.startswith('SETF') else ''
                    yield place, [right, left], instruction + shown
    for place in PLACES:
        for instruction, stored, index, target in itertools.product(TERNARY, STORED, INDICES,
                                                                    OBJECTS):
            if stored != FLOAT or instruction in STORE_NUMBERS or target not in RAW:
                yield place, [stored, index, target], instruction + SHOWN
    for place in PLACES:
        for of, arity, name in integer_operations():
            other = boxed('int64' if of == 'int32' else 'int32')[0]
            first = boxed(of) + [other, 'CONSTINT 40', FLOAT]
            second = boxed(of)[:2] + ['CONSTINT 3', 'CONST0'] if arity == 2 else [None]
            for a, b in itertools.product(first, second):
                operands = [a] if b is None else [b, a]
                yield place, operands, 'C_CALL%d %s' % (arity, name)


def generate(folder):
    """Writes the programs; gives their paths."""
    every = list(cases())
    for first in range(0, len(every), PER_PROGRAM):
        calls, functions = [], []
        for number, case in enumerate(every[first:first + PER_PROGRAM]):
            calls += ['  CLOSURE 0, f%d' % number, '  PUSH', '  CLOSURE 0, check', '  APPLY1']
            functions += function(number, *case)
        path = os.path.join(folder, 'generated_%d.basm' % (first // PER_PROGRAM))
        with open(path, 'w') as file:
            file.write(HEAD % ('\n'.join(calls), '\n'.join(functions)))
        yield path


def names_in(texts):
    return set(re.findall(r'\b(?:[A-Z][A-Z_0-9]+|caml_\w+)\b', '\n'.join(texts)))


def missing():
    """The instructions of opcodes.def and the INLINED primitives of engine.def that no case has,
    and no program of tests/asm and tests/forms where they change control."""
    def rows(path, pattern):
        with open(os.path.join(ROOT, path)) as file:
            return re.findall(pattern, file.read(), re.MULTILINE)

    wanted = rows('vm/code/opcodes.def', r'^(?:OP|SHORT)\((\w+),')
    wanted += rows('vm/code/engine.def', r'^INLINED\(\w+, (\w+),')
    generated = names_in(UNARY + BINARY + TERNARY + OPERANDS + RIGHT)
    written = set()
    for path in glob.glob(os.path.join(ROOT, 'tests', '*', '*.basm')):
        with open(path) as file:
            written |= names_in([re.sub(';.*', '', file.read())])
    assert len(wanted) > 150
    return [name for name in wanted if name not in NOT_AS_TEXT and
            name not in (written if CONTROL.fullmatch(name) else generated)]
