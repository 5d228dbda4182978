let say name value = print_string (name ^ " "); value

type r = { p : int; q : int; s : int }

let three a b c = a + b + c

let () =
  ignore (three (say "a" 1) (say "b" 2) (say "c" 3));
  print_newline ();
  ignore ((say "x" 1, say "y" 2, say "z" 3));
  print_newline ();
  ignore [ say "l1" 1; say "l2" 2; say "l3" 3 ];
  print_newline ();
  ignore { p = say "p" 1; q = say "q" 2; s = say "s" 3 };
  print_newline ();
  ignore ([| say "e0" 0; say "e1" 1; say "e2" 2 |]);
  print_newline ();
  ignore (say "left" 1 + say "right" 2);
  print_newline ();
  ignore ((say "fun" three) (say "1" 1) (say "2" 2) (say "3" 3));
  print_newline ();
  let a = say "let1" 1 and b = say "let2" 2 in
  ignore (a + b);
  ignore ((say "i" [| 1 |]).(say "j" 0) <- say "k" 5);
  print_newline ();
  ignore (say "and1" false && say "and2" true);
  ignore (say "or1" false || say "or2" true);
  print_newline ()
