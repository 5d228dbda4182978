"""The tabs of the HTML report for growth, advice and holders."""
import os
import shutil
import unittest

import test_page

# Its names are those of elements and texts that must not become elements.
PROGRAM = '''
let cache : (int, bytes) Hashtbl.t = Hashtbl.create 16
let sessions = ref []
let log = Buffer.create 16
let names = Array.init 3000 (fun i -> "<name> " ^ string_of_int (i mod 3))
# 1 "<b>&amp;.ml"
let open_session i = sessions := Array.make 20 i :: !sessions
let request i =
  Hashtbl.replace cache (i mod 4000) (Bytes.create 60);
  if i mod 4 = 0 then open_session i;
  Buffer.add_string log (string_of_int i);
  ignore (Sys.opaque_identity (List.init 30 (fun x -> x + i)))
let () = for i = 1 to 20_000 do request i done
'''
CELLS = '''
  id => [...document.querySelectorAll("#" + id + " tbody tr")].map(tr =>
    [...tr.cells].map(td => td.textContent))'''


@unittest.skipUnless(shutil.which('chromium') and shutil.which('ocamlc'), 'no chromium or ocamlc')
class Reports(test_page.InBrowser):
    profile = 'p.bprof'

    def make_profile(self):
        self.write('p.ml', PROGRAM.encode())
        self.prof('record', '--quiet', '--seed', '3', '--rate', '0.02', '--snapshot', 'p.heap',
                  '--values', '-o', 'p.bprof', 'p.ml')

    def open_with_snapshot(self):
        self.prof('html', self.profile, '--snapshot', 'p.heap', '-o', 'page.html', '--force')
        self.browser.open(os.path.join(self.folder, 'page.html'))

    def names(self, tab):
        """The last cells of a tab's rows; shows it."""
        self.ask('document.getElementById("show-%s").click()' % tab)
        self.browser.drawn()
        self.assertFalse(self.ask('document.getElementById("tab-%s").hidden' % tab))
        return [row[-1] for row in self.call(CELLS, 'tab-' + tab)]

    def test_growth_and_advice_are_those_of_the_verbs(self):
        for tab, table in (('growth', 'rows'), ('advice', 'rows')):
            names = self.names(tab)
            printed = self.verb(self.text('command'))
            rows = printed[table]
            self.assertGreater(len(rows), 0)
            for row in rows:
                self.assertIn(row['finding'] if tab == 'advice' else row['name'], names)
            self.assertIn(printed['title'], self.text('tab-' + tab))
        equal = [row['finding'] for row in rows if row['finding'].startswith('equal strings')]
        self.assertEqual(len(equal), 1)
        self.assertIn('3,000 held by module P have 3 texts, such as "<name> ', equal[0])

    def test_the_page_finds_the_snapshot_of_the_run(self):
        tabs = 'document.getElementById("tabs").innerHTML'
        self.assertIn('show-holders', self.ask(tabs))
        self.assertIn('P.open_session', ' '.join(self.names('holders')))
        os.rename(os.path.join(self.folder, 'p.heap'), os.path.join(self.folder, 'other.heap'))
        self.prof('html', self.profile, '-o', 'page.html', '--force')
        self.browser.open(os.path.join(self.folder, 'page.html'))
        self.assertNotIn('show-holders', self.ask(tabs))

    def test_holders_are_there_with_a_snapshot(self):
        self.open_with_snapshot()
        self.names('holders')
        text = self.text('tab-holders')
        for part in ('What holds the sampled blocks', 'Suspects', 'module P', 'P.open_session'):
            self.assertIn(part, text)
        self.assertIn('<b>&amp;.ml', text)
        self.assertEqual(self.ask('document.querySelectorAll("#tab-holders b").length'), 0)

    def test_they_fit_narrow_and_wide_windows_in_both_themes(self):
        self.open_with_snapshot()
        for width, theme in ((390, 'light'), (1440, 'dark')):
            self.browser.size(width, 900, theme)
            for tab in ('growth', 'advice', 'holders'):
                self.names(tab)
                self.assertLessEqual(self.ask('document.documentElement.scrollWidth'), width)

    def test_arrows_go_from_tab_to_tab(self):
        self.ask('document.getElementById("show-growth").focus()')
        self.browser.key('ArrowRight')
        self.assertIn('tab=advice', self.ask('location.hash'))
        self.browser.key('ArrowLeft')
        self.assertIn('tab=growth', self.ask('location.hash'))

    def test_a_snapshot_of_another_run_is_refused(self):
        shutil.copy(os.path.join(self.folder, 'p.heap'), os.path.join(self.folder, 'old.heap'))
        self.prof('record', '--quiet', '--rate', '0.02', '-o', 'q.bprof', 'p.ml')
        _, err, status = self.run_prof('html', 'q.bprof', '--snapshot', 'old.heap', '-o', 'x.html')
        self.assertEqual(status, 125)
        self.assertIn(b'not a snapshot of the run', err)
