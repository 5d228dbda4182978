let () =
  let q = Queue.create () in
  for i = 1 to 5 do Queue.add i q done;
  Queue.push 6 q;
  Printf.printf "%d %d %d %b\n" (Queue.take q) (Queue.pop q) (Queue.peek q) (Queue.is_empty q);
  Printf.printf "%d %d\n" (Queue.top q) (Queue.length q);
  Queue.iter (Printf.printf "%d ") q;
  let c = Queue.copy q in
  Queue.transfer c q;
  Printf.printf "%d %d %d\n" (Queue.length c) (Queue.length q) (Queue.fold ( + ) 0 q);
  Seq.iter (Printf.printf "%d ") (Queue.to_seq q);
  Queue.add_seq q (List.to_seq [ 100 ]);
  Printf.printf "%b %b\n" (Queue.take_opt c = None) (Queue.peek_opt q = Some 3);
  Queue.clear q;
  List.iter (fun f -> try ignore (f q) with Queue.Empty -> print_endline "Queue.Empty")
    [ Queue.take; Queue.peek ];
  let s = Stack.create () in
  List.iter (fun x -> Stack.push x s) [ "a"; "b"; "c" ];
  Printf.printf "%s %s %d %b\n" (Stack.pop s) (Stack.top s) (Stack.length s) (Stack.is_empty s);
  let t = Stack.copy s in
  Stack.clear s;
  Stack.iter print_string t;
  print_endline (Stack.fold ( ^ ) "" t);
  Printf.printf "%b %b %d\n" (Stack.pop_opt s = None) (Stack.top_opt t = Some "b")
    (Stack.length (Stack.of_seq (Stack.to_seq t)));
  (try ignore (Stack.pop s) with Stack.Empty -> print_endline "Stack.Empty");
  (try ignore (Stack.top s) with Stack.Empty -> print_endline "Stack.Empty")
