let kept = ref []
let rec build n = if n = 0 then [] else n :: build (n - 1)
let churn n = for i = 1 to n do ignore (Sys.opaque_identity (Array.make 20 i)) done
let () =
  kept := build 300;
  churn 400;
  Gc.full_major ();
  kept := List.filter (fun n -> n mod 3 = 0) !kept;
  churn 300;
  Gc.full_major ()
