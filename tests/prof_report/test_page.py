"""The HTML report in Chromium: its figures are those of the verbs, each control works."""
import json
import os
import random
import shlex
import shutil
import subprocess
import tempfile
import unittest

import ctf
import support
from browser import Browser

PAGE = os.path.join(support.ROOT, 'memprof', 'report', 'page')
PROGRAM = '''
#require "threads.posix"
open Bactrian
let kept = ref []
let rec build n = if n = 0 then [] else (n, string_of_int n) :: build (n - 1)
let load n = for i = 1 to n do kept := string_of_int i :: !kept done
let churn n = for i = 1 to n do ignore (Sys.opaque_identity (Array.make (i mod 400) 0.5)) done
let walk f = List.iter (fun n -> f n) [1_000; 8_000; 3_000]
let () =
  Profile.phase "load" (fun () -> load 20_000);
  Profile.phase "work" (fun () -> Profile.phase "inner" (fun () -> walk churn));
  Gc.full_major ();
  walk (fun n -> kept := List.map snd (build n) @ !kept);
  walk churn; kept := []; Thread.join (Thread.create load 9_000)
'''

# What the page computes for a selection: its command line, and its table.
FIGURES = '''
  fields => {
    S = {...defaults, ...fields};
    if (P.facts.markings === 0) S.live = 'uncollected';
    draw();
    const groups = groupsOf(P, page.scope, S, page.picked);
    const estimate = e => ['value', 'low', 'high'].map(key =>
      S.unit === 'bytes' ? Math.round(e[key]) : e[key]);
    return {command: commandOf(S, P), sentence: sentenceOf(S, P),
      rows: groups.rows.map(g => [g.text, g.share, ...estimate(g.estimate), g.blocks.value,
        g.fate('promoted').value, g.fate('live').value])};
  }'''
# The tree of a view, as the verbs print it: name, hits, children.
TREE = '''
  view => {
    const {paths} = view, share = 0.03 * paths.sums[0];
    const row = path => [paths.text(path), estimatePath(paths.sums[path]),
      paths.children(path).filter(c => paths.sums[c] >= share).map(row)];
    return row(0);
  }'''


class Estimates(support.Case):
    @unittest.skipUnless(shutil.which('node'), 'no node')
    def test_the_estimators_of_page_and_verbs_agree(self):
        build = os.path.dirname(os.path.dirname(os.path.dirname(self.settings.bactrian)))
        lines = subprocess.run([os.path.join(build, 'tests', 'prof_report', 'estimate_vectors')],
                               stdout=subprocess.PIPE, check=True).stdout
        script = '''
          eval(require("fs").readFileSync(process.argv[1], "utf8") + `
          let bad = 0, checked = 0;
          for (const line of require("fs").readFileSync(0, "utf8").trim().split("\\\\n")) {
            const v = JSON.parse(line), scale = {...v, wordBytes: 8};
            const found = {estimateBytes: estimateBytes(scale, v),
              estimateBlocks: estimateBlocks(scale, v),
              estimateShare: estimateShare(scale, {hits: v.part}, v),
              estimateSurvival: estimateSurvival(scale, v.alive, v.greenwood, v.hits)};
            for (const name in found) ["value", "low", "high"].forEach((key, i) => {
              const expected = v[name][i], close = 1e-12 * Math.max(1, Math.abs(expected));
              checked++;
              if (!(Math.abs(found[name][key] - expected) <= close)) bad++;
            });
          }
          console.log(checked, bad)`);'''
        done = subprocess.run(['node', '-e', script, os.path.join(PAGE, 'estimate.js')],
                              input=lines, stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout.decode(), '36000 0\n')


