"""Completion: the words that `complete` prints, and what bash, zsh and fish make of them."""
import os
import shutil
import unittest

from support import ROOT, Case

FOLDER = os.path.join(ROOT, 'vm', 'cli', 'completion')
# Prints what bash would offer for the line in $LINE.
BASH = '''. "$0/bactrian.bash"
compopt() { :; }
COMP_LINE=$LINE COMP_POINT=${#LINE}
_bactrian
printf '%s\\n' "${COMPREPLY[@]}"'''


class Completion(Case):
    def words(self, *line):
        done = self.bactrian('complete', *line)
        self.expect(done)
        return [word.split('\t')[0] for word in done.out.splitlines()]

    def test_verbs_stand_first(self):
        self.assertIn('prof', self.words(''))
        self.assertIn(':files', self.words(''))
        self.assertEqual(self.words('pro'), ['prof', ':files'])
        self.assertEqual(self.words('prof', 'su'), ['summary'])
        self.assertEqual(self.words('help', 'rep'), ['repl'])
        self.assertEqual(self.words('help', 'prof', 'fl'), ['flame'])
        self.assertEqual(self.words('help', 'run', ''), [])

    def test_options_are_those_of_the_verb(self):
        self.assertEqual(self.words('--max-h'), ['--max-heap'])
        self.assertEqual(self.words('prof', 'record', '--ra'), ['--rate'])
        self.assertEqual(self.words('--ra'), [])
        self.assertEqual(self.words('prof', 'table', '--b'), ['--by'])
        self.assertEqual(self.words('mlprof', '-call'), ['-call-graph'])
        self.assertEqual(self.words('prof', '--h'), ['--help'])

    def test_arguments_are_those_of_the_option(self):
        self.assertEqual(self.words('--jit', 'h'), ['hot'])
        self.assertEqual(self.words('--jit=h'), ['--jit=hot'])
        self.assertEqual(self.words('--deny', 'net,pr'), ['net,proc'])
        self.assertEqual(self.words('--deny=fs-r'), ['--deny=fs-read'])
        self.assertEqual(self.words('prof', 'table', 'p', '--show', 'pro'), ['promoted'])
        self.assertEqual(self.words('prof', 'export', '--to', 'ppr'), ['pprof'])
        self.assertEqual(self.words('prof', 'record', '--live', ''), ['proven', 'exact'])
        self.assertEqual(self.words('prof', 'table', '--live', 'p'), ['proven'])
        self.assertEqual(self.words('prof', 'html', 'p', '-o', ''), [':files'])
        self.assertEqual(self.words('--ocaml', ''), [':folders'])
        self.assertEqual(self.words('--max-heap', ''), [])

    def test_after_the_program_stand_files(self):
        self.assertEqual(self.words('prog.byte', '--'), [':files'])
        self.assertEqual(self.words('--max-heap', '1M', 'prog.byte', 'pro'), [':files'])
        self.assertEqual(self.words('prof', 'record', 'prog.byte', '--ra'), [':files'])
        self.assertEqual(self.words('prof', 'table', 'p', '--b'), ['--by'])
        self.assertEqual(self.words('--', '-'), [':files'])

    def in_bash(self, line):
        done = self.run_command(['bash', '-c', BASH, FOLDER], env={'LINE': line})
        self.expect(done)
        return done.out.split()

    def test_bash_offers_them(self):
        self.place.write('complete/zzz.byte', '')
        self.assertEqual(self.in_bash('bactrian prof su'), ['summary'])
        self.assertEqual(self.in_bash('bactrian prof '), self.in_bash('bactrian help prof '))
        self.assertEqual(self.in_bash('bactrian --jit=h'), ['hot'])
        self.assertEqual(self.in_bash('bactrian complete/z'), ['complete/zzz.byte'])
        self.assertEqual(self.in_bash('bactrian --perf-map complete/z'), ['complete/zzz.byte'])

    @unittest.skipUnless(shutil.which('fish'), 'fish is not installed')
    def test_fish_offers_them(self):
        for line, word in (('bactrian prof su', 'summary'), ('bactrian --jit=h', '--jit=hot')):
            done = self.run_command(['fish', '-c', 'source %s/bactrian.fish; complete -C "%s"'
                                     % (FOLDER, line)])
            self.assertEqual([w.split('\t')[0] for w in done.out.splitlines()], [word], done)

    @unittest.skipUnless(shutil.which('zsh'), 'zsh is not installed')
    def test_zsh_offers_them(self):
        text = ('_files() { print files }; _call_program() { shift; eval "$*" }\n'
                'compset() { : }; _describe() { print -l ${(P)3} }\n'
                'words=(bactrian prof su) CURRENT=3; . %s/_bactrian' % FOLDER)
        done = self.run_command(['zsh', '-f', '-c', text])
        self.assertEqual([line.split(':')[0] for line in done.out.splitlines()], ['summary'], done)


if __name__ == '__main__':
    unittest.main()
