"""Profiles of earlier versions of the format (versions/N.prof), each recorded by a Bactrian of its
time: of 1 to 3 and 5 to 11, the program is versions/old.ml."""
import json
import os

import support

FOLDER = os.path.join(support.HERE, 'versions')
NOW = 12
VERBS = ('stats', 'table', 'tree', 'flame', 'leaks', 'lifetimes', 'timeline', 'gc')


class Versions(support.Case):
    def profiles(self):
        for version in range(1, NOW):
            path = os.path.join(FOLDER, '%d.prof' % version)
            with open(path, 'rb') as file:
                self.assertEqual(file.read()[8], version)
            yield version, path

    def test_each_version_is_read(self):
        for version, path in self.profiles():
            with self.subTest(version):
                self.assertIn('bactrian v%d' % version, self.prof('stats', path))
                self.golden('version%d.txt' % version,
                            self.prof('summary', path).replace(path, 'FILE'))
                for verb in VERBS:
                    self.assertNotEqual(self.prof(verb, path), '')
                self.prof('check', path)  # exits with 1 if a rule is violated

    def test_what_a_version_lacks_is_not_invented(self):
        for version, path in self.profiles():
            with self.subTest(version):
                gc = json.loads(self.prof('gc', path, '--json'))
                events = [event['name'] for event in gc['events']]
                self.assertIn('pause', events)
                self.assertEqual('causes' in gc, version >= 5)
                self.assertNotIn('processor', gc)  # 5.prof is too short for a tick
                self.assertEqual('pause, CPU time' in events, version >= 4)
                proven = 'proven' in self.prof('table', path, '--at', 'end')
                self.assertEqual(proven, version >= 3)
                _, err, _ = self.run_prof('table', path, '--thread', '0')
                self.assertEqual(b'has no thread' in err, version == 1)

    def test_each_version_is_written_again_in_the_present_one(self):
        for version, path in self.profiles():
            with self.subTest(version):
                self.prof('trim', path, '-o', 'new.prof', '--force')
                self.assertEqual(self.read('new.prof')[8], NOW)
                for verb in ('table', 'lifetimes'):
                    self.assertEqual(*(self.prof(verb, name, '--json')
                                       for name in ('new.prof', path)))
                old, new = (json.loads(self.prof('gc', name, '--json'))
                            for name in (path, 'new.prof'))
                self.assertEqual((new['events'], new['longest']), (old['events'], old['longest']))

    def test_versions_are_compared_and_merged(self):
        paths = [path for version, path in self.profiles() if version < 4]  # of one program
        samples = [json.loads(self.prof('table', path, '--json', '--unit', 'samples'))
                   for path in paths]
        self.prof('merge', *paths, '-o', 'all.prof')
        merged = json.loads(self.prof('table', 'all.prof', '--json', '--unit', 'samples'))
        total = lambda doc: sum(row['samples']['value'] if isinstance(row['samples'], dict)
                                else row['samples'] for row in doc['rows'])
        self.assertEqual(total(merged), sum(map(total, samples)))
        self.assertIn('Old.churn', self.prof('diff', paths[0], paths[1]))
