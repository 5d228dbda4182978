"""The layers of the source: which folder may include which, and the order of the rooms in a folder.

A room is a sub-folder. A file includes its own room, the rooms to its left in ROOMS, and what
LAYERS allows besides. Files that lie directly in a folder with rooms are above all of its rooms.
The order is a line, so that rooms cannot need each other in a circle.
"""
import os
import re

# Which folders the files of a folder may include. The longest matching prefix decides.
LAYERS = {
    'gc/': {'gc/'},
    'vm/': {'vm/', 'gc/'},
    'vm/capi/': {'vm/', 'gc/', 'stdlib/'},
    'vm/cli/': {'vm/', 'gc/', 'stdlib/', 'memprof/'},
    'vm/embed/': {'vm/', 'gc/', 'stdlib/', 'memprof/'},
    'stdlib/': {'stdlib/', 'vm/', 'gc/'},
    'stdlib/ffi/': {'stdlib/', 'vm/', 'gc/'},
    'stdlib/ml/': {'stdlib/ffi/'},
    'stdlib/prims.c': {'stdlib/', 'vm/', 'gc/'},
    'memprof/': {'memprof/', 'vm/', 'gc/'},
    'memprof/format/': {'memprof/format/'},
    'memprof/report/': {'memprof/report/', 'memprof/format/'},
    'tests/': {'tests/', 'vm/', 'gc/', 'stdlib/', 'memprof/'},
}
# The rooms of a folder, lowest first.
ROOMS = {
    'vm/': 'base state code image marshal stack engine thread machine debug text capi embed cli',
    'memprof/': 'format sampling recorder types snapshot attach program counts report',
    'memprof/report/': 'model load query live view heap advice page write export mlprof command',
}
# Every layer may include them.
EVERYWHERE = ('gc/assert.h', 'gc/containers.h')
# The only ones that may include such a room, besides itself and the tests: the outer ring, and what
# only a table of primitives knows.
OUTER = {'vm/cli/': set(), 'memprof/report/': {'vm/cli/'},
         'stdlib/ffi/': {'stdlib/prims.c', 'stdlib/ml/'}}


def longest_prefix(path, prefixes):
    return max((prefix for prefix in prefixes if path.startswith(prefix)), key=len, default=None)


def rank(path, folder):
    """(number, name) of the room of `folder` in which the file lies; the number is None for a
    sub-folder that ROOMS does not have."""
    rooms = ROOMS[folder].split()
    room, slash, _ = path[len(folder):].partition('/')
    if not slash:
        return len(rooms), folder
    return rooms.index(room) if room in rooms else None, folder + room + '/'


def upwards(path, target):
    """What is wrong with this include as to rooms, or None."""
    for folder in ROOMS:
        if path.startswith(folder) and target.startswith(folder):
            (here, home), (there, room) = rank(path, folder), rank(target, folder)
            if here is None or there is None:
                return '%s is not in the order of rooms' % (home if here is None else room)
            if there > here:
                return '%s is below %s and must not include %s' % (home, room, target)
    return None


def outside_layer(path, target):
    """What is wrong with this include as to layers, or None."""
    home = longest_prefix(path, LAYERS)
    ring = longest_prefix(target, OUTER)
    allowed = any(target.startswith(prefix) for prefix in LAYERS[home])
    if ring and home not in {ring, 'tests/'} | OUTER[ring]:
        allowed = False
    return None if allowed else '%s must not include %s' % (home, target)


def includes(source):
    """(line, included file) of each include of a file of the project."""
    for number, line in enumerate(source.lines, 1):
        found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if found:
            yield number, found.group(1)


def problems(sources, root):
    """Yields what breaks the layers and the order of rooms, as `FILE:LINE: what`."""
    for source in sources:
        if not source.path.endswith(('.c', '.h', '.def')) or \
                longest_prefix(source.path, LAYERS) is None:
            continue
        for number, target in includes(source):
            if not os.path.exists(os.path.join(root, target)):
                problem = 'no file "%s" from the root' % target
            elif target in EVERYWHERE:
                continue
            else:
                problem = outside_layer(source.path, target) or upwards(source.path, target)
            if problem:
                yield '%s:%d: %s' % (source.path, number, problem)


# Picture, and the folders whose rooms it has.
PICTURE, PICTURED = 'vm/rooms.svg', ('vm/', 'memprof/')


def pictured(root):
    """Yields the rooms that are missing in the picture, or in the README.md of their folder."""
    def read(path):
        with open(os.path.join(root, path), encoding='utf-8') as file:
            return file.read()
    drawn = set(re.findall(r'[\w/]+', ' '.join(re.findall(r'>([^<]*)<', read(PICTURE)))))
    for folder, names in ROOMS.items():
        text = read(folder + 'README.md')
        for name in names.split():
            if folder in PICTURED and name not in drawn and folder + name not in drawn:
                yield '%s: no %s%s' % (PICTURE, folder, name)
            if '`%s/`' % name not in text:
                yield '%sREADME.md: no `%s/`' % (folder, name)


def texts(sources, root):
    """Yields what is missing in pictures and lists of rooms, the rooms without a README.md, and the
    files that it does not name."""
    yield from pictured(root)
    for folder, names in ROOMS.items():
        for room in [folder + name + '/' for name in names.split()]:
            if room in ROOMS:
                continue
            path = os.path.join(root, room, 'README.md')
            if not os.path.exists(path):
                yield room + ': no README.md'
                continue
            with open(path, encoding='utf-8') as file:
                text = file.read()
            stems = {re.sub(r'_internal$', '', os.path.basename(source.path).rpartition('.')[0])
                     for source in sources if os.path.dirname(source.path) + '/' == room
                     and source.path.endswith(('.c', '.h', '.def'))}
            for stem in sorted(stems):
                if not re.search(r'\b%s\b' % stem, text):
                    yield '%sREADME.md: does not name %s' % (room, stem)
