"""Machine code beside the interpreter: where the system forbids it, and where limits end it."""
import ctypes
import os
import platform
import resource
import shutil
import struct
import unittest

from support import Case

MEMFD_CREATE, MMAP = 319, 9
ALLOW, REFUSE = 0x7fff0000, 0x00050000 | 1  # SECCOMP_RET_ALLOW; _ERRNO, EPERM
LOAD, JUMP_IF_EQUAL, AND, RETURN = 0x20, 0x15, 0x54, 0x06
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2
NUMBER, PROTECTION, FLAGS = 0, 16 + 2 * 8, 16 + 3 * 8  # of struct seccomp_data
EXECUTABLE, SHARED = 4, 1

NO_MEMORY_FILES = [(LOAD, 0, 0, NUMBER), (JUMP_IF_EQUAL, 0, 1, MEMFD_CREATE),
                   (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
# The dynamic linker maps libraries privately.
NO_SHARED_CODE = [(LOAD, 0, 0, NUMBER), (JUMP_IF_EQUAL, 0, 6, MMAP),
                  (LOAD, 0, 0, PROTECTION), (AND, 0, 0, EXECUTABLE),
                  (JUMP_IF_EQUAL, 0, 3, EXECUTABLE), (LOAD, 0, 0, FLAGS),
                  (AND, 0, 0, SHARED), (JUMP_IF_EQUAL, 1, 0, SHARED), (RETURN, 0, 0, ALLOW),
                  (RETURN, 0, 0, REFUSE)]

CALLS = '''
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let rec forever n = if n < 0 then n else forever (n lxor 1)
let rec grow l = if Sys.opaque_identity false then l else grow (Bytes.create 4096 :: l)
let rec deep n = 1 + deep (n + 1)
let () = match Sys.argv.(1) with
  | "fib" -> print_int (fib 20)
  | "call" -> print_int (forever 1)
  | "loop" -> while true do ignore (Sys.opaque_identity 1) done
  | "allocate" -> while true do ignore (Sys.opaque_identity (ref 1)) done
  | "print" -> while true do print_string "line" done
  | "grow" -> (try ignore (grow []) with Out_of_memory -> print_string "memory")
  | _ -> (try ignore (deep 0) with Stack_overflow -> print_string "stack")
'''


def restrict(rules):
    """Gives the system calls of this process, and of what it becomes, that filter."""
    code = b''.join(struct.pack('<HBBI', *rule) for rule in rules)
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
    program = Program(len(rules), ctypes.addressof(buffer))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(PR_SET_SECCOMP, FILTER,
                                                       ctypes.byref(program)):
        raise OSError(ctypes.get_errno(), 'prctl')


@unittest.skipUnless(platform.machine() == 'x86_64', 'there is no machine code')
class Tiers(Case):
    def setUp(self):
        self.place.write('calls.ml', CALLS)
        self.place.tool('ocamlc', '-o', 'calls.byte', 'calls.ml')

    def test_without_executable_memory_everything_is_interpreted(self):
        def little_address_space():
            resource.setrlimit(resource.RLIMIT_AS, (96 << 20, 96 << 20))
        ways = {'memfd_create': lambda: restrict(NO_MEMORY_FILES),
                'mmap': lambda: restrict(NO_SHARED_CODE)}
        if 'ASAN_OPTIONS' not in os.environ:  # a sanitizer reserves address space
            ways['address space'] = little_address_space
        for name, preexec in ways.items():
            for kind in 'hot', 'all':
                with self.subTest(refused=name, jit=kind):
                    self.expect(self.bactrian('--jit=' + kind, 'calls.byte', 'fib',
                                              preexec_fn=preexec), out='6765')
                    done = self.bactrian('--jit=' + kind, '--gc-stats', 'calls.byte', 'fib',
                                         preexec_fn=preexec)
                    self.assertIn('jit: 0 functions compiled', done.err)
        done = self.bactrian('--jit=hot', '--gc-stats', 'calls.byte', 'fib')
        self.assertRegex(done.err, 'jit: [1-9][0-9]* functions compiled')

    def test_limits_end_machine_code(self):
        for kind in 'off', 'hot', 'all':
            for what in 'call', 'loop', 'allocate':
                with self.subTest(jit=kind, what=what):
                    self.expect(self.bactrian('--jit=' + kind, '--timeout=0.5', 'calls.byte', what),
                                status=124, err=None)
            with self.subTest(jit=kind, limits=True):
                done = self.bactrian('--jit=' + kind, '--max-output=1000', 'calls.byte', 'print')
                self.assertEqual((done.status, len(done.out)), (124, 1000))
                self.expect(self.bactrian('--jit=' + kind, '--max-heap=20M', 'calls.byte', 'grow'),
                            out='memory')
                self.expect(self.bactrian('--jit=' + kind, '--max-stack=1M', 'calls.byte', 'deep'),
                            out='stack')

    def test_fuel_is_counted_alike(self):
        def least(kind):
            low, high = 0, 1 << 20
            while high - low > 1:
                middle = (low + high) // 2
                done = self.bactrian('--jit=' + kind, '--fuel=%d' % middle, 'calls.byte', 'fib')
                low, high = (low, middle) if done.status == 0 else (middle, high)
            return high
        self.assertEqual(least('all'), least('off'))

    def test_calls_of_what_is_compiled_are_traced(self):
        """The toplevel's #trace replaces the code of the function's closure."""
        phrases = """
            let rec f n = if n = 0 then 0 else 1 + f (n - 1);;
            let g n = 1 + f n;;
            for i = 1 to 3000 do ignore (g 1) done;;
            #trace f;;
            g 3;;
            #untrace f;;
            g 3;;
            let rec f n = if n = 0 then 0 else 2 + f (n - 1);;
            let g n = 1 + f n;;
            for i = 1 to 3000 do ignore (g 1) done;;
            #trace f;;
            g 3;;
        """
        for kind in 'off', 'hot', 'all':
            with self.subTest(jit=kind):
                done = self.bactrian('--jit=' + kind, shutil.which('ocaml'), '-noprompt',
                                     stdin=phrases.encode())
                self.assertEqual(done.out.count('f <-- '), 8)
                self.assertEqual([line for line in done.out.split('\n') if ': int = ' in line],
                                 ['- : int = 4'] * 2 + ['- : int = 7'])

    def test_dis_prints_machine_code_beside_bytecode(self):
        cases = ' | '.join('%d -> %d' % (i, 99 - i) for i in range(10))
        self.place.write('pick.ml', 'let rec pick = function %s | n -> pick (n - 10)\n'
                                    'let () = print_int (pick 15)' % cases)
        self.place.tool('ocamlc', '-g', '-o', 'pick.byte', 'pick.ml')
        done = self.bactrian('dis', '--machine', '--function', 'pick', 'pick.byte')
        self.expect(done)
        for line in (r'machine code of pick\.byte', r'Pick\.pick, \d+ bytes',
                     r'  [0-9a-f]+ OFFSETINT -10', r'      \+[0-9a-f]+ jmp +\+[0-9a-f]+',
                     r'      \+[0-9a-f]+ table( \+[0-9a-f]+,?){10}', '  what rarely runs'):
            self.assertRegex(done.out, '(?m)^' + line + '$')
        self.assertNotIn('Stdlib', done.out)

    def test_dis_decodes_all_machine_code(self):
        done = self.bactrian('dis', '--machine', 'calls.byte')
        self.expect(done)
        self.assertEqual([line for line in done.out.split('\n') if '(bad)' in line], [])
        self.assertEqual(done.out.count('\nCamlinternalFormatBasics.'), 3)

    def test_dis_says_what_it_lacks(self):
        self.refused(self.bactrian('dis', '--function', 'fib', 'calls.byte'), 125, '--machine')
        self.refused(self.bactrian('dis', '--machine', 'calls.byte', env={'PATH': '/nowhere'}), 125,
                     'install binutils')
        self.refused(self.bactrian('dis', '--machine', 'calls.byte', preexec_fn=lambda: restrict(
            NO_SHARED_CODE)), 125, 'no machine code')
        self.refused(self.bactrian('dis', '--machine', '-o', 'calls.ml', 'calls.byte'), 125,
                     'calls.ml', '--force')
