type shape = Empty | Filled of float array * bytes
let rec last shapes depth =
  match shapes with
  | [] -> exit 0
  | Filled (weights, text) :: rest when depth > 2 ->
      for index = 0 to 3 do
        let doubled = Array.append weights weights in
        if index = 2 then begin
          last rest (depth - Array.length doubled + Bytes.length text);
          ignore (Sys.opaque_identity (doubled, text))
        end
      done
  | _ :: rest -> last rest (depth + 1); ignore (Sys.opaque_identity rest)

let () = last (List.init 5 (fun i -> Filled (Array.make 100 1.5, Bytes.create 500))) 2
