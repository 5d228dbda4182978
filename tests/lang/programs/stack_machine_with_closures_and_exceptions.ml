type instr = Push of int | Add | Mul | Dup | Swap | Jmp of int | Jz of int | Print | Call of int
    | Ret | Halt | Dec

exception Halted of int
exception Underflow of int

let compile code =
  let n = Array.length code in
  let ops = Array.make n (fun _ -> assert false) in
  let stack = Stack.create () and calls = Stack.create () in
  let pc = ref 0 and steps = ref 0 in
  let pop () = try Stack.pop stack with Stack.Empty -> raise (Underflow !pc) in
  let push x = Stack.push x stack in
  Array.iteri (fun i instr ->
      let next = i + 1 in
      ops.(i) <- (match instr with
          | Push k -> fun () -> push k; pc := next
          | Add -> fun () -> let a = pop () in let b = pop () in push (a + b); pc := next
          | Mul -> fun () -> let a = pop () in let b = pop () in push (a * b); pc := next
          | Dec -> fun () -> push (pop () - 1); pc := next
          | Dup -> fun () -> let a = pop () in push a; push a; pc := next
          | Swap -> fun () -> let a = pop () in let b = pop () in push a; push b; pc := next
          | Jmp t -> fun () -> pc := t
          | Jz t -> fun () -> pc := if pop () = 0 then t else next
          | Print -> fun () -> Printf.printf "%d " (pop ()); pc := next
          | Call t -> fun () -> Stack.push next calls; pc := t
          | Ret -> fun () -> pc := Stack.pop calls
          | Halt -> fun () -> raise (Halted !steps)))
    code;
  fun () ->
    try while true do incr steps; ops.(!pc) () done; 0 with Halted n -> n

let () =
  (* 10 factorial: acc n on the stack. *)
  let fact = [| Push 1; Push 10; Dup; Jz 11; Dup; Push 0; Add; Call 13; Swap; Dec; Jmp 2; Swap;
      Jmp 19;
                Swap; Call 17; Swap; Ret; Ret; Halt; Print; Print; Halt |] in
  Printf.printf "steps %d\n" (try compile fact () with Underflow p -> -p);
  let loop = [| Push 2_000; Dec; Dup; Jz 5; Jmp 1; Halt |] in
  Printf.printf "steps %d\n" (compile loop ());
  (match compile [| Push 1; Add; Halt |] () with
   | n -> print_int n | exception Underflow p -> Printf.printf "underflow at %d\n" p)
