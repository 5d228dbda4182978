(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
(* Debugging events beside constants that need more than 31 bits (#9268), calls of C functions with
   many arguments in a backtrace (#13454), and a trace asked for by the environment (#11824). *)
external blit : Bytes.t -> int -> Bytes.t -> int -> int -> unit = "caml_blit_bytes"
let big = 0x3fff_ffff_ffff_ffff
let small = -0x4000_0000_0000_0000

let f x =
  let n = x + 0x7fff_ffff_ffff in
  if n = big then print_int small;
  let s = match n with 0x1_0000_0000 -> 1 | 0x7fff_ffff_ffff -> 2 | 0x3fff_ffff_ffff_ffff -> 3 | _ -> 4 in
  if s = 2 then raise (Invalid_argument (string_of_int (n lsr 3))) else s

let g () = try f 0 with Invalid_argument s -> print_endline s; Printexc.print_backtrace stdout; 0

let h n =
  let b = Bytes.create n in
  Bytes.blit b 1 b 0 max_int;
  g ()

let () =
  ignore (g ());
  (try ignore (h 3) with Invalid_argument s -> print_endline s; Printexc.print_backtrace stdout);
  (try ignore (Array.map (fun x -> f x) [| 1; 0 |]) with Invalid_argument _ -> Printexc.print_backtrace stdout);
  ignore (f 0)
