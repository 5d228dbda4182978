"""The mathematical functions of the C library, which is loaded when a program first calls one."""
import unittest

from support import Case

MAPS = r'''
let rec names_it maps = match input_line maps with
  | line -> Filename.check_suffix line "/libm.so.6" || names_it maps
  | exception End_of_file -> false
let is_loaded () =
  let maps = open_in "/proc/self/maps" in
  Fun.protect ~finally:(fun () -> close_in maps) (fun () -> names_it maps)
let () =
  Printf.printf "%b " (is_loaded ());
  ignore (cos (Sys.opaque_identity 1.));
  Printf.printf "%b" (is_loaded ())
'''
FUNCTIONS = r'''
let rec open_all files = match open_in "/dev/null" with
  | file -> open_all (file :: files)
  | exception Sys_error _ -> files
let files = if Array.length Sys.argv > 1 then open_all [] else []
let x = Sys.opaque_identity 0.4 and y = Sys.opaque_identity 1.25
let unary = [exp; log; log10; log1p; expm1; sqrt; Float.cbrt; Float.exp2; Float.log2; cos; sin; tan;
  acos; asin; atan; cosh; sinh; tanh; Float.asinh; Float.atanh; Float.erf; Float.erfc; Float.round]
let binary = [atan2; hypot; ( ** ); mod_float; Float.rem; Float.pow]
let () =
  List.iter (fun f -> Printf.printf "%h\n" (f x)) unary;
  List.iter (fun f -> Printf.printf "%h\n" (f y x)) binary;
  Printf.printf "%h %h %h %.3f %g\n" (Float.acosh y) (Float.fma x y x) (Float.succ x) x y;
  Printf.printf "%b" (Sys.argv = [| Sys.argv.(0) |] || List.length files > 3)
'''


class Libm(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(cls.place.bactrian, 'rb') as file:
            if b'__asan_init' in file.read():
                raise unittest.SkipTest('a sanitizer loads libm')
        cls.place.write('functions.ml', FUNCTIONS)
        cls.place.tool('ocamlc', '-o', 'functions.byte', 'functions.ml')

    def test_a_program_that_calls_none_does_without_it(self):
        self.place.write('maps.ml', MAPS)
        self.place.tool('ocamlc', '-o', 'maps.byte', 'maps.ml')
        self.expect(self.bactrian('maps.byte'), out='false true')

    def test_each_function_gives_the_result_of_ocamlrun(self):
        self.same('functions.byte')

    def test_a_program_that_has_all_its_files_open_can_call_them(self):
        expected = self.ocamlrun('functions.byte').out
        for limit in '-S -n', '-n':
            script = 'ulimit %s 60; exec "$0" functions.byte open' % limit
            self.expect(self.run_command(['sh', '-c', script, self.place.bactrian]), out=expected)
