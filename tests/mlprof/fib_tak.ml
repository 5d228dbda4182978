(* Two functions, each counted in a unit of its own. *)
open Bactrian

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let rec tak x y z = if y >= x then z else tak (tak (x - 1) y z) (tak (y - 1) z x) (tak (z - 1) x y)
let fib_data = Profile.Data.malloc ()
let tak_data = Profile.Data.malloc ()

let () =
  let argument i default = try int_of_string Sys.argv.(i) with Invalid_argument _ -> default in
  for _ = 1 to 3 do
    ignore (Profile.withData fib_data (fun () -> fib (argument 1 25)))
  done;
  for _ = 1 to argument 2 3 do
    ignore (Profile.withData tak_data (fun () -> tak 18 12 6))
  done;
  let finish data file =
    Profile.Data.write data file;
    Profile.Data.free data
  in
  finish fib_data "mlmon.fib.out";
  finish tak_data "mlmon.tak.out"
