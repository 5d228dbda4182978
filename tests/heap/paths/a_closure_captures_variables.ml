let make text count =
  let buffer = Bytes.make 5000 text in
  let weights = Array.make 300 0.5 in
  fun i -> Bytes.get buffer (i + count + int_of_float weights.(i))

let callback = make 'x' 3
