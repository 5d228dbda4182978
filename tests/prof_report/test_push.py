"""prof push, to a server of our own that accepts what Pyroscope's and Parca's documentation says;
protoc decodes what it gets."""
import base64
import email
import gzip
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import unittest
import urllib.parse

import ctf
import support

# The fields of pprof's messages, as its documentation numbers them.
SCHEMA = '''
syntax = "proto3";
message Pair { int64 first = 1; int64 second = 2; }
message Label { int64 key = 1; int64 text = 2; int64 number = 3; int64 unit = 4; }
message Sample { repeated uint64 location = 1; repeated int64 value = 2; repeated Label label = 3; }
message Mapping { uint64 id = 1; uint64 start = 2; uint64 limit = 3; uint64 offset = 4;
  int64 file = 5; int64 build = 6; bool functions = 7; bool files = 8; bool lines = 9;
  bool inlined = 10; }
message Line { uint64 function = 1; int64 line = 2; int64 column = 3; }
message Location { uint64 id = 1; uint64 mapping = 2; uint64 address = 3; repeated Line line = 4; }
message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 file = 4; }
message Profile { repeated Pair sample_type = 1; repeated Sample sample = 2;
  repeated Mapping mapping = 3; repeated Location location = 4; repeated Function function = 5;
  repeated string text = 6; int64 drop = 7; int64 keep = 8; int64 time_nanos = 9;
  int64 duration_nanos = 10; Pair period_type = 11; int64 period = 12; repeated int64 comment = 13;
  int64 default_type = 14; }
'''
PROGRAM = '''
#require "unix"
let kept = ref []
let () =
  let until = Unix.gettimeofday () +. 3.5 in
  while Unix.gettimeofday () < until do
    for i = 1 to 1000 do kept := [ i; i ] :: !kept done;
    if List.length !kept > 20_000 then kept := [];
    Unix.sleepf 0.01
  done
'''


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.server.posts.append((self.path, self.headers, body))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_):
        pass


def form_field(headers, body, name):
    message = email.message_from_bytes(b'Content-Type: ' + headers['Content-Type'].encode() +
                                       b'\r\n\r\n' + body)
    for part in message.get_payload():
        if part.get_param('name', header='content-disposition') == name:
            return part.get_payload(decode=True)
    raise AssertionError('the form has no field ' + name)


