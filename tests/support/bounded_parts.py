"""What the long tests consist of (see bounded). A list has its default number of minutes, the
builds it needs, its parts, and what it leaves out on purpose, with the reason.

The costs are seconds of one core of an idle machine; they only divide the time."""
import os
import sys

import timed
from schedule import Build, Part

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECKED = ['-Dassertions=true', '-Dwerror=true']
SANITIZED = ['-Db_lundef=false', '--buildtype=debugoptimized'] + CHECKED
ASAN = ['-Db_sanitize=address,undefined'] + SANITIZED
FUZZ = os.path.join('tests', 'fuzz', 'run')
SMALL = 'build-small-tables'
DEBUG = 'build-debug'  # dev makes the same for ./dev test
# {folder: (compiler, options of Meson, seconds of a build from nothing)}
BUILDS = {
    'build': ('', [], 60),
    DEBUG: ('', ['-Doptimization=1', '-Dc_args=-Wno-maybe-uninitialized'] + CHECKED, 60),
    'build-gcc-san': ('gcc', ASAN, 150),
    'build-clang-san': ('clang', ASAN, 250),
    'build-clang': ('clang', ['-Dwerror=true'], 80),
    SMALL: ('', ['-Dsmall_tables=true'] + CHECKED, 60),
    # TSan knows no fences; the one between a signal handler and its thread needs none.
    'build-tsan': ('gcc', ['-Db_sanitize=thread', '-Dc_args=-Wno-tsan'] + SANITIZED, 100),
}
# {folder: (command, seconds)}; they use the folder build.
FUZZERS = {
    'build-fuzz': ('%s --prepare && ninja -C build-fuzz --quiet tests/fuzz/bytecode_mutants' % FUZZ,
                   150),
    'build-afl': ('%s --afl --prepare' % FUZZ, 200),
}
# At its end a program leaves the memory of custom blocks to the system, as under ocamlrun.
# The shim of faults is loaded before ASan.
SAN_ENV = {'ASAN_OPTIONS': 'detect_leaks=0:allocator_may_return_null=1:verify_asan_link_order=0',
           'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1'}
TSAN_ENV = {'TSAN_OPTIONS': 'die_after_fork=0:allocator_may_return_null=1:suppressions=%s' %
                            os.path.join(ROOT, 'tests', 'support', 'tsan.supp')}
MEMCHECK = 'valgrind -q --error-exitcode=99'
SLOW_UNDER_MEMCHECK = ['parameters_take', 'pauses_are', 'p5_', 'random_graphs', 'profile_format']
STRESS = [['--gc-stress=%d' % level, '--gc-verify'] for level in range(1, 7)]
# Mutants and generated programs depend on their first seed: those of two days are far apart.
FIRST_SEED = '{seed}000000'
TARGETS = sorted(name[len('fuzz_'):-len('.c')]
                 for name in os.listdir(os.path.join(ROOT, 'tests', 'fuzz'))
                 if name.startswith('fuzz_') and name.endswith('.c'))


class List:
    def __init__(self, minutes, parts, on_purpose=()):
        self.minutes, self.parts, self.on_purpose = minutes, parts, on_purpose

    def builds(self, parts, cores, seed):
        """The builds that the parts need, in an order that the seed chooses: the time may suffice
        for some only. Those of FUZZERS come last, since they use `build`."""
        needed = {part.needs for part in parts}
        fuzzers = [folder for folder in FUZZERS if folder in needed]
        needed |= {'build'} if fuzzers else set()
        others = [folder for folder in BUILDS if folder in needed]
        order = timed.rotated(others, seed) + timed.rotated(fuzzers, seed)
        return [build(folder, cores) for folder in order]


def build(folder, cores):
    if folder in FUZZERS:
        command, cost = FUZZERS[folder]
        return Build(folder, cost, ['sh', '-c', command], {})
    compiler, options, cost = BUILDS[folder]
    words = ['ninja', '-C', folder, '-j', str(cores), '--quiet']
    if not os.path.exists(os.path.join(ROOT, folder, 'build.ninja')):
        words = ['sh', '-c', 'meson setup %s %s && %s' % (folder, ' '.join(options),
                                                         ' '.join(words))]
    return Build(folder, cost, words, {'CC': compiler} if compiler else {})


