"""`prof top` at a terminal, which tmux plays."""
import os
import re
import signal
import subprocess

from place import LOOP, Program, check, wait_until
from terminal import Terminal


class Screen:
    """`prof top` at a terminal."""

    def __init__(self, place, *words, columns=80, rows=24, **environment):
        pairs = dict(XDG_RUNTIME_DIR=place.runtime, TMPDIR=place.folder, **environment)
        self.terminal = Terminal(place.folder, [place.bactrian, 'prof', 'top', *words],
                                 pairs.items(), columns, rows)

    def lines(self, *options):
        text = self.terminal.run('capture-pane', '-p', *options)
        return [line.rstrip() for line in text.split('\n')]

    def wait(self, pattern, *options):
        try:
            wait_until(lambda: re.search(pattern, '\n'.join(self.lines(*options)), re.M), pattern)
        except AssertionError:
            raise AssertionError('no %r in\n%s' % (pattern, '\n'.join(self.lines())))
        return self.lines(*options)

    def press(self, key, pattern):
        self.terminal.run('send-keys', key)
        return self.wait(pattern)

    def pid(self):
        """That of `prof top`, which a shell has started."""
        shell = self.terminal.run('list-panes', '-F', '#{pane_pid}').strip()
        with open('/proc/%s/task/%s/children' % (shell, shell), encoding='ascii') as file:
            return int(file.read().split()[0])

    def leave(self, status=0):
        self.press('q', 'status %d' % status)
        self.terminal.close()


def megabytes(text, what):
    found = re.search(what + r' ([0-9.]+) (kB|MB|B)', text)
    return float(found.group(1)) * {'B': 1e-6, 'kB': 1e-3, 'MB': 1}[found.group(2)]


def test_top_of_a_process(place):
    program = place.loop()
    screen = Screen(place, '--rate', '1e-2', program.pid)
    lines = screen.wait(r'^ .* Program\.grow \(program\.ml:\d+:\d+-\d+\)$')
    check(lines[0].startswith('process %s  runs, recorded for ' % program.pid), lines)
    check(lines[4] == '     rate/s        live  growth/min  site', lines)
    keys = 'f flame  l leaks  g collector  d difference  s snapshot  o output  q quit'
    check(lines[23] == keys, lines)
    text = '\n'.join(screen.wait('recorder .* before attaching: '))
    check(8 <= megabytes(text, 'before attaching:') < 20, text)
    screen.wait('proven live [0-9.]+ [kM]B')
    screen.press('f', r'allocated in the whole run[^$]*t: table')
    screen.press('Escape', 'growth/min')
    screen.press('l', r'share +bytes')
    screen.press('g', r'minor collections')
    screen.press('PageDown', r'Why it ran')
    screen.press('t', 'growth/min')
    screen.press('d', 'site, since the mark')
    screen.press('d', r'site$')
    screen.press('o', 'only the output of a program that')
    screen.press('s', r'%s.heap: \d+ blocks' % program.pid)
    screen.leave()
    status = lambda: place.done('attach', '--status', program.pid).stdout
    wait_until(lambda: b': not recorded' in status(), 'it goes on')
    again = Screen(place, '-o', 'kept.prof', program.pid)
    again.wait('Program.grow')
    again.press('q', 'next: bactrian prof summary kept.prof')
    again.terminal.close()
    check(place.done('summary', 'kept.prof').stderr == b'', 'the file is complete')
    check('bactrian-top' not in ' '.join(os.listdir(place.folder)), 'a temporary file')
    program.end()


def test_top_starts_a_program(place):
    path = place.compile(LOOP.replace('print_endline "ready"',
                                      'print_endline "out\\027[31m!"; prerr_endline "err"'))
    screen = Screen(place, path, os.path.join(place.folder, 'stop'))
    screen.wait('Program.grow')
    lines = screen.press('o', '^out.*$')
    check('out?[31m!' in lines and 'err' in lines, lines)
    screen.press('t', 'growth/min')
    screen.press('s', r'\.heap: \d+ blocks')
    with open(os.path.join(place.folder, 'stop'), 'w', encoding='ascii'):
        pass
    screen.wait('has ended')
    check('1000' in screen.press('o', '1000$'), 'its last output')
    screen.leave()
    check(not [name for name in os.listdir(place.folder) if name.startswith('bactrian-top')],
          'a temporary file')


def test_top_terminates_what_it_started(place):
    path = place.compile(LOOP)
    screen = Screen(place, path, os.path.join(place.folder, 'never'))
    screen.wait('Program.grow')
    screen.leave()
    found = subprocess.run(['pgrep', '-f', path], stdout=subprocess.PIPE, check=False).stdout
    check(found == b'', found)


