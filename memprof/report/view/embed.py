#!/usr/bin/env python3
"""embed.py FILE OUTPUT: the bytes of FILE as the elements of a C array."""
import sys

with open(sys.argv[1], 'rb') as file:
    content = file.read()
with open(sys.argv[2], 'w') as out:
    for start in range(0, len(content), 16):
        out.write(','.join(str(byte) for byte in content[start:start + 16]) + ',\n')
