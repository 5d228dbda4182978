#!/usr/bin/env python3
"""The rules of the source that a program can check.

  lint.py [--build build]

Each rule is one test; its problems are listed as `FILE:LINE: what`. The last line is `N passed, M
failed`. Without the build folder's objects the rule about mutable data has nothing to check.
"""
import argparse
import ast
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, 'tests', 'support')]
import phrases  # noqa: E402
import prim_table  # noqa: E402
import rooms  # noqa: E402

MAX_FILE_LINES = 900
MAX_FUNCTION_LINES = 60
MAX_COLUMNS = 100
MAX_ROW_COLUMNS = 150
SHOWN = 30  # problems of one rule
# The dispatch loop: the one function that may be longer.
LONG_FUNCTIONS = {('vm/engine/loop.c', 'LOOP_NAME')}
OPEN_ENDS = re.compile(r'\b(%s)\b' % '|'.join(['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK']))
CODE_SUFFIXES = ('.c', '.h', '.def', '.py', '.build', '.options')


class Source:
    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), 'rb') as file:
            self.bytes = file.read()
        self.lines = self.bytes.decode('latin-1').split('\n')
        if self.lines and self.lines[-1] == '':
            self.lines.pop()

    def is_script(self):
        return self.bytes.startswith(b'#!')

    def is_code(self):
        return self.path.endswith(CODE_SUFFIXES) or self.is_script()

    def is_c(self):
        return self.path.endswith(('.c', '.h'))


def read_sources():
    listed = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT,
                            stdout=subprocess.PIPE, check=True).stdout.decode()
    paths = sorted(set(listed.split('\n')) - {''})
    return [Source(p) for p in paths if os.path.isfile(os.path.join(ROOT, p))]


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def layers(sources, _):
    yield from rooms.problems(sources, ROOT)


def banned_phrases(sources, _):
    yield from phrases.problems(sources)


def file_sizes(sources, _):
    for source in sources:
        if source.is_code() and len(source.lines) > MAX_FILE_LINES:
            yield '%s: %d lines' % (source.path, len(source.lines))


def functions_of(source):
    """(first line, name, lines) of each function, as clang-format lays them out: the body ends with
    the first brace in column 1."""
    start = None
    for number, line in enumerate(source.lines, 1):
        if start is None:
            opens = line.endswith('{') and not line.startswith((' ', '}', '#', '/'))
            if opens and not re.match(r'(static )?(const )?(struct|enum|union)\b[^(]*\{$', line) \
                    and not line.endswith('= {') and 'extern "C"' not in line:
                start = number
            elif opens and line.endswith('= {'):
                continue
            elif line.endswith('{') and line.startswith(' ') and ')' in line and number > 1:
                # The parameters went on in a second line.
                first = number - 1
                while first > 1 and source.lines[first - 1].startswith(' '):
                    first -= 1
                head = source.lines[first - 1]
                if re.match(r'[A-Za-z_].*\($|[A-Za-z_][^;={]*\([^;{]*$', head):
                    start = first
        elif line == '}':
            text = ' '.join(source.lines[start - 1:start + 2])
            name = re.search(r'([A-Za-z_0-9]+)\s*\(', text)
            yield start, name.group(1) if name else '?', number - start + 1
            start = None


def function_lengths(sources, _):
    for source in sources:
        if not source.is_c():
            continue
        for line, name, length in functions_of(source):
            if length >= MAX_FUNCTION_LINES and (source.path, name) not in LONG_FUNCTIONS:
                yield '%s:%d: %s has %d lines' % (source.path, line, name, length)


def characters(sources, _):
    for source in sources:
        if source.path.startswith('tests/lang/'):
            continue
        for number, line in enumerate(source.lines, 1):
            where = '%s:%d: ' % (source.path, number)
            if source.is_code() or source.path.endswith('.md'):
                if re.search(r'[^\x20-\x7e\t]', line):
                    yield where + 'a character that is not ASCII'
                if '\t' in line:
                    yield where + 'a tab'
                if line.endswith(' '):
                    yield where + 'a blank at the end'
            # A row of a table stays one line: it is read down its columns.
            row = source.path.endswith('.def') and re.match(r'[A-Z]+\(', line)
            if source.is_code() and len(line) > (MAX_ROW_COLUMNS if row else MAX_COLUMNS):
                yield where + '%d columns' % len(line)


def open_ends(sources, _):
    for source in sources:
        for number, line in enumerate(source.lines, 1):
            text = source.is_code() or source.path.endswith(('.md', '.ml'))
            if text and OPEN_ENDS.search(line):
                yield '%s:%d: an open end' % (source.path, number)


