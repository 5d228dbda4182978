"""Writes memtrace traces for tests, byte by byte, also ones that break the format's rules."""
import struct

EPOCH = 1600000000000000
MAGIC = 0xC1FC1FC1
LITERAL = 3


def header(kind, time):
    return struct.pack('<I', kind << 25 | (time & (1 << 25) - 1))


def vint(n):
    if n < 253:
        return bytes([n])
    if n < 1 << 16:
        return b'\xfd' + struct.pack('<H', n)
    if n < 1 << 31:
        return b'\xfe' + struct.pack('<I', n)
    return b'\xff' + struct.pack('<Q', n)


def text(s):
    return s.encode() + b'\0'


def position(line, start, end, file_code=31, name_code=31, file='', name=''):
    bits = line | start << 20 | end << 28 | file_code << 38 | name_code << 43
    out = struct.pack('<Q', bits)[:6]
    if file_code == 31:
        out += text(file)
    return out + (text(name) if name_code == 31 else b'')


def codeword(bucket, tag, code=None, follow=None):
    out = struct.pack('<H', bucket << 2 | tag)
    if tag == LITERAL:
        out += struct.pack('<Q', code)
    return out + (bytes([follow]) if tag == 2 else b'')


def literals(codes):
    """Codewords of a stack that does not use the cache."""
    return len(codes), b''.join(codeword(code & 16383, LITERAL, code) for code in codes)


class Trace:
    """Packets, with a clock in microseconds since the start."""

    def __init__(self, version=2, rate=0.01, pid=77, program='prog.byte', **fields):
        self.version, self.pid = version, pid
        self.next_id = 0
        self.bytes = b''
        self.start()
        body = header(0, EPOCH) + struct.pack('<d', rate) + bytes([fields.get('word', 64)])
        body += text(program) + text('host') + text('s=256k') + struct.pack('<Q', pid)
        body += text('a test') if version >= 2 else b''
        self.packet(body + fields.get('more', b''), ids=fields.get('ids', (0, 0)))

    def start(self, time=0):
        self.body, self.begin, self.end, self.births = b'', time, time, 0

    def packet(self, body, begin=0, end=None, ids=None, version=None, magic=MAGIC, bits=None,
               pid=None, domain=0, verifier=(0xFFFF, 0, 0)):
        version = version or self.version
        ids = ids or (self.next_id, self.next_id)
        size = 66 + (2 if version >= 3 else 0) + len(body)
        self.bytes += struct.pack('<IIQQIHQ', magic, size * 8 if bits is None else bits,
                                  EPOCH + begin, EPOCH + (begin if end is None else end), 0,
                                  version, self.pid if pid is None else pid)
        if version >= 3:
            self.bytes += struct.pack('<H', domain)
        self.bytes += struct.pack('<HHQQQ', *verifier, *ids) + body

    def event(self, kind, time, payload):
        self.body += header(kind, EPOCH + time) + payload
        self.end = max(self.end, time)

    def location(self, code, *positions, time=0):
        self.event(1, time, struct.pack('<QB', code, len(positions)) + b''.join(positions))

    def alloc(self, time, words, codes, hits=1, source=0, prefix=0, coded=None):
        """Returns the block's id."""
        count, stack = coded or literals(codes)
        self.event(2, time, vint(words) + vint(hits) + bytes([source]) + vint(prefix) +
                   struct.pack('<H', count) + stack)
        self.births += 1
        return self.next_id + self.births - 1

    def later(self, kind, time, number):
        self.event(kind, time, vint(self.next_id + self.births - 1 - number))

    def promote(self, time, number):
        self.later(3, time, number)

    def collect(self, time, number):
        self.later(4, time, number)

    def flush(self, **fields):
        ids = fields.pop('ids', (self.next_id, self.next_id + self.births))
        self.packet(self.body, begin=fields.pop('begin', self.begin),
                    end=fields.pop('end', self.end), ids=ids, **fields)
        self.next_id += self.births
        self.start(self.end)
        return self


def small(version=2):
    """A profile with every fate, two files, a deep stack and a block outside the heap."""
    t = Trace(version)
    t.location(1, position(10, 2, 20, file='main.ml', name='Main.main'))
    t.location(2, position(5, 4, 9, file='lib/tree.ml', name='Tree.insert'))
    t.location(3, position(7, 4, 9, 0, 31, name='Tree.balance'))
    t.location(4, position(12, 0, 8, 1, 31, name='Main.load'))
    t.flush()
    t.start(1000)
    ids = [t.alloc(1000 + 100 * i, 3, [1, 2] + [3] * (i % 3)) for i in range(40)]
    for i, number in enumerate(ids):
        if i % 2 == 0:
            t.promote(6000 + i, number)
    for i, number in enumerate(ids):
        if i % 4 != 0:
            t.collect(7000 + 10 * i, number)
    t.alloc(8000, 1000, [1, 4], hits=11, source=1)
    t.alloc(8100, 4000, [1, 4], hits=41, source=2)
    t.collect(9000, t.alloc(8200, 16, [1]))
    return t.flush()
