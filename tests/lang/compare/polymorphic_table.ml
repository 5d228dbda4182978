type t = A | B | C of int | D of string | E of float * int
exception Ex of int

let values : (string * Obj.t) list =
  let r x = Obj.repr x in
  [ ("0", r 0); ("1", r 1); ("-1", r (-1)); ("max", r max_int); ("min", r min_int); ("\"\"", r "");
    ("\"a\"", r "a"); ("\"b\"", r "b"); ("\"ab\"", r "ab"); ("1.0", r 1.0); ("nan", r nan);
        ("-0.", r (-0.0));
    ("0.", r 0.0); ("[]", r []); ("[1]", r [ 1 ]); ("[2]", r [ 2 ]); ("[1;2]", r [ 1; 2 ]);
    ("(1,2)", r (1, 2)); ("(1,2,3)", r (1, 2, 3)); ("C 1", r (C 1)); ("C 2", r (C 2)); ("D",
        r (D "x"));
    ("E", r (E (1.0, 2))); ("[|1.|]", r [| 1.0 |]); ("[|2.|]", r [| 2.0 |]); ("[|1.;2.|]",
        r [| 1.0; 2.0 |]);
    ("[|nan|]", r [| nan |]); ("[||]", r [||]); ("[|1|]", r [| 1 |]); ("1l", r 1l); ("2l", r 2l);
        ("1L", r 1L);
    ("-1L", r (-1L)); ("1n", r 1n); ("`A", r `A); ("`B", r `B); ("Not_found", r Not_found);
        ("ref", r (ref 1)) ]

let () =
  List.iter (fun (n, a) ->
      Printf.printf "%s:" n;
      List.iter (fun (_, b) ->
          match compare a b with
          | c ->
            let bit x = if x then 1 else 0 in
            Printf.printf " %d/%d" c
              (bit (a = b) + (2 * bit (a <> b)) + (4 * bit (a < b)) + (8 * bit (a <= b)) + (16 *
                  bit (a > b))
               + (32 * bit (a >= b)))
          | exception Invalid_argument m -> Printf.printf " (%s)" m)
        values;
      print_newline ())
    values
