let finish first second =
  let third = Array.make 700 'c' in
  if Array.length first > 3 then begin
    let fourth = Array.make 900 1.5 in
    exit (if Array.length third > 0 && fourth.(0) > 2. then 1 else Bytes.length second - 4000)
    |> fun () -> ignore (Sys.opaque_identity (fourth, third, second))
  end
  else begin
    let fifth = Bytes.create 3 in
    exit (Bytes.length fifth)
  end;
  ignore (Sys.opaque_identity (first, second))

let () = finish (Array.init 20 (fun i -> Some i)) (Bytes.create 4000)