@unittest.skipUnless(shutil.which('curl') and shutil.which('protoc'), 'no curl or protoc')
class Push(support.Case):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.posts, self.server.status = [], 200
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = 'http://127.0.0.1:%d' % self.server.server_port
        self.write('small.ctf', ctf.small().bytes)
        self.write('schema.proto', SCHEMA.encode())

    def decode(self, profile):
        """(values of all samples summed, time, duration, names) of a gzipped profile."""
        done = subprocess.run(['protoc', '--decode=Profile', 'schema.proto'], cwd=self.folder,
                              input=gzip.decompress(profile), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=True)
        text = done.stdout.decode()
        self.assertIsNone(re.search(r'^ *\d+:', text, re.M), 'a field that the schema lacks')
        sums = [0] * 6
        for sample in re.findall(r'^sample \{\n(.*?)^\}', text, re.M | re.S):
            for i, value in enumerate(re.findall(r'^  value: (-?\d+)', sample, re.M)):
                sums[i] += int(value)
        numbers = [int((re.search(r'^%s: (\d+)' % name, text, re.M) or [0, 0])[1])
                   for name in ('time_nanos', 'duration_nanos')]
        return (sums, *numbers, re.findall(r'^text: "(.*)"', text, re.M))

    def bytes_of(self, *words):
        rows = json.loads(self.prof('tree', 'small.ctf', '--json', *words))['tree']
        return rows[0]['bytes']['value'] if rows else 0

    def test_it_takes_which_blocks_and_how_often(self):
        options = re.findall(r'^  (--?[a-z-]+) ', self.prof('push', '--help'), re.M)
        self.assertEqual(sorted(set(options) - {'--help', '-h'}), sorted(
            ('--live --tail --life --size --focus --ignore --domain --thread --scope --keep -o '
             '--interval --force --json --csv --no-ci --color --no-color --running').split()))

    def test_pyroscope_gets_a_form_with_the_profile(self):
        found = json.loads(self.prof('push', 'small.ctf', self.url, '--json'))
        (path, headers, body), = self.server.posts
        address = urllib.parse.urlsplit(path)
        query = urllib.parse.parse_qs(address.query)
        self.assertEqual(address.path, '/ingest')
        self.assertEqual((query['format'], sorted(query)),
                         (['pprof'], ['format', 'from', 'name', 'until']))
        self.assertEqual(int(query['until'][0]), int(query['from'][0]))  # 8 ms
        profile = form_field(headers, body, 'profile')
        sums, _, duration, names = self.decode(profile)
        self.assertEqual((sums[0], sums[2], sums[5]),
                         (json.loads(self.prof('stats', 'small.ctf', '--json'))['sampling']
                          ['samples'], self.bytes_of(), self.bytes_of('--at', 'end')))
        self.assertIn('inuse_space', names)
        self.assertAlmostEqual(duration, 1e9 * found['sent']['until'], delta=10)
        self.assertEqual(found['sent']['bytes'], len(profile))

    def test_parca_gets_json_with_the_profile(self):
        self.prof('push', 'small.ctf', self.url + '/profiles/writeraw')
        (path, headers, body), = self.server.posts
        self.assertEqual((path, headers['Content-Type']),
                         ('/profiles/writeraw', 'application/json'))
        series, = json.loads(body)['series']
        labels = {label['name']: label['value'] for label in series['labels']['labels']}
        self.assertEqual(sorted(labels), ['__name__', 'job'])
        profile = base64.b64decode(series['samples'][0]['rawProfile'], validate=True)
        self.assertEqual(self.decode(profile)[0][2], self.bytes_of())

    def test_the_address_can_have_a_path_and_a_name(self):
        self.prof('push', 'small.ctf', self.url + '/proxy/ingest?name=mine%7Benv%3Dtest%7D')
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.server.posts[0][0]).query)
        self.assertEqual(query['name'], ['mine{env=test}'])
        self.assertTrue(self.server.posts[0][0].startswith('/proxy/ingest?'))

    def test_a_growing_recording_is_sent_in_parts(self):
        self.write('p.ml', PROGRAM.encode())
        recorder = subprocess.Popen(
            [self.settings.bactrian, 'prof', 'record', '--quiet', '--rate', '1e-2', '-o', 'p.prof',
             'p.ml'], cwd=self.folder)
        self.addCleanup(recorder.wait)
        self.addCleanup(recorder.kill)
        path = os.path.join(self.folder, 'p.prof')
        for _ in range(600):
            if os.path.exists(path) and os.path.getsize(path) > 0:
                break
            time.sleep(.1)
        found = json.loads(self.prof('push', 'p.prof', self.url, '--interval', '1s', '--json'))
        self.assertEqual(recorder.wait(), 0)
        parts = [self.decode(form_field(headers, body, 'profile'))
                 for _, headers, body in self.server.posts]
        self.assertGreaterEqual(len(parts), 2)
        self.assertEqual(found['sent']['profiles'], len(parts))
        self.assertEqual(sum(part[0][0] for part in parts),
                         json.loads(self.prof('stats', 'p.prof', '--json'))['sampling']['samples'])
        for part, following in zip(parts, parts[1:]):
            self.assertAlmostEqual(part[1] + part[2], following[1], delta=10)
        self.assertTrue(any(part[0][5] > 0 for part in parts), 'nothing is live')

    def test_a_killed_recording_is_sent_to_its_end(self):
        self.write('p.ml', PROGRAM.replace('3.5', '60.').encode())
        recorder = subprocess.Popen(
            [self.settings.bactrian, 'prof', 'record', '--quiet', '--rate', '1e-2', '-o', 'p.prof',
             'p.ml'], cwd=self.folder)
        self.addCleanup(recorder.wait)
        threading.Timer(6, recorder.send_signal, [signal.SIGKILL]).start()
        path = os.path.join(self.folder, 'p.prof')
        for _ in range(50):
            if os.path.exists(path) and os.path.getsize(path) > 0:
                break
            time.sleep(.1)
        threading.Thread(target=recorder.wait, daemon=True).start()
        self.prof('push', 'p.prof', self.url, '--interval', '1s')
        self.assertGreaterEqual(len(self.server.posts), 2)

    def test_what_goes_wrong_is_one_line(self):
        self.server.status = 422
        for words, text in (
                ([self.url], 'error: 422'), (['http://127.0.0.1:1'], 'ailed to connect'),
                (['localhost:4040'], 'not the address of a server'),
                (['file:///etc/passwd'], 'not the address of a server'),
                ([self.url, '--interval', '1ms'], 'not an interval')):
            with self.subTest(words=words):
                _, err, status = self.run_prof('push', 'small.ctf', *words)
                self.assertEqual((err.count(b'\n'), status), (1, 125), err)
                self.assertIn(text, err.decode())
        path, os.environ['PATH'] = os.environ['PATH'], self.folder
        try:
            _, err, status = self.run_prof('push', 'small.ctf', self.url)
        finally:
            os.environ['PATH'] = path
        self.assertEqual((err.decode(), status), (
            'bactrian: curl: No such file or directory: install it: this verb sends profiles with '
            'it\n', 125))
