"""Each verb takes an option or refuses it, and selectors mean the same in all verbs."""
import gzip
import json
import re
import shutil
import unittest

import ctf
import support
from test_exports import fields, varints

WORDS = {
    '--at': 'end', '--show': 'live', '--live': 'uncollected', '--age-min': '1ms',
    '--from': '1ms', '--to': '7ms',
    '--phase': 'load', '--size': '2..', '--life': '1us..', '--tail': '1us', '--focus': 'main',
    '--ignore': 'load', '--keep': 'all', '--hide': 'load', '--by': 'fn', '--unit': 'words',
    '--top': '3', '--limit': '3', '--sort': 'name', '--thresh': '1%', '--callers': 'insert',
    '--callees': 'insert', '--inverted': None, '--raw': None, '--source': '.', '-o': '/dev/null',
    '--embed-source': None, '--snapshot': 'small.ctf',
    '--json': None, '--csv': None, '--lsp': None, '--no-ci': None, '--color': None,
    '--no-color': None, '--domain': '0', '--thread': '0', '--per': 'request', '--interval': '1s'}
PART = '--from --to --phase --size --life --tail --focus --ignore --keep --domain --thread'
CHOICE = PART + ' --at --show --live --age-min'
TABLE = '--hide --by --unit --top --limit --sort'
PRINT = '-o --json --csv --no-ci --color --no-color'
PATHS = '--inverted --callers --callees'
VERBS = {
    'stats': PRINT,
    'summary': ' '.join([PART, '--live --raw', TABLE, PRINT]),
    'table': ' '.join([CHOICE, TABLE, '--thresh', PRINT]),
    'tree': ' '.join([CHOICE, TABLE, '--thresh', PATHS, PRINT]),
    'flame': ' '.join([CHOICE, TABLE, '--thresh', PATHS, PRINT]),
    'leaks': ' '.join([PART, '--at --live --age-min --thresh --raw', TABLE, PRINT]),
    'grow': ' '.join([PART, '--live --thresh --raw --per', TABLE, PRINT]),
    'promoted': ' '.join([PART, '--thresh --raw', TABLE, PRINT]),
    'advise': ' '.join([PART, PRINT]),
    'lifetimes': ' '.join([CHOICE, TABLE, '--thresh', PRINT]),
    'timeline': ' '.join([PART, '--live --unit --top --limit', PRINT]),
    'gc': ' '.join(['--from --to --phase --top --limit --sort', PRINT]),
    'annotate': ' '.join([CHOICE, '--hide --unit --source --lsp', PRINT]),
    'diff': ' '.join([CHOICE, '--raw', TABLE, PRINT]),
    'html': '--from --to --phase --size --life --focus --ignore --at --show --live --hide --unit '
            '--domain --thread --source --embed-source --snapshot -o',
    'trim': CHOICE + ' -o',
    'merge': '-o', 'anonymise': '-o', 'check': '-o --json --color --no-color'}
FORMATS = {
    'folded': CHOICE + ' --unit', 'pprof': PART + ' --live --at', 'speedscope': PART + ' --live',
    'memtrace': CHOICE,
    'csv': ' '.join([CHOICE, TABLE, '--thresh']), 'chrome': PART + ' --live',
    'dhat': PART + ' --live', 'callgrind': PART + ' --live',
    'heapprofile': CHOICE + ' --hide'}
FILES = {'annotate': ['p', 'main.ml'], 'diff': ['p', 'p'], 'merge': ['p', 'p']}
# Needs of an option's words: ages are of live blocks, gc's columns have their own names.
WITH = {('--age-min', None): ['--show', 'live'], ('--age-min', 'leaks'): [],
        ('--source', 'html'): ['--embed-source']}
SORTS = {'gc': 'total', 'summary': 'share'}

