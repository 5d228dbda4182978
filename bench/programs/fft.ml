(* Float arrays again: fast Fourier transform there and back. *)
let pi = 4. *. atan 1.

let transform sign re im =
  let n = Array.length re in
  let j = ref 0 in
  for i = 0 to n - 2 do
    if i < !j then begin
      let t = re.(i) in
      re.(i) <- re.(!j);
      re.(!j) <- t;
      let t = im.(i) in
      im.(i) <- im.(!j);
      im.(!j) <- t
    end;
    let m = ref (n lsr 1) in
    while !m >= 1 && !j land !m <> 0 do
      j := !j lxor !m;
      m := !m lsr 1
    done;
    j := !j lor !m
  done;
  let len = ref 2 in
  while !len <= n do
    let half = !len / 2 in
    for k = 0 to half - 1 do
      let angle = sign *. 2. *. pi *. float_of_int k /. float_of_int !len in
      let wr = cos angle and wi = sin angle in
      let i = ref k in
      while !i < n do
        let o = !i + half in
        let tr = (wr *. re.(o)) -. (wi *. im.(o)) and ti = (wr *. im.(o)) +. (wi *. re.(o)) in
        re.(o) <- re.(!i) -. tr;
        im.(o) <- im.(!i) -. ti;
        re.(!i) <- re.(!i) +. tr;
        im.(!i) <- im.(!i) +. ti;
        i := !i + !len
      done
    done;
    len := !len * 2
  done

let () =
  let n = 1 lsl int_of_string Sys.argv.(1) in
  let original = Array.init n (fun i -> float_of_int ((i * 7919) land 1023)) in
  let re = Array.copy original and im = Array.make n 0. in
  transform 1. re im;
  Printf.printf "%.6f\n" (re.(1) /. float_of_int n);
  transform (-1.) re im;
  let worst = ref 0. in
  Array.iteri (fun i x -> worst := max !worst (abs_float ((re.(i) /. float_of_int n) -. x))) original;
  Printf.printf "%b\n" (!worst < 1e-6)
