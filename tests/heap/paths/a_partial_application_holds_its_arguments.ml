let three text (numbers : int array) last = Bytes.length text + Array.length numbers + last
let applied = Sys.opaque_identity three (Bytes.create 999) (Array.make 70 1)
let half = Sys.opaque_identity three (Bytes.create 333)