def head_comments(sources, _):
    for source in sources:
        if not source.path.endswith(('.c', '.h', '.def')):
            continue
        # The name of a test's file is its sentence.
        is_test = source.path.startswith('tests/')
        start = '/* ' if is_test else '/* %s - ' % os.path.basename(source.path)
        if not source.lines or not source.lines[0].startswith(start):
            yield '%s:1: the file does not start with `%swhat it is`' % (source.path, start)


def strip_comments(text):
    """Comments replaced by as many line ends, and the numbers of the lines with comments."""
    commented = set()

    def blank(match):
        first = text.count('\n', 0, match.start()) + 1
        commented.update(range(first, first + match.group(0).count('\n') + 1))
        return '\n' * match.group(0).count('\n')

    return re.sub(r'/\*.*?\*/', blank, text, flags=re.S), commented


def prototype_comments(sources, _):
    """A prototype needs a comment above it, or above the group of lines without a blank that it is
    in, or at its line."""
    for source in sources:
        if not source.path.endswith('.h') or source.path.startswith('tests/'):
            continue
        code, commented = strip_comments('\n'.join(source.lines))
        lines = code.split('\n')
        for number, line in enumerate(lines, 1):
            if not re.match(r'[A-Za-z_][\w \*]*\b\w+\(', line) or line.startswith('typedef'):
                continue
            at = number
            while at > 0 and at not in commented and source.lines[at - 1] != '':
                at -= 1
            if at == 0 or at not in commented:
                yield '%s:%d: a prototype without a comment' % (source.path, number)


COMMENT = re.compile(r'/\*.*?\*/', re.S)
STATED = re.compile(r'(?:^|\s)([A-Z]\d{1,2})  (?=\S)')
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


NAMED = re.compile(r'(?<![\w/.$}-])((?:gc|vm|stdlib|memprof|tests|bench)/[\w/.-]+'
                   r'\.(?:c|h|def|py|md|mli?|list|ld))\b(?![/*])')


def named_files(sources, _):
    """A path in a comment, text or script names a file that exists."""
    for source in sources:
        if not source.is_code() and not source.path.endswith(('.md', '.ml', '.mli')):
            continue
        for number, line in enumerate(source.lines, 1):
            for path in NAMED.findall(line):
                if not os.path.exists(os.path.join(ROOT, path)) and 'SUBJECT' not in path:
                    yield '%s:%d: no file %s' % (source.path, number, path)


# Names of other programs and of the system.
FOREIGN = re.compile(r'caml_\w+|epoll_wait')


def named_in_texts(sources, _):
    """A name in backticks in a text for those who work on the source occurs in it."""
    words = set()
    for source in sources:
        if not source.path.endswith('.md'):
            words.update(re.findall(r'\w+', '\n'.join(source.lines)))
            words.add(os.path.basename(source.path).split('.')[0])
    for source in sources:
        if not source.path.endswith(('README.md', 'CONTRIBUTING.md')):
            continue
        for number, line in enumerate(source.lines, 1):
            for name in re.findall(r'`([a-zA-Z]+_\w*[a-zA-Z0-9])`', line):
                if name not in words and not FOREIGN.fullmatch(name):
                    yield '%s:%d: no source has `%s`' % (source.path, number, name)


def room_texts(sources, _):
    """A room has a README.md that names each of its C files."""
    yield from rooms.texts(sources, ROOT)


def invariant_ids(sources, _):
    stated, named = {}, set()
    for source in sources:
        text = '\n'.join(source.lines)
        if source.path.startswith('tests/'):
            named.update(i.upper() for i in re.findall(r'(?:^|[/_])([a-z]\d{1,2})_', source.path))
            named.update(re.findall(r'\b([A-Z]\d{1,2})\b', text))
        elif source.is_c():
            for comment in COMMENT.finditer(text):
                for found in STATED.finditer(comment.group(0)):
                    line = text.count('\n', 0, comment.start() + found.start(1)) + 1
                    stated.setdefault(found.group(1), []).append('%s:%d' % (source.path, line))
            for literal in STRING.findall(COMMENT.sub('', text)):
                named.update(re.findall(r'\b([A-Z]\d{1,2})\b', literal))
    for name, places in sorted(stated.items()):
        if len(places) > 1:
            yield '%s: %s is stated here and at %s' % (places[1], name, places[0])
        if name not in named:
            yield '%s: no test and no message of a verifier names %s' % (places[0], name)