class InBrowser(support.Case):
    """Opens page.html, a report on self.profile, in the browser of the class."""
    profile = 'small.ctf'

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix='prof-report-')
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.browser = Browser(folder)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.make_profile()
        self.prof('html', self.profile, '-o', 'page.html')
        self.browser.open(os.path.join(self.folder, 'page.html'))
        self.addCleanup(self.browser.shut)

    def make_profile(self):
        self.write('small.ctf', ctf.small().bytes)

    def ask(self, expression):
        return self.browser.ask(expression)

    def call(self, function, *arguments):
        return self.ask('(%s)(%s)' % (function, ','.join(json.dumps(a) for a in arguments)))

    def text(self, name):
        return self.ask('document.getElementById("%s").textContent' % name)

    def choose(self, name, value):
        self.ask('{ const c = document.getElementById("%s"); c.value = "%s"; c.onchange(); }' % (
            name, value))
        self.browser.drawn()

    def verb(self, command, *more):
        """The JSON that the page's command line prints."""
        self.assertTrue(command.startswith('bactrian prof '))
        done = subprocess.run(['bash', '-c', command.replace('bactrian', '"$0"', 1) + ' "$@"',
                               self.settings.bactrian, '--json', *more], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.stderr, done.returncode), (b'', 0), command)
        return json.loads(done.stdout)


def value(cell):
    return cell['value'] if isinstance(cell, dict) else cell


