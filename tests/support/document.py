"""What scripts share that make documents with commands and their real output."""
import os
import shutil
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = 100


def run(command, folder, bactrian):
    """The status of a command, and what it prints on a terminal of COLUMNS columns, as lines."""
    tools = os.path.join(folder, 'tools')
    if not os.path.exists(tools):
        os.mkdir(tools)
        os.symlink(bactrian, os.path.join(tools, 'bactrian'))
    env = dict(os.environ, PATH=tools + os.pathsep + os.environ['PATH'], COLUMNS=str(COLUMNS))
    done = subprocess.run(['bash', '-c', command], cwd=folder, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=900)
    return done.returncode, [line.rstrip() for line in done.stdout.decode().splitlines()]


def run_or_exit(command, folder, bactrian):
    status, lines = run(command, folder, bactrian)
    if status != 0:
        sys.exit('%s: `%s` failed: %s' % (os.path.basename(sys.argv[0]), command,
                                          '\n'.join(lines)))
    return lines


def shown(line):
    """A sentence is wrapped; of a table's row, what fits is shown."""
    if line[:1].isalpha() and len(line) > COLUMNS:
        return textwrap.wrap(line, COLUMNS, subsequent_indent='  ', break_long_words=False)
    return [line[:COLUMNS + 35].rstrip()]


def take_picture(page, place, to):
    done = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu',
                           '--hide-scrollbars', '--window-size=1280,860',
                           '--virtual-time-budget=20000', '--screenshot=' + to,
                           'file://%s#%s' % (page, place)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=120)
    if done.returncode != 0 or not os.path.exists(to):
        sys.exit('Chromium took no picture of ' + page)
    if shutil.which('convert'):
        subprocess.run(['convert', to, '+dither', '-colors', '128', '-strip', '-define',
                        'png:compression-level=9', 'PNG8:' + to], check=True)


