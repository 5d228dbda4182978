"""Random OCaml programs that are well typed, end, and print what they compute.

The generator draws an expression of a given type, then its operands, to a maximal depth; variables
in scope are used where their types fit. Programs terminate, since each function counts its calls
(`tick`) and loops have bounds. A program is a module, and its main part a list of statements, so
that a failing one can be reduced by leaving out statements. The same seed gives the same program.

Types are tuples: ('int',), ('list', T), ('array', T), ('tuple', T, ...), ('fun', (T, ...), T),
('rec', NAME, ...) and so on.
"""
import random

INT, BOOL, STRING, FLOAT, CHAR = ('int',), ('bool',), ('string',), ('float',), ('char',)
UNIT, I32, I64, NATIVE, BYTES = ('unit',), ('int32',), ('int64',), ('nativeint',), ('bytes',)
FRECORD, RECORD, VARIANT, POLY, OBJECT = ('frec',), ('rec',), ('variant',), ('poly',), ('object',)
SIMPLE = [INT, INT, INT, BOOL, STRING, STRING, FLOAT, FLOAT, CHAR, I32, I64, NATIVE, BYTES,
          FRECORD, RECORD, VARIANT, VARIANT, POLY, OBJECT, UNIT]
NAMES = {'rec': 'r', 'frec': 'fr', 'variant': 'v', 'poly': 'pv', 'object': 'obj'}

PRELUDE = '''
exception Tired
exception Long
let steps = ref 0 and printed = ref 0
let tick () = incr steps; if !steps > 3000 then raise Tired
let out s =
  let n = String.length s in
  printed := !printed + min n 200;
  if !printed < 4000 then print_endline (if n > 200 then String.sub s 0 200 else s)
let cat a b = if String.length a + String.length b > 4000 then raise Long else a ^ b
let app a b = if List.length a + List.length b > 400 then raise Long else a @ b
let arr_app a b = if Array.length a + Array.length b > 400 then raise Long else Array.append a b
let show_list f l = "[" ^ String.concat ";" (List.map f l) ^ "]"
let show_array f a = "[|" ^ String.concat ";" (Array.to_list (Array.map f a)) ^ "|]"
let show_option f = function None -> "None" | Some x -> "Some " ^ f x
(* Which of two nans a sum keeps, and so its sign, is the C compiler's choice. *)
let plain x = if x <> x then nan else x
let show_float x = Printf.sprintf "%h" (plain x)
let show_lazy f x = match Lazy.force x with v -> f v | exception Lazy.Undefined -> "undefined"
let show_table f g t =
  let l = Hashtbl.fold (fun k v l -> (f k ^ "=" ^ g v) :: l) t [] in
  "{" ^ String.concat ";" (List.sort compare l) ^ "}"
let show_farray a = show_array show_float (Array.init (Float.Array.length a) (Float.Array.get a))
let copy v = Marshal.from_string (Marshal.to_string v [Marshal.Closures]) 0
let rec pad n = if n = 0 then 0 else 1 + pad (n - 1)
let program name f =
  steps := 0; printed := 0;
  out name;
  (try f () with
   | Stack_overflow -> out "overflow"
   | e -> out ("raised " ^ Printexc.to_string e))
'''


def text_of_type(t):
    kind = t[0]
    if kind in NAMES:
        return NAMES[kind]
    if kind in ('list', 'array', 'option', 'ref'):
        return '(%s) %s' % (text_of_type(t[1]), kind)
    if kind == 'lazy':
        return '(%s) Lazy.t' % text_of_type(t[1])
    if kind == 'farray':
        return 'Float.Array.t'
    if kind == 'table':
        return '(%s, %s) Hashtbl.t' % (text_of_type(t[1]), text_of_type(t[2]))
    if kind == 'tuple':
        return '(%s)' % ' * '.join(text_of_type(x) for x in t[1:])
    if kind == 'fun':
        return '(%s)' % ' -> '.join(text_of_type(x) for x in t[1] + (t[2],))
    return kind