def run_on_each(paths, command):
    """Runs command + [path] for each path; yields (path, output) of those that fail."""
    def one(path):
        done = subprocess.run(command + [path], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return path, done.returncode, done.stdout.decode('latin-1')

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, status, output in pool.map(one, paths):
            if status != 0:
                yield path, output


def headers_compile_alone(sources, _):
    headers = [s.path for s in sources if s.path.endswith('.h') and not s.path.startswith('tests/')]
    command = ['gcc', '-std=gnu11', '-D_GNU_SOURCE', '-I.', '-fsyntax-only', '-x', 'c']
    for path, output in run_on_each(headers, command):
        first = next((line for line in output.split('\n') if 'error' in line), output)
        yield '%s: does not compile alone: %s' % (path, first)


def formatted(sources, _):
    files = [s.path for s in sources if s.is_c()]
    for path, _output in run_on_each(files, ['clang-format', '--dry-run', '-Werror']):
        yield '%s: not formatted (./dev format)' % path


def shell_syntax(sources, _):
    files = [s.path for s in sources if re.match(rb'#!.*sh\b', s.bytes)]
    for path, output in run_on_each(files, ['bash', '-n']):
        yield '%s: %s' % (path, output.strip())


def python_syntax(sources, _):
    for source in sources:
        if not source.path.endswith('.py') and b'python' not in source.bytes.split(b'\n')[0]:
            continue
        try:
            ast.parse(source.bytes)
        except SyntaxError as problem:
            yield '%s:%s: %s' % (source.path, problem.lineno, problem.msg)


def allowed_mutable():
    """Names in backquotes in the list below the heading `Mutable data` of vm/README.md."""
    path = os.path.join(ROOT, 'vm', 'README.md')
    if not os.path.exists(path):
        return set()
    with open(path, encoding='latin-1') as file:
        found = re.search(r'^#+ Mutable data\n(.*?)(?=^#|\Z)', file.read(), re.S | re.M)
    return set(re.findall(r'`(\w+)`', found.group(1))) if found else set()


def mutable_data(_, build):
    """Symbols in writable sections of our objects. .data.rel.ro is constant after relocation."""
    allowed = allowed_mutable()
    objects = [o for o in glob.glob(os.path.join(build, '**', '*.o'), recursive=True)
               if not os.path.relpath(o, build).startswith('tests')]
    if not objects:
        return
    listing = subprocess.run(['objdump', '-t'] + objects, stdout=subprocess.PIPE,
                             check=True).stdout.decode('latin-1')
    current = ''
    symbol = re.compile(r'^[0-9a-f]+ .{7} (\S+)\t[0-9a-f]+ (?:\.hidden )?(\S+)$')
    for line in listing.split('\n'):
        if line.endswith('file format elf64-x86-64'):
            current = os.path.relpath(line.split(':')[0], build)
        found = symbol.match(line)
        if not found:
            continue
        section, name = found.groups()
        writable = re.match(r'\.(data|bss|tdata|tbss)\b|\*COM\*', section)
        base = name.split('.')[0]
        if writable and not section.startswith('.data.rel.ro') and base and base not in allowed \
                and base != section.lstrip('.'):
            yield '%s: %s is mutable (%s)' % (current, name, section)


def typed_primitives(sources, _):
    """Each row of the primitives' tables has kinds that checked mode can test, and arguments that
    are tested: those of an array (six and more) are not. What the loop does itself has a row."""
    known = set(re.findall(r"case '(\w)'", read('vm/code/kinds.c')))
    arities = {}
    for path in prim_table.TABLES:
        for row in prim_table.rows(path):
            arities[row.name] = len(row.kinds)
            if not set(row.kinds) <= known or row.result not in known | {'u', 'x'}:
                yield '%s: %s has a kind that vm/code/kinds.c does not know' % (path, row.name)
            if not 1 <= len(row.kinds) <= 5:
                yield '%s: %s has %d arguments' % (path, row.name, len(row.kinds))
    for name, arity in re.findall(r'^INLINED\(\w+, (\w+), (\d)', read('vm/code/engine.def'), re.M):
        if arities.get(name) != int(arity):
            yield 'vm/code/engine.def: no row has %s with %s arguments' % (name, arity)


RULES = [layers, typed_primitives, file_sizes, function_lengths, characters, open_ends,
         head_comments, prototype_comments, banned_phrases, named_files,
         named_in_texts, room_texts, invariant_ids, headers_compile_alone, formatted, shell_syntax,
         python_syntax, mutable_data]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.path.join(ROOT, 'build'))
    parser.add_argument('--all', action='store_true', help='show every problem')
    parser.add_argument('rules', nargs='*', help='only these rules')
    options = parser.parse_args()
    sources = read_sources()
    passed = failed = 0
    for rule in RULES:
        if options.rules and rule.__name__ not in options.rules:
            continue
        problems = list(rule(sources, os.path.abspath(options.build)))
        if problems:
            failed += 1
            print('FAIL ' + rule.__name__)
            shown = problems if options.all else problems[:SHOWN]
            print('\n'.join('    ' + problem for problem in shown))
            if len(problems) > len(shown):
                print('    ... %d in all: --all shows them' % len(problems))
        else:
            passed += 1
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
