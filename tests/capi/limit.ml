(* --max-heap=32M counts what stubs hold: with it each line says where Out_of_memory comes. *)
external hold : int -> int = "t_hold"
external hold_noexc : int -> int = "t_hold_noexc"
external hold_in_section : int -> int = "t_hold_in_section"
external release : unit -> int = "t_hold_free"
external resize : int -> int -> bool = "t_resize"
type owner
external owner : int -> owner = "t_owner"

let say fmt = Printf.printf (fmt ^^ "\n%!")
let between a n b = if n < a then "few" else if n > b then "many" else "within the limit"
let attempt what f = match f () with n -> say "%s: %s" what n | exception Out_of_memory -> say "%s: out of memory" what

let () =
  for _ = 1 to 3 do
    attempt "100 blocks" (fun () -> ignore (hold 100); "all");
    say "freed: %s" (between 20 (release ()) 40)
  done;
  attempt "without exception" (fun () -> ignore (hold_noexc 100); between 20 (release ()) 40);
  (* Those are counted later: then there is no room, even to print. *)
  attempt "in a blocking section" (fun () -> string_of_int (hold_in_section 20));
  attempt "20 more" (fun () ->
      match hold 20 with
      | _ -> "fit"
      | exception Out_of_memory ->
          ignore (release ());
          "do not fit");
  ignore (release ());
  say "resize: %b %b" (resize 1000 20_000_000) (resize 1000 60_000_000);
  attempt "a string" (fun () -> string_of_int (String.length (String.make 20_000_000 ' ')));
  Gc.full_major ();
  ignore (hold 20);
  attempt "a string beside" (fun () -> string_of_int (String.length (String.make 20_000_000 ' ')));
  ignore (release ());
  attempt "a string again" (fun () -> string_of_int (String.length (String.make 20_000_000 ' ')));
  (* What custom blocks own counts until they die. *)
  let kept = ref [] in
  attempt "owners" (fun () ->
      for _ = 1 to 100 do kept := owner 1_000_000 :: !kept done;
      "all");
  say "kept: %s" (between 20 (List.length !kept) 40);
  kept := [];
  attempt "owners that die" (fun () ->
      for _ = 1 to 1000 do ignore (Sys.opaque_identity (owner 1_000_000)) done;
      "all")
