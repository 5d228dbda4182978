"""Every rule of the trace format: a trace that breaks it, and the verb that says so."""
import json
import os
import re

import ctf
import support

FILE = dict(file='f.ml', name='f')


def base():
    t = ctf.Trace()
    t.location(1, ctf.position(1, 0, 1, **FILE))
    return t


def packet(**fields):
    t = base()
    t.alloc(0, 1, [1])
    return t.flush(**fields).bytes


def events(*make):
    t = base()
    for step in make:
        step(t)
    return t.flush().bytes


def second(**fields):
    t = base()
    t.alloc(10, 1, [1])
    t.flush()
    t.alloc(20, 1, [1])
    return t.flush(**fields).bytes


def raw(payload, kind=2):
    return events(lambda t: t.event(kind, 0, payload))


def many_domains():
    t = ctf.Trace(3)
    for domain in range(300):
        t.packet(b'', domain=domain)
    return t.bytes


def deep():
    """A bucket that follows itself: 255 frames in three bytes."""
    t = base()
    t.alloc(0, 1, [], coded=(2, ctf.codeword(1, ctf.LITERAL, 1) + ctf.codeword(1, 0)))
    t.alloc(0, 1, [], coded=(8000, ctf.codeword(1, 2, follow=255) * 8000))
    return t.flush().bytes


def expanding():
    """Call stacks of a million frames that differ from the beginning."""
    t = base()
    t.location(2, ctf.position(2, 0, 1, **FILE))
    t.alloc(0, 1, [], coded=(5, ctf.codeword(1, ctf.LITERAL, 1) + ctf.codeword(1, 0) +
                             ctf.codeword(1, 2, follow=255) +
                             ctf.codeword(2, ctf.LITERAL, 2) + ctf.codeword(2, 0)))
    for prefix in range(256, 216, -1):
        t.alloc(0, 1, [], prefix=prefix,
                coded=(3900, ctf.codeword(2, 2, follow=255) * 3900))
    return t.flush().bytes


def alloc(t):
    t.alloc(0, 1, [1])


BROKEN = {
    'magic': lambda: packet(magic=1),
    'header': lambda: ctf.small().bytes[:40],
    'packet-size': lambda: packet(bits=1001),
    'cut-off': lambda: packet()[:-1],
    'version': lambda: packet(version=4),
    'packet-limit': lambda: events(*[lambda t: t.alloc(0, 1, [1])] * 2000),
    'packet-time': lambda: second(begin=30, end=25),
    'packet-order': lambda: second(begin=5),
    'packet-span': lambda: packet(end=40000000),
    'id-order': lambda: packet(ids=(5, 3)),
    'id-gap': lambda: packet(ids=(7, 8)),
    'id-count': lambda: packet(ids=(0, 3)),
    'pid': lambda: packet(pid=78),
    'domains': many_domains,
    'verifier': lambda: packet(verifier=(5, 3, 9)),
    'info-first': lambda: raw(b'', kind=0),
    'info-ids': lambda: ctf.Trace(ids=(0, 5)).bytes,
    'info-rest': lambda: ctf.Trace(more=b'x').bytes,
    'rate': lambda: ctf.Trace(rate=2.0).bytes,
    'word-size': lambda: ctf.Trace(word=16).bytes,
    'event-cut': lambda: raw(b'\1'),
    'event-kind': lambda: raw(b'', kind=9),
    'event-time': lambda: packet(end=-5, begin=-5),
    'event-order': lambda: events(lambda t: t.alloc(50, 1, [1]), alloc),
    'number-form': lambda: raw(b'\xfe\xff\xff\xff\xff\1\0\0\0\0'),
    'string': lambda: raw(b'\2' + b'\0' * 7 + b'\1' + ctf.position(1, 0, 1, **FILE)[:-1], kind=1),
    'code-range': lambda: events(lambda t: t.location(1 << 62, ctf.position(1, 0, 1, **FILE))),
    'file-code': lambda: events(lambda t: t.location(5, ctf.position(1, 0, 1, 7))),
    'name-code': lambda: events(lambda t: t.location(5, ctf.position(1, 0, 1, 0, 9))),
    'code-repeated': lambda: events(lambda t: t.location(1, ctf.position(2, 0, 1, **FILE))),
    'code-unknown': lambda: events(lambda t: t.alloc(0, 1, [9])),
    'samples': lambda: events(lambda t: t.alloc(0, 1, [1], hits=0)),
    'source': lambda: events(lambda t: t.alloc(0, 1, [1], source=3)),
    'prefix': lambda: events(lambda t: t.alloc(0, 1, [1], prefix=4)),
    'depth': deep,
    'id-twice': lambda: second(ids=(0, 1)),
    'expands': expanding,
    'future': lambda: events(lambda t: t.collect(0, -5)),
    'promoted-twice': lambda: events(alloc, lambda t: t.promote(1, 0), lambda t: t.promote(2, 0)),
    'collected-twice': lambda: events(alloc, lambda t: t.collect(1, 0), lambda t: t.collect(2, 0)),
}


