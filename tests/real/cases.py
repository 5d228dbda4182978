"""The cases of tests/real/run: programs and their input."""
import glob
import os
import shutil

# Compiled under their own names, as in the standard library's build.
PLAIN_UNITS = ('camlinternalFormatBasics', 'camlinternalFormat', 'camlinternalOO',
               'camlinternalLazy', 'camlinternalMod', 'camlinternalAtomic', 'std_exit')
LABELLED = ('float', 'arrayLabels', 'bytesLabels', 'listLabels', 'moreLabels', 'stringLabels',
            'stdLabels')
LEFT_OUT = ('stdlib',)  # a script rewrites it before it is compiled
# Packages of Debian 13 that the cases of domains need.
LIBRARIES = ['lib%s-ocaml-dev' % name for name in (
    'saturn', 'multicoretests', 'dscheck', 'thread-table')]


class Installation:
    """An OCaml: the folders of its bytecode programs and of its standard library; the folder of the
    commands that run them, if they are not in PATH."""

    def __init__(self, programs='/usr/bin', stdlib='/usr/lib/ocaml', commands=''):
        self.programs, self.stdlib, self.commands = programs, stdlib, commands

    def ocamlrun(self):
        return os.path.join(self.commands, 'ocamlrun')

    def environment(self):
        found = {'CAMLLIB': self.stdlib}
        if self.commands:
            found['CAML_LD_LIBRARY_PATH'] = os.path.join(self.stdlib, 'stublibs')
            found['PATH'] = self.commands + ':' + os.environ['PATH']
            # Versions of libzstd compress differently; bactrian was built with this one.
            found['LD_PRELOAD'] = ' '.join(glob.glob('/usr/lib/*-linux-gnu*/libzstd.so.1'))
        return found

    def words(self, command):
        """The command's words, the first with the folder of the programs."""
        first, *rest = command.words
        if not command.native and '/' not in first:
            first = os.path.join(self.programs, first)
            if first.endswith('.byte') and not os.path.exists(first):
                first = first[:-len('.byte')]  # there is no native one beside it
        return [first] + rest

    def missing(self, case):
        for name in case.libraries:
            if not os.path.isdir(os.path.join(self.stdlib, name.partition('.')[0])):
                return name
        for command in case.commands:
            tool = self.words(command)[0]
            if tool.startswith('/') and not os.path.exists(tool):
                return tool
            if command.native and not shutil.which(tool):
                return tool
        return None


class Command:
    """Words of one command; `native` commands run without the runtime."""

    def __init__(self, *words, stdin=None, native=False):
        self.words, self.stdin, self.native = list(words), stdin, native


class Case:
    def __init__(self, name, *commands, libraries=()):
        self.name, self.commands, self.libraries = name, commands, libraries


def run(*words, **options):
    return Command(*words, **options)


def tools(ocaml):
    stdlib = ocaml.stdlib
    yield Case('ocamllex', run('ocamllex.byte', 'words.mll'), run('ocamllex.byte', 'numbers.mll'),
               run('ocamllex.byte', '-ml', '-o', 'numbers_ml.ml', 'numbers.mll'),
               run('ocamllex.byte', '-q', 'broken.mll'), run('ocamllex.byte', 'none.mll'),
               run('ocamllex.byte', '-version'))
    yield Case('ocamldep', run('ocamldep.byte', 'shapes.ml', 'shapes.mli', 'queue2.ml', 'main.ml'),
               run('ocamldep.byte', '-modules', 'main.ml', 'session.ml'),
               run('ocamldep.byte', '-sort', 'main.ml', 'queue2.ml', 'shapes.ml', 'shapes.mli'),
               run('ocamldep.byte', '-all', '-one-line', 'main.ml'),
               run('ocamldep.byte', 'syntax_error.ml'), run('ocamldep.byte', 'none.ml'))
    yield Case('ocamlobjinfo', run('ocamlc', '-c', 'shapes.mli', 'shapes.ml', native=True),
               run('ocamlobjinfo.byte', 'shapes.cmi', 'shapes.cmo'),
               run('ocamlobjinfo.byte', stdlib + '/stdlib.cma'),
               run('ocamlobjinfo.byte', '-no-code', stdlib + '/stdlib__Hashtbl.cmi'),
               run('ocamlobjinfo.byte', 'shapes.ml'))
    yield Case('ocamlprof', run('ocamlprof.byte', 'queue2.ml'), run('ocamlcp.byte', '-version'))
    yield Case('ocamldumpobj', run('ocamlc', '-g', '-c', 'queue2.ml', native=True),
               run('ocamldumpobj', 'queue2.cmo'), run('ocamldumpobj', 'queue2.cmi'),
               run('ocamlc', '-g', '-o', 'dumped', 'queue2.ml', native=True),
               run('ocamldumpobj', 'dumped'))


