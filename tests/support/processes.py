"""Ending processes with all that they have started, those in sessions of their own included."""
import ctypes
import os
import signal
import time

PR_SET_CHILD_SUBREAPER = 36


def heed_signals():
    """Programs started from now on end at SIGINT, SIGQUIT and SIGHUP, whatever was done to this
    process: a shell without job control starts `./dev test &` with the first two ignored, nohup
    the third, and that is inherited. This process itself goes on heeding nohup."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)  # no handler survives an exec


def adopt_orphans():
    """From now on what has lost its parent becomes a child of this process, not of the system's
    first one, and is found by descendants."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _parents():
    """{process: (its parent, its state, its name)}"""
    found = {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                with open('/proc/%s/stat' % name, encoding='latin-1') as file:
                    head, _, tail = file.read().rpartition(')')
            except OSError:
                continue  # it has just ended
            state, parent = tail.split()[:2]
            found[int(name)] = int(parent), state, head.partition('(')[2]
    return found


def descendants(ancestor):
    """{process: name} of all below it that have not ended."""
    rows = _parents()
    below = {ancestor}
    grown = True
    while grown:
        more = {process for process, row in rows.items() if row[0] in below} - below
        below |= more
        grown = bool(more)
    return {p: rows[p][2] for p in below - {ancestor} if rows[p][1] not in 'ZX'}


def is_running(process):
    """Whether it has not ended, waited for or not."""
    try:
        with open('/proc/%d/stat' % process, encoding='latin-1') as file:
            return file.read().rpartition(')')[2].split()[0] not in 'ZX'
    except OSError:
        return False


def _send(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def kill_below(ancestor):
    """Kills all below it. They are frozen first, since what runs may start others."""
    frozen = set()
    while True:
        more = set(descendants(ancestor)) - frozen
        if not more:
            break
        for process in more:
            _send(process, signal.SIGSTOP)
        frozen |= more
    for process in frozen:
        _send(process, signal.SIGKILL)


def kill_with_all(process):
    """The same for a child of the caller and all below it. The caller still has to wait for it."""
    _send(process, signal.SIGSTOP)
    kill_below(process)
    _send(process, signal.SIGKILL)


def reap_orphans(seconds):
    """Kills what is left below this process, and waits until it is gone."""
    end = time.monotonic() + seconds
    kill_below(os.getpid())
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.02)
        except ChildProcessError:
            return
