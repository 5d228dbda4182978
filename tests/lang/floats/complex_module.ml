let show { Complex.re; im } = Printf.printf "%.6g%+.6gi " re im

let () =
  let open Complex in
  let a = { re = 3.0; im = 4.0 } and b = { re = -1.0; im = 0.5 } in
  List.iter show [ zero; one; i; neg a; conj a; add a b; sub a b; mul a b; div a b; inv a; sqrt a;
                   sqrt b; exp b; log a; pow a b; polar 2.0 1.0; div b a; sqrt zero ];
  Printf.printf "%g %g %g\n" (norm a) (norm2 a) (arg b)
