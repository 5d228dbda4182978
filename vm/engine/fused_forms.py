#!/usr/bin/env python3
"""fused_forms.py OPCODES ENGINE OUTPUT: how the fused forms of ENGINE (engine.def) are found.

An element of a form is an instruction of OPCODES (opcodes.def), which also stands for its SHORT
variants, or a SPECIAL or INLINED one. OUTPUT has an automaton that reads instructions of the loop:
after each the state says which form does all those read so far. Where several do, the one whose
first elements are the less general ones is taken.

    vm_form_begin    by instruction: its state when it comes first; 0: no form begins with it
    vm_form_class    by instruction: its column as a later one; 0: no form goes on with it
    vm_form_row      by state: where its row of steps begins
    vm_form_steps    at row + column: the state that the step is from, and the state it leads to
    vm_form_of       by state: the form; 0: fewer than two instructions are read
"""
import re
import sys


def read(path):
    with open(path, encoding='ascii') as file:
        return file.read()


opcodes, engine = map(read, sys.argv[1:3])
# The long form of each instruction.
longs = {name: name for name in re.findall(r'^OP\((\w+),', opcodes, re.M)}
longs.update(re.findall(r'^SHORT\((\w+), (\w+),', opcodes, re.M))
bytecode = set(longs)
longs.update(re.findall(r'^SPECIAL\((\w+), (\w+),', engine, re.M))
longs.update((name, name) for name in re.findall(r'^INLINED\((\w+),', engine, re.M))
forms = [tuple(row.split(', ')) for row in re.findall(r'^(?:FUSED|CALL)[234]\(([A-Z0-9_, ]+)\)$',
                                                      engine, re.M)]
beginnings = {form[:n] for form in forms for n in range(1, len(form) + 1)}


def enum(name):
    return ('OP_' if name in bytecode else 'ENGINE_') + name


def step(read_so_far, instruction):
    """What the state of those beginnings becomes: less general ones first."""
    return tuple(form + (element,) for form in read_so_far
                 for element in dict.fromkeys((instruction, longs[instruction]))
                 if form + (element,) in beginnings)


states, steps = {(): 0}, {}  # a state is all beginnings of forms that have been read
begin = {name: state for name in longs if (state := step(((),), name)) != ()}
todo = list(dict.fromkeys(begin.values()))
while todo:
    state = todo.pop(0)
    if state in states:
        continue
    states[state] = len(states)
    steps[state] = {name: after for name in longs if (after := step(state, name)) != ()}
    todo += steps[state].values()
columns = {name: 1 + i for i, name in enumerate(
    [name for name in longs if any(name in row for row in steps.values())])}

# The rows share one array: each lies at the first place where its steps are free.
taken, rows = {}, {}
for state in sorted(steps, key=lambda state: -len(steps[state])):
    used = [columns[name] for name in steps[state]]
    rows[state] = next(row for row in range(len(steps) * len(columns))
                       if not any(row + column in taken for column in used))
    for name, after in steps[state].items():
        taken[rows[state] + columns[name]] = (states[state], states[after])
size = max(rows.values()) + len(columns) + 1


def array(of_type, name, count, items):
    return 'const %s %s[%s] = {\n%s};\n' % (of_type, name, count, ''.join(
        '    [%s] = %s,\n' % item for item in items))


with open(sys.argv[3], 'w', encoding='ascii') as out:
    out.write(array('uint16_t', 'vm_form_begin', 'ENGINE_COUNT',
                    [(enum(name), states[state]) for name, state in begin.items()]))
    out.write(array('uint8_t', 'vm_form_class', 'ENGINE_COUNT',
                    [(enum(name), column) for name, column in columns.items()]))
    out.write(array('uint16_t', 'vm_form_row', len(states),
                    [(states[state], row) for state, row in rows.items()]))
    out.write(array('struct vm_form_step', 'vm_form_steps', size,
                    [(at, '{%d, %d}' % pair) for at, pair in sorted(taken.items())
                    ]))
    out.write(array('uint16_t', 'vm_form_of', len(states),
                    [(states[state], 'ENGINE_' + '__'.join(state[0]))
                     for state in steps if len(state[0]) > 1]))