def test_top_with_and_without_colours(place):
    program = place.loop()
    for setting, bold in ({}, True), ({'NO_COLOR': '1'}, False):
        screen = Screen(place, program.pid, TERM='screen-256color', **setting)
        screen.wait('Program.grow')
        text = '\n'.join(screen.lines('-e'))
        check(('\033[1m' in text) == bold, text)
        screen.leave()
    program.end()


def test_top_on_small_and_large_terminals(place):
    program = place.loop()
    for columns, rows in (20, 5), (40, 10), (200, 60):
        screen = Screen(place, program.pid, columns=columns, rows=rows)
        screen.wait('process %s' % program.pid)
        screen.terminal.run('resize-window', '-x', '100', '-y', '30')
        lines = screen.wait('Program.grow')
        check(lines[29].startswith('f flame'), lines)
        screen.leave()
    program.end()


def test_top_needs_a_terminal(place):
    program = place.loop()
    place.refused(b'prof top needs a terminal', 'top', program.pid)
    screen = Screen(place, program.pid, TERM='dumb')
    screen.wait(r'prof top needs a terminal[^$]*status 125')
    screen.terminal.close()
    screen = Screen(place, '999999999')
    screen.wait(r'there is no such process[^$]*status 125')
    screen.terminal.close()
    program.end()


def test_top_of_a_process_that_dies(place):
    program = place.loop()
    screen = Screen(place, program.pid)
    screen.wait('Program.grow')
    program.child.kill()
    program.child.wait()
    screen.wait('has ended')
    screen.press('f', 'Program.grow')
    screen.press('s', 'there is no such process')
    screen.leave()


def test_top_of_a_process_that_stands_still(place):
    program = place.loop()
    screen = Screen(place, program.pid)
    screen.wait('Program.grow')
    program.child.send_signal(signal.SIGSTOP)
    screen.press('s', 'taking a snapshot')
    screen.press('l', 'share +bytes')
    screen.press('t', 'growth/min')
    program.child.send_signal(signal.SIGCONT)
    screen.wait(r'\.heap: \d+ blocks')
    screen.leave()
    program.end()


def test_the_file_is_cut_while_it_is_read(place):
    program = place.loop()
    for length in 0, 10, 100, 5000:
        screen = Screen(place, '--rate', '1e-2', '--force', '-o', 'cut.prof', program.pid)
        screen.wait('Program.grow')
        os.truncate(os.path.join(place.folder, 'cut.prof'), length)
        for key in 'fgl':
            screen.terminal.run('send-keys', key)
        screen.press('t', 'growth/min')
        screen.press('q', 'status 0')
        screen.terminal.close()
    program.end()


def test_a_process_goes_on_while_its_viewer_hangs(place):
    program = place.loop()
    screen = Screen(place, program.pid)
    screen.wait('Program.grow')
    os.kill(screen.pid(), signal.SIGSTOP)
    program.end()
    os.kill(screen.pid(), signal.SIGCONT)
    screen.wait('has ended')
    screen.leave()


def test_keys_that_come_together_are_all_keys(place):
    program = place.loop()
    screen = Screen(place, '--rate', '1e-2', program.pid)
    screen.wait('growth/min')
    for keys, pattern in (('fg', 'minor collections'), ('flt', 'growth/min'),
                          ('t\033[5~\033[Z\033[1;5Cf', 'whole run'), ('g\033', 'growth/min')):
        screen.terminal.run('send-keys', '-l', keys)
        screen.wait(pattern)
    screen.terminal.run('send-keys', '-l', 'fgq')
    screen.wait('status 0')
    screen.terminal.close()
    program.end()


def test_hostile_names_on_the_screen(place):
    source = LOOP.replace('let grow', '\n# 1 "\033]0;title\a\033[41mevil\033[2J.ml"\nlet grow')
    program = Program(place, place.compile(source))
    screen = Screen(place, program.pid)
    screen.wait(r'\?\]0;title\?\?\[41mevil\?\[2J\.ml')
    for key, pattern in (('f', 'whole run'), ('l', 'at the end'), ('t', 'growth/min')):
        screen.press(key, pattern)
        check('\033[41m' not in '\n'.join(screen.lines('-e')), 'a colour of the name')
    check('title' not in screen.terminal.run('display-message', '-p', '#{pane_title}'), 'a title')
    screen.leave()
    program.end()
