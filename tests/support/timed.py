"""Suites that can be told how long they may take.

Such a suite has the options of add_options. It begins at a place that --seed chooses, starts
nothing more when its time is over, and then says in one line, before its last one, what it has
left out:

  cut short: 212 of 573 programs not run: marshal/a, marshal/b, ..., gc/z

`bounded`, which hands out the time, looks for this line. What was not run is not counted."""
import time

GOLDEN = 0.6180339887498949
SHOWN = 4


def add_options(parser):
    parser.add_argument('--seconds', type=float, help='end by then, and say what was not run')
    parser.add_argument('--seed', type=int, default=0, help='chooses where to begin')


class Clock:
    """The time that is left; without `seconds` it never ends."""

    def __init__(self, seconds=None):
        self.end = None if seconds is None else time.monotonic() + seconds

    def is_over(self):
        return self.end is not None and time.monotonic() >= self.end

    def left(self, most):
        """Seconds until the end, at most so many."""
        return most if self.end is None else max(0.0, min(most, self.end - time.monotonic()))


def rotated(rows, seed):
    """The same rows from another one on. Successive seeds begin far from each other, so that short
    runs on successive days get everywhere."""
    rows = list(rows)
    start = int(seed * GOLDEN % 1 * len(rows))
    return rows[start:] + rows[:start]


def say_cut_short(left, total, what, names=()):
    """Says how many of `total` were not run, if any, and the names of these."""
    if left == 0:
        return
    shown = list(names)
    if len(shown) > SHOWN:
        shown[SHOWN - 1:-1] = ['...']
    print('cut short: %d of %d %s not run%s' % (left, total, what,
                                                ': ' + ', '.join(shown) if shown else ''),
          flush=True)
