#!/usr/bin/env python3
"""N1: objdump reads what vm/engine/native/emit_x86_64.c encodes as what was meant.

  encodings.py ENCODINGS

ENCODINGS prints `BYTES<tab>INSTRUCTION` lines (encodings.c). Each line's bytes are laid at a
multiple of 64, so that targets of jumps count from the line's first byte.
"""
import re
import subprocess
import sys
import tempfile

STRIDE = 64


def disassemble(pieces):
    """{number of a piece: its instructions as text}"""
    with tempfile.NamedTemporaryFile() as file:
        for piece in pieces:
            file.write(piece.ljust(STRIDE, b'\x90'))
        file.flush()
        shown = subprocess.run(
            ['objdump', '-D', '-b', 'binary', '-m', 'i386:x86-64', '-M', 'intel',
             '--no-show-raw-insn', '-z', file.name], stdout=subprocess.PIPE, check=True)
    found = {}
    for line in shown.stdout.decode().split('\n'):
        match = re.match(r'\s*([0-9a-f]+):\t(.*)', line)
        if match:
            at, text = int(match.group(1), 16), ' '.join(match.group(2).split())
            number, offset = divmod(at, STRIDE)
            if offset < len(pieces[number]):
                found.setdefault(number, []).append(relative(text, number * STRIDE))
    return {number: ' ; '.join(texts) for number, texts in found.items()}


def relative(text, start):
    """Targets of jumps, counted from the piece's start."""
    def shorter(match):
        return match.group(1) + hex(int(match.group(2), 16) - start)
    if text.startswith(('j', 'call', 'lea')) and 'PTR' not in text:
        return re.sub(r'((?:^j\w+ |^call |# ))(0x[0-9a-f]+)', shorter, text)
    return text


def main():
    made = subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout.decode()
    lines = [line.split('\t') for line in made.split('\n') if line]
    texts = disassemble([bytes.fromhex(code) for code, _ in lines])
    wrong = [(meant, texts.get(i)) for i, (_, meant) in enumerate(lines) if texts.get(i) != meant]
    for meant, shown in wrong[:20]:
        print('meant: %s\nobjdump: %s' % (meant, shown))
    print('%d encodings, %d wrong' % (len(lines), len(wrong)))
    return 1 if wrong or len(lines) < 1000 else 0


if __name__ == '__main__':
    sys.exit(main())
