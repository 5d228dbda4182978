#!/usr/bin/env python3
"""N7, N8: the verifier's decoder and objdump find the same instructions in the code of programs.

  real_code.py NATIVE_REAL_CODE

Compiles programs of this folder and of bench/programs with ocamlc and gives their bytecode to
NATIVE_REAL_CODE (real_code.c). Without ocamlc, or on a processor for which no code is emitted,
there is nothing to compare.
"""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = ['bench/programs/json.ml', 'bench/programs/objects.ml', 'tests/native/bigarrays.ml',
           'tests/native/boxed_integers.ml', 'tests/native/inlined_calls.ml']
SKIPPED = 77


def programs(folder):
    """Paths of bytecode."""
    for source in SOURCES:
        name = os.path.basename(source)[:-3]
        copy = shutil.copy(os.path.join(ROOT, source), folder)
        made = subprocess.run(['ocamlc', '-w', '-a', '-g', '-o', name + '.byte', copy], cwd=folder)
        if made.returncode == 0:
            yield os.path.join(folder, name + '.byte')


def starts_by_objdump(path):
    shown = subprocess.run(['objdump', '-D', '-b', 'binary', '-m', 'i386:x86-64',
                            '--no-show-raw-insn', '-z', path], stdout=subprocess.PIPE, check=True)
    return [int(found.group(1), 16)
            for found in re.finditer(r'^\s*([0-9a-f]+):\t', shown.stdout.decode(), re.M)]


def nops(code, starts):
    """Those of starts that hold the one-byte NOP, also in place of tables."""
    return {start for start in starts if code[start] == 0x90}


def difference(tool, program, folder):
    """What is wrong, or None."""
    code, starts = os.path.join(folder, 'code'), os.path.join(folder, 'starts')
    done = subprocess.run([tool, program, code, starts], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        return 'status %d: %s' % (done.returncode, done.stderr.decode()[:1000])
    with open(code, 'rb') as file:
        content = file.read()
    with open(starts) as file:
        ours = {int(line, 16) for line in file}
    theirs = set(starts_by_objdump(code))
    ours, theirs = ours - nops(content, ours), theirs - nops(content, theirs)
    print('%s: %s, %d instructions' % (os.path.basename(program), done.stdout.decode().strip(),
                                       len(ours)))
    wrong = sorted(ours ^ theirs)
    return 'first at %#x' % wrong[0] if wrong or len(ours) < 1000 else None


def main():
    if shutil.which('ocamlc') is None or platform.machine() != 'x86_64':
        return SKIPPED
    failed, passed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for program in programs(folder):
            wrong = difference(sys.argv[1], program, folder)
            if wrong is not None:
                print('FAIL %s: %s' % (os.path.basename(program), wrong))
            failed += wrong is not None
            passed += wrong is None
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or passed < len(SOURCES) else 0


if __name__ == '__main__':
    sys.exit(main())
