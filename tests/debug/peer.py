"""A fake debugger: requests that ocamldebug never sends, lost connections, wrong addresses.

Whatever it sends, the program must not crash: it ends with a message, or runs to its end and prints
what it would print without a debugger.
"""
import os
import random
import socket
import struct
import subprocess
import tempfile

SOURCE = '''
let table = Array.init 5 (fun i -> float_of_int i)
let rec apply f n = if n = 0 then [] else f n :: apply f (n - 1)
let guarded k = try if k > 2 then raise Not_found else k with Not_found -> -k
let () =
  let base = List.length (apply guarded 3) in
  let text = String.concat "," (List.map string_of_int (apply (fun x -> guarded (x + base)) 4)) in
  print_endline (Printf.sprintf "%s %.1f" text table.(3));
  ignore (Sys.opaque_identity (lazy stdout, text, table))
'''
CLOSES = '''
external close : int -> unit = "caml_sys_close"
external descriptor : int -> out_channel = "caml_ml_open_descriptor_out"
let () =
  for fd = 3 to 30 do
    (try let c = descriptor fd in output_string c "forged"; close_out c with Sys_error _ -> ());
    try close fd with Sys_error _ -> ()
  done;
  print_endline "closed"
'''
OUTPUT = b'-7,-6,-5,-4 3.0\n'
MESSAGE = b'bactrian: CAML_DEBUG_SOCKET: '
SECONDS = 60
FORGED = [bytes(8), b'\x08' + bytes(7), b'\xf8' + 7 * b'\xff']
NO_FRAME = struct.pack('>iii', -1, 0, 0)


class Peer:
    """A program and the connection to it."""

    def __init__(self, bactrian, folder, words=(), host=None, program='program'):
        self.listener = socket.socket(socket.AF_INET if host else socket.AF_UNIX)
        self.listener.settimeout(SECONDS)
        address = os.path.join(folder, 'socket')
        if os.path.exists(address):
            os.remove(address)
        self.listener.bind((host, 0) if host else address)
        self.listener.listen()
        if host:
            address = '%s:%d' % self.listener.getsockname()
        self.child = start(bactrian, folder, address, words, program)
        self.connection = self.accept()

    def accept(self):
        connection = self.listener.accept()[0]
        connection.settimeout(SECONDS)
        return connection

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()
        self.listener.close()
        self.child.kill()
        self.child.communicate()

    def send(self, form, *arguments):
        self.connection.sendall(struct.pack(form, *arguments))

    def receive(self, size):
        read = b''
        while len(read) < size:
            part = self.connection.recv(size - len(read))
            if not part:
                raise EOFError
            read += part
        return read

    def words(self, count):
        return struct.unpack('>%di' % count, self.receive(4 * count))

    def ask_value(self, form, *arguments):
        self.send(form, *arguments)
        return self.receive(8)

    def marshalled(self):
        """The length of a marshalled value and whether it is one."""
        header = self.receive(20)
        magic, size = struct.unpack('>II', header[:8])
        if magic == 0x8495A6BE:
            self.receive(size)
        return magic == 0x8495A6BE

    def go_on(self, events):
        """Runs n events; the kind of the report and its words."""
        self.send('>cI', b'g', events)
        kind = self.receive(1)
        return kind, self.words(4)

    def end(self):
        """What the program printed, and its status."""
        out, err = self.child.communicate(timeout=SECONDS)
        return out, err, self.child.returncode