SELECTIONS = [
    [], ['--from', '2ms', '--to', '3ms'], ['--from', '8ms'], ['--to', '40%'], ['--size', '1000..'],
    ['--size', '..10'], ['--life', '..1ms'], ['--life', '5ms..'], ['--tail', '50%'],
    ['--focus', 'Tree.balance'], ['--ignore', 'Tree.balance'], ['--keep', 'Tree'],
    ['--keep', '(not Tree)', '--from', '1ms', '--tail', '1us']]
MOMENTS = [
    ['--at', 'peak'], ['--at', 'end'], ['--at', '5ms'], ['--at', '7ms', '--from', '2ms'],
    ['--show', 'promoted'], ['--show', 'minor-dead'], ['--show', 'major-dead'],
    ['--show', 'promoted', '--tail', '80%'], ['--show', 'live', '--age-min', '2ms'],
    ['--show', 'major-dead', '--from', '7.1ms', '--to', '7.2ms']]


def value(cell):
    return cell['value'] if isinstance(cell, dict) else cell


class Takes(support.Case):
    def setUp(self):
        super().setUp()
        self.write('small.ctf', ctf.small().bytes)

    def words_of(self, option, verb):
        word = SORTS.get(verb, WORDS[option]) if option == '--sort' else WORDS[option]
        extra = WITH.get((option, verb), WITH.get((option, None), []))
        return [option] + ([word] if word else []) + extra

    def check_option(self, verb, user, option, taken):
        words = verb + [w.replace('p', 'small.ctf') if w == 'p' else w
                        for w in FILES.get(verb[0], ['p'])]
        extra = self.words_of(option, verb[0]) if taken else [option, WORDS[option]]
        out, err, status = self.run_prof(*words, *[w for w in extra if w])
        if taken and option in ('--phase', '--domain', '--thread', '--per'):  # a trace has none
            self.assertRegex(err, b'has no ' + option[2:].encode() + b'|counts no')
        elif taken and option == '--snapshot':
            self.assertRegex(err, b'not a heap snapshot')
        elif taken:
            self.assertEqual((err.decode(), status), ('', 0))
        else:
            self.assertEqual((err.decode(), out, status), (
                'bactrian: %s: `%s` does not take it: leave it out\n' % (option, user), b'', 125))

    def test_each_verb_takes_an_option_or_refuses_it(self):
        for verb, taken in VERBS.items():
            help_text = self.prof(verb, '--help')
            for option in WORDS:
                with self.subTest(verb=verb, option=option):
                    self.check_option([verb], verb, option, option in taken.split())
                    self.assertEqual('\n  %s ' % option in help_text, option in taken.split())

    def test_each_format_takes_an_option_or_refuses_it(self):
        for name, taken in FORMATS.items():
            for option in set(WORDS) - {'--to'}:
                with self.subTest(format=name, option=option):
                    known = any(option in t.split() for t in [*FORMATS.values(), '-o'])
                    user = 'export --to ' + name if known else 'export'
                    self.check_option(['export', '--to', name], user, option,
                                      option in taken.split() + ['-o'])

    def rows(self, verb, words, *more):
        doc = json.loads(self.prof(verb, 'small.ctf', '--json', '--unit', 'samples', *more, *words))
        return doc['tree' if verb in ('tree', 'flame') else 'rows']

    def exported(self, name, words):
        self.prof('export', '--to', name, 'small.ctf', *words, '--force', '-o', 'out')
        return self.read('out')

    def sampled(self, words):
        """The number of samples that verbs find, by verb: those with all selectors."""
        def total(rows, key='samples'):
            return sum(value(row[key]) for row in rows)
        found = {'table': total(self.rows('table', words)),
                 'by module': total(self.rows('table', words, '--by', 'module')),
                 'lifetimes': total(self.rows('lifetimes', words)),
                 'diff': value(self.rows('diff', words, 'small.ctf')[0]['before'])}
        for name, more in (('tree', []), ('flame', []), ('inverted', ['--inverted'])):
            rows = self.rows('tree' if more else name, words, *more)
            found[name] = value(rows[0]['samples']) if rows else 0
        title = json.loads(self.prof('annotate', 'small.ctf', 'main.ml', '--json', '--unit',
                                     'samples', *words))['title']
        found['annotate'] = int(re.match(r'main.ml of (\d+) ', title)[1])
        folded = self.exported('folded', ['--unit', 'samples', *words]).decode()
        found['folded'] = sum(int(line.rsplit(' ', 1)[1]) for line in folded.splitlines())
        csv = self.exported('csv', ['--unit', 'samples', *words]).decode().splitlines()
        column = csv[0].split(',').index('samples')
        found['csv'] = sum(int(line.split(',')[column]) for line in csv[1:])
        for name, verb in (('trim', ['trim']), ('memtrace', ['export', '--to', 'memtrace'])):
            self.prof(*verb, 'small.ctf', *words, '-o', 'part.ctf')
            stats = json.loads(self.prof('stats', 'part.ctf', '--json'))
            found[name] = stats['sampling']['samples']
        return found

    def bytes_of(self, words):
        rows = json.loads(self.prof('tree', 'small.ctf', '--json', *words))['tree']
        return value(rows[0]['bytes']) if rows else 0

    def test_selectors_select_the_same_everywhere(self):
        for words in SELECTIONS + MOMENTS:
            with self.subTest(words=' '.join(words)):
                found = self.sampled(words)
                self.assertEqual(len(set(found.values())), 1, found)
                head = json.loads(self.exported('heapprofile', words or ['--show', 'alloc']
                                                if words in MOMENTS else
                                                [*words, '--show', 'alloc']))
                self.assertEqual(sum(s['size'] for s in head['samples']), self.bytes_of(words))

    def test_what_shows_several_moments_selects_the_same(self):
        for words in SELECTIONS:
            with self.subTest(words=' '.join(words)):
                samples = sum(value(r['samples']) for r in self.rows('table', words))
                allocated = self.bytes_of(words)
                live, peak = (self.bytes_of([*words, '--at', at]) for at in ('end', 'peak'))
                pprof = [list(varints(dict(fields(v))[2]))
                         for n, v in fields(gzip.decompress(self.exported('pprof', words)))
                         if n == 2]
                self.assertEqual([sum(v[i] for v in pprof) for i in (0, 2, 5)],
                                 [samples, allocated, live])
                profiles = {p['name']: sum(p['weights']) for p in
                            json.loads(self.exported('speedscope', words))['profiles']}
                self.assertEqual((profiles['sampled blocks'], profiles['allocated'],
                                  profiles['live at the end'], profiles['live at the peak']),
                                 (samples, allocated, live, peak))
                points = json.loads(self.exported('dhat', words))['pps']
                self.assertEqual([sum(p[key] for p in points) for key in ('tb', 'gb', 'eb')],
                                 [allocated, peak, live])
                summary = re.search(rb'^summary: (\d+) \d+ (\d+)$',
                                    self.exported('callgrind', words), re.M)
                self.assertEqual([int(n) for n in summary.groups()], [allocated, live])
                totals = json.loads(self.prof('summary', 'small.ctf', '--json', *words))['totals']
                self.assertEqual([value(totals[key]) for key in ('allocated', 'live_at_peak',
                                                                 'live_at_end')],
                                 [allocated, peak, live])
                leaks = self.rows('leaks', words)
                self.assertEqual(sum(value(r['samples']) for r in leaks),
                                 sum(value(r['samples']) for r in
                                     self.rows('table', [*words, '--at', 'end'])))

    def test_a_timeline_is_the_table_at_each_moment(self):
        for words in SELECTIONS:
            for unit in ('samples', 'bytes', 'words', 'blocks'):
                steps = json.loads(self.prof('timeline', 'small.ctf', '--json', '--unit', unit,
                                             '--top', '7', *words))['steps']
                for step in steps[::3]:
                    at = '%.12fms' % (1000 * step['time'] - 1e-6)  # a step's end is the next one's
                    rows = json.loads(self.prof('table', 'small.ctf', '--json', '--unit', unit,
                                                '--at', at, *words))['rows']
                    with self.subTest(words=' '.join(words), unit=unit, at=at):
                        self.assertAlmostEqual(value(step['live']),
                                               sum(value(r[unit]) for r in rows), places=4)
        steps = json.loads(self.prof('timeline', 'small.ctf', '--json', '--from', '2ms', '--to',
                                     '3ms', '--top', '4'))['steps']
        self.assertEqual([step['time'] for step in steps], [.00225, .0025, .00275, .003])

    def test_hidden_frames_give_what_they_allocate_to_their_callers(self):
        names = {value(r['name']).split(' ')[0]: value(r['samples'])
                 for r in self.rows('table', ['--hide', 'balance|load'])}
        self.assertEqual(names, {'Main.main': 3, 'Tree.insert': 40})
        self.assertIn(', hiding balance|load\n', self.prof('table', 'small.ctf', '--hide',
                                                           'balance|load'))
        tree = self.rows('tree', ['--hide', 'balance|load'])[0]['children'][0]
        self.assertEqual((tree['self'], tree['children'][0]['self']), (3, 40))

    def test_only_live_blocks_have_an_age(self):
        for verb in ('table', 'tree', 'lifetimes', 'trim'):
            _, err, status = self.run_prof(verb, 'small.ctf', '--age-min', '1ms')
            self.assertEqual((err.decode(), status), (
                'bactrian: --age-min: only live blocks have an age: add --show live or --at, or '
                'use --life\n', 125))


