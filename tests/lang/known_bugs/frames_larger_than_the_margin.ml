(* flags: -g *)
(* env: OCAMLRUNPARAM=l=20k *)
(* Functions whose frames are larger than any margin, at each distance from the end of the stack
   (#7168, #11062, ocaml-multicore #210). *)
let rec wide n =
  let a0 = n + 0 in
  let a1 = n + 1 in
  let a2 = n + 2 in
  let a3 = n + 3 in
  let a4 = n + 4 in
  let a5 = n + 5 in
  let a6 = n + 6 in
  let a7 = n + 7 in
  let a8 = n + 8 in
  let a9 = n + 9 in
  let a10 = n + 10 in
  let a11 = n + 11 in
  let a12 = n + 12 in
  let a13 = n + 13 in
  let a14 = n + 14 in
  let a15 = n + 15 in
  let a16 = n + 16 in
  let a17 = n + 17 in
  let a18 = n + 18 in
  let a19 = n + 19 in
  let a20 = n + 20 in
  let a21 = n + 21 in
  let a22 = n + 22 in
  let a23 = n + 23 in
  let a24 = n + 24 in
  let a25 = n + 25 in
  let a26 = n + 26 in
  let a27 = n + 27 in
  let a28 = n + 28 in
  let a29 = n + 29 in
  let a30 = n + 30 in
  let a31 = n + 31 in
  let a32 = n + 32 in
  let a33 = n + 33 in
  let a34 = n + 34 in
  let a35 = n + 35 in
  let a36 = n + 36 in
  let a37 = n + 37 in
  let a38 = n + 38 in
  let a39 = n + 39 in
  let a40 = n + 40 in
  let a41 = n + 41 in
  let a42 = n + 42 in
  let a43 = n + 43 in
  let a44 = n + 44 in
  let a45 = n + 45 in
  let a46 = n + 46 in
  let a47 = n + 47 in
  let a48 = n + 48 in
  let a49 = n + 49 in
  let a50 = n + 50 in
  let a51 = n + 51 in
  let a52 = n + 52 in
  let a53 = n + 53 in
  let a54 = n + 54 in
  let a55 = n + 55 in
  let a56 = n + 56 in
  let a57 = n + 57 in
  let a58 = n + 58 in
  let a59 = n + 59 in
  let a60 = n + 60 in
  let a61 = n + 61 in
  let a62 = n + 62 in
  let a63 = n + 63 in
  let a64 = n + 64 in
  let a65 = n + 65 in
  let a66 = n + 66 in
  let a67 = n + 67 in
  let a68 = n + 68 in
  let a69 = n + 69 in
  let a70 = n + 70 in
  let a71 = n + 71 in
  let a72 = n + 72 in
  let a73 = n + 73 in
  let a74 = n + 74 in
  let a75 = n + 75 in
  let a76 = n + 76 in
  let a77 = n + 77 in
  let a78 = n + 78 in
  let a79 = n + 79 in
  let a80 = n + 80 in
  let a81 = n + 81 in
  let a82 = n + 82 in
  let a83 = n + 83 in
  let a84 = n + 84 in
  let a85 = n + 85 in
  let a86 = n + 86 in
  let a87 = n + 87 in
  let a88 = n + 88 in
  let a89 = n + 89 in
  let a90 = n + 90 in
  let a91 = n + 91 in
  let a92 = n + 92 in
  let a93 = n + 93 in
  let a94 = n + 94 in
  let a95 = n + 95 in
  let a96 = n + 96 in
  let a97 = n + 97 in
  let a98 = n + 98 in
  let a99 = n + 99 in
  let a100 = n + 100 in
  let a101 = n + 101 in
  let a102 = n + 102 in
  let a103 = n + 103 in
  let a104 = n + 104 in
  let a105 = n + 105 in
  let a106 = n + 106 in
  let a107 = n + 107 in
  let a108 = n + 108 in
  let a109 = n + 109 in
  let a110 = n + 110 in
  let a111 = n + 111 in
  let a112 = n + 112 in
  let a113 = n + 113 in
  let a114 = n + 114 in
  let a115 = n + 115 in
  let a116 = n + 116 in
  let a117 = n + 117 in
  let a118 = n + 118 in
  let a119 = n + 119 in
  let a120 = n + 120 in
  let a121 = n + 121 in
  let a122 = n + 122 in
  let a123 = n + 123 in
  let a124 = n + 124 in
  let a125 = n + 125 in
  let a126 = n + 126 in
  let a127 = n + 127 in
  let a128 = n + 128 in
  let a129 = n + 129 in
  let a130 = n + 130 in
  let a131 = n + 131 in
  let a132 = n + 132 in
  let a133 = n + 133 in
  let a134 = n + 134 in
  let a135 = n + 135 in
  let a136 = n + 136 in
  let a137 = n + 137 in
  let a138 = n + 138 in
  let a139 = n + 139 in
  let a140 = n + 140 in
  let a141 = n + 141 in
  let a142 = n + 142 in
  let a143 = n + 143 in
  let a144 = n + 144 in
  let a145 = n + 145 in
  let a146 = n + 146 in
  let a147 = n + 147 in
  let a148 = n + 148 in
  let a149 = n + 149 in
  let a150 = n + 150 in
  let a151 = n + 151 in
  let a152 = n + 152 in
  let a153 = n + 153 in
  let a154 = n + 154 in
  let a155 = n + 155 in
  let a156 = n + 156 in
  let a157 = n + 157 in
  let a158 = n + 158 in
  let a159 = n + 159 in
  let a160 = n + 160 in
  let a161 = n + 161 in
  let a162 = n + 162 in
  let a163 = n + 163 in
  let a164 = n + 164 in
  let a165 = n + 165 in
  let a166 = n + 166 in
  let a167 = n + 167 in
  let a168 = n + 168 in
  let a169 = n + 169 in
  let a170 = n + 170 in
  let a171 = n + 171 in
  let a172 = n + 172 in
  let a173 = n + 173 in
  let a174 = n + 174 in
  let a175 = n + 175 in
  let a176 = n + 176 in
  let a177 = n + 177 in
  let a178 = n + 178 in
  let a179 = n + 179 in
  let a180 = n + 180 in
  let a181 = n + 181 in
  let a182 = n + 182 in
  let a183 = n + 183 in
  let a184 = n + 184 in
  let a185 = n + 185 in
  let a186 = n + 186 in
  let a187 = n + 187 in
  let a188 = n + 188 in
  let a189 = n + 189 in
  let a190 = n + 190 in
  let a191 = n + 191 in
  let a192 = n + 192 in
  let a193 = n + 193 in
  let a194 = n + 194 in
  let a195 = n + 195 in
  let a196 = n + 196 in
  let a197 = n + 197 in
  let a198 = n + 198 in
  let a199 = n + 199 in
  let a200 = n + 200 in
  let a201 = n + 201 in
  let a202 = n + 202 in
  let a203 = n + 203 in
  let a204 = n + 204 in
  let a205 = n + 205 in
  let a206 = n + 206 in
  let a207 = n + 207 in
  let a208 = n + 208 in
  let a209 = n + 209 in
  let a210 = n + 210 in
  let a211 = n + 211 in
  let a212 = n + 212 in
  let a213 = n + 213 in
  let a214 = n + 214 in
  let a215 = n + 215 in
  let a216 = n + 216 in
  let a217 = n + 217 in
  let a218 = n + 218 in
  let a219 = n + 219 in
  let a220 = n + 220 in
  let a221 = n + 221 in
  let a222 = n + 222 in
  let a223 = n + 223 in
  let a224 = n + 224 in
  let a225 = n + 225 in
  let a226 = n + 226 in
  let a227 = n + 227 in
  let a228 = n + 228 in
  let a229 = n + 229 in
  let a230 = n + 230 in
  let a231 = n + 231 in
  let a232 = n + 232 in
  let a233 = n + 233 in
  let a234 = n + 234 in
  let a235 = n + 235 in
  let a236 = n + 236 in
  let a237 = n + 237 in
  let a238 = n + 238 in
  let a239 = n + 239 in
  let r = if n = 0 then 0 else 1 + wide (n - 1) in
  r + 0 * (a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19
    + a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29 + a30 + a31 + a32 + a33 + a34 + a35 + a36 + a37 + a38 + a39
    + a40 + a41 + a42 + a43 + a44 + a45 + a46 + a47 + a48 + a49 + a50 + a51 + a52 + a53 + a54 + a55 + a56 + a57 + a58 + a59
    + a60 + a61 + a62 + a63 + a64 + a65 + a66 + a67 + a68 + a69 + a70 + a71 + a72 + a73 + a74 + a75 + a76 + a77 + a78 + a79
    + a80 + a81 + a82 + a83 + a84 + a85 + a86 + a87 + a88 + a89 + a90 + a91 + a92 + a93 + a94 + a95 + a96 + a97 + a98 + a99
    + a100 + a101 + a102 + a103 + a104 + a105 + a106 + a107 + a108 + a109 + a110 + a111 + a112 + a113 + a114 + a115 + a116 + a117 + a118 + a119
    + a120 + a121 + a122 + a123 + a124 + a125 + a126 + a127 + a128 + a129 + a130 + a131 + a132 + a133 + a134 + a135 + a136 + a137 + a138 + a139
    + a140 + a141 + a142 + a143 + a144 + a145 + a146 + a147 + a148 + a149 + a150 + a151 + a152 + a153 + a154 + a155 + a156 + a157 + a158 + a159
    + a160 + a161 + a162 + a163 + a164 + a165 + a166 + a167 + a168 + a169 + a170 + a171 + a172 + a173 + a174 + a175 + a176 + a177 + a178 + a179
    + a180 + a181 + a182 + a183 + a184 + a185 + a186 + a187 + a188 + a189 + a190 + a191 + a192 + a193 + a194 + a195 + a196 + a197 + a198 + a199
    + a200 + a201 + a202 + a203 + a204 + a205 + a206 + a207 + a208 + a209 + a210 + a211 + a212 + a213 + a214 + a215 + a216 + a217 + a218 + a219
    + a220 + a221 + a222 + a223 + a224 + a225 + a226 + a227 + a228 + a229 + a230 + a231 + a232 + a233 + a234 + a235 + a236 + a237 + a238 + a239)

let overflow = ref 0

let rec go deep f = if deep = 0 then f () else 1 + go (deep - 1) f

let apply_many =
  let f a b c d e f g h i j k l m n o p = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p in
  Sys.opaque_identity f

let rec many n = if n = 0 then 0 else apply_many 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 (many (n - 1))

let attempt f = match f () with n -> n | exception Stack_overflow -> incr overflow; 0

let () =
  Printf.printf "%d\n" (wide 20);
  for extra = 0 to 260 do
    ignore (attempt (fun () -> go extra (fun () -> wide max_int)))
  done;
  Printf.printf "%d\n" !overflow;
  for extra = 0 to 10 do
    ignore (attempt (fun () -> go extra (fun () -> many max_int)));
    ignore (attempt (fun () -> go extra (fun () -> List.fold_right (fun x acc -> wide 1 + acc) (List.init 10_000 Fun.id) 0)));
    ignore (attempt (fun () -> let rec sorting n = List.hd (List.sort (fun a b -> sorting (n + 1)) [ 1; 2 ]) in sorting 0))
  done;
  Printf.printf "%d %d\n" !overflow (wide 20)
