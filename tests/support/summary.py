"""The last line of a suite, `N passed, M failed`, and the counts it stands for."""
import re

LINE = re.compile(rb'^(\d+) passed, (\d+) failed\s*$')
SKIP = b'SKIP '  # how a line about a test that was not run begins


def counts(last, status):
    """(passed, failed) of a suite that ended with this line and this exit status. A suite without
    the line, or one that failed without counting a failure, has one failure."""
    found = LINE.match(last)
    if not found:
        return 0, 1
    passed, failed = int(found.group(1)), int(found.group(2))
    return passed, failed if status == 0 else max(failed, 1)
