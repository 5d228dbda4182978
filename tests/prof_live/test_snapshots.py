"""Snapshots of processes: by a child or in a pause, and what the program does meanwhile."""
import os
import signal
import subprocess
import time

from place import LOOP, PATIENCE, Program, check

# It answers USR1, and has enough for a snapshot that takes a moment.
LARGE = LOOP.replace('print_endline "ready"', """
  let large = Array.init 2_000_000 (fun i -> [| i; i |]) in
  Gc.full_major ();
  ignore (Sys.signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> print_endline "runs")));
  at_exit (fun () -> ignore (Sys.opaque_identity large));
  print_endline "ready\"""")


def start_snapshot(place, program):
    """Asks for a snapshot and stops the process that writes it; both processes."""
    def children():
        found = []
        for thread in os.listdir('/proc/%s/task' % program.pid):
            with open('/proc/%s/task/%s/children' % (program.pid, thread),
                      encoding='ascii') as file:
                found += [int(pid) for pid in file.read().split()]
        return found
    old = children()  # the one before has ended
    asks = subprocess.Popen([place.bactrian, 'prof', 'snapshot', program.pid, '-o', 's.heap'],
                            cwd=place.folder, env=place.environment, stderr=subprocess.PIPE)
    place.running.append(asks)
    while asks.poll() is None:
        for pid in children():
            if pid not in old:
                os.kill(pid, signal.SIGSTOP)
                return asks, pid
    raise AssertionError('no process writes it')


def test_a_process_goes_on_while_its_snapshot_is_written(place):
    program = Program(place, place.compile(LARGE))
    for ends in (False, True):
        asks, writer = start_snapshot(place, program)
        program.child.send_signal(signal.SIGUSR1)
        check(program.child.stdout.readline() == b'runs\n', 'it waits')
        if ends:  # and waits for the writer
            with open(program.stop_file, 'w', encoding='ascii'):
                pass
        check(asks.poll() is None, 'an answer without a file')
        os.kill(writer, signal.SIGCONT)
        errors = asks.communicate(timeout=PATIENCE)[1]
        check(asks.returncode == 0 and b's.heap: ' in errors, errors)
        check(b'variable before of Program' in place.done('heap', 's.heap').stdout, 'the file')
    program.end()


THREADS = LARGE.replace('let () =\n', '''let () =
  let spin () = while true do ignore (Sys.opaque_identity (ref 0)); Thread.yield () done in
  ignore (Thread.create spin ());
''', 1).replace('print_int', 'exit @@ (fun n -> print_int n; 0) @@')


def test_processes_with_threads_and_recorded_ones_go_on(place):
    path = place.compile(THREADS, 'threads.cma', flags=('-I', '+threads'))
    for recorded in (False, True):
        program = Program(place, path)
        if recorded:
            place.done('attach', program.pid, '-o', 'a.prof', '--rate', '0.1')
            time.sleep(0.3)
        asks, writer = start_snapshot(place, program)
        program.child.send_signal(signal.SIGUSR1)
        check(program.child.stdout.readline() == b'runs\n', 'it waits')
        check(asks.poll() is None, 'an answer without a file')
        os.kill(writer, signal.SIGCONT)
        errors = asks.communicate(timeout=PATIENCE)[1]
        check(asks.returncode == 0 and b's.heap: ' in errors, errors)
        check(b'2,00' in place.done('heap', 's.heap').stdout, 'the file')
        if recorded:
            place.done('detach', program.pid)
            text = place.done('leaks', 'a.prof').stdout
            check(b'The snapshot is s.heap, which the run has written.' in text, text)
        program.end()


# A library that in a child process waits for a lock which another thread held.
HOLDS_LOCK = '''
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t parent;
__attribute__((constructor)) static void start(void) { parent = getpid(); }
ssize_t write(int file, const void *bytes, size_t n) {
  if (getpid() != parent) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
  }
  return syscall(SYS_write, file, bytes, n);
}'''


# A library whose threads do nothing but allocate memory.
ALLOCATES = '''
#include <pthread.h>
#include <stdlib.h>
static void *allocate(void *unused) {
  void *blocks[64] = {0};
  for (unsigned n = 1;; n = n * 1103515245 + 12345) {
    unsigned i = n >> 16 & 63;
    free(blocks[i]);
    blocks[i] = malloc(n >> 20 & 0xffff);
  }
}
__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  for (int i = 0; i < 2; i++) pthread_create(&thread, 0, allocate, 0);
}'''


def preloaded(place, library, path):
    """A program that runs with a library of C code."""
    with open(os.path.join(place.folder, 'library.c'), 'w', encoding='ascii') as file:
        file.write(library)
    subprocess.run(['cc', '-shared', '-fPIC', '-o', 'library.so', 'library.c'], cwd=place.folder,
                   check=True)
    environment = place.environment
    place.environment = {**environment,
                         'LD_PRELOAD': os.path.join(place.folder, 'library.so')}
    program = Program(place, path)
    place.environment = environment
    return program


def test_threads_that_allocate_do_not_prevent_a_snapshot(place):
    program = preloaded(place, ALLOCATES, place.compile(LOOP))
    for _ in range(8):
        place.done('snapshot', program.pid, '-o', 's.heap')
        check(b'Program' in place.done('heap', 's.heap').stdout, 'the file')
    program.end()


def test_another_thread_holds_a_lock_of_the_c_library(place):
    """The writer ends itself; nothing waits for ever."""
    path = place.compile(THREADS, 'threads.cma', flags=('-I', '+threads'))
    program = preloaded(place, HOLDS_LOCK, path)
    place.refused(b': it cannot: another thread held a lock of the C library at that moment: try '
                  b'again, or add --pause', 'snapshot', program.pid, '-o', 's.heap')
    check([name for name in os.listdir(place.folder) if '.heap' in name] == [], 'a file')
    place.done('snapshot', '--pause', program.pid, '-o', 's.heap')
    check(b'2,00' in place.done('heap', 's.heap').stdout, 'the file')
    program.end()


def test_a_process_writes_its_snapshot_in_a_pause(place):
    program = Program(place, place.compile(LARGE))
    with open('/proc/%s/task/%s/children' % (program.pid, program.pid), encoding='ascii') as file:
        asks = subprocess.Popen([place.bactrian, 'prof', 'snapshot', '--pause', program.pid, '-o',
                                 's.heap'], cwd=place.folder, env=place.environment,
                                stderr=subprocess.PIPE)
        place.running.append(asks)
        while asks.poll() is None:
            file.seek(0)
            check(file.read() == '', 'a child')
    check(b's.heap: ' in asks.stderr.read(), 'no snapshot')
    program.end()


def test_the_writer_of_a_snapshot_is_killed(place):
    program = Program(place, place.compile(LARGE))
    asks, writer = start_snapshot(place, program)
    os.kill(writer, signal.SIGKILL)
    errors = asks.communicate(timeout=PATIENCE)[1]
    check(asks.returncode == 125 and errors.endswith(b': it did not answer: try again\n'), errors)
    check([name for name in os.listdir(place.folder) if '.heap' in name] == [], 'a file')
    check(b's.heap: ' in place.done('snapshot', program.pid, '-o', 's.heap').stderr, 'another one')
    program.end()
