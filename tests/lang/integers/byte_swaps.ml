external swap16 : int -> int = "%bswap16"
external swap32 : int32 -> int32 = "%bswap_int32"
external swap64 : int64 -> int64 = "%bswap_int64"
external swapn : nativeint -> nativeint = "%bswap_native"

let () =
  Printf.printf "%x %x %x\n" (swap16 0x1234) (swap16 0xFF) (swap16 0xABCDEF);
  Printf.printf "%lx %lx\n" (swap32 0x12345678l) (swap32 0xFFl);
  Printf.printf "%Lx %Lx\n" (swap64 0x123456789ABCDEF0L) (swap64 0xFFL);
  Printf.printf "%nx\n" (swapn 0x0123456789ABCDEFn)