def shower(t):
    """An OCaml function from values of the type to strings."""
    kind = t[0]
    simple = {'int': 'string_of_int', 'bool': 'string_of_bool', 'string': 'String.escaped',
              'float': 'show_float', 'char': 'Char.escaped', 'unit': '(fun () -> "()")',
              'int32': 'Int32.to_string', 'int64': 'Int64.to_string',
              'nativeint': 'Nativeint.to_string', 'farray': 'show_farray',
              'bytes': '(fun b -> String.escaped (Bytes.to_string b))',
              'fun': '(fun _ -> "<fun>")', 'rec': 'show_r', 'frec': 'show_fr',
              'variant': 'show_v', 'poly': 'show_pv', 'object': '(fun o -> o#show)'}
    if kind in simple:
        return simple[kind]
    if kind == 'ref':
        return '(fun x -> "ref " ^ %s !x)' % shower(t[1])
    if kind == 'table':
        return '(show_table %s %s)' % (shower(t[1]), shower(t[2]))
    if kind == 'tuple':
        names = ['x%d' % i for i in range(len(t) - 1)]
        parts = ' ^ "," ^ '.join('%s %s' % (shower(x), n) for x, n in zip(t[1:], names))
        return '(fun (%s) -> "(" ^ %s ^ ")")' % (', '.join(names), parts)
    return '(show_%s %s)' % (kind, shower(t[1]))