def script(path, *words):
    return [sys.executable, os.path.join(ROOT, path), *words]


def bactrian(build):
    return os.path.join(ROOT, build, 'vm', 'cli', 'bactrian')


def suite(name, build, *words):
    return script(name, '--bactrian', bactrian(build), *words)


def differential(build, flags, timeout, *more):
    return suite('tests/support/difftest', build, *more, '--jobs', '1', '--timeout', str(timeout),
                 '--seconds', '{seconds}', '--seed', '{seed}', '--', *flags)


# Suites that run OCaml programs, with --jit=all. A debugger, --profile and --count-forms leave all
# to the interpreter.
NATIVE_SUITES = [('asm', 5), ('versions', 5), ('regression', 30), ('threads', 30)]
# Suites for the build whose tables begin with one row (gc/containers.h).
SMALL_SUITES = [('asm', 5), ('image', 15), ('capi', 10), ('ffi', 10), ('memprof', 30),
                ('regression', 30)]


def stress_parts(_):
    """The differential suite with a stressed and verified collector, sampled, recorded, unchecked,
    with fuel; with assertions, except in what measures."""
    sampled = ['--memprof-stress=0.1']
    profiles = [['--profile=' + kind, '--profile-stack', '--gc-verify']
                for kind in ('time', 'alloc', 'count')]
    rows = [(flags, 40) for flags in STRESS] + [(['--unchecked'], 10)]
    rows += [(flags + sampled, 80) for flags in [['--gc-verify']] + STRESS]
    rows += [(flags, 100) for flags in profiles]
    rows.append((['--fuel=%d' % 10**15], 10))
    rows.append((['prof', 'record', '--quiet', '--rate=0.1', '--gc-trace', '-o', '/dev/null'], 20))
    for flags, cost in rows:
        yield Part('differential ' + ' '.join(flags), cost, differential(DEBUG, flags, 180),
                   needs=DEBUG)
    for flags, cost in (([], 20), (['--gc-verify'], 200), (['--memprof-stress=0.1'], 40)):
        yield Part(' '.join(['small tables, differential', *flags]), cost,
                   differential(SMALL, flags, 300, '--small-tables'), needs=SMALL)
    # Fibers are suspended and resumed a frame at a time, and move at every call.
    yield Part('small tables, OCaml 5, differential --gc-stress=5', 40,
               differential(SMALL, ['--gc-stress=5'], 300, '--small-tables', 'ocaml5/'),
               needs=SMALL)
    for name, cost in SMALL_SUITES:
        yield Part('small tables, ' + name, cost, suite('tests/%s/run' % name, SMALL), needs=SMALL)
    for name, cost in NATIVE_SUITES:
        yield Part('machine code, ' + name, cost, suite('tests/%s/run' % name, DEBUG),
                   {'BACTRIAN_JIT': 'all'}, DEBUG)
    yield Part('gd and GTK', 10, suite('tests/real/stubs/programs', DEBUG), needs=DEBUG)
    yield Part('memprof, long', 100, suite('tests/memprof/run', DEBUG, '--long', '--no-mutants'),
               needs=DEBUG)
    yield Part('recordings killed 200 times', 60,
               suite('tests/prof/run', DEBUG, '--kills', '200', 'killed'), needs=DEBUG)
    yield Part('reports, long', 200,
               suite('tests/prof_report/run', DEBUG, '--long', '--mutants', '10000', 'damaged',
                     'Formats', 'gigabyte', 'leaks'), needs=DEBUG)
    yield Part('aarch64 under qemu', 900,
               script('tests/support/aarch64', '--seconds', '{seconds}', '--seed', '{seed}'))
    yield Part('ten million samples', 200, suite('tests/prof/scale', 'build'))
    yield Part('calibration, long', 100, suite('tests/prof/calibration', 'build', '--long'))


# Suites, with their costs, that run much of our C code. Those of ONLY_GCC do not depend on the
# compiler.
BOTH_SAN = [('asm', 10), ('forms', 10), ('image', 30), ('cli', 60), ('capi', 20), ('ffi', 30),
            ('threads', 30), ('embed', 20), ('regression', 60), ('prof_report', 60), ('heap', 40)]
