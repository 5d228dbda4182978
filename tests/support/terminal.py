"""Programs at a terminal, which tmux plays."""
import os
import re
import shlex
import subprocess
import tempfile
import time

import processes

PATIENCE = 120  # seconds, on a busy machine


class Terminal:
    """A separate tmux server, with one window that runs a command."""

    def __init__(self, folder, command, environment=(), columns=100, rows=50):
        socket = tempfile.mktemp(prefix='tmux-', dir=folder)
        self.tmux = ['tmux', '-S', socket, '-f', '/dev/null']
        self.closed = False
        self.folder = folder
        setting = ['env'] + ['%s=%s' % pair for pair in environment]
        shown = ' '.join(map(shlex.quote, setting + command))
        self.run('new-session', '-d', '-x', str(columns), '-y', str(rows), '-c', folder,
                 shown + '; echo "status $?"; sleep 100')

    def run(self, *words):
        return subprocess.run(self.tmux + list(words), stdout=subprocess.PIPE, check=True,
                              timeout=PATIENCE).stdout.decode()

    def screen(self, *options):
        return re.sub(' +\n', '\n', self.run('capture-pane', '-p', '-J', '-S', '-', *options))

    def type(self, text, *keys):
        if text: # a semicolon at the end would be tmux's own
            self.run('send-keys', '-l', re.sub(r';$', r'\;', text))
        if keys:
            self.run('send-keys', *keys)

    def paste(self, text):
        path = os.path.join(self.folder, 'pasted')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        self.run('load-buffer', path)
        self.run('paste-buffer', '-p')

    def expect(self, pattern, *options):
        """Waits until the screen's end matches, after the last command's match."""
        end = time.time() + PATIENCE
        while time.time() < end:
            if re.search(pattern + r'\s*\Z', self.screen(*options)):
                return
            time.sleep(0.05)
        raise AssertionError('no %r at the end of:\n%s' % (pattern, self.screen(*options)))

    def expect_cursor(self, column):
        """Waits until the cursor is in that column: a prompt of blanks cannot be seen."""
        end = time.time() + PATIENCE
        while self.run('display-message', '-p', '#{cursor_x}') != '%d\n' % column:
            if time.time() > end:
                raise AssertionError('no cursor in column %d:\n%s' % (column, self.screen()))
            time.sleep(0.05)

    def close(self):
        """Ends the server, and waits until its processes have removed their folders."""
        if self.closed:
            return
        self.closed = True
        ran = processes.descendants(int(self.run('display-message', '-p', '#{pid}')))
        subprocess.run(self.tmux + ['kill-server'], stderr=subprocess.DEVNULL, timeout=PATIENCE)
        end = time.time() + PATIENCE
        while any(map(processes.is_running, ran)):
            if time.time() > end:
                raise AssertionError('these do not end: %s' % ran)
            time.sleep(0.01)
