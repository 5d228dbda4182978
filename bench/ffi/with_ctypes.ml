open Ctypes

let libm = Dl.dlopen ~filename:"libm.so.6" ~flags:[Dl.RTLD_NOW]
let cos = Foreign.foreign ~from:libm "cos" (double @-> returning double)
let strlen = Foreign.foreign "strlen" (string @-> returning size_t)
let order = Foreign.funptr (ptr int @-> ptr int @-> returning int)

let qsort =
  Foreign.foreign "qsort" (ptr int @-> size_t @-> size_t @-> order @-> returning void)

let a = CArray.make int 1000

let () =
  let sort order =
    CArray.(
      for i = 0 to length a - 1 do set a i (i * 7919 mod 1000) done;
      qsort (start a) (Unsigned.Size_t.of_int (length a)) (Unsigned.Size_t.of_int 4) order) in
  Calls.run cos
    (fun s -> Unsigned.Size_t.to_int (strlen s))
    (fun () -> sort (fun p q -> compare (!@p : int) !@q))