ONLY_GCC = [('real', 120), ('prof', 60), ('memprof', 60), ('mlprof', 20), ('repl', 30),
            ('faults', 60)]
CLANG_SUITES = [('asm', 5), ('forms', 5), ('image', 15), ('cli', 30), ('real', 60), ('capi', 10),
               ('memprof', 30), ('prof', 30), ('ffi', 10), ('mlprof', 10), ('threads', 20),
               ('embed', 20), ('regression', 20)]


def suites(build, rows, env):
    title = build[len('build-'):]
    yield Part(title + ', unit tests', 60,
               script('tests/support/unit_tests', '--build', build, '--jobs', '1', '--slower',
                      '8'), env, build)
    for name, cost in rows:
        yield Part('%s, %s' % (title, name), cost, suite('tests/%s/run' % name, build), env, build)


def sanitize_parts(scale):
    """The suite under ASan and UBSan, built by gcc and by clang, and built by clang without them;
    threads under TSan; unit tests and differential suite under memcheck."""
    builds = [('gcc-san', SAN_ENV), ('clang-san', SAN_ENV), ('clang', {})]
    yield from suites('build-gcc-san', BOTH_SAN + ONLY_GCC, SAN_ENV)
    yield from suites('build-clang-san', BOTH_SAN, SAN_ENV)
    yield from suites('build-clang', CLANG_SUITES, {})
    for title, env in builds:
        yield Part(title + ', differential', 100, differential('build-' + title, [], 300), env,
                   'build-' + title)
    sampled = ['--memprof-stress=0.1', '--gc-verify']
    for flags in [sampled] + [[flags[0]] + sampled for flags in STRESS]:
        yield Part('gcc-san, differential ' + ' '.join(flags), 300,
                   differential('build-gcc-san', flags, 600), SAN_ENV, 'build-gcc-san')
    for title, env in builds[:2]:
        build = 'build-' + title
        yield Part(title + ', inputs of the fuzzers', 10, suite('tests/fuzz/replay', build), env,
                   build)
        yield Part(title + ', misused primitives', 60,
                   suite('tests/fuzz/primitives', build, '--count', '%d' % (40 * scale),
                         '--seconds', '{seconds}', '--seed', FIRST_SEED), env, build)
        yield Part(title + ', generated programs', 60,
                   suite('tests/fuzz/generated', build, '--count', '%d' % (500 * scale), '--jobs',
                         '1', '--seconds', '{seconds}', '--seed', FIRST_SEED), env, build)
    for name, cost, words in (('threads', 60, ['--plain']), ('capi', 60, []), ('ffi', 60, []),
                              ('embed', 60, ['api', 'parallel', 'turns'])):
        yield Part('tsan, ' + name, cost, suite('tests/%s/run' % name, 'build-tsan', *words),
                   TSAN_ENV, 'build-tsan')
    yield Part('memcheck, unit tests', 300,
               script('tests/support/unit_tests', '--build', DEBUG, '--jobs', '1', '--slower',
                      '20', '--wrapper', MEMCHECK,
                      *(word for name in SLOW_UNDER_MEMCHECK for word in ('--without', name))),
               needs=DEBUG)
    yield Part('memcheck, differential', 600,
               suite('tests/support/difftest', DEBUG, '--under', MEMCHECK, '--jobs', '1',
                     '--timeout', '900', '--seconds', '{seconds}', '--seed', '{seed}'),
               needs=DEBUG)


NOT_SANITIZED = [
    (', '.join(SLOW_UNDER_MEMCHECK) + ' under memcheck', 'minutes each; ASan runs them'),
    ('tests/fuzz/mutants', './dev fuzz runs them under ASan and UBSan'),
    ('tests/fuzz/profiles', 'limits of time and memory; ./dev fuzz runs it with assertions'),
    ('tests/support/coverage, readme_examples, guide, bench',
     'what they run is in the suites above'),
    ('tests/fuzz/outputs', 'tests/cli writes the same outputs'),
    ('tests/fuzz/evasions', 'limits of time and memory; ./dev fuzz runs it with assertions'),
    ('tests/prof/calibration', 'statistics over many runs; prof runs the same code'),
    ('lint, the mutants of tests/memprof', 'they do not test the build'),
    ('real, prof, memprof, mlprof, repl, faults under clang-san', 'gcc-san runs them'),
]


