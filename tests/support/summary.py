"""The last line of a suite, `N passed, M failed`, and what it counts for."""
import re

LINE = re.compile(rb'^(\d+) passed, (\d+) failed\s*$')


def counts(last, status):
    """(passed, failed) of a suite that ended with this line and this exit status. One that did not
    get as far as its last line, or that failed without saying where, counts as one failure."""
    found = LINE.match(last)
    if not found:
        return 0, 1
    passed, failed = int(found.group(1)), int(found.group(2))
    return passed, failed if status == 0 else max(failed, 1)
