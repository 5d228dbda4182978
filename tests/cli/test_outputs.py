"""The files that bactrian writes: what they replace, and what stays as it is."""
import os
import re
import stat
import subprocess
import threading

from support import Case

# What each verb writes, with the name of its output at the end.
WRITERS = {
    'record': ['prof', 'record', '--quiet', '-o', 'OUT', 'busy.byte'],
    'table': ['prof', 'table', 'run.prof', '-o', 'OUT'],
    'json': ['prof', 'table', 'run.prof', '--json', '-o', 'OUT'],
    'html': ['prof', 'html', 'run.prof', '-o', 'OUT'],
    'trim': ['prof', 'trim', 'run.prof', '-o', 'OUT'],
    'merge': ['prof', 'merge', 'run.prof', 'run.prof', '-o', 'OUT'],
    'anonymise': ['prof', 'anonymise', 'run.prof', '-o', 'OUT'],
    'trace': ['trace', '-o', 'OUT', 'busy.byte'],
    'dis': ['dis', 'args.byte', '-o', 'OUT'],
    'asm': ['asm', 'args.basm', '-o', 'OUT'],
    'counts': ['--count-instructions', 'OUT', 'busy.byte'],
    'graph': ['mlprof', '-call-graph', 'OUT', 'busy.byte'],
}
FORMATS = 'folded pprof speedscope memtrace csv chrome dhat callgrind heapprofile'.split()
WRITERS.update({name: ['prof', 'export', '--to', name, 'run.prof', '-o', 'OUT']
                for name in FORMATS})
# Text that starts in any way.
UNMARKED = {'table', 'folded', 'csv'}


