"""`prof shell`: the verbs at a prompt, from a pipe and on a terminal."""
import os
import pty
import select
import signal
import subprocess
import time

import ctf
import support


class Shell(support.Case):
    def setUp(self):
        super().setUp()
        self.write('small.ctf', ctf.small().bytes)

    def run_shell(self, text, status=0):
        done = subprocess.run([self.settings.bactrian, 'prof', 'shell', 'small.ctf'],
                              cwd=self.folder, input=text.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def test_lines_from_a_pipe_print_what_the_verbs_print(self):
        lines = [['table'], ['tree', '--by', 'fn'], ['table', '--focus', 'Main.load|x y'],
                 ['diff', 'small.ctf'], ['annotate', 'load'], ['check'], ['stats', '--json'],
                 ['export', '--to', 'folded']]
        expected = ''.join(self.prof(words[0], 'small.ctf', *words[1:]) for words in lines)
        text = '\n'.join(' '.join('"%s"' % w if ' ' in w else w for w in words) for words in lines)
        self.assertEqual(self.run_shell(text + '\n'), (expected, ''))

    def test_quotes_comments_and_the_end(self):
        table = self.prof('table', 'small.ctf', '--focus', 'Tree.b')
        text = "# nothing\n\n  table --focus 'Tree.'\"b\"  # said\nquit\nnope\n"
        self.assertEqual(self.run_shell(text), (table, ''))

    def test_a_wrong_line_is_reported_and_the_next_runs(self):
        out, err = self.run_shell('nope\ntable --by x\ntable "\ntable', status=125)
        self.assertEqual(out, self.prof('table', 'small.ctf'))
        self.assertEqual([line.split(': ')[1] for line in err.splitlines()],
                         ['no such verb', '--by',
                          'a quote is not closed, or the line has too many words'])

    def test_files_can_be_written(self):
        self.run_shell('export --to folded -o out\nmerge small.ctf -o twice.ctf\n')
        self.assertIn(b'Tree.balance', self.read('out'))
        self.prof('check', 'twice.ctf')

    def test_one_file_is_needed(self):
        self.assertEqual(self.run_prof('shell')[2], 125)
        self.assertEqual(self.run_prof('shell', 'none')[2], 125)

    def talk(self, *texts):
        """What a terminal shows: each text is typed after a prompt, when the output is quiet."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.environ.update(TERM='xterm', NO_COLOR='1', XDG_STATE_HOME=self.folder)
            os.execv(self.settings.bactrian, ['bactrian', 'prof', 'shell', 'small.ctf'])
        shown, end = b'', time.time() + 120
        todo = list(texts)
        while time.time() < end:
            ready = select.select([terminal], [], [], 0.3)[0]
            if ready:
                try:
                    shown += os.read(terminal, 65536)
                except OSError:
                    break
            elif todo and b'prof> ' in shown:
                os.write(terminal, todo.pop(0))
        else:
            os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        self.assertEqual((status, todo), (0, []))
        return shown.decode()

    def test_a_terminal_completes_words_and_keeps_a_history(self):
        shown = self.talk(b'tab\t', b'--foc\t', b'Tree.b\t', b'\n', b'quit\n')
        self.assertIn('prof> ', shown)
        self.assertIn(self.prof('table', 'small.ctf', '--focus', 'Tree.balance').split('\n')[0],
                      shown)
        self.assertIn('20.8 kB', self.talk(b'\x1b[A', b'\x1b[A', b'\n', b'quit\n'))
        with open(os.path.join(self.folder, 'bactrian/prof.history')) as file:
            self.assertIn('focus', file.read())
