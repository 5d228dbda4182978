"""Runs the cases of unittest in several processes, a class at a time, and shows what fails."""
import concurrent.futures
import multiprocessing
import unittest


class Shown(unittest.TestResult):
    """Shows failures and skipped tests only, as they come."""

    def show(self, test, error):
        print('FAIL %s\n%s' % (test.id(), self._exc_info_to_string(error, test)), flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.show(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.show(test, err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print('SKIP %s: %s' % (test.id(), reason), flush=True)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.show(subtest, err)


def all_tests(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from all_tests(test)
        else:
            yield test


def chosen(suite, names):
    """Classes of tests: the lists of those whose names contain one of `names`, or all."""
    classes = {}
    for test in all_tests(suite):
        if not names or any(name in test.id() for name in names):
            classes.setdefault(type(test), []).append(test)
    return list(classes.values())


_classes = []


def _run_class(number):
    """(tests that ran, failed, were skipped)."""
    result = Shown()
    unittest.TestSuite(_classes[number]).run(result)
    broken = {id(getattr(test, 'test_case', test)) for test, _ in result.failures + result.errors}
    return result.testsRun, len(broken), len(result.skipped)


def run(classes, jobs=1, prepare=lambda: None):
    """Runs the classes in at most `jobs` processes, each of which calls prepare first. Prints the
    last line of a suite and returns its exit status."""
    _classes[:] = classes  # the processes inherit it
    numbers = range(len(classes))
    if min(jobs, len(classes)) > 1:
        with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context('fork'),
                                                    prepare) as pool:
            rows = list(pool.map(_run_class, numbers))
    else:
        prepare()
        rows = list(map(_run_class, numbers))
    ran, failed, skipped = (sum(column) for column in zip((0, 0, 0), *rows))
    print('%d passed, %d failed' % (ran - failed - skipped, failed))
    return 1 if failed or not ran else 0