@unittest.skipUnless(shutil.which('chromium') and shutil.which('ocamlc'), 'no chromium or ocamlc')
class Figures(InBrowser):
    profile = 'p.bprof'

    def make_profile(self):
        self.record(PROGRAM, 'p.bprof', '--rate', '0.01')

    def record(self, program, name, *words):
        self.write('p.ml', program.encode())
        _, err, status = self.run_prof('record', '--quiet', '--seed', '3', '-o', name, *words,
                                       'p.ml')
        self.assertEqual((err.decode(), status), ('', 0))

    def selection(self, seed):
        end, functions = int(self.ask('P.end')), self.ask('P.texts.fn')
        fields = {'tab': 'sites', 'what': seed.choice(self.ask('choices.what')),
                  'by': seed.choice(self.ask('choices.by')), 'to': seed.choice(['end', 'peak']),
                  'unit': seed.choice(self.ask('choices.unit')), 'live': seed.choice(
                      self.ask('choices.live'))}
        if seed.random() < 0.7:
            fields['from'], fields['to'] = sorted(seed.sample(range(end), 2))
        if fields['what'] == 'live':
            fields['from'] = 0
        for key in ('focus', 'ignore', 'hide'):
            if seed.random() < 0.15:
                fields[key] = self.ask('patternOf(%s, "fn")' % json.dumps(seed.choice(functions)))
        for key, values in (('size', ['2..8', '..3', '4..']), ('life', ['1us..2s', '..1ms']),
                            ('phase', ['load', 'work', 'inner'])):
            if seed.random() < 0.2:
                fields[key] = seed.choice(values)
        for key, values in (('thread', '01'), ('domain', '0')):
            if seed.random() < 0.15:
                fields[key] = seed.choice(values)
        return fields

    def check_table(self, fields):
        found = self.call(FIGURES, fields)
        doc = self.verb(found['command'], '--top', '100000')
        if 'life' not in fields:
            self.assertIn(found['sentence'], doc['title'])
        unit = fields['unit']
        expected = [[r['name'], r['share'], *r[unit].values(), value(r['blocks']), r['promoted'],
                     r['live']] for r in doc['rows']]
        self.assertEqual([row[0] for row in found['rows']], [row[0] for row in expected])
        for one, other in zip(found['rows'], expected):
            if unit in ('bytes', 'samples'):
                self.assertEqual(one[2:5], other[2:5], found['command'])
            for x, y in zip(one[1:], other[1:]):
                self.assertAlmostEqual(x, y, delta=1e-8 * abs(y), msg=found['command'])
        return len(expected)

    def test_random_selections_have_the_figures_of_the_table(self):
        seed, rows = random.Random(4), []
        for i in range(50):
            fields = self.selection(seed)
            with self.subTest(i=i, fields=fields):
                rows.append(self.check_table(fields))
        self.assertGreater(sum(n > 0 for n in rows), 25)

    def test_the_page_begins_with_the_given_selection(self):
        for words in (['--at', 'end'], ['--at', '60%', '--unit', 'words'], ['--from', '20%'],
                      ['--show', 'promoted', '--to', '70%', '--hide', 'List'],
                      ['--at', 'end', '--from', '10%', '--size', '2..300'],
                      ['--show', 'alloc', '--phase', 'work', '--life', '..1s'],
                      ['--show', 'alloc', '--thread', '1', '--domain', '0'],
                      ['--at', 'end', '--thread', '0'],
                      ['--show', 'live', '--live', 'uncollected', '--focus', '(a|b c)&d=e'],
                      ['--show', 'alloc', '--ignore', 'List', '--scope', 'no lists']):
            with self.subTest(words=words):
                self.prof('html', self.profile, *words, '-o', 'page.html', '--force')
                self.browser.open(os.path.join(self.folder, 'page.html'))
                command = self.ask('commandOf({...S, tab: "sites", by: "site"}, P)')
                given = self.verb(shlex.join(['bactrian', 'prof', 'table', self.profile, *words]))
                shown = self.verb(command)
                if '--life' not in words:
                    self.assertEqual(shown['title'], given['title'])
                self.assertEqual(shown['rows'], given['rows'])
                self.assertEqual(self.ask('location.hash'), '')
                self.ask('change({tab: "run"})')
                self.assertEqual(self.ask('toHash(S, P)'), '#tab=run')

    def test_the_page_shows_live_blocks_at_one_moment(self):
        words = ['--at', 'end', '--to', '1s', '-o', 'x']
        _, err, status = self.run_prof('html', self.profile, *words)
        self.assertEqual(status, 125)
        self.assertIn('--to: the page shows live blocks at --at, or births until --to',
                      err.decode())

    def rows_of(self, rows, total):
        """The rows of a printed tree that are large enough, as TREE gives them."""
        return [[r['name'], r['bytes'], self.rows_of(r['children'], total)] for r in rows
                if r['bytes']['value'] >= 0.03 * total and not r['name'].startswith('(')]

    def same_tree(self, found, expected):
        self.assertEqual(found[0], expected[0])
        for key in ('value', 'low', 'high'):
            self.assertEqual(round(found[1][key]), expected[1][key])
        self.assertEqual([c[0] for c in found[2]], [c[0] for c in expected[2]])
        for one, other in zip(found[2], expected[2]):
            self.same_tree(one, other)

    def test_call_paths_are_those_of_the_tree(self):
        for fields in ({'what': 'alloc', 'to': 'end'}, {}, {'inverted': True},
                       {'what': 'alloc', 'to': 'end', 'inverted': True, 'by': 'site'},
                       {'what': 'promoted', 'to': 'end', 'by': 'module'},
                       {'what': 'alloc', 'to': 'end', 'hide': 'List'}):
            with self.subTest(fields):
                command = self.call(FIGURES, fields)['command']
                rows = self.verb(command.replace('prof flame', 'prof tree'), '--top', '10000',
                                 '--thresh', '0.01%')['tree']
                expected = self.rows_of(rows, rows[0]['bytes']['value'])
                self.same_tree(self.ask('(%s)(page.flame)' % TREE), expected[0])

    def test_callers_and_callees_are_those_of_the_tree(self):
        name = next(n for n in self.ask('P.texts.fn') if n.startswith('P.build '))
        command = self.call(FIGURES, {'tab': 'sandwich', 'fn': name, 'what': 'alloc',
                                      'to': 'end'})['command']
        for view, option in (('callers', '--callers'), ('callees', '--callees')):
            rows = self.verb(command.replace('--callers', option), '--top', '10000', '--thresh',
                             '0.01%')['tree']
            expected = self.rows_of(rows, rows[0]['bytes']['value'])
            self.same_tree(self.ask('(%s)(page.%s)' % (TREE, view)), expected[0])

    def test_lifetimes_and_the_collector_are_those_of_the_verbs(self):
        found = self.call(FIGURES, {'tab': 'lifetimes', 'what': 'alloc', 'to': 'end'})
        doc = self.verb(found['command'])
        rows = self.ask('survivalOf(P, page.picked).map(r => ({age: r.age / 1e9, ...r.alive}))')
        self.assertEqual(len(rows), len(doc['survival']))
        for one, other in zip(rows, doc['survival']):
            for key, n in {'age': other['age'], **other['alive']}.items():
                self.assertAlmostEqual(one[key], n, delta=1e-8)
        for fields in ({}, {'from': int(self.ask('P.end')) // 3, 'what': 'alloc', 'to': 'end'}):
            found = self.call(FIGURES, {'tab': 'gc', **fields})
            doc = self.verb(found['command'], '--top', '1000')
            for name, function in (('events', 'collectorRows'), ('causes', 'causeRows'),
                                   ('processor', 'processorRows'), ('modules', 'moduleRows')):
                rows = self.ask(function + '(P, S.from, Infinity)')
                self.assertEqual([r['name'] for r in rows], [r['name'] for r in doc.get(name, [])])
                for one, other in zip(rows, doc.get(name, [])):
                    one['bytes'] = one.get('estimate')
                    for key in other:
                        if key == 'bytes':
                            self.assertEqual({k: round(one[key][k]) for k in other[key]},
                                             other[key])
                        elif key == 'rate':
                            self.assertEqual(round(one[key]), other[key])
                        elif not isinstance(other[key], str):
                            self.assertAlmostEqual(one[key], other[key],
                                                   delta=1e-6 * abs(other[key]))

    def test_a_second_report_is_compared_as_by_diff(self):
        self.record(PROGRAM.replace('8_000', '6_000'), 'q.bprof', '--rate', '0.01')
        self.prof('html', 'q.bprof', '-o', 'q.html')
        self.call('''text => readReport(new File([text], "q.html"))''',
                  self.read('q.html').decode())
        for fields in ({'by': 'fn', 'what': 'alloc', 'to': 'end'}, {'by': 'module'},
                       {'by': 'file', 'what': 'promoted', 'to': 'end', 'unit': 'blocks'}):
            with self.subTest(fields):
                self.call(FIGURES, {'tab': 'diff', **fields})
                doc = self.verb(self.text('command'), '--top', '100000')
                found = self.ask('''(pair => changesOf(pair[0].groups, pair[1].groups,
                    pair.map(side => side.none)).map(r => [r.text, r.change, r.real]))
                    (compared())''')
                self.assertEqual([[name, real] for name, _, real in found],
                                 [[r['name'], r['certain']] for r in doc['rows'][1:]])
                for (_, change, _), row in zip(found, doc['rows'][1:]):
                    self.assertLessEqual(abs(change - row['change']), 1)
                self.assertEqual(self.text('problem'), '')
        self.assertRaises(AssertionError, self.ask, 'readReport(new File(["x"], "x.html"))')

    def test_a_page_of_two_profiles_compares_them(self):
        self.record(PROGRAM.replace('8_000', '6_000'), 'q.bprof', '--rate', '0.01')
        self.prof('html', self.profile, 'q.bprof', '--show', 'alloc', '-o', 'both.html')
        self.browser.open(os.path.join(self.folder, 'both.html'))
        self.assertEqual(self.ask('[S.tab, S.what].join()'), 'diff,alloc')
        doc = self.verb(self.text('command'), '--top', '100000')
        found = self.ask("""(pair => changesOf(pair[0].groups, pair[1].groups,
            pair.map(side => side.none)).map(r => [r.text, r.real]))(compared())""")
        self.assertEqual(found, [[r['name'], r['certain']] for r in doc['rows'][1:]])
        self.assertGreater(self.ask('document.querySelectorAll("#changes tbody tr").length'), 5)
        self.ask('change({tab: "sites"})')
        self.browser.drawn()
        self.assertIn('p.bprof', self.text('command'))
        self.assertEqual(self.run_prof('html', *3 * [self.profile], '-o', 'x.html')[2], 125)

    def test_the_curve_reaches_the_peak_at_every_width(self):
        for width in (390, 800, 1440, 2560):
            self.browser.size(width, 900)
            self.browser.drawn()
            for bound in ('proven', 'uncollected'):
                most, peak = self.call("""live => [
                    page.time.live[live].reduce((a, b) => Math.max(a, b)),
                    sumOf(P, pick(P, page.scope, {...P.begin, what: 'live', to: 'peak', live},
                      new Uint32Array(P.samples))).hits]""", bound)
                with self.subTest(width=width, bound=bound):
                    self.assertGreaterEqual(most, peak)
                    self.assertLess(most, 1.1 * peak)

    def test_many_samples_are_thinned_and_stay_unbiased(self):
        self.record('let rec f n = ignore (Sys.opaque_identity (ref n))\n'
                    'and g n = ignore (Sys.opaque_identity (n, n, n))\n'
                    'let () = for i = 1 to 700_000 do f i; if i mod 5 = 0 then g i done',
                    'many.bprof', '--rate', '1')
        self.prof('html', 'many.bprof', '-o', 'many.html')
        self.browser.open(os.path.join(self.folder, 'many.html'))
        kept, samples, rate = self.ask('[P.facts.keep, P.samples, P.scale.rate]')
        self.assertLess(kept, 1)
        self.assertEqual(kept, rate)
        self.assertLess(400_000, samples)
        self.assertLessEqual(samples, 500_000)
        self.assertIn('each hit was kept', self.text('notes'))
        found = self.call(FIGURES, {'tab': 'sites', 'what': 'alloc', 'to': 'end'})
        exact = {r['name']: r['bytes']['value'] for r in self.verb(found['command'])['rows']}
        for row in found['rows'][:2]:
            name, low, high = row[0], row[3], row[4]
            self.assertLess(low, high)
            half = (high - low) / 2  # 4 standard errors are exceeded once in 15,000 times
            self.assertLess(abs(row[2] - exact[name]), 2 * half)


@unittest.skipUnless(shutil.which('chromium'), 'no chromium')
class Controls(InBrowser):
    def bar(self, name, view='flame'):
        """The middle of a function's bar."""
        return self.call('''(name, view) => {
          const v = page[view], c = v.canvas;
          c.scrollIntoView({block: 'center'});
          const bar = v.rows.flat().find(b => !b.chain && !b.rest &&
            v.paths.text(b.path).startsWith(name));
          const r = c.getBoundingClientRect(), y = bar.y * ROW - v.box.scrollTop;
          return [r.left + bar.x + bar.w / 2, r.top + y + ROW / 2];
        }''', name, view)

    def width(self, name):
        return self.call('''name => {
          const v = page.flame, bar = v.rows.flat().find(b => !b.chain && !b.rest &&
            v.paths.text(b.path).startsWith(name));
          return bar ? bar.w / v.box.clientWidth : 0;
        }''', name)

    def show_allocated(self):
        self.ask('document.querySelector("#cards button").click()')
        self.browser.drawn()

    def test_the_cards_show_what_they_count(self):
        self.show_allocated()
        self.assertIn(', allocated in the whole run', self.text('sentence'))
        self.assertEqual(self.text('command'), 'bactrian prof flame small.ctf --by fn')
        self.assertEqual(self.ask('document.querySelector("#cards button").ariaPressed'), 'true')

    def test_search_marks_and_counts(self):
        self.show_allocated()
        self.ask('document.getElementById("search").focus()')
        self.browser.type('Tree')
        self.assertEqual(self.text('matched'), 'matched: 32.0 kB, 43.0 %')
        self.assertIn('search=Tree', self.ask('location.hash'))
        self.ask('document.getElementById("show-sites").click()')
        self.browser.drawn()
        self.assertGreater(self.ask('document.querySelectorAll("#sites .hit").length'), 0)

    def test_a_click_zooms_and_crumbs_lead_back(self):
        self.show_allocated()
        before = self.width('Tree.insert')
        self.assertAlmostEqual(before, 0.43, places=2)
        self.browser.click(*self.bar('Tree.insert'))
        self.assertEqual(self.width('Tree.insert'), 1)
        self.assertEqual(self.width('Main.load'), 0)
        self.assertIn('zoom=', self.ask('location.hash'))
        self.ask('document.querySelector("#crumbs button").click()')
        self.browser.drawn()
        self.assertAlmostEqual(self.width('Tree.insert'), before)

    def test_keys_walk_zoom_and_filter(self):
        self.show_allocated()
        self.ask('page.flame.canvas.focus()')
        self.browser.key('ArrowDown')
        name = self.ask('page.flame.paths.text(page.flame.at)')
        self.assertEqual(self.ask('document.querySelector("#details h2").textContent'), name)
        self.browser.key('Enter')
        self.assertIn('zoom=', self.ask('location.hash'))
        self.browser.key('Backspace')
        self.assertNotIn('zoom=', self.ask('location.hash'))
        self.browser.key('ArrowDown')
        for key, field in (('f', 'focus'), ('i', 'ignore'), ('x', 'hide')):
            self.browser.key(key)
            self.assertIn(field + '=', self.ask('location.hash'))
            self.ask('document.querySelector(".chip").click()')
            self.browser.drawn()
            self.ask('page.flame.canvas.focus()')
            self.browser.key('ArrowDown')
        self.browser.key('s')
        self.assertIn('tab=sandwich', self.ask('location.hash'))
        for number, tab in ((1, 'flame'), (3, 'sites'), (4, 'lifetimes'),
                            (len(self.tabs()), 'run')):
            self.browser.key(str(number))
            self.assertFalse(self.ask('document.getElementById("tab-%s").hidden' % tab))
        self.browser.key('/')
        self.assertEqual(self.ask('document.activeElement.id'), 'search')
        self.browser.key('Escape')
        self.browser.key('?')
        self.assertTrue(self.ask('document.getElementById("keys").open'))

    def test_dragging_selects_a_range_and_a_click_a_moment(self):
        self.show_allocated()
        left, top, width = self.ask('(() => { scrollTo(0, 0); const r = document.getElementById('
                                    '"time").getBoundingClientRect(); '
                                    'return [r.left, r.top, r.width]; })()')
        self.browser.drag(left + width / 4, top + 20, left + width / 2)
        end = self.ask('P.end')
        self.assertAlmostEqual(self.ask('S.from') / end, 0.25, places=2)
        self.assertAlmostEqual(self.ask('S.to') / end, 0.5, places=2)
        self.assertIn('--from', self.text('command'))
        self.browser.click(left + width * 0.75, top + 20)
        self.assertEqual(self.ask('S.what'), 'live')
        self.assertAlmostEqual(self.ask('S.to') / end, 0.75, places=2)
        self.ask('page.time.handles[1].focus()')
        before = self.ask('S.to')
        self.browser.key('ArrowLeft')
        self.assertLess(self.ask('S.to'), before)
        self.browser.key('0')
        self.assertEqual(self.ask('[S.what, S.from, S.to].join()'), 'alloc,0,end')

    def test_fingers_select_zoom_and_scroll(self):
        self.browser.call('Emulation.setTouchEmulationEnabled', self.browser.page, enabled=True)
        self.show_allocated()
        left, top, width = self.ask('(() => { scrollTo(0, 0); const r = document.getElementById('
                                    '"time").getBoundingClientRect(); '
                                    'return [r.left, r.top, r.width]; })()')
        self.browser.swipe([(left + width * x, top + 20) for x in (0.25, 0.3, 0.4, 0.5)])
        end = self.ask('P.end')
        self.assertAlmostEqual(self.ask('S.from') / end, 0.25, places=2)
        self.assertAlmostEqual(self.ask('S.to') / end, 0.5, places=2)
        handle = [left + width / 2, top + 20]
        self.browser.swipe([handle, (handle[0] + width / 8, handle[1]),
                            (handle[0] + width / 4, handle[1])])
        self.assertAlmostEqual(self.ask('S.to') / end, 0.75, places=2)
        self.browser.key('0')
        x, y = self.bar('Tree.insert')
        self.browser.swipe([(x, y)])
        self.assertEqual(self.ask('S.zoom'), '')
        self.assertIn('Tree.insert', self.text('tip') + self.text('details'))
        x, y = self.bar('Tree.insert')
        self.browser.swipe([(x, y)])
        self.assertNotEqual(self.ask('S.zoom'), '')

    def tabs(self):
        return self.ask('[...document.getElementById("tabs").children].map(b => b.id)')

    def test_every_choice_draws(self):
        values = '[...document.getElementById("%s").options].map(o => o.value)'
        for name in ('what', 'by', 'unit', 'axis', 'color', 'inverted', 'live'):
            for choice in self.ask(values % name):
                for tab in self.tabs():
                    with self.subTest(name=name, choice=choice, tab=tab):
                        self.ask('document.getElementById("%s").click()' % tab)
                        self.choose(name, choice)
                        self.assertEqual(self.text('problem'), '')

    def test_the_address_restores_the_view(self):
        self.show_allocated()
        self.choose('by', 'site')
        self.choose('focus', 'Tree')
        address, sentence = self.ask('location.href'), self.text('sentence')
        self.browser.open(address[len('file://'):])
        self.assertEqual(self.text('sentence'), sentence)
        self.assertEqual(self.ask('[S.by, S.focus].join()'), 'site,Tree')

    def test_back_undoes_a_choice(self):
        self.choose('unit', 'blocks')
        self.assertEqual(self.ask('S.unit'), 'blocks')
        self.ask('new Promise(done => { addEventListener("popstate", () => setTimeout(done, 50)); '
                 'history.back(); })')
        self.assertEqual(self.ask('[S.unit, document.getElementById("unit").value].join()'),
                         'bytes,bytes')

    def test_a_wrong_pattern_is_reported(self):
        self.choose('focus', '(')
        self.assertIn('Invalid regular expression', self.text('problem'))

    def test_no_request_leaves_the_page(self):
        for tab in self.tabs():
            self.ask('document.getElementById("%s").click()' % tab)
            self.browser.drawn()
        urls = [e['params']['request']['url'] for e in self.browser.events
                if e['method'] == 'Network.requestWillBeSent']
        self.assertEqual([u for u in urls if not u.endswith('/page.html')], [])

    def test_nothing_is_wider_than_the_window(self):
        for width in (390, 768, 1440, 2560):
            self.browser.size(width, 900)
            for tab in self.tabs():
                self.ask('document.getElementById("%s").click()' % tab)
                self.browser.drawn()
                with self.subTest(width=width, tab=tab):
                    self.assertLessEqual(self.ask('document.documentElement.scrollWidth'), width)

    def test_text_has_enough_contrast_in_both_themes(self):
        contrast = '''() => {
          const light = c => { const m = c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * m[0] + 0.7152 * m[1] + 0.0722 * m[2]; };
          const back = e => { for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if (!/, 0\\)|transparent/.test(c)) return c; }
            return getComputedStyle(document.body).backgroundColor; };
          return [...document.querySelectorAll('body *')].filter(e => e.offsetParent &&
            [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
            .map(e => { const a = light(getComputedStyle(e).color), b = light(back(e));
              return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05),
                      e.outerHTML.slice(0, 80)]; })
            .filter(([ratio]) => ratio < 4.5);
        }'''
        for theme in ('light', 'dark'):
            self.browser.size(1440, 900, theme)
            self.browser.drawn()
            self.assertEqual(self.ask('document.documentElement.dataset.theme'), theme)
            for tab in self.tabs():
                self.ask('document.getElementById("%s").click()' % tab)
                self.browser.drawn()
                with self.subTest(theme=theme, tab=tab):
                    self.assertEqual(self.call(contrast), [])

    def test_screen_readers_find_the_bars(self):
        self.show_allocated()
        self.ask('new Promise(done => setTimeout(done, 300))')
        items = self.ask('[...page.flame.canvas.children].map(e => e.textContent)')
        self.assertTrue(any(i.startswith('Tree.insert') and i.endswith(' %') for i in items), items)
        current = self.ask('page.flame.canvas.getAttribute("aria-activedescendant")')
        self.assertTrue(self.ask('document.getElementById("%s") !== null' % current))