def fuzz_parts(scale):
    """Any bytes to each reader, damaged bytecode and marshalled values, misused primitives,
    generated programs."""
    for way, flags, build in (('libFuzzer', [], 'build-fuzz'), ('AFL++', ['--afl'], 'build-afl')):
        for name in TARGETS:
            yield Part('%s, %s' % (way, name), 60,
                       [os.path.join(ROOT, FUZZ), *flags, '--prepared', '{seconds}', name],
                       needs=build)
    for title, build, kind, count, cost, env in (
            ('bytecode', DEBUG, '--bytecode', 200000, 600, {}),
            ('marshalled values', DEBUG, '--marshalled', 200000, 200, {}),
            ('bytecode under ASan and UBSan', 'build-fuzz', '--bytecode', 20000, 600, SAN_ENV),
            ('marshalled values under ASan and UBSan', 'build-fuzz', '--marshalled', 20000, 300,
             SAN_ENV)):
        other = '--marshalled' if kind == '--bytecode' else '--bytecode'
        count = max(1, round(count * scale))
        yield Part('%d mutants: %s' % (count, title), cost,
                   suite('tests/fuzz/mutants', build, kind, str(count), other, '0', '--seed',
                         FIRST_SEED, '--seconds', '{seconds}'), env, build)
    count = max(1, round(1000000 * scale))
    yield Part('%d mutants: machine code beside the interpreter' % count, 1200,
               suite('tests/fuzz/mutants', 'build', '--tiers', str(count), '--seed', FIRST_SEED,
                     '--seconds', '{seconds}'), needs='build')
    count = max(1, round(100000 * scale))
    yield Part('%d mutants: machine code beside the interpreter, assertions' % count, 300,
               suite('tests/fuzz/mutants', DEBUG, '--tiers', str(count), '--seed', FIRST_SEED,
                     '--seconds', '{seconds}'), needs=DEBUG)
    count = max(1, round(5000 * scale))
    yield Part('%d programs that misuse primitives' % count, 600,
               suite('tests/fuzz/primitives', DEBUG, '--count', str(count), '--seed', FIRST_SEED,
                     '--seconds', '{seconds}'), needs=DEBUG)
    yield Part('profiles with random contents', 300,
               suite('tests/fuzz/profiles', DEBUG, '--seed', FIRST_SEED, '--seconds', '{seconds}'),
               needs=DEBUG)
    count = max(100, round(3000 * scale))
    yield Part('%d outputs over files of all kinds' % count, 120,
               suite('tests/fuzz/outputs', DEBUG, '--count', str(count), '--seed', FIRST_SEED,
                     '--seconds', '{seconds}'), needs=DEBUG)
    count = max(10, round(200 * scale))
    yield Part('%d programs that try to evade limits, %d capabilities' % (count, 10 * count), 600,
               suite('tests/fuzz/evasions', DEBUG, '--limits', str(count), '--capabilities',
                     str(10 * count), '--seed', FIRST_SEED, '--seconds', '{seconds}'),
               needs=DEBUG)
    count = max(50, round(20000 * scale))
    yield Part('%d generated programs' % count, 600,
               suite('tests/fuzz/generated', DEBUG, '--count', str(count), '--jobs', '1',
                     '--seed', FIRST_SEED, '--seconds', '{seconds}'), needs=DEBUG)


def faults_parts(_):
    """Each allocation and each system call of many programs fails in turn; storms; leaks."""
    for group, cost in (('memory', 600), ('heap', 300), ('readers', 200), ('recordings', 300),
                        ('io', 300), ('signals', 100), ('leaks', 1500)):
        yield Part('faults, ' + group, cost,
                   suite('tests/faults/run', DEBUG, '--long', '--jobs', '1', '--seconds',
                         '{seconds}', '--seed', '{seed}', group), needs=DEBUG)


LISTS = {
    'stress': List(40, stress_parts),
    'sanitize': List(90, sanitize_parts, NOT_SANITIZED),
    'fuzz': List(60, fuzz_parts),
    'faults': List(40, faults_parts),
}
