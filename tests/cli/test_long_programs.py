"""Programs whose modules have long initialisers: their code is prepared in pieces."""
import os
import unittest

from support import Case, PEAK, ocaml5

# Of some 20 instructions each: more than 8,192 in all.
STEP = '''let f%(n)d x = if x < 0 then raise Not_found else x + %(n)d
let () =
  let sum = ref 0 and r%(n)d = Sys.opaque_identity (ref 1) in
  for i = 1 to 3 do sum := f%(n)d (i + !sum) done;
  (try sum := f%(n)d (-1) with Not_found -> incr sum);
  total := !total + (match !sum land 3 with 0 -> 5 | 1 -> 6 | 2 -> 7 | _ -> f%(n)d !sum)
'''

LIBRARIES = '/usr/lib/ocaml/compiler-libs'


class LongPrograms(Case):
    @classmethod
    def setUpClass(cls):
        steps = ''.join(STEP % {'n': n} for n in range(400))
        cls.place.write('long.ml', 'let total = ref 0\n' + steps + '''
let () = Printf.printf "%d %d\\n" !total (f17 (f390 3)); flush stdout
let () = if Array.length Sys.argv > 1 then print_int (f3 (-1))
''' + steps + 'let () = Printf.printf "%d\\n" !total\n')
        cls.place.tool('ocamlc', '-g', '-w', '-a', '-o', 'long.byte', 'long.ml')

    def same(self, *flags, words=(), env=None):
        expected = self.run_command(['ocamlrun', 'long.byte', *words], env=env or {})
        done = self.bactrian(*flags, 'long.byte', *words, env=env or {})
        self.assertEqual(expected.key(), done.key())

    def test_they_run_as_others_do(self):
        for flags in ([], ['--unchecked'], ['--jit=hot'], ['--jit=all'], ['--gc-verify'],
                      ['--verify'], ['--count-forms=/dev/null'], ['--fuel=1000000000']):
            with self.subTest(flags=flags):
                self.same(*flags)

    def test_an_exception_comes_from_where_it_does(self):
        self.same(words=['raise'], env={'OCAMLRUNPARAM': 'b'})

    def test_what_is_recorded_is_where_it_is(self):
        """--verify makes the code as a whole."""
        tables = []
        for flags in ([], ['--verify']):
            done = self.bactrian('prof', 'record', *flags, '--rate=1', '--force', '-o', 'long.prof',
                                 'long.byte')
            self.assertEqual(0, done.status)
            tables.append(self.bactrian('prof', 'table', 'long.prof', '--top', '9999').out)
        self.assertEqual(*tables)
        self.assertGreater(tables[0].count('long.ml:'), 2300)
        self.assertEqual(0, self.bactrian('--memprof-stress=1', 'long.byte').status)

    def test_they_run_in_ocaml_5(self):
        self.place.tool(ocaml5() + '/bin/ocamlc', '-g', '-w', '-a', '-o', 'long5.byte', 'long.ml')
        done = self.bactrian('long5.byte')
        self.assertEqual(self.bactrian('long.byte').out, done.out)
        self.assertEqual(0, done.status)

    @unittest.skipUnless(os.path.exists(LIBRARIES), 'ocaml-compiler-libs is not installed')
    def test_a_large_one_takes_less_memory_than_elsewhere(self):
        """Than under ocamlrun: beyond what a small one takes, 0.76 of it."""
        self.place.write('peak.ml', PEAK)
        self.place.tool('ocamlc', '-o', 'small.byte', 'peak.ml')
        self.place.tool('ocamlc', '-linkall', '-I', LIBRARIES, '-o', 'large.byte',
                        'ocamlcommon.cma', 'ocamlbytecomp.cma', 'peak.ml')
        small, large = (int(self.bactrian(name).out) for name in ('small.byte', 'large.byte'))
        least, most = (int(self.run_command(['ocamlrun', name]).out)
                       for name in ('small.byte', 'large.byte'))
        if small > 3 * least:
            self.skipTest('a sanitizer takes memory of its own')
        self.assertLess(large - small, 0.9 * (most - least))
