"""Ends processes and all their descendants, including those in other sessions."""
import ctypes
import os
import signal
import time

PR_SET_CHILD_SUBREAPER = 36


def heed_signals():
    """Restores SIGINT, SIGQUIT and SIGHUP for programs started from now on. A shell without job
    control starts `./dev test &` with the first two ignored, nohup with the third, and children
    inherit that. This process still ignores SIGHUP under nohup."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)  # no handler survives an exec


def adopt_orphans():
    """Makes this process the parent of orphaned descendants, so that descendants() finds them."""
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
                continue  # it has ended meanwhile
            state, parent = tail.split()[:2]
            found[int(name)] = int(parent), state, head.partition('(')[2]
    return found


def descendants(ancestor):
    """{process: name} of all running descendants."""
    rows = _parents()
    below = {ancestor}
    grown = True
    while grown:
        more = {process for process, row in rows.items() if row[0] in below} - below
        below |= more
        grown = bool(more)
    return {p: rows[p][2] for p in below - {ancestor} if rows[p][1] not in 'ZX'}


def is_running(process):
    """Whether it has not ended; a zombie has."""
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
    """Kills all descendants. They are stopped first, so that they start no others."""
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
    """Kills a child of the caller and its descendants. The caller must still wait for it."""
    _send(process, signal.SIGSTOP)
    kill_below(process)
    _send(process, signal.SIGKILL)


def reap_orphans(seconds):
    """Kills all remaining descendants and waits until they are gone."""
    end = time.monotonic() + seconds
    kill_below(os.getpid())
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.02)
        except ChildProcessError:
            return