def compiler(_ocaml):
    yield Case('ocamlc of several files',
               run('ocamlc.byte', '-g', '-bin-annot', 'shapes.mli', 'shapes.ml', 'queue2.ml',
                   'main.ml', '-o', 'main.byte'),
               run('./main.byte', 'an', 'argument'),
               run('ocamlc.byte', '-a', '-o', 'lib.cma', 'shapes.cmo', 'queue2.cmo'),
               run('ocamlc.byte', 'lib.cma', 'main.cmo', '-o', 'again.byte'),
               run('./again.byte'))
    yield Case('ocamlc says what it sees', run('ocamlc.byte', '-i', 'shapes.ml', 'queue2.ml'),
               run('ocamlc.byte', '-c', '-dlambda', 'queue2.ml'),
               run('ocamlc.byte', '-c', '-dinstr', '-dtypedtree', 'shapes.mli', 'shapes.ml'),
               run('ocamlc.byte', '-config'), run('ocamlc.byte', '-v'))
    yield Case('ocamlc refuses', run('ocamlc.byte', '-c', 'type_error.ml'),
               run('ocamlc.byte', '-c', 'syntax_error.ml'),
               run('ocamlc.byte', '-c', '-w', '+a', 'warnings.ml'),
               run('ocamlc.byte', '-c', '-w', '+a', '-warn-error', '+a', 'warnings.ml'),
               run('ocamlc.byte', '-c', 'none.ml'), run('ocamlc.byte', 'none.cmo'),
               run('ocamlc.byte', '-nonsense'))
    yield Case('ocamlopt',
               run('ocamlopt.byte', '-S', '-g', '-c', 'shapes.mli', 'shapes.ml', 'queue2.ml',
                   'main.ml'),
               run('ocamlopt.byte', '-S', '-O3', '-unboxed-types', '-c', 'queue2.ml'),
               run('ocamlopt.byte', '-dcmm', '-dlinear', '-c', 'queue2.ml'),
               run('ocamlopt.byte', '-c', 'type_error.ml'))


def stdlib_units(stdlib):
    names = sorted(name[:-3] for name in os.listdir(stdlib) if name.endswith('.ml')
                   and name[:-3] not in LEFT_OUT) \
        if os.path.isdir(stdlib) else []
    for name in names:
        unit = name if name in PLAIN_UNITS else 'stdlib__' + name[0].upper() + name[1:]
        if os.path.exists(os.path.join(stdlib, unit + '.cmi')):
            yield name, unit


def compile_unit(stdlib, name, unit, flags=()):
    flags = list(flags)
    if name in LABELLED:
        flags.append('-nolabels')
    if name in ('camlinternalFormatBasics', 'camlinternalAtomic'):
        flags += ['-nopervasives', '-no-alias-deps', '-w', '-49']
    return run('ocamlc.byte', '-c', *flags, '-o', unit + '.cmo',
               os.path.join(stdlib, name + '.ml'))


def standard_library(ocaml):
    stdlib = ocaml.stdlib
    units = list(stdlib_units(stdlib))
    yield Case('camlinternalFormat with debugging',
               compile_unit(stdlib, 'camlinternalFormat', 'camlinternalFormat',
                            ['-g', '-bin-annot']))
    for start in range(0, len(units), 12):
        part = units[start:start + 12]
        yield Case('standard library %s to %s' % (part[0][0], part[-1][0]),
                   *[compile_unit(stdlib, name, unit) for name, unit in part])
    interfaces = [(name, unit) for name, unit in units
                  if os.path.exists(os.path.join(stdlib, name + '.mli'))]
    yield Case('interfaces of the standard library',
               *[run('ocamlc.byte', '-c', '-o', unit + '.cmi', os.path.join(stdlib, name + '.mli'))
                 for name, unit in interfaces if name in ('list', 'printf', 'hashtbl', 'format')])


def interactive(_ocaml):
    yield Case('toplevel session',
               run('ocamlc', '-c', 'loaded.ml', native=True),
               run('ocaml', '-noinit', '-noprompt', stdin='session.ml'))
    yield Case('toplevel errors', run('ocaml', '-noinit', stdin='errors.ml'))
    yield Case('toplevel script', run('ocamlc', '-c', 'loaded.ml', native=True),
               run('ocaml', '-noinit', 'script.ml', 'one', 'two'),
               run('ocaml', '-noinit', '-dlambda', 'used.ml'),
               run('ocaml', '-noinit', 'none.ml'), run('ocaml', '-vnum'))


def debugger(ocaml):
    runtime = ['-use-runtime', ocaml.ocamlrun()] if ocaml.commands else []
    yield Case('debugger', run('ocamlc', '-g', *runtime, '-o', 'debugged.byte', 'debugged.ml',
                               native=True),
               run('ocamldebug', 'debugged.byte', stdin='debugged.commands'))


