"""The files for other viewers: against golden files, by round trips and with other readers."""
import base64
import gzip
import json
import re
import shutil
import subprocess
import zlib

import ctf
import support

GOLDEN = ['folded', 'speedscope', 'csv', 'chrome', 'dhat', 'callgrind', 'heapprofile']


def varints(data):
    n = shift = 0
    for byte in data:
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield n
            n = shift = 0


def fields(data):
    """(number, value) of a message of protobuf."""
    at = 0
    while at < len(data):
        def varint():
            nonlocal at
            n = shift = 0
            while True:
                byte = data[at]
                at += 1
                n |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return n
        key = varint()
        value = varint()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


class Exports(support.Case):
    def setUp(self):
        super().setUp()
        self.write('small.ctf', ctf.small().bytes)

    def export(self, name, *words):
        return self.prof('export', '--to', name, 'small.ctf', *words)

    def test_exports_are_what_they_were(self):
        for name in GOLDEN:
            with self.subTest(name):
                self.golden('export.' + name, self.export(name))

    def test_json_exports_are_json(self):
        for name in ('speedscope', 'chrome', 'dhat', 'heapprofile'):
            json.loads(self.export(name))

    def test_a_trace_written_again_is_the_same_profile(self):
        self.prof('export', '--to', 'memtrace', 'small.ctf', '-o', 'again.ctf')
        self.prof('check', 'again.ctf')
        for view in ('table', 'tree', 'lifetimes', 'leaks', 'timeline'):
            again = self.prof(view, 'again.ctf')
            self.assertEqual(again, self.prof(view, 'small.ctf'))
        self.prof('export', '--to', 'memtrace', 'again.ctf', '-o', 'third.ctf')
        self.assertEqual(self.read('again.ctf'), self.read('third.ctf'))

    def test_deep_stacks_and_long_runs_make_whole_packets(self):
        t = ctf.Trace()
        for code in range(1, 400):
            t.location(code, ctf.position(code, 0, 1, file='f%d.ml' % (code % 40),
                                          name='f%d' % code))
        t.flush()
        for i in range(30):
            t.alloc(10000000 * i, 1, [1 + (i * j) % 399 for j in range(1, 400)])
            t.flush()
        self.write('deep.ctf', t.bytes)
        self.prof('trim', 'deep.ctf', '-o', 'again.ctf')
        self.prof('check', 'again.ctf')
        self.assertEqual(self.prof('tree', 'again.ctf'), self.prof('tree', 'deep.ctf'))

    def test_pprof_has_the_totals_of_the_table(self):
        self.prof('export', '--to', 'pprof', 'small.ctf', '-o', 'p.gz')
        data = gzip.decompress(self.read('p.gz'))
        strings = [v.decode() for n, v in fields(data) if n == 6]
        types = [strings[dict(fields(v))[1]] for n, v in fields(data) if n == 1]
        self.assertEqual(types, ['samples', 'alloc_objects', 'alloc_space', 'promoted_space',
                                 'inuse_objects', 'inuse_space'])
        values = [list(varints(dict(fields(v))[2])) for n, v in fields(data) if n == 2]
        sums = dict(zip(types, map(sum, zip(*values))))
        table = json.loads(self.prof('table', 'small.ctf', '--json'))
        self.assertEqual(sums['samples'], 43)
        self.assertEqual(sums['alloc_space'], sum(r['bytes']['value'] for r in table['rows']))
        live = json.loads(self.prof('table', 'small.ctf', '--at', 'end', '--json'))
        self.assertEqual(sums['inuse_space'], sum(r['bytes']['value'] for r in live['rows']))
        locations = {dict(fields(v))[1] for n, v in fields(data) if n == 4}
        used = {i for n, v in fields(data) if n == 2 for i in varints(dict(fields(v)).get(1, b''))}
        self.assertLessEqual(used, locations)

    def test_protoc_decodes_pprof(self):
        if not shutil.which('protoc'):
            self.skipTest('no protoc')
        self.prof('export', '--to', 'pprof', 'small.ctf', '-o', 'p.gz')
        subprocess.run(['protoc', '--decode_raw'], input=gzip.decompress(self.read('p.gz')),
                       stdout=subprocess.DEVNULL, check=True)

    def test_callgrind_annotate_reads_callgrind(self):
        if not shutil.which('callgrind_annotate'):
            self.skipTest('no callgrind_annotate')
        self.prof('export', '--to', 'callgrind', 'small.ctf', '-o', 'callgrind.out')
        out = subprocess.run(['callgrind_annotate', 'callgrind.out'], cwd=self.folder, check=True,
                             stdout=subprocess.PIPE).stdout.decode()
        self.assertIn('Main.load', out)

    def test_merged_profiles_add_up(self):
        self.prof('merge', 'small.ctf', 'small.ctf', '-o', 'twice.ctf')
        self.prof('check', 'twice.ctf')
        once = json.loads(self.prof('table', 'small.ctf', '--json'))['rows']
        twice = json.loads(self.prof('table', 'twice.ctf', '--json'))['rows']
        self.assertEqual([2 * r['bytes']['value'] for r in once],
                         [r['bytes']['value'] for r in twice])

    def test_an_anonymous_profile_has_no_name_of_the_program(self):
        self.prof('anonymise', 'small.ctf', '-o', 'anonymous.ctf')
        data = self.read('anonymous.ctf')
        for name in (b'main.ml', b'Tree', b'prog.byte', b'host', b's=256k', b'a test'):
            self.assertNotIn(name, data)
        rows = [json.loads(self.prof('table', f, '--json'))['rows']
                for f in ('small.ctf', 'anonymous.ctf')]
        self.assertEqual(*[[r['bytes'] for r in one] for one in rows])

    def test_the_page_is_whole_and_needs_no_network(self):
        self.prof('html', 'small.ctf', '-o', 'page.html')
        page = self.read('page.html').decode()
        packed = zlib.decompress(base64.b64decode(
            re.search(r'id="data">(.*?)</script>', page, re.S).group(1)))
        length = int.from_bytes(packed[:4], 'little')
        facts = json.loads(packed[4:4 + length])
        self.assertEqual(facts['stats'], json.loads(self.prof('stats', 'small.ctf', '--json')))
        self.assertEqual((facts['samples'], facts['keep']), (43, 1))
        self.assertFalse(re.search(r'https?://|\bimport\b|<link|src=', page))
