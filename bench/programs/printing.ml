(* Printf, Format and Scanf: a report is printed, and read back. *)
type item = { name : string; quantity : int; price : float }

let item i =
  { name = Printf.sprintf "item-%04d" i; quantity = i * 37 mod 101; price = float_of_int (i mod 997) /. 8. }

let print_line i = Printf.sprintf "%-12s|%5d|%10.3f|%x|%S|%b" i.name i.quantity i.price i.quantity i.name (i.quantity > 50)

let read_line line =
  Scanf.sscanf line "%s@| %d| %f|%x|%S|%B" (fun _ quantity price hex name _ ->
      assert (hex = quantity);
      { name; quantity; price })

let pp_item ppf i =
  Format.fprintf ppf "@[<hov 2>{ name = %s;@ quantity = %d;@ price = %.2f }@]" i.name i.quantity i.price

let pp_list ppf items =
  Format.fprintf ppf "@[<v>[%a]@]"
    (Format.pp_print_list ~pp_sep:(fun ppf () -> Format.fprintf ppf ";@ ") pp_item)
    items

let () =
  let n = int_of_string Sys.argv.(1) in
  let digest = ref "" in
  let total = ref 0. in
  for round = 1 to n do
    let items = List.init 40 (fun i -> item ((round * 40) + i)) in
    let back = List.map (fun i -> read_line (print_line i)) items in
    if back <> items then failwith "what was read is not what was printed";
    List.iter (fun i -> total := !total +. (i.price *. float_of_int i.quantity)) back;
    digest := Digest.to_hex (Digest.string (!digest ^ Format.asprintf "%a" pp_list items))
  done;
  Printf.printf "%s %.3f\n" !digest !total
