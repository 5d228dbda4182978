"""Writes profiles of Bactrian's own format, with any contents (memprof/format/README.md)."""
import ctypes
import struct
import zlib

CHUNK = 1 << 20
START, STRING, LOCATION, STACK, SAMPLE, PROMOTIONS, DEATHS, GC_SPAN = range(1, 9)
PHASE_ENTER, PHASE_LEAVE, COUNTERS, FINISH, END, SMALL_SAMPLE, BLOCK_TAG, SITE = range(9, 17)
SELECTION, THREAD, MARKING, MAXIMUM, WEIGHT, OMITTED, EXCESS = 17, 18, 19, 20, 29, 30, 31


def uint(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def sint(n):
    return uint(n << 1 if n >= 0 else (-n << 1) - 1)


def text(s):
    return uint(len(s)) + s


ZSTD = ctypes.CDLL('libzstd.so.1')
ZSTD.ZSTD_compress.restype = ZSTD.ZSTD_compressBound.restype = ctypes.c_size_t
ZSTD.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
ZSTD.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
                               ctypes.c_int]


def zstd(data):
    out = ctypes.create_string_buffer(ZSTD.ZSTD_compressBound(len(data)))
    n = ZSTD.ZSTD_compress(out, len(out), data, len(data), 3)
    return out.raw[:n]


class Profile:
    """The bytes of a recording, and the records of the open chunk."""

    def __init__(self, version=3):
        self.version = version
        head = b'\x89BPROF\r\n' + struct.pack('<HH', version, 0)
        self.bytes = bytearray(head + struct.pack('<I', zlib.crc32(head)))
        self.chunks, self.records, self.unpacked = 0, bytearray(), 0
        self.strings = self.locations = self.nodes = self.samples = 0

    def put(self, tag, *fields, times=1):
        record = bytes([tag]) + b''.join(fields)
        while times > 0:
            some = min(times, max(1, (CHUNK - len(self.records)) // len(record)))
            self.records += record * some
            times -= some
            if len(self.records) + len(record) > CHUNK:
                self.flush()

    def start(self, rate):
        self.put(START, uint(64), struct.pack('<d', rate), *[uint(n) for n in (1, 0, 7, 0, 9, 0)],
                 *[text(s) for s in (b'fuzz', b'fuzz\0', b'here', b'4.13', b'test')])

    def flush(self):
        stored, size = zstd(bytes(self.records)), len(self.records)
        head = b'BPC\1' + struct.pack('<IIII', self.chunks, len(stored), size, zlib.crc32(stored))
        self.bytes += head + struct.pack('<I', zlib.crc32(head)) + stored
        self.unpacked += size
        self.chunks, self.records = self.chunks + 1, bytearray()

    def string(self, s):
        self.put(STRING, text(s))
        self.strings += 1
        return self.strings

    def location(self, file, name, line):
        self.put(LOCATION, *[uint(n) for n in (line, file, name, line, 0, 9)])
        self.locations += 1
        return self.locations

    def stack(self, caller, location, count):
        """A chain of nodes at one location. Returns the last."""
        self.put(STACK, uint(self.nodes + 1 - caller), uint(count), sint(location),
                 bytes(count - 1))
        self.nodes += count
        return self.nodes
