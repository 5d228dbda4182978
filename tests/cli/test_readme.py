"""Each command of README.md that starts with bactrian is run; tests/prof_live runs those about a
process (PID)."""
import os
import re
import shlex

from support import ROOT
from test_scripts import ScriptCase

HELLO = 'let () = print_endline (String.concat "," (List.init 100 string_of_int))\n'
# What the words in capitals, and the names of files, stand for.
WORDS = {'ARGS': [], 'TEXT': ['print_string "x"'], 'PROGRAM': ['prog.byte'], 'FILE': ['FILE']}


class Readme(ScriptCase):
    def commands(self):
        with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as file:
            blocks = re.findall(r'(?ms)^```\n(.*?)^```', file.read())
        for line in ''.join(blocks).splitlines():
            if line.startswith('bactrian ') and 'PID' not in line.split('  ')[0]:
                yield re.split(r'  +', line.split('#')[0])[0].replace(' ...', '')

    def test_each_command_runs(self):
        folder = os.path.dirname(self.place.write('readme/hello.ml', HELLO))
        self.place.write('readme/script.ml', HELLO)
        self.place.write('readme/prog.ml', HELLO)
        self.place.tool('ocamlc', '-g', '-o', 'readme/prog.byte', 'readme/prog.ml')
        self.expect(self.bactrian('dis', 'readme/prog.byte', '-o', 'readme/prog.basm'))
        self.expect(self.bactrian('dis', 'readme/prog.byte', '-o', 'readme/hello.basm'))
        for words in (['profile'], ['before.prof', '--rate', '1e-3', '--seed', '1']):
            self.expect(self.bactrian('prof', 'record', '--quiet', '-o', 'readme/' + words[0],
                                      *words[1:], 'readme/prog.byte'), err=None)
        count = 0
        for command in self.commands():
            with self.subTest(command=command):
                words = []
                for word in shlex.split(command)[1:]:
                    words += WORDS.get(word, [word])
                made = words[:1] == ['asm'] or words[:1] == ['repl']
                words = ['made' if w == 'FILE' and made else 'profile' if w == 'FILE' else w
                         for w in words]
                if words[:2] == ['prof', 'test'] or words[:2] == ['prof', 'record']:
                    words[2:2] = ['--quiet']
                done = self.script(*words, cwd=folder, stdin=b'')
                self.assertEqual(done.status, 0, (words, done))
                count += 1
        self.assertGreater(count, 12)
