(* The header declares 256 words, the block takes 257: one more than a reader that believes the
   header has found free in the minor heap. *)
let be n = String.init 4 (fun i -> Char.chr ((n lsr (24 - 8 * i)) land 255))
let bad =
  "\x84\x95\xa6\xbe" ^ be 261 ^ be 1 ^ be 257 ^ be 256
  ^ "\x08" ^ be (256 lsl 10) ^ String.make 256 '\x40'

let () =
  let kept = ref [] and last = ref "" in
  for i = 1 to 50_000 do
    (match Marshal.from_string bad 0 with
     | (_ : int array) -> last := "accepted"
     | exception Failure text -> last := text);
    kept := if i mod 1000 = 0 then [] else i :: !kept
  done;
  print_endline !last
