"""The inputs that each fuzz target starts with: corpus/NAME.tar.gz (README.md).

  python3 tests/fuzz/corpora.py list [NAME...]          the files of the archives
  python3 tests/fuzz/corpora.py unpack FOLDER [NAME...] into FOLDER/NAME
  python3 tests/fuzz/corpora.py pack FOLDER NAME        all files of FOLDER become the archive
  python3 tests/fuzz/corpora.py add NAME FILE...        adds or replaces inputs

The same files always give the same archive.
"""
import gzip
import io
import os
import sys
import tarfile

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'corpus')
SUFFIX = '.tar.gz'


def names():
    return sorted(name[:-len(SUFFIX)] for name in os.listdir(CORPUS) if name.endswith(SUFFIX))


def read(name):
    """{file: its bytes}"""
    with tarfile.open(os.path.join(CORPUS, name + SUFFIX)) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


def write(name, files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w', format=tarfile.USTAR_FORMAT) as archive:
        for file in sorted(files):
            member = tarfile.TarInfo(file)
            member.size = len(files[file])
            archive.addfile(member, io.BytesIO(files[file]))
    with open(os.path.join(CORPUS, name + SUFFIX), 'wb') as out:
        with gzip.GzipFile('', 'wb', 9, out, mtime=0) as compressed:
            compressed.write(packed.getvalue())
    print('%s: %d inputs, %d bytes' % (name, len(files), sum(map(len, files.values()))))


def unpack(folder, wanted=()):
    """Makes FOLDER/NAME of each archive; files that are no longer in it are removed."""
    for name in wanted or names():
        home = os.path.join(folder, name)
        os.makedirs(home, exist_ok=True)
        files = read(name)
        for left in set(os.listdir(home)) - set(files):
            os.unlink(os.path.join(home, left))
        for file, data in files.items():
            with open(os.path.join(home, file), 'wb') as out:
                out.write(data)


def load(paths):
    files = {}
    for path in paths:
        with open(path, 'rb') as file:
            files[os.path.basename(path)] = file.read()
    return files


def main(verb='', *words):
    if verb == 'list':
        for name in words or names():
            for file, data in sorted(read(name).items()):
                print('%-12s %6d %s' % (name, len(data), file))
    elif verb == 'unpack' and words:
        unpack(words[0], words[1:])
    elif verb == 'pack' and len(words) == 2:
        write(words[1], load(os.path.join(words[0], file) for file in os.listdir(words[0])))
    elif verb == 'add' and len(words) >= 2:
        old = read(words[0]) if words[0] in names() else {}
        write(words[0], {**old, **load(words[1:])})
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(*sys.argv[1:])