class Program:
    """One module; `statements` are those of its main function."""

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.counter = 0
        self.scope = []  # (name, type)
        self.groups = []
        self.declare()
        self.statements = [self.statement(self.pick(3, 4, 5))
                           for _ in range(self.random.randint(6, 24))]

    # --- Chance ---

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def fresh(self, stem='x'):
        self.counter += 1
        return '%s%d' % (stem, self.counter)

    def type(self, depth=2):
        if depth == 0 or self.chance(45):
            return self.pick(*SIMPLE)
        inner = lambda: self.type(depth - 1)
        kind = self.pick('list', 'array', 'option', 'ref', 'lazy', 'tuple', 'fun', 'farray',
                         'table')
        if kind == 'tuple':
            return ('tuple',) + tuple(inner() for _ in range(self.random.randint(2, 4)))
        if kind == 'fun':
            arity = self.pick(1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8)
            return ('fun', tuple(self.type(0) for _ in range(arity)), inner())
        if kind == 'table':
            return ('table', self.pick(INT, STRING, CHAR), inner())
        return ('farray',) if kind == 'farray' else (kind, inner())

    # --- Declarations ---

    def declare(self):
        self.fields = [('f%d' % i, self.pick(INT, STRING, FLOAT, BOOL, CHAR), self.chance(50))
                       for i in range(self.random.randint(1, 5))]
        self.ffields = ['g%d' % i for i in range(self.random.randint(1, 5))]
        self.constructors = [('K%d' % i, [self.pick(INT, STRING, FLOAT, RECORD, VARIANT)
                                          for _ in range(self.random.randint(0, 3))])
                             for i in range(self.random.randint(2, 7))]
        self.constructors[0] = ('K0', [])
        self.method_types = [self.pick(INT, STRING, FLOAT) for _ in range(3)]
        self.method_bodies = None
        for _ in range(self.random.randint(1, 2)):
            self.groups.append(self.group())

    def group(self):
        """Functions that call each other with decreasing fuel."""
        rows = []
        for _ in range(self.random.randint(1, 4)):
            arity = self.random.randint(0, 7)
            rows.append((self.fresh('rec'), [self.type(1) for _ in range(arity)], self.type(1)))
        texts = []
        before = len(self.scope)
        for name, arguments, result in rows:
            names = [self.fresh('a') for _ in arguments]
            self.scope += list(zip(names, arguments)) + [('n', INT)]
            calls = [(other, types, ret) for other, types, ret in rows]
            stop = self.expression(result, 1)
            other, types, ret = self.pick(*calls)
            bound = self.fresh('y')
            words = ' '.join(self.expression(t, 1) for t in types)
            self.scope.append((bound, ret))
            go_on = self.expression(result, 3)
            del self.scope[before:]
            head = ' '.join('(%s : %s)' % (n, text_of_type(t)) for n, t in zip(names, arguments))
            texts.append('%s (n : int) %s : %s = tick (); if n <= 0 then %s else let %s = %s '
                         '(n - 1) %s in %s' % (name, head, text_of_type(result), stop, bound, other,
                                               words, go_on))
        for name, arguments, result in rows:
            self.scope.append((name, ('fun', (INT,) + tuple(arguments), result)))
        return 'let rec ' + '\n  and '.join(texts)

    def type_declarations(self):
        fields = '; '.join('%s%s : %s' % ('mutable ' if m else '', n, t[0])
                           for n, t, m in self.fields)
        shown = ' ^ ";" ^ '.join('%s x.%s' % (shower(t), n) for n, t, _ in self.fields)
        lines = ['type r = { %s }' % fields, 'let show_r x = "{" ^ %s ^ "}"' % shown,
                 'type fr = { %s }' % '; '.join('mutable %s : float' % n for n in self.ffields),
                 'let show_fr x = %s' % ' ^ ";" ^ '.join('show_float x.' + n for n in self.ffields)]
        cases, shows = [], []
        for name, arguments in self.constructors:
            types = ' * '.join(text_of_type(t) for t in arguments)
            cases.append(name + (' of ' + types if arguments else ''))
            names = ['x%d' % i for i in range(len(arguments))]
            pattern = name + (' (%s)' % ', '.join(names) if names else '')
            body = ' ^ '.join(['"%s("' % name] + ['%s %s ^ ","' % (shower(t), n)
                                                  for t, n in zip(arguments, names)])
            shows.append('%s -> %s ^ ")"' % (pattern, body))
        lines += ['type v = ' + ' | '.join(cases), 'let rec show_v = function ' + ' | '.join(shows),
                  'type pv = [ `A | `B of int | `C of string * float ]',
                  'let show_pv : pv -> string = function `A -> "`A" | `B n -> "`B" ^ string_of_int '
                  'n | `C (s, x) -> s ^ show_float x', 'exception X of int',
                  'exception Y of string * float']
        m = [text_of_type(t) for t in self.method_types]
        shown = ' ^ "," ^ '.join('%s s%d' % (shower(t), i) for i, t in enumerate(self.method_types))
        lines.append(
            'class obj (a : %s) (b : %s) (c : %s) = object (self) val mutable s0 = a '
            'val mutable s1 = b val mutable s2 = c method m0 = s0 method m1 = s1 method m2 = s2 '
            'method set0 x = s0 <- x; self method set1 x = s1 <- x method both x y = s1 <- x; '
            's2 <- y; self#m1 method with0 x = {< s0 = x >} method show = "obj " ^ %s end' % (
                *m, shown))
        lines.append('class obj2 a b c = object (self) inherit obj a b c as super '
                     'method! show = "sub " ^ super#show method extra = self#m0 end')
        return '\n  '.join(lines)

    # --- Statements ---

    def statement(self, depth):
        """A text that ends in `;` or `in`; another statement must follow."""
        kind = self.random.randrange(10)
        if kind < 5:
            t = self.type()
            value = self.expression(t, depth)
            name = self.fresh()
            self.scope.append((name, t))
            return 'let %s : %s = %s in' % (name, text_of_type(t), value)
        if kind == 5:
            counter, before = self.fresh('i'), len(self.scope)
            self.scope.append((counter, INT))
            body = self.effect(depth - 1)
            del self.scope[before:]
            return 'for %s = %d %s %d do %s done;' % (
                counter, self.random.randint(0, 5), self.pick('to', 'downto'),
                self.random.randint(0, 5), body)
        if kind == 6:
            counter = self.fresh('w')
            return '(let %s = ref %d in while !%s > 0 do decr %s; %s done);' % (
                counter, self.random.randint(0, 5), counter, counter, self.effect(depth - 1))
        t = self.type()
        if kind == 7 and self.scope:
            name, t = self.pick(*self.scope)
            return 'out (%s %s);' % (shower(t), name)
        return 'out (%s (%s));' % (shower(t), self.expression(t, depth))

    def effect(self, depth):
        """An expression of type unit."""
        references = [(n, t) for n, t in self.scope if t[0] in ('ref', 'array', 'table', 'farray')]
        kind = self.random.randrange(8)
        if references and kind < 4:
            name, t = self.pick(*references)
            if t[0] == 'ref':
                return '(%s := %s)' % (name, self.expression(t[1], depth))
            if t[0] == 'table':
                return '(Hashtbl.replace %s (%s) (%s))' % (
                    name, self.expression(t[1], depth - 1), self.expression(t[2], depth - 1))
            if t[0] == 'farray':
                return '(if Float.Array.length %s > 0 then Float.Array.set %s 0 (%s))' % (
                    name, name, self.expression(FLOAT, depth))
            return '(if Array.length %s > 0 then %s.((%s) land 7 mod Array.length %s) <- %s)' % (
                name, name, self.expression(INT, depth - 1), name, self.expression(t[1], depth))
        records = [n for n, t in self.scope if t == RECORD]
        mutable = [(n, t) for n, t, m in self.fields if m]
        if records and mutable and kind == 4:
            field, t = self.pick(*mutable)
            return '(%s.%s <- %s)' % (self.pick(*records), field, self.expression(t, depth))
        if kind == 5:
            return self.pick('(Gc.minor ())', '(Gc.full_major ())', '(ignore (Gc.major_slice 0))',
                             '(ignore (pad 2000))', '(Gc.compact ())')
        if kind == 6:
            return '(if %s then out "yes" else out "no")' % self.expression(BOOL, depth)
        t = self.type(1)
        return '(out (%s (%s)))' % (shower(t), self.expression(t, depth))

    # --- Expressions ---

    def expression(self, t, depth):
        usable = [n for n, u in self.scope if u == t]
        if usable and self.chance(35 if depth > 0 else 75):
            return self.pick(*usable)
        if depth <= 0:
            return self.constant(t)
        if self.chance(35):
            return self.any_type(t, depth - 1)
        return self.special(t, depth - 1)

    def constant(self, t):
        kind = t[0]
        if kind == 'int':
            return '(%d)' % self.pick(0, 1, 2, 3, -1, 7, 255, 100000, self.random.randint(-9, 99),
                                      (1 << 62) - 1, -(1 << 62), self.random.randint(0, 1 << 40))
        if kind == 'bool':
            return self.pick('true', 'false')
        if kind == 'string':
            length = self.random.randrange(9)
            return '"%s"' % ''.join(self.pick(*'abcxyz 019') for _ in range(length))
        if kind == 'float':
            return '(%s)' % self.pick('0.', '-0.', '1.', '1.5', '-2.25', '1e300', 'nan', 'infinity',
                                      '0.1', '%d.' % self.random.randint(-99, 99))
        if kind == 'char':
            return self.pick("'a'", "'z'", "'0'", "'\\000'", "'\\255'")
        if kind in ('int32', 'int64', 'nativeint'):
            return '(%d%s)' % (self.random.randint(-1000, 1000), {'int32': 'l', 'int64': 'L',
                                                                  'nativeint': 'n'}[kind])
        texts = {'unit': '()', 'bytes': '(Bytes.make %d \'b\')' % self.random.randrange(5),
                 'farray': '(Float.Array.make %d 1.5)' % self.random.randrange(5),
                 'table': '(Hashtbl.create 3)', 'list': '[]', 'array': '[||]', 'option': 'None',
                 'variant': 'K0', 'poly': self.pick('`A', '(`B 3)', '(`C ("s", 2.))')}
        if kind in texts:
            return '(%s : %s)' % (texts[kind], text_of_type(t))
        if kind == 'fun':
            return '(fun %s -> %s)' % (' '.join('_' for _ in t[1]), self.constant(t[2]))
        return self.construct(t, 0)

    def construct(self, t, depth):
        """A value of a type with parts."""
        kind, make = t[0], lambda u: self.expression(u, depth)
        if kind == 'rec':
            return '{ %s }' % '; '.join('%s = %s' % (n, make(u)) for n, u, _ in self.fields)
        if kind == 'frec':
            return '{ %s }' % '; '.join('%s = %s' % (n, make(FLOAT)) for n in self.ffields)
        if kind == 'variant':
            name, arguments = self.pick(*self.constructors)
            values = ', '.join(make(u) for u in arguments)
            return '(%s)' % (name + (' (%s)' % values if arguments else ''))
        if kind == 'object':
            values = ' '.join(make(u) for u in self.method_types)
            return '(%s)' % self.pick('new obj %s', '(new obj2 %s :> obj)') % values
        if kind == 'tuple':
            return '(%s)' % ', '.join(make(u) for u in t[1:])
        if kind == 'ref':
            return '(ref %s)' % make(t[1])
        if kind == 'lazy':
            return '(lazy (tick (); %s))' % make(t[1])
        if kind == 'option':
            return '(Some %s)' % make(t[1])
        if kind in ('list', 'array'):
            values = '; '.join(make(t[1]) for _ in range(self.random.randrange(5)))
            return '([%s] : %s)' % (values, text_of_type(t)) if kind == 'list' else \
                '([|%s|] : %s)' % (values, text_of_type(t))
        if kind == 'fun':
            return self.function(t, depth)
        return self.constant(t)

    def function(self, t, depth):
        names, before = [self.fresh('p') for _ in t[1]], len(self.scope)
        self.scope += list(zip(names, t[1]))
        body = self.expression(t[2], depth)
        del self.scope[before:]
        head = ' '.join('(%s : %s)' % (n, text_of_type(u)) for n, u in zip(names, t[1]))
        return '(fun %s -> tick (); %s)' % (head, body)

    def any_type(self, t, depth):
        """An expression that can have any type: control flow, a call, a read."""
        e = lambda u: self.expression(u, depth)
        kind = self.random.randrange(13)
        if kind == 0:
            return '(if %s then %s else %s)' % (e(BOOL), e(t), e(t))
        if kind == 1:
            return '(try %s with X n -> %s | Not_found | Failure _ -> %s)' % (e(t), e(t), e(t))
        if kind == 2 and self.chance(20):
            return self.pick('(raise (X %s))' % e(INT), '(raise Not_found)',
                             '(failwith %s)' % e(STRING),
                             '(raise (Y (%s, %s)))' % (e(STRING), e(FLOAT)), '(assert false)')
        if kind == 3:
            return '(List.hd %s)' % e(('list', t)) if self.chance(10) else \
                '(List.nth (app %s [%s]) 0)' % (e(('list', t)), e(t))
        if kind == 4:
            return '(Lazy.force %s)' % e(('lazy', t))
        if kind == 5:
            return '!(%s)' % e(('ref', t))
        if kind == 6:
            return self.matching(t, depth)
        if kind == 7:
            name, u, before = self.fresh(), self.type(1), len(self.scope)
            value = e(u)
            self.scope.append((name, u))
            body = e(t)
            del self.scope[before:]
            return '(let %s : %s = %s in %s)' % (name, text_of_type(u), value, body)
        if kind == 8:
            return '(%s; %s)' % (self.effect(depth), e(t))
        if kind == 9:
            return '(%s (%s, %s))' % (self.pick('fst', 'snd'), e(t), e(t))
        if kind == 10 and t[0] not in ('object', 'lazy', 'table', 'fun'):
            return '(copy (%s) : %s)' % (e(t), text_of_type(t))
        if kind == 11:
            return '(Fun.protect ~finally:(fun () -> tick ()) (fun () -> %s))' % e(t)
        return self.call(t, depth)

    def matching(self, t, depth):
        before, cases = len(self.scope), []
        for name, arguments in self.constructors:
            names = [self.fresh('c') for _ in arguments]
            self.scope += list(zip(names, arguments))
            cases.append('%s -> %s' % (name + (' (%s)' % ', '.join(names) if names else ''),
                                       self.expression(t, depth - 1)))
            del self.scope[before:]
        if self.chance(30):
            cases = cases[:self.random.randint(1, len(cases))] + ['_ -> ' + self.constant(t)]
        return '(match %s with %s)' % (self.expression(VARIANT, depth), ' | '.join(cases))

    def call(self, t, depth):
        """Applies a function of the scope that ends in t, or a new one, in one go or in two."""
        fitting = [(n, u) for n, u in self.scope if u[0] == 'fun' and
                   (u[2] == t or any(('fun', u[1][k:], u[2]) == t for k in range(1, len(u[1]))))]
        if fitting and self.chance(70):
            name, u = self.pick(*fitting)
        else:
            u = ('fun', tuple(self.type(0) for _ in range(self.random.randint(1, 8))), t)
            name = self.function(u, depth)
        count = len(u[1]) if u[2] == t else \
            next(k for k in range(1, len(u[1])) if ('fun', u[1][k:], u[2]) == t)
        words = [self.expression(x, depth - 1) for x in u[1][:count]]
        if name.startswith('rec'):
            words[0] = '(%s land 3)' % words[0]
        split = self.random.randint(0, len(words))
        if 0 < split < len(words) and self.chance(50):
            partial = self.fresh('q')
            return '(let %s = %s %s in %s %s)' % (partial, name, ' '.join(words[:split]), partial,
                                                  ' '.join(words[split:]))
        return '(%s %s)' % (name, ' '.join(words))

    def special(self, t, depth):
        """An expression of a kind that only this type has."""
        e = lambda u: self.expression(u, depth)
        kind = t[0]
        maker = getattr(self, 'special_' + kind, None)
        if maker is not None and self.chance(80):
            return maker(e)
        if kind == 'list' and self.chance(60):
            u = t[1]
            return self.pick(lambda: '(app %s %s)' % (e(t), e(t)), lambda: '(List.rev %s)' % e(t),
                             lambda: '(%s :: %s)' % (e(u), e(t)),
                             lambda: '(List.map %s %s)' % (e(('fun', (INT,), u)), e(('list', INT))),
                             lambda: '(List.filter %s %s)' % (e(('fun', (u,), BOOL)), e(t)),
                             lambda: '(Array.to_list %s)' % e(('array', u)))()
        if kind == 'array' and self.chance(60):
            u = t[1]
            return self.pick(lambda: '(Array.make (%s land 7) %s)' % (e(INT), e(u)),
                             lambda: '(Array.init (%s land 7) %s)' % (
                                 e(INT), e(('fun', (INT,), u))),
                             lambda: '(arr_app %s %s)' % (e(t), e(t)),
                             lambda: '(Array.of_list %s)' % e(('list', u)),
                             lambda: '(Array.copy %s)' % e(t))()
        return self.construct(t, depth)

    def special_int(self, e):
        op = self.pick('+', '-', '*', 'land', 'lor', 'lxor', '/', 'mod')
        return self.pick(
            lambda: '(%s %s %s)' % (e(INT), op, e(INT)),
            lambda: '(%s %s (%s land 31))' % (e(INT), self.pick('lsl', 'lsr', 'asr'), e(INT)),
            lambda: '(String.length %s)' % e(STRING), lambda: '(Char.code %s)' % e(CHAR),
            lambda: '(compare %s %s)' % ((lambda u: (e(u), e(u)))(self.pick(*SIMPLE[:16]))),
            lambda: '(Hashtbl.hash %s)' % e(self.pick(*SIMPLE[:18])),
            lambda: '(List.fold_left (+) 0 %s)' % e(('list', INT)),
            lambda: '(int_of_float %s land 255)' % e(FLOAT), lambda: '(- %s)' % e(INT),
            lambda: '(Int64.to_int %s)' % e(I64), lambda: '(let o = %s in o#both %s %s; 1)' % (
                e(OBJECT), e(self.method_types[1]), e(self.method_types[2])))()

    def special_bool(self, e):
        u = self.pick(INT, FLOAT, STRING, CHAR, I64, RECORD, VARIANT, FRECORD)
        return self.pick(
            lambda: '(%s %s %s)' % (e(u), self.pick('<', '>', '<=', '>=', '=', '<>'), e(u)),
            lambda: '(%s && %s)' % (e(BOOL), e(BOOL)), lambda: '(%s || %s)' % (e(BOOL), e(BOOL)),
            lambda: '(not %s)' % e(BOOL), lambda: '(List.mem %s %s)' % (e(INT), e(('list', INT))))()

    def special_string(self, e):
        return self.pick(
            lambda: '(cat %s %s)' % (e(STRING), e(STRING)), lambda: '(string_of_int %s)' % e(INT),
            lambda: '(String.make (%s land 15) %s)' % (e(INT), e(CHAR)),
            lambda: '(Printf.sprintf "%%d|%%5.2f|%%x|%%S|%%c|%%b" %s (plain %s) %s %s %s %s)' % (
                e(INT), e(FLOAT), e(INT), e(STRING), e(CHAR), e(BOOL)),
            lambda: '(String.sub %s 0 (%s land 3))' % (e(STRING), e(INT)),
            lambda: '(String.concat "," (List.map string_of_int %s))' % e(('list', INT)),
            lambda: '(%s)#show' % e(OBJECT), lambda: '(Bytes.to_string %s)' % e(BYTES),
            lambda: '(Digest.to_hex (Digest.string %s))' % e(STRING),
            lambda: '(String.uppercase_ascii %s)' % e(STRING))()

    def special_float(self, e):
        return self.pick(
            lambda: '(%s %s %s)' % (e(FLOAT), self.pick('+.', '-.', '*.', '/.'), e(FLOAT)),
            lambda: '(float_of_int %s)' % e(INT), lambda: '(sqrt %s)' % e(FLOAT),
            lambda: '(%s).%s' % (e(FRECORD), self.pick(*self.ffields)),
            lambda: '(floor %s)' % e(FLOAT), lambda: '(Float.rem %s %s)' % (e(FLOAT), e(FLOAT)),
            lambda: '(Array.fold_left (+.) 0. %s)' % e(('array', FLOAT)),
            lambda: '(min %s %s)' % (e(FLOAT), e(FLOAT)),
            lambda: '(Float.Array.fold_left (+.) 1. %s)' % e(('farray',)))()

    def special_char(self, e):
        return self.pick(lambda: '(Char.chr (%s land 255))' % e(INT),
                         lambda: '(%s).[%s land 3]' % (e(STRING), e(INT)),
                         lambda: '(Char.uppercase_ascii %s)' % e(CHAR))()

    def boxed(self, e, t, module):
        return self.pick(
            lambda: '(%s.%s %s %s)' % (module, self.pick('add', 'sub', 'mul', 'logxor', 'div'),
                                       e(t), e(t)),
            lambda: '(%s.of_int %s)' % (module, e(INT)),
            lambda: '(%s.shift_left %s (%s land 15))' % (module, e(t), e(INT)))()

    def special_int32(self, e):
        return self.boxed(e, I32, 'Int32')

    def special_int64(self, e):
        return self.boxed(e, I64, 'Int64')

    def special_nativeint(self, e):
        return self.boxed(e, NATIVE, 'Nativeint')

    def special_bytes(self, e):
        return self.pick(lambda: '(Bytes.of_string %s)' % e(STRING),
                         lambda: '(let b = Bytes.make 8 %s in Bytes.set_int32_le b 2 %s; b)' % (
                             e(CHAR), e(I32)))()

    def special_farray(self, e):
        return self.pick(lambda: '(Float.Array.init (%s land 7) (fun i -> float i +. %s))' % (
            e(INT), e(FLOAT)), lambda: '(Float.Array.of_list %s)' % e(('list', FLOAT)))()

    def special_unit(self, e):
        return self.effect(1)

    def special_object(self, e):
        return self.pick(lambda: '((%s)#set0 %s)' % (e(OBJECT), e(self.method_types[0])),
                         lambda: '((%s)#with0 %s)' % (e(OBJECT), e(self.method_types[0])),
                         lambda: self.construct(OBJECT, 1))()

    def special_rec(self, e):
        name, t, _ = self.pick(*self.fields)
        if len(self.fields) == 1:
            return self.construct(RECORD, 1)
        return '{ %s with %s = %s }' % (e(RECORD), name, e(t))

    # --- The text ---

    def text(self, statements=None):
        chosen = self.statements if statements is None else statements
        body = '\n    '.join(chosen)
        return 'module P%d = struct\n  %s\n  %s\n  let main () =\n    %s\n    ()\nend\n' \
            'let () = program "program %d" P%d.main\n' % (
                self.seed, self.type_declarations(), '\n  '.join(self.groups), body, self.seed,
                self.seed)


ENDINGS = ['', 'let () = exit 3', 'let () = at_exit (fun () -> print_endline "end")',
           'let () = raise Tired', 'let () = prerr_endline "done"; ignore (List.hd [])']


def file_of(programs, ending):
    """The text of a file with some programs (or texts of programs), and one way to end."""
    texts = [p if isinstance(p, str) else p.text() for p in programs]
    return PRELUDE + '\n'.join(texts) + '\n' + ENDINGS[ending % len(ENDINGS)] + '\n'
