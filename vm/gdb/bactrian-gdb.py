"""Pretty printers and commands for gdb: OCaml values, closures and frames.

gdb loads the copy beside the binary (build/vm/cli/bactrian-gdb.py) if its folder is in the
auto-load safe path; `./dev gdb PROGRAM` starts gdb so.

  print v               an expression of type value: an integer, "text", a float, {tag; fields},
                        fun#12 (index in vm->functions, arity, pc), depth and length limited
  ml-frames [LIMIT]     the frames of the domain d of the selected C frame, with their words; the
                        process must be running, since the functions of vm/stack/frames.h are called
"""
import re

import gdb

MOST_FIELDS, MOST_BYTES, DEPTH = 8, 60, 3
TAGS = {246: 'lazy', 247: 'closure', 248: 'object', 249: 'infix',
        250: 'forward', 251: 'abstract', 252: 'string', 253: 'double', 254: 'double array',
        255: 'custom'}
CLOSURE, INFIX, NO_SCAN, STRING, DOUBLE, DOUBLE_ARRAY, CUSTOM = 247, 249, 251, 252, 253, 254, 255


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def word(address):
    return int.from_bytes(memory(address, 8), 'little')


def domain():
    """The nearest `d` of type struct domain * on the C stack, or None."""
    frame = gdb.selected_frame()
    while frame is not None:
        try:
            found = frame.read_var('d')
            if found.type.strip_typedefs() == gdb.lookup_type('struct domain').pointer():
                return found
        except (ValueError, gdb.error):
            pass
        frame = frame.older()
    return None


def function_text(code):
    """What a closure's code field names."""
    index = code >> 1
    d = domain()
    if d is None:
        return 'fun#%d' % index
    function = d['vm']['functions'][index]
    return 'fun#%d pc %d' % (index, int(function['pc']))


def text_of(v, depth=DEPTH):
    """The value v (an unsigned 64-bit word) as text."""
    if v & 1:
        return str((v - (1 << 64) if v >> 63 else v) >> 1)
    d = domain()
    try:
        if d is not None and not 0 <= v - int(d['gc']['range_start']) < int(d['gc']['range_bytes']):
            return hex(v)  # an address of code or of the stack
        header = word(v - 8)
    except gdb.MemoryError:
        return hex(v)
    tag, wosize = header & 0xff, header >> 10
    if tag == STRING:
        data = memory(v, min(wosize * 8, 1 << 20))
        data = data[:len(data) - 1 - data[-1]] if wosize * 8 <= 1 << 20 else data
        shown = repr(data[:MOST_BYTES].decode('latin-1'))[1:-1].replace('"', '\\"')
        return '"%s"%s' % (shown, '...' if len(data) > MOST_BYTES else '')
    if tag == DOUBLE:
        return '%.17g' % doubles(v, 1)[0]
    if tag == DOUBLE_ARRAY:
        return '[|%s|]' % '; '.join('%g' % x for x in doubles(v, min(wosize, MOST_FIELDS)))
    if tag == CUSTOM:
        name = gdb.Value(word(v)).cast(gdb.lookup_type('struct gc_custom_ops').pointer())
        return 'custom %s' % name['identifier'].string()
    if tag == INFIX:
        return 'infix ' + function_text(word(v))
    if tag == CLOSURE and wosize > 0:
        return function_text(word(v))
    if tag >= NO_SCAN:
        return '%s of %d words' % (TAGS[tag], wosize)
    name = '%s; ' % TAGS.get(tag, 'tag %d' % tag) if tag else ''
    if depth == 0:
        return '{%s%d fields}' % (name, wosize)
    fields = [text_of(word(v + 8 * i), depth - 1) for i in range(min(wosize, MOST_FIELDS))]
    if wosize > MOST_FIELDS:
        fields.append('... %d fields' % wosize)
    return '{%s%s}' % (name, '; '.join(fields))


def doubles(address, n):
    array = gdb.Value(address).cast(gdb.lookup_type('double').pointer())
    return [float(array[i]) for i in range(n)]


class ValuePrinter:
    def __init__(self, val):
        self.val = val

    def to_string(self):
        return text_of(int(self.val) % (1 << 64))


def find_printer(val):
    return ValuePrinter(val) if val.type.name == 'value' else None


def call(function, *arguments):
    """Calls a function of the program; arguments are gdb values or addresses."""
    return gdb.parse_and_eval(function)(*arguments)


class Frames(gdb.Command):
    """ml-frames [LIMIT]: the OCaml frames of the current domain, innermost first."""

    def __init__(self):
        super().__init__('ml-frames', gdb.COMMAND_STACK)

    def location(self, d, gpc, scratch):
        """The function and its place in the source, or what the symbols say, or ?"""
        vm, buffer = d['vm'], gdb.Value(scratch + 64).cast(gdb.lookup_type('char').pointer())
        place = buffer.cast(gdb.lookup_type('struct vm_location').pointer())
        call('vm_debuginfo_open', vm, False)
        if call('vm_debuginfo_find', vm, gpc, place):
            return '%s (%s:%d)' % (place['definition'].string() if place['definition'] else '?',
                                   place['file'].string(), int(place['line']))
        module = call('vm_symbol_at', vm, gpc, buffer, 128)
        if int(module) == 0:
            return '?'
        function = buffer.string()
        return module.string() + ('.' + function if function else '')

    def invoke(self, argument, from_tty):
        d = domain()
        if d is None:
            raise gdb.GdbError('no variable d of type struct domain * in the C frames')
        limit = int(argument) if re.fullmatch(r'\d+', argument) else 20
        scratch = int(gdb.parse_and_eval('(unsigned long)malloc(192)'))
        frame = gdb.Value(scratch).cast(gdb.lookup_type('struct vm_frame').pointer())
        more = call('vm_frames_first', d, frame)
        for number in range(limit):
            if not more:
                break
            gpc, height = int(frame['gpc']), int(frame['height'])
            print('#%-3d gpc %-8d %s' % (number, gpc, self.location(d, frame['gpc'], scratch)))
            for i in range(min(height, MOST_FIELDS)):
                print('        %s' % text_of(int(frame['base'][i]) % (1 << 64), 1))
            if height > MOST_FIELDS:
                print('        ... %d words' % height)
            more = call('vm_frames_next', d, frame)
        gdb.parse_and_eval('free((void *)%d)' % scratch)


printers = gdb.current_objfile() or gdb
printers.pretty_printers.append(find_printer)
Frames()
