(* What Gc.set makes of zero, small, huge and negative numbers, according to Gc.get. *)
let show () =
  let c = Gc.get () in
  List.iter (fun n -> print_char ' '; print_int n)
    Gc.[ c.minor_heap_size; c.major_heap_increment; c.space_overhead; c.verbose; c.max_overhead;
         c.stack_limit; c.allocation_policy; c.window_size; c.custom_major_ratio;
         c.custom_minor_ratio; c.custom_minor_max_size ];
  print_newline ()

let huge = [ 1 lsl 31; 1 lsl 32; (1 lsl 32) + 1; 1 lsl 53; max_int; min_int ]
let small = [ 0; 1; 2; 3; 50; 51; 999; 1000; 1001; -1; -2; -1000 ]
let first = Gc.get ()

let attempt name values set =
  List.iter
    (fun n ->
      Printf.printf "%s %d:" name n;
      Gc.set (set n);
      (* Something is allocated under it, in both generations and outside; ocamlrun itself dies of
         huge increments. *)
      if name <> "i" || n land 1023 = n then begin
        for i = 1 to 2000 do ignore (Sys.opaque_identity (Array.make (i mod 400) i)) done;
        ignore (Bigarray.(Array1.create char c_layout 5000));
        Gc.full_major ()
      end;
      show ();
      Gc.set first)
    values

let rec depth n = if n = 0 then 0 else 1 + depth (n - 1)

let () =
  show ();
  attempt "s" [ 0; 1; 4095; 4096; 4097; 100_000; -1; min_int ] (fun n -> { first with Gc.minor_heap_size = n });
  attempt "i" (small @ huge) (fun n -> { first with Gc.major_heap_increment = n });
  attempt "o" (small @ huge) (fun n -> { first with Gc.space_overhead = n });
  attempt "v" [ 1 lsl 32; min_int; 1 lsl 53 ] (fun n -> { first with Gc.verbose = n });
  attempt "O" (small @ huge) (fun n -> { first with Gc.max_overhead = n });
  attempt "l" (999 :: 1000 :: -1 :: huge) (fun n -> { first with Gc.stack_limit = n });
  attempt "a" (small @ huge) (fun n -> { first with Gc.allocation_policy = n });
  attempt "w" (small @ huge) (fun n -> { first with Gc.window_size = n });
  attempt "M" (small @ huge) (fun n -> { first with Gc.custom_major_ratio = n });
  attempt "m" (small @ huge) (fun n -> { first with Gc.custom_minor_ratio = n });
  attempt "n" (small @ huge) (fun n -> { first with Gc.custom_minor_max_size = n });
  (* The limit of the stack is never below the first stack. *)
  Gc.set { first with Gc.stack_limit = 0 };
  print_int (depth 500);
  (match depth 100_000 with
  | n -> print_int n
  | exception Stack_overflow -> print_string " overflow");
  Gc.set { first with Gc.stack_limit = -1 };
  print_int (depth 2_000_000);
  print_newline ()
