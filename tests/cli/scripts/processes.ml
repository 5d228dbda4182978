#use "topfind"
#require "unix"
open Unix
let () =
  let out, inp = pipe () in
  match fork () with
  | 0 -> close out; ignore (write_substring inp "from the child" 0 14); exit 0
  | child ->
      close inp;
      let bytes = Bytes.create 64 in
      let n = read out bytes 0 64 in
      let _, status = waitpid [] child in
      Printf.printf "%s, %s\n" (Bytes.sub_string bytes 0 n)
        (match status with WEXITED n -> "status " ^ string_of_int n | _ -> "killed")
