"""Suites with a time limit.

Such a suite has the options of add_options. It starts at the case that --seed chooses, starts no
more cases when its time is over, and reports in the line before its last one what it left out:

  cut short: 212 of 573 programs not run: marshal/a, marshal/b, ..., gc/z

`bounded` looks for this line. Cases that did not run are not counted."""
import time

GOLDEN = 0.6180339887498949
SHOWN = 4


def add_options(parser):
    parser.add_argument('--seconds', type=float, help='time limit; what was not run is reported')
    parser.add_argument('--seed', type=int, default=0, help='chooses the first case')


class Clock:
    """The remaining time; unlimited without `seconds`."""

    def __init__(self, seconds=None):
        self.end = None if seconds is None else time.monotonic() + seconds

    def is_over(self):
        return self.end is not None and time.monotonic() >= self.end

    def left(self, most):
        """Seconds until the end, at most `most`."""
        return most if self.end is None else max(0.0, min(most, self.end - time.monotonic()))


def rotated(rows, seed):
    """The rows, rotated. Successive seeds start far from each other, so that short runs on
    successive days cover everything."""
    rows = list(rows)
    start = int(seed * GOLDEN % 1 * len(rows))
    return rows[start:] + rows[:start]


def say_cut_short(left, total, what, names=()):
    """Prints how many of `total` were not run, if any, and their names."""
    if left == 0:
        return
    shown = list(names)
    if len(shown) > SHOWN:
        shown[SHOWN - 1:-1] = ['...']
    print('cut short: %d of %d %s not run%s' % (left, total, what,
                                                ': ' + ', '.join(shown) if shown else ''),
          flush=True)
