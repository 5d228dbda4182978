#!/usr/bin/env python3
"""wrong_rows_abort.py BACTRIAN FLAG: a command line whose rows of instructions lack FLAG
(wrong_rows.c) aborts when a program does what they deny, with a message that names it."""
import os
import shlex
import signal
import subprocess
import sys
import tempfile

bactrian, flag = sys.argv[1:]
emulator = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))  # of another architecture
TIMEOUT = ['--timeout', '10' if emulator else '0.1']  # of a program that has begun

PROGRAMS = {
    'OP_ALLOCATES': (['--gc-stress=1'], '''code
        CONST0
        MAKEBLOCK1      0
        STOP
'''),
    'OP_CALLS': (TIMEOUT, '''code
        PUSH_RETADDR    back
        CONST0
        PUSH
        CLOSURE         0, f
        APPLY           1
back:   STOP
f:      CONST0
        PUSHOFFSETCLOSURE0
        APPTERM1        2
'''),
    'OP_POLLS': (TIMEOUT, '''code
loop:   CHECK_SIGNALS
        BRANCH          loop
'''),
    'OP_PRIMITIVE': ([], '''code
        CONST0
        C_CALL1         caml_sys_exit
        STOP
'''),
}

options, text = PROGRAMS[flag]
with tempfile.TemporaryDirectory() as folder:
    source = os.path.join(folder, 'source.basm')
    with open(source, 'w') as file:
        file.write(text)
    done = subprocess.run([*emulator, bactrian, '--jit=off', *options, source],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
message = done.stderr.decode()
if done.returncode != -signal.SIGABRT or 'row_says(d, %s' % flag not in message:
    sys.exit('no abort that names %s: status %d\n%s' % (flag, done.returncode, message))
