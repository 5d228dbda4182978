"""The exports in the hands of the programs that they are for. A program that is not installed is
reported as skipped; packages of npm are used with --long only, and kept in the cache."""
import gzip
import json
import os
import re
import shutil
import subprocess
import unittest

import support
from test_exports import fields, varints

PROGRAM = '''
let kept = ref []
let rec build n = if n = 0 then [] else (n, string_of_int n) :: build (n - 1)
let keep n = kept := build n :: !kept
let churn n = for i = 1 to n do ignore (Sys.opaque_identity (Bytes.create (i land 63))) done
let () = for i = 1 to 60 do keep i; churn (50 * i) done
'''
PACKAGES = {'pprof-format': '2.3.2', 'speedscope': '1.25.0'}
VIEWERS = ['/usr/libexec/valgrind/dh_view.js', '/usr/lib/valgrind/dh_view.js']
SPEEDSCOPE_UNITS = {'none', 'nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'bytes'}


def needs(program):
    return unittest.skipUnless(shutil.which(program), 'no ' + program)


def packages(settings):
    """The folder of npm's packages, or why there is none."""
    if not settings.long:
        raise unittest.SkipTest('only with --long')
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    folder = os.path.join(cache, 'bactrian-tests', 'npm')
    os.makedirs(folder, exist_ok=True)
    wanted = ['%s@%s' % item for item in PACKAGES.items()]
    missing = [name for name in PACKAGES
               if not os.path.exists(os.path.join(folder, 'node_modules', name))]
    if missing:
        done = subprocess.run(['npm', 'install', '--no-audit', '--no-fund', *wanted], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        if done.returncode != 0:
            raise unittest.SkipTest('npm could not fetch %s' % ', '.join(wanted))
    return os.path.join(folder, 'node_modules')


@needs('ocamlc')
class Formats(support.Case):
    def setUp(self):
        super().setUp()
        self.write('known.ml', PROGRAM.encode())
        self.call('ocamlc', '-g', 'known.ml', '-o', 'known.byte')
        self.prof('record', '--quiet', '--rate', '0.05', '--seed', '3', '--gc-trace', '-o',
                  'known.prof', 'known.byte')
        rows = json.loads(self.prof('table', 'known.prof', '--json', '--top', '9999'))['rows']
        self.rows = {row['name']: self.value(row['bytes']) for row in rows}
        totals = json.loads(self.prof('summary', 'known.prof', '--json'))['totals']
        self.total, self.live, self.peak = (
            self.value(totals[key]) for key in ('allocated', 'live_at_end', 'live_at_peak'))
        promoted = json.loads(self.prof('tree', 'known.prof', '--json', '--show', 'promoted'))
        self.promoted = self.value(promoted['tree'][0]['bytes'])

    @staticmethod
    def value(estimate):
        return estimate['value'] if isinstance(estimate, dict) else estimate

    def call(self, *words):
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, 0, (words, done.stderr[-2000:]))
        return done.stdout.decode()

    def export(self, name):
        self.prof('export', '--to', name, 'known.prof', '-o', 'out.' + name)
        return self.read('out.' + name)

    def test_all_formats_have_the_same_totals(self):
        folded = [int(line.rsplit(b' ', 1)[1]) for line in self.export('folded').splitlines()]
        self.assertEqual(sum(folded), self.total)
        pprof = gzip.decompress(self.export('pprof'))
        values = [list(varints(dict(fields(v))[2])) for n, v in fields(pprof) if n == 2]
        self.assertEqual([sum(v[i] for v in values) for i in (2, 3, 5)],
                         [self.total, self.promoted, self.live])
        profiles = {p['name']: sum(p['weights'])
                    for p in json.loads(self.export('speedscope'))['profiles']}
        self.assertEqual([profiles[name] for name in ('allocated', 'promoted', 'live at the end',
                                                      'live at the peak')],
                         [self.total, self.promoted, self.live, self.peak])
        points = json.loads(self.export('dhat'))['pps']
        self.assertEqual([sum(p[key] for p in points) for key in ('tb', 'gb', 'eb')],
                         [self.total, self.peak, self.live])
        for p in points:
            self.assertGreaterEqual(p['mb'], max(p['gb'], p['eb']))
        summary = re.search(rb'^summary: (\d+) (\d+) (\d+)$', self.export('callgrind'), re.M)
        self.assertEqual([int(n) for n in summary.groups()],
                         [self.total, self.promoted, self.live])

    def test_the_stacks_of_a_site_add_up_to_it(self):
        stacks, sites = {}, {}
        for line in self.export('folded').decode().splitlines():
            stack, n = line.rsplit(' ', 1)
            leaf = stack.split(';')[-1]
            stacks[leaf] = stacks.get(leaf, 0) + int(n)
        for name, n in self.rows.items():
            sites.setdefault(re.sub(r':\d+-\d+\)$', ')', name), []).append(n)
        known = [leaf for leaf in stacks if leaf.startswith('Known.')]
        self.assertGreater(len(known), 2)
        for leaf in known:
            values = sites[leaf]  # a line may hold several
            self.assertLessEqual(abs(stacks[leaf] - sum(values)), len(values), leaf)

    def test_pprof_has_labels(self):
        pprof = gzip.decompress(self.export('pprof'))
        strings = [v.decode() for n, v in fields(pprof) if n == 6]
        sums = {}
        for _, sample in (f for f in fields(pprof) if f[0] == 2):
            values = list(varints(dict(fields(sample))[2]))
            for label in (dict(fields(v)) for n, v in fields(sample) if n == 3):
                key = strings[label[1]], strings[label[2]]
                sums[key] = sums.get(key, 0) + values[2]
        tags = json.loads(self.prof('table', 'known.prof', '--by', 'tag', '--json'))['rows']
        for row in tags:
            self.assertLessEqual(abs(sums['tag', row['name']] - row['bytes']['value']),
                                 len(self.rows), row)
        self.assertLessEqual({name for key, name in sums if key == 'gen'},
                             {'minor-dead', 'promoted', 'major'})
        for key in ('gen', 'tag'):
            self.assertEqual(sum(n for (k, _), n in sums.items() if k == key), self.total)

    @needs('protoc')
    def test_protoc_reads_pprof(self):
        data = gzip.decompress(self.export('pprof'))
        done = subprocess.run(['protoc', '--decode_raw'], input=data, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0)
        text = done.stdout.decode()
        top = [int(n) for n in re.findall(r'^(\d+)', text, re.M)]
        self.assertEqual(sorted(set(top)), sorted({n for n, _ in fields(data)}))
        self.assertIn('"inuse_space"', text)

    @needs('go')
    def test_go_tool_pprof_shows_the_functions(self):
        self.export('pprof')
        env = dict(os.environ, HOME=self.folder, PPROF_TMPDIR=self.folder)
        done = subprocess.run(['go', 'tool', 'pprof', '-top', '-unit=B', '-nodefraction=0',
                               '-sample_index=alloc_space', 'out.pprof'], cwd=self.folder, env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        flat = {m[2]: int(m[1]) for m in
                re.finditer(r'^\s*(\d+)B .* (Known\.\w+)$', done.stdout.decode(), re.M)}
        for function in ('Known.build', 'Known.churn'):
            expected = sum(v for name, v in self.rows.items() if name.startswith(function + ' '))
            self.assertLessEqual(abs(flat[function] - expected), 2 * len(self.rows))

    @needs('node')
    @unittest.skipUnless(any(map(os.path.exists, VIEWERS)), 'no dh_view.js')
    def test_valgrinds_viewer_shows_dhat(self):
        points = json.loads(self.export('dhat'))['pps']
        viewer = next(filter(os.path.exists, VIEWERS))
        text = self.call('node', os.path.join(support.HERE, 'dh_view.js'), viewer, 'out.dhat')
        self.assertIn('{:,} bytes (100%'.format(sum(p['tb'] for p in points)), text)
        self.assertIn('Known.churn (known.ml:5:', text)

    @needs('callgrind_annotate')
    def test_callgrind_annotate_shows_source_lines(self):
        self.export('callgrind')
        out = self.call('callgrind_annotate', '--auto=yes', 'out.callgrind')
        self.assertRegex(out, r'(?m)^[\d,]+ \([ \d.]+%\).*let churn n = for')
        self.assertIn('PROGRAM TOTALS', out)

    def test_chrome_events_lie_within_their_pauses(self):
        events = json.loads(self.export('chrome'))['traceEvents']
        self.assertLessEqual({e['ph'] for e in events}, set('MXCi'))
        for event in events:
            self.assertIn('pid', event)
            if event['ph'] == 'X':
                self.assertGreaterEqual(min(event['ts'], event['dur']), 0, event)
        self.assertTrue(any(e['ph'] == 'C' for e in events))

    def test_heapprofile_nodes_are_whole(self):
        profile = json.loads(self.export('heapprofile'))
        todo, size, seen = [profile['head']], 0, set()
        while todo:
            node = todo.pop()
            self.assertEqual(set(node['callFrame']), {'functionName', 'scriptId', 'url',
                                                      'lineNumber', 'columnNumber'})
            self.assertNotIn(node['id'], seen)
            seen.add(node['id'])
            size += node['selfSize']
            todo += node['children']
        self.assertEqual(size, self.live)

    def test_speedscope_keeps_its_rules(self):
        file = json.loads(self.export('speedscope'))
        frames = file['shared']['frames']
        self.assertTrue(all(isinstance(f['name'], str) for f in frames))
        self.assertLess(file['activeProfileIndex'], len(file['profiles']))
        for p in file['profiles']:
            self.assertEqual(p['type'], 'sampled')
            self.assertIn(p['unit'], SPEEDSCOPE_UNITS)
            self.assertEqual(len(p['samples']), len(p['weights']))
            self.assertEqual(p['endValue'], p['startValue'] + sum(p['weights']))
            self.assertTrue(all(0 <= f < len(frames) for s in p['samples'] for f in s))

    @needs('npm')
    def test_speedscope_obeys_its_schema(self):
        folder = packages(self.settings)
        try:
            import jsonschema
        except ImportError:
            self.skipTest('no python3-jsonschema')
        path = os.path.join(folder, 'speedscope/dist/release/file-format-schema.json')
        with open(path) as file:
            schema = json.load(file)
        jsonschema.validate(json.loads(self.export('speedscope')), schema)

    @needs('npm')
    def test_pprof_format_decodes_pprof(self):
        folder = packages(self.settings)
        self.export('pprof')
        script = '''
const {Profile} = require(process.argv[1] + '/pprof-format');
const p = Profile.decode(require('zlib').gunzipSync(require('fs').readFileSync('out.pprof')));
console.log(p.sample.reduce((n, s) => n + Number(s.value[2]), 0));'''
        self.assertEqual(int(self.call('node', '-e', script, folder)), self.total)