class Check(support.Case):
    def violations(self, data):
        self.write('t.ctf', data)
        out = self.prof('check', 't.ctf', '--json', status=None)
        return [row['rule'] for row in json.loads(out)['violations']]

    def test_a_rate_that_makes_estimates_infinite_is_refused(self):
        for rate in (0.0, 1e-300, -1.0, float('nan')):
            self.assertEqual(self.violations(ctf.Trace(rate=rate).bytes)[:1], ['rate'], rate)

    def test_version_1_reuses_the_names_of_the_file_that_it_drops(self):
        for version in (1, 2):
            t = ctf.Trace(version)
            for i in range(31):
                t.location(i + 1, ctf.position(1, 0, 1, file='f%d.ml' % i, name='F%d.run' % i))
            t.location(99, ctf.position(7, 2, 9, 31, 0, file='new.ml'))
            t.flush()
            t.alloc(1000, 3, [99])
            t.flush()
            self.write('old.ctf', t.bytes)
            out, err, status = self.run_prof('table', 'old.ctf')
            if version == 1:
                self.assertIn(b'F0.run (new.ml:7:2-9)', out, err)
            else:
                self.assertIn(b'names sent with its file', err)

    def test_a_code_without_locations_is_no_violation(self):
        t = ctf.Trace()
        t.location(1, ctf.position(1, 0, 1, file='a.ml', name='A.run'))
        t.location(2)
        t.flush()
        t.alloc(1000, 3, [1, 2])
        t.flush()
        self.write('bare.ctf', t.bytes)
        self.assertEqual(self.run_prof('check', 'bare.ctf')[2], 0)
        self.assertIn('A.run (a.ml:1:0-1)', self.prof('table', 'bare.ctf'))

    def test_each_violated_rule_is_named(self):
        for rule, make in BROKEN.items():
            with self.subTest(rule):
                self.assertIn(rule, self.violations(make()))

    def test_each_rule_has_a_trace_that_breaks_it(self):
        with open(os.path.join(support.ROOT, 'memprof/report/load/ctf_rules.def')) as table:
            rules = re.findall(r'^RULE\(\w+, \w+, "([^"]+)"', table.read(), re.MULTILINE)
        self.assertEqual(sorted(rules), sorted(BROKEN))

    def test_a_good_trace_has_no_violation(self):
        for version in (1, 2, 3):
            self.assertEqual(self.violations(ctf.small(version).bytes), [])

    def test_the_status_says_whether_readers_will_refuse(self):
        self.write('good.ctf', ctf.small().bytes)
        self.write('bad.ctf', BROKEN['id-count']())
        self.write('odd.ctf', BROKEN['prefix']())
        self.prof('check', 'good.ctf', status=0)
        self.prof('check', 'bad.ctf', status=1)
        self.prof('check', 'odd.ctf', status=0)