def start(bactrian, folder, address, words=(), program='program'):
    return subprocess.Popen([bactrian, *words, program], cwd=folder,
                            env={'PATH': os.environ['PATH'], 'CAML_DEBUG_SOCKET': address},
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def check(holds, *about):
    if not holds:
        raise AssertionError(*about)


def fails_with_a_message(outcome, reason):
    out, err, status = outcome
    check(out == b'' and err.startswith(MESSAGE) and err.count(b'\n') == 1 and status == 125,
          outcome)
    check(reason in err, err)


# ---- The cases. ----


def greets_and_runs_to_the_end(bactrian, folder):
    with Peer(bactrian, folder) as peer:
        first, pid = peer.words(2)
        check(first == -1 and pid == peer.child.pid, first, pid)
        for request in (b'0', b'f'):
            peer.send('c', request)
            check(peer.receive(12) == NO_FRAME)
        peer.send('>cI', b'U', 3)
        check(peer.words(1) == (-1,))
        check(peer.go_on(1000) == (b'x', (1000, 0, -1, 0)))
        peer.send('>cI', b'g', 1)
        check(peer.end() == (OUTPUT, b'', 0))


def connects_to_a_host_and_port(bactrian, folder):
    with Peer(bactrian, folder, host='127.0.0.1') as peer:
        check(peer.words(2)[0] == -1)
        check(peer.go_on(1)[0] == b'x')


def ends_at_the_request_to_stop(bactrian, folder):
    with Peer(bactrian, folder) as peer:
        peer.send('c', b's')
        check(peer.end() == (b'', b'', 0))


def a_closed_connection_is_reported(bactrian, folder):
    with Peer(bactrian, folder) as peer:
        peer.words(2)
        peer.connection.close()
        fails_with_a_message(peer.end(), b'closed')
    with Peer(bactrian, folder) as peer:
        peer.words(2)
        peer.send('>ciI', b'e', 0, 8)
        peer.send('>c', b'L')
        peer.connection.shutdown(socket.SHUT_WR)
        fails_with_a_message(peer.end(), b'closed')


def the_program_cannot_reach_the_connection(bactrian, folder):
    """The program closes and opens all descriptors that it can; its end is still reported."""
    with Peer(bactrian, folder, program='closes') as peer:
        peer.words(2)
        check(peer.go_on(1) == (b'x', (1, 0, -1, 0)))
        peer.send('>cI', b'g', 1)
        check(peer.end() == (b'closed\n', b'', 0))


def an_unknown_request_is_reported(bactrian, folder):
    for byte in (b'\0', b'z', b'\xff'):
        with Peer(bactrian, folder) as peer:
            peer.words(2)
            peer.send('c', byte)
            fails_with_a_message(peer.end(), b'request: byte 0x%02x' % byte[0])


def wrong_addresses_are_reported(bactrian, folder):
    for address, reason in (('', b'path'), ('x' * 200, b'path'), ('nobody', b'No such file'),
                            ('localhost:0', b'port'), ('localhost:port', b'port'),
                            (':', b'port'), ('127.0.0.1:99999', b'port'),
                            ('127.0.0.1:1', b'refused'), ('no host:1', b'unknown host')):
        child = start(bactrian, folder, address)
        out, err = child.communicate(timeout=SECONDS)
        fails_with_a_message((out, err, child.returncode), reason)


def a_refused_network_refuses_the_debugger(bactrian, folder):
    for word in ('--pure', '--deny=net'):
        child = start(bactrian, folder, os.path.join(folder, 'nobody'), [word])
        out, err = child.communicate(timeout=SECONDS)
        check(child.returncode == 0 and out == OUTPUT and word.encode() in err, out, err)


def patches_outside_the_code_are_ignored(bactrian, folder):
    with Peer(bactrian, folder) as peer:
        peer.words(2)
        for request in (b'e', b'B', b'i'):
            for fragment, offset in ((0, 1), (0, 0xfffffffc), (1, 0), (-1, 0), (0x7fffffff, 4)):
                peer.send('>ciI', request, fragment, offset)
        peer.send('>ciI', b'i', 0, 0)
        check(peer.go_on(1)[0] == b'x')


def every_instruction_can_be_an_event(bactrian, folder):
    """Also in the middle of instructions, where nothing is replaced. The count is the same again
    in a checkpoint."""
    counts = []
    with Peer(bactrian, folder) as peer:
        peer.words(2)
        for pc in range(words_of_code(folder)):
            peer.send('>ciI', b'e', 0, 4 * pc)
        peer.send('c', b'c')
        check(peer.words(1)[0] > 0)
        checkpoint = peer.accept()
        for greeting in (0, 1):
            peer.words(greeting)
            kind, numbers = peer.go_on(1000000)
            counts.append(numbers[0])
            check(kind == b'x')
            peer.send('c', b's')
            peer.connection.close()
            peer.connection = checkpoint
        out, _, status = peer.end()
        check(counts[0] == counts[1] < 1000000 and out == 2 * OUTPUT, counts, out, status)


def read_everything(peer, rng):
    """Requests about the frame and values of a stopped program, some of them forged."""
    known = [peer.ask_value('c', b'A')]
    for _ in range(rng.randrange(1, 6)):
        request = rng.choice((b'L', b'E', b'G'))
        known.append(peer.ask_value('>cI', request, rng.choice((0, 1, 2, 3, 7, 0xffffffff))))
    for _ in range(rng.randrange(1, 6)):
        v = rng.choice(known + FORGED + [rng.randbytes(8)])
        request = rng.choice((b'H', b'F', b'M', b'C'))
        if request == b'F':
            peer.send('>c8sI', request, v, rng.choice((0, 1, 2, 9, 0xffffffff)))
            check(peer.receive(1) in (b'\0', b'\1'))
            known.append(peer.receive(8))
            continue
        peer.send('>c8s', request, v)
        if request == b'M':
            peer.marshalled()
        else:
            peer.words(1 if request == b'H' else 2)
    for _ in range(rng.randrange(4)):
        peer.send('>cI', b'S', rng.choice((0, 3, 10, 40, 0xffffffff)))
        peer.send('>cI', b'U', rng.randrange(20))
        if peer.words(1)[0] != -1:
            peer.words(2)


def every_instruction_can_be_a_breakpoint(bactrian, folder):
    rng = random.Random(1)
    with Peer(bactrian, folder, ['--gc-stress=1', '--gc-verify']) as peer:
        peer.words(2)
        code = words_of_code(folder)
        for pc in range(code - code // 8, code):
            peer.send('>ciI', b'B', 0, 4 * pc)
        stops = 0
        while True:
            peer.send('>cI', b'b', rng.choice((0, 0, 5, 1000)))
            kind, numbers = peer.go_on(1)
            read_everything(peer, rng)
            if kind == b'x':
                break
            check(kind in (b'b', b's'), kind)
            if kind == b'b':
                stops += 1
                check(numbers[0] == 1 and numbers[1] > 0 and numbers[2] == 0, numbers)
                peer.send('>cii', b'i', 0, numbers[3])
        peer.send('>cI', b'g', 1)
        out, err, status = peer.end()
        check(stops > 50 and (out, err, status) == (OUTPUT, b'', 0), stops, out, err, status)


def a_checkpoint_without_a_debugger_is_silent(bactrian, folder):
    with Peer(bactrian, folder) as peer:
        peer.words(2)
        peer.send('c', b'c')
        peer.words(1)
        copy = peer.accept()
        copy.close()
        peer.send('c', b'w')
        check(peer.go_on(1)[0] == b'x')
        peer.send('>cI', b'g', 1)
        check(peer.end() == (OUTPUT, b'', 0))


CASES = (greets_and_runs_to_the_end, connects_to_a_host_and_port, ends_at_the_request_to_stop,
         a_closed_connection_is_reported, the_program_cannot_reach_the_connection,
         an_unknown_request_is_reported, wrong_addresses_are_reported,
         a_refused_network_refuses_the_debugger, patches_outside_the_code_are_ignored,
         every_instruction_can_be_an_event, every_instruction_can_be_a_breakpoint,
         a_checkpoint_without_a_debugger_is_silent)


def words_of_code(folder):
    """The size of section CODE, from the table at the end of the file."""
    with open(os.path.join(folder, 'program'), 'rb') as file:
        data = file.read()
    count = struct.unpack('>I', data[-16:-12])[0]
    table = data[-16 - 8 * count:-16]
    sizes = {table[i:i + 4]: struct.unpack('>I', table[i + 4:i + 8])[0]
             for i in range(0, len(table), 8)}
    return sizes[b'CODE'] // 4


def run(bactrian, words):
    """Runs the cases whose name contains one of the words; (passed, failed)."""
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix='bactrian-debug-') as folder:
        for name, source in (('program', SOURCE), ('closes', CLOSES)):
            with open(os.path.join(folder, name + '.ml'), 'w', encoding='ascii') as file:
                file.write(source)
            subprocess.run(['ocamlc', '-g', '-o', name, name + '.ml'], cwd=folder, check=True)
        for case in CASES:
            if words and not any(word in case.__name__ for word in words):
                continue
            try:
                case(bactrian, folder)
                passed += 1
            except (AssertionError, EOFError, OSError, subprocess.SubprocessError) as why:
                print('FAIL %s: %s %s' % (case.__name__, type(why).__name__, why))
                failed += 1
    return passed, failed