class Outputs(Case):
    def setUp(self):
        if not os.path.exists(self.place.path('run.prof')):
            self.expect(self.bactrian('prof', 'record', '--quiet', '--rate', '0.01', '-o',
                                      'run.prof', 'busy.byte'))
            self.expect(self.bactrian('dis', 'args.byte', '-o', 'args.basm'))
            self.expect(self.bactrian('--profile', 'count', 'busy.byte'))

    def write_as(self, name, out, *more, **how):
        words = [out if word == 'OUT' else word for word in WRITERS[name]]
        if name == 'graph' and '--force' in more:
            words[1:1] = ['-force', 'true']
        else:
            verb = {'prof': 2, 'trace': 1, 'dis': 1, 'asm': 1}.get(words[0], 0)
            words[verb:verb] = more
        return self.bactrian(*words, **how)

    def fresh(self, name):
        if os.path.lexists(self.place.path(name)):
            os.unlink(self.place.path(name))
        return name

    def strays(self):
        return [name for name in os.listdir(self.place.folder) if 'bactrian-' in name
                and name.startswith('.')]

    def test_a_file_of_another_kind_stays(self):
        for name in WRITERS:
            for content in (b'let () = print_string "mine"\n', self.place.read('status.byte')
                            if name != 'asm' else b'\x7fELF\0\0'):
                with self.subTest(writer=name):
                    self.place.write('notes', content, 0o640)
                    done = self.write_as(name, 'notes')
                    self.refused(done, 125, 'notes: exists', 'force')
                    self.assertEqual(self.place.read('notes'), content)
                    done = self.write_as(name, 'notes', '--force')
                    self.assertEqual(done.status, 0, repr(done))
                    self.assertNotEqual(self.place.read('notes'), content)
                    mode = stat.S_IMODE(os.stat(self.place.path('notes')).st_mode)
                    self.assertEqual(mode, 0o750 if name == 'asm' else 0o640)
        self.assertEqual(self.strays(), [])

    def test_an_earlier_output_of_the_same_kind_is_replaced(self):
        for name in set(WRITERS) - UNMARKED:
            with self.subTest(writer=name):
                out = self.fresh('again')
                for _ in range(2):
                    done = self.write_as(name, out)
                    self.assertEqual(done.status, 0, repr(done))
                inode = os.stat(self.place.path(out)).st_ino
                self.assertEqual(self.write_as(name, out).status, 0)
                self.assertNotEqual(os.stat(self.place.path(out)).st_ino, inode)
        for name in UNMARKED:
            with self.subTest(writer=name):
                out = self.fresh('again')
                self.assertEqual(self.write_as(name, out).status, 0)
                self.refused(self.write_as(name, out), 125, 'again: exists')

    def test_asm_replaces_programs(self):
        for name in ('args', 'status'):
            self.place.write('made', self.place.read('busy.byte'), 0o640)
            self.expect(self.write_as('asm', 'made'), out='')
            self.expect(self.bactrian('made', 'a'), out='made\na\nmade\n')

    def test_an_empty_file_is_filled(self):
        for name in WRITERS:
            with self.subTest(writer=name):
                self.place.write('blank', b'')
                self.assertEqual(self.write_as(name, 'blank').status, 0)
                self.assertGreater(len(self.place.read('blank')), 10)

    def writes_a_file(self, pid):
        try:
            names = [os.readlink('/proc/%d/fd/%s' % (pid, fd))
                     for fd in os.listdir('/proc/%d/fd' % pid)]
        except OSError:
            return False
        return any(name.startswith(self.place.folder + '/') and not name.endswith('.byte')
                   for name in names)

    def test_a_killed_verb_leaves_nothing(self):
        try:
            os.close(os.open(self.place.folder, os.O_TMPFILE | os.O_RDWR))
        except OSError:
            self.skipTest('the file system has no files without names')
        names = ' '.join('let x%d = string_of_int %d' % (i, i) for i in range(20000))
        self.place.write('long.ml', names)
        self.place.tool('ocamlc', '-o', 'long.byte', 'long.ml')
        before, killed = sorted(os.listdir(self.place.folder)), 0
        for _ in range(100):
            child = subprocess.Popen([self.place.bactrian, 'dis', 'long.byte', '-o', 'long.basm'],
                                     cwd=self.place.folder)
            while child.poll() is None and not self.writes_a_file(child.pid):
                pass
            child.kill()
            killed += child.wait() != 0
            if killed == 3:
                break
            self.fresh('long.basm')
        self.assertEqual(killed, 3)
        self.assertEqual(sorted(os.listdir(self.place.folder)), before)

    def test_the_recorded_program_is_not_replaced(self):
        self.place.write('self.byte', self.place.read('busy.byte'))
        done = self.bactrian('prof', 'record', '-o', 'self.byte', 'self.byte')
        self.refused(done, 125, 'self.byte: exists')
        self.assertEqual(self.place.read('self.byte'), self.place.read('busy.byte'))

    def test_a_file_beside_the_output_stays(self):
        for name in WRITERS:
            with self.subTest(writer=name):
                self.place.write('out.part', b'notes')
                self.assertEqual(self.write_as(name, self.fresh('out')).status, 0)
                self.assertEqual(self.place.read('out.part'), b'notes')

    def test_symbolic_links_are_followed(self):
        for name in WRITERS:
            with self.subTest(writer=name):
                self.place.write('target', b'')
                os.symlink('target', self.place.path(self.fresh('link')))
                self.assertEqual(self.write_as(name, 'link').status, 0)
                self.assertTrue(os.path.islink(self.place.path('link')))
                self.assertGreater(len(self.place.read('target')), 10)
                os.unlink(self.place.path('target'))
                self.refused(self.write_as(name, 'link'), 125, 'No such file')

    def test_a_link_to_standard_output(self):
        os.symlink('/dev/stdout', self.place.path(self.fresh('link')))
        for name in WRITERS:
            with self.subTest(writer=name):
                self.assertGreater(len(self.write_as(name, 'link').out), 10)

    def test_pipes_are_written_to(self):
        for name in WRITERS:
            with self.subTest(writer=name):
                os.mkfifo(self.place.path(self.fresh('pipe')))
                got = []
                reader = threading.Thread(target=lambda: got.append(self.place.read('pipe')))
                reader.start()
                done = self.write_as(name, 'pipe')
                reader.join(30)
                self.assertEqual(done.status, 0, repr(done))
                self.assertGreater(len(got[0]), 10)
                self.assertTrue(stat.S_ISFIFO(os.stat(self.place.path('pipe')).st_mode))
        os.unlink(self.place.path('pipe'))

    def test_devices_are_written_to(self):
        for name in WRITERS:
            with self.subTest(writer=name):
                self.assertEqual(self.write_as(name, '/dev/null').status, 0)
                done = self.write_as(name, '/dev/full')
                self.assertRegex(done.err, 'dev.full: (No space left|write error)')
                self.assertTrue(stat.S_ISCHR(os.stat('/dev/full').st_mode))

    def test_standard_output_by_its_name_continues_a_file(self):
        for path in ('/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'):
            with self.subTest(path=path), open(self.place.path(self.fresh('log')), 'ab') as log:
                log.write(b'before\n')
                log.flush()
                subprocess.run([self.place.bactrian, 'dis', 'args.byte', '-o', path], stdout=log,
                               cwd=self.place.folder, check=True)
                log.write(b'after\n')
                log.flush()
                self.assertRegex(self.place.read('log'), rb'(?s)^before\nformat .*after\n$')

    def test_counts_stay_where_the_run_started(self):
        self.expect(self.bactrian('--count-instructions', self.fresh('here'), 'world.byte', 'chdir',
                                  '/'), out='/')
        self.assertTrue(self.place.read('here').startswith(b'ACC0 '))

    def test_counts_of_functions_replace_only_their_own_files(self):
        for name in ('mlmon.out', 'mlmon.out.sources'):
            with self.subTest(name=name):
                self.place.write(name, b'my notes\n')
                done = self.bactrian('--profile', 'count', 'busy.byte')
                self.refused(done, 125, name + ': exists', '--force')
                self.assertEqual(self.place.read(name), b'my notes\n')
                self.expect(self.bactrian('--force', '--profile', 'count', 'busy.byte'), out=None)
                self.expect(self.bactrian('--profile', 'count', 'busy.byte'), out=None)

    def test_recordings_without_a_name_are_numbered(self):
        for name in ('busy.prof', 'busy.2.prof', 'busy.3.prof'):
            self.fresh(name)
        os.symlink('nothing', self.place.path('busy.2.prof'))
        for name in ('busy.prof', 'busy.3.prof'):
            done = self.bactrian('prof', 'record', 'busy.byte')
            self.assertIn('bactrian: %s: ' % name, done.err)
            self.assertRegex(done.err, r'prof summary %s\n$' % re.escape(name))
            self.assertTrue(self.place.read(name).startswith(b'\x89BPROF'))
        self.assertTrue(os.path.islink(self.place.path('busy.2.prof')))
        self.assertFalse(os.path.exists(self.place.path('nothing')))

    def test_memtrace_replaces_only_profiles(self):
        self.place.write('notes', b'notes')
        self.refused(self.bactrian('busy.byte', env={'MEMTRACE': 'notes'}), 125, 'notes: exists')
        for _ in range(2):
            self.fresh('trace.prof')
            self.expect(self.bactrian('busy.byte', env={'MEMTRACE': 'trace.prof'}))

    def test_a_folder_is_refused(self):
        for name in WRITERS:
            with self.subTest(writer=name):
                self.refused(self.write_as(name, 'home'), 125, 'home: Is a directory')
                self.refused(self.write_as(name, 'none/out'), 125, 'No such file')
