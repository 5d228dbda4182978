"""What the tests of the command line share: a folder with programs, and running things in it."""
import functools
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = {
    'args': 'let () = Array.iter print_endline Sys.argv; print_endline Sys.executable_name',
    'status': 'let () = exit (int_of_string Sys.argv.(1))',
    'raises': 'let f x = if x > 0 then failwith "boom" else 1\nlet () = print_int (f 1 + 1)',
    'copy': 'let () = try while true do print_endline (input_line stdin) done\n'
            '  with End_of_file -> ()',
    'deep': 'let rec f n = if n = 0 then 0 else 1 + f (n - 1)\n'
            'let () = print_string (try string_of_int (f (int_of_string Sys.argv.(1)))\n'
            '  with Stack_overflow -> "overflow")',
    'hungry': 'let rec grow l n = if n = 0 then l else grow (Bytes.create 100000 :: l) (n - 1)\n'
              'let () = let n = int_of_string Sys.argv.(1) in\n'
              '  print_string (try string_of_int (List.length (grow [] n))\n'
              '  with Out_of_memory -> "out of memory")',
    'world': r'''
let rec spin n = if n = 0 then () else spin (n - 1)
let () =
  let word i = Sys.argv.(i) in
  let write file = let o = open_out file in output_string o "x"; close_out o in
  let act = function
    | "spin" -> print_string "before"; while true do spin 1000000 done
    | "count" -> spin (int_of_string (word 2)); print_string "done"
    | "read" -> print_string (input_line (open_in (word 2)))
    | "write" -> write (word 2)
    | "update" -> close_out (open_out_gen [Open_rdonly; Open_creat] 0o600 (word 2))
    | "exists" -> print_string (string_of_bool (Sys.file_exists (word 2)))
    | "folder" -> print_string (string_of_bool (Sys.is_directory (word 2)))
    | "list" -> Array.iter print_string (Sys.readdir (word 2))
    | "remove" -> Sys.remove (word 2)
    | "mkdir" -> Sys.mkdir (word 2) 0o700
    | "rmdir" -> Sys.rmdir (word 2)
    | "rename" -> Sys.rename (word 2) (word 3)
    | "chdir" -> Sys.chdir (word 2); print_string (Sys.getcwd ())
    | "getcwd" -> print_string (Sys.getcwd ())
    | "getenv" -> print_string (try Sys.getenv "HOME" with Not_found -> "none")
    | "command" -> print_int (Sys.command "true")
    | "time" -> print_string (string_of_bool (Sys.time () >= 0.))
    | "random" -> Random.self_init (); print_string "random"
    | "signal" -> Sys.set_signal Sys.sigint Sys.Signal_ignore; print_string "set"
    | "closure" ->
        let text = Marshal.to_string spin [Marshal.Closures] in
        (Marshal.from_string text 0 : int -> unit) 5; print_string "called"
    | "plain" -> print_string (Marshal.from_string (Marshal.to_string "plain" []) 0)
    | "digits" -> for _ = 1 to int_of_string (word 2) do print_char '7' done
    | "wait" -> ignore (input_line stdin)
    | "catch" -> (try while true do spin 1000 done with _ -> print_string "caught")
    | _ -> () in
  try act (word 1) with Sys_error text | Failure text -> print_string text; exit 3''',
    'busy': 'let () = for i = 1 to 30 do\n'
            '  let l = List.init i (fun j -> string_of_int (i * j)) in\n'
            '  Printf.printf "%d %d\\n" (List.length l) (Hashtbl.hash l) done',
}

# Prints the most memory that the process has taken, in KB.
PEAK = '''
let rec peak status =
  match Scanf.sscanf (input_line status) "VmHWM: %d" (fun n -> n) with
  | n -> n
  | exception Scanf.Scan_failure _ -> peak status
let () = print_int (peak (open_in "/proc/self/status"))
'''


class Place:
    """A folder of compiled programs, inside another, and the binary under test."""

    def __init__(self, bactrian, inside):
        self.bactrian = os.path.abspath(bactrian)
        self.folder = tempfile.mkdtemp(dir=inside)
        os.chmod(self.folder, 0o755)
        self.home = os.path.join(self.folder, 'home')
        os.mkdir(self.home)
        for name, text in PROGRAMS.items():
            self.write(name + '.ml', text + '\n')
            self.tool('ocamlc', '-g', '-o', name + '.byte', name + '.ml')
        self.bin = os.path.join(self.folder, 'bin')
        os.mkdir(self.bin)
        os.symlink(self.bactrian, os.path.join(self.bin, 'bactrian'))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        os.chmod(path, mode)
        return path

    def read(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def tool(self, *command):
        subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def environment(self, extra):
        env = {'PATH': self.bin + ':' + os.environ['PATH'], 'HOME': self.home, 'LC_ALL': 'C'}
        for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS'):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(extra)
        return {k: v for k, v in env.items() if v is not None}


@functools.lru_cache(None)
def ocaml5():
    """The folder of the real OCaml 5.3."""
    done = subprocess.run([os.path.join(ROOT, 'tests', 'support', 'ocaml5')],
                          stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise unittest.SkipTest('there is no OCaml 5.3')
    return os.fsdecode(done.stdout.strip())


class Done:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return 'status %d\nstdout: %r\nstderr: %r' % (self.status, self.out, self.err)

    def key(self):
        return self.status, self.out, self.err


class Case(unittest.TestCase):
    place = None

    def run_command(self, command, env=None, stdin=b'', cwd=None, **more):
        if 'stdin_file' in more:
            source, data = more.pop('stdin_file'), None
        else:
            source, data = subprocess.PIPE, stdin
        more.setdefault('stdout', subprocess.PIPE)
        child = subprocess.Popen(command, cwd=cwd or self.place.folder, stdin=source,
                                 stderr=subprocess.PIPE,
                                 env=self.place.environment(env or {}), **more)
        try:
            out, err = child.communicate(data, timeout=120)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise
        return Done(child.returncode, (out or b'').decode('latin-1'), err.decode('latin-1'))

    def bactrian(self, *words, **more):
        return self.run_command([self.place.bactrian] + list(words), **more)

    def ocamlrun(self, *words, **more):
        return self.run_command(['ocamlrun'] + list(words), **more)

    def expect(self, done, status=0, out=None, err=''):
        self.assertEqual(done.status, status, repr(done))
        if out is not None:
            self.assertEqual(done.out, out, repr(done))
        if err is not None:
            self.assertEqual(done.err, err, repr(done))

    def same(self, *words, **more):
        """bactrian and ocamlrun do the same."""
        mine, theirs = self.bactrian(*words, **more), self.ocamlrun(*words, **more)
        self.assertEqual(mine.key(), theirs.key())
        return mine

    def refused(self, done, status, *texts):
        """One line on standard error that holds the texts, nothing on standard output."""
        self.assertEqual(done.status, status, repr(done))
        self.assertEqual(done.out, '', repr(done))
        self.assertTrue(done.err.startswith('bactrian: '), repr(done))
        self.assertEqual(done.err.count('\n'), 1, repr(done))
        self.assertTrue(done.err.endswith('\n'), repr(done))
        for text in texts:
            self.assertIn(text, done.err)
