let cos = Ffi.(foreign ~lib:"libm.so.6" "cos" (double @-> returning double))
let strlen = Ffi.(foreign "strlen" (string @-> returning size_t))
let order = Ffi.(ptr int @-> ptr int @-> returning int)

let qsort =
  Ffi.(foreign "qsort" (ptr int @-> size_t @-> size_t @-> closure order @-> returning void))

let a = Ffi.(Carray.make int 1000)

let () =
  let sort order =
    Ffi.Carray.(
      for i = 0 to length a - 1 do set a i (i * 7919 mod 1000) done;
      qsort (start a) (length a) 4 order) in
  Calls.run cos strlen (fun () -> sort (fun p q -> compare (Ffi.( !@ ) p : int) (Ffi.( !@ ) q)))
