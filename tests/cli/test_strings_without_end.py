"""Strings whose terminating byte the program has overwritten: C code must not read on after them.

The next block in memory is a string, too, so that a reader that goes on finds other bytes.
"""
from support import Case, ocaml5

BROKEN = r'''
(* The text, then x instead of zero bytes. *)
let broken text =
  let n = String.length text in
  ignore (Sys.opaque_identity (Bytes.make 50 'y'));
  let b = Bytes.of_string text in
  for i = n to n lor 7 - 1 do Bytes.unsafe_set b i 'x' done;
  assert (Bytes.length b = n && n land 7 <> 7);
  Bytes.unsafe_to_string b
'''
SHOW = BROKEN + r'''
let show f = match f () with
  | text -> print_endline text
  | exception e -> print_endline (Printexc.to_string e)
'''
EACH = SHOW + r'''
external format_float : string -> float -> string = "caml_format_float"
external format_int : string -> int -> string = "caml_format_int"
external register : string -> int -> unit = "caml_register_named_value"
external set_name : out_channel -> string -> unit = "caml_ml_set_channel_name"
external open_library : bool -> string -> Obj.t = "caml_dynlink_open_lib"
external symbol : Obj.t -> string -> int = "caml_dynlink_lookup_symbol"
let () =
  show (fun () -> format_float (broken "%+10.3e.") 1.5);
  show (fun () -> format_float (broken "%f") 1.5);
  show (fun () -> format_int (broken "%+5d") 7);
  show (fun () -> register (broken "name") 1; "registered");
  show (fun () -> ignore (open_library true (broken "dllunix.so")); "opened");
  show (fun () -> string_of_int (symbol (Obj.repr (ref 0)) (broken "caml_alloc")));
  show (fun () -> string_of_int (Sys.command (broken "exit 3")));
  show (fun () -> Sys.getenv (broken "HOME"));
  show (fun () -> close_in (open_in (broken "/dev/null")); "opened");
  show (fun () -> string_of_bool (Sys.file_exists (broken "/dev/null")));
  set_name stdout (broken "output");
  print_endline (broken "print")
'''
SEEN = '''Invalid_argument("a string without a zero byte after it")
1.500000
   +7
Invalid_argument("a string without a zero byte after it")
Invalid_argument("a string without a zero byte after it")
Invalid_argument("a string without a zero byte after it")
Sys_error("exit 3: Invalid argument")
Not_found
Sys_error("/dev/null: No such file or directory")
false
print
'''
UNCAUGHT = BROKEN + r'''
exception Own of string * int
let () = raise (Own (broken "text", 5))
'''
EVENTS = SHOW + r'''
let () =
  show (fun () ->
      ignore (Runtime_events.User.register (broken "event") (Obj.magic 0) Runtime_events.Type.unit);
      "registered")
'''
PROFILES = SHOW + r'''
let () =
  show (fun () -> Bactrian.Profile.start (broken "out"); "started");
  show (fun () -> Bactrian.Profile.snapshot (broken "out"); "written");
  show (fun () -> Bactrian.Profile.snapshot ~values:true (broken "out"); "written")
'''
PARSER = r'''
%token <string> WORD
%token END
%start words
%type <int> words
%%
words: WORD words { $2 + 1 } | END { 0 };
'''
PARSING = BROKEN + r'''
let () =
  ignore (Parsing.set_trace true);
  let words = ref [Words.WORD (broken "one"); Words.END] in
  let next _ = let word = List.hd !words in words := List.tl !words; word in
  print_int (Words.words next (Lexing.from_string ""))
'''


class StringsWithoutEnd(Case):
    def compiled(self, name, text, *words):
        self.place.write(name + '.ml', text)
        self.place.tool('ocamlc', '-w', '-a', *words, '-o', name + '.byte', name + '.ml')
        return name + '.byte'

    def test_primitives_refuse_them_or_read_no_further(self):
        self.expect(self.bactrian(self.compiled('each', EACH)), out=SEEN)

    def test_the_report_of_an_exception(self):
        done = self.bactrian(self.compiled('uncaught', UNCAUGHT))
        self.expect(done, status=2, err='Fatal error: exception Uncaught.Own("text", 5)\n')

    def test_the_trace_of_a_parser(self):
        self.place.write('words.mly', PARSER)
        self.place.tool('ocamlyacc', 'words.mly')
        self.place.tool('ocamlc', '-c', 'words.mli', 'words.ml')
        done = self.bactrian(self.compiled('parsing', PARSING, 'words.cmo'))
        self.assertEqual((done.status, done.out), (0, '1'))
        self.assertIn(': read token WORD(one)\n', done.err)

    def test_names_of_profiles(self):
        where = self.bactrian('--where').out.strip()
        program = self.compiled('profiles', PROFILES, '-I', where, 'bactrian.cma')
        self.expect(self.bactrian(program), out='Sys_error("out: No such file or directory")\n' * 3)

    def test_names_of_events(self):
        self.place.write('events.ml', EVENTS)
        self.place.tool(ocaml5() + '/bin/ocamlc', '-w', '-a', '-I', '+unix', 'unix.cma', '-I',
                        '+runtime_events', 'runtime_events.cma', '-o', 'events.byte', 'events.ml')
        done = self.bactrian('events.byte', env={'CAML_LD_LIBRARY_PATH': ocaml5() + '/stubs'})
        self.assertEqual(done.status, 0, repr(done))
        self.assertIn('register: event name has null characters', done.out)