PROGRAM = '''
open Bactrian
let work n = for i = 1 to n do ignore (Sys.opaque_identity (i, i, i)) done
let () =
  work 50000;
  for _ = 1 to 2 do Profile.phase "load" (fun () -> work 300000) done;
  Profile.phase "idle" (fun () -> ());
  work 200000
'''


@unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
class Phases(support.Case):
    def setUp(self):
        super().setUp()
        self.write('p.ml', PROGRAM.encode())
        self.run_prof('record', '--quiet', '--rate', '1e-2', '-o', 'p.bprof', 'p.ml')

    def json(self, *words):
        return json.loads(self.prof(words[0], 'p.bprof', *words[1:], '--json'))

    def test_gc_shows_the_phase(self):
        whole, load, idle = (self.json('gc', *words) for words in
                             ([], ['--phase', 'load'], ['--phase', 'idle']))
        self.assertAlmostEqual(load['counters']['minor'], 600000 * 4 * 8, delta=2000)
        self.assertGreaterEqual(whole['counters']['minor'], 850000 * 4 * 8)
        self.assertLess(idle['counters']['minor'], 2000)
        self.assertEqual(idle['events'], [])
        pauses = [doc['events'][0]['count'] for doc in (load, whole)]
        self.assertTrue(0 < pauses[0] < pauses[1], pauses)

    def test_all_verbs_agree_on_the_phase(self):
        words = ['--phase', 'load', '--unit', 'samples']
        table = sum(value(r['samples']) for r in self.json('table', *words)['rows'])
        self.assertAlmostEqual(table, 600000 * 4 / 100, delta=600)
        steps = self.json('timeline', *words)['steps']
        self.assertEqual(sum(value(s['allocated']) for s in steps), table)
        by = {r['name']: value(r['samples'])
              for r in self.json('table', '--by', 'phase', '--unit', 'samples')['rows']}
        self.assertEqual(by['load'], table)
        self.prof('trim', 'p.bprof', '--phase', 'load', '-o', 't.bprof')
        stats = json.loads(self.prof('stats', 't.bprof', '--json'))
        self.assertEqual(stats['sampling']['samples'], table)
