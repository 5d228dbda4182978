"""prof annotate --lsp, and the editors that show it (memprof/report/editors)."""
import json
import os
import shutil
import subprocess

from support import ROOT, Case

SOURCE = '''let kept = ref []
let () = for i = 1 to 1000 do (* \U0001d11e *) kept := Array.make 50 i :: !kept done

let () = print_int (List.length !kept)
'''
EDITORS = os.path.join(ROOT, 'memprof', 'report', 'editors')
# Stands for VS Code: records what is registered, and asks for it.
NODE = '''
const Module = require('module');
const providers = {};
const vscode = {
  Position: class { constructor(l, c) { this.at = [l, c]; } },
  Range: class { constructor(a, b) { this.ends = [a.at, b.at]; } },
  InlayHint: class { constructor(p, label) { this.place = p.at; this.label = label; } },
  CodeLens: class { constructor(r, command) { this.ends = r.ends; this.title = command.title; } },
  workspace: {
    getConfiguration: () => ({ get: (name) => JSON.parse(process.argv[2])[name] }),
    getWorkspaceFolder: () => ({ uri: { fsPath: process.cwd() } }) },
  languages: {
    registerInlayHintsProvider: (language, p) => { providers.hints = p; },
    registerCodeLensProvider: (language, p) => { providers.lenses = p; } } };
const load = Module._load;
Module._load = (name, ...rest) => name === 'vscode' ? vscode : load(name, ...rest);
require(process.argv[1]).activate({ subscriptions: [] });
const file = { uri: { fsPath: process.cwd() + '/keep.ml' } };
(async () => console.log(JSON.stringify([
  await providers.hints.provideInlayHints(file),
  await providers.lenses.provideCodeLenses(file)])))();
'''
# Prints what the mode shows at the second line, and how much it leaves when it is switched off.
EMACS = '''(progn
  (setq bactrian-memory-command %s bactrian-memory-profile "keep.prof")
  (find-file "keep.ml") (bactrian-memory-mode 1) (goto-char (point-min)) (forward-line 1)
  (princ (mapconcat (lambda (o) (overlay-get o 'after-string))
                    (overlays-in (line-end-position) (line-end-position)) ","))
  (bactrian-memory-mode 0)
  (princ (length (overlays-in (point-min) (point-max)))))'''


class Editors(Case):
    def setUp(self):
        super().setUp()
        self.write('keep.ml', SOURCE.encode())
        subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '--rate', '1', '-o',
                        'keep.prof', 'keep.ml'], cwd=self.folder, check=True,
                       env=dict(os.environ, XDG_CACHE_HOME=self.folder), stdout=subprocess.DEVNULL)

    def annotated(self):
        [document] = json.loads(self.prof('annotate', '--lsp', 'keep.prof', 'keep.ml'))['documents']
        return document

    def test_a_hint_is_at_the_end_of_its_line(self):
        document = self.annotated()
        self.assertEqual(document['file'], 'keep.ml')
        [hint] = [h for h in document['inlayHints'] if h['position']['line'] == 1]
        line = SOURCE.splitlines()[1]
        self.assertEqual(hint['position']['character'], len(line.encode('utf-16-le')) // 2)
        # 1,000 arrays of 50 elements and a header, and as many cells of 3 words.
        self.assertEqual(hint['label'], '432 kB')

    def test_lines_without_figures_have_neither(self):
        document = self.annotated()
        for found in ([h['position']['line'] for h in document['inlayHints']],
                      [lens['range']['start']['line'] for lens in document['codeLenses']]):
            self.assertIn(1, found)
            self.assertNotIn(2, found)
            self.assertEqual(len(set(found)), len(found))

    def test_vs_code_shows_hints_and_lenses(self):
        if not shutil.which('node'):
            self.skipTest('node is not installed')
        settings = {'command': self.settings.bactrian, 'profile': 'keep.prof', 'options': []}
        done = subprocess.run(['node', '-e', NODE, os.path.join(EDITORS, 'vscode', 'extension.js'),
                               json.dumps(settings)], cwd=self.folder, stdout=subprocess.PIPE,
                              check=True)
        hints, lenses = json.loads(done.stdout)
        document = self.annotated()
        self.assertEqual([(h['place'], h['label']) for h in hints],
                         [([h['position']['line'], h['position']['character']], h['label'])
                          for h in document['inlayHints']])
        self.assertEqual([lens['title'] for lens in lenses],
                         [lens['command']['title'] for lens in document['codeLenses']])
        self.assertTrue(hints and lenses)

    def test_emacs_shows_hints(self):
        if not shutil.which('emacs'):
            self.skipTest('emacs is not installed')
        done = subprocess.run(['emacs', '--batch', '-Q', '-l',
                               os.path.join(EDITORS, 'bactrian-memory.el'), '--eval',
                               EMACS % json.dumps(self.settings.bactrian)],
                              cwd=self.folder, stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout.decode(), '  432 kB0')
