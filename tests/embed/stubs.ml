(* A program that is linked with libraries of C stubs. *)
let work seed =
  let text = String.concat "-" (List.init 200 (fun i -> string_of_int (i * seed))) in
  let digits = Str.global_replace (Str.regexp "[0-9]+-") "x" text in
  let r, w = Unix.pipe () in
  let n = Unix.write_substring w digits 0 (String.length digits) in
  let back = Bytes.create n in
  let m = Unix.read r back 0 n in
  Unix.close r;
  Unix.close w;
  if m = n && Bytes.to_string back = digits then String.length digits + seed else -1
let () = Callback.register "work" work
