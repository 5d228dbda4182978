"""Debian packages in a folder: apt with lists and state of its own, which installs nothing.

apt verifies the packages as usual. They come from the mirror that this machine's apt uses."""
import fcntl
import os
import re
import shutil
import subprocess
import sys

KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
VERSIONED = re.compile(r'\s*\(.*?\)|:any')


class Problem(Exception):
    """Why there are no such packages."""


def cache_folder():
    home = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return os.environ.get('BACTRIAN_OCAML') or os.path.join(home, 'bactrian')


def output_of(command, folder='/'):
    try:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    except OSError as problem:
        raise Problem('%s: %s' % (command[0], problem.strerror))
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode('utf-8', 'replace').strip().split('\n')
        raise Problem('%s: %s' % (' '.join(command[:1] + command[-3:]), ' / '.join(said[-3:])))
    return done.stdout.decode('utf-8', 'replace')


def release():
    """The code name of this machine's Debian."""
    with open('/etc/os-release', encoding='utf-8') as file:
        names = dict(line.rstrip().split('=', 1) for line in file if '=' in line)
    return names.get('VERSION_CODENAME', '').strip('"')


def mirror():
    """The mirror of this machine's release in apt's configuration."""
    listed = output_of(['apt-get', '--print-uris', 'update'])
    for address, found in re.findall(r"^'(\S+)/dists/(\S+)/InRelease'", listed, re.M):
        if found in (release(), 'stable'):
            return address
    raise Problem('apt has no mirror of Debian')


class Apt:
    """apt with its lists and state in a folder, which sees one suite and no installed package;
    those of this machine's architecture unless another is named."""

    def __init__(self, folder, suite, architecture=''):
        self.folder, self.suite = folder, suite
        sources, status = os.path.join(folder, 'sources.list'), os.path.join(folder, 'status')
        settings = {
            'Dir::State': folder, 'Dir::State::status': status, 'Dir::Cache': folder,
            'Dir::Etc::sourcelist': sources, 'Dir::Etc::sourceparts': '-',
            'Dir::Etc::preferences': '-', 'Dir::Etc::preferencesparts': '-',
            'APT::Install-Recommends': 'false', 'APT::Sandbox::User': '',
            'Acquire::Languages': 'none', 'Acquire::Retries': '3', 'Debug::NoLocking': 'true',
            # apt-file asks for these lists.
            'Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled': 'false',
        }
        if architecture:
            settings.update({'APT::Architecture': architecture, 'APT::Architectures': architecture})
        self.options = ['-q']
        for pair in settings.items():
            self.options += ['-o', '%s=%s' % pair]

    def prepare(self):
        for name in ('lists/partial', 'archives/partial'):
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        with open(os.path.join(self.folder, 'status'), 'w', encoding='ascii'):
            pass
        with open(os.path.join(self.folder, 'sources.list'), 'w', encoding='ascii') as file:
            file.write('deb [signed-by=%s] %s %s main\n' % (KEYRING, mirror(), self.suite))
        self.run('apt-get', 'update')

    def run(self, program, *words, folder='/'):
        return output_of([program] + self.options + list(words), folder)

    def closure(self, wanted, sections):
        """The wanted packages and those of the sections that they need: not a C compiler."""
        plan = re.findall(r'^Inst (\S+)', self.run('apt-get', '-s', 'install', *wanted), re.M)
        known, provided = {}, {}
        for text in self.run('apt-cache', 'show', '--no-all-versions', *plan).split('\n\n'):
            fields = dict(re.findall(r'^([\w-]+): (.*)$', text, re.M))
            if 'Package' in fields:
                known[fields['Package']] = fields
                for name in names_in(fields.get('Provides', '')):
                    provided.setdefault(name, fields['Package'])
        found, pending = set(), list(wanted)
        while pending:
            name = pending.pop()
            name = name if name in known else provided.get(name)
            if name is None or name in found:
                continue
            if name not in wanted and known[name].get('Section') not in sections:
                continue
            found.add(name)
            for field in ('Depends', 'Pre-Depends'):
                pending += names_in(known[name].get(field, ''))
        return sorted(found)

    def unpack(self, packages, root):
        archives = os.path.join(self.folder, 'archives')
        self.run('apt-get', 'download', *packages, folder=archives)
        for name in sorted(os.listdir(archives)):
            if name.endswith('.deb'):
                path = os.path.join(archives, name)
                output_of(['dpkg-deb', '-x', path, root])
                os.remove(path)


def names_in(field):
    return [VERSIONED.sub('', name).strip() for name in re.split('[,|]', field) if name.strip()]


def add(root, suite, packages, sections, architecture='', finish=lambda: None):
    """Adds to the folder those packages that it lacks, with those of the sections that they need,
    and calls finish when they are unpacked. The list of what is there is written last, so that an
    interrupted call is made again."""
    os.makedirs(root, exist_ok=True)
    with open(os.path.join(root, 'lock'), 'w', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        listed = os.path.join(root, 'packages')
        have = set()
        if os.path.exists(listed):
            with open(listed, encoding='ascii') as file:
                have = set(file.read().split())
        wanted = [name for name in packages if name not in have]
        if not wanted:
            return
        print('Fetching %s into %s' % (' '.join(wanted), root), file=sys.stderr)
        apt = Apt(os.path.join(root, 'apt'), suite, architecture)
        apt.prepare()
        found = [name for name in apt.closure(wanted, sections) if name not in have]
        apt.unpack(found, root)
        finish()
        shutil.rmtree(apt.folder)
        with open(listed + '.new', 'w', encoding='ascii') as file:
            file.write('\n'.join(sorted(have | set(found) | set(wanted))) + '\n')
        os.rename(listed + '.new', listed)
