"""The functions that a program of one line runs, and the constants that it reads, are next to each
other in the binary, so that few of its pages are mapped (vm/cli/order.ld)."""
import collections
import re
import shutil
import subprocess

from support import Case

GROUP = 16 * 4096


class Order(Case):
    def lines(self, *command):
        done = subprocess.run(command, check=True, capture_output=True)
        return done.stdout.decode('latin-1').splitlines()

    def sections(self):
        """The first address and the size of each section."""
        rows = [re.match(r'\s*\[ *\d+\] (\.\S+) +\S+ +(\w+) \w+ (\w+) ', line)
                for line in self.lines('readelf', '-SW', self.place.bactrian)]
        return {row[1]: (int(row[2], 16), int(row[3], 16)) for row in rows if row}

    def functions(self):
        """The addresses of each name: static functions of several files may share one."""
        addresses = collections.defaultdict(list)
        for row in (line.split() for line in self.lines('nm', self.place.bactrian)):
            if len(row) == 3 and row[1] in 'tT':
                addresses[row[2]].append(int(row[0], 16))
        return dict(addresses)

    def functions_that_run(self, program):
        out = self.place.path('callgrind.out')
        self.lines('valgrind', '--tool=callgrind', '--callgrind-out-file=' + out,
                   self.place.bactrian, self.place.path(program), '0')
        profile = self.place.read('callgrind.out').decode()
        return set(re.findall(r'(?m)^fn=\(\d+\) ([\w.]+)', profile))

    def setUp(self):
        for tool in ('valgrind', 'nm', 'readelf'):
            if shutil.which(tool) is None:
                self.skipTest('%s is not installed' % tool)
        self.places = self.sections()
        if '.text.start' not in self.places or 'assertion_failed' in self.functions():
            self.skipTest('the order is that of optimised builds by GNU ld')

    def test_every_start_runs_functions_of_the_first_pages(self):
        start, size = self.places['.text.start']
        addresses = self.functions()
        far = [name for name in self.functions_that_run('status.byte') if name in addresses
               and not any(start <= address < start + size for address in addresses[name])]
        self.assertLess(len(far), 5, 'make vm/cli/order.ld again (bench/order): %s' % far)

    def test_constants_that_starts_read_take_one_group_of_pages(self):
        comment = ''.join(self.lines('readelf', '-p', '.comment', self.place.bactrian))
        if 'clang' in comment:
            self.skipTest('clang makes more constants of strings and of switches')
        start, size = self.places['.rodata']
        self.assertEqual(start % GROUP, 0)
        self.assertLessEqual(size, GROUP, 'more belongs to LATE in bench/order')
