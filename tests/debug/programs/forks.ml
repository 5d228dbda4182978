let child n =
  print_string "child\n";
  flush stdout;
  exit (n + 3)

let parent pid =
  let _, status = Unix.waitpid [] pid in
  match status with
  | Unix.WEXITED n -> n
  | _ -> -1

let () =
  match Unix.fork () with
  | 0 -> child 4
  | pid ->
      let n = parent pid in
      Printf.printf "parent %d\n%!" n
