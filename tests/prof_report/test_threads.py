"""Whose memory: --by domain and --by thread on recordings whose truth is known."""
import gzip
import json
import os
import shutil
import subprocess
import unittest

import ctf
import support
from test_exports import fields

# A block that `site` allocates has two words with its header; its own closure has three.
DOMAINS = '''
let kept = Atomic.make []
let rec hold l =
  let old = Atomic.get kept in
  if not (Atomic.compare_and_set kept old (l :: old)) then hold l
let site i = ref i
let fill n = hold (Array.init n site)
let () =
  let d = Domain.spawn (fun () ->
    fill 1000;
    Thread.join (Thread.create fill 2000);
    Thread.id (Thread.self ())) in
  let t = Thread.create fill 4000 in
  fill 8000;
  Thread.join t;
  Printf.printf "%d %d" (Thread.id t) (Domain.join d)
'''
THREADS = '''
let kept = Array.make 3 [||]
let site i = ref i
let fill i = kept.(i) <- Array.init (1000 lsl i) site
let () =
  let threads = List.map (Thread.create fill) [0; 1] in
  fill 2;
  List.iter Thread.join threads
'''


class Threads(support.Case):
    def setUp(self):
        super().setUp()
        self.env = dict(os.environ)

    def compile(self, text, *flags, ocamlc='ocamlc'):
        self.write('p.ml', text.encode())
        subprocess.run([ocamlc, '-g', *flags, '-I', '+threads', 'unix.cma', 'threads.cma', 'p.ml',
                        '-o', 'p.byte'], cwd=self.folder, check=True)

    def record(self, *words):
        done = subprocess.run([self.settings.bactrian, 'prof', 'record', '--quiet', '-o', 'p.prof',
                               *words, 'p.byte'], cwd=self.folder, env=self.env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual((done.stderr.decode(), done.returncode), ('', 0))
        return done.stdout.decode()

    def domains(self, *words):
        folder = support.ocaml5()
        self.env['CAML_LD_LIBRARY_PATH'] = os.path.join(folder, 'stubs')
        self.compile(DOMAINS, '-I', '+unix', ocamlc=os.path.join(folder, 'bin', 'ocamlc'))
        return [int(n) for n in self.record(*words).split()]

    def rows(self, by, file='p.prof', verb='table', words=('--focus', 'P.site', '--size', '2..2')):
        view = json.loads(self.prof(verb, file, '--json', '--by', by, '--unit', 'words', *words))
        return {row['name']: row['words'] for row in view['rows']}

    def values(self, by, **more):
        return {name: words['value'] if isinstance(words, dict) else words
                for name, words in self.rows(by, **more).items()}

    def test_words_belong_to_the_thread_and_domain_that_allocate(self):
        other, body = self.domains('--rate', '1')
        last, = {1, 2, 3} - {other, body}
        threads = {'domain 0, thread 0': 16000, 'domain 0, thread %d' % other: 8000,
                   'domain 1, thread %d' % body: 2000, 'domain 1, thread %d' % last: 4000}
        domains = {'domain 0': 24000, 'domain 1': 6000}
        for verb in 'table', 'leaks', 'lifetimes':
            self.assertEqual(self.values('thread', verb=verb), threads)
            self.assertEqual(self.values('domain', verb=verb), domains)
        for verb in ('trim', 'anonymise'):
            self.prof(verb, 'p.prof', '-o', 'again.prof')
            self.assertEqual(self.values('thread', file='again.prof', words=()),
                             self.values('thread', words=()))
        self.prof('merge', 'p.prof', 'p.prof', '-o', 'both.prof')
        self.assertEqual(self.values('domain', file='both.prof'),
                         {name: 2 * words for name, words in domains.items()})

    def test_a_thread_or_a_domain_is_selected(self):
        other, body = self.domains('--rate', '1')
        words = ('--focus', 'P.site', '--size', '2..2')
        self.assertEqual(self.values('domain', words=(*words, '--thread', str(other))),
                         {'domain 0': 8000})
        last, = {1, 2, 3} - {other, body}
        self.assertEqual(self.values('thread', words=(*words, '--domain=1')),
                         {'domain 1, thread %d' % body: 2000, 'domain 1, thread %d' % last: 4000})
        both = ('--domain', '1', '--thread', str(body))
        self.assertEqual(self.values('site', verb='leaks', words=(*words, *both)),
                         {'P.site (p.ml:6:13-18)': 2000})
        self.assertIn('in domain 1, in thread %d, through P.site' % body,
                      self.prof('table', 'p.prof', *words, *both))
        self.prof('trim', 'p.prof', *both, '-o', 'one.prof')
        self.assertEqual(set(self.rows('thread', file='one.prof', words=())),
                         {'domain 1, thread %d' % body})
        for refused, message in (
                (['--thread', '99'], '--thread: the profile has no thread 99: '
                 '`bactrian prof table --by thread` lists them'),
                (['--domain=1', '--thread=0'], '--thread: the profile has no thread 0 of domain 1: '
                 '`bactrian prof table --by thread` lists them'),
                (['--domain', '-1'], '--domain: expected a number, got "-1": give one that '
                 '`bactrian prof table --by thread` prints')):
            out, err, status = self.run_prof('table', 'p.prof', *refused)
            self.assertEqual((out, err.decode(), status), (b'', 'bactrian: %s\n' % message, 125))

    def test_estimates_by_thread_contain_the_truth(self):
        """24 intervals of 95 %: more than five misses come once in 2,000 times."""
        misses = 0
        for seed in range(6):
            other, body = self.domains('--rate', '0.05', '--seed', str(seed))
            last, = {1, 2, 3} - {other, body}
            rows = self.rows('thread')
            for domain, thread, words in ((0, 0, 16000), (0, other, 8000), (1, body, 2000),
                                          (1, last, 4000)):
                found = rows['domain %d, thread %d' % (domain, thread)]
                misses += not found['low'] <= words <= found['high']
        self.assertLessEqual(misses, 5)

    @unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
    def test_programs_of_ocaml_4_have_threads_of_one_domain(self):
        self.compile(THREADS)
        self.record('--rate', '1')
        self.assertEqual(self.values('domain'), {'domain 0': 14000})
        self.assertEqual(sorted(self.rows('thread')), ['domain 0, thread %d' % i for i in range(3)])
        self.assertEqual(sorted(self.values('thread').values()), [2000, 4000, 8000])
        tree = json.loads(self.prof('tree', 'p.prof', '--json', '--by', 'thread', '--focus',
                                    'P.site', '--size', '2..2', '--unit', 'words', '--top',
                                    '100'))
        words = {row['name']: row['words']['value'] for row in tree['tree'][0]['children']}
        self.assertEqual(words, self.values('thread'))

    @unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
    def test_pprof_has_threads_as_labels(self):
        self.compile(THREADS)
        self.record('--rate', '1')
        self.prof('export', '--to', 'pprof', 'p.prof', '-o', 'p.pb.gz')
        profile = gzip.decompress(self.read('p.pb.gz'))
        strings = [value for field, value in fields(profile) if field == 6]
        names = set()
        for sample in (value for field, value in fields(profile) if field == 2):
            for label in (value for field, value in fields(sample) if field == 3):
                key, text = (strings[value].decode() for _, value in fields(label))
                if key in ('thread', 'domain'):
                    names.add((key, text))
        self.assertEqual(names, {('domain', 'domain 0')} |
                         {('thread', 'domain 0, thread %d' % i) for i in range(3)})

    @unittest.skipUnless(shutil.which('ocamlc'), 'no ocamlc')
    def test_speedscope_and_chrome_have_each_thread(self):
        self.compile(THREADS)
        self.record('--rate', '1')
        words = ('--focus', 'P.site', '--size', '2..2')
        truth = {name: 8 * n for name, n in self.values('thread').items()}
        self.prof('export', '--to', 'speedscope', 'p.prof', *words, '-o', 'p.json')
        profiles = json.loads(self.read('p.json'))['profiles']
        self.assertEqual({p['name'][len('allocated, '):]: p['endValue'] for p in profiles[6:]},
                         truth)
        self.prof('export', '--to', 'chrome', 'p.prof', *words, '-o', 'c.json')
        seen = [e['args'] for e in json.loads(self.read('c.json'))['traceEvents']
                if e['name'] == 'allocated, estimate (bytes)']
        self.assertEqual(seen[-1], truth)
        for name in truth:
            self.assertEqual([e[name] for e in seen], sorted(e[name] for e in seen))
        self.prof('export', '--to', 'speedscope', 'p.prof', '--thread=0', '-o', 'one.json')
        self.assertEqual(len(json.loads(self.read('one.json'))['profiles']), 6)

    def test_files_of_version_1_and_traces_say_that_they_do_not_know(self):
        self.write('1.ctf', ctf.small(2).bytes)
        self.write('3.ctf', ctf.small(3).bytes)
        self.assertEqual(set(self.values('thread', file='1.ctf', words=())), {'(not recorded)'})
        self.assertEqual(set(self.values('domain', file='3.ctf', words=())), {'domain 0'})
        self.assertEqual(set(self.values('thread', file='3.ctf', words=())),
                         {'domain 0, (thread not recorded)'})
