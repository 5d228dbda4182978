(* packages: sqlite3 - callbacks from a C library, one of them raising. *)
open Sqlite3
let () =
  let db = db_open ":memory:" in
  let ex sql = match exec db sql ~cb:(fun row hdr -> Array.iteri (fun i v -> Printf.printf "%s=%s " hdr.(i) (match v with Some v -> v | None -> "NULL")) row; print_newline ()) with Rc.OK -> () | rc -> print_endline (Rc.to_string rc ^ " " ^ errmsg db) in
  ex "create table t(a integer, b text)";
  for i = 1 to 50 do ex (Printf.sprintf "insert into t values(%d,'row %d')" i (i*i)) done;
  ex "select * from t where a % 10 = 0";
  ex "selec";
  let st = prepare db "select a, b from t where a > ?" in
  ignore (bind_int st 1 47);
  while step st = Rc.ROW do Printf.printf "%d %s\n" (column_int st 0) (column_text st 1) done;
  ignore (finalize st);
  (try ex "select (select cb())"; ignore (exec db "select a from t" ~cb:(fun _ _ -> raise Exit)) with Exit -> print_endline "exit through C");
  Printf.printf "%b\n" (db_close db)
