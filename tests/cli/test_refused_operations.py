"""Checked mode: the operations that primitives refuse because they would break the heap, and those
that they accept.

ocamlrun's behaviour is undefined here, so refused_operations.expected has the expected output.
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
