"""The Source tab of the HTML report, of pages made with --embed-source."""
import os
import re
import shutil
import unittest

import test_page

PROGRAM = r'''let kept = ref []
let pair a b = a, b
(* A comment: "</script>", <b>&amp; and umlauts: UMLAUTS. *)
let rec grow n =
  if n > 0 then begin
    kept := pair n (string_of_int n) :: !kept;
    grow (n - 1)
  end




let churn n =
  for i = 1 to n do ignore (Sys.opaque_identity (Array.make (i mod 90) 0)) done

let rec down depth = if depth = 0 then Array.make 40 0.5 else 0.5 +: down (depth - 1)
and (+:) x a = Array.append [|x|] a
let () =
  grow 20_000; churn 5_000; ignore (Sys.opaque_identity (down 60))
'''.replace('UMLAUTS', '\u00e4\u00f6\u00fc')

# The rows of the table as the verb's JSON has them: figures and text of each line.
ROWS = '''
  fields => {
    S = {...P.begin, tab: 'source', ...fields};
    draw();
    return [...document.querySelectorAll('#source tbody tr')]
      .filter(tr => tr.cells.length > 1)
      .map(tr => [0, 1, 2, 4, 5].map(i => tr.cells[i].textContent));
  }'''


@unittest.skipUnless(shutil.which('chromium') and shutil.which('ocamlc'), 'no chromium or ocamlc')
class Source(test_page.InBrowser):
    profile = 'p.bprof'

    def make_profile(self):
        self.write('p.ml', PROGRAM.encode())
        self.prof('record', '--quiet', '--seed', '3', '--rate', '0.02', '-o', 'p.bprof', 'p.ml')

    def embed(self, *words):
        self.prof('html', self.profile, '--embed-source', *words, '-o', 'page.html', '--force')
        self.browser.open(os.path.join(self.folder, 'page.html'))

    def test_a_page_has_no_source_unless_it_is_asked_for(self):
        page = self.read('page.html').decode()
        self.assertIn('<script type="text/plain" id="texts"></script>', page)
        self.assertNotIn('show-source', self.ask('document.getElementById("tabs").innerHTML'))
        self.ask('change({tab: "source"})')
        self.assertIn('--embed-source', self.text('tab-source'))

    def test_lines_have_the_figures_of_annotate(self):
        self.embed()
        for fields in ({'what': 'alloc', 'to': 'end'}, {}, {'what': 'promoted', 'to': 'end'},
                       {'what': 'alloc', 'to': 'end', 'unit': 'blocks', 'focus': 'P.grow'},
                       {'what': 'alloc', 'to': 'end', 'hide': 'pair'}):
            with self.subTest(fields):
                rows = self.call(ROWS, fields)
                printed = self.printed(self.text('command'))
                figures = [row for row in rows if row[0] or row[2]]
                self.assertEqual([self.plain(row) for row in figures], printed)
                self.assertGreater(len(printed), 2)

    def plain(self, row):
        own, margin, through, line, text = row
        figure = own + ' ' + margin if margin else own
        return [' '.join(figure.split()), through, line, text.strip()]

    def printed(self, command):
        """The lines with figures that a command prints, as the page has them."""
        rows = []
        for row in self.verb(command)['lines']:
            if row['self'] is None and row['through'] is None:
                continue
            own = row['self']
            show = 'unitShow(S.unit)'
            text = '' if own is None else self.ask(
                'estimateText({value: %r, low: %r, high: %r}, %s)' % (
                    own['value'], own['low'], own['high'], show))
            through = self.ask('%s(%r)' % (show, row['through']))
            rows.append([' '.join(text.split()), through, str(row['line']), row['source'].strip()])
        return rows

    def test_only_lines_near_figures_are_shown_until_the_file_is_asked_for(self):
        self.embed()
        lines = [int(row[3]) for row in self.call(ROWS, {'what': 'alloc', 'to': 'end'})]
        self.assertNotIn(10, lines)
        self.ask('{ const c = document.getElementById("whole"); c.checked = true; c.onchange(); }')
        rows = self.call(ROWS, {'what': 'alloc', 'to': 'end'})
        self.assertEqual([row[4] for row in rows], PROGRAM.rstrip('\n').split('\n'))

    def test_a_function_leads_to_its_source(self):
        self.embed()
        self.ask('command("l", P.texts.fn.find(name => name.startsWith("P.churn ")), "fn")')
        self.browser.drawn()
        marked = self.ask('document.querySelector("#source tr.marked").textContent')
        self.assertIn('for i = 1 to n do', marked)
        self.assertEqual(self.ask('S.tab'), 'source')

    def test_a_line_that_calls_itself_counts_once(self):
        self.embed()
        total = self.ask('(draw(), page.sum.hits)')
        rows = self.call('''() => { S = {...P.begin, what: 'alloc', to: 'end'}; draw();
            return [...annotatedLines(P, page.scope, page.picked, 'p.ml')].map(
              ([line, row]) => [line, row.through.hits]); }''')
        total = self.ask('page.sum.hits')
        through = dict(rows)
        deep = PROGRAM.split('\n').index(
            next(x for x in PROGRAM.split('\n') if x.startswith('let rec down'))) + 1
        self.assertGreater(through[deep], 0)
        self.assertTrue(all(hits <= total for hits in through.values()), through)

    def test_only_sources_below_the_given_folders_are_embedded(self):
        os.rename(os.path.join(self.folder, 'p.ml'), os.path.join(self.folder, '..', 'p.ml'))
        self.addCleanup(os.remove, os.path.join(self.folder, '..', 'p.ml'))
        self.embed()
        self.assertEqual(self.ask('page.sources.names'), [])
        self.assertIn('No source file was found', self.text('notes'))
        os.mkdir(os.path.join(self.folder, 'src'))
        self.write('src/p.ml', b'(* moved *)\n')
        self.embed('--source', 'src')
        self.assertEqual(self.ask('page.sources.lines.get("p.ml")'), ['(* moved *)'])

    def test_binary_files_are_left_out(self):
        self.write('p.ml', b'let x = 1\0\n')
        self.embed()
        self.assertEqual(self.ask('page.sources.names'), [])
        self.assertIn('1 source files are left out', self.text('notes'))

    def test_options_that_make_no_sense_are_refused(self):
        for words, what in ((['--source', '.'], '--source: the page holds no sources'),
                            ([self.profile, '--embed-source'],
                             '--embed-source: the sources of two profiles may differ')):
            _, err, status = self.run_prof('html', self.profile, *words, '-o', 'x.html')
            self.assertEqual(status, 125)
            self.assertRegex(err.decode(), '^bactrian: ' + re.escape(what))
