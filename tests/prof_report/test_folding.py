"""Which frames are the user's own: what the standard library allocates counts for its callers."""
import json
import re
import shutil
import subprocess
import unittest

import support

PROGRAM = """let keep = ref []
let part s = keep := Bytes.sub s 0 800 :: !keep
let big () = List.init 1_000 string_of_int
let () = for _ = 1 to 500 do part (Bytes.create 900) done
let lists = big ()
let objects = List.init 300 (fun n -> object method x = n end)
let c = open_out "/dev/null"
"""


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Folding(support.Case):
    def setUp(self):
        super().setUp()
        self.write('own.ml', PROGRAM.encode())
        subprocess.run(['ocamlc', '-g', '-w', '-a', 'own.ml', '-o', 'own.byte'], cwd=self.folder,
                       check=True)
        subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--rate', '1', '-o',
                        'p.prof', 'own.byte'], cwd=self.folder, check=True)

    def rows(self, verb, *words, key='rows'):
        doc = json.loads(self.prof(verb, 'p.prof', '--top', '1000', '--json', *words))
        return {row['name' if verb == 'leaks' else 'site']: row['bytes']['value']
                for row in doc[key]}

    def test_leaks_lead_with_the_user_s_own_frames(self):
        rows = self.rows('leaks')
        self.assertTrue(all(name.startswith('Own.') or name.startswith('Own ') for name in rows),
                        rows)
        self.assertEqual(rows['Own.part (own.ml:2:21-38)'], 500 * 816)
        self.assertNotIn('(no debugging information)', ' '.join(rows))

    def test_the_standard_channels_are_no_leaks(self):
        self.assertNotIn('Stdlib.stdin', ' '.join(self.rows('leaks')))
        self.assertIn('Stdlib.stdin', ' '.join(self.rows('leaks', '--raw')))
        opened = [name for name, size in self.rows('leaks').items() if size > 65_000]
        self.assertIn('own.ml:7:', ' '.join(opened))

    def test_a_summary_folds_and_raw_does_not(self):
        for key in ('allocated', 'live_at_peak', 'live_at_end'):
            folded, raw = self.rows('summary', key=key), self.rows('summary', '--raw', key=key)
            self.assertEqual(sum(folded.values()), sum(raw.values()))
            self.assertIn('Own.part (own.ml:2:21-38)', folded)
            self.assertNotIn('Own.part (own.ml:2:21-38)', raw)

    def test_a_diff_folds_and_raw_does_not(self):
        self.write('own.ml', PROGRAM.replace('to 500', 'to 700').encode())
        subprocess.run(['ocamlc', '-g', '-w', '-a', 'own.ml', '-o', 'own.byte'], cwd=self.folder,
                       check=True)
        subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--rate', '1', '-o',
                        'q.prof', 'own.byte'], cwd=self.folder, check=True)
        for words, name, other in (((), 'Own.part (own.ml:2:21-38)', 'Bytes.sub'),
                                   (('--raw',), 'Stdlib__Bytes.sub', 'Own.part (own.ml:2:21-38)')):
            text = self.prof('diff', 'p.prof', 'q.prof', *words)
            self.assertRegex(text, r'163 kB .* yes +' + re.escape(name))
            self.assertNotIn(other, text)
            self.assertEqual('(--raw)' in text, words == ())

    def test_by_module_and_function_fold_too(self):
        self.assertEqual(set(self.rows('leaks', '--by', 'module')), {'Own'})

    def test_code_without_g_has_names(self):
        for flags in ([], ['-g']):
            subprocess.run(['ocamlc', *flags, '-w', '-a', 'own.ml', '-o', 'own.byte'],
                           cwd=self.folder, check=True)
            subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--rate', '1',
                            '--force', '-o', 'p.prof', 'own.byte'], cwd=self.folder, check=True)
            rows = json.loads(self.prof('table', 'p.prof', '--top', '1000', '--json'))['rows']
            without = [row for row in rows if 'no debugging information' in row['name']]
            self.assertLess(sum(row['blocks'] for row in without), 3)  # no OCaml code was running

    def test_loaded_code_without_g_has_names(self):
        self.write('plugin.ml', b'let kept = Array.init 1000 (fun i -> ref i)\n')
        self.write('host.ml', b'let () = Dynlink.loadfile "plugin.cmo"\n')
        subprocess.run(['ocamlc', '-w', '-a', '-c', 'plugin.ml'], cwd=self.folder, check=True)
        subprocess.run(['ocamlfind', 'ocamlc', '-g', '-linkall', '-package', 'dynlink', '-linkpkg',
                        'host.ml', '-o', 'host.byte'], cwd=self.folder, check=True)
        subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--rate', '1', '-o',
                        'h.prof', 'host.byte'], cwd=self.folder, check=True)
        table = self.prof('table', 'h.prof', '--top', '5000')
        self.assertIn('(loaded code 1)', table)
