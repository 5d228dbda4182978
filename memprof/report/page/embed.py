#!/usr/bin/env python3
"""embed.py OUTPUT EMBED PAGE STYLE SCRIPT...: writes the page with its style and scripts to OUTPUT,
as the elements of a C array. EMBED is this file, on which OUTPUT depends."""
import sys


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


output, _, page, style, *scripts = sys.argv[1:]
text = read(page).replace('@STYLE@', read(style))
text = text.replace('@SCRIPT@', ''.join(read(script) for script in scripts))
content = text.encode()
with open(output, 'w', encoding='ascii') as out:
    for start in range(0, len(content), 16):
        out.write(','.join(str(byte) for byte in content[start:start + 16]) + ',\n')
