"""Checked mode: what primitives refuse because it would break the heap, and what they let pass.

The real machine does undefined things here, so the texts stand in refused_operations.expected.
"""
import os

from support import Case

HERE = os.path.dirname(os.path.abspath(__file__))


class RefusedOperations(Case):
    def test_each_is_an_exception(self):
        with open(os.path.join(HERE, 'refused_operations.ml')) as source:
            self.place.write('refused.ml', source.read())
        self.place.tool('ocamlc', '-w', '-a', '-o', 'refused.byte', 'refused.ml')
        with open(os.path.join(HERE, 'refused_operations.expected')) as expected:
            self.expect(self.bactrian('--gc-verify', 'refused.byte'), out=expected.read())
