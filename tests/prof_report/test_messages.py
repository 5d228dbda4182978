"""Wrong use and bad input: one line, status 125, no file is left."""
import os
import random

import ctf
import support

WRONG = [
    (['stats'], 'stats: expected the profile to read: usage: `bactrian prof stats FILE`'),
    (['stats', 'none.ctf'], 'none.ctf: No such file or directory: check the name and the '
     'permissions of the file'),
    (['stats', 'empty'], 'empty: the file is empty: record the program again'),
    (['stats', 'text'], 'text: not a memory profile: give a file that `bactrian prof record` or '
     'memtrace has written'),
    (['stats', 'a.ctf', 'a.ctf'], 'a.ctf: one file too many: usage: `bactrian prof stats FILE`'),
    (['table', 'a.ctf', '--at', 'x'], '--at: expected a moment, got "x": give peak, end, or a '
     'time such as 1.5s, 200ms, 3min or 40%'),
    (['table', 'a.ctf', '--show', 'x'], '--show: unknown value "x": give one of alloc, live, '
     'promoted, minor-dead, major-dead'),
    (['table', 'a.ctf', '--focus', '('], None),
    (['table', 'a.ctf', '--phase', 'x'], '--phase: the profile has no phase "x": `bactrian prof '
     'stats` lists the phases'),
    (['table', 'a.ctf', '--from', '2s', '--to', '1s'], '--to: the selected time is empty: give a '
     'later moment than --from'),
    (['table', 'a.ctf', '--nope'], '--nope: no such option: `bactrian help prof table` '
     'lists the options'),
    (['table', 'a.ctf', '--top'], '--top: expected N after it: at most N rows'),
    (['table', 'a.ctf', '--top', '0'], '--top: must be at least 1: no row would be left'),
    (['table', 'a.ctf', '--size', '3'], '--size: expected a range, got "3": give MIN..MAX, '
     'MIN.. or ..MAX'),
    (['table', 'a.ctf', '--size', '5..1'], '--size: 5..1 is empty: give the smaller number first'),
    (['table', 'a.ctf', '--life', '2s..1ms'], '--life: the range is empty: give the shorter '
     'lifetime first'),
    (['tree', 'a.ctf', '--callers', 'nobody'], 'nobody: the profile has no function of that '
     'name: `bactrian prof table --by fn` lists the functions'),
    (['export', 'a.ctf', '--to', 'x'], '--to: expected one of: folded pprof speedscope '
     'memtrace csv chrome dhat callgrind heapprofile, got "x": the formats are listed by '
     '`bactrian help prof export`'),
    (['export', 'a.ctf'], '--to: expected one of: folded pprof speedscope memtrace csv chrome dhat '
     'callgrind heapprofile: the formats are listed by `bactrian help prof export`'),
    (['export', 'a.ctf', '--to', 'csv', '-o', 'no/where'], 'no/where: No such file or directory: '
     'check the folder, its permissions and the space left'),
    (['merge', 'a.ctf', 'rate.ctf'], None),
    (['annotate', 'a.ctf', 'none.ml'], 'none.ml: the profile has no such file or function: '
     '`bactrian prof table --by file` and `--by fn` list them'),
    (['annotate', 'a.ctf'], 'annotate: expected the file or function to show: usage: `bactrian '
     'prof annotate FILE SOURCE|FUNCTION`'),
    (['diff', 'a.ctf'], 'diff: expected two profiles to read: usage: `bactrian prof diff BEFORE '
     'AFTER`'),
    (['merge', 'a.ctf'], 'merge: expected at least two profiles to read: usage: `bactrian prof '
     'merge FILE FILE ... -o OUT`'),
    (['why'], 'why: expected the snapshot to read: usage: `bactrian prof why SNAPSHOT KIND`'),
]


class Messages(support.Case):
    def setUp(self):
        super().setUp()
        self.write('a.ctf', ctf.small().bytes)
        self.write('rate.ctf', ctf.Trace(rate=0.5).bytes)
        self.write('empty', b'')
        self.write('text', b'hello')

    def test_wrong_use_is_one_line(self):
        for words, expected in WRONG:
            with self.subTest(' '.join(words)):
                out, err, status = self.run_prof(*words)
                self.assertEqual((out, status), (b'', 125))
                self.assertRegex(err.decode(), r'\Abactrian: [^\n]+: [^\n]+: [^\n]+\n\Z')
                if expected is not None:
                    self.assertEqual(err.decode(), 'bactrian: %s\n' % expected)

    def test_a_failure_leaves_no_file(self):
        before = sorted(os.listdir(self.folder))
        self.run_prof('export', '--to', 'folded', 'a.ctf', '--phase', 'x', '-o', 'out')
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_no_colour_without_a_terminal(self):
        self.assertNotIn('\033', self.prof('table', 'a.ctf'))
        self.assertIn('\033', self.prof('table', 'a.ctf', '--color'))

    def test_names_cannot_steer_the_terminal_or_leave_the_page(self):
        t = ctf.Trace(program='p\033[2J')
        t.location(1, ctf.position(1, 0, 1, file='</script>.ml', name='\033]0;x\007'))
        t.alloc(0, 1, [1])
        self.write('evil.ctf', t.flush().bytes)
        self.assertNotIn('\033', self.prof('summary', 'evil.ctf') + self.prof('flame', 'evil.ctf'))
        evil, harmless = self.prof('html', 'evil.ctf'), self.prof('html', 'a.ctf')
        self.assertEqual(evil.count('</script>'), harmless.count('</script>'))

    def test_mutated_traces_crash_no_reader(self):
        seed = random.Random(4)
        whole = [ctf.small(v).bytes for v in (1, 2, 3)]
        verbs = [['summary'], ['check'], ['tree'], ['lifetimes'], ['export', '--to', 'memtrace']]
        for i in range(self.settings.mutants):
            data = bytearray(seed.choice(whole))
            for _ in range(seed.randint(1, 6)):
                at = seed.randrange(len(data))
                kind = seed.randrange(3)
                if kind == 0:
                    data[at] = seed.randrange(256)
                elif kind == 1:
                    del data[at:at + seed.randint(1, 40)]
                else:
                    data[at:at] = data[seed.randrange(len(data)):][:seed.randint(1, 40)]
                data = data or bytearray(b'x')
            self.write('m.ctf', bytes(data))
            words = seed.choice(verbs)
            out, err, status = self.run_prof(words[0], 'm.ctf', *words[1:])
            if status not in (0, 1, 125):
                self.write('/tmp/prof-report-crash.ctf', bytes(data))
                self.fail('mutant %d: %s ended with %d: %s' % (i, words, status, err[-2000:]))