def documentation(_ocaml):
    yield Case('ocamldoc, with its libraries of stubs',
               run('ocamldoc', '-html', '-d', '.', 'shapes.mli', 'shapes.ml', 'queue2.ml'),
               run('ocamldoc', '-man', '-latex', '-d', '.', 'shapes.mli'),
               run('ocamldoc', '-text', 'syntax_error.ml'))


def linked(name, source, libraries, *arguments):
    """A program of input/ that uses libraries is compiled and runs."""
    program = './%s.byte' % source
    return Case(name, run('ocamlfind', 'ocamlc', '-g', '-w', '-a', '-alert', '-experimental',
                          '-thread', '-package', ','.join(libraries), '-linkpkg', source + '.ml',
                          '-o', program, native=True),
                run(program, *arguments), libraries=libraries)


def domains(_ocaml):
    """Libraries for domains, tested as their authors do; the seed chooses the random tests."""
    seed = ('--no-colors', '--seed', '14')
    yield linked('saturn is linearizable', 'linearizable',
                 ('saturn', 'qcheck-lin.domain', 'qcheck-lin.thread', 'qcheck-lin.effect'), *seed)
    yield linked('saturn agrees with models', 'models',
                 ('saturn', 'qcheck-stm.domain', 'qcheck-stm.thread', 'qcheck-stm.sequential',
                  'qcheck-multicoretests-util'), *seed)
    yield linked('the standard library agrees with models', 'stdlib_models',
                 ('qcheck-stm.domain', 'qcheck-stm.thread', 'qcheck-stm.sequential',
                  'qcheck-lin.domain', 'qcheck-lin.thread', 'qcheck-lin.effect'), *seed)
    yield linked('dscheck tries the orders', 'interleavings', ('dscheck',))
    yield linked('saturn and thread-table, many domains and threads', 'many_domains',
                 ('saturn', 'thread-table'))


def others(_ocaml):
    yield Case('camlp5 with a loaded printer', run('camlp5o', 'pr_o.cmo', 'pretty.ml'),
               run('camlp5o', 'pr_r.cmo', 'pr_ro.cmo', 'pretty.ml'),
               run('camlp5o', 'pr_r.cmo', 'pr_ro.cmo', '-o', 'revised.ml', 'shapes.ml'),
               run('camlp5o', 'pr_r.cmo', 'pretty.ml'),
               run('camlp5r', 'pr_o.cmo', 'revised.ml'),
               run('camlp5o', 'pr_dump.cmo', '-o', 'pretty.ast', 'pretty.ml'),
               run('camlp5o', 'pa_extend.cmo', 'pr_r.cmo', 'pretty.ml'),
               run('camlp5o', 'none.cmo', 'pretty.ml'),
               run('camlp5o', 'pr_o.cmo', 'syntax_error.ml'))
    yield Case('hlins, with unix and str', run('hlins', '-db', 'links.db', 'page.in'),
               run('hlins', '-db', 'links.db', '-o', 'page.html', 'page.in'),
               run('hlins', '-db', 'none.db', 'page.in'))
    yield Case('ocamlwc', run('ocamlwc', 'shapes.ml', 'main.ml', 'queue2.ml'),
               run('ocamlwc', '-c', '-p', 'syntax_error.ml'), run('ocamlwc', 'none.ml'))
    yield Case('polygen, with unix', run('/usr/games/polygen', '-seed', '5', 'fable.grm'),
               run('/usr/games/polygen', '-seed', '7', '-X', '20', 'fable.grm'),
               run('/usr/games/polygen', 'none.grm'))
    yield Case('ocamlify', run('ocamlify', 'notes.mlify'),
               run('ocamlify', '--depends', '--target', 'notes.ml', 'notes.mlify'))
    yield Case('ocamlmod', run('ocamlmod', 'both.mod'), run('ocamlmod', 'none.mod'))
    yield Case('dpd2dot', run('dpd2dot', '-o', 'deps.dot', 'deps.dpd'),
               run('dpd2dot', '-without-defs', '-keep-trans', '-o', 'kept.dot', 'deps.dpd'),
               run('dpdusage', '-with-path', 'deps.dpd'), run('dpd2dot', 'page.in'))
    yield Case('ledit, without a terminal', run('ledit', 'cat', stdin='words.mll'))
    yield Case('coqtop proves', run('coqtop.byte', '-q', '-batch', '-l', 'proofs.v'),
               run('coqc.byte', '-q', 'lemmas.v'), run('rm', '.lemmas.aux', native=True))
    yield Case('camlidl', run('camlidl', '-header', 'geometry.idl'),
               run('camlidl', '-no-include', '-nocpp', 'geometry.idl'),
               run('camlidl', 'broken.idl'))


def all_cases(installation):
    families = [tools, compiler, standard_library, interactive, debugger, documentation]
    for family in families + [domains if installation.commands else others]:
        yield from family(installation)
